r"""Penalties: what a coefficient of size t costs, and how fast that cost grows.

A penalty enters the objective as

.. math:: \sum_j r(|w_j|;\, \alpha \pi_j)

and is a small object with two vectorised methods, ``value`` (:math:`r`) and ``slope`` (:math:`r'`).
Majorisation-minimisation needs nothing else: the slope is the l1 weight of the next weighted lasso.
Any class with these two methods is a penalty; :func:`resolve_penalty` says what it must satisfy.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from ..data.types import Floats

__all__ = ["CoreSpec", "Floats", "Penalty", "slope_at_zero"]

CoreSpec: TypeAlias = tuple[str, float, float]


@runtime_checkable
class Penalty(Protocol):
    """Anything with ``value(abs_w, alpha)`` and ``slope(abs_w, alpha)``, both vectorised."""

    def value(self, abs_w: Any, alpha: Any) -> Any:
        """Return r(abs_w; alpha), one number per coefficient."""

    def slope(self, abs_w: Any, alpha: Any) -> Any:
        """Return r'(abs_w; alpha): >= 0, non-increasing in abs_w, finite at 0."""


def slope_at_zero(penalty: Penalty, alpha: float) -> float:
    """Return r'(0; alpha): the size of a correlation up to which zero is stationary."""
    return float(np.asarray(penalty.slope(np.zeros(1), np.full(1, alpha)), dtype=np.float64)[0])
