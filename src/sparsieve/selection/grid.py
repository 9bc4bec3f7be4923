"""The alpha x shape grid, and following it on one set of sample weights."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..data.types import Floats
from ..data.validation import check_alphas
from ..paths.grid import check_eps, grid_from
from ..penalties import Penalty
from ..solve.limits import Limits, check_limits
from ..solve.points import Point
from ..solve.problem import Problem
from ..solve.solvers import Begin, Solver
from ..solve.starts import PREVIOUS, Start
from ..solve.tracing import follow_within, trace

__all__ = [
    "WARM_STARTS",
    "alpha_grids",
    "ends_by_itself",
    "follow_shape",
    "grid_in_words",
    "limits_of",
    "warn_of_last",
]

#: How errors are compared to see whether they still fall at the last alpha.
_TWICE, _STILL_FALLS = 2.0, 0.9

WARM_STARTS = ("alpha", "shape", "both")


def limits_of(model: Any) -> Limits:
    """Return the checked limits of an estimator that follows paths."""
    return check_limits(
        tol=model.tol,
        max_iter=model.max_iter,
        max_support=model.max_support,
        max_deviance=model.max_deviance,
        max_time=model.max_time,
    )


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
    another shape of log-sum or lq. None for eps is what suits the data.
    """
    grid = check_alphas(alphas)
    eps = check_eps(eps)
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


def ends_by_itself(alphas: Any, eps: Any) -> bool:
    """Tell whether the library decides how far paths go: what is given is never shortened."""
    return eps is None and isinstance(check_alphas(alphas), int)


def grid_in_words(alphas: Any, eps: Any) -> str:
    """Return what is asked of a grid, for a checkpoint."""
    grid = check_alphas(alphas)
    return f"{grid} alphas, eps={eps}" if isinstance(grid, int) else f"{grid.size} given alphas"


def warn_of_last(alphas: Floats, errors: Floats, at: int, *, stacklevel: int = 4) -> None:
    """Warn where the last alpha of a path that ends by itself is chosen and the errors still fall.

    They do when they are clearly lower there than at twice that alpha.
    """
    before = np.flatnonzero(alphas >= _TWICE * alphas[-1])
    if at < alphas.size - 1 or not before.size:
        return
    if errors[-1] < _STILL_FALLS * errors[before[-1]]:
        warnings.warn(
            f"the chosen alpha={alphas[-1]:.6g} is the last of the path, where the error still "
            f"falls; a smaller one may do better. Pass a smaller eps, e.g. eps=1e-5.",
            UserWarning,
            stacklevel=stacklevel,
        )


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
        beside = k < len(previous) and previous[k].status != "SEPARATED"
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
        # One without a solution only if there is no other.
        best = min(tried, key=lambda point: (math.isnan(point.objective), point.objective))
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
