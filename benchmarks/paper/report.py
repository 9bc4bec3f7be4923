"""The Markdown report of a run: our ratios beside the paper's, and what every method ended in."""

from __future__ import annotations

import csv
import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from typing import Any

from .arms import ARMS, CODE, TEXT
from .claims import CLAIMS, WHY_RATIOS
from .facts import in_words
from .findings import findings, span
from .plan import BEST, ENGINES, WHY
from .summary import Groups, Record, end_points, group_of, ratio, reached, totals, whole
from .tables import (
    failures,
    layers,
    name_of,
    objectives,
    rules,
    screened,
    share,
    shown,
    table,
    work,
)

DETAILS = "<!-- details -->"  # what follows is too long for a page of the documentation
CAPTIONS = {
    "figure1": "Running time and counted work per method and tolerance (figure 1 of the paper), "
    "compiled: as printed and as published.",
    "figure1-numpy": "The same in NumPy, as the paper ran it. Paths were broken off at their cap.",
    "figure2": "Gain of propagating screening between MM iterations (figure 2 of the paper), "
    "compiled. The dashed lines are the paper's 1.8, 4 and 6.5.",
    "figure2-numpy": "The same in NumPy.",
    "figure3": "Leukemia and newsgroup paths (figure 3 of the paper), compiled.",
    "figure3-numpy": "The same in NumPy.",
    "engine": "The engine, apart from the paper's methods: time beside MM-screen compiled, and "
    "where the two end.",
    "property1": "Property 1: which coordinates are screened, sweep by sweep of one inner solver. "
    "Red: the equicorrelation set; grey: not screened yet; white: screened. After finitely many "
    "sweeps only the equicorrelation set is left.",
    "others": "Beyond the paper: MCP and SCAD.",
    "who-screens": "Beyond the paper: coordinates screened per outer iteration, and by whom; the "
    "dotted lines are where the next lambda begins.",
}


WANTED = 0.95  # share of points at which the engine's best is to end no higher than MM-screen


def write_report(content: dict[str, Any], figures: dict[str, Path], folder: Path) -> Path:
    """Write report.md beside the figures and return it."""
    records = list(content["paths"].values())
    groups = totals(records)
    parts = [
        "# The experiments of [RGS19], rerun",
        _setting(content),
        "## What holds",
        findings(whole(groups), records),
        *[f"![{name}]({file.name})\n\n{CAPTIONS[name]}" for name, file in figures.items()],
        "## Why 5 times?",
        _why(groups),
        "## The paper's claims",
        _claims(whole(groups)),
        "## The engine, data set by data set",
        _engine(whole(groups), records),
        "## The printed radius in numbers",
        in_words(content["facts"]) if "facts" in content else "Not computed in this run.",
        "## What is not there",
        _not_run(content),
        DETAILS,
        "## Paths broken off, points that missed their tolerance",
        failures(records),
        "## Where the methods end",
        objectives(records, groups),
        "## The layers of screening",
        layers(groups),
        "## Who screens",
        screened(records),
        "## Printed and corrected rule",
        rules(records, groups),
        "## Counted work",
        work(groups),
    ]
    file = folder / "report.md"
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text("\n\n".join(part for part in parts if part) + "\n")
    write_objectives(records, folder / "objectives.csv")
    return file


def write_objectives(records: Iterable[Record], file: Path) -> None:
    """Write the objective of every method at every grid point; empty where it has none.

    The last column names the methods whose point missed the tolerance.
    """
    values: dict[tuple[str, float, float], dict[str, str]] = defaultdict(dict)
    missed: dict[tuple[str, float, float], list[str]] = defaultdict(list)
    for record in records:
        for point in record["points"]:
            key = (record["cell"].replace("|", " "), record["shape"], point["lam"])
            values[key][record["method"]] = f"{point['objective']:.8g}"
            if not reached(record, point):
                missed[key].append(record["method"])
    methods = list(dict.fromkeys(name for row in values.values() for name in row))
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["path", "shape", "lambda", *methods, "unconverged"])
        for key, row in values.items():
            cell, shape, lam = key
            numbers = (row.get(name, "") for name in methods)
            writer.writerow([cell, shape, f"{lam:.6g}", *numbers, "; ".join(missed[key])])


