r"""Losses: how far a linear predictor is from a response.

A loss enters the objective as

.. math:: \sum_i \Omega_i f(\eta_i; y_i), \qquad \eta = o + b + Xw, \quad \sum_i \Omega_i = 1

and is a small object with three vectorised methods: ``value`` (:math:`f`), ``gradient``
(:math:`f'`) and ``curvature`` (:math:`f''`), derivatives in :math:`\eta`. Any class with these
methods, convex in :math:`\eta`, is a loss; :func:`resolve_loss` says what it must satisfy. Plain
NumPy that never overflows for a finite answer: the judges use the same objects.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, runtime_checkable

from ..data.types import Floats

__all__ = ["CoreLoss", "Floats", "Loss"]

#: Name and parameters under which the compiled core knows a loss.
CoreLoss: TypeAlias = tuple[str, tuple[float, ...]]


@runtime_checkable
class Loss(Protocol):
    """Anything with ``value``, ``gradient`` and ``curvature`` of (eta, y), one number per row."""

    def value(self, eta: Any, y: Any) -> Any:
        """Return f(eta; y): convex in eta."""

    def gradient(self, eta: Any, y: Any) -> Any:
        """Return f'(eta; y), the derivative in eta."""

    def curvature(self, eta: Any, y: Any) -> Any:
        """Return f''(eta; y) >= 0."""
