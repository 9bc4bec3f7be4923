"""Where along a path the objective is convex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..data.types import Floats
from ..penalties import Penalty, is_convex, largest_concavity
from ..penalties.base import slope_at_zero

if TYPE_CHECKING:
    from ..solve.path_data import PathData
    from ..solve.points import Point
    from ..solve.problem import Problem

__all__ = ["convex_by_ridge", "convex_region", "global_lower_bound", "global_lower_bounds"]

# Products that the Gram matrix of all columns may take: some milliseconds. Beyond it nothing is
# claimed.
_AFFORDABLE = 1e8
_EPS = float(np.finfo(np.float64).eps)
# How exact a fit is, relative, that comes from products of columns (kFitShare in the engine).
_BY_PRODUCTS = 1e-10
# The engine moves columns near zero whose mean is more than this many times their spread.
_FAR = 1e3


def convex_region(path: PathData) -> NDArray[np.bool_]:
    r"""Return, per alpha, whether the objective is convex on the support, whatever the values.

    That holds when :math:`X_S^\top \Omega X_S + \mathrm{diag}(\rho_j - \kappa_j)` is positive
    definite, where :math:`\kappa_j` is the largest concavity of :math:`r(\cdot; \alpha \lambda
    \pi_j)`, :math:`\rho_j` the ridge and columns are in the units of the penalty. It is stricter
    than ``path.convex``, which looks at the solution only: there can be no second local minimum on
    the same support and signs. From the first alpha where it fails, all smaller ones count as not
    convex.
    """
    problem = path.problem
    if problem is None:
        return np.ones(len(path), dtype=np.bool_) if is_convex(path.penalty) else path.convex
    region = np.ones(len(path), dtype=np.bool_)
    for k, point in enumerate(path.points):
        bend = _bends(problem, path.penalty, point.alpha, point.columns)
        if np.all(bend >= 0.0):
            continue
        if not np.all(np.isfinite(bend)):
            region[k:] = False
            break
        # Beyond squares curvature falls towards zero somewhere, and columns add nothing.
        if not problem.squared:
            region[k:] = False
            break
        gram = _gram(problem, _block(problem, point.columns), problem.data.omega())
        if _least(gram + np.diag(bend)) <= 0.0:
            region[k:] = False
            break
    return region


def _bends(problem: Problem, penalty: Penalty, alpha: float, columns: NDArray[np.int64]) -> Floats:
    """Return what ridge and penalty add to the curvature of some coordinates, at the least."""
    pi = problem.feature_weights[columns]
    terms = problem.terms
    return terms.ridges(alpha, pi) - _concavities(penalty, terms.strength(alpha) * pi)


def _concavities(penalty: Penalty, feature_alphas: Floats) -> Floats:
    """Return the largest concavity of r(.; alpha pi_j) for each feature j."""
    different, which = np.unique(feature_alphas, return_inverse=True)
    return np.array([largest_concavity(penalty, float(a)) for a in different])[which]


def _least(matrix: Floats) -> float:
    """Return the smallest eigenvalue of a symmetric matrix."""
    return float(np.linalg.eigvalsh(matrix)[0])


def _block(problem: Problem, columns: NDArray[np.int64]) -> Floats:
    """Return a copy of some columns, in the units of the penalty."""
    block = problem.design.dense(columns)
    return block / problem.scales[columns] if problem.terms.standardize else block


def _gram(problem: Problem, block: Floats, omega: Floats) -> Floats:
    """Return X'Omega X of some columns, centred where there is an intercept."""
    if problem.fit_intercept:
        block = block - omega @ block
    return np.asarray((omega[:, np.newaxis] * block).T @ block)


def global_lower_bound(problem: Problem, point: Point, penalty: Penalty) -> float | None:
    """Return what :func:`global_lower_bounds` says of one point."""
    return global_lower_bounds(problem, [point], penalty)[0]


