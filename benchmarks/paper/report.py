"""The Markdown report of a run: our ratios beside the paper's, and what every method ended in."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from .claims import CLAIMS, WHY
from .findings import findings
from .plan import ENGINE, PAPER_METHODS
from .summary import Group, Record, Total, end_points, group_of, ratio, totals

Groups = dict[Group, dict[str, list[Total]]]

DETAILS = "<!-- details -->"  # what follows is too long for a page of the documentation
CAPTIONS = {
    "figure1": "Running time and counted work per method and tolerance (figure 1 of the paper).",
    "figure2": "Gain of propagating screening between MM iterations (figure 2 of the paper).",
    "figure3": "Leukemia and newsgroup paths (figure 3 of the paper).",
    "others": "Beyond the paper: MCP and SCAD.",
    "who-screens": "Beyond the paper: coordinates screened per outer iteration, and by whom; the "
    "dotted lines are where the next lambda begins.",
}


def write_report(content: dict[str, Any], figures: dict[str, Path], folder: Path) -> Path:
    """Write report.md beside the figures and return it."""
    records = list(content["paths"].values())
    groups = totals(records)
    parts = [
        "# The experiments of [RGS19], rerun",
        _setting(content),
        "## What holds",
        findings(groups, records),
        *[f"![{name}]({file.name})\n\n{CAPTIONS[name]}" for name, file in figures.items()],
        "## The paper's claims",
        _claims(groups),
        "## The compiled engine",
        _engine(groups),
        "## Where the methods end",
        _objectives(records, groups),
        DETAILS,
        "## The layers of screening",
        _layers(groups),
        "## Who screens",
        _screened(records),
        "## Printed and corrected rule",
        _rules(records, groups),
        "## Counted work",
        _work(groups),
        "The engine's column operations, and those of each method over them.",
        _engine(groups, "columns"),
        "## What did not converge, what was broken off",
        _failures(records),
    ]
    file = folder / "report.md"
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text("\n\n".join(part for part in parts if part) + "\n")
    write_objectives(records, folder / "objectives.csv")
    return file


def write_objectives(records: Iterable[Record], file: Path) -> None:
    """Write the objective of every method at every grid point; empty where it has none.

    A value whose point missed the tolerance is followed by a star.
    """
    values: dict[tuple[str, float, float], dict[str, str]] = defaultdict(dict)
    for record in records:
        for point in record["points"]:
            star = "" if point["converged"] else "*"
            key = (record["cell"].replace("|", " "), record["shape"], point["lam"])
            values[key][record["method"]] = f"{point['objective']:.8g}{star}"
    methods = list(dict.fromkeys(name for row in values.values() for name in row))
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["path", "shape", "lambda", *methods])
        for (cell, shape, lam), row in values.items():
            writer.writerow([cell, shape, f"{lam:.6g}", *(row.get(m, "") for m in methods)])


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table, or a word where there is nothing to show."""
    body = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    if not body:
        return "Nothing in this run."
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *body])


def _setting(content: dict[str, Any]) -> str:
    machine = ", ".join(f"{key} {value}" for key, value in content["machine"].items())
    paths = content["paths"].values()
    caps = sorted({record["cap"] for record in paths})
    limits = f"{caps[0]:.3g} to {caps[-1]:.3g} s" if caps else "none"
    timed = [point for path in paths for point in path["points"] if "cpu" in point]
    cpu, wall = (sum(point[clock] for point in timed) for clock in ("cpu", "wall"))
    return (
        f"Profile `{content['profile']}`, {len(paths)} paths in {content['seconds'] / 60:.0f} "
        f"minutes by the clock, each broken off after {limits} of processor time. Machine: "
        f"{machine}. One thread; the NumPy methods computed for {cpu / 60:.0f} minutes and had "
        f"{100 * cpu / max(wall, 1e-9):.0f} % of a processor.\n\n"
        "Times are processor seconds of the solver calls alone. Every point was judged from its "
        "coefficients by `sparsieve.objective` and `sparsieve.kkt_violation`; a ratio is given "
        "only where both methods reached the tolerance at every point counted. Paths that ran into "
        "their time cap were broken off, and methods are compared on the leading grid points that "
        "all of them finished. A ratio is slow over fast, mean over the seeds with its range. A "
        "column operation is one pass over one column of X: a dot product or an update of the "
        "residual; for the engine, bytes of X read divided by the size of a column, which leaves "
        "out what it does with the products of columns that it keeps: its time has that."
    )


