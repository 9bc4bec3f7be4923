r"""Penalties: what a coefficient of size t costs, and how fast that cost grows.

A penalty enters the objective as

.. math:: \sum_j r(|w_j|;\, \alpha \pi_j)

and is a small object with two vectorised methods, ``value`` (:math:`r`) and ``slope`` (:math:`r'`).
Majorisation-minimisation needs nothing else: the slope is the l1 weight of the next weighted lasso.
Any class with these two methods is a penalty; :func:`resolve_penalty` says what it must satisfy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from ._coordinate import jump_threshold, minimiser
from ._penalty_checks import check_user_penalty
from .validation import check_number

Floats: TypeAlias = NDArray[np.float64]
CoreSpec: TypeAlias = tuple[str, float, float]

__all__ = ["L1", "MCP", "SCAD", "CappedL1", "LogSum", "Lq", "Penalty"]


@runtime_checkable
class Penalty(Protocol):
    """Anything with ``value(abs_w, alpha)`` and ``slope(abs_w, alpha)``, both vectorised."""

    def value(self, abs_w: Any, alpha: Any) -> Any:
        """Return r(abs_w; alpha), one number per coefficient."""

    def slope(self, abs_w: Any, alpha: Any) -> Any:
        """Return r'(abs_w; alpha): >= 0, non-increasing in abs_w, finite at 0."""


