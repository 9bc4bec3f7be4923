"""The figure of the study: what a better start does to MCP and log-sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.starts.summary import Summary
from benchmarks.starts.ways import DEFAULT

_SHOWN = (("mcp(3)", "MCP", "C0", 0.16), ("logsum(0.1)", "log-sum", "C1", -0.16))


def draw(summary: Summary) -> Any:
    """Return two panels: errors against a truth, and on real data relative to the lasso."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    families, sets = summary.cases("family"), summary.cases("real")
    height = 0.34 * max(len(families), len(sets), 3) + 1.6
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, height), layout="constrained")
    left.set_title("known truth", fontsize=10)
    left.set_xlabel("error of the coefficients, ||w - w*|| / ||w*||")
    _panel(left, summary, families, relative=False)
    right.set_title("real data, nested cross-validation", fontsize=10)
    right.set_xlabel("held-out error relative to the lasso (left is better)")
    right.set_xscale("log")
    _panel(right, summary, sets, relative=True)
    _plain_ticks(right)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    return figure


def _panel(ax: Any, summary: Summary, cases: list[str], *, relative: bool) -> None:
    """Draw a row per case: from "previous" (hollow) to the default (filled), the lasso a bar."""
    rows = np.arange(len(cases), dtype=float)
    lasso = np.array([_typical(summary, case, "", "lasso") for case in cases])
    unit = lasso if relative else np.ones(len(cases))
    style = {"marker": "|", "s": 170, "color": "0.35", "linewidths": 2.0, "zorder": 1}
    ax.scatter(lasso / unit, rows, label="lasso", **style)
    for penalty, name, colour, shift in _SHOWN:
        ends = [
            np.array([_typical(summary, case, penalty, way) for case in cases]) / unit
            for way in ("previous", DEFAULT)
        ]
        ax.hlines(rows - shift, *ends, color=colour, linewidth=1.2, alpha=0.6)
        hollow = {"s": 34, "facecolors": "white", "edgecolors": colour, "zorder": 2}
        ax.scatter(ends[0], rows - shift, label=f"{name}, previous", **hollow)
        ax.scatter(ends[1], rows - shift, s=38, color=colour, zorder=3, label=f"{name}, {DEFAULT}")
    ax.set_yticks(rows, cases, fontsize=8)
    ax.set_ylim(max(len(cases), 1) - 0.5, -0.5)
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)


def _typical(summary: Summary, case: str, penalty: str, way: str) -> float:
    key = (case, penalty, way)
    return summary.median(key) if case.endswith("BIC") else summary.mean(key)


def _plain_ticks(ax: Any) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    low, high = ax.get_xlim()
    marks = [m for m in (0.5, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0, 3.0) if low <= m <= high]
    ax.xaxis.set_major_locator(FixedLocator(marks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(marks, [f"{m:g}" for m in marks])
