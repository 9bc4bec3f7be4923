"""Figures of a run, added up: what each method needed on the points that all of them finished."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import mean
from typing import Any, NamedTuple

from .arms import ARMS, TEXT
from .plan import ENGINE, ENGINES, NUMPY

Record = dict[str, Any]


def shared_points(records: Iterable[Record]) -> int:
    """Return how many grid points of a cell every method finished (the engine always does)."""
    return min((len(r["points"]) for r in records if r["method"] not in ENGINES), default=0)


def reached(record: Record, point: Record) -> bool:
    """Return whether a point counts as solved: by the judge, or by the test of its own arm.

    Where coefficients below 1e-4 count as zero, the judge, who counts them, would refuse every
    point; there the solver's own test is taken.
    """
    own = ARMS[record.get("arm", TEXT.name)].zero_below > 0.0 and "stopped" in point
    return bool(point["stopped"] if own else point["converged"])


@dataclass
class Total:
    """One method on one problem at one tolerance, over all shapes of the penalty."""

    shapes: int = 0  # paths, one for each shape of the penalty
    points: int = 0
    grid: int = 0
    missed: int = 0  # points, among those counted, whose violation is above the tolerance
    cpu: float = 0.0
    wall: float = 0.0
    visits: float = 0.0
    updates: float = 0.0
    correlations: float = 0.0
    columns: float = 0.0
    objective: float = 0.0

    def add(self, record: Record, shared: int) -> None:
        """Add the first `shared` points of a record."""
        points = record["points"][:shared]
        self.shapes += 1
        self.points += shared
        self.grid += record["n_lambdas"]
        self.missed += sum(not reached(record, point) for point in points)
        self.objective += sum(point["objective"] for point in points)
        self.columns += sum(point["columns"] for point in points)
        self.visits += sum(point.get("visits", 0) for point in points)
        self.updates += sum(point.get("updates", 0) for point in points)
        self.correlations += sum(point.get("correlations", 0.0) for point in points)
        timed = [record["shared"]] if record["method"] in ENGINES else points
        self.cpu += sum(point["cpu"] for point in timed)
        self.wall += sum(point["wall"] for point in timed)


class Group(NamedTuple):
    """What is shown together; seeds of a group are its spread."""

    panel: str
    problem: str  # without its seed
    tol: float
    penalty: str
    arm: str = TEXT.name
    language: str = NUMPY


Groups = dict[Group, dict[str, list[Total]]]
SIZES = {"leukemia": "72 x 7129", "newsgroup": "961 x 21319"}


def group_of(record: Record) -> Group:
    """Return what a record is shown with."""
    problem = record["problem"]
    name = problem["name"]
    if name == "toy":
        name = f"{problem['n']} x {problem['d']}, noise {problem['noise']:g}"
    arm, language = record.get("arm", TEXT.name), record.get("language", NUMPY)
    return Group(record["panel"], name, record["tol"], record["penalty"], arm, language)


def totals(records: Iterable[Record]) -> Groups:
    """Return totals by group and method, one per seed.

    The engine comes last in each cell: a cell without it was interrupted and is left out, so that
    like is compared with like.
    """
    seeds: dict[tuple[Group, int], dict[str, dict[str, Record]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for record in records:
        seed = group_of(record), record["problem"]["seed"]
        seeds[seed][record["cell"]][record["method"]] = record
    result: dict[Group, dict[str, list[Total]]] = defaultdict(lambda: defaultdict(list))
    for (group, _), cells in seeds.items():
        names = {name for members in cells.values() for name in members}
        complete = [m for m in cells.values() if ENGINE in m and m.keys() == names]
        for name in complete[0] if complete else []:
            total = Total()
            for members in complete:
                total.add(members[name], shared_points(members.values()))
            result[group][name].append(total)
    return {group: dict(by_method) for group, by_method in result.items()}


def whole(groups: Groups) -> Groups:
    """Return what has all shapes of its penalty: seeds with as many as any other of the panel has.

    In a run that was cut short the others would compare another part of the experiment.
    """
    most: dict[tuple[str, ...], int] = defaultdict(int)
    for group, methods in groups.items():
        shapes = [total.shapes for runs in methods.values() for total in runs]
        most[_figure(group)] = max([most[_figure(group)], *shapes])
    kept: Groups = {}
    for group, methods in groups.items():
        full = most[_figure(group)]
        by_method = {name: [t for t in runs if t.shapes == full] for name, runs in methods.items()}
        kept[group] = {name: runs for name, runs in by_method.items() if runs}
    return {group: methods for group, methods in kept.items() if methods}


def _figure(group: Group) -> tuple[str, ...]:
    """Return what is drawn in one place."""
    return group.panel, group.penalty, group.arm, group.language


def missing_shapes(methods: Iterable[list[Total]], penalty: str) -> str:
    """Say how many shapes there are where some are missing; log-sum has three in the paper."""
    shapes = {total.shapes for runs in methods for total in runs}
    return f", {min(shapes)} of 3 thetas" if penalty == "logsum" and min(shapes) < 3 else ""


@dataclass(frozen=True)
class Ratio:
    """Slow over fast: the mean over seeds with its range, in one unit of cost."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        if self.high - self.low < 0.05 * self.mean:
            return f"{self.mean:.3g}"
        return f"{self.mean:.3g} ({self.low:.3g} to {self.high:.3g})"


def ratio(methods: dict[str, list[Total]], slow: str, fast: str, unit: str) -> Ratio | None:
    """Return cost(slow) / cost(fast), or None where a method missed a point or did not run."""
    pairs = list(zip(methods.get(slow, []), methods.get(fast, []), strict=False))
    if not pairs or any(t.missed or t.points == 0 for pair in pairs for t in pair):
        return None
    values = [getattr(a, unit) / max(getattr(b, unit), 1e-12) for a, b in pairs]
    return Ratio(mean(values), min(values), max(values))


@dataclass
class EndPoints:
    """How often one method ends lower than, level with or higher than another."""

    lower: int = 0
    level: int = 0
    higher: int = 0

    @property
    def count(self) -> int:
        """Points compared."""
        return self.lower + self.level + self.higher


def end_points(records: Iterable[Record], method: str, other: str) -> EndPoints:
    """Compare the objectives point by point; differences below 1e-6 relative count as level."""
    result = EndPoints()
    by_cell: dict[str, dict[str, Record]] = defaultdict(dict)
    for record in records:
        by_cell[record["cell"]][record["method"]] = record
    for members in by_cell.values():
        if method not in members or other not in members:
            continue
        pairs = zip(members[method]["points"], members[other]["points"], strict=False)
        for a, b in pairs:
            if not (reached(members[method], a) and reached(members[other], b)):
                continue
            difference = a["objective"] - b["objective"]
            if abs(difference) <= 1e-6 * abs(b["objective"]):
                result.level += 1
            elif difference < 0:
                result.lower += 1
            else:
                result.higher += 1
    return result
