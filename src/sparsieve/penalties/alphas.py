"""The alpha from which on zero is a solution."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .base import Floats, Penalty, slope_at_zero

__all__ = ["alpha_max_for", "alpha_without_jumps"]


def alpha_max_for(
    penalty: Penalty, correlations: ArrayLike, weights: ArrayLike | None = None
) -> float:
    r"""Return the smallest alpha at which zero is stationary for every penalised feature.

    .. math::
        \min \{\alpha \ge 0 : r'(0; \alpha \pi_j) \ge |c_j|
        \text{ for all } j \text{ with } 0 < \pi_j < \infty\}

    Parameters
    ----------
    penalty : Penalty
        A checked penalty.
    correlations : array-like of shape (n_features,)
        The :math:`c_j` at the residual of the fit on the unpenalised features alone. Pass
        ``np.maximum(c, 0)`` when coefficients must be positive.
    weights : array-like of shape (n_features,), default=None
        The :math:`\pi_j`; None means 1. Features with weight 0 or inf play no part.

    Returns
    -------
    float
        The inequality holds at it in floating point; 0.0 if no feature correlates.
    """
    c = np.abs(np.asarray(correlations, dtype=np.float64))
    pi = np.ones_like(c) if weights is None else np.asarray(weights, dtype=np.float64)
    relevant = (pi > 0) & np.isfinite(pi) & (c > 0)
    c, pi = c[relevant], pi[relevant]
    if c.size == 0:
        return 0.0

    def zero_is_stationary(alpha: float) -> bool:
        return bool(np.all(np.asarray(penalty.slope(np.zeros_like(c), alpha * pi)) >= c))

    unit_slope = slope_at_zero(penalty, 1.0)
    if unit_slope > 0:
        # Exact when slope(0, alpha) is linear in alpha; a few ulps cover the rounded quotient.
        alpha = float(np.max(c / pi)) / unit_slope
        if not zero_is_stationary(alpha * (1.0 - 1e-12)):
            for _ in range(16):
                if zero_is_stationary(alpha):
                    return alpha
                alpha = math.nextafter(alpha, math.inf)
    return _smallest_true(zero_is_stationary)


def _smallest_true(holds: Callable[[float], bool]) -> float:
    """Bisect, down to neighbouring doubles, for the smallest positive number where holds()."""
    high = 1.0
    while not holds(high):
        high *= 2.0
        if math.isinf(high):
            raise ValueError(
                "penalty: slope(0, alpha) does not reach the largest correlation for any alpha; "
                "make slope(0, alpha) grow with alpha without bound."
            )
    low = high / 2.0
    while holds(low):
        high, low = low, low / 2.0
        if low == 0.0:
            return high
    return _bisected(holds, low, high)


def _bisected(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the smallest number in (low, high] where holds(), which it does at high."""
    while math.nextafter(low, math.inf) < high:
        middle = low + (high - low) / 2.0
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def alpha_without_jumps(
    thresholds: Callable[[float, NDArray[np.int64]], Floats],
    stationary: float,
    correlations: Floats,
) -> float:
    """Return the smallest alpha at which no coefficient of zero has a better value anywhere.

    Parameters
    ----------
    thresholds : callable
        Given alpha and some features, the correlations from which on zero is no minimiser.
    stationary : float
        What :func:`alpha_max_for` returns: zero is not even stationary below.
    correlations : ndarray of shape (n_features,)
        As in :func:`alpha_max_for`; 0 for features that play no part.
    """
    c = np.abs(correlations)
    if stationary == 0.0:
        return stationary
    leaving = np.flatnonzero(c)
    # Features that stay at this alpha stay at every larger one, too.
    leaving = leaving[~(thresholds(stationary, leaving) >= c[leaving])]
    if leaving.size == 0:
        return stationary

    def stay(alpha: float) -> bool:
        return bool(np.all(thresholds(alpha, leaving) >= c[leaving]))

    high = 2.0 * stationary
    while not stay(high):
        high *= 2.0
        if math.isinf(high):
            raise ValueError(
                "penalty: at every alpha some coefficient of zero has a better value; make value "
                "grow with alpha without bound, or use minimum='stationary'."
            )
    return _bisected(stay, high / 2.0, high)
