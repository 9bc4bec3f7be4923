"""What a comparison says: a line per row, a table by part, and whether it is too slow."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any

from benchmarks.compare.sides import Contest
from benchmarks.runner import Record

Ratios = list[tuple[str, float]]  # name of a cell and its ratio
_KEYS = ("part", "work", "problem", "variant", "penalty", "level")
_SMALLEST_PEAK = 1 << 20  # bytes; below that a peak is a matter of pages


def name(row: Record) -> str:
    """Return what tells a row from the others."""
    said = [str(row[key]) for key in _KEYS if row.get(key) and row[key] != "paths"]
    return " ".join(said)


def line(row: Record, contest: Contest) -> str:
    """Say in a line what was measured."""
    unit = "s CPU" if row["clock"] == "cpu" else "s"
    told = [f"{name(row):52s}"]
    for side in contest.names:
        passes = row.get(f"{side}_passes")
        told += [f"{side} {_show(row[side], unit)}", *([_show(passes, "passes")] if passes else [])]
    told.append(f"{contest.title} {_show(row['ratio'], '')}")
    return " ".join(told) + (f" ({row['note']})" if row.get("note") else "")


def _show(value: Any, unit: str) -> str:
    return "-" if value is None else f"{value:.4g} {unit}".strip()


def table(rows: list[Record], contest: Contest) -> list[str]:
    """Return a line per part: how many cells, their geometric mean, the worst and its name."""
    told = [f"{contest.title:44s} cells   mean  worst"]
    for part, ratios in parts(rows, contest):
        if ratios:
            worst, largest = max(ratios, key=lambda ratio: ratio[1])
            told.append(f"{part:44s} {len(ratios):5d} {mean(ratios):6.3f} {largest:6.3f}  {worst}")
    return told


def parts(rows: list[Record], contest: Contest) -> Iterator[tuple[str, Ratios]]:
    """Yield every part of the table with its ratios."""
    timed = [row for row in rows if row["part"] == "paths"]
    groups = dict.fromkeys((row["level"], row["variant"]) for row in timed)
    for level, variant in groups:
        chosen = [row for row in timed if (row["level"], row["variant"]) == (level, variant)]
        yield f"paths, {level}, {variant}", _times(chosen)
    if len(groups) > 1:
        yield "paths, all", _times(timed)
    yield "passes per alpha", _of(timed, contest, "passes", 0.0)
    for part in dict.fromkeys(row["part"] for row in rows if row["part"] != "paths"):
        yield part, _times([row for row in rows if row["part"] == part])
    enough = f"peak memory beyond X, from {_SMALLEST_PEAK >> 20} MB"
    yield enough, _of(rows, contest, "peak", _SMALLEST_PEAK)


def mean(ratios: Ratios) -> float:
    """Return the geometric mean."""
    return math.exp(sum(math.log(ratio) for _, ratio in ratios) / len(ratios))


def _times(rows: list[Record]) -> Ratios:
    return [(name(row), row["ratio"]) for row in rows if row["ratio"]]


def _of(rows: list[Record], contest: Contest, measure: str, smallest: float) -> Ratios:
    """Return the ratios of another measure, where the base has more than the smallest of it."""
    ratios = []
    for row in rows:
        base, head = (row.get(f"{side}_{measure}") for side in contest.names)
        if base and head and base > smallest:
            ratios.append((name(row), head / base))
    return ratios


def complaints(rows: list[Record], contest: Contest, arguments: argparse.Namespace) -> list[str]:
    """Return why the comparison fails: cells that failed, cells and a mean that are too slow.

    The mean is that of all paths: few other cells are measured, and a mean of few is noise.
    """
    base, head = contest.names
    counted = [row for row in rows if row["clock"] == arguments.clock]
    told = [f"failed: {name(row)}" for row in counted if row[base] and not row[head]]
    for row in counted:
        if row["ratio"] and row["ratio"] > arguments.fail_above:
            told.append(f"above {arguments.fail_above:g}: {name(row)}, {row['ratio']:.3f}")
    paths = _times([row for row in rows if row["part"] == "paths"])
    if paths and mean(paths) > arguments.fail_mean_above:
        told.append(f"mean of all paths above {arguments.fail_mean_above:g}: {mean(paths):.3f}")
    return told
