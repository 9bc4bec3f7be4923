"""Least squares on a chosen support: what is left when the penalty has done its selecting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear, nnls

from ..data.terms import Terms
from ..data.types import Floats
from ..solve.points import Point
from ..solve.problem import Problem

__all__ = ["least_squares_on", "relaxed"]


def least_squares_on(
    problem: Problem, columns: NDArray[np.int64], sample_weight: Floats | None = None
) -> tuple[Floats, float]:
    r"""Fit the given columns without a penalty.

    .. math:: \min_{w, b} \frac{1}{2} \sum_i \Omega_i (y_i - b - x_i^\top w)^2

    over w on the columns (within its bounds if there are any), of minimal norm where columns are
    collinear.

    Returns
    -------
    values : ndarray of shape (n_columns,)
    intercept : float
    """
    omega = problem.data.omega(sample_weight)
    block, target = problem.design.dense(columns), problem.data.y
    centre = omega @ block if problem.fit_intercept else np.zeros(columns.size)
    middle = float(omega @ target) if problem.fit_intercept else 0.0
    root = np.sqrt(omega)
    design = root[:, np.newaxis] * (block - centre)
    response = root * (target - middle)
    if columns.size == 0:
        values: Floats = np.zeros(0)
    elif problem.terms.bounded:
        values = _within_bounds(problem.terms, columns, design, response)
    else:
        values = np.asarray(np.linalg.lstsq(design, response, rcond=None)[0], dtype=np.float64)
    return values, middle - float(centre @ values)


def _within_bounds(
    terms: Terms, columns: NDArray[np.int64], design: Floats, response: Floats
) -> Floats:
    lower = np.full(columns.size, -np.inf) if terms.lower is None else terms.lower[columns]
    upper = np.full(columns.size, np.inf) if terms.upper is None else terms.upper[columns]
    if np.all(lower == 0.0) and np.all(np.isinf(upper)):
        return np.asarray(nnls(design, response)[0])
    values, free = (
        np.zeros(columns.size),
        lower < upper,
    )  # a coefficient of one value is no variable
    if np.any(free):
        box = (lower[free], upper[free])
        found = lsq_linear(design[:, free], response, bounds=box, tol=1e-14)
        values[free] = np.clip(found.x, *box)
    return values


def relaxed(problem: Problem, point: Point, sample_weight: Floats | None = None) -> Point:
    """Return the point refitted by least squares on its support; its proof is the old one."""
    values, intercept = least_squares_on(problem, point.columns, sample_weight)
    omega = problem.data.omega(sample_weight)
    y = problem.data.y
    residual = y - intercept - problem.design.dense(point.columns) @ values
    centre = float(omega @ y) if problem.fit_intercept else 0.0
    null = float(omega @ (y - centre) ** 2)
    r2 = 1.0 - float(omega @ residual**2) / null if null > 0.0 else 0.0
    return replace(point, values=values, intercept=intercept, r2=r2)
