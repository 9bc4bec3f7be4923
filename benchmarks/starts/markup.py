"""Pieces of the reports: tables, numbers, losses in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.starts.summary import Loss, Summary

Record = dict[str, Any]
Section = Callable[[Summary], str]


def page(
    title: str,
    document: Record,
    about: Callable[[Record, Summary], str],
    sections: Iterable[Section],
    absent: Callable[[Record], str],
) -> str:
    """Return a report: title, what was measured, the sections, what is absent."""
    summary = Summary(document["records"])
    said = [section(summary) for section in sections]
    parts = [f"# {title}\n", about(document, summary), *said, absent(document)]
    return "\n".join(part for part in parts if part)


def draws(summary: Summary) -> str:
    """Say how often each case was drawn."""
    counts = dict.fromkeys([*summary.cases("family"), *summary.cases("real")], 0)
    for record in summary.records:
        counts[record["case"]] = max(counts[record["case"]], record["draw"] + 1)
    return "; ".join(f"{case}: {count}" for case, count in counts.items())


def told(loss: Loss) -> str:
    """Say where something is worse, in brackets where chance could explain it."""
    scatter = "" if math.isnan(loss.standard_error) else f" +- {2 * loss.standard_error:.0f}"
    words = f"{loss.case} {loss.penalty} by {loss.percent:.0f}{scatter} %"
    return words if loss.is_clear else f"({words})"


def skipped(document: Record) -> str:
    """List what was not measured, and why."""
    lines = [f"- {name}: {why}" for name, why in document.get("absent", {}).items()]
    lines += [f"- {name}: {why}" for name, why in document.get("skipped", {}).items()]
    return "\n".join(["## Not measured\n", *lines, ""]) if lines else ""


def skipped_briefly(document: Record) -> str:
    """Name what was not measured, in a line."""
    names = [*document.get("absent", {}), *document.get("skipped", {})]
    return f"Not measured: {'; '.join(names)}.\n" if names else ""


def table(heads: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def two(error: float, f1: float) -> str:
    """Return an error, and an F1 where there is one."""
    return number(error) + ("" if math.isnan(f1) else f", {f1:.2f}")


def number(value: float) -> str:
    """Return three decimals, or a dash."""
    return "-" if not math.isfinite(value) else f"{value:.3f}"
