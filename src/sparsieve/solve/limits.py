"""How accurate points must be, and every reason for a path to end before its last alpha."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..data.scalars import check_integer, check_number
from ..data.types import Floats
from .points import Point

__all__ = ["ENDED", "Limits", "check_limits"]

#: Why a path ended: it has its last alpha, or one of the reasons not to go on to it.
ENDED = (
    "complete",
    "max_support",
    "max_deviance",
    "max_time",
    "callback",
    "separated",
    "interrupted",
)

#: Largest tolerance, relative to the slope at zero of its alpha, that a path-wide one turns into.
_COARSEST = 0.1


@dataclass(frozen=True)
class Limits:
    """How accurate each point must be, and where a path may end before its last alpha.

    ``callback(point)`` is called after each alpha and ends the path by returning True. Points have
    no word on convexity when ``convexity`` is False, which saves a factorisation at each alpha.
    ``tol`` is relative to the penalty's slope at zero, at each alpha or, when ``path_wide``, at the
    first one. ``existing`` ends a path before the first point that is "SEPARATED".
    """

    tol: float = 1e-6
    path_wide: bool = False
    max_iter: int = 10_000
    max_support: int | None = None
    max_deviance: float | None = None
    max_time: float | None = None
    callback: Callable[[Point], Any] | None = None
    convexity: bool = True
    existing: bool = False
    started: float = field(default_factory=lambda: time.monotonic())

    @property
    def deadline(self) -> float:
        """When time is up, as time.monotonic counts: set-up and checks are part of it."""
        return math.inf if self.max_time is None else self.started + self.max_time

    def left(self) -> float:
        """Return the seconds that are left, 0 when time is up."""
        return max(self.deadline - time.monotonic(), 0.0)

    @property
    def any(self) -> bool:
        """Whether a path may end before its last alpha."""
        given = (self.max_support, self.max_deviance, self.max_time, self.callback)
        return any(limit is not None for limit in given)

    def share(self, parts: int) -> Limits:
        """Return the limits of the next of ``parts`` equal pieces of work: an equal share of time.

        What a piece leaves over is shared by those after it.
        """
        if self.max_time is None:
            return self
        return replace(self, max_time=self.left() / parts, started=time.monotonic())

    def tolerances(self, penalty: Any, strengths: Floats) -> Floats:
        """Return the tolerance of each alpha, relative to the penalty's slope at zero there.

        The strengths are what the penalty has of the alphas. A path-wide tolerance is the same
        violation everywhere, but for points so coarse that they would say nothing.
        """
        if not self.path_wide:
            return np.full(len(strengths), self.tol)
        slopes = np.asarray(penalty.slope(np.zeros(len(strengths)), strengths), dtype=np.float64)
        wanted: Floats = np.maximum(self.tol * slopes[0] / slopes, self.tol)
        return np.minimum(wanted, max(self.tol, _COARSEST)).astype(np.float64)

    def reached(self, point: Point) -> str:
        """Return the name of the limit that this point reaches, or ""; the callback sees it too."""
        # A comparison of NumPy numbers is a NumPy bool; any other value does not stop the path.
        answer = None if self.callback is None else self.callback(point)
        if self.max_support is not None and point.values.size >= self.max_support:
            return "max_support"
        if self.max_deviance is not None and point.r2 >= self.max_deviance:
            return "max_deviance"
        return "callback" if isinstance(answer, bool | np.bool_) and answer else ""


def check_limits(
    *,
    tol: Any,
    max_iter: Any,
    tol_relative_to: Any = "alpha",
    max_support: Any = None,
    max_deviance: Any = None,
    max_time: Any = None,
    callback: Any = None,
) -> Limits:
    """Return validated limits; None switches a limit off."""
    if callback is not None and not callable(callback):
        raise TypeError(f"callback={callback!r} cannot be called; pass a function of one point.")
    if tol_relative_to not in ("alpha", "path"):
        raise ValueError(
            f"tol_relative_to={tol_relative_to!r} is unknown; use 'alpha' for a tolerance relative "
            "to each alpha's penalty, or 'path' for the same violation along the path."
        )
    return Limits(
        path_wide=tol_relative_to == "path",
        tol=check_number("tol", tol, remedy="use e.g. tol=1e-6"),
        max_iter=check_integer("max_iter", max_iter, low=1, remedy="use e.g. max_iter=10000"),
        max_support=None
        if max_support is None
        else check_integer("max_support", max_support, low=1, remedy="use e.g. max_support=50"),
        max_deviance=None
        if max_deviance is None
        else check_number(
            "max_deviance",
            max_deviance,
            high=1.0,
            closed="high",
            remedy="it is a fraction explained, e.g. max_deviance=0.99",
        ),
        max_time=None
        if max_time is None
        else check_number("max_time", max_time, remedy="it counts seconds, e.g. max_time=60"),
        callback=callback,
    )