def _name(group: Group) -> str:
    panel, problem, tol, penalty = group
    return f"{panel}: {problem}, {penalty}, {tol:.0e}"


def _share(methods: dict[str, list[Total]]) -> str:
    """Return how many grid points a comparison stands on."""
    one = next(iter(methods.values()))
    return f"{sum(t.points for t in one)} of {sum(t.grid for t in one)}"


def _shown(methods: dict[str, list[Total]], slow: str, fast: str, unit: str) -> str:
    value = ratio(methods, slow, fast, unit)
    return "not converged" if value is None else str(value)


def _claims(groups: Groups) -> str:
    rows = []
    for claim in CLAIMS:
        for group, methods in groups.items():
            if group[0] != claim.panel or claim.slow not in methods:
                continue
            units = ("cpu", "visits", "columns")
            measured = [_shown(methods, claim.slow, claim.fast, unit) for unit in units]
            verdict = claim.verdict(ratio(methods, claim.slow, claim.fast, "cpu"))
            name = f"{claim.slow} / {claim.fast}"
            rows.append([_name(group), name, claim.words, *measured, verdict, _share(methods)])
    head = ["where", "ratio", "paper", "time", "visits", "column operations", "", "grid points"]
    return f"{table(head, rows)}\n\n{WHY}"


def _layers(groups: Groups) -> str:
    rows = []
    for group, methods in groups.items():
        if "MM-exact" in methods or "MM" in methods:
            one_seed = {name: seeds[:1] for name, seeds in methods.items()}
            gains = [
                _shown(one_seed, "MM-genuine", name, unit) if name in methods else "-"
                for name in ("MM", "MM-screen", "MM-exact")
                for unit in ("cpu", "visits")
            ]
            rows.append([_name(group), *gains])
    kinds = ("none", "propagated", "exact")
    head = ["where", *(f"{unit}, {kind}" for kind in kinds for unit in ("time", "visits"))]
    text = (
        "Gain over MM-genuine, which screens inside the inner solver only: of no screening (MM), "
        "of propagated scores (MM-screen: exact ones every ten outer iterations) and of exact "
        "scores before every inner problem (MM-exact), on one seed."
    )
    return f"{text}\n\n{table(head, rows)}"


def _screened(records: list[Record]) -> str:
    """Tell, per group, how many coordinates an outer iteration screens, and by which rule."""
    sources = ("gap_before", "propagation", "gap_inside")
    sums: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for record in records:
        if record["method"] in ("MM-genuine", "MM-screen"):
            total = sums[_name(group_of(record)), record["method"]]
            for point in record["points"]:
                total["outer"] += point["n_outer"]
                for source in sources:
                    total[source] += point.get("screened", {}).get(source, 0)
    rows = [
        [*key, f"{total['outer']}", *(f"{total[s] / total['outer']:.4g}" for s in sources)]
        for key, total in sums.items()
        if total["outer"]
    ]
    head = ["where", "method", "outer iterations", "gap rule, before"]
    text = "Coordinates screened per outer iteration, mean over all points reached, by who did it."
    return f"{text}\n\n{table([*head, 'propagation, before', 'gap rule, inside'], rows)}"


