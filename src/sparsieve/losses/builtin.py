r"""The built-in losses."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr, expit, logit, xlogy
from sklearn.base import BaseEstimator

from .._words import describe
from ..data.scalars import check_number
from .base import CoreLoss, Floats

__all__ = ["BuiltInLoss", "Huber", "Logistic", "NegativeBinomial", "Poisson", "Squared"]

#: exp of more than this is no double.
LARGEST_EXPONENT = 709.0


def _both(eta: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    return np.asarray(eta, dtype=np.float64), np.asarray(y, dtype=np.float64)


class BuiltInLoss(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Shared by the losses of the library: facts that other rooms ask for."""

    #: The name that stands for the loss with its defaults.
    name: ClassVar[str] = ""
    #: The smallest curvature, whatever eta and y.
    least_curvature: ClassVar[float] = 0.0
    #: Whether the mean is exp(eta).
    log_link: ClassVar[bool] = False
    #: The variance of a response over the variance that the loss assumes; None: it has a scale.
    dispersion: ClassVar[float | None] = 1.0
    #: Whether y are two labels, 0 and 1, or probabilities of the second.
    labels: ClassVar[bool] = False

    @property
    def label(self) -> str:
        """The loss with its parameters, in words."""
        return describe(self)

    @property
    def identity(self) -> Any:
        """What tells the loss from others: the object whose class and parameters count."""
        return self

    def value(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return f(eta; y)."""
        raise NotImplementedError

    def gradient(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return the derivative of f in eta."""
        raise NotImplementedError

    def curvature(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return the second derivative of f in eta."""
        raise NotImplementedError

    def mean(self, eta: ArrayLike) -> Floats:
        """Return the mean response at a linear predictor."""
        return np.asarray(eta, dtype=np.float64)

    def link(self, mean: ArrayLike) -> Floats:
        """Return the linear predictor of a mean: the inverse of ``mean``."""
        return np.asarray(mean, dtype=np.float64)

    def saturated(self, y: ArrayLike) -> Floats:
        """Return the smallest value of f(.; y)."""
        return np.zeros_like(np.asarray(y, dtype=np.float64))

    def conjugate(self, t: ArrayLike, y: ArrayLike) -> Floats:
        r"""Return :math:`f^*(-t) = \sup_\eta -t \eta - f(\eta; y)`, inf outside its domain."""
        raise NotImplementedError

    def lipschitz(self, y: ArrayLike) -> Floats:
        """Return the largest curvature of f(.; y), inf if there is none."""
        return np.ones_like(np.asarray(y, dtype=np.float64))

    def deviance(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return twice what f is above its smallest value, never negative."""
        excess = self.value(eta, y) - self.saturated(y)
        return np.asarray(2.0 * np.maximum(excess, 0.0))

    def limit(self, y: Floats) -> float:
        """Return where the best constant lies if no finite one is best: -inf or inf, else 0."""
        return 0.0

    def validate(self) -> None:
        """Raise ValueError, naming the parameter and the remedy, if one makes no sense."""

    def check_y(self, y: Floats) -> None:
        """Raise ValueError, with place and remedy, unless the loss is for such responses."""

    def core_spec(self) -> CoreLoss:
        """Return what the compiled core knows the loss by; squares need no loss there."""
        return self.name, tuple(self.get_params().values())


class Squared(BuiltInLoss):
    r"""Least squares, for numbers.

    .. math:: f(\eta; y) = \tfrac12 (y - \eta)^2

    Examples
    --------
    >>> from sparsieve import Squared
    >>> Squared().gradient([1.0], [3.0])
    array([-2.])
    """

    name = "squared"
    least_curvature = 1.0
    dispersion = None

    def value(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return half the square of the residual."""
        eta, y = _both(eta, y)
        return 0.5 * np.square(y - eta)

    def gradient(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return minus the residual."""
        eta, y = _both(eta, y)
        return eta - y

    def curvature(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return ones."""
        return np.ones_like(np.add(*_both(eta, y)))

    def conjugate(self, t: ArrayLike, y: ArrayLike) -> Floats:
        """Return t^2/2 - y t."""
        t, y = _both(t, y)
        return np.asarray(0.5 * t * t - y * t)


class Huber(BuiltInLoss):
    r"""Huber's loss, for numbers with outliers: squares near zero, straight lines beyond delta.

    .. math:: f(\eta; y) = \begin{cases} r^2/2 & |r| \le \delta \\
        \delta |r| - \delta^2/2 & |r| > \delta \end{cases}, \qquad r = y - \eta

    Parameters
    ----------
    delta : float, default=1.35
        In the units of y: residuals beyond it count as outliers. A usual choice is 1.35 times the
        standard deviation of the noise.

    Examples
    --------
    >>> from sparsieve import Huber
    >>> Huber(delta=1.0).value([0.0, 0.0], [0.5, 3.0])
    array([0.125, 2.5  ])
    """

    name = "huber"
    dispersion = None

    def __init__(self, delta: float = 1.35) -> None:
        self.delta = delta

    def validate(self) -> None:
        """Require delta > 0."""
        check_number("Huber: delta", self.delta, remedy="use e.g. 1.35 times the noise of y")

    def value(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return half the square of the residual, or its line."""
        eta, y = _both(eta, y)
        size = np.abs(y - eta)
        inside = np.minimum(size, self.delta)
        return np.asarray(inside * (size - 0.5 * inside))

    def gradient(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return minus the residual, at most delta in size."""
        eta, y = _both(eta, y)
        return np.asarray(np.clip(eta - y, -self.delta, self.delta))

    def curvature(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return 1 for rows that are no outliers, else 0."""
        eta, y = _both(eta, y)
        return np.asarray(np.abs(y - eta) <= self.delta, dtype=np.float64)

    def conjugate(self, t: ArrayLike, y: ArrayLike) -> Floats:
        """Return t^2/2 - y t for t of at most delta in size."""
        t, y = _both(t, y)
        return np.where(np.abs(t) <= self.delta, 0.5 * t * t - y * t, np.inf)


class Logistic(BuiltInLoss):
    r"""The logistic loss, for two classes.

    .. math:: f(\eta; y) = \ln(1 + e^\eta) - y \eta

    with y = 1 for one class and 0 for the other (:class:`SparseClassifier` takes any labels), or
    anything between: a probability, or the share of successes in trials whose number is the sample
    weight. The mean is :math:`1/(1 + e^{-\eta})`.

    Examples
    --------
    >>> from sparsieve import Logistic
    >>> Logistic().gradient([0.0, 0.0], [0.0, 1.0])
    array([ 0.5, -0.5])
    """

    name = "logistic"
    labels = True

    def value(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return ln(1 + e^eta) - y eta."""
        eta, y = _both(eta, y)
        # max(eta, 0) - y eta without the cancellation that large eta would have.
        linear = np.where(eta > 0.0, (1.0 - y) * eta, -y * eta)
        return np.asarray(linear + np.log1p(np.exp(-np.abs(eta))))

    def gradient(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return the mean minus y."""
        eta, y = _both(eta, y)
        return np.asarray((1.0 - y) * expit(eta) - y * expit(-eta))

    def curvature(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return the variance of a label."""
        eta, y = _both(eta, y)
        return np.asarray(expit(eta) * expit(-eta) + 0.0 * y)

    def mean(self, eta: ArrayLike) -> Floats:
        """Return the probability of y = 1."""
        return np.asarray(expit(np.asarray(eta, dtype=np.float64)))

    def link(self, mean: ArrayLike) -> Floats:
        """Return ln(p / (1 - p))."""
        return np.asarray(logit(np.asarray(mean, dtype=np.float64)))

    def saturated(self, y: ArrayLike) -> Floats:
        """Return the entropy of y, 0 for labels."""
        y = np.asarray(y, dtype=np.float64)
        return np.asarray(entr(y) + entr(1.0 - y))

    def conjugate(self, t: ArrayLike, y: ArrayLike) -> Floats:
        """Return m ln m + (1 - m) ln(1 - m), m = y - t in [0, 1]."""
        t, y = _both(t, y)
        m = y - t
        return np.asarray(-(entr(m) + entr(1.0 - m)))  # entr is -inf below zero

    def lipschitz(self, y: ArrayLike) -> Floats:
        """Return 1/4."""
        return np.full_like(np.asarray(y, dtype=np.float64), 0.25)

    def limit(self, y: Floats) -> float:
        """Return -inf where all are zeros, inf where all are ones."""
        return -np.inf if np.all(y == 0.0) else np.inf if np.all(y == 1.0) else 0.0

    def check_y(self, y: Floats) -> None:
        """Require numbers in [0, 1]."""
        outside = (y < 0.0) | (y > 1.0)
        if np.any(outside):
            at = int(np.flatnonzero(outside)[0])
            raise ValueError(
                f"y[{at}] = {y[at]:g}, but loss='logistic' takes numbers from 0 to 1; use "
                "SparseClassifier for labels of any kind, or y == label for one against the rest."
            )


class _Counts(BuiltInLoss):
    """Losses of counts, whose mean is exp(eta)."""

    log_link = True

    def mean(self, eta: ArrayLike) -> Floats:
        """Return exp(eta)."""
        with np.errstate(over="ignore"):  # inf is the rounded answer
            return np.asarray(np.exp(np.asarray(eta, dtype=np.float64)))

    def link(self, mean: ArrayLike) -> Floats:
        """Return ln(mean)."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.asarray(mean, dtype=np.float64)))

    def limit(self, y: Floats) -> float:
        """Return -inf where all are zeros."""
        return 0.0 if np.any(y > 0.0) else -np.inf

    def check_y(self, y: Floats) -> None:
        """Require numbers >= 0."""
        if np.any(y < 0.0):
            at = int(np.flatnonzero(y < 0.0)[0])
            raise ValueError(
                f"y[{at}] = {y[at]:g} is negative, but loss={self.name!r} takes counts (numbers "
                ">= 0); correct y, or use loss='squared' or 'huber' for responses of both signs."
            )


class Poisson(_Counts):
    r"""The Poisson loss, for counts and other numbers >= 0.

    .. math:: f(\eta; y) = e^\eta - y \eta

    The mean is :math:`e^\eta`. For counts over different times or areas pass their logarithms as
    ``offset``.

    Examples
    --------
    >>> from sparsieve import Poisson
    >>> Poisson().gradient([0.0], [3.0])
    array([-2.])
    """

    name = "poisson"

    def value(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return e^eta - y eta."""
        eta, y = _both(eta, y)
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(eta) - y * eta)

    def gradient(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return the mean minus y."""
        eta, y = _both(eta, y)
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(eta) - y)

    def curvature(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return the mean."""
        eta, y = _both(eta, y)
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(eta) + 0.0 * y)

    def saturated(self, y: ArrayLike) -> Floats:
        """Return y - y ln y."""
        y = np.asarray(y, dtype=np.float64)
        return np.asarray(y - xlogy(y, y))

    def deviance(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return twice e^eta - y - y (eta - ln y), without its cancellation."""
        eta, y = _both(eta, y)
        above = eta - np.log(np.where(y > 0.0, y, 1.0))
        with np.errstate(over="ignore"):
            excess = np.where(y > 0.0, y * (np.expm1(above) - above), np.exp(eta))
        return np.asarray(2.0 * np.maximum(excess, 0.0))

    def conjugate(self, t: ArrayLike, y: ArrayLike) -> Floats:
        """Return m ln m - m, m = y - t >= 0."""
        t, y = _both(t, y)
        m = y - t
        return np.where(m >= 0.0, xlogy(m, np.maximum(m, 0.0)) - m, np.inf)

    def lipschitz(self, y: ArrayLike) -> Floats:
        """Return inf."""
        return np.full_like(np.asarray(y, dtype=np.float64), np.inf)


class NegativeBinomial(_Counts):
    r"""The negative binomial loss, for counts that vary more than a Poisson's.

    .. math:: f(\eta; y) = (y + \theta) \ln(\theta + e^\eta) - y \eta

    The mean is :math:`\mu = e^\eta`, the variance :math:`\mu + \mu^2/\theta`.

    Parameters
    ----------
    theta : float, default=1.0
        The smaller, the more the counts vary; the Poisson loss is the limit of a large one.

    Examples
    --------
    >>> from sparsieve import NegativeBinomial
    >>> NegativeBinomial(theta=1.0).gradient([0.0], [3.0])
    array([-1.])
    """

    name = "negative_binomial"

    def __init__(self, theta: float = 1.0) -> None:
        self.theta = theta

    def validate(self) -> None:
        """Require theta > 0."""
        remedy = "use e.g. mean(y)^2 / (var(y) - mean(y)), or loss='poisson' if that is negative"
        check_number("NegativeBinomial: theta", self.theta, remedy=remedy)

    def _shift(self, eta: Floats) -> Floats:
        return np.asarray(eta - np.log(self.theta))

    def value(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return (y + theta) ln(theta + e^eta) - y eta."""
        eta, y = _both(eta, y)
        z = self._shift(eta)
        # (y + theta) max(z, 0) - y z without the cancellation that large z would have.
        linear = np.where(z > 0.0, self.theta * z, -y * z)
        soft = (y + self.theta) * np.log1p(np.exp(-np.abs(z)))
        return np.asarray(linear + soft + self.theta * np.log(self.theta))

    def gradient(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return (y + theta) m - y, m = e^eta / (theta + e^eta)."""
        eta, y = _both(eta, y)
        z = self._shift(eta)
        return np.asarray(self.theta * expit(z) - y * expit(-z))

    def curvature(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return (y + theta) m (1 - m)."""
        eta, y = _both(eta, y)
        z = self._shift(eta)
        return np.asarray((y + self.theta) * expit(z) * expit(-z))

    def saturated(self, y: ArrayLike) -> Floats:
        """Return (y + theta) ln(theta + y) - y ln y."""
        y = np.asarray(y, dtype=np.float64)
        return np.asarray((y + self.theta) * np.log(self.theta + y) - xlogy(y, y))

    def conjugate(self, t: ArrayLike, y: ArrayLike) -> Floats:
        """Return c (m ln m + (1 - m) ln(1 - m)) - (t + theta) ln theta, m = (y - t)/c in [0, 1]."""
        t, y = _both(t, y)
        c = y + self.theta
        m = (y - t) / c
        return np.asarray(-c * (entr(m) + entr(1.0 - m)) - (t + self.theta) * np.log(self.theta))

    def lipschitz(self, y: ArrayLike) -> Floats:
        """Return (y + theta)/4."""
        return np.asarray(0.25 * (np.asarray(y, dtype=np.float64) + self.theta))
