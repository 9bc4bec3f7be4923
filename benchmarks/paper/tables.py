"""Tables of a report: what every method needed, where it ended, and what is missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import mean
from typing import Any

from .plan import ENGINES
from .summary import (
    Group,
    Groups,
    Record,
    Total,
    end_points,
    group_of,
    missing_shapes,
    ratio,
    reached,
)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table, or a word where there is nothing to show."""
    body = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    if not body:
        return "Nothing in this run."
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *body])


def name_of(group: Group) -> str:
    """Name a group; the arm and who ran it stand in front."""
    panel, problem, tol, penalty, arm, language = group
    return f"{arm}, {language}: {panel}: {problem}, {penalty}, {tol:.0e}"


def share(methods: dict[str, list[Total]], penalty: str) -> str:
    """Return how many grid points a comparison stands on."""
    one = next(iter(methods.values()))
    thetas = missing_shapes([one], penalty)
    return f"{sum(t.points for t in one)} of {sum(t.grid for t in one)}{thetas}"


def shown(methods: dict[str, list[Total]], slow: str, fast: str, unit: str) -> str:
    value = ratio(methods, slow, fast, unit)
    return "not converged" if value is None else str(value)


def layers(groups: Groups) -> str:
    rows = []
    for group, methods in groups.items():
        if "MM-exact" in methods or "MM" in methods:
            one_seed = {name: seeds[:1] for name, seeds in methods.items()}
            gains = [
                shown(one_seed, "MM-genuine", name, unit) if name in methods else "-"
                for name in ("MM", "MM-screen", "MM-exact")
                for unit in ("cpu", "visits")
            ]
            rows.append([name_of(group), *gains])
    kinds = ("none", "propagated", "exact")
    head = ["where", *(f"{unit}, {kind}" for kind in kinds for unit in ("time", "visits"))]
    text = (
        "Gain over MM-genuine, which screens inside the inner solver only: of no screening (MM), "
        "of propagated scores (MM-screen: exact ones every ten outer iterations) and of exact "
        "scores before every inner problem (MM-exact), on one seed."
    )
    return f"{text}\n\n{table(head, rows)}"


def screened(records: list[Record]) -> str:
    """Tell, per group, how many coordinates an outer iteration screens, and by which rule."""
    sources = ("gap_before", "propagation", "gap_inside")
    sums: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for record in records:
        if record["method"] in ("MM-genuine", "MM-screen"):
            total = sums[name_of(group_of(record)), record["method"]]
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


def work(groups: Groups) -> str:
    units = ("visits", "updates", "correlations", "columns", "cpu")
    rows = []
    for group, methods in groups.items():
        for name, seeds in methods.items():
            # the engine counts what it reads of X, and nothing else that the others count
            known = ("columns", "cpu") if name in ENGINES else units
            sums = (
                f"{mean(getattr(t, unit) for t in seeds):.3g}" if unit in known else "-"
                for unit in units
            )
            rows.append([name_of(group), name, *sums])
    counts = ["coordinate visits", "updates", "full X'r", "column operations", "seconds"]
    return table(["where", "method", *counts], rows)


def rules(records: list[Record], groups: Groups) -> str:
    rows = []
    for group, methods in groups.items():
        for name in ("MM-genuine", "MM-screen"):
            printed = f"{name} printed"
            if printed in methods:
                one_seed = {name: methods[name][: len(methods[printed])], printed: methods[printed]}
                gains = [shown(one_seed, printed, name, unit) for unit in ("cpu", "visits")]
                rows.append([name_of(group), name, *gains])
    head = ["where", "method", "time printed / corrected", "visits printed / corrected"]
    missed = sum(
        not point["converged"]
        for record in records
        if record["method"].endswith("printed")
        for point in record["points"]
    )
    return f"{table(head, rows)}\n\nPoints the printed rule left unconverged: {missed}."


def objectives(records: list[Record], groups: Groups) -> str:
    rows = []
    for group, methods in groups.items():
        others = [name for name in ("ncvxCD", "GIST", *ENGINES) if name in methods]
        members = [r for r in records if group_of(r) == group]
        for name in others:
            ends = end_points(members, name, "MM-screen")
            ours = mean(total.objective for total in methods[name])
            theirs = mean(total.objective for total in methods["MM-screen"])
            counts = [f"{k} %" for k in _percentages(ends.lower, ends.level, ends.higher)]
            rows.append([name_of(group), name, f"{ours:.6g}", f"{theirs:.6g}", *counts])
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


def failures(records: list[Record]) -> str:
    """List, per group and method, paths broken off at their cap and points above the tolerance."""
    found: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        found[name_of(group_of(record)), record["method"]].append(record)
    rows = []
    for (name, method), paths in found.items():
        points = [point for path in paths for point in path["points"]]
        missed = [p["violation"] for path in paths for p in path["points"] if not reached(path, p)]
        broken = sum(not path["finished"] for path in paths)
        if missed or broken:
            grid = sum(path["n_lambdas"] for path in paths)
            worst = f"{max(missed):.2g}" if missed else "-"
            done = f"{len(points)} of {grid}"
            rows.append([name, method, f"{broken} of {len(paths)}", done, len(missed), worst])
    head = ["where", "method", "paths broken off", "points reached", "not converged", "worst"]
    return table(head, rows)
