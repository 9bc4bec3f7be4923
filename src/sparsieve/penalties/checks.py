"""The check of a user's own penalty at first use: increasing, concave, consistent.

Majorisation-minimisation is only a descent method for such a penalty, and a wrong slope would be
certified as if it were right. So the formulas are compared with each other before they are trusted.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..data.types import Floats

_SIGNATURE = "value(abs_w, alpha) and slope(abs_w, alpha)"
# Zero, and sizes from far below to far above any usual breakpoint, each with a close right
# neighbour so that the chord between the two pins the slope down.
_LEFT = np.concatenate([[0.0], np.logspace(-6, 5, 45)])
_GRID = np.sort(np.concatenate([_LEFT, _LEFT * (1 + 1e-3) + 1e-9]))
_ALPHAS = (1e-3, 0.5, 20.0)


def check_user_penalty(penalty: Any) -> None:
    """Raise TypeError or ValueError, with the remedy, unless ``penalty`` is usable.

    Checked on a grid of sizes and alphas: slope is finite, >= 0 and non-increasing in abs_w;
    every chord of value lies between the slopes at its two ends (which is what "slope is the
    derivative of a concave value" means, kinks included); an array of alphas gives the same numbers
    as one alpha at a time.
    """
    name = type(penalty).__name__
    if not (
        callable(getattr(penalty, "value", None)) and callable(getattr(penalty, "slope", None))
    ):
        raise TypeError(
            f"penalty of type {name} is not a penalty: it needs the methods {_SIGNATURE}; or use a "
            "name such as 'mcp', or an object such as sparsieve.MCP()."
        )
    for alpha in _ALPHAS:
        value = _evaluate(penalty, "value", _GRID, alpha)
        slope = _evaluate(penalty, "slope", _GRID, alpha)
        _check_slope(name, slope, alpha)
        _check_chords(name, value, slope, alpha)
    _check_array_alpha(penalty)


def _evaluate(penalty: Any, method: str, abs_w: Floats, alpha: float | Floats) -> Floats:
    name = type(penalty).__name__
    kind = "an array" if isinstance(alpha, np.ndarray) else "a number"
    try:
        with np.errstate(all="ignore"):
            result = np.asarray(getattr(penalty, method)(abs_w, alpha), dtype=np.float64)
    except Exception as error:
        raise TypeError(
            f"penalty {name}: {method}(abs_w, alpha) failed with abs_w an array and alpha {kind} "
            f"({type(error).__name__}: {error}); write it with NumPy operations that act on every "
            "entry, for instance np.where instead of if."
        ) from error
    if result.shape != abs_w.shape:
        raise TypeError(
            f"penalty {name}: {method}(abs_w, alpha) returned shape {result.shape} for abs_w of "
            f"shape {abs_w.shape}; return one number per entry, for instance "
            "alpha * np.ones_like(abs_w) for a constant."
        )
    return result


def _check_slope(name: str, slope: Floats, alpha: float) -> None:
    if not np.isfinite(slope[0]):
        raise ValueError(
            f"penalty {name}: slope(0, alpha={alpha:g}) is {slope[0]}; it must be finite, or zero "
            "could never be left. Smooth the penalty at 0, as Lq does with its eps."
        )
    if not np.all(np.isfinite(slope)):
        where = _GRID[np.flatnonzero(~np.isfinite(slope))[0]]
        raise ValueError(f"penalty {name}: slope({where:g}, alpha={alpha:g}) is not finite.")
    if np.any(slope < 0):
        worst = int(np.argmin(slope))
        raise ValueError(
            f"penalty {name}: slope({_GRID[worst]:g}, alpha={alpha:g}) = {slope[worst]:g} is "
            "negative; a penalty must not decrease. Clip it with np.maximum(slope, 0) and make "
            "value constant from there on."
        )
    # A relative 1e-9 allows for rounding in the user's formula, for nothing else.
    rise = np.diff(slope) - 1e-9 * slope[:-1]
    if np.any(rise > 0):
        worst = int(np.argmax(rise))
        raise ValueError(
            f"penalty {name}: slope increases from {slope[worst]:g} at {_GRID[worst]:g} to "
            f"{slope[worst + 1]:g} at {_GRID[worst + 1]:g} (alpha={alpha:g}); it must be "
            "non-increasing, that is, value must be concave in abs_w."
        )


def _check_chords(name: str, value: Floats, slope: Floats, alpha: float) -> None:
    if not np.all(np.isfinite(value)):
        where = _GRID[np.flatnonzero(~np.isfinite(value))[0]]
        raise ValueError(f"penalty {name}: value({where:g}, alpha={alpha:g}) is not finite.")
    # Formulas such as log(theta + t) - log(theta) may leave a rounding of their parts at zero.
    if abs(value[0]) > 1e-12 * np.max(np.abs(value)):
        raise ValueError(
            f"penalty {name}: value(0, alpha={alpha:g}) is {value[0]:g}; a zero must "
            "cost nothing: subtract value(0, alpha) from value."
        )
    step, rise = np.diff(_GRID), np.diff(value)
    # The rise is a difference of rounded numbers: a few units in the last place of each.
    slack = 1e-6 * slope[:-1] * step + 1e-14 * (np.abs(value[1:]) + np.abs(value[:-1]))
    wrong = (rise > slope[:-1] * step + slack) | (rise < slope[1:] * step - slack)
    if np.any(wrong):
        at = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"penalty {name}: slope is not the derivative of value near {_GRID[at]:g} "
            f"(alpha={alpha:g}): value rises by {rise[at] / step[at]:g} per unit, slope says "
            f"{slope[at]:g}. Correct one of the two formulas."
        )


def _check_array_alpha(penalty: Any) -> None:
    alphas = np.resize(np.asarray(_ALPHAS), _GRID.shape)
    for method in ("value", "slope"):
        together = _evaluate(penalty, method, _GRID, alphas)
        one_by_one = np.empty_like(together)
        for k, alpha in enumerate(_ALPHAS):
            every = slice(k, None, len(_ALPHAS))
            one_by_one[every] = _evaluate(penalty, method, _GRID[every], alpha)
        # The same formula on the same numbers: only the order of operations may differ.
        if not np.allclose(together, one_by_one, rtol=1e-9, atol=0.0):
            raise ValueError(
                f"penalty {type(penalty).__name__}: {method} with one alpha per coefficient "
                "differs from one alpha at a time; use alpha entry by entry (it may be an array)."
            )


class Watched:
    """A user's penalty as the core calls it: every answer is checked, and errors name the class.

    The grid of :func:`check_user_penalty` cannot meet every size a fit meets.
    """

    def __init__(self, penalty: Any) -> None:
        self._penalty = penalty

    def value(self, abs_w: Floats, alpha: Floats) -> Floats:
        """Return the penalty's value, checked."""
        return self._answer("value", abs_w, alpha)

    def slope(self, abs_w: Floats, alpha: Floats) -> Floats:
        """Return the penalty's slope, checked."""
        slope = self._answer("slope", abs_w, alpha)
        if np.any(slope < 0.0):
            at = int(np.argmin(slope))
            self._complain("slope", abs_w[at], alpha[at], slope[at], "a number >= 0")
        return slope

    def _answer(self, method: str, abs_w: Floats, alpha: Floats) -> Floats:
        # A trial step may be very long: 1 / (1 + t)^2 is then 0, and its overflow no news.
        with np.errstate(over="ignore"):
            answer = as_floats(getattr(self._penalty, method)(abs_w, alpha))
        if answer.shape != abs_w.shape:
            raise ValueError(
                f"penalty {type(self._penalty).__name__}: {method} returned shape {answer.shape} "
                f"for abs_w of shape {abs_w.shape}; return one number per coordinate."
            )
        if not np.all(np.isfinite(answer)):
            at = int(np.flatnonzero(~np.isfinite(answer))[0])
            self._complain(method, abs_w[at], alpha[at], answer[at], "a finite number")
        return answer

    def _complain(
        self, method: str, abs_w: float, alpha: float, answer: float, wanted: str
    ) -> NoReturn:
        raise ValueError(
            f"penalty {type(self._penalty).__name__}: {method}({abs_w:g}, alpha={alpha:g}) is "
            f"{answer:g} in the middle of a fit; return {wanted} for every size and strength."
        )


def as_floats(numbers: Any) -> NDArray[np.float64]:
    """Return what a penalty answered as the contiguous float64 vector the core reads."""
    try:
        return np.ascontiguousarray(numbers, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"a penalty's value and slope must return an array of numbers, got {numbers!r}; return "
            "one number per coordinate."
        ) from error