class _Hidden:
    """Hides what a subclass inherits and its own formulas make wrong."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise AttributeError(f"{owner.__name__} has its own formulas, hence no {self._name}")


class _BuiltIn(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Shared by the penalties the compiled core knows by name."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # The core would otherwise use the parent's formulas for a subclass that overrides them.
        if {"value", "slope"} & set(vars(cls)):
            for name in {"core_spec", "concavity"} - set(vars(cls)):
                setattr(cls, name, _Hidden(name))

    def validate(self) -> None:
        """Raise ValueError, naming the parameter and the remedy, if one makes no sense."""

    def minimiser(self, z: ArrayLike, curvature: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return the best value of one coefficient: see :func:`minimiser_of`."""
        return minimiser_of(self, z, curvature, alpha)

    def jump_threshold(self, curvature: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return the size of z up to which zero is best: see :func:`jump_threshold_of`."""
        return jump_threshold_of(self, curvature, alpha)

    def _require(self, name: str, remedy: str, low: float = 0.0, high: float = math.inf) -> None:
        """Check low < parameter <= high (infinity excluded)."""
        label = f"{type(self).__name__}: {name}"
        closed = "" if math.isinf(high) else "high"
        check_number(label, getattr(self, name), low=low, high=high, closed=closed, remedy=remedy)


def _broadcast(abs_w: ArrayLike, alpha: ArrayLike) -> tuple[Floats, Floats]:
    t, a = np.broadcast_arrays(
        np.asarray(abs_w, dtype=np.float64), np.asarray(alpha, dtype=np.float64)
    )
    return t, a


class L1(_BuiltIn):
    r"""The lasso penalty, the convex one.

    .. math:: r(t; \alpha) = \alpha t, \qquad r'(t) = \alpha

    Examples
    --------
    >>> from sparsieve import L1
    >>> L1().slope([0.0, 2.0], 0.5)
    array([0.5, 0.5])
    >>> L1().minimiser([-2.0, 0.3], 1.0, 0.5)
    array([-1.5,  0. ])
    """

    def value(self, abs_w: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return alpha t."""
        t, a = _broadcast(abs_w, alpha)
        return a * t

    def slope(self, abs_w: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return alpha."""
        _, a = _broadcast(abs_w, alpha)
        return a.copy()

    def concavity(self, alpha: ArrayLike) -> Floats:
        """Return the largest -r'' over t >= 0: 0: the penalty is convex."""
        a = np.asarray(alpha, dtype=np.float64)
        return 0.0 * a

    def core_spec(self) -> CoreSpec:
        """Return the name and parameters by which the compiled core knows this penalty."""
        return ("l1", 0.0, 0.0)


class LogSum(_BuiltIn):
    r"""The log-sum penalty (reweighted l1).

    .. math:: r(t; \alpha) = \alpha \log(1 + t/\theta), \qquad r'(t) = \frac{\alpha}{\theta + t}

    Parameters
    ----------
    theta : float, default=0.1
        Size of a coefficient at which the slope has halved. The smaller, the closer to counting
        non-zeros; the slope at 0 is alpha / theta, so alpha does not compare with that of L1.

    Examples
    --------
    >>> from sparsieve import LogSum
    >>> LogSum(theta=0.5).slope([0.0, 0.5], 1.0)
    array([2., 1.])
    >>> LogSum(theta=0.5).minimiser([1.0, -2.0], 1.0, 1.0)
    array([ 0. , -1.5])
    """

    def __init__(self, theta: float = 0.1) -> None:
        self.theta = theta

    def validate(self) -> None:
        """Raise unless theta is a finite number > 0."""
        self._require("theta", "use e.g. theta=0.1")

    def value(self, abs_w: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return alpha log(1 + t / theta)."""
        t, a = _broadcast(abs_w, alpha)
        return a * np.log1p(t / self.theta)

    def slope(self, abs_w: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return alpha / (theta + t)."""
        t, a = _broadcast(abs_w, alpha)
        return a / (self.theta + t)

    def concavity(self, alpha: ArrayLike) -> Floats:
        """Return the largest -r'' over t >= 0: alpha / theta^2, at t = 0."""
        a = np.asarray(alpha, dtype=np.float64)
        return a / self.theta / self.theta

    def core_spec(self) -> CoreSpec:
        """Return the name and parameters by which the compiled core knows this penalty."""
        return ("logsum", float(self.theta), 0.0)


class MCP(_BuiltIn):
    r"""The minimax concave penalty: l1 at zero, flat beyond gamma alpha.

    .. math::
        r(t; \alpha) = \alpha t - \frac{t^2}{2\gamma} \ (t \le \gamma\alpha), \quad
        \frac{\gamma\alpha^2}{2} \text{ beyond}, \qquad r'(t) = \max(\alpha - t/\gamma, 0)

    Parameters
    ----------
    gamma : float, default=3.0
        Coefficients above gamma * alpha are not shrunk. Any gamma > 0 is accepted; a single
        coordinate is convex when gamma * (mean square of its column) > 1. gamma to infinity is L1.

    Examples
    --------
    >>> from sparsieve import MCP
    >>> MCP(gamma=2.0).slope([0.0, 1.0, 5.0], 1.0)
    array([1. , 0.5, 0. ])
    >>> MCP(gamma=2.0).minimiser([0.5, 1.5, -4.0], 1.0, 1.0)
    array([ 0.,  1., -4.])
    >>> MCP(gamma=1.0).jump_threshold([0.25, 4.0], 1.0)
    array([0.5, 1. ])
    """

    def __init__(self, gamma: float = 3.0) -> None:
        self.gamma = gamma

    def validate(self) -> None:
        """Raise unless gamma is a finite number > 0."""
        self._require("gamma", "use e.g. gamma=3.0, or L1() for its convex limit")

    def value(self, abs_w: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return alpha u - u^2 / (2 gamma) with u = min(t, gamma alpha)."""
        t, a = _broadcast(abs_w, alpha)
        u = np.minimum(t, self.gamma * a)
        return u * (a - u / (2.0 * self.gamma))

    def slope(self, abs_w: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return max(alpha - t / gamma, 0)."""
        t, a = _broadcast(abs_w, alpha)
        return np.maximum(a - t / self.gamma, 0.0)

    def concavity(self, alpha: ArrayLike) -> Floats:
        """Return the largest -r'' over t >= 0: 1 / gamma, up to gamma alpha."""
        a = np.asarray(alpha, dtype=np.float64)
        return np.full_like(a, 1.0 / self.gamma)

    def core_spec(self) -> CoreSpec:
        """Return the name and parameters by which the compiled core knows this penalty."""
        return ("mcp", float(self.gamma), 0.0)


class SCAD(_BuiltIn):
    r"""The smoothly clipped absolute deviation: l1 up to alpha, flat beyond gamma alpha.

    .. math::
        r(t; \alpha) = \begin{cases} \alpha t & t \le \alpha \\
        \dfrac{2\gamma\alpha t - t^2 - \alpha^2}{2(\gamma - 1)} & \alpha < t \le \gamma\alpha \\
        \alpha^2 (\gamma + 1) / 2 & t > \gamma\alpha \end{cases} \qquad
        r'(t) = \alpha,\ \frac{\gamma\alpha - t}{\gamma - 1},\ 0

    Parameters
    ----------
    gamma : float, default=3.7
        Coefficients above gamma * alpha are not shrunk; must exceed 2.

    Examples
    --------
    >>> from sparsieve import SCAD
    >>> SCAD(gamma=3.0).slope([0.5, 2.0, 4.0], 1.0)
    array([1. , 0.5, 0. ])
    >>> SCAD(gamma=3.0).minimiser([0.5, 1.5, -4.0], 1.0, 1.0)
    array([ 0. ,  0.5, -4. ])
    """

    def __init__(self, gamma: float = 3.7) -> None:
        self.gamma = gamma

    def validate(self) -> None:
        """Raise unless gamma is a finite number > 2."""
        self._require("gamma", "use e.g. gamma=3.7, or MCP for a stronger concavity", low=2.0)

    def value(self, abs_w: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return the l1 part up to alpha plus the integral of the sloping part beyond it."""
        t, a = _broadcast(abs_w, alpha)
        flat_from = (self.gamma - 1.0) * a
        u = np.clip(t - a, 0.0, flat_from)
        return a * np.minimum(t, a) + u * (a - u / (2.0 * (self.gamma - 1.0)))

    def slope(self, abs_w: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return alpha, then (gamma alpha - t) / (gamma - 1), then 0."""
        t, a = _broadcast(abs_w, alpha)
        return np.maximum(np.minimum(a, (self.gamma * a - t) / (self.gamma - 1.0)), 0.0)

    def concavity(self, alpha: ArrayLike) -> Floats:
        """Return the largest -r'' over t >= 0: 1 / (gamma - 1), from alpha to gamma alpha."""
        a = np.asarray(alpha, dtype=np.float64)
        return np.full_like(a, 1.0 / (self.gamma - 1.0))

    def core_spec(self) -> CoreSpec:
        """Return the name and parameters by which the compiled core knows this penalty."""
        return ("scad", float(self.gamma), 0.0)


class CappedL1(_BuiltIn):
    r"""The capped l1 penalty: l1 up to theta, constant beyond.

    .. math::
        r(t; \alpha) = \alpha \min(t, \theta), \qquad
        r'(t) = \alpha \text{ if } t < \theta \text{ else } 0

    Parameters
    ----------
    theta : float, default=1.0
        Coefficients of at least theta are not shrunk. On the scale of the coefficients: where all
        of them stay below theta, the penalty is the lasso.

    Notes
    -----
    The penalty has a kink at theta; the slope there is the right derivative, 0. A point is reported
    as stationary with respect to that choice.

    Examples
    --------
    >>> from sparsieve import CappedL1
    >>> CappedL1(theta=1.0).slope([0.5, 1.0], 0.3)
    array([0.3, 0. ])
    >>> CappedL1(theta=1.0).minimiser([0.5, -4.0], 1.0, 0.25)
    array([ 0.25, -4.  ])
    """

    def __init__(self, theta: float = 1.0) -> None:
        self.theta = theta

    def validate(self) -> None:
        """Raise unless theta is a finite number > 0."""
        self._require("theta", "use e.g. theta=1.0, or L1() for no cap")

    def value(self, abs_w: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return alpha min(t, theta)."""
        t, a = _broadcast(abs_w, alpha)
        return a * np.minimum(t, self.theta)

    def slope(self, abs_w: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return alpha below theta, 0 from theta on (the right derivative at the kink)."""
        t, a = _broadcast(abs_w, alpha)
        return np.where(t < self.theta, a, 0.0)

    def concavity(self, alpha: ArrayLike) -> Floats:
        """Return the largest -r'' over t >= 0: infinity, at the kink."""
        a = np.asarray(alpha, dtype=np.float64)
        return np.full_like(a, np.inf)

    def core_spec(self) -> CoreSpec:
        """Return the name and parameters by which the compiled core knows this penalty."""
        return ("capped_l1", float(self.theta), 0.0)


class Lq(_BuiltIn):
    r"""The lq penalty, smoothed at zero.

    .. math:: r(t; \alpha) = \alpha \left((t + \varepsilon)^q - \varepsilon^q\right), \qquad
        r'(t) = \alpha q (t + \varepsilon)^{q - 1}

    Parameters
    ----------
    q : float, default=0.5
        Exponent in (0, 1]; q = 1 is L1.
    eps : float, default=1e-2
        Smoothing. Without it the slope at zero would be infinite, and a coefficient that is zero
        could never leave it; the slope at 0 is alpha q eps^(q-1).

    Examples
    --------
    >>> from sparsieve import Lq
    >>> Lq(q=0.5, eps=0.25).slope([0.0, 0.75], 1.0)
    array([1. , 0.5])
    >>> Lq(q=0.5, eps=0.25).minimiser([0.5, -1.25], 1.0, 1.0)
    array([ 0.  , -0.75])
    """

    def __init__(self, q: float = 0.5, eps: float = 1e-2) -> None:
        self.q = q
        self.eps = eps

    def validate(self) -> None:
        """Raise unless 0 < q <= 1 and eps is a finite number > 0."""
        self._require("q", "use e.g. q=0.5", high=1.0)
        self._require("eps", "use e.g. eps=1e-2: without it zero would be absorbing")

    def value(self, abs_w: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return alpha ((t + eps)^q - eps^q), accurate for t far below eps."""
        t, a = _broadcast(abs_w, alpha)
        growth = np.expm1(self.q * np.log1p(t / self.eps))
        return a * (float(self.eps**self.q) * growth)

    def slope(self, abs_w: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return alpha q (t + eps)^(q-1)."""
        t, a = _broadcast(abs_w, alpha)
        return a * (self.q * (t + self.eps) ** (self.q - 1.0))

    def concavity(self, alpha: ArrayLike) -> Floats:
        """Return the largest -r'' over t >= 0: alpha q (1 - q) eps^(q - 2), at t = 0."""
        a = np.asarray(alpha, dtype=np.float64)
        return a * float(self.q * (1.0 - self.q) * self.eps ** (self.q - 2.0))

    def core_spec(self) -> CoreSpec:
        """Return the name and parameters by which the compiled core knows this penalty."""
        return ("lq", float(self.q), float(self.eps))


_BY_NAME: dict[str, type[_BuiltIn]] = {
    "l1": L1,
    "logsum": LogSum,
    "mcp": MCP,
    "scad": SCAD,
    "capped_l1": CappedL1,
    "lq": Lq,
}
# What else people call them; capitals, spaces, "-" and "_" make no difference in any name.
_ALIASES = {"lasso": "l1", "log": "logsum", "capped": "capped_l1", "bridge": "lq"}
_SAID = {name.replace("_", ""): cls for name, cls in _BY_NAME.items()} | {
    alias: _BY_NAME[name] for alias, name in _ALIASES.items()
}


def resolve_penalty(penalty: str | Penalty) -> Penalty:
    """Return a checked penalty object from a name or an object.

    Parameters
    ----------
    penalty : str or object
        ``"l1"``, ``"logsum"``, ``"mcp"``, ``"scad"``, ``"capped_l1"`` or ``"lq"`` mean the class
        with its defaults. ``"lasso"`` is L1, ``"bridge"`` is Lq; capitals, spaces, ``-`` and ``_``
        make no difference (``"Log-Sum"``). Any object with ``value`` and ``slope`` is accepted
        after a check on a grid that its slope is finite at 0, >= 0, non-increasing and the
        derivative of its value, with alpha a number or one number per coefficient.

    Returns
    -------
    Penalty
        The object itself (not a copy), or a new one for a name.
    """
    if isinstance(penalty, str):
        said = "".join(penalty.lower().split()).replace("-", "").replace("_", "")
        if said not in _SAID:
            raise ValueError(
                f"penalty={penalty!r} is not known; use one of {', '.join(map(repr, _BY_NAME))} "
                f"(or {', '.join(map(repr, _ALIASES))}), or an object with the methods "
                "value(abs_w, alpha) and slope(abs_w, alpha)."
            )
        return _SAID[said]()
    if isinstance(penalty, type):
        raise TypeError(
            f"penalty is the class {penalty.__name__}; pass an instance: {penalty.__name__}()."
        )
    if isinstance(penalty, _BuiltIn):
        penalty.validate()
    if type(penalty) not in _BY_NAME.values():
        check_user_penalty(penalty)
    return penalty


def minimiser_of(
    penalty: str | Penalty, z: ArrayLike, curvature: ArrayLike, alpha: ArrayLike
) -> Floats:
    r"""Return the best value of one coefficient, the others fixed.

    .. math:: \arg\min_w \; \tfrac{h}{2} w^2 - z w + r(|w|; \alpha)

    Its sign is that of z. On a tie with zero it is zero.

    Parameters
    ----------
    penalty : str or Penalty
        A name, a built-in or any object with ``value`` and ``slope``; the latter is searched by
        branch and bound, which needs it to be concave.
    z : array-like
        Correlation of the feature with the residual that leaves it out.
    curvature : array-like
        h > 0, the mean square of the feature's column.
    alpha : array-like
        Strength, >= 0; where it is 0 the result is z / h.

    Returns
    -------
    ndarray
        Of the shape to which z, curvature and alpha broadcast.

    Examples
    --------
    >>> from sparsieve.penalties import minimiser_of
    >>> minimiser_of("mcp", [0.5, -4.0], 1.0, 1.0)
    array([ 0., -4.])
    """
    return minimiser(resolve_penalty(penalty), z, curvature, alpha)


def jump_threshold_of(penalty: str | Penalty, curvature: ArrayLike, alpha: ArrayLike) -> Floats:
    r"""Return the largest size of z up to which zero is the best value of a coefficient.

    .. math:: \inf_{t > 0} \; \frac{h t}{2} + \frac{r(t; \alpha)}{t} \le r'(0; \alpha)

    Below the slope at zero, a coefficient that leaves zero jumps. For a penalty that is searched
    the result may be too small by 1e-9 of it. Parameters as in :func:`minimiser_of`.

    Examples
    --------
    >>> from sparsieve.penalties import jump_threshold_of
    >>> jump_threshold_of("mcp", [0.1, 1.0], 2.0).round(3)
    array([1.095, 2.   ])
    """
    return jump_threshold(resolve_penalty(penalty), curvature, alpha)


# Far beyond any coefficient.
_FAR = 1e100


def is_convex(penalty: Penalty) -> bool:
    """Tell whether a checked penalty is convex: its slope, which never rises, never falls."""
    if type(penalty) in (L1, MCP):  # at once: small fits ask often
        return type(penalty) is L1
    with np.errstate(all="ignore"):
        near, far = np.asarray(penalty.slope(np.array([0.0, _FAR]), np.ones(2)))
    return bool(near == far)


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

    unit_slope = float(np.asarray(penalty.slope(np.zeros(1), np.ones(1)))[0])
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
    thresholds: Callable[[Floats, Floats], Floats],
    stationary: float,
    correlations: Floats,
    curvatures: Floats,
    weights: Floats | None = None,
) -> float:
    """Return the smallest alpha at which no coefficient of zero has a better value anywhere.

    Parameters
    ----------
    thresholds : callable
        Given curvatures and strengths, the correlations from which on zero is no minimiser.
    stationary : float
        What :func:`alpha_max_for` returns: zero is not even stationary below.
    correlations, curvatures, weights : ndarray of shape (n_features,)
        As in :func:`alpha_max_for`, with the weighted mean squares of the columns.
    """
    c = np.abs(correlations)
    pi = np.ones_like(c) if weights is None else weights
    relevant = (pi > 0) & np.isfinite(pi) & (c > 0) & (curvatures > 0)
    c, pi, h = c[relevant], pi[relevant], curvatures[relevant]

    def stay(alpha: float) -> NDArray[np.bool_]:
        return np.asarray(thresholds(h, alpha * pi) >= c)

    if stationary == 0.0:
        return stationary
    leaving = ~stay(stationary)  # the others stay at every larger alpha, too
    if not leaving.any():
        return stationary
    c, pi, h = c[leaving], pi[leaving], h[leaving]
    high = 2.0 * stationary
    while not stay(high).all():
        high *= 2.0
    return _bisected(lambda alpha: bool(stay(alpha).all()), high / 2.0, high)