def _engine(groups: Groups, unit: str = "cpu") -> str:
    """Tell what the engine needed, in seconds or in column operations, and what the others did."""
    rows = []
    for group, methods in groups.items():
        if ENGINE in methods:
            gains = [
                _shown(methods, name, ENGINE, unit) if name in methods else "-"
                for name in PAPER_METHODS
            ]
            needed = f"{mean(getattr(total, unit) for total in methods[ENGINE]):.3g}"
            needed += " s" if unit == "cpu" else ""
            rows.append([_name(group), needed, *gains, _share(methods)])
    head = ["where", "engine", *(f"{name} / engine" for name in PAPER_METHODS), "grid points"]
    return table(head, rows)


def _work(groups: Groups) -> str:
    units = ("visits", "updates", "correlations", "columns", "cpu")
    rows = []
    for group, methods in groups.items():
        for name, seeds in methods.items():
            # the engine counts what it reads of X, and nothing else that the others count
            known = ("columns", "cpu") if name == ENGINE else units
            sums = (
                f"{mean(getattr(t, unit) for t in seeds):.3g}" if unit in known else "-"
                for unit in units
            )
            rows.append([_name(group), name, *sums])
    counts = ["coordinate visits", "updates", "full X'r", "column operations", "seconds"]
    return table(["where", "method", *counts], rows)


def _rules(records: list[Record], groups: Groups) -> str:
    rows = []
    for group, methods in groups.items():
        for name in ("MM-genuine", "MM-screen"):
            printed = f"{name} printed"
            if printed in methods:
                one_seed = {name: methods[name][: len(methods[printed])], printed: methods[printed]}
                gains = [_shown(one_seed, printed, name, unit) for unit in ("cpu", "visits")]
                rows.append([_name(group), name, *gains])
    head = ["where", "method", "time printed / corrected", "visits printed / corrected"]
    missed = sum(
        not point["converged"]
        for record in records
        if record["method"].endswith("printed")
        for point in record["points"]
    )
    return f"{table(head, rows)}\n\nPoints the printed rule left unconverged: {missed}."


def _objectives(records: list[Record], groups: Groups) -> str:
    rows = []
    for group, methods in groups.items():
        others = [name for name in ("ncvxCD", "GIST", ENGINE) if name in methods]
        members = [r for r in records if group_of(r) == group]
        for name in others:
            ends = end_points(members, name, "MM-screen")
            ours = mean(total.objective for total in methods[name])
            theirs = mean(total.objective for total in methods["MM-screen"])
            counts = [f"{k} %" for k in _percentages(ends.lower, ends.level, ends.higher)]
            rows.append([_name(group), name, f"{ours:.6g}", f"{theirs:.6g}", *counts])
    head = ["where", "method", "objectives", "of MM-screen", "lower", "level", "higher"]
    text = (
        "Objectives summed over the shared grid points (mean over seeds), and how often a method "
        "ends lower than, level with (within 1e-6) or higher than MM-screen at a grid point. The "
        "objective of every method at every (lambda, theta) is in the file `objectives.csv` that a "
        "run writes."
    )
    return f"{text}\n\n{table(head, rows)}"


def _percentages(*counts: int) -> list[int]:
    total = max(sum(counts), 1)
    return [round(100 * count / total) for count in counts]


def _failures(records: list[Record]) -> str:
    """List, per group and method, paths broken off at their cap and points above the tolerance."""
    found: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        found[_name(group_of(record)), record["method"]].append(record)
    rows = []
    for (name, method), paths in found.items():
        points = [point for path in paths for point in path["points"]]
        missed = [point["violation"] for point in points if not point["converged"]]
        broken = sum(not path["finished"] for path in paths)
        if missed or broken:
            grid = sum(path["n_lambdas"] for path in paths)
            worst = f"{max(missed):.2g}" if missed else "-"
            reached = f"{len(points)} of {grid}"
            rows.append([name, method, f"{broken} of {len(paths)}", reached, len(missed), worst])
    head = ["where", "method", "paths broken off", "points reached", "not converged", "worst"]
    return table(head, rows)
