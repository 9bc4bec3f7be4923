r"""Where a solve starts.

A concave penalty has many stationary points, and the one that a solve ends in depends on where it
began. ``"previous"`` walks down the path, each point from the last one; ``"lasso"`` begins at each
alpha from

.. math:: \min_w \frac12 \|y - Xw\|_\Omega^2 + f \sum_j r'(0; \alpha \pi_j) |w_j|

the lasso whose level is a fraction f of the penalty's slope at zero (Zou and Li 2008; Fan, Xue and
Zou 2014); ``"best"`` keeps the lowest objective of several starts.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.types import Floats
from ..penalties import Penalty, is_convex
from .points import Counters, Point
from .problem import Problem
from .solvers import Begin, Solver

__all__ = [
    "NO_CHOICE",
    "PREVIOUS",
    "STARTS",
    "Start",
    "check_start",
    "first_alpha",
    "lowest",
]

STARTS = ("lasso", "previous", "best")
#: The lasso's level over the penalty's slope at zero: `make bench-starts` has the evidence.
FRACTION = 0.3
#: Objectives closer than this, relative, are the same point reached twice.
_TIE = 1e-12
#: Which start a tie goes to.
_ORDER = ("lasso", "previous", "upwards", "given", "none")
#: How the points are solved that only tell where a grid begins: as exactly as a path by default.
_TOL = 1e-6
_MANY = 10_000
#: The least step upwards when looking for that: a grid's own may be as small as rounding.
_FINEST = 1.02
#: A grid begins this much above the alpha where zero stops being a stronger minimum than
#: stationary: at that alpha itself the rounding of a correlation, also of float32 data, decides.
ABOVE = 1.0 + 1e-6


@dataclass(frozen=True, eq=False)
class Start:
    """A checked ``start=``.

    Attributes
    ----------
    kind : {"lasso", "previous", "best", "given", "none"}
        "none" is for convex penalties, where a start makes no difference: as "previous".
    fraction : float
        Of the slope at zero, for the lasso.
    coef : ndarray of shape (n_features,) or None
        What was given, made to obey the constraints.
    """

    kind: str
    fraction: float = FRACTION
    coef: Floats | None = None

    def suited(self, penalty: Penalty) -> Start:
        """Return the start to use with a penalty: none for a convex one."""
        return NO_CHOICE if is_convex(penalty) else self

    @property
    def begin(self) -> Begin:
        """Where each solve of a walk begins; "best" takes several walks and has no such place."""
        if self.kind == "lasso":
            return Begin.lasso(self.fraction)
        if self.coef is not None:
            columns = np.flatnonzero(self.coef).astype(np.int64)
            return Begin.given(columns, self.coef[columns])
        return Begin.here(self.kind)

    def name(self) -> str:
        """Return what tells this start from others, in words: for a checkpoint."""
        if self.coef is None:
            return self.kind
        digest = hashlib.sha256(np.ascontiguousarray(self.coef).data).hexdigest()
        return f"given coefficients {digest[:16]}"


PREVIOUS = Start("previous")
NO_CHOICE = Start("none")


def check_start(start: Any, problem: Problem) -> Start:
    """Return a checked start; given coefficients are projected onto the constraints.

    A Start, which only the library makes, is taken as it is: the study of starts has its own.
    """
    known = ", ".join(map(repr, STARTS))
    if isinstance(start, Start):
        return start
    if isinstance(start, str) and start in STARTS:
        return Start(start)
    if start is None or isinstance(start, str):
        raise ValueError(
            f"start={start!r} is not known; use {known}, or an array of {problem.n_features} "
            "coefficients."
        )
    coef = _as_numbers(_by_name(start, problem.data.feature_names))
    if coef is None:
        raise TypeError(
            f"start is neither a name nor numbers (got {type(start).__name__}); use {known}, "
            f"or an array of {problem.n_features} coefficients."
        )
    if coef.shape != (problem.n_features,):
        raise ValueError(
            f"start has shape {coef.shape}, but X has {problem.n_features} features; pass one "
            f"coefficient per feature (no intercept), or one of {known}."
        )
    if not np.all(np.isfinite(coef)):
        where = int(np.flatnonzero(~np.isfinite(coef))[0])
        raise ValueError(f"start[{where}] is {coef[where]}; replace it by a finite number, e.g. 0.")
    return Start("given", coef=problem.projected(coef))


def _by_name(start: Any, names: NDArray[Any] | None) -> Any:
    """Put coefficients that are labelled with names into the order of the columns of X."""
    labels: Any = getattr(start, "index", None)
    if names is None or not hasattr(labels, "is_unique") or not hasattr(start, "reindex"):
        return start
    if not all(isinstance(label, str) for label in labels):
        return start  # by position
    missing = [name for name in names if name not in labels]
    if missing or not labels.is_unique or len(labels) != len(names):
        named = f"it has none for {missing[0]!r}" if missing else "it has more than these"
        raise ValueError(
            f"start is labelled with names, but {named}; pass one coefficient per column of X, or "
            "start.to_numpy() to go by position."
        )
    return start.reindex(names)


def _as_numbers(start: Any) -> Floats | None:
    """Return coefficients as an array; None if they are no real numbers (a mask is none)."""
    try:
        array = np.asarray(start)
        return None if array.dtype.kind in "bc" else np.array(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def lowest(points: Sequence[Point], *, only_converged: bool = False) -> Point:
    """Return the point with the lowest objective of those at one alpha, with all their passes.

    One that is "SEPARATED" is none, unless all are. With ``only_converged`` points that did not
    converge count only where none did.
    """
    points = sorted(points, key=lambda point: _ORDER.index(point.start))
    certified = [point for point in points if point.converged] if only_converged else []
    judged = certified or [point for point in points if point.status != "SEPARATED"]
    if not judged:
        return points[0]
    level = min(point.objective for point in judged)
    best = next(point for point in judged if point.objective <= level + _TIE * abs(level))
    return replace(
        best,
        passes=sum(point.passes for point in points),
        counters=Counters.sum(point.counters for point in points),
    )


def first_alpha(
    solver: Solver, start: Start, count: int, eps: float, max_time: float = math.inf
) -> float:
    """Return where a grid of ``count`` alphas begins: the first one upwards with an empty point.

    When walking down, that is alpha_max of the strength that is looked for. From a lasso, features
    may be there already at alpha_max: the grid is then continued upwards in its own steps (or
    coarser ones than those of a very fine grid), at most to alpha_max / fraction.
    """
    largest = solver.largest_alpha()
    threshold = solver.alpha_max(solver.minimum)  # zero is a minimum that strong
    unmoved = threshold * ABOVE if threshold > largest else largest
    start = Start("lasso", start.fraction) if start.kind == "best" else start
    limit = largest / start.fraction  # the lasso is empty from there on
    # Beyond squares a stronger minimum than stationary may have features above alpha_max.
    known = solver.problem.squared or solver.minimum == "stationary" or start.kind == "none"
    walks_down = start.kind in ("none", "previous")
    if (walks_down and known) or max_time <= 0.0 or unmoved >= limit:
        return unmoved
    step = max(eps ** (-1.0 / (count - 1)), _FINEST) if count > 1 else 1.0 / start.fraction
    alphas = [unmoved]
    while alphas[-1] < limit:
        alphas.append(min(alphas[-1] * step, limit))
    found = 0  # how many alphas are known to be too small: the one after them is the answer

    def is_empty(point: Point) -> bool:
        nonlocal found
        empty = not solver.penalised(point.columns).size
        found += not empty
        return empty

    accounted = solver.accounted
    tried = alphas[:-1]
    solver.follow(
        tried,
        [_TOL] * len(tried),
        _MANY,
        [start.begin],
        is_empty,
        max_time=max_time,
        convexity=False,
    )
    solver.accounted = accounted  # the first point of the path accounts for the search
    return alphas[found]
