"""Is a lower minimum a better model? The strengths of a minimum in tables, beside "stationary"."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page import put
from benchmarks.starts import markup
from benchmarks.starts.real import KINDS
from benchmarks.starts.summary import WORSE, Loss, Summary, geometric_mean
from benchmarks.starts.ways import PENALTIES, STRENGTHS

Record = dict[str, Any]
_BASE, *_STRONGER = STRENGTHS
_TITLE = "How strong a minimum"
_LABELS = [penalty.label for penalty in PENALTIES[:3]]


def write(document: Record, results: Path, *, docs: bool = False) -> list[Path]:
    """Write the tables beside the results; if asked to, their short form into the docs."""
    table = results.with_suffix(".md")
    table.write_text(markdown(document))
    return [table, *([put("minima", compact(document))] if docs else [])]


def compact(document: Record) -> str:
    """Return the part of the report that the docs show: all but the tables case by case."""
    sections = [_beyond, _together, _dictionaries, _objectives, _costs]
    return markup.page(_TITLE, document, _about, sections, markup.skipped_briefly)


def markdown(document: Record) -> str:
    """Return the whole report."""
    cases = [partial(_each_case, label=label) for label in _LABELS]
    sections = [_beyond, _together, *cases, _dictionaries, _objectives, _costs]
    return markup.page(_TITLE, document, _about, sections, markup.skipped)


def _about(document: Record, summary: Summary) -> str:
    meta = document["meta"]
    return (
        f"Commit {meta.get('commit', '?')}, {meta.get('date', '?')}, `make bench-minima`.\n"
        'The strengths of `minimum` from the default start, and "swap" from `start="best"`, '
        'relative to "stationary"; samples, folds and alphas are those of the study of starts. '
        "On columns of mean square 1 nearly every stationary point of MCP(3) and SCAD(3.7) is a "
        "coordinatewise minimum already.\n"
        f"Draws: {markup.draws(summary)}.\n"
        + "".join(f"Note: {note}\n" for note in meta.get("notes", []))
    )


def _cases(summary: Summary) -> list[str]:
    return [*summary.cases("family"), *summary.cases("real")]


# ---------------------------------------------------------------- selection and prediction


def _beyond(summary: Summary) -> str:
    """List what differs by more than 3 %."""
    lines = [
        "## What differs by more than 3 %\n",
        "Means over draws, with twice the standard error of the paired difference; in brackets "
        f"what chance could explain. Of the {len(_LABELS) * len(_cases(summary))} comparisons of a "
        "strength about one in forty is outside of that by chance in either direction. Draws of "
        "folds of one data set are no new data: on real sets chance can do more.\n",
    ]
    for way in _STRONGER:
        for what, name in (("error", "error"), ("f1", "F1")):
            words = ("higher", "lower") if what == "error" else ("lower", "higher")
            for word, is_worse in zip(words, (True, False), strict=True):
                found = differences(summary, way, what, is_worse=is_worse)
                told = "; ".join(map(markup.told, found)) or "none"
                verdict = "worse" if is_worse else "better"
                lines.append(f"- **{way}**, {verdict}, {name} {word}: {told}.")
    return "\n".join(lines) + "\n"


def differences(summary: Summary, way: str, what: str, *, is_worse: bool) -> list[Loss]:
    """Return where a strength is worse, or better, than "stationary" by more than 3 %."""
    sign = 1.0 if (what == "error") == is_worse else -1.0
    found = []
    for case in _cases(summary):
        for label in _LABELS:
            keys = (case, label, way), (case, label, _BASE)
            ratio, scatter = summary.paired(*keys, what)
            if sign * (ratio - 1.0) > WORSE - 1.0:
                found.append(Loss(case, label, 100.0 * abs(ratio - 1.0), 100.0 * scatter))
    return sorted(found, key=lambda one: not one.is_clear)


def _together(summary: Summary) -> str:
    families = summary.cases("family", counted=True)
    sets = summary.cases("real")
    measured = [case for case in sets if KINDS[case] == "measured"]
    others = [case for case in sets if KINDS[case] != "measured"]
    rows = []
    for way in STRENGTHS:
        cells = [
            markup.two(*(summary.over(families, (label, way), what) for what in ("error", "f1")))
            for label in _LABELS
            if families
        ]
        if families:
            rows.append([f"{len(families)} families: error, F1", way, *cells])
    parts = {"measured responses": measured, "classes and counts": others}
    for name, cases in parts.items():
        for way in _STRONGER:
            cells = [_mean_and_worst(summary, cases, label, way) for label in _LABELS]
            if cases:
                rows.append([f"{name}: relative error", way, *cells])
    return (
        "## All together\n\nFamilies: alpha by 5-fold cross-validation, means over draws and "
        "families. Real data: nested cross-validation, geometric mean over data sets of the error "
        'relative to "stationary", in brackets the worst set.\n\n'
        + markup.table(["", "minimum", *_LABELS], rows)
    )


def _mean_and_worst(summary: Summary, cases: list[str], label: str, way: str) -> str:
    ratios = summary.ratios(cases, label, way, "error", _BASE)
    worst = float(np.max(ratios, initial=-math.inf))
    return f"{markup.number(geometric_mean(ratios))} ({markup.number(worst)})"


def _each_case(summary: Summary, label: str) -> str:
    rows = []
    for case in _cases(summary):
        base = (case, label, _BASE)
        cells = [markup.two(summary.mean(base), summary.mean(base, "f1"))]
        for way in _STRONGER:
            pairs = [summary.paired((case, label, way), base, what) for what in ("error", "f1")]
            cells.append("; ".join(_ratio(*pair) for pair in pairs if math.isfinite(pair[0])))
        rows.append([case, *cells])
    heads = ["error, F1", _BASE, *_STRONGER]
    return (
        f"## {label}, case by case\n\nMean error and F1 over draws; then their ratios to "
        f'"{_BASE}", with one standard error. Real data have no F1.\n\n' + markup.table(heads, rows)
    )


def _ratio(ratio: float, scatter: float) -> str:
    return f"{ratio:.3f}" + (f" +- {scatter:.3f}" if math.isfinite(scatter) else "")


def _dictionaries(summary: Summary) -> str:
    cases = [case for case in summary.cases("family") if case.endswith("BIC")]
    rows = []
    for case in cases:
        for way in STRENGTHS:
            keys = [(case, label, way) for label in _LABELS]
            rows.append([case, way, *(_recovery(summary, key) for key in keys)])
    if not rows:
        return ""
    return (
        "## Dictionaries, alpha by the BIC\n\nRecovery is all or nothing there: the median error, "
        "and the share of draws in which exactly the right features are found.\n\n"
        + markup.table(["dictionary", "minimum", *_LABELS], rows)
    )


def _recovery(summary: Summary, key: tuple[str, str, str]) -> str:
    exact = np.mean(summary.values(key, "f1") == 1.0)
    return f"{markup.number(summary.median(key))}, {exact:.0%}"


# ---------------------------------------------------------------- objective and cost


def _objectives(summary: Summary) -> str:
    rows = []
    for way in STRENGTHS:
        cells = []
        for label in _LABELS:
            low = summary.over(_cases(summary), (label, way), "low")
            levels = [
                summary.mean((case, label, way), "level")
                - summary.mean((case, label, _BASE), "level")
                for case in _cases(summary)
            ]
            cells.append(f"{low:.0%}, {math.expm1(float(np.mean(levels))):.2%}")
        rows.append([way, *cells])
    return (
        "## Objective\n\nShare of alphas at the lowest objective of all four, and how far the "
        f'objective is from that of "{_BASE}", geometric mean over alphas, draws and cases.\n\n'
        + markup.table(["minimum", *_LABELS], rows)
    )


def _costs(summary: Summary) -> str:
    rows = []
    for way in _STRONGER:
        cells = []
        for label in _LABELS:
            ratios = summary.ratios(_cases(summary), label, way, "seconds", _BASE)
            cells.append(f"{geometric_mean(ratios):.2f} ({np.max(ratios, initial=0.0):.2f})")
        rows.append([way, *cells])
    return (
        f'## Cost\n\nProcessor seconds of a path relative to "{_BASE}", geometric mean over cases '
        "(and the largest).\n\n" + markup.table(["minimum", *_LABELS], rows)
    )
