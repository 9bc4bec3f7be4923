"""The figures of [RGS19], drawn from the records of a run, as PNG and PDF."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import mean
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from .arms import CODE, TEXT
from .plan import BEST, ENGINE, ENGINES, NUMPY, TRACE, TWIN
from .property1 import draw_property
from .summary import (
    SIZES,
    Groups,
    Ratio,
    Record,
    Total,
    end_points,
    group_of,
    missing_shapes,
    ratio,
    totals,
    whole,
)

COLOURS = {
    "ncvxCD": "#4c72b0",
    "GIST": "#dd8452",
    "MM": "#4d4d4d",
    "MM-genuine": "#8c8c8c",
    "MM-genuine printed": "#c7c7c7",
    "MM-screen": "#55a868",
    "MM-screen printed": "#a6d8b2",
    "MM-exact": "#2f6f43",
    "engine": "#c44e52",
    "engine best": "#8172b3",
}
ARMS = {TEXT.name: "as printed", CODE.name: "as published"}
PAPERS_GAINS = {
    "figure2-features": (1.8,),
    "figure2-noise": (1.8,),
    "figure2-tolerance": (4.0, 6.5),
}
NAMES = {"logsum": "log-sum", "mcp": "MCP", "scad": "SCAD"}
UNITS = {"cpu": "processor time [s]", "columns": "column operations"}
STYLE: dict[Any, Any] = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}


def draw_all(records: Iterable[Record], folder: Path) -> dict[str, Path]:
    """Draw every figure the records allow; return the PNG files by name."""
    records = list(records)
    groups = whole(totals(records))
    drawn: dict[str, Path] = {}
    compiled, numpy = (
        {g: m for g, m in groups.items() if g.language == name} for name in (TWIN, NUMPY)
    )
    toys, real = ["figure1-small", "figure1-large"], ["figure3-leukemia", "figure3-newsgroup"]
    figures: dict[str, Callable[[], Figure | None]] = {
        "figure1": lambda: bars(compiled, toys),
        "figure1-numpy": lambda: bars(numpy, toys),
        "figure2": lambda: gains(compiled),
        "figure2-numpy": lambda: gains(numpy),
        "figure3": lambda: bars(compiled, real),
        "figure3-numpy": lambda: bars(numpy, real),
        "engine": lambda: engine(groups, records),
        "property1": lambda: draw_property() if records else None,
        "others": lambda: bars(groups, ["others"]),
        "who-screens": lambda: who_screens(records),
    }
    with mpl.rc_context(STYLE):
        for name, draw in figures.items():
            figure = draw()
            if figure is not None:
                folder.mkdir(parents=True, exist_ok=True)
                for suffix in ("png", "pdf"):
                    figure.savefig(folder / f"{name}.{suffix}", dpi=150)
                    figure.set_layout_engine("none")  # found once, it serves both files
                drawn[name] = folder / f"{name}.png"
    return drawn


Column = dict[float, dict[str, list[Total]]]  # methods of the paper by tolerance


def bars(groups: Groups, panels: list[str]) -> Figure | None:
    """Draw time (top) and counted work (bottom) per method of the paper and tolerance."""
    columns: dict[tuple[str, str, str, str], Column] = {}
    for panel in panels:
        for group, methods in groups.items():
            if group.panel == panel and group.arm in ARMS:
                key = (group.problem, group.penalty, group.arm, group.language)
                own = {name: runs for name, runs in methods.items() if name not in ENGINES}
                columns.setdefault(key, {})[group.tol] = own
    if not columns:
        return None
    figure = Figure(figsize=(max(3.6 * len(columns), 5.2), 6.4), layout="constrained")
    axes = figure.subplots(2, len(columns), squeeze=False)
    for (key, by_tol), pair in zip(columns.items(), axes.T, strict=True):
        for axis, unit in zip(pair, UNITS, strict=True):
            _bar_panel(axis, by_tol, unit)
        pair[0].set_title(_title(key, by_tol), size=9)
    shown = {m for by_tol in columns.values() for methods in by_tol.values() for m in methods}
    handles = [Patch(color=COLOURS[name], label=name) for name in COLOURS if name in shown]
    handles.append(
        Patch(fc="white", ec="black", hatch="///", label="some points missed the tolerance")
    )
    ncols = 2 * min(len(columns), 3)
    figure.legend(handles=handles, loc="outside lower center", ncols=ncols, frameon=False)
    return figure


def _title(key: tuple[str, str, str, str], by_tol: Column) -> str:
    """Name the problem and its size, and say on how many grid points the bars stand."""
    problem, penalty, arm, language = key
    size = f"{problem}, {SIZES[problem]}" if problem in SIZES else problem
    counts = {t.points for methods in by_tol.values() for ts in methods.values() for t in ts}
    grid = max(t.grid for methods in by_tol.values() for ts in methods.values() for t in ts)
    points = f"{min(counts)} to {max(counts)}" if len(counts) > 1 else f"{max(counts)}"
    thetas = missing_shapes([ts for methods in by_tol.values() for ts in methods.values()], penalty)
    share = f"{points} of {grid} grid points{thetas}"
    return f"{size} ({NAMES[penalty]})\n{ARMS[arm]}, {language}\n{share}"


def _bar_panel(axis: Any, by_tol: dict[float, dict[str, list[Total]]], unit: str) -> None:
    """Draw one group of bars per tolerance; a method that missed points is hatched and marked."""
    most = max(len(methods) for methods in by_tol.values())
    width = 0.84 / most
    tolerances = sorted(by_tol, reverse=True)
    for x, tol in enumerate(tolerances):
        present = [name for name in COLOURS if name in by_tol[tol]]
        for i, name in enumerate(present):
            runs = by_tol[tol][name]
            values = [getattr(run, unit) for run in runs]
            at, height = x + (i - (len(present) - 1) / 2) * width, mean(values)
            missed = sum(run.missed for run in runs)
            hatch = "///" if missed else None
            axis.bar(at, height, width, color=COLOURS[name], hatch=hatch)
            spread = [[height - min(values)], [max(values) - height]]
            if len(values) > 1:
                axis.errorbar(at, height, yerr=spread, color="black", lw=0.8, capsize=1.5)
            if missed:
                top, text = 1.2 * max(values), f"{missed} missed"
                axis.text(at, top, text, rotation=90, ha="center", va="bottom", size=6)
    axis.set_yscale("log")
    axis.margins(y=0.3)  # room for the marks above the bars
    axis.set_xticks(range(len(tolerances)), [f"{tol:.0e}" for tol in tolerances])
    axis.set_xlabel("tolerance on the optimality conditions")
    axis.set_ylabel(UNITS[unit])


def gains(groups: Groups) -> Figure | None:
    """Draw the gain of propagation over features, noise and tolerance (figure 2), arm by arm."""
    panels = {
        "figure2-features": "number of features",
        "figure2-noise": "noise level",
        "figure2-tolerance": "number of features",
    }
    arms = [arm for arm in ARMS if any(g.panel in panels and g.arm == arm for g in groups)]
    if not arms:
        return None
    figure = Figure(figsize=(12.5, 4.1 * len(arms)), layout="constrained")
    rows = figure.subplots(len(arms), 3, squeeze=False)
    for arm, axes in zip(arms, rows, strict=True):
        for axis, (panel, label) in zip(axes, panels.items(), strict=True):
            chosen = {g: m for g, m in groups.items() if g.panel == panel and g.arm == arm}
            for k, tol in enumerate(sorted({group.tol for group in chosen}, reverse=True)):
                at_tol = {g: m for g, m in chosen.items() if g.tol == tol}
                _gain_lines(axis, at_tol, panel, tol, f"C{k}")
            _papers_gains(axis, panel)
            _log_ticks(axis, chosen, panel)
            axis.set_xlabel(label)
            axis.set_ylabel("MM-genuine / MM-screen")
            axis.set_title(f"{ARMS[arm]}: {_gain_title(panel, chosen)}", size=9)
            if axis.get_legend_handles_labels()[0]:  # an interrupted run may have nothing here yet
                axis.legend(frameon=False, fontsize=7, ncols=2)
    return figure


def _papers_gains(axis: Any, panel: str) -> None:
    """Draw lines at no gain and at the gains that the paper names."""
    axis.axhline(1.0, color="black", lw=0.6)
    for value in PAPERS_GAINS[panel]:
        axis.axhline(value, color="black", lw=0.8, ls="--")
        place = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
        axis.annotate(f"paper: {value:g}", (1.0, value), size=7, **place)


def _position(problem: str, panel: str) -> float:
    """Return where a problem stands on the horizontal axis: its noise, or its features."""
    size, noise = problem.split(", noise ")
    return float(noise) if panel == "figure2-noise" else float(size.split(" x ")[1])


def _log_ticks(axis: Any, chosen: Groups, panel: str) -> None:
    """Use a logarithmic axis with ticks at the problems themselves."""
    ticks = sorted({_position(problem, panel) for _, problem, *_ in chosen})
    axis.set_xscale("log")
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.minorticks_off()


def _gain_title(panel: str, chosen: Groups) -> str:
    if not chosen:
        return panel
    samples = next(iter(chosen))[1].split(" x ")[0]
    kinds = {
        "figure2-features": "tolerance 1e-4, noise 2",
        "figure2-noise": "tolerance 1e-4",
        "figure2-tolerance": "noise 0.01",
    }
    shares = [100 * t.points / t.grid for methods in chosen.values() for t in methods[ENGINE]]
    ends = dict.fromkeys(f"{end(shares):.0f}" for end in (min, max))
    runs = [totals_ for methods in chosen.values() for totals_ in methods.values()]
    thetas = missing_shapes(runs, next(iter(chosen)).penalty)
    part = f"{' to '.join(ends)} % of the grid finished by all methods{thetas}"
    return f"n = {samples}, {kinds[panel]}\n{part}"


def _gain_lines(axis: Any, groups: Groups, panel: str, tol: float, colour: str) -> None:
    """Draw the gain in time (solid) and in coordinate visits (dashed), with its range."""
    for unit, style, name in (("cpu", "o-", "time"), ("visits", "s--", "visits")):
        rows: list[tuple[float, Ratio]] = []
        for (_, problem, *_), methods in groups.items():
            value = ratio(methods, "MM-genuine", "MM-screen", unit)
            if value is not None:
                rows.append((_position(problem, panel), value))
        if rows:
            rows.sort(key=lambda row: row[0])
            xs, ys = [x for x, _ in rows], [r.mean for _, r in rows]
            spread = [[r.mean - r.low for _, r in rows], [r.high - r.mean for _, r in rows]]
            label = f"{name}, tol {tol:.0e}"
            axis.errorbar(
                xs, ys, yerr=spread, fmt=style, color=colour, label=label, ms=4, lw=1, capsize=2
            )


def engine(groups: Groups, records: list[Record]) -> Figure | None:
    """Draw the engine beside MM-screen: time (left), and how often it ends no higher (right)."""
    chosen = {
        g: m for g, m in groups.items() if g.arm == TEXT.name and BEST in m and "MM-screen" in m
    }
    if not chosen:
        return None
    chosen = dict(sorted(chosen.items()))
    labels = [f"{g.problem}, {g.tol:.0e}" for g in chosen]
    figure = Figure(figsize=(11.0, 0.34 * len(labels) + 1.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    at = np.arange(len(labels))
    for k, name in enumerate(("MM-screen", ENGINE, BEST)):
        times = [mean(t.cpu for t in methods[name]) for methods in chosen.values()]
        label = "MM-screen, compiled twin" if name == "MM-screen" else name
        left.barh(at + 0.27 * (k - 1), times, 0.27, color=COLOURS[name], label=label)
        if name in ENGINES:
            ends = [
                end_points([r for r in records if group_of(r) == g], name, "MM-screen")
                for g in chosen
            ]
            shares = [100 * (e.lower + e.level) / max(e.count, 1) for e in ends]
            right.barh(at + 0.27 * (k - 1), shares, 0.27, color=COLOURS[name])
    left.set_yticks(at, labels, size=7)
    left.invert_yaxis()
    left.set_xscale("log")
    left.set_xlabel("processor time of the shared grid points [s]")
    right.axvline(95.0, color="black", lw=0.8, ls="--")
    right.set_xlabel("grid points at most 1e-6 above MM-screen's objective [%]")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def who_screens(records: Iterable[Record]) -> Figure | None:
    """Draw how many coordinates were screened at each outer iteration, and by which rule."""
    traced = [record for record in records if record["panel"] == TRACE]
    if not traced:
        return None
    penalties = list(dict.fromkeys(record["penalty"] for record in traced))
    problems = list(dict.fromkeys(group_of(record)[1] for record in traced))
    figure = Figure(figsize=(4.2 * len(penalties), 2.7 * len(problems)), layout="constrained")
    axes = figure.subplots(len(problems), len(penalties), squeeze=False)
    for record in traced:
        row, column = problems.index(group_of(record)[1]), penalties.index(record["penalty"])
        axis = axes[row, column]
        _stack(axis, record)
        axis.set_title(f"{NAMES[record['penalty']]}, {problems[row]}", size=9)
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.set_ylabel("coordinates screened")
        axis.set_xlabel("outer iterations, along the path")
    for axis in axes.flat:
        axis.set_visible(axis.has_data())  # an interrupted run may lack some
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _stack(axis: Any, record: Record) -> None:
    """Stack the three sources of screening over the outer iterations of all lambdas."""
    rows = [row for point in record["points"] for row in point["trace"]]
    before = np.array([row["before"] for row in rows], dtype=float)
    propagated = np.array([row["rule"] == "propagation" for row in rows])
    inside = np.array([row["inside"] for row in rows], dtype=float)
    layers = [before * ~propagated, before * propagated, inside]
    labels = ["gap rule, before", "propagation, before", "gap rule, inside the inner solver"]
    steps = np.arange(len(rows))
    colours = ["#4c72b0", "#55a868", "#c7c7c7"]
    base = np.zeros(len(rows))
    for layer, label, colour in zip(layers, labels, colours, strict=True):
        axis.fill_between(steps, base, base + layer, step="mid", color=colour, lw=0, label=label)
        base += layer
    ends = np.cumsum([len(point["trace"]) for point in record["points"]])[:-1]
    for end in ends:
        axis.axvline(end - 0.5, color="black", lw=0.4, ls=":")
    axis.axhline(record["problem"]["d"], color="black", lw=0.6)
