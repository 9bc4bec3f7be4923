"""Table, figure and page of the map, from its result file."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import envs
from benchmarks.adapters import OURS, OWN, PREVIOUS
from benchmarks.map.cells import COLUMNS, DENSE, ROWS
from benchmarks.page import STATIC
from benchmarks.report import geometric_mean

Record = dict[str, Any]
PAGE = envs.ROOT / "docs" / "map.md"
_NAMES = {"l1": "L1", "mcp(3)": "MCP", "scad(3.7)": "SCAD", "logsum(0.1)": "log-sum"}
_COLUMNS = ["problem", "penalty", "level", "peer", "version", "status", "reason"]
_COLUMNS += ["tol", "violation", "cpu", "seconds", "rounds"]
_WORST = 12  # cells that the page names


@dataclass(frozen=True)
class Cell:
    """One design, penalty and level: our time, our default's, and the fastest peer's."""

    problem: str
    penalty: str
    level: str
    ours: float
    default: float
    peer: str
    theirs: float  # where no peer got there: what a capped one had spent, or nan
    capped: bool

    @property
    def ratio(self) -> float:
        """How many times as long the fastest peer takes."""
        return self.theirs / self.ours

    @property
    def place(self) -> tuple[int, int]:
        """Rows and columns."""
        n, d = self.problem.split()[0].split("x")
        return int(n), int(d)

    @property
    def layout(self) -> str:
        """How X is stored, or "cv"."""
        return self.problem.split()[1] if " " in self.problem else DENSE


def write(results: Path, *, docs: bool = False) -> list[Path]:
    """Write CSV, Markdown and figure beside the result file; with docs, page and figure too."""
    document = json.loads(results.read_text())
    cells = cells_of(document["records"])
    table, text = results.with_suffix(".csv"), results.with_suffix(".md")
    _write_csv(document["records"], table)
    text.write_text(page(document, cells, results.with_suffix(".png").name), encoding="utf-8")
    written = [table, text]
    if any(cell.layout == DENSE for cell in cells):
        written.append(figure(cells, results.with_suffix(".png")))
    if docs:
        written.append(figure(cells, STATIC / "map.png"))
        _write_csv(document["records"], STATIC / "map.csv")
        PAGE.write_text(page(document, cells, "_static/map.png"), encoding="utf-8")
        written += [STATIC / "map.csv", PAGE]
    return written


def cells_of(records: list[Record]) -> list[Cell]:
    """Return the cells that we solved, in the order of the file.

    Ours is `start="previous"` where the penalty is not convex, as the peers walk down too.
    """
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        key = (record["problem"], record["penalty"], record["level"])
        groups.setdefault(key, []).append(record)
    cells = []
    for key, group in groups.items():
        done = {r["peer"]: r["cpu"] for r in group if r["status"] == "ok"}
        who = OURS if key[1] == "l1" else PREVIOUS
        if who not in done:
            continue
        peers = {peer: cpu for peer, cpu in done.items() if peer not in OWN}
        limits = [r["limit"] for r in group if r["peer"] not in OWN and _capped(r)]
        best = min(peers, key=lambda peer: peers[peer], default="")
        theirs = peers[best] if best else max(limits, default=math.nan)
        default = done.get(OURS, math.nan)
        cells.append(Cell(*key, done[who], default, best, theirs, not best))
    return cells


def _capped(record: Record) -> bool:
    return record["status"] != "ok" and "CPU s" in record.get("reason", "")


def _write_csv(records: list[Record], file: Path) -> None:
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, _COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for record in records:
            writer.writerow({key: _short(record.get(key, "")) for key in _COLUMNS})


def _short(value: Any) -> Any:
    return f"{value:.4g}" if isinstance(value, float) else value


# ---------------------------------------------------------------- the page


def page(document: Record, cells: list[Cell], image: str) -> str:
    """Return the page."""
    meta = document["meta"]
    parts = [
        "# The map of shapes\n",
        "Written by `python -m benchmarks map --report --docs` from the results of\n"
        "`make bench-map`; the numbers are in {download}`map.csv <_static/map.csv>`.\n",
        f"Commit {meta['commit']}, {meta['date'][:10]}, {meta['machine']}, one thread, seconds of\n"
        "the processor.\n",
        _INTRODUCTION.format(limit=_limits(document["records"])),
        _done(cells),
        *(f"{note}\n" for note in meta.get("notes", [])),
        _summary(cells),
        f"![Heat maps: time of the fastest peer over ours, by rows and columns]({image})\n",
        _worst(cells),
    ]
    for title, layouts in _TABLES:
        chosen = [cell for cell in cells if cell.layout in layouts]
        if chosen:
            parts += [f"## {title}\n", _table(chosen)]
    return "\n".join(parts)


_INTRODUCTION = """\
A cell is one path of 100 alphas down to a thousandth of the first one (a hundredth where d > n),
AR(0.5) columns with up to 20 active features, standardised. Every solver runs at the loosest
tolerance with which a judge that shares no code with any of them finds the asked accuracy on the
whole path: the largest violation over max |x_j'y|/n is at most 1e-4 (loose) or 1e-6 (tight). A
ratio is the time of the fastest peer over ours. A peer is given {limit} seconds per path; where
none gets there, the ratio is a lower bound, marked ">". Peers of MCP, SCAD and log-sum walk down
the path to stationary points, so ours beside them is `start="previous", minimum="stationary"`;
the default is a column of its own.
"""


def _done(cells: list[Cell]) -> str:
    """Say how much of the map there is."""
    parts = []
    for layout, all_of in ((DENSE, 38), ("C", 10), ("float32", 10), ("sparse", 10), ("cv", 10)):
        there = {cell.problem for cell in cells if cell.layout == layout}
        parts.append(f"{len(there)} of {all_of} {'dense' if layout == DENSE else layout}")
    return f"Shapes measured so far: {', '.join(parts)}. R knows its time to a millisecond only.\n"


def _limits(records: list[Record]) -> str:
    """Name the seconds that peers were given: of runs with other limits the least and the most."""
    given = sorted({record["limit"] for record in records if record["peer"] not in OWN})
    return " to ".join(f"{limit:g}" for limit in dict.fromkeys((*given[:1], *given[-1:])))


_TABLES = (
    ("All dense cells", (DENSE,)),
    ("C order and float32", ("C", "float32")),
    ("Sparse", ("sparse",)),
    ("10-fold cross-validation", ("cv",)),
)


def _summary(cells: list[Cell]) -> str:
    rows = []
    for name, chosen in _groups(cells):
        for level in dict.fromkeys(cell.level for cell in chosen):
            met = [c for c in chosen if c.level == level and not c.capped]
            if met:
                below = sum(c.ratio < 1.0 for c in met)
                worst = min(met, key=lambda c: c.ratio)
                mean = geometric_mean([c.ratio for c in met])
                rows.append(
                    f"| {name} | {level} | {len(met)} | {mean:.2f} | "
                    f"{worst.ratio:.2f} ({worst.problem}, {worst.peer}) | {below} |"
                )
    head = (
        "| penalty, layout | accuracy | cells a peer solves | geometric mean | worst | below 1 |\n"
        "|---|---|---|---|---|---|"
    )
    return "\n".join([head, *rows, ""])


def _groups(cells: list[Cell]) -> list[tuple[str, list[Cell]]]:
    keys = dict.fromkeys((cell.penalty, cell.layout) for cell in cells)
    found = []
    for penalty, layout in keys:
        name = _NAMES[penalty] + ("" if layout == DENSE else f", {layout}")
        found.append((name, [c for c in cells if (c.penalty, c.layout) == (penalty, layout)]))
    return found


def _worst(cells: list[Cell]) -> str:
    met = sorted((cell for cell in cells if not cell.capped), key=lambda cell: cell.ratio)
    return f"## Our worst cells\n\n{_table(met[:_WORST])}"


def _table(cells: list[Cell]) -> str:
    head = (
        "| cell | penalty | accuracy | ours | our default | fastest peer | ratio |\n"
        "|---|---|---|---|---|---|---|"
    )
    rows = [
        f"| {c.problem} | {_NAMES[c.penalty]} | {c.level} | {c.ours:.3g} | {_time(c.default)} | "
        f"{_peer(c)} | {_ratio(c)} |"
        for c in cells
    ]
    return "\n".join([head, *rows, ""])


def _time(seconds: float) -> str:
    return "" if math.isnan(seconds) else f"{seconds:.3g}"


def _peer(cell: Cell) -> str:
    if not cell.capped:
        return f"{cell.theirs:.3g} ({cell.peer})"
    return "none" if math.isnan(cell.theirs) else f"none within {cell.theirs:g}"


def _ratio(cell: Cell) -> str:
    if math.isnan(cell.theirs):
        return ""
    return f"{'> ' if cell.capped else ''}{cell.ratio:.2f}"


# ---------------------------------------------------------------- the figure


def figure(cells: list[Cell], file: Path) -> Path:
    """Draw one heat map per penalty: rows by columns, the smaller ratio of both levels."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.colors import TwoSlopeNorm

    dense = [cell for cell in cells if cell.layout == DENSE and not math.isnan(cell.theirs)]
    names = [name for name in _NAMES if any(cell.penalty == name for cell in dense)]
    across = min(2, len(names))
    down = math.ceil(len(names) / across)
    drawn, axes = plt.subplots(
        down, across, figsize=(5.6 * across, 4.4 * down), layout="constrained", squeeze=False
    )
    norm = TwoSlopeNorm(vcenter=0.0, vmin=-0.5, vmax=2.0)  # of the decimal logarithm
    for axis in axes.flat[len(names) :]:
        axis.axis("off")
    shown = None
    for axis, penalty in zip(axes.flat, names, strict=False):
        shown = _heat(axis, [cell for cell in dense if cell.penalty == penalty], norm)
        axis.set_title(f"{_NAMES[penalty]}: fastest peer / ours", fontsize=10)
    assert shown is not None
    bar = drawn.colorbar(shown, ax=axes, shrink=0.6, ticks=[math.log10(0.5), 0, 0.5, 1, 1.5, 2])
    bar.ax.set_yticklabels(["0.5", "1", "3", "10", "30", "100"])
    drawn.savefig(file, dpi=110)
    plt.close(drawn)
    return file


