"""Lower the points of a path: begin at each alpha also from the points beside it.

Each walk of ``start="best"`` goes its own way; where one of them was lucky, the others do not know.
So the lowest point at one alpha becomes a start for its neighbours, down the alphas and back up,
until that leads nowhere lower.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .points import Point
from .solvers import Begin
from .starts import lowest

__all__ = ["PASSES", "Lowering"]

#: Passes along the alphas that are always made, and the most that may be.
PASSES = 2
_MOST = 20
#: Points with the same features whose objectives are closer than this, relative, are one point.
_SAME = 1e-9

#: Solve at a place from somewhere; None when time is up.
Solve = Callable[[int, Begin], Point | None]


def _is_same(one: Point | None, other: Point) -> bool:
    return (
        one is not None
        and abs(one.objective - other.objective) <= _SAME * abs(other.objective)
        and np.array_equal(one.columns, other.columns)
    )


class Lowering:
    """Points at decreasing alphas that become lower in place.

    Parameters
    ----------
    points : list of Point
        The lowest so far, one per alpha.
    down, up : sequence of Point
        Walks from the first alpha on: what their solves have led to needs no second look.
    solve : callable
    free : int
        So many of the points may change; the others are only begun from.
    """

    def __init__(
        self,
        points: list[Point],
        down: Sequence[Point],
        up: Sequence[Point],
        solve: Solve,
        free: int,
    ) -> None:
        self.points, self.solve, self.free = points, solve, free
        # At each place: the points of the two neighbours that a solve has begun from.
        self._tried: dict[int, dict[int, Point]] = {
            -1: dict(enumerate(down[:-1], 1)),
            1: dict(enumerate(up[1:])),
        }

    def run(self, count: Callable[[], None]) -> bool:
        """Pass down and up until nothing changes; False when time was up before.

        ``count`` is called at each place of the first two passes.
        """
        quiet = 0  # passes in a row that changed nothing
        for number in range(_MOST):
            step = (-1, 1)[number % 2]
            changed = False
            for place in range(len(self.points))[::-step]:
                fell = self._begin_beside(place, step)
                if fell is None:
                    return False
                changed |= fell
                if number < PASSES:
                    count()
            quiet = 0 if changed else quiet + 1
            if quiet == PASSES:
                break
        return True

    def _begin_beside(self, place: int, step: int) -> bool | None:
        """Solve from the neighbour's point unless that was done; whether it is lower."""
        if not (0 <= place + step < len(self.points) and place < self.free):
            return False
        beside = self.points[place + step]
        if _is_same(self._tried[step].get(place), beside):
            return False
        self._tried[step][place] = beside
        name = "previous" if step < 0 else "upwards"
        found = self.solve(place, Begin.given(beside.columns, beside.values, name))
        return None if found is None else self._keep(place, found)

    def _keep(self, place: int, found: Point) -> bool:
        """Keep the lower point, with the cost of both; one that did not converge never wins."""
        known = self.points[place]
        self.points[place] = lowest([known, found], only_converged=True)
        return not _is_same(known, self.points[place])
