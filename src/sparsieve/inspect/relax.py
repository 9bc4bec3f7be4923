"""Fits without a penalty on a chosen support: what is left when the penalty has selected."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear, nnls

from ..data.terms import Terms
from ..data.types import Floats
from ..losses import null_shift
from ..penalties import L1
from ..solve.points import Fits, Point
from ..solve.problem import Problem
from ..solve.solvers import Solver

__all__ = ["least_squares_on", "refit_on", "relaxed"]

# How exactly a loss other than squares is minimised on a support, relative to what its residuals
# and columns are at the null model.
_TOL = 1e-8
_MANY = 10_000


def refit_on(
    problem: Problem, columns: NDArray[np.int64], sample_weight: Floats | None = None
) -> tuple[Floats, float]:
    """Fit the given columns without a penalty: least squares, or the smallest mean loss.

    Returns
    -------
    values : ndarray of shape (n_columns,)
    intercept : float
        All nan where no finite coefficients are best, as for classes that are separable.
    """
    if problem.squared:
        return least_squares_on(problem, columns, sample_weight)
    omega = problem.data.omega(sample_weight)
    if columns.size == 0:
        y, offset = problem.data.y, problem.data.offset
        alone = null_shift(problem.loss, y, omega, offset) if problem.fit_intercept else 0.0
        return np.zeros(0), alone if math.isfinite(alone) else math.nan
    terms, block = problem.terms, np.asfortranarray(problem.design.dense(columns))
    data = problem.data._replace(X=block, weights=np.zeros(columns.size), feature_names=None)
    part = Problem(
        data,
        fit_intercept=problem.fit_intercept,
        terms=Terms(
            lower=None if terms.lower is None else terms.lower[columns],
            upper=None if terms.upper is None else terms.upper[columns],
        ),
        loss=problem.loss,
    )
    residual = problem.loss.gradient(problem.null_predictor(sample_weight), problem.data.y)
    scale = float(np.sqrt(omega @ residual**2) * np.sqrt(np.max(omega @ block**2)))
    level = scale if 0.0 < scale < math.inf else 1.0
    found = Solver(part, L1(), sample_weight).solve(level, _TOL, _MANY)
    if math.isnan(found.intercept):
        return np.full(columns.size, math.nan), math.nan
    values = np.zeros(columns.size)
    values[found.columns] = found.values
    return values, found.intercept


def least_squares_on(
    problem: Problem, columns: NDArray[np.int64], sample_weight: Floats | None = None
) -> tuple[Floats, float]:
    r"""Fit the given columns by least squares.

    .. math:: \min_{w, b} \frac{1}{2} \sum_i \Omega_i (y_i - b - x_i^\top w)^2

    over w on the columns (within its bounds if there are any), of minimal norm where columns are
    collinear. An offset is taken off y.

    Returns
    -------
    values : ndarray of shape (n_columns,)
    intercept : float
    """
    omega = problem.data.omega(sample_weight)
    block, target = problem.design.dense(columns), problem.data.y - problem.offset
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
    """Return the point refitted without a penalty on its support; its proof is the old one."""
    if point.status == "SEPARATED":
        return point
    values, intercept = refit_on(problem, point.columns, sample_weight)
    omega = problem.data.omega(sample_weight)
    if not problem.squared:
        refit = replace(point, values=values, intercept=intercept)
        return replace(refit, r2=_explained(problem, refit, sample_weight))
    y = problem.data.y - problem.offset
    residual = y - intercept - problem.design.dense(point.columns) @ values
    centre = float(omega @ y) if problem.fit_intercept else 0.0
    null = float(omega @ (y - centre) ** 2)
    r2 = 1.0 - float(omega @ residual**2) / null if null > 0.0 else 0.0
    intercept = problem.intercept(intercept, point.columns, values)
    return replace(point, values=values, intercept=intercept, r2=r2)


def _explained(problem: Problem, point: Point, sample_weight: Floats | None) -> float:
    """Return the fraction of the deviance that a point explains."""
    omega = problem.data.omega(sample_weight)
    used = omega > 0.0
    null = problem.loss.deviance(problem.null_predictor(sample_weight), problem.data.y)
    whole = float(omega[used] @ null[used])
    left = float(omega[used] @ problem.deviances(Fits.of([point]))[used, 0])
    return 1.0 - left / whole if whole > 0.0 else 0.0
