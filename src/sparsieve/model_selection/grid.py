"""The alpha x shape grid, and following it on one set of sample weights."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..path import grid_from
from ..penalties import Penalty
from ..solvers import Point, Problem, Solver
from ..starts import PREVIOUS, Start
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
    solver = problem.solver(penalties[0], max_time=max_time)
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
    return _from_both_sides(solver, alphas, limits, start, (previous, warm))


def _from_both_sides(
    solver: Solver,
    alphas: Floats,
    limits: Limits,
    start: Start,
    neighbour: tuple[Sequence[Point], str],
) -> tuple[list[Point], str]:
    """Follow the alphas from a start and from the neighbouring shape's points."""
    points: list[Point] = []
    previous, warm = neighbour
    for k, alpha in enumerate(alphas):
        tried: list[Point] = []
        if warm == "both" or k >= len(previous):
            start.place(solver)
            tried.append(_solve(solver, alpha, limits, start))
        if k < len(previous):
            solver.warm_start(previous[k].columns, previous[k].values)
            tried.append(_solve(solver, alpha, limits, PREVIOUS))
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


def _solve(solver: Solver, alpha: float, limits: Limits, start: Start) -> Point:
    return solver.solve(
        float(alpha),
        limits.tol,
        limits.max_iter,
        limits.left(),
        convexity=limits.convexity,
        lasso=start.lasso,
        start=start.kind,
    )
