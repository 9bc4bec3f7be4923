"""What a criterion asks of data and fits: samples, residuals, the size of the noise."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr

from ..data.types import Floats
from ..inspect.relax import least_squares_on
from ..penalties import Penalty
from ..solve.points import Fits, Point
from ..solve.problem import Problem

__all__ = ["effective_samples", "estimate_noise_variance", "residual_sums"]

# Least squares on all features estimates the noise when it leaves at least as many degrees of
# freedom as it uses.
_SHARE = 0.5
# ... and when its dense copy of X stays small (entries).
_DENSE_LIMIT = 5e7
# Beyond this a double does not tell a count from the next.
_LARGEST_COUNT = 2.0**53


def effective_samples(problem: Problem) -> float:
    """Return n: rows, or the sum of sample weights when that is larger than the rows they count.

    Weights that count repetitions then mean what repeated rows mean, and weights that are not
    counts leave n at the number of rows: those that sum to one, say, or are larger than a double
    can count.
    """
    if problem.data.stand_in is not None:
        return problem.data.stand_in.effective_samples
    weight = problem.data.sample_weight
    if weight is None:
        return float(problem.n_samples)
    rows = float(np.count_nonzero(weight))
    return rows if weight.max() > _LARGEST_COUNT else max(math.fsum(weight), rows)


def residual_sums(problem: Problem, points: Sequence[Point]) -> Floats:
    """Return the residual sum of squares of each point, the sample weights summing to n.

    Of other losses the deviance; inf for a point that does not exist (separated).
    """
    used = np.flatnonzero(problem.data.omega() > 0.0)
    deviances = problem.deviances(Fits.of(points))
    if problem.squared:
        return np.asarray(effective_samples(problem) * (problem.data.omega() @ deviances))
    return np.asarray(effective_samples(problem) * (problem.data.omega()[used] @ deviances[used]))


def estimate_noise_variance(
    problem: Problem, penalty: Penalty, points: Sequence[Point], rss: Floats
) -> float:
    r"""Return an estimate of the noise variance that makes sense for any d.

    With :math:`d \le n/2`: the residual variance of least squares on all features. Otherwise that
    of least squares on the k features of a pilot model, :math:`\mathrm{RSS}/(n - k - 1)`. The pilot
    is where the path meets the noise: the last alpha, coming from alpha_max, with

    .. math:: r'(0; \alpha \lambda) \ge t\, \hat\sigma(\alpha) / \sqrt{n}, \qquad
        \sum_j m_j\,\Phi(-t \pi_j / s_j) = 1

    where :math:`\hat\sigma^2(\alpha)` is the residual variance at alpha, :math:`\lambda` the l1
    ratio, :math:`s_j` the root mean square of (centred) column j, 1 where columns are standardised,
    and :math:`m_j` the number of signs (1 or 2) that the bounds leave a coefficient: pure noise of
    that size lets in one feature on average. This
    is the fixed point of the scaled lasso (Sun and Zhang, Biometrika 2012) with a level that knows
    the columns' scales. Beyond it a path fits noise, and its residuals say nothing.
    """
    n, d = effective_samples(problem), problem.n_features
    free = n - int(problem.fit_intercept)
    if not problem.squared:
        return _dispersion(problem, penalty, points)
    if d <= _SHARE * n and problem.design.shape[0] * d <= _DENSE_LIMIT:
        return _least_squares_variance(problem, np.arange(d), n)
    df = np.array([point.values.size for point in points])
    pilot = _pilot(problem, penalty, points, rss / np.maximum(free - df, 1.0))
    return _least_squares_variance(problem, points[pilot].columns, n)


def _pilot(problem: Problem, penalty: Penalty, points: Sequence[Point], variance: Floats) -> int:
    """Return where a path meets the noise, given the variance of the residuals at each point."""
    alphas = np.array([point.alpha for point in points])
    strengths = problem.terms.strength(alphas)
    slope = np.asarray(penalty.slope(np.zeros_like(alphas), strengths), dtype=np.float64)
    below = slope < _noise_level(problem) * np.sqrt(variance / effective_samples(problem))
    last = int(np.argmax(below)) - 1 if np.any(below) else len(points) - 1
    return max(last, 0)


def _dispersion(problem: Problem, penalty: Penalty, points: Sequence[Point]) -> float:
    r"""Return by how much a deviance is too large for a log-likelihood.

    1 for losses that are log-likelihoods. Otherwise, with the residuals :math:`u = -f'` at the
    pilot with k features,

    .. math:: \frac{n \sum_i \Omega_i u_i^2 / (n - k - 1)}{\sum_i \Omega_i f''_i}

    the variance of the score over the curvature (Ronchetti 1985).
    """
    known = problem.loss.dispersion
    if known is not None:
        return known
    n, omega = effective_samples(problem), problem.data.omega()
    eta = problem.predictions(Fits.of(points))
    y = problem.data.y[:, np.newaxis]
    df = np.array([point.values.size for point in points]) + int(problem.fit_intercept)
    squares = omega @ problem.loss.gradient(eta, y) ** 2
    variance = np.where(np.isnan(squares), 0.0, n * squares / np.maximum(n - df, 1.0))
    pilot = _pilot(problem, penalty, points, variance)
    bend = float(omega @ problem.loss.curvature(eta[:, pilot], problem.data.y))
    return float(variance[pilot]) / bend if bend > 0.0 else 1.0


def _noise_level(problem: Problem) -> float:
    """Return the t at which pure noise of unit variance lets in one feature on average."""
    pi, terms = problem.feature_weights, problem.terms
    spread = problem.design.spreads(problem.data.omega()) / problem.scales
    ones = np.ones(problem.n_features)
    signs = (terms.outward(ones) > 0.0).astype(np.float64) + (terms.outward(-ones) > 0.0)
    usable = (pi > 0.0) & np.isfinite(pi) & (spread > 0.0) & (signs > 0.0)
    spread, signs = spread[usable] / pi[usable], signs[usable]

    def surplus(t: float) -> float:
        return float(np.sum(signs * ndtr(-t / spread))) - 1.0

    if np.sum(signs) <= 2.0:
        return 0.0
    # ndtr(-x) < 1 / (2 d) for every feature at the upper end, as x > sqrt(2 log d) there.
    top = float(spread.max()) * (2.0 + math.sqrt(2.0 * math.log(spread.size)))
    level: float = brentq(surplus, 0.0, top)
    return level


def _least_squares_variance(problem: Problem, columns: NDArray[np.int64], n: float) -> float:
    """Return the residual variance of least squares on some columns."""
    values, intercept = least_squares_on(problem, columns)
    block = problem.design.dense(columns)
    squares = (problem.data.y - problem.offset - intercept - block @ values) ** 2
    residual = n * float(problem.data.omega() @ squares)
    used = int(np.linalg.matrix_rank(block)) if columns.size else 0
    return residual / max(n - used - int(problem.fit_intercept), 1.0)
