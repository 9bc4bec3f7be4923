"""A user's own loss: its check, and the facts that other rooms ask for."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .._words import describe
from .base import Floats
from .builtin import BuiltInLoss

__all__ = ["OwnLoss"]

_METHODS = ("value", "gradient", "curvature")
_SIGNATURE = "value(eta, y), gradient(eta, y) and curvature(eta, y)"
# Linear predictors near zero and far from it, of both signs, each with a close right neighbour so
# that the chord between the two pins a derivative down.
_SIZES = np.r_[0.0, np.geomspace(1e-3, 30.0, 24)]
_STEP = 1e-4
_LEFT = np.unique(np.r_[-_SIZES, _SIZES])
_GRID = np.sort(np.r_[_LEFT, _LEFT + _STEP * np.maximum(np.abs(_LEFT), 1.0)])
# Responses of the data that formulas are tried on.
_RESPONSES = 7


class OwnLoss(BuiltInLoss):
    """A user's loss in the clothes of a built-in one.

    Parameters
    ----------
    loss : object
        With ``value``, ``gradient`` and ``curvature``; ``minimum(y)``, the smallest value of each
        row, and ``mean(eta)`` are optional.
    """

    dispersion: ClassVar[float | None] = None

    def __init__(self, loss: Any) -> None:
        self.loss = loss

    @property
    def label(self) -> str:
        """The user's loss with its parameters, in words."""
        return describe(self.loss)

    @property
    def identity(self) -> Any:
        """The user's object."""
        return self.loss

    def _ask(self, method: str, *arguments: Floats) -> Floats:
        """Return one number per row, checked: the grid cannot meet all that a fit meets."""
        kind = type(self.loss).__name__
        try:
            with np.errstate(all="ignore"):
                answer = np.asarray(getattr(self.loss, method)(*arguments), dtype=np.float64)
        except Exception as error:
            raise TypeError(
                f"loss {kind}: {method} failed with arrays of one number per row "
                f"({type(error).__name__}: {error}); write it with NumPy operations that act on "
                "every entry, for instance np.where instead of if."
            ) from error
        if answer.shape != arguments[0].shape:
            raise TypeError(
                f"loss {kind}: {method} returned shape {answer.shape} for arrays of shape "
                f"{arguments[0].shape}; return one number per row."
            )
        if np.any(np.isnan(answer)):
            at = int(np.flatnonzero(np.isnan(answer))[0])
            where = ", ".join(f"{argument.flat[at]:g}" for argument in arguments)
            raise ValueError(
                f"loss {kind}: {method}({where}) is nan; return a number for every eta, inf where "
                "it is too large for a double."
            )
        return answer

    def value(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return what the user's formula says."""
        return self._ask("value", *_alike(eta, y))

    def gradient(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return what the user's formula says."""
        return self._ask("gradient", *_alike(eta, y))

    def curvature(self, eta: ArrayLike, y: ArrayLike) -> Floats:
        """Return what the user's formula says."""
        return self._ask("curvature", *_alike(eta, y))

    def mean(self, eta: ArrayLike) -> Floats:
        """Return what ``mean`` of the loss says; without it, the linear predictor."""
        eta = np.asarray(eta, dtype=np.float64)
        return self._ask("mean", eta) if callable(getattr(self.loss, "mean", None)) else eta

    @property
    def has_minimum(self) -> bool:
        """Whether the smallest value of each row is known; the duality gap needs it."""
        return callable(getattr(self.loss, "minimum", None))

    def saturated(self, y: ArrayLike) -> Floats:
        """Return what ``minimum`` of the loss says; without it, zeros."""
        y = np.asarray(y, dtype=np.float64)
        return self._ask("minimum", y) if self.has_minimum else np.zeros_like(y)

    def lipschitz(self, y: ArrayLike) -> Floats:
        """Return inf: nothing is known."""
        return np.full_like(np.asarray(y, dtype=np.float64), np.inf)

    def for_core(self) -> OwnLoss:
        """Return the loss as the core calls it: with ``minimum`` where that is known."""
        return _WithMinimum(self.loss) if self.has_minimum else self

    def validate(self) -> None:
        """Require the three methods, and an object instead of a class."""
        if not all(callable(getattr(self.loss, method, None)) for method in _METHODS):
            raise TypeError(
                f"loss of type {type(self.loss).__name__} is not a loss: it needs the methods "
                f"{_SIGNATURE}; or use a name such as 'logistic', or an object such as "
                "sparsieve.Logistic()."
            )

    def check_y(self, y: Floats) -> None:
        """Try the formulas on a grid of linear predictors and on some responses of the data.

        All is finite, the curvature is >= 0, every chord of the value lies between the gradients at
        its ends, and the chords of the gradient between neighbours agree with the curvature.
        """
        places = np.linspace(0.0, 1.0, _RESPONSES)
        for response in np.unique(np.quantile(y, places, method="nearest")):
            rows = np.full_like(_GRID, response)
            value, gradient, curvature = (self._ask(each, _GRID, rows) for each in _METHODS)
            self._require_finite(response, value=value, gradient=gradient, curvature=curvature)
            self._require_convex(response, curvature)
            self._require_derivatives(response, value, gradient, curvature)
            if self.has_minimum:
                self._require_minimum(response, value, float(self.saturated([response])[0]))

    def _complain(self, what: str, remedy: str) -> None:
        raise ValueError(f"loss {type(self.loss).__name__}: {what}; {remedy}.")

    def _require_finite(self, y: float, **answers: Floats) -> None:
        for method, answer in answers.items():
            bad = ~np.isfinite(answer)
            if np.any(bad):
                eta = _GRID[np.flatnonzero(bad)[0]]
                self._complain(
                    f"{method}({eta:g}, y={y:g}) is {answer[bad][0]}",
                    "return a finite number for every eta and every y of the data",
                )

    def _require_convex(self, y: float, curvature: Floats) -> None:
        if np.any(curvature < 0.0):
            at = int(np.argmin(curvature))
            self._complain(
                f"curvature({_GRID[at]:g}, y={y:g}) = {curvature[at]:g} is negative",
                "a loss must be convex in eta",
            )

    def _require_derivatives(self, y: float, value: Floats, first: Floats, second: Floats) -> None:
        step, rise = np.diff(_GRID), np.diff(value)
        # Rounding of the user's formulas: a few units in the last place of what they return.
        slack = 1e-6 * step * (np.abs(first[1:]) + np.abs(first[:-1]))
        slack += 1e-13 * (np.abs(value[1:]) + np.abs(value[:-1]) + np.abs(y * _GRID[1:]) + 1.0)
        wrong = (rise < first[:-1] * step - slack) | (rise > first[1:] * step + slack)
        if np.any(wrong):
            at = int(np.flatnonzero(wrong)[0])
            self._complain(
                f"gradient is not the derivative of a convex value near eta={_GRID[at]:g}, y={y:g}:"
                f" value rises by {rise[at] / step[at]:g} per unit, gradient says {first[at]:g}",
                "correct one of the two formulas",
            )
        close = step <= 2.0 * _STEP * np.maximum(np.abs(_GRID[1:]), 1.0)
        bend, low = np.diff(first), np.minimum(second[1:], second[:-1])
        high = np.maximum(second[1:], second[:-1])
        # A curvature may jump between neighbours, as Huber's does, and be anything between.
        slack = 1e-2 * high * step + 1e-10 * (np.abs(first[1:]) + np.abs(first[:-1]) + 1.0)
        wrong = close & ((bend < low * step - slack) | (bend > high * step + slack))
        if np.any(wrong):
            at = int(np.flatnonzero(wrong)[0])
            self._complain(
                f"curvature is not the derivative of gradient near eta={_GRID[at]:g}, y={y:g}: "
                f"gradient rises by {bend[at] / step[at]:g} per unit, curvature says "
                f"{second[at]:g}",
                "correct one of the two formulas",
            )

    def _require_minimum(self, y: float, value: Floats, least: float) -> None:
        slack = 1e-9 * (1.0 + abs(least))
        if not np.isfinite(least) or np.any(value < least - slack):
            at = int(np.argmin(value))
            self._complain(
                f"minimum({y:g}) is {least:g}, but value({_GRID[at]:g}, y={y:g}) is {value[at]:g}",
                "return the smallest value of each row, or leave minimum out",
            )


class _WithMinimum(OwnLoss):
    """The same with the name that the core asks for."""

    def minimum(self, y: Floats) -> Floats:
        """Return the smallest value of each row."""
        return self.saturated(y)


def _alike(eta: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return both as contiguous arrays of one shape: a user's formulas see rows only."""
    eta, y = np.broadcast_arrays(np.asarray(eta, dtype=np.float64), np.asarray(y, dtype=np.float64))
    return np.ascontiguousarray(eta), np.ascontiguousarray(y)
