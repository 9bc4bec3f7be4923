"""Table and page of the losses, from a result file."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import envs
from benchmarks.adapters import OWN
from benchmarks.report import geometric_mean

Record = dict[str, Any]
PAGE = envs.ROOT / "docs" / "benchmark_losses.md"


@dataclass(frozen=True)
class Cell:
    """One problem, penalty and level: our seconds and passes, and the peers' that got there."""

    problem: str
    penalty: str
    level: str
    ours: float
    passes: float
    peers: dict[str, float]
    failed: dict[str, str]

    @property
    def fastest(self) -> str:
        """The fastest peer, or nobody."""
        return min(self.peers, key=lambda name: self.peers[name], default="")

    @property
    def ratio(self) -> float:
        """How many times as long the fastest peer takes; nan where none got there."""
        return self.peers[self.fastest] / self.ours if self.peers else math.nan


def write(results: Path, *, docs: bool = False) -> list[Path]:
    """Write Markdown beside the result file; with docs, the page of the documentation too."""
    document = json.loads(results.read_text())
    text = page(document)
    written = [results.with_suffix(".md")]
    if docs:
        written.append(PAGE)
    for file in written:
        file.write_text(text, encoding="utf-8")
    return written


def cells_of(records: list[Record]) -> list[Cell]:
    """Return the cells that we solved, in the order of the file."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        key = (record["problem"], record["penalty"], record["level"])
        groups.setdefault(key, []).append(record)
    cells = []
    for key, group in groups.items():
        own = [r for r in group if r["peer"] in OWN and r["status"] == "ok"]
        if not own:
            continue
        others = [r for r in group if r["peer"] not in OWN]
        done = {r["peer"]: r["cpu"] for r in others if r["status"] == "ok"}
        failed = {r["peer"]: r["reason"] for r in others if r["status"] != "ok"}
        cells.append(Cell(*key, own[0]["cpu"], own[0]["passes"], done, failed))
    return cells


def page(document: Record) -> str:
    """Return the page."""
    meta, cells = document["meta"], cells_of(document["records"])
    parts = [
        "# Losses beside other solvers\n",
        "Written by `python -m benchmarks losses --report --docs` from the results of\n"
        "`make bench-losses`.\n",
        f"Commit {meta['commit']}, {meta['date'][:10]}, {meta['machine']}, one thread,\n"
        "seconds of the processor.\n",
        _INTRODUCTION,
        *(f"{note}\n" for note in meta.get("notes", [])),
        _summary(cells),
        _behind(cells),
        _table(cells),
        _missing(document, cells),
    ]
    return "\n".join(part for part in parts if part)


_INTRODUCTION = """\
A cell is one path of 50 alphas down to a hundredth of the first one (less far where the classes
are separated soon after), standardised columns, no intercept. Every solver runs at the loosest
tolerance with which a judge that shares no code with any of them finds the asked accuracy on the
whole path: the largest violation over that of w = 0 is at most 1e-4 (loose) or 1e-6 (tight).
Ratios are the time of the fastest peer over ours. With MCP, SCAD and log-sum everybody walks down
the path, ours with `start="previous", minimum="stationary"`. MCP and SCAD have the shapes 12 and
11.8 with the logistic loss, whose curvature is at most 1/4, and 3 and 3.7 with the Poisson loss.
"""


def _summary(cells: list[Cell]) -> str:
    lines = ["| penalty | level | cells | geometric mean of ratios | smallest | most passes |"]
    lines.append("|---|---|---|---|---|---|")
    for penalty, level in dict.fromkeys((c.penalty.split("(")[0], c.level) for c in cells):
        chosen = [c for c in cells if c.penalty.split("(")[0] == penalty and c.level == level]
        raced = [c for c in chosen if c.peers]
        if not raced:
            lines.append(f"| {penalty} | {level} | 0 of {len(chosen)} with a peer | | | |")
            continue
        least = min(raced, key=lambda c: c.ratio)
        mean = geometric_mean([c.ratio for c in raced])
        passes = max(c.passes for c in chosen)
        lines.append(
            f"| {penalty} | {level} | {len(raced)} | {mean:.1f} | {least.ratio:.2f} "
            f"({least.problem}) | {passes:.2f} |"
        )
    return "\n".join(lines) + "\n"


def _behind(cells: list[Cell]) -> str:
    behind = sorted((c for c in cells if c.peers and c.ratio < 1.0), key=lambda c: c.ratio)
    if not behind:
        return "No cell is slower than its fastest peer.\n"
    told = [f"{c.problem} {c.penalty} {c.level} ({c.fastest}, {c.ratio:.2f})" for c in behind]
    return f"Slower than the fastest peer: {', '.join(told)}.\n"


def _table(cells: list[Cell]) -> str:
    names = sorted({name for cell in cells for name in (*cell.peers, *cell.failed)})
    lines = [f"| problem | penalty | level | ours | {' | '.join(names)} | ratio |"]
    lines.append("|---|---|---|---|" + "---|" * (len(names) + 1))
    for cell in cells:
        told = [_told(cell, name) for name in names]
        ratio = f"{cell.ratio:.2f}" if cell.peers else ""
        lines.append(
            f"| {cell.problem} | {cell.penalty} | {cell.level} | {cell.ours:.3g} | "
            f"{' | '.join(told)} | {ratio} |"
        )
    return "\n".join(lines) + "\n"


def _told(cell: Cell, name: str) -> str:
    if name in cell.peers:
        return f"{cell.peers[name]:.3g}"
    if name not in cell.failed:
        return ""
    return "slow" if "CPU s" in cell.failed[name] else "never"


def _missing(document: Record, cells: list[Cell]) -> str:
    """Say what the empty places mean, and which cells we did not solve."""
    have = {(c.problem, c.penalty, c.level) for c in cells}
    lost = [r for r in document["records"] if r["peer"] in OWN and r["status"] != "ok"]
    told = [
        f"{r['problem']} {r['penalty']} {r['level']}: {r['reason']}"
        for r in lost
        if (r["problem"], r["penalty"], r["level"]) not in have
    ]
    text = (
        '"slow": beyond the limit of time; "never": the accuracy was not reached, or the solver\n'
    )
    text += "failed; an empty place: the solver has no such loss or penalty, or takes no sparse\n"
    text += "columns.\n"
    for name, why in document["meta"].get("absent", {}).items():
        text += f"Absent: {name} ({why}).\n"
    return text + "".join(f"Not solved by ours: {line}.\n" for line in told)
