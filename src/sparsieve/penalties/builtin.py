r"""The built-in penalties."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from ..data.scalars import check_number
from .base import CoreSpec, Floats, Penalty
from .checks import check_user_penalty
from .coordinate import jump_threshold, minimiser

__all__ = ["L1", "MCP", "SCAD", "BuiltIn", "CappedL1", "LogSum", "Lq", "check_penalty"]


class _Hidden:
    """Hides what a subclass inherits and its own formulas make wrong."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise AttributeError(f"{owner.__name__} has its own formulas, hence no {self._name}")


class BuiltIn(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Shared by the penalties the compiled core knows by name."""

    #: Whether the penalty is convex; a subclass with its own formulas is asked instead.
    convex = False
    #: The parameter that says how concave the penalty is, its shape; empty if it has none.
    _shape_name: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # The core would otherwise use the parent's formulas for a subclass that overrides them.
        if cls.__base__ is not BuiltIn and {"value", "slope"} & set(vars(cls)):
            for name in {"core_spec", "concavity", "convex", "_shape_name"} - set(vars(cls)):
                setattr(cls, name, _Hidden(name))

    def validate(self) -> None:
        """Raise ValueError, naming the parameter and the remedy, if one makes no sense."""

    def minimiser(self, z: ArrayLike, curvature: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return the best value of one coefficient: see :func:`minimiser_of`."""
        check_penalty(self)
        return minimiser(self, z, curvature, alpha)

    def jump_threshold(self, curvature: ArrayLike, alpha: ArrayLike) -> Floats:
        """Return the size of z up to which zero is best: see :func:`jump_threshold_of`."""
        check_penalty(self)
        return jump_threshold(self, curvature, alpha)

    def _with(self, **parameters: float) -> Penalty:
        """Return the same penalty with other values of some parameters."""
        other: Penalty = type(self)(**{**self.get_params(), **parameters})
        return other

    def _default_grid(self, column_scale: float, coef_scale: float) -> list[Penalty]:
        """Return the penalty in several shapes, from nearly convex to strongly concave.

        Each is a small step from the last. What counts as concave depends on the data: on a typical
        root mean square of the columns, or on a typical size of a coefficient.
        """
        return [self]

    def _half_as_concave(self) -> Penalty:
        """Return the same penalty, which has a shape, about half as concave."""
        return self._with(**{self._shape_name: 2.0 * getattr(self, self._shape_name)})

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


def check_penalty(penalty: Any) -> None:
    """Check the parameters of a built-in, and the formulas of any other penalty on a grid."""
    known = isinstance(penalty, BuiltIn)
    if known:
        penalty.validate()
    if not known or not hasattr(penalty, "core_spec"):
        check_user_penalty(penalty)


class L1(BuiltIn):
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

    convex = True
    __hash__ = BuiltIn.__hash__

    def __eq__(self, other: object) -> bool:
        # scikit-learn's SelectFromModel asks `estimator.penalty == "l1"` to learn whether zero
        # coefficients mean "not selected".
        return self is other or (type(self) is L1 and isinstance(other, str) and other == "l1")

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


class LogSum(BuiltIn):
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

    _shape_name = "theta"

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

    def _default_grid(self, column_scale: float, coef_scale: float) -> list[Penalty]:
        return [self._with(theta=t * coef_scale) for t in (10.0, 3.0, 1.0, 0.3, 0.1, 0.03)]

    def core_spec(self) -> CoreSpec:
        """Return the name and parameters by which the compiled core knows this penalty."""
        return ("logsum", float(self.theta), 0.0)


class MCP(BuiltIn):
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

    _shape_name = "gamma"

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
        return np.where(a > 0.0, 1.0 / self.gamma, 0.0)

    def _default_grid(self, column_scale: float, coef_scale: float) -> list[Penalty]:
        # Each coordinate is then as concave as on columns of mean square 1.
        return [self._with(gamma=g / column_scale**2) for g in (30.0, 10.0, 5.0, 3.0, 2.0, 1.4)]

    def core_spec(self) -> CoreSpec:
        """Return the name and parameters by which the compiled core knows this penalty."""
        return ("mcp", float(self.gamma), 0.0)


class SCAD(BuiltIn):
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

    _shape_name = "gamma"

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
        return np.where(a > 0.0, 1.0 / (self.gamma - 1.0), 0.0)

    def _default_grid(self, column_scale: float, coef_scale: float) -> list[Penalty]:
        # Each coordinate is then as concave as on columns of mean square 1, but gamma exceeds 2.
        unit = (30.0, 10.0, 5.0, 3.7, 2.8, 2.2)
        scaled = [max(1.0 + (g - 1.0) / column_scale**2, 2.05) for g in unit]
        return [self._with(gamma=g) for g in dict.fromkeys(scaled)]

    def core_spec(self) -> CoreSpec:
        """Return the name and parameters by which the compiled core knows this penalty."""
        return ("scad", float(self.gamma), 0.0)


class CappedL1(BuiltIn):
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

    _shape_name = "theta"

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
        return np.where(a > 0.0, np.inf, 0.0)

    def _default_grid(self, column_scale: float, coef_scale: float) -> list[Penalty]:
        return [self._with(theta=t * coef_scale) for t in (3.0, 1.0, 0.5, 0.25, 0.1)]

    def core_spec(self) -> CoreSpec:
        """Return the name and parameters by which the compiled core knows this penalty."""
        return ("capped_l1", float(self.theta), 0.0)


class Lq(BuiltIn):
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

    _shape_name = "q"

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

    def _default_grid(self, column_scale: float, coef_scale: float) -> list[Penalty]:
        return [self._with(q=q, eps=1e-2 * coef_scale) for q in (0.9, 0.75, 0.5, 0.25)]

    def _half_as_concave(self) -> Penalty:
        return self._with(q=0.5 * (1.0 + self.q))

    def core_spec(self) -> CoreSpec:
        """Return the name and parameters by which the compiled core knows this penalty."""
        return ("lq", float(self.q), float(self.eps))
