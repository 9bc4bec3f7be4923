"""Lower the points of a path: begin at each alpha also from the points beside it.

Each walk of ``start="best"`` goes its own way; where one of them was lucky, the others do not know.
So the lowest point at one alpha becomes a start for its neighbours, down the alphas and back up,
until that leads nowhere lower. Where swaps are looked for, some are tried at each alpha after which
all coefficients follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .points import Point
from .solvers import Begin
from .starts import lowest

__all__ = ["Lowering", "walks_of_a_round"]

#: Rounds of walks at the most.
_ROUNDS = 10
#: Points with the same features whose objectives are closer than this, relative, are one point.
_SAME = 1e-9

#: Solve at a place from somewhere, with exchanges or without; None when time is up.
Solve = Callable[[int, Begin, bool], Point | None]


def walks_of_a_round(minimum: str) -> tuple[str, ...]:
    """Name the walks along the alphas that make a round."""
    beside = ("previous", "upwards")
    return (*beside, "exchange") if minimum == "swap" else beside


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
        # By walk and place: the point that a solve there has begun from.
        self._tried: dict[str, dict[int, Point]] = {
            "previous": dict(enumerate(down[:-1], 1)),
            "upwards": dict(enumerate(up[1:])),
            "exchange": {},
        }

    def run(self, names: Sequence[str], count: Callable[[], None]) -> bool:
        """Make the walks in turn until none changes anything; False when time was up before.

        ``count`` is called at each place in the first round.
        """
        quiet = 0  # walks in a row that changed nothing
        for number, name in enumerate(_ROUNDS * tuple(names)):
            places = range(len(self.points))
            changed = False
            for place in reversed(places) if name == "upwards" else places:
                fell = self._lower(place, name)
                if fell is None:
                    return False
                changed |= fell
                if number < len(names):
                    count()
            quiet = 0 if changed else quiet + 1
            if quiet == len(names):
                break
        return True

    def _lower(self, place: int, name: str) -> bool | None:
        """Solve from where the walk begins unless that was done; whether the point is lower."""
        source = place + {"previous": -1, "upwards": 1, "exchange": 0}[name]
        if not (0 <= source < len(self.points) and place < self.free):
            return False
        begun, exchange = self.points[source], source == place
        if begun.status == "SEPARATED":  # nowhere to begin from
            return False
        if _is_same(self._tried[name].get(place), begun):
            return False
        start = begun.start if exchange else name
        found = self.solve(place, Begin.given(begun.columns, begun.values, start), exchange)
        if found is None:
            return None
        known = self.points[place]
        self.points[place] = lowest([known, found], only_converged=True)
        # An exchange was tried at the end of its solve, too.
        self._tried[name][place] = self.points[place] if exchange else begun
        return not _is_same(known, self.points[place])
