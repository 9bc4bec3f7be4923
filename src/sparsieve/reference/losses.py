r"""Losses in plain NumPy, each formula as it is written: the oracle of their tests.

With y, the linear predictor eta and parameters as in :mod:`sparsieve.losses`; no formula here
avoids overflow or cancellation, and none is shared with the library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .design import Array

__all__ = ["LossTwin", "loss_twin"]

Formula = Callable[[Array, Array], Array]


class LossTwin(NamedTuple):
    """Value, residual -f', curvature f'' and dual value f*(-t) of one loss, row by row."""

    value: Formula
    residual: Formula
    curvature: Formula
    dual: Formula


def _xlogx(x: Array) -> Array:
    """Return x ln x, 0 at 0; inf for negative x, where a conjugate is infinite."""
    with np.errstate(invalid="ignore", divide="ignore"):
        inside: Array = np.where(x == 0.0, 0.0, x * np.log(np.where(x > 0.0, x, 1.0)))
    return np.where(x < 0.0, np.inf, inside)


def _squared() -> LossTwin:
    return LossTwin(
        value=lambda eta, y: (y - eta) ** 2 / 2,
        residual=lambda eta, y: y - eta,
        curvature=lambda eta, y: np.ones_like(eta),
        dual=lambda t, y: t**2 / 2 - y * t,
    )


def _huber(delta: float) -> LossTwin:
    def value(eta: Array, y: Array) -> Array:
        r = y - eta
        return np.where(np.abs(r) <= delta, r**2 / 2, delta * np.abs(r) - delta**2 / 2)

    return LossTwin(
        value=value,
        residual=lambda eta, y: np.clip(y - eta, -delta, delta),
        curvature=lambda eta, y: np.where(np.abs(y - eta) <= delta, 1.0, 0.0),
        dual=lambda t, y: np.where(np.abs(t) <= delta, t**2 / 2 - y * t, np.inf),
    )


def _logistic() -> LossTwin:
    def mean(eta: Array) -> Array:
        return 1 / (1 + np.exp(-eta))

    return LossTwin(
        value=lambda eta, y: np.log(1 + np.exp(eta)) - y * eta,
        residual=lambda eta, y: y - mean(eta),
        curvature=lambda eta, y: mean(eta) * (1 - mean(eta)),
        dual=lambda t, y: _xlogx(y - t) + _xlogx(1 - (y - t)),
    )


def _poisson() -> LossTwin:
    return LossTwin(
        value=lambda eta, y: np.exp(eta) - y * eta,
        residual=lambda eta, y: y - np.exp(eta),
        curvature=lambda eta, y: np.exp(eta),
        dual=lambda t, y: _xlogx(y - t) - (y - t),
    )


def _negative_binomial(theta: float) -> LossTwin:
    def share(eta: Array) -> Array:
        m: Array = np.exp(eta) / (theta + np.exp(eta))
        return m

    def dual(t: Array, y: Array) -> Array:
        # As (y + theta) logistic losses of eta - ln theta with labels y/(y + theta).
        c = y + theta
        m = (y - t) / c
        value: Array = c * (_xlogx(m) + _xlogx(1 - m)) - (t + theta) * np.log(theta)
        return value

    return LossTwin(
        value=lambda eta, y: (y + theta) * np.log(theta + np.exp(eta)) - y * eta,
        residual=lambda eta, y: y - (y + theta) * share(eta),
        curvature=lambda eta, y: (y + theta) * share(eta) * (1 - share(eta)),
        dual=dual,
    )


_TWINS: dict[str, Callable[..., LossTwin]] = {
    "squared": _squared,
    "huber": _huber,
    "logistic": _logistic,
    "poisson": _poisson,
    "negative_binomial": _negative_binomial,
}


def loss_twin(name: str, **parameters: float) -> LossTwin:
    """Return the formulas of a loss by its name: ``loss_twin("huber", delta=1.0)``."""
    if name not in _TWINS:
        known = ", ".join(map(repr, _TWINS))
        raise ValueError(f"there is no twin of loss={name!r}; use one of {known}.")
    return _TWINS[name](**parameters)
