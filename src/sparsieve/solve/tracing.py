"""Following a path: one solve per alpha, in one walk or several."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._progress import NoBar, counter
from ..data.types import Floats
from .limits import Limits
from .lowering import Lowering, walks_of_a_round
from .points import Fits, Point
from .solvers import Begin, Solver
from .starts import PREVIOUS, Start, lowest

__all__ = ["fits_along", "follow_within", "solve_alone", "trace"]


def trace(
    solver: Solver,
    alphas: Floats,
    limits: Limits,
    *,
    start: Start = PREVIOUS,
    progress: bool | None = False,
    keep_finished: bool = False,
) -> tuple[list[Point], str]:
    """Solve for each alpha in turn.

    Parameters
    ----------
    solver : Solver
        Where it is, the first solve of a walk down begins.
    alphas : ndarray
        Decreasing.
    limits : Limits
    start : Start
        Where each solve begins.
    progress : bool or None
        Show a progress bar; None: where it takes long, on a terminal.
    keep_finished : bool
        On Ctrl-C, return the finished points with a warning instead of raising KeyboardInterrupt.

    Returns
    -------
    points : list of Point
        Never empty. A solve that ran out of time is left out unless it is the only one.
    ended : str
        "complete", or what ended the path: "max_support", "max_deviance", "max_time", "callback",
        "separated" or "interrupted".
    """
    best = start.kind == "best"
    times = 3 + len(walks_of_a_round(solver.minimum)) if best else 1  # that each alpha has its turn
    bar = counter(times * len(alphas), 0, progress, "alphas")
    strengths = solver.problem.terms.strength(alphas)
    tolerances = limits.tolerances(solver.penalty, strengths)
    walk = _Walk(solver, alphas, tolerances, limits, bar)
    try:
        points, ended = walk.best(start) if best else walk.down(start)
    except KeyboardInterrupt:
        if not walk.finished or not keep_finished:
            raise
        points, ended = walk.finished, "interrupted"
    finally:
        bar.close()
    if ended == "interrupted":
        warnings.warn(
            f"interrupted after {len(points)} of {len(alphas)} alphas{walk.under_way}; the "
            "finished part of the path is returned.",
            UserWarning,
            stacklevel=3,
        )
    return points, ended


def fits_along(
    solver: Solver, alphas: Floats, limits: Limits, start: Start, *, first: bool = True
) -> tuple[Fits, str]:
    """Solve for each alpha in turn from a start, without the account that a path gives.

    The second value says why they end, as that of :func:`trace` does. Unless these are the first
    alphas of a path, a solve that ran out of time is left out even if it is the only one. Fewer
    than the alphas also after the flag that the solver watches was raised.
    """
    if start.kind != "best" and not limits.any:
        return solver.fits(alphas, limits.tol, limits.max_iter, start.begin), "complete"
    points, ended = trace(solver, alphas, replace(limits, convexity=False), start=start)
    kept = [point for point in points if first or point.status != "INTERRUPTED"]
    return Fits.of(kept), ended


def follow_within(
    limits: Limits,
    solver: Solver,
    alphas: Sequence[float],
    tolerances: Sequence[float],
    begins: Sequence[Begin],
    on_point: Callable[[Point], bool],
    exchange: bool = False,
) -> str:
    """Follow the alphas in the time that is left; once it is up, no other solve begins."""
    to_come, late = len(alphas), False

    def watch(point: Point) -> bool:
        nonlocal to_come, late
        to_come -= 1
        if on_point(point):
            return True
        late = to_come > 0 and limits.left() == 0.0
        return late

    end = solver.follow(
        alphas,
        tolerances,
        limits.max_iter,
        begins,
        watch,
        max_time=limits.left(),
        convexity=limits.convexity,
        exchange=exchange,
    )
    return "INTERRUPTED" if late else end


@dataclass
class _Walk:
    """Walks along the same alphas, and what is finished of the one under way."""

    solver: Solver
    alphas: Floats
    tolerances: Floats
    limits: Limits
    bar: Any
    finished: list[Point] = field(default_factory=list)
    under_way: str = ""  # what the finished points are part of, when that is not the path

    def down(self, start: Start, limits: Limits | None = None) -> tuple[list[Point], str]:
        """Go down the alphas from one kind of start."""
        limits = self.limits if limits is None else limits
        self.finished = []
        return self.finished, self._walk(slice(None), start.begin, self.finished, limits.reached)

    def up(self, count: int) -> list[Point]:
        """Go back up the first ``count`` alphas from the point at the last of them."""
        points: list[Point] = []
        if self.limits.left() > 0.0:
            back = slice(count - 1, None, -1)
            self._walk(back, Begin.here("upwards"), points, lambda point: "")
        return [point for point in reversed(points) if point.status != "INTERRUPTED"]

    def _walk(
        self,
        part: slice,
        begin: Begin,
        points: list[Point],
        reached: Callable[[Point], str],
        exchange: bool = False,
    ) -> str:
        """Follow a part of the alphas, add to the points, and return why it ended.

        A point that ran out of time is left out unless it is the only one.
        """
        limits, ended = self.limits, "complete"

        def add(point: Point) -> bool:
            nonlocal ended
            if point.status == "INTERRUPTED":
                points.extend([] if points else [point])
                return True
            if point.status == "SEPARATED" and limits.existing:
                points.extend([] if points else [point])
                ended = "separated"
                return True
            points.append(point)
            self.bar.update()
            ended = reached(point) or ended
            return ended != "complete"

        tolerances, alphas = self.tolerances[part].tolist(), self.alphas[part].tolist()
        end = follow_within(limits, self.solver, alphas, tolerances, [begin], add, exchange)
        return "max_time" if end == "INTERRUPTED" else ended

    def best(self, start: Start) -> tuple[list[Point], str]:
        """Walk down, back up, and from the lasso; lower what is lowest at each alpha, and keep it.

        The walks know of all limits but the callback, which sees the points that are kept.
        """
        self.under_way = " of one of three walks"
        silent = replace(self.limits, callback=None)
        lasso = replace(self)
        # The solver may have been used, to find where the grid begins: a walk down begins at zero.
        self.solver = self.solver.again(silent.left())
        down, ended = self.down(PREVIOUS, silent)
        if ended == "max_time":
            return self._kept(down, ended)
        up = self.up(len(down))
        other, ended_other = lasso.down(Start("lasso", start.fraction), silent)
        other = [point for point in other if point.status != "INTERRUPTED"]
        late = "max_time" in (ended, ended_other) or len(up) < len(down)
        early = ended if ended != "complete" else ended_other
        self.under_way = ""
        points, reached = self._lowest(down, up, other, silent)
        if not late:
            # A point that reaches a limit goes on doing so: it is the last one.
            free = len(points) - bool(reached)
            lowering = Lowering(points, down, up, replace(self, bar=NoBar()).at, free)
            late = not lowering.run(walks_of_a_round(self.solver.minimum), self.bar.update)
        return self._kept(points, "max_time" if late else early)

    def _lowest(
        self, down: list[Point], up: list[Point], other: list[Point], limits: Limits
    ) -> tuple[list[Point], str]:
        """Return the lowest point at each alpha, up to one that reaches a limit, and that limit."""
        points = self.finished = []
        for k in range(max(len(down), len(other))):
            rising = k - (len(down) - len(up))  # the walk up may have run out of time
            tried = [*down[k : k + 1], *other[k : k + 1]]
            tried += up[rising : rising + 1] if rising >= 0 else []
            points.append(lowest(tried))
            reached = limits.reached(points[-1])
            if reached:
                return points, reached
        return points, ""

    def at(self, place: int, begin: Begin, exchange: bool) -> Point | None:
        """Solve for one of the alphas; None when time is up."""
        points: list[Point] = []
        if self.limits.left() > 0.0:
            self._walk(slice(place, place + 1), begin, points, lambda point: "", exchange)
        return points[0] if points and points[0].status != "INTERRUPTED" else None

    def _kept(self, points: list[Point], ended: str) -> tuple[list[Point], str]:
        """Hand out the points, and why there are no more of them."""
        kept = self.finished = []
        for point in points:
            kept.append(point)
            reached = self.limits.reached(point)
            if reached:
                return kept, reached
        whole = len(kept) == len(self.alphas) and ended != "max_time"
        return kept, "complete" if whole else ended


# A single fit walks down from alpha_max in steps of this ratio, loosely, so that it ends in the
# minimum a path would find rather than in one that only a jump from zero reaches...
_STEP = 0.5
_LOOSE = 1e-3
# ... and comes back up from this part of its alpha.
_BELOW = 1e-2


def solve_alone(solver: Solver, alpha: float, limits: Limits, start: Start) -> Point:
    """Solve for one alpha, with a grid of its own where a start needs other alphas first.

    The limits are ``tol`` and ``max_iter``, no others.
    """
    tol, max_iter = limits.tol, limits.max_iter
    if start.kind in ("lasso", "given"):
        return solver.solve(alpha, tol, max_iter, start.begin)
    above = _between(solver.alpha_max(), alpha)
    if start.kind != "best":
        if above:
            loose = [_LOOSE] * len(above)
            solver.follow(above, loose, max_iter, [Begin.here("previous")], None, convexity=False)
        name = "none" if start.kind == "none" else "previous"
        return solver.solve(alpha, tol, max_iter, Begin.here(name))
    lowest_alpha = _BELOW * alpha
    alphas = np.array([*above, alpha, *_between(alpha, lowest_alpha), lowest_alpha])
    tolerances = np.full(alphas.size, _LOOSE)
    tolerances[len(above)] = tol
    points, _ = _Walk(solver, alphas, tolerances, limits, NoBar()).best(start)
    return points[len(above)]


def _between(first: float, last: float) -> list[float]:
    """Return decreasing alphas between two, neither included; none if the first is not larger."""
    if first <= last:
        return []
    distance = math.log(last) - math.log(first)
    steps = math.ceil(abs(distance / math.log(_STEP)))
    return [first * math.exp(distance * k / steps) for k in range(1, steps)]
