"""Grids of alphas."""

from __future__ import annotations

import math

import numpy as np

from ..data.types import Floats
from ..solve.solvers import Solver
from ..solve.starts import Start, first_alpha

__all__ = ["alpha_grid", "grid_from"]


def alpha_grid(largest: float, count: int, eps: float) -> Floats:
    """Return count alphas from largest down to eps * largest, evenly spaced in ratio."""
    grid = largest * np.geomspace(1.0, eps, count)
    grid[0] = largest
    return grid


def grid_from(
    solver: Solver, start: Start, count: int, eps: float, max_time: float = math.inf
) -> Floats:
    """Return count alphas from the first empty point down to eps * alpha_max."""
    largest, first = solver.largest_alpha(), first_alpha(solver, start, count, eps, max_time)
    return alpha_grid(first, count, eps * (largest / first))
