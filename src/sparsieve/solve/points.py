"""Certified solutions: one with its proof, or many end to end."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.types import Floats

__all__ = ["Counters", "Direction", "Fits", "Point"]


class Counters(NamedTuple):
    """What a point cost, counted apart; which work counts as what may change with any version."""

    x_bytes: int
    shadow_bytes: int
    rounds: int
    epochs: int
    solves: int

    @classmethod
    def sum(cls, parts: Iterable[Counters | None]) -> Counters | None:
        """Return all together, None if one of them is not known."""
        known = list(parts)
        return None if None in known else cls(*map(sum, zip(*known, strict=True)))


class Direction(NamedTuple):
    """A way in which the loss falls for ever and the penalty does not grow."""

    columns: NDArray[np.int64]
    values: Floats
    intercept: float


@dataclass(frozen=True, slots=True)
class Point:
    """One certified solution: where it was found, what it is, and the proof.

    ``columns`` and ``values`` are the non-zero coefficients. The proof: ``kkt`` is the largest
    violation of the stationarity condition over all features as a fraction of ``slope(0)``,
    ``dual_gap`` the duality gap of the last weighted lasso, ``convex`` tells whether the objective
    is strictly convex on the support (the point is then a strict local minimum there). ``r2`` is
    the fraction of the (weighted) deviance of y that the fit explains. Where the status is
    "SEPARATED" there is no solution: intercept and coefficients of the ``direction`` are nan.
    ``start`` is where the solve began: "previous", "lasso", "upwards", "given", or "none" where it
    makes no difference.
    ``minimum`` is how strong a minimum it is: "stationary", "coordinatewise" (no change of a single
    coefficient lowers the objective by more than tol of it) or "swap" (nor does an exchange of one
    feature for another).
    """

    alpha: float
    columns: NDArray[np.int64]
    values: Floats
    intercept: float
    objective: float
    kkt: float
    dual_gap: float
    n_iter: int
    status: str
    convex: bool
    passes: float
    settled_by_bound: int
    settled_by_reading: int
    r2: float = math.nan
    settled_by_shadow: int = 0
    start: str = "previous"
    minimum: str = "stationary"
    #: Along which the loss falls for ever, of a point that is "SEPARATED": no finite one is best.
    direction: Direction | None = field(default=None, compare=False, repr=False)
    # No part of what a point is: not compared, shown or stored.
    counters: Counters | None = field(default=None, compare=False, repr=False)

    @property
    def converged(self) -> bool:
        """Whether ``kkt`` reached the tolerance."""
        return self.status == "CONVERGED"

    @classmethod
    def of(cls, *values: Any) -> Point:
        """Make a point of all its values, in the order of the fields.

        Setting attributes of a frozen object takes ten times as long as of any other, a third of
        the time of a short path: they are set on one with the same slots, which is frozen then.
        """
        point: Any = _Draft(*values)
        point.__class__ = cls
        made: Point = point
        return made


# A point that is not frozen yet: the same slots.
_Draft: Any = make_dataclass("_Draft", [each.name for each in fields(Point)], slots=True, eq=False)


class Fits(NamedTuple):
    """What a fold of a cross-validation needs to know of solutions, end to end."""

    sizes: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Floats
    intercepts: Floats
    objective: Floats
    kkt: Floats
    converged: NDArray[np.uint8]

    @classmethod
    def of(cls, points: Sequence[Point]) -> Fits:
        """Collect points."""
        none = np.empty(0)
        return cls(
            sizes=np.array([point.columns.size for point in points], dtype=np.int64),
            columns=np.concatenate([none.astype(np.int64), *(point.columns for point in points)]),
            values=np.concatenate([none, *(point.values for point in points)]),
            intercepts=np.array([point.intercept for point in points]),
            objective=np.array([point.objective for point in points]),
            kkt=np.array([point.kkt for point in points]),
            converged=np.array([point.converged for point in points], dtype=np.uint8),
        )

    def only(self, k: int) -> Fits:
        """Return the fit of number k."""
        here = slice(int(self.sizes[:k].sum()), int(self.sizes[: k + 1].sum()))
        each = {name: getattr(self, name)[k : k + 1] for name in self._fields}
        return Fits(**each | {"columns": self.columns[here], "values": self.values[here]})

    @classmethod
    def joined(cls, parts: Sequence[Fits]) -> Fits:
        """Put solutions one after the other."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    @classmethod
    def picked(cls, tracks: Sequence[Fits], chosen: NDArray[np.int64]) -> Fits:
        """Return at each place the solution of the chosen track."""
        singles = [track.single() for track in tracks]
        return cls.joined([singles[track][place] for place, track in enumerate(chosen)])

    def reversed(self) -> Fits:
        """Return the solutions, last first."""
        return self if self.sizes.size == 0 else Fits.joined(self.single()[::-1])

    def single(self) -> list[Fits]:
        """Return each solution by itself."""
        ends = np.cumsum(self.sizes)
        parts = []
        for place, (size, end) in enumerate(zip(self.sizes, ends, strict=True)):
            part, one = slice(end - size, end), slice(place, place + 1)
            parts.append(
                Fits(
                    self.sizes[one],
                    self.columns[part],
                    self.values[part],
                    self.intercepts[one],
                    self.objective[one],
                    self.kkt[one],
                    self.converged[one],
                )
            )
        return parts

    def each(self) -> Iterator[tuple[NDArray[np.int64], Floats, float]]:
        """Yield columns, values and intercept of each solution."""
        ends = np.cumsum(self.sizes).tolist()
        for size, end, intercept in zip(self.sizes.tolist(), ends, self.intercepts, strict=True):
            yield self.columns[end - size : end], self.values[end - size : end], float(intercept)
