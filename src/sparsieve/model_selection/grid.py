"""The alpha x shape grid, and following it on one set of sample weights."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..path import alpha_grid
from ..penalties import Penalty
from ..solvers import Point, Problem, Solver
from ..tracing import Limits, trace
from ..validation import check_alphas, check_number

__all__ = ["WARM_STARTS", "alpha_grids", "follow_shape"]

Floats = NDArray[np.float64]

WARM_STARTS = ("alpha", "shape", "both")


def alpha_grids(
    problem: Problem,
    penalties: Sequence[Penalty],
    alphas: Any,
    eps: Any,
    *,
    max_time: float = math.inf,
) -> list[Floats]:
    """Return the alphas of each penalty, decreasing and equally many.

    Given alphas serve every penalty; a number of them spans alpha_max to eps * alpha_max of each
    penalty, because a given alpha means another strength for another shape of log-sum or lq.
    """
    grid = check_alphas(alphas)
    eps = check_number("eps", eps, high=1.0, remedy="use e.g. eps=1e-3")
    if not isinstance(grid, int):
        return [grid] * len(penalties)
    solver = problem.solver(penalties[0], max_time=max_time)
    grids = []
    for penalty in penalties:
        solver.set_penalty(penalty)
        grids.append(alpha_grid(solver.largest_alpha(), grid, eps))
    return grids


def follow_shape(
    solver: Solver,
    penalty: Penalty,
    alphas: Floats,
    limits: Limits,
    *,
    previous: Sequence[Point] = (),
    warm: str = "alpha",
) -> tuple[list[Point], str]:
    """Follow one shape along its alphas, from zero.

    Parameters
    ----------
    previous : sequence of Point
        The neighbouring shape's points at the same places of its grid.
    warm : {"alpha", "shape", "both"}
        Start each solve from the point at the last alpha, from the neighbouring shape's point at
        the same place, or from both, keeping the lower objective.
    """
    solver.set_penalty(penalty)
    solver.warm_start(np.empty(0, dtype=np.int64), np.empty(0))
    if warm == "alpha" or not previous:
        return trace(solver, alphas, limits)
    return _from_both_sides(solver, alphas, limits, previous, warm)


def _from_both_sides(
    solver: Solver, alphas: Floats, limits: Limits, previous: Sequence[Point], warm: str
) -> tuple[list[Point], str]:
    """Follow the alphas from the last alpha's and from the neighbouring shape's points."""
    points: list[Point] = []
    deadline = limits.deadline
    for k, alpha in enumerate(alphas):
        tried: list[Point] = []
        if warm == "both" or k >= len(previous):
            tried.append(_solve_until(solver, alpha, limits, deadline))
        if k < len(previous):
            solver.warm_start(previous[k].columns, previous[k].values)
            tried.append(_solve_until(solver, alpha, limits, deadline))
        if any(point.status == "INTERRUPTED" for point in tried):
            return points or tried[:1], "max_time"
        best = min(tried, key=lambda point: point.objective)
        if best is not tried[-1]:
            solver.warm_start(best.columns, best.values)
        points.append(best)
        ended = limits.reached(best)
        if ended:
            return points, ended
    return points, "complete"


def _solve_until(solver: Solver, alpha: float, limits: Limits, deadline: float) -> Point:
    left = max(deadline - time.monotonic(), 0.0)
    return solver.solve(float(alpha), limits.tol, limits.max_iter, left, convexity=limits.convexity)