def global_lower_bounds(
    problem: Problem | None, points: Sequence[Point], penalty: Penalty
) -> list[float | None]:
    r"""Return, per point, a number that no coefficients can bring its objective below, or None.

    Where the smallest eigenvalue of :math:`X^\top \Omega X`, all features together, and the ridge
    exceed the largest concavity of the penalty by :math:`\mu > 0`, the whole objective F is
    strongly convex and has one minimum within its bounds. With violations of at most v in d
    coordinates

    .. math:: F \ge F(w) - d v^2 / (2 \mu)

    For a convex penalty the duality gap says more, where it is known. Of losses other than squares
    and a concave penalty nothing is said. The eigenvalue is looked for where that is
    cheap. Of a point that did not converge nothing is said. Without the data only a convex penalty
    has bounds.
    """
    bounds: list[float | None] = [None] * len(points)
    converged = [k for k, point in enumerate(points) if point.converged]
    if is_convex(penalty):
        for k in converged:
            if not np.isnan(points[k].dual_gap):
                bounds[k] = points[k].objective - max(points[k].dual_gap, 0.0)
        return bounds
    # The concavity of a user's formulas is measured on a grid, which is no proof.
    known = getattr(penalty, "core_spec", None) is not None
    if problem is None or not problem.squared or not known or not converged:
        return bounds
    used = _used(problem)
    curvature = least_curvature(problem, used)
    if curvature <= 0.0 and not problem.terms.ridged:
        return bounds
    for k in converged:
        bend = _bends(problem, penalty, points[k].alpha, used)
        margin = curvature + float(np.min(bend, initial=np.inf))
        if 0.0 < margin < np.inf:
            bounds[k] = _bound(problem, points[k], penalty, used.size, margin)
    return bounds


def convex_by_ridge(problem: Problem, alpha: float, penalty: Penalty) -> bool:
    """Tell whether a problem that is convex would not be known to be without its ridge."""
    if is_convex(penalty) or not problem.terms.ridged:
        return False
    used = _used(problem)
    bend = _bends(problem, penalty, alpha, used)
    bend = bend - problem.terms.ridges(alpha, problem.feature_weights[used])
    return bool(least_curvature(problem, used) + np.min(bend, initial=0.0) <= 0.0)


def _used(problem: Problem) -> NDArray[np.int64]:
    return np.flatnonzero(np.isfinite(problem.feature_weights)).astype(np.int64)


def _bound(problem: Problem, point: Point, penalty: Penalty, d: int, margin: float) -> float:
    violation = point.kkt * slope_at_zero(penalty, problem.terms.strength(point.alpha))
    above = d * violation**2 / (2.0 * margin)
    return point.objective - above - _rounding(problem, point)


def _rounding(problem: Problem, point: Point) -> float:
    r"""Return a bound of the rounding of an objective.

    A residual of k columns is off by a vector e with :math:`\|e\| \le (k + 4) \varepsilon (\|y\|
    + \sum_j \|x_j\| |w_j|)`, its half square by :math:`\|r\| \|e\| + \|e\|^2`, and sums of n and k
    terms by as many roundings.
    """
    omega = problem.data.omega()
    block = np.column_stack([problem.design.dense(point.columns), problem.data.y])
    sizes = np.sqrt(omega @ block**2)
    if problem.fit_intercept:
        about = block - block[int(np.argmax(omega))]
        sizes = np.minimum(sizes, _FAR * np.sqrt(omega @ (about - omega @ about) ** 2))
    # The engine may know a fit from products of columns instead of a residual.
    products = _BY_PRODUCTS * abs(point.objective)
    terms = point.values.size + 4.0
    off = _EPS * terms * float(sizes[-1] + sizes[:-1] @ np.abs(point.values))
    norm = np.sqrt(2.0 * max(point.objective, 0.0))
    sums = _EPS * (problem.n_samples + terms + 16.0) * abs(point.objective)
    return float((norm + off) * off + sums + products)


def least_curvature(problem: Problem, columns: NDArray[np.int64]) -> float:
    """Return a proven lower bound of the smallest eigenvalue of X'Omega X, 0 if there is none.

    Columns are in the units of the penalty, and there is no ridge in it.

    Constant columns, whose coefficients are zero in any minimum, are left out. 0 without a look
    when there are more columns than rows, or too many to be worth it.
    """
    n, d = problem.n_samples, columns.size
    if not problem.squared:
        return 0.0
    if d == 0 or d >= n or n * d * d > _AFFORDABLE:
        return 0.0
    omega = problem.data.omega()
    block = _block(problem, columns)
    raw = float(omega @ np.square(block).sum(axis=1))
    gram = _gram(problem, block, omega)
    moving = np.diag(gram) > 0.0
    still = block[0] if problem.fit_intercept else np.zeros(d)
    gone = np.any(block != still, axis=0) & ~moving  # it varies, but its square is zero in doubles
    gram = gram[np.ix_(moving, moving)]
    if np.any(gone) or not gram.size or not np.all(np.isfinite(gram)):
        return 0.0
    # Products, centring and eigenvalues have at most n + d roundings each, of sums no larger than
    # the trace before centring.
    error = 8.0 * (n + d) * float(np.finfo(np.float64).eps) * raw
    return float(max(_least(gram) - error, 0.0))
