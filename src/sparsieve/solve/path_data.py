"""The numbers of a path, without what people do with them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.scalars import check_number
from ..data.types import Floats
from ..losses import BuiltInLoss
from ..penalties import Penalty
from .points import Point
from .problem import SQUARED, Problem

__all__ = ["PathData", "nearest_alpha"]


@dataclass(frozen=True, eq=False, repr=False)
class PathData:
    """Solutions along a path: :class:`sparsieve.Path` says what each field is."""

    alphas: Floats
    coefs: Any
    intercepts: Floats
    objective: Floats
    kkt: Floats
    dual_gap: Floats
    n_iter: NDArray[np.int64]
    converged: NDArray[np.bool_]
    convex: NDArray[np.bool_]
    support_size: NDArray[np.int64]
    passes: Floats
    r2: Floats
    penalty: Penalty
    status: list[str]
    points: list[Point]
    feature_names: NDArray[Any] | None = None
    ended: str = "complete"
    problem: Problem | None = None
    tol_relative_to: str = "alpha"
    loss: BuiltInLoss = SQUARED

    @property
    def start(self) -> NDArray[np.str_]:
        """Where each solve began."""
        return np.array([point.start for point in self.points], dtype=str)

    @property
    def minimum(self) -> NDArray[np.str_]:
        """How strong a minimum each point is."""
        return np.array([point.minimum for point in self.points], dtype=str)

    def __getstate__(self) -> dict[str, Any]:
        # The data stay where they are: a saved path should not carry a copy of X.
        return {**self.__dict__, "problem": None}

    def __iter__(self) -> Iterator[Any]:
        return iter((self.alphas, self.coefs, self.dual_gap))

    def __len__(self) -> int:
        return len(self.alphas)

    def coef_at(self, alpha: float) -> Floats:
        """Return the dense coefficients at the path's alpha nearest (in ratio) to the given one.

        A warning tells when the given one is outside the range of the path.
        """
        check_number("alpha", alpha, remedy="pass one of path.alphas")
        point = self.points[nearest_alpha(self.alphas, alpha, stacklevel=3)]
        coef = np.zeros(self.coefs.shape[0])
        coef[point.columns] = point.values
        return coef


# An alpha copied from a table or a figure is rounded.
_ROUNDED = 0.01


def nearest_alpha(alphas: Floats, alpha: float, stacklevel: int = 2) -> int:
    """Return which of the alphas is nearest in ratio to a given one; warn if it is beyond them."""
    high, low = float(np.max(alphas)), float(np.min(alphas))
    if not low * (1.0 - _ROUNDED) <= alpha <= high * (1.0 + _ROUNDED):
        end = high if alpha > high else low
        warnings.warn(
            f"alpha={alpha:.6g} is outside the path, whose alphas go from {high:.6g} to {low:.6g}; "
            f"what follows is its end at {end:.6g}. For another alpha compute a path that has it.",
            UserWarning,
            stacklevel=stacklevel,
        )
    return int(np.argmin(np.abs(np.log(alphas / alpha))))