def _setting(content: dict[str, Any]) -> str:
    machine = ", ".join(f"{key} {value}" for key, value in content["machine"].items())
    paths = content["paths"].values()
    planned = max(sum(content.get("planned", {}).values()), len(paths))
    caps = sorted({record["cap"] for record in paths})
    limits = f"{caps[0]:.3g} to {caps[-1]:.3g} s" if caps else "none"
    timed = [point for path in paths for point in path["points"] if "cpu" in point]
    cpu, wall = (sum(point[clock] for point in timed) for clock in ("cpu", "wall"))
    return (
        f"Profile `{content['profile']}`, {len(paths)} of {planned} planned paths in "
        f"{content['seconds'] / 60:.0f} minutes by the clock, each broken off after {limits} of "
        f"processor time. Machine: "
        f"{machine}. One thread; the paper's methods computed for {cpu / 60:.0f} minutes and had "
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


def _claims(groups: Groups) -> str:
    rows = []
    for claim in CLAIMS:
        for group, methods in groups.items():
            if group[0] != claim.panel or claim.slow not in methods:
                continue
            units = ("cpu", "visits", "columns")
            measured = [shown(methods, claim.slow, claim.fast, unit) for unit in units]
            verdict = claim.verdict(ratio(methods, claim.slow, claim.fast, "cpu"))
            name = f"{claim.slow} / {claim.fast}"
            rows.append(
                [
                    name_of(group),
                    name,
                    claim.words,
                    *measured,
                    verdict,
                    share(methods, group.penalty),
                ]
            )
    head = ["where", "ratio", "paper", "time", "visits", "column operations", "", "grid points"]
    return f"{table(head, rows)}\n\n{WHY_RATIOS}"


def _why(groups: Groups) -> str:
    """Show the two methods of the "5 times" from the text to the authors' program."""
    rows = []
    members = {group: methods for group, methods in groups.items() if group.panel == WHY}
    places = dict.fromkeys((group.problem, group.tol) for group in members)
    order = [TEXT.name, *(name for name in ARMS if name not in (TEXT.name, CODE.name)), CODE.name]
    for problem, tol in places:
        for arm in order:
            for group, methods in members.items():
                if (group.problem, group.tol, group.arm) != (problem, tol, arm):
                    continue
                needed = [
                    f"{mean(total.cpu for total in methods[name]):.3g} s"
                    for name in ("ncvxCD", "MM-screen")
                ]
                ratios = [
                    shown(methods, "ncvxCD", "MM-screen", "cpu"),
                    shown(methods, "ncvxCD", "MM-screen", "visits"),
                    shown(methods, "MM-genuine", "MM-screen", "cpu"),
                    shown(methods, "MM-genuine", "MM-screen", "visits"),
                ]
                where = f"{problem}, {tol:.0e}"
                rows.append(
                    [where, ARMS[arm].words, *needed, *ratios, share(methods, group.penalty)]
                )
    text = (
        "In NumPy, as the paper; each row changes one thing of the first row, the last row "
        "everything. Ratios are ncvxCD / MM-screen, then MM-genuine / MM-screen."
    )
    head = ["where", "what is changed", "ncvxCD", "MM-screen", "time", "visits"]
    shown_table = table([*head, "propagation, time", "visits", "grid points"], rows)
    return "\n\n".join(part for part in (text, _answer(members), shown_table) if part)


def _answer(members: Groups) -> str:
    """Say, for each place, which single change moves the ratio of times the most."""
    said = []
    for group in members:
        if group.arm != TEXT.name:
            continue
        ratios = {
            other.arm: value.mean
            for other, own in members.items()
            if (other.problem, other.tol) == (group.problem, group.tol)
            and (value := ratio(own, "ncvxCD", "MM-screen", "cpu")) is not None
        }
        ours = ratios.pop(TEXT.name, None)
        program = ratios.pop(CODE.name, None)
        if ours is None or not ratios:
            continue
        most = max(ratios, key=lambda arm: abs(math.log(ratios[arm] / ours)))
        rest = [value / ours for arm, value in ratios.items() if arm != most]
        said.append(
            f"* {group.problem}, {group.tol:.0e}: ncvxCD / MM-screen is {ours:.2g} in time as "
            f"printed. One change moves it most, {ARMS[most].words}: {ratios[most]:.2g}."
            + (f" Any other multiplies it by {span(rest)}." if rest else "")
            + (f" The authors' program as a whole: {program:.2g}." if program else "")
        )
    return "\n".join(said)


def _engine(groups: Groups, records: list[Record]) -> str:
    """Tell what the engine needed and where it ended, for each data set and tolerance."""
    rows, below = [], list[str]()
    for group, methods in groups.items():
        if group.arm != TEXT.name or group.panel == WHY or BEST not in methods:
            continue
        own = [record for record in records if group_of(record) == group]
        screen = methods["MM-screen"]
        ends = end_points(own, BEST, "MM-screen")
        if ends.lower + ends.level < WANTED * ends.count:
            share_here = 100 * (ends.lower + ends.level) / ends.count
            below.append(f"{_data_set(group)} {share_here:.1f} %")
        cells = [f"{mean(t.cpu for t in screen):.3g} s", f"{mean(t.columns for t in screen):.3g}"]
        for name in ENGINES:
            ends = end_points(own, name, "MM-screen")
            sums = [mean(t.objective for t in runs) for runs in (methods[name], screen)]
            cells += [
                f"{mean(t.cpu for t in methods[name]):.3g} s",
                f"{mean(t.columns for t in methods[name]):.3g}",
                f"{100 * (sums[0] / sums[1] - 1):+.2g} %" if sums[1] else "-",
                f"{100 * (ends.lower + ends.level) / max(ends.count, 1):.1f} %",
            ]
        rows.append([_data_set(group), *cells, share(methods, group.penalty)])
    text = (
        "MM-screen (compiled twin, as printed) and the engine on the same grid points: processor "
        "time, column operations, objectives summed over the points against MM-screen's, and the "
        "share of points at which the engine ends at most 1e-6 (relative) above MM-screen. First "
        'with its defaults, then with `start="best", minimum="swap"`.'
    )
    if rows:
        text += f" The latter is below {100 * WANTED:.0f} % on: {', '.join(below) or 'none'}."
    four = ("time", "columns", "objectives", "not above")
    head = [f"{name}, {what}" for name in ("default", "best") for what in four]
    lead = ["data set", "MM-screen, time", "MM-screen, columns"]
    return f"{text}\n\n{table([*lead, *head, 'grid points'], rows)}"


def _data_set(group: Any) -> str:
    return f"{group.problem}, {group.tol:.0e} ({group.panel})"


def _not_run(content: dict[str, Any]) -> str:
    """Name what was planned and not run, what was skipped, and what was broken off."""
    records = content["paths"].values()
    counted = Counter("|".join([r["panel"], *group_of(r)[4:]]) for r in records)
    rows = [
        [*place.split("|"), planned - counted[place], planned]
        for place, planned in content.get("planned", {}).items()
        if planned > counted[place]
    ]
    notes = [f"* {what}: {why}" for what, why in content.get("notes", {}).items()]
    left = (
        "Every planned path was run."
        if not rows
        else "Planned and not reached in the time of this run; `--resume` goes on with them:\n\n"
        + table(["panel", "arm", "language", "paths not run", "of"], rows)
    )
    broken = Counter(
        (group_of(r)[0], group_of(r)[1], group_of(r).arm, group_of(r).language, r["method"])
        for r in records
        if not r["finished"]
    )
    ended = (
        table(
            ["panel", "problem", "arm", "language", "method", "paths broken off"],
            [[*where, count] for where, count in broken.items()],
        )
        if broken
        else "No path was broken off."
    )
    return "\n\n".join(["\n".join(notes), left, "Paths broken off at their cap:", ended]).strip()
