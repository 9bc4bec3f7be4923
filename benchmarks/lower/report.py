"""What the study found: shares of points where ours is at most theirs, and by how much not."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.lower.solvers import OURS, label
from benchmarks.lower.study import FIRST, excess, rivals_of

Record = dict[str, Any]
LEVEL = 1e-6  # relative: objectives that differ by less are level
DRAWS_BAR, CELLS_BAR = 0.97, 0.95  # shares of points
MEAN_BAR = 0.005  # a cell's mean objective may be so much above a peer's
_BEYOND = "lowest of all"


def write(document: Record, out: Path) -> list[Path]:
    """Write the tables beside the results."""
    table = out.with_suffix(".md")
    table.write_text(markdown(document))
    return [table]


def markdown(document: Record) -> str:
    """Return the whole report."""
    meta, records = document["meta"], document["records"]
    parts = [
        "# Who finds the lower objective\n",
        f"Commit {meta.get('commit', '?')}, {meta.get('date', '?')}, `python -m benchmarks lower`. "
        f"Each entry: share of path points where ours is at most theirs ({LEVEL:g} relative); mean "
        f"and largest excess over theirs where it is not.\n",
    ]
    for part, bar in (("draws", DRAWS_BAR), ("cells", CELLS_BAR)):
        chosen = [r for r in records if r["part"] == part and rivals_of(r)]
        if chosen:
            parts += [_part(part, chosen, bar)]
    cells = [r for r in records if r["part"] == "cells" and rivals_of(r)]
    if cells:
        parts.append(_cells(cells))
    parts.append(_failures(records))
    told = {**document.get("skipped", {}), **document.get("absent", {})}
    parts += [f"Skipped: {name}: {why}." for name, why in told.items()]
    return "\n".join(part for part in parts if part)


def rivals(records: Iterable[Record]) -> list[str]:
    """Return all rivals that answered somewhere."""
    return list(dict.fromkeys(name for record in records for name in rivals_of(record)))


def excesses(records: Iterable[Record], ours: str, rival: str) -> np.ndarray:
    """Return one excess per point of all paths that both have; over `lowest of all` as well."""
    found = []
    for record in records:
        if ours not in record["objective"]:
            continue
        if rival == _BEYOND:
            each = [excess(record, ours, name) for name in rivals_of(record)]
            if each:
                found.append(np.max(each, axis=0))
        elif rival in record["objective"]:
            found.append(excess(record, ours, rival))
    return np.concatenate(found) if found else np.zeros(0)


def entry(found: np.ndarray) -> str:
    """Return share, mean and largest excess in a few characters."""
    if found.size == 0:
        return "-"
    above = found[found > LEVEL]
    share = f"{1 - above.size / found.size:.1%}"
    return share if above.size == 0 else f"{share}; {above.mean():.1%}, {above.max():.1%}"


def _part(part: str, records: list[Record], bar: float) -> str:
    """Return one table per part: rows are penalty, variant and ours, columns the rivals."""
    names = [*rivals(records), _BEYOND]
    title = {"draws": "Random problems", "cells": "The benchmark's problems"}[part]
    lines = [
        f"## {title}: {len(records)} paths\n",
        _row(["", *names]),
        _row(["---"] * (1 + len(names))),
    ]
    labels = dict.fromkeys(r["penalty"] for r in records)
    for ours in (label(*pair) for pair in OURS):
        lines.append(_row([f"**{ours}**", *(entry(excesses(records, ours, n)) for n in names)]))
        for penalty in labels:
            for variant in ("standardised", "raw"):
                some = [r for r in records if (r["penalty"], r["variant"]) == (penalty, variant)]
                told = [entry(excesses(some, ours, name)) for name in names]
                lines.append(_row([f"{penalty}, {variant}", *told]))
    everywhere = excesses(records, FIRST, _BEYOND)
    share = float((everywhere <= LEVEL).mean())
    each = {name: float((excesses(records, FIRST, name) <= LEVEL).mean()) for name in names[:-1]}
    if part == "cells":
        met = share >= bar
        lines.append(f"\nAt most the lowest of all on {share:.1%}: {_word(met)} ({bar:.0%}).\n")
    else:
        shares = ", ".join(f"{name} {s:.1%} {_word(s >= bar)}" for name, s in each.items())
        lines.append(f"\nAt most theirs ({bar:.0%} asked for): {shares}.\n")
    return "\n".join(lines)


def _cells(records: list[Record]) -> str:
    names = rivals(records)
    head = ["cell", "seconds", *names, "mean over theirs"]
    lines = ["## Each cell\n", _row(head), _row(["---"] * len(head))]
    for record in records:
        own = record["objective"][FIRST]
        means = [
            (float(np.mean(own) / np.mean(record["objective"][name])) - 1.0, name)
            for name in rivals_of(record)
        ]
        worst, rival = max(means)
        mark = f" **{rival}**" if worst > MEAN_BAR else ""
        lines.append(
            _row(
                [
                    f"{record['case']} {record['variant']} {record['penalty']}",
                    f"{record['seconds'][FIRST]:.1f}",
                    *(entry(excesses([record], FIRST, name)) for name in names),
                    f"{worst:+.2%}{mark}",
                ]
            )
        )
    return "\n".join([*lines, f"\nBold: a mean above a peer's by more than {MEAN_BAR:.1%}.\n"])


def _failures(records: list[Record]) -> str:
    lines = [
        f"- {record['case']} {record['variant']} {record['penalty']}: {name}: {why}"
        for record in records
        if record["part"] == "cells"
        for name, why in record["failed"].items()
        if not why.startswith("no s")  # no such penalty, no sparse designs
    ]
    return "\n".join(["## No answer\n", *lines, ""]) if lines else ""


def _word(met: bool) -> str:
    return "(met)" if met else "(missed)"


def _row(parts: Iterable[str]) -> str:
    return "| " + " | ".join(parts) + " |"
