r"""The judge of strength: what one coefficient, or a swap of two, could still gain.

Plain NumPy in float64 that never calls the compiled core and knows no formula of any penalty's
minimiser: one-dimensional problems are solved by branch and bound on ``penalty.value`` alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.centred import centred_columns
from ..data.types import Floats
from ..penalties import Penalty
from .judge import Given, Options, Problem, at_most_inf

Indices: TypeAlias = NDArray[np.intp]

__all__ = ["coordinatewise_violation", "swap_violation"]

# One-dimensional minima are known to this part of z^2 / (2h), all that the fit can gain there.
_GAP = 1e-12
# Halvings of an interval, and intervals at a time: enough but for problems that are flat for miles.
_ROUNDS = 60
_INTERVALS = 2**20


def coordinatewise_violation(  # noqa: PLR0913 - the options of a public function, by keyword
    X: Any,
    y: ArrayLike,
    coef: Any,
    intercept: float = 0.0,
    *,
    penalty: str | Penalty,
    alpha: float,
    sample_weight: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    positive: bool = False,
    fit_intercept: bool = True,
    standardize: bool = False,
    l1_ratio: float = 1.0,
    ridge: float = 0.0,
    bounds: Any = None,
) -> float:
    r"""Return by how much a change of one coefficient can still lower the objective.

    .. math::
        \max_j \max_t \; F(w) - F(w + (t - w_j) e_j)

    with the objective :math:`F` of :func:`objective`, t within the bounds. Zero means that w is a
    coordinate-wise minimum: no coefficient has a better value, however far away. A critical point
    need not be one, because a concave penalty can have two valleys in one coordinate.

    Parameters
    ----------
    X, y, coef, intercept, penalty, alpha, sample_weight, weights
    standardize, l1_ratio, ridge, bounds
        As in :func:`objective`.
    positive : bool, default=False
        Look at values >= 0 only; a negative coefficient makes the result inf.
    fit_intercept : bool, default=True
        The intercept follows every move to its best value. What a better intercept gains by itself
        is part of the result, so pass the fitted one. If False, it stays what it is.

    Returns
    -------
    float
        >= 0, in the units of the objective, and reached by a point that was tried: never more than
        the truth but for rounding, and less by at most 1e-12 of the half variance of
        :math:`y - Xw + x_j w_j` (without an intercept: the half mean square). inf if an excluded
        feature (weight inf) has a non-zero coefficient, if one is out of bounds, or if numbers
        overflow.

    Notes
    -----
    A feature of weight 0 moves without a penalty, one of weight inf never. A column that is
    constant (zero, without an intercept) says nothing about y: its coefficient can only become
    zero.

    Along one coordinate F is :math:`h t^2/2 - z t + r(|t|)` with the curvature :math:`h` of the
    column (divided by its squared scale where columns are standardised) and of its ridge, and its
    minimiser lies between 0 and :math:`z/h` or the bound before that. On a part of that interval
    the concave :math:`r` is above its chord, which bounds F from below; parts are halved until no
    bound is below the best value found.

    Examples
    --------
    Zero is a critical point here, but not a minimum in the one coordinate there is.

    >>> import sparsieve as sv
    >>> X, y = [[0.2], [-0.2]], [1.0, -1.0]
    >>> sv.kkt_violation(X, y, [0.0], penalty="mcp", alpha=0.25)
    0.0
    >>> round(sv.coordinatewise_violation(X, y, [0.0], penalty="mcp", alpha=0.25), 12)
    0.40625
    >>> round(sv.coordinatewise_violation(X, y, [5.0], penalty="mcp", alpha=0.25), 12)
    0.0
    """
    options = Options(standardize, l1_ratio, ridge, bounds, positive, fit_intercept)
    given = Given(X, y, coef, intercept, penalty, alpha, sample_weight, weights, options)
    return _judged(given, _gain_of_one)


def swap_violation(  # noqa: PLR0913 - the options of a public function, by keyword
    X: Any,
    y: ArrayLike,
    coef: Any,
    intercept: float = 0.0,
    *,
    penalty: str | Penalty,
    alpha: float,
    sample_weight: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    positive: bool = False,
    fit_intercept: bool = True,
    standardize: bool = False,
    l1_ratio: float = 1.0,
    ridge: float = 0.0,
    bounds: Any = None,
) -> float:
    r"""Return by how much a swap of two features can still lower the objective.

    A swap sets one non-zero penalised coefficient to zero and gives one that is zero its best
    value; all others stay.

    .. math::
        \max_{i: w_i \ne 0} \; \max_{j: w_j = 0} \; \max_t \; F(w) - F(w - w_i e_i + t e_j)

    Swaps only: what one coefficient alone can gain is :func:`coordinatewise_violation`, and a
    minimum is proof against both where both are zero.

    Parameters
    ----------
    X, y, coef, intercept, penalty, alpha, sample_weight, weights, positive, fit_intercept
    standardize, l1_ratio, ridge, bounds
        As in :func:`coordinatewise_violation`.

    Returns
    -------
    float
        >= 0, in the units of the objective and as exact as :func:`coordinatewise_violation`; 0.0 if
        there is nothing to swap. inf if an excluded feature (weight inf) has a non-zero
        coefficient, if one is out of bounds, or if numbers overflow.

    Notes
    -----
    A feature of weight 0 is never taken out; if its coefficient is zero it may come in. One of
    weight inf and a constant column never come in. The best value of the one that comes in may be
    zero. The cost is one product of columns for every pair of a support feature and another one.

    Examples
    --------
    The first column explains y, but the second, which resembles it, has its place.

    >>> import sparsieve as sv
    >>> X, y = [[1.0, 1.0], [-1.0, -0.5], [1.0, 0.5], [-1.0, -1.0]], [2.0, -2.0, 2.0, -2.0]
    >>> w, where = [0.0, 2.4], dict(penalty="mcp", alpha=0.5)
    >>> round(sv.coordinatewise_violation(X, y, w, **where), 12)
    0.0
    >>> round(sv.swap_violation(X, y, w, **where), 12)
    0.2
    >>> sv.swap_violation(X, y, [2.0, 0.0], **where)
    0.0
    """
    options = Options(standardize, l1_ratio, ridge, bounds, positive, fit_intercept)
    given = Given(X, y, coef, intercept, penalty, alpha, sample_weight, weights, options)
    return _judged(given, _gain_of_swap)


def _judged(given: Given, gain: Callable[[Problem, _Point], float]) -> float:
    """Return what can be gained at the given point, inf where it is infeasible."""
    with np.errstate(all="ignore"):  # beyond the range the answer is inf
        problem = given.problem()
        if problem.infeasible():
            return float("inf")
        return at_most_inf(gain(problem, _Point(problem)))


def _gain_of_one(problem: Problem, point: _Point) -> float:
    """Return what the best move of one coefficient gains with its intercept."""
    moving = np.flatnonzero(~problem.excluded)
    c, h, v = point.c[moving], point.h[moving], point.v[moving]
    z, feature_alpha = point.z[moving], problem.feature_alpha[moving]
    now = point.cost(np.abs(v), feature_alpha)
    cap = point.cap(moving, z)
    lines = _Lines(h * v * v / 2 - z * v + now, np.abs(z), h, feature_alpha, cap)
    if not _finite(*lines[:-1], now):
        return float("inf")
    gain, which, t = _best_move(point.cost, lines, 0.0)
    if which >= 0 and np.isfinite(gain):
        # The same number from the step, which does not cancel where the step is short.
        step = np.sign(z[which]) * t - v[which]
        cost = point.cost(np.array([t]), feature_alpha[which : which + 1])[0]
        gain = c[which] * step - h[which] * step**2 / 2 + (now[which] - cost)
    return point.from_intercept + max(gain, 0.0)


def _gain_of_swap(problem: Problem, point: _Point) -> float:
    """Return what the best swap gains with its intercept; 0 if there is nothing to swap."""
    if not _finite(point.c, point.h):
        return float("inf")
    out = np.flatnonzero((point.v != 0) & (problem.weights > 0))
    enters = (point.v == 0) & ~problem.excluded & (point.curvature > 0)
    if not (out.size and np.any(enters)):
        return 0.0
    v = point.v[out]
    base = point.cost(np.abs(v), problem.feature_alpha[out])
    base -= v * (point.c[out] + point.h[out] * v / 2)
    if not _finite(base):
        return float("inf")
    gain = float(np.max(base))  # the best value of the one that comes in is zero
    # Below this a swap would not even make up for its own loss.
    gain = max(gain, -point.from_intercept)
    for features, products in point.columns.pairs(out, enters):
        here, columns = out[features.start : features.stop], products.columns
        together = products.values / problem.scales[columns, None] / problem.scales[here]
        signed = point.c[columns, None] + together * point.v[here]
        z, h = np.abs(signed), point.h[columns, None]
        if not _finite(z * (z / h)):
            return float("inf")
        j, i = np.nonzero(z * (z / h) / 2 + base[features] > gain)
        columns = columns[j]
        lines = _Lines(
            base[features][i],
            z[j, i],
            point.h[columns],
            problem.feature_alpha[columns],
            point.cap(columns, signed[j, i]),
        )
        gain, _, _ = _best_move(point.cost, lines, gain)
    return max(point.from_intercept + gain, 0.0)


def _finite(*arrays: Floats) -> bool:
    return all(bool(np.all(np.isfinite(a))) for a in arrays)


class _Cost:
    """What coefficients cost, zero being free: r(t; a) - r(0; a) for a = alpha pi_j > 0, else 0."""

    def __init__(self, penalty: Penalty) -> None:
        self._penalty = penalty

    def __call__(self, t: Floats, feature_alpha: Floats) -> Floats:
        cost = np.zeros_like(t)
        paid = feature_alpha > 0
        t, feature_alpha = t[paid], feature_alpha[paid]
        at_zero = np.asarray(self._penalty.value(np.zeros_like(t), feature_alpha), dtype=np.float64)
        cost[paid] = np.asarray(self._penalty.value(t, feature_alpha), dtype=np.float64) - at_zero
        return cost


class _Point:
    """The point that is judged, with the intercept, in the units of the penalty.

    Coefficients ``v``; ``c`` and ``h``: how the objective without the penalty falls and bends,
    its ridges included; ``curvature``: what of h is the column's; ``z``: the push that is left at
    zero.
    """

    def __init__(self, problem: Problem) -> None:
        self.cost = _Cost(problem.penalty)
        self.v = problem.v
        residual, self.from_intercept = problem.residual, 0.0
        if problem.fit_intercept:
            mean = float(problem.omega @ residual)
            residual = residual - mean
            rest = float(problem.omega @ residual)  # what rounding left of the mean
            residual -= rest
            self.from_intercept = (mean + rest) * (mean + rest) / 2
        self.columns = centred_columns(problem.design, problem.omega, problem.fit_intercept)
        c, h = self.columns.measure(residual)
        c[h == 0] = 0.0
        scales, ridges = problem.scales, problem.ridges
        c, self.curvature = c / scales, h / scales / scales
        self.h = self.curvature + ridges
        self.c, self.z = c - ridges * self.v, c + self.curvature * self.v
        self._terms, self._scales = problem.terms, scales

    def cap(self, columns: Indices, push: Floats) -> Floats:
        """Return how far from zero some coefficients may go in the direction they are pushed."""
        return self._terms.room(push, columns) * self._scales[columns]


class _Lines(NamedTuple):
    """One-dimensional problems: a coefficient of size 0 <= t <= cap gains what `gain` says."""

    base: Floats
    z: Floats
    h: Floats
    feature_alpha: Floats
    cap: Floats

    def gain(self, t: Floats, cost: Floats) -> Floats:
        """Return base + z t - h t^2/2 - cost, where cost is r(t; alpha pi_j) or a bound of it."""
        return self.base + t * (self.z - self.h * t / 2) - cost

    def take(self, which: Any) -> _Lines:
        """Return some of the problems."""
        return _Lines(*(a[which] for a in self))


def _best_move(cost: _Cost, lines: _Lines, least: float) -> tuple[float, int, float]:
    """Return the largest gain, its problem and size; (least, -1, 0.0) if none is above least.

    A problem is settled when its gains are known to be at most the best found anywhere, up to the
    part _GAP of what the fit can gain there. The gain is inf if a cost is not finite.
    """
    best = (least, -1, 0.0)
    if lines.z.size == 0:
        return best

    def record(which: Indices, t: Floats, gains: Floats) -> None:
        nonlocal best
        at = int(np.argmax(gains))
        if gains[at] > best[0]:
            best = (float(gains[at]), int(which[at]), float(t[at]))

    everyone = np.arange(lines.z.size)
    record(everyone, np.zeros(everyone.size), lines.base)
    far = np.where(lines.z > 0, lines.z / np.where(lines.h > 0, lines.h, np.inf), 0.0)
    far = np.minimum(far, lines.cap)
    free = far * (lines.z - lines.h * far / 2)  # the most that the fit can gain
    slack = _GAP * free
    which = np.flatnonzero(lines.base + free > best[0] + slack)
    which = which[far[which] > 0]
    left, right = np.zeros(which.size), far[which]
    some = lines.take(which)
    at_left, at_right = np.zeros(which.size), cost(right, some.feature_alpha)
    for _ in range(_ROUNDS):
        if which.size == 0:
            break
        # The cost is concave, so its chord is below it, and this gain is above all in the interval.
        slope = (at_right - at_left) / (right - left)
        t = np.clip((some.z - slope) / some.h, left, right)
        gains = some.gain(t, cost(t, some.feature_alpha))
        if not _finite(right, at_right, gains):
            return float("inf"), -1, 0.0
        record(which, t, gains)
        most = some.gain(t, at_left + slope * (t - left))
        middle = left + (right - left) / 2
        alive = np.flatnonzero((most > best[0] + slack[which]) & (left < middle) & (middle < right))
        if alive.size > _INTERVALS // 2:
            alive = alive[np.argpartition(-most[alive], _INTERVALS // 2)[: _INTERVALS // 2]]
        which, middle, some = which[alive], middle[alive], some.take(alive)
        at_middle = cost(middle, some.feature_alpha)
        left, right = np.r_[left[alive], middle], np.r_[middle, right[alive]]
        at_left, at_right = np.r_[at_left[alive], at_middle], np.r_[at_middle, at_right[alive]]
        which = np.r_[which, which]
        some = lines.take(which)
    return best
