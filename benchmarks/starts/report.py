"""What the study found: tables in Markdown, the cases we lose in words, one figure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page import STATIC, put
from benchmarks.starts import markup
from benchmarks.starts.figure import draw
from benchmarks.starts.real import KINDS
from benchmarks.starts.study import RIVAL_DRAWS
from benchmarks.starts.summary import Summary, geometric_mean
from benchmarks.starts.ways import DEFAULT, FRACTIONS, PENALTIES

Record = dict[str, Any]
_STARTS = ["previous", *(f"lasso {f:g}" for f in FRACTIONS), "best"]
_TITLE = "Where a solve starts"
_LABELS = [penalty.label for penalty in PENALTIES]
_MAIN = _LABELS[:3]  # the fourth is there to see what a very concave penalty likes
_RIVALS = (
    ("lasso", ""),
    ("relaxed lasso", ""),
    ("abess", ""),
    ("ncvreg", _LABELS[0]),
    ("skglm", _LABELS[0]),
    ("ncvreg", _LABELS[1]),
    ("skglm", _LABELS[2]),
)


def write(document: Record, results: Path, *, docs: bool = False) -> list[Path]:
    """Write tables and figure beside the results; if asked to, their short form into the docs."""
    table, pictures = results.with_suffix(".md"), [results.with_suffix(".png")]
    table.write_text(markdown(document))
    pages = []
    if docs:
        pages.append(put("starts", compact(document)))
        pictures.append(STATIC / "starts.png")
    figure = draw(Summary(document["records"]))
    for picture in pictures:
        figure.savefig(picture, dpi=110)
    return [table, *pages, *pictures]


def compact(document: Record) -> str:
    """Return the part of the report that the docs show: all but the dictionaries with the BIC."""
    sections = [_six_families, _each_family, *_rest()]
    return markup.page(_TITLE, document, _about, sections, markup.skipped_briefly)


def markdown(document: Record) -> str:
    """Return the whole report."""
    sections = [_six_families, _each_family, _dictionaries, *_rest()]
    return markup.page(_TITLE, document, _about, sections, markup.skipped)


def _rest() -> list[markup.Section]:
    return [_real_sets, _real_starts, _real_rivals, _objectives, _costs, _losses]


# ---------------------------------------------------------------- families


def _about(document: Record, summary: Summary) -> str:
    meta = document["meta"]
    return (
        f"Commit {meta.get('commit', '?')}, {meta.get('date', '?')}, `make bench-starts`.\n"
        f'"previous" walks down the path; "lasso f" starts at each alpha from the lasso at f times '
        f'slope(0); "best" takes the lowest objective of previous, lasso and upwards. '
        f"The default is **{DEFAULT}**.\n"
        f"Draws: {markup.draws(summary)}.\n"
        + "".join(f"Note: {note}\n" for note in meta.get("notes", []))
    )


def _six_families(summary: Summary) -> str:
    cases = summary.cases("family", counted=True)
    if not cases:
        return ""
    rows = [
        [_bold(start), *(_pair(summary, cases, label, start) for label in _LABELS)]
        for start in _STARTS
    ]
    shared = range(RIVAL_DRAWS)
    for way in (DEFAULT, "ncvreg", "skglm"):
        cells = [_pair(summary, cases, label, way, shared) for label in _LABELS]
        rows.append([f"{_bold(way)}, first {RIVAL_DRAWS} draws", *cells])
    told = [f"{way} {_pair(summary, cases, '', way)}" for way in ("lasso", "relaxed lasso")]
    told.append(f"abess (first {RIVAL_DRAWS} draws) {_pair(summary, cases, '', 'abess', shared)}")
    return (
        f"## {len(cases)} families with a known truth\n\n"
        "Alpha by 5-fold cross-validation. Error ||w - w*|| / ||w*|| and F1 of the support, means "
        f"over draws and families. Without a choice of a start: {'; '.join(told)}.\n"
        f"{_gain(summary, cases)}\n\n" + markup.table(["start", *_LABELS], rows)
    )


def _gain(summary: Summary, cases: list[str]) -> str:
    """Say by how much the default lowers the mean error."""
    told = []
    for label in _LABELS:
        ways = [(label, way) for way in ("previous", DEFAULT)]
        before, after = (summary.over(cases, way, "error") for way in ways)
        told.append(f"{100.0 * (1.0 - after / before):.0f} % for {label}")
    return f"From previous to {DEFAULT} the error falls by {', '.join(told)}."


def _each_family(summary: Summary) -> str:
    ways = _columns()
    rows = []
    for case in summary.cases("family"):
        if summary.records and not case.endswith("BIC"):
            rows.append([case, *(_pair(summary, [case], label, way) for way, label in ways)])
    heads = ["error, F1", *(f"{label} {way}".strip() for way, label in ways)]
    told = f"Rivals in the first {RIVAL_DRAWS} draws.\n\n"
    return "### Family by family\n\n" + told + markup.table(heads, rows) if rows else ""


def _dictionaries(summary: Summary) -> str:
    cases = [case for case in summary.cases("family") if case.endswith("BIC")]
    rows = []
    for case in cases:
        for way in [*_STARTS, "ncvreg", "skglm"]:
            cells = [_middle(summary, case, label, way) for label in _LABELS]
            rows.append([case, _bold(way), *cells])
        for way in ("lasso", "relaxed lasso", "abess"):
            rows.append([case, way, _middle(summary, case, "", way), "", "", ""])
    if not rows:
        return ""
    return (
        "## Dictionaries, alpha by the BIC\n\n"
        "Cross-validation cannot predict a held-out spike. Median error and F1, models of at most "
        "n/2 features; methods without a penalty of their own stand in the first column.\n\n"
        + markup.table(["dictionary", "start", *_LABELS], rows)
    )


def _columns() -> list[tuple[str, str]]:
    """Return way and penalty of the columns of the wide tables."""
    ours = [(start, label) for label in _MAIN for start in ("previous", DEFAULT, "best")]
    return [*_RIVALS[:5], *ours]


# ---------------------------------------------------------------- real data


def _real_sets(summary: Summary) -> str:
    ways = [*_RIVALS[:2], *_columns()[5:]]
    rows = []
    for case in summary.cases("real"):
        errors = [summary.mean((case, label, way)) for way, label in ways]
        rows.append([case, *(markup.number(error) for error in errors)])
    if not rows:
        return ""
    heads = ["", *(f"{label} {way}".strip() for way, label in ways)]
    return (
        "## Real data\n\n"
        "Nested cross-validation, squared error on held-out rows as a share of the variance of y, "
        "means over draws of the folds. 0/1 responses and counts are fitted by least squares.\n\n"
        + markup.table(heads, rows)
    )


def _real_starts(summary: Summary) -> str:
    cases = _with_all_starts(summary, summary.cases("real"))
    if not cases:
        return ""
    measured = [case for case in cases if KINDS[case] == "measured"]
    others = [case for case in cases if KINDS[case] != "measured"]
    text = (
        "### The starts, relative to previous\n\n"
        "Geometric mean over data sets of the nested error (in brackets the worst set), then of "
        "the lowest error over alpha, over sets on which all starts were tried. The second "
        "flatters: a path that jumps has a lower lowest point, and nobody knows beforehand where "
        "it is.\n"
    )
    for title, chosen in (("Measured responses", measured), ("Classes and counts", others)):
        if chosen:
            table = markup.table(["start", *_LABELS], _relative(summary, chosen))
            text += f"\n{title} ({', '.join(chosen)}):\n\n{table}"
    return text + _lowest(summary, "riboflavin")


def _with_all_starts(summary: Summary, cases: list[str]) -> list[str]:
    """Leave out the large data sets, on which few starts were tried."""
    return [case for case in cases if summary.draws((case, _LABELS[-1], _STARTS[-1]))]


def _relative(summary: Summary, cases: list[str]) -> list[list[str]]:
    """Return a row per start: its errors relative to previous."""
    rows = []
    for start in _STARTS[1:]:
        cells = []
        for label in _LABELS:
            nested = summary.ratios(cases, label, start, "error")
            lowest = summary.ratios(cases, label, start, "lowest")
            worst = float(np.max(nested, initial=-math.inf))
            means = [markup.number(geometric_mean(ratios)) for ratios in (nested, lowest)]
            cells.append(f"{means[0]} ({markup.number(worst)}), {means[1]}")
        rows.append([_bold(start), *cells])
    return rows


def _lowest(summary: Summary, case: str) -> str:
    if case not in summary.cases("real"):
        return ""
    lasso = markup.number(summary.mean((case, "", "lasso"), "lowest"))
    rows = []
    for start in _STARTS:
        values = [summary.mean((case, label, start), "lowest") for label in _LABELS]
        rows.append([_bold(start), *map(markup.number, values)])
    return (
        f"\nLowest error over alpha on {case}, 5 folds, a share of the variance; the lasso "
        f"{lasso}:\n\n" + markup.table(["start", *_LABELS], rows)
    )


def _real_rivals(summary: Summary) -> str:
    ours = [(DEFAULT, label) for label in _MAIN]
    rows = []
    for case in summary.cases("real"):
        shared = [summary.draws((case, label, way)) for way, label in _RIVALS]
        draws = set.union(*shared[2:])  # those that are neither ours nor need an environment
        if not draws:
            continue
        ways = [*_RIVALS, *ours]
        errors = [summary.mean((case, label, way), "error", draws) for way, label in ways]
        best = np.nanmin(errors)
        rows.append([case, *(markup.number(e) + "*" * bool(e == best) for e in errors)])
    if not rows:
        return ""
    heads = ["", *(f"{way} {label}".strip() for way, label in [*_RIVALS, *ours])]
    return (
        "### Beside others\n\nNested error on the draws in which they took part; * the lowest.\n\n"
        + markup.table(heads, rows)
    )


# ---------------------------------------------------------------- objective, cost, losses


def _objectives(summary: Summary) -> str:
    cases = _with_all_starts(summary, [*summary.cases("family"), *summary.cases("real")])
    if not cases:
        return ""
    rows = []
    for start in _STARTS:
        cells = []
        for label in _LABELS:
            low, excess = (summary.over(cases, (label, start), what) for what in ("low", "excess"))
            cells.append(f"{low:.0%}, {excess:.1%}")
        rows.append([_bold(start), *cells])
    return (
        "## Objective\n\nShare of alphas at the lowest objective of all starts, and mean excess "
        "over it, over all cases with all starts. The lowest objective is not always the best "
        "model.\n\n" + markup.table(["start", *_LABELS], rows)
    )


def _costs(summary: Summary) -> str:
    cases = [*summary.cases("family"), *summary.cases("real")]
    if not cases:
        return ""
    rows = []
    for start in _STARTS[1:]:
        cells = []
        for label in _LABELS:
            ratios = summary.ratios(cases, label, start, "seconds")
            cells.append(f"{geometric_mean(ratios):.1f} ({np.max(ratios, initial=0.0):.1f})")
        rows.append([_bold(start), *cells])
    return (
        "## Cost\n\nProcessor seconds of a path relative to previous, geometric mean over cases "
        "(and the largest); the benchmark of solvers measures it with more care.\n\n"
        + markup.table(["start", *_LABELS], rows)
    )


def _losses(summary: Summary) -> str:
    against = {
        'than "previous"': lambda penalty: (penalty, "previous"),
        "than the lasso": lambda penalty: ("", "lasso"),
        "than the relaxed lasso": lambda penalty: ("", "relaxed lasso"),
        "than abess": lambda penalty: ("", "abess"),
        "than ncvreg with the same penalty": lambda penalty: (penalty, "ncvreg"),
        "than skglm with the same penalty": lambda penalty: (penalty, "skglm"),
    }
    lines = [
        "## Where the default loses\n",
        f"Cases on which {DEFAULT} has an error more than 3 % higher, with twice the standard "
        "error of the paired difference over draws; in brackets those that chance could explain. "
        "Draws of folds of one data set are no new data: on real sets chance can do more.\n",
    ]
    for words, rival in against.items():
        lost = sorted(summary.losses(_LABELS, rival), key=lambda loss: not loss.is_clear)
        lines.append(f"- Worse {words}: {'; '.join(map(markup.told, lost)) or 'none'}.")
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- cells


def _bold(start: str) -> str:
    return f"**{start}**" if start == DEFAULT else start


def _pair(
    summary: Summary, cases: list[str], penalty: str, way: str, draws: Iterable[int] | None = None
) -> str:
    error, f1 = (summary.over(cases, (penalty, way), what, draws) for what in ("error", "f1"))
    return markup.two(error, f1)


def _middle(summary: Summary, case: str, penalty: str, way: str) -> str:
    key = (case, penalty, way)
    return markup.two(summary.median(key), summary.median(key, "f1"))
