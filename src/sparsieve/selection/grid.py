"""The alpha x shape grid, and following it on one set of sample weights."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..data.types import Floats
from ..data.validation import check_alphas, check_number
from ..paths.grid import grid_from
from ..penalties import Penalty
from ..solve.limits import Limits
from ..solve.points import Point
from ..solve.problem import Problem
from ..solve.solvers import Begin, Solver
from ..solve.starts import PREVIOUS, Start
from ..solve.tracing import follow_within, trace

__all__ = ["WARM_STARTS", "alpha_grids", "follow_shape"]

WARM_STARTS = ("alpha", "shape", "both")


def alpha_grids(
    problem: Problem,
    penalties: Sequence[Penalty],
    alphas: Any,
    eps: Any,
    *,
    start: Start = PREVIOUS,
    max_time: float = math.inf,
) -> list[Floats]:
    """Return the alphas of each penalty, decreasing and equally many.

    Given alphas serve every penalty; a number of them spans the first empty point (under the start
    in use) to eps * alpha_max of each penalty, because a given alpha means another strength for
    another shape of log-sum or lq.
    """
    grid = check_alphas(alphas)
    eps = check_number("eps", eps, high=1.0, remedy="use e.g. eps=1e-3")
    if not isinstance(grid, int):
        return [grid] * len(penalties)
    deadline = time.monotonic() + max_time
    solver = Solver(problem, penalties[0], max_time=max_time)
    grids = []
    for penalty in penalties:
        solver.set_penalty(penalty)
        solver.clear()
        left = max(deadline - time.monotonic(), 0.0)
        grids.append(grid_from(solver, start.suited(penalty), grid, eps, left))
    return grids


def follow_shape(
    solver: Solver,
    penalty: Penalty,
    alphas: Floats,
    limits: Limits,
    *,
    start: Start = PREVIOUS,
    previous: Sequence[Point] = (),
    warm: str = "alpha",
) -> tuple[list[Point], str]:
    """Follow one shape along its alphas.

    Parameters
    ----------
    start : Start
        Where each solve begins.
    previous : sequence of Point
        The neighbouring shape's points at the same places of its grid.
    warm : {"alpha", "shape", "both"}
        Begin each solve as ``start`` says, from the neighbouring shape's point at the same place,
        or from both, keeping the lower objective.
    """
    solver.set_penalty(penalty)
    solver.clear()
    if warm == "alpha" or not previous:
        return trace(solver, alphas, limits, start=start)
    steps = list(_steps(alphas, start.begin, previous, warm))
    return _from_both_sides(solver, steps, limits)


class _Step(NamedTuple):
    """One solve at an alpha, where it begins, and whether it is the last one there."""

    alpha: float
    begin: Begin
    last: bool


def _steps(alphas: Floats, begin: Begin, previous: Sequence[Point], warm: str) -> Iterator[_Step]:
    """Yield one or two solves for each alpha."""
    for k, alpha in enumerate(alphas.tolist()):
        beside = k < len(previous)
        if warm == "both" or not beside:
            yield _Step(alpha, begin, last=not beside)
        if beside:
            near = previous[k]
            yield _Step(alpha, Begin.given(near.columns, near.values, "previous"), last=True)


def _from_both_sides(
    solver: Solver, steps: Sequence[_Step], limits: Limits
) -> tuple[list[Point], str]:
    """Take the steps and keep the lowest point at each alpha; the next step goes on from it."""
    points, tried, ended = list[Point](), list[Point](), ""
    last = iter(step.last for step in steps)

    def keep_lowest(point: Point) -> bool:
        nonlocal ended
        tried.append(point)
        if not next(last) or point.status == "INTERRUPTED":
            return False
        best = min(tried, key=lambda point: point.objective)
        if best is not point:
            solver.warm_start(best.columns, best.values)
        points.append(best)
        tried.clear()
        ended = limits.reached(best)
        return bool(ended)

    end = follow_within(
        limits,
        solver,
        [step.alpha for step in steps],
        [limits.tol] * len(steps),
        [step.begin for step in steps],
        keep_lowest,
    )
    if end == "INTERRUPTED":
        return points or tried[:1], "max_time"
    return points, ended or "complete"
