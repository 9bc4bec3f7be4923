"""Grids of alphas: where they begin, and where they end unless that is said."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..data.scalars import check_number
from ..data.types import Floats
from ..solve.problem import Problem
from ..solve.solvers import Solver
from ..solve.starts import Start, first_alpha

__all__ = ["alpha_grid", "check_eps", "grid_from", "suited_eps"]

#: Where a path ends by itself, over alpha_max: with more rows than columns, and without. In the
#: second case the end of a longer path fits the noise; docs/paths.md has the figures.
_TALL, _WIDE = 1e-3, 1e-2


def check_eps(eps: Any) -> float | None:
    """Return a checked ``eps``; None leaves the end to :func:`suited_eps`."""
    return None if eps is None else check_number("eps", eps, high=1.0, remedy="use e.g. eps=1e-3")


def suited_eps(problem: Problem, sample_weight: Floats | None = None) -> float:
    """Return where a path of a problem ends by itself, over alpha_max.

    Rows of weight zero and features that are left out do not count. ``sample_weight`` stands for
    the data's own.
    """
    weight = problem.data.sample_weight if sample_weight is None else sample_weight
    n = problem.n_samples if weight is None else int(np.count_nonzero(weight))
    d = int(np.count_nonzero(np.isfinite(problem.feature_weights)))
    return _TALL if n > d else _WIDE


def alpha_grid(largest: float, count: int, eps: float) -> Floats:
    """Return count alphas from largest down to eps * largest, evenly spaced in ratio."""
    grid = largest * np.geomspace(1.0, eps, count)
    grid[0] = largest
    return grid


def grid_from(
    solver: Solver,
    start: Start,
    count: int,
    eps: float | None,
    max_time: float = math.inf,
    sample_weight: Floats | None = None,
) -> Floats:
    """Return count alphas from the first empty point down to eps * alpha_max.

    ``sample_weight`` is the solver's, where that is not the data's.
    """
    eps = suited_eps(solver.problem, sample_weight) if eps is None else eps
    largest, first = solver.largest_alpha(), first_alpha(solver, start, count, eps, max_time)
    return alpha_grid(first, count, eps * (largest / first))
