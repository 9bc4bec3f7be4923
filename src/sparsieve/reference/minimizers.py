"""Exact one-dimensional minimisers: the coordinate step of ncvxCD and the prox of GIST.

Each solves ``min over t >= 0 of a t^2 / 2 - c t + r(t)`` with c >= 0 and a > 0, whatever the
convexity: the stationary point of every smooth piece is clipped to its piece, and the lowest of
these points and zero wins. A clipped point is always admissible, so none needs a validity test.
The same formulas serve Python floats (coordinate descent) and arrays (GIST) through `Ops`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..penalties import L1, MCP, SCAD, CappedL1, LogSum, Lq

Number = Any  # a float, or an array of floats
Pieces = tuple[tuple[Number, ...], Callable[[Number], Number]]  # candidates, and t -> r(t)


@dataclass(frozen=True)
class Ops:
    """The few functions that differ between floats and arrays."""

    sqrt: Callable[[Number], Number]
    log1p: Callable[[Number], Number]
    largest: Callable[[Number, Number], Number]
    smallest: Callable[[Number, Number], Number]
    where: Callable[[Any, Number, Number], Number]


FLOATS = Ops(math.sqrt, math.log1p, max, min, lambda test, yes, no: yes if test else no)
ARRAYS = Ops(np.sqrt, np.log1p, np.maximum, np.minimum, np.where)


def minimizer(penalty: Any, ops: Ops = FLOATS) -> Callable[[Number, Number, float], Number]:
    """Return the function (c, a, lam) -> argmin over t >= 0 of a t^2/2 - c t + r_lam(t).

    With ``ops=ARRAYS``, c and a may be arrays.
    """
    pieces = _PIECES.get(type(penalty))
    if pieces is None:
        known = ", ".join(kind.__name__ for kind in _PIECES)
        raise TypeError(f"no exact one-dimensional minimiser for {penalty!r}: known are {known}")

    def minimize(c: Number, a: Number, lam: float) -> Number:
        candidates, value = pieces(penalty, c, a, lam, ops)
        best, lowest = 0.0 * c, 0.0 * c  # r(0) = 0: staying at zero costs nothing
        for t in candidates:
            cost = (0.5 * a * t - c) * t + value(t)
            better = cost < lowest
            best, lowest = ops.where(better, t, best), ops.where(better, cost, lowest)
        return best

    return minimize


def zero_thresholds(penalty: Any, a: Any, lam: float) -> Any:
    """Return, for each curvature, a c up to which the minimiser is zero, tight to rounding.

    The minimiser grows with c, so bisection finds the jump: ``min over t > 0 of a t/2 + r(t)/t``.
    Above the slope at zero it cannot be. The lower end is returned: there zero was seen to win.
    """
    minimize = minimizer(penalty, ARRAYS)
    low, high = np.zeros_like(a), np.full_like(a, float(penalty.slope(0.0, lam)))
    for _ in range(52):  # the bits of a double
        middle = 0.5 * (low + high)
        stays = minimize(middle, a, lam) == 0.0
        low, high = np.where(stays, middle, low), np.where(stays, high, middle)
    return low


def _l1(penalty: L1, c: Number, a: Number, lam: float, ops: Ops) -> Pieces:
    return (ops.largest(c - lam, 0.0) / a,), lambda t: lam * t


def _log_sum(penalty: LogSum, c: Number, a: Number, lam: float, ops: Ops) -> Pieces:
    # a t - c + lam/(theta + t) = 0: the larger root is the minimum, the smaller a maximum
    theta = penalty.theta
    root = ops.sqrt(ops.largest((c + a * theta) ** 2 - 4.0 * a * lam, 0.0))
    t = ops.largest(c - a * theta + root, 0.0) / (2.0 * a)
    return (t,), lambda t: lam * ops.log1p(t / theta)


def _mcp(penalty: MCP, c: Number, a: Number, lam: float, ops: Ops) -> Pieces:
    # up to the knee the curvature is a - 1/gamma; where that is <= 0 only the ends can win
    gamma, knee = penalty.gamma, penalty.gamma * lam
    curvature = a - 1.0 / gamma
    convex = curvature > 0.0
    inner = ops.largest(c - lam, 0.0) / ops.where(convex, curvature, 1.0)
    inner = ops.where(convex, ops.smallest(inner, knee), knee)

    def value(t: Number) -> Number:
        short = ops.smallest(t, knee)
        return lam * short - 0.5 * short * short / gamma

    return (inner, ops.largest(c / a, knee)), value


def _scad(penalty: SCAD, c: Number, a: Number, lam: float, ops: Ops) -> Pieces:
    gamma, knee = penalty.gamma, penalty.gamma * lam
    first = ops.smallest(ops.largest(c - lam, 0.0) / a, lam)
    curvature = a - 1.0 / (gamma - 1.0)
    convex = curvature > 0.0
    middle = (c - knee / (gamma - 1.0)) / ops.where(convex, curvature, 1.0)
    middle = ops.where(convex, ops.smallest(ops.largest(middle, lam), knee), knee)

    def value(t: Number) -> Number:
        linear = lam * ops.smallest(t, lam)
        beyond = ops.smallest(ops.largest(t, lam), knee) - lam  # length within the middle piece
        return linear + beyond * (lam - 0.5 * beyond / (gamma - 1.0))

    return (first, middle, ops.largest(c / a, knee)), value


def _capped_l1(penalty: CappedL1, c: Number, a: Number, lam: float, ops: Ops) -> Pieces:
    theta = penalty.theta
    inner = ops.smallest(ops.largest(c - lam, 0.0) / a, theta)
    return (inner, ops.largest(c / a, theta)), lambda t: lam * ops.smallest(t, theta)


def _lq(penalty: Lq, c: Number, a: Number, lam: float, ops: Ops) -> Pieces:
    # The derivative g(t) = a t - c + lam q (t + eps)^(q-1) is convex, lowest at `turn`; the minimum
    # is its larger root. Newton from c/a >= root comes down monotonically; where the root is double
    # each step still halves the distance, so 60 steps exhaust double precision.
    q, eps = penalty.q, penalty.eps
    turn = ops.largest((lam * q * (1.0 - q) / a) ** (1.0 / (2.0 - q)) - eps, 0.0)
    t = ops.largest(c / a, turn)
    for _ in range(60):
        weight = lam * q * (t + eps) ** (q - 1.0)
        bend = ops.largest(a - (1.0 - q) * weight / (t + eps), 1e-300)
        t = ops.largest(t - ops.largest(a * t - c + weight, 0.0) / bend, turn)
    return (t,), lambda t: lam * ((t + eps) ** q - eps**q)


# Keyed by class, and formulas of penalties again: the oracle of the tests must not share them with
# the penalties and the core that it judges.
_PIECES: dict[type, Callable[[Any, Number, Number, float, Ops], Pieces]] = {
    L1: _l1,
    LogSum: _log_sum,
    MCP: _mcp,
    SCAD: _scad,
    CappedL1: _capped_l1,
    Lq: _lq,
}