def _heat(axis: Any, cells: list[Cell], norm: Any) -> Any:
    """Draw one map; its worst cell has a frame."""
    import numpy as np
    from matplotlib.patches import Rectangle

    grid = np.full((len(ROWS), len(COLUMNS)), np.nan)
    worst: dict[tuple[int, int], Cell] = {}
    for cell in cells:
        before = worst.get(cell.place)
        if before is None or cell.ratio < before.ratio:
            worst[cell.place] = cell
    for (n, d), cell in worst.items():
        i, j = ROWS.index(n), COLUMNS.index(d)
        grid[i, j] = math.log10(cell.ratio)
        digits = 2 if cell.ratio < 3 else 1 if cell.ratio < 10 else 0
        text = f"{'>' if cell.capped else ''}{cell.ratio:.{digits}f}"
        axis.text(j, i, text, ha="center", va="center", fontsize=9)
    shown = axis.imshow(grid, cmap="RdYlGn", norm=norm, aspect="auto")
    solved = [cell for cell in worst.values() if not cell.capped]
    if solved:
        lowest = min(solved, key=lambda cell: cell.ratio)
        i, j = ROWS.index(lowest.place[0]), COLUMNS.index(lowest.place[1])
        axis.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, lw=2))
    axis.set_xticks(range(len(COLUMNS)), [f"{d:,}" for d in COLUMNS], fontsize=8)
    axis.set_yticks(range(len(ROWS)), [f"{n:,}" for n in ROWS], fontsize=8)
    axis.set_xlabel("columns")
    axis.set_ylabel("rows")
    return shown
