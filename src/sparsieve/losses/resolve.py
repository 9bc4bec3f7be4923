"""Losses by name, and what a constant model makes of a response."""

from __future__ import annotations

import difflib
import math
from typing import Any

import numpy as np

from ..data.types import Floats
from .base import Loss
from .builtin import BuiltInLoss, Huber, Logistic, NegativeBinomial, Poisson, Squared
from .own import OwnLoss

__all__ = ["BY_NAME", "built_in_name", "is_squared", "null_shift", "resolve_loss"]

BY_NAME: dict[str, type[BuiltInLoss]] = {
    cls.name: cls for cls in (Squared, Logistic, Poisson, NegativeBinomial, Huber)
}
# What else people call them; capitals, spaces, "-" and "_" make no difference in any name.
_ALIASES = {
    "squares": "squared",
    "squared_error": "squared",
    "gaussian": "squared",
    "log_loss": "logistic",
    "binomial": "logistic",
}


def _plain(name: str) -> str:
    return "".join(name.lower().split()).replace("-", "").replace("_", "")


_SAID = {_plain(name): BY_NAME[name] for name in BY_NAME} | {
    _plain(alias): BY_NAME[name] for alias, name in _ALIASES.items()
}


def resolve_loss(loss: str | Loss) -> BuiltInLoss:
    """Return a checked loss from a name or an object.

    Parameters
    ----------
    loss : str or object
        ``"squared"``, ``"logistic"``, ``"poisson"``, ``"negative_binomial"`` or ``"huber"`` mean
        the class with its defaults. Any other object with ``value(eta, y)``, ``gradient(eta, y)``
        and ``curvature(eta, y)``, one number per row, is a loss too; its formulas are tried on a
        grid when the data are known. ``minimum(y)``, the smallest value of each row, is needed for
        a duality gap, and ``mean(eta)`` for predictions that are not the linear predictor.

    Returns
    -------
    BuiltInLoss
        The object itself, or the user's in the clothes of one.

    Raises
    ------
    ValueError
        For a name that is not known, or a parameter out of its range.
    TypeError
        For a class, and for an object without the methods.
    """
    if isinstance(loss, str):
        said = _plain(loss)
        if said not in _SAID:
            near = difflib.get_close_matches(said, _SAID, n=1)
            hint = f" (did you mean {_SAID[near[0]].name!r}?)" if near else ""
            raise ValueError(
                f"loss={loss!r} is not known{hint}; use one of {', '.join(map(repr, BY_NAME))}, or "
                "an object with the methods value(eta, y), gradient(eta, y) and curvature(eta, y)."
            )
        return _SAID[said]()
    if isinstance(loss, type):
        raise TypeError(f"loss is the class {loss.__name__}; pass an instance: {loss.__name__}().")
    # A subclass may have its own formulas, which the core must not take for its parent's.
    ours = isinstance(loss, OwnLoss) or built_in_name(loss) is not None
    known: BuiltInLoss = loss if ours else OwnLoss(loss)  # type: ignore[assignment]
    known.validate()
    return known


def built_in_name(loss: Any) -> str | None:
    """Return the name of a loss of the library; None for anything else, a subclass too."""
    return next((name for name, cls in BY_NAME.items() if type(loss) is cls), None)


def is_squared(loss: BuiltInLoss) -> bool:
    """Tell whether a loss is least squares, whose solutions need no loss beside the data."""
    return type(loss) is Squared


def predicts_amounts(loss: BuiltInLoss) -> bool:
    """Tell whether predictions are amounts in the units of y, whose residuals can be drawn."""
    return isinstance(loss, Squared | Huber)


# Halvings and doublings of an interval: enough for any double.
_HALVINGS = 2000
_FAR = 1e300


def null_shift(loss: BuiltInLoss, y: Floats, omega: Floats, offset: Floats | None = None) -> float:
    r"""Return the constant that explains a response best, beside an offset.

    .. math:: \arg\min_b \sum_i \Omega_i f(o_i + b; y_i)

    -inf or inf where the minimum is not attained: a single class, or no counts at all.
    """
    used = omega > 0.0
    y, omega = y[used], omega[used]
    o = np.zeros_like(y) if offset is None else offset[used]

    def slope(b: float) -> float:
        return float(omega @ loss.gradient(o + b, y))

    if is_squared(loss):
        return float(omega @ (y - o) / math.fsum(omega))
    limit = loss.limit(y)
    if limit != 0.0:
        return limit
    low, high = -1.0, 1.0
    while slope(low) > 0.0 and low > -_FAR:
        low *= 2.0
    while slope(high) < 0.0 and high < _FAR:
        high *= 2.0
    for _ in range(_HALVINGS):
        middle = low + 0.5 * (high - low)
        if not low < middle < high:
            break
        low, high = (middle, high) if slope(middle) < 0.0 else (low, middle)
    return high
