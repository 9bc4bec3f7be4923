"""The bridge to the compiled core: validated data in, one certified point at a time out."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..data.scalars import count_jobs
from ..data.types import Floats
from ..penalties import Penalty, is_convex
from ..penalties.alphas import alpha_max_for, alpha_without_jumps
from ..penalties.coordinate import core_penalty
from .core_loss import core_response, saturated_mean
from .designs import check_columns, keeps_all, make_design
from .points import Counters, Direction, Fits, Point
from .problem import MINIMA, Problem

__all__ = ["Begin", "Solver", "core_penalty"]

#: What a user can do about each way a solve can end short of its tolerance.
REMEDIES = {
    "ITERATIONS": "raise max_iter, loosen tol, or standardise the columns of X",
    "STALLED": (
        "rounding error limits the accuracy here: loosen tol, or centre and rescale the columns of "
        "X (means far from zero, very different scales or nearly collinear columns are the usual "
        "cause)"
    ),
    "INTERRUPTED": "raise max_time",
    "UNCERTAIN": (
        "the sums that the statistics are made of are not exact enough here: certify the path on "
        "the rows themselves with path.certify(X, y), loosen tol, or rescale columns whose means "
        "drift"
    ),
    "SEPARATED": (
        "no finite coefficients are best here, the loss falls for ever in one direction: use a "
        "larger alpha, a ridge (ridge=1e-3), bounds, or a penalty that grows without bound (l1, "
        "logsum)"
    ),
}


# How exactly the lasso that a solve starts from is solved, relative to its level: a start from it
# and from the exact one end in the same point on 99.9 % of random problems.
_START_TOL = 3e-3


class Begin(NamedTuple):
    """Where a solve begins, and what its point is to say of that."""

    name: str
    core: _core.Start

    @classmethod
    def here(cls, name: str) -> Begin:
        """Begin at the solver's current point."""
        return cls(name, _HERE)

    @staticmethod
    @functools.cache  # few fractions are ever used, and small fits make one each
    def lasso(fraction: float) -> Begin:
        """Begin at the lasso whose level is a fraction of the penalty's slope at zero."""
        return Begin("lasso", _core.Start.lasso(fraction, _START_TOL))

    @classmethod
    def given(cls, columns: NDArray[np.int64], values: Floats, name: str = "given") -> Begin:
        """Begin at the given non-zero coefficients."""
        return cls(name, _core.Start.given(columns, values))


_HERE = _core.Start()
_PREVIOUS = Begin.here("previous")
_CONVERGED, _SEPARATED = _core.Status.CONVERGED.value, _core.Status.SEPARATED.value
#: How a solve can end, in the order of the core's numbers for them.
STATUSES = [status.name for status in sorted(_core.Status, key=lambda status: int(status.value))]
_SEARCHES: dict[str, _core.Minimum] = {m: getattr(_core.Minimum, m.upper()) for m in MINIMA}
_STRENGTHS = sorted(MINIMA, key=lambda name: int(_SEARCHES[name].value))


# A path of so many alphas reads X often enough for a shadow, whatever the data.
_MANY = 20

_OVERFLOW = _core.PathEnd.OVERFLOW


def _check_given(finite: bool) -> None:
    if not finite:
        raise ValueError(
            "start: the coefficients are so large that the squares of the residuals leave the "
            "range of double precision; divide them by a power of ten."
        )


def _is_proven_by_gap(penalty: Penalty, weights: Floats | None) -> bool:
    return is_convex(penalty) and (weights is None or bool(np.all(weights > 0.0)))


def search_for(penalty: Penalty, weights: Floats | None, minimum: str) -> _core.Minimum:
    """Return what the core has to look for: where the gap proves enough, stationary points."""
    return _SEARCHES["stationary" if _is_proven_by_gap(penalty, weights) else minimum]


class Solver:
    """Everything that carries over from one alpha to the next.

    The core holds the working set, its Gram matrix and factor, the current point and a bound of
    every feature's correlation; the next solve goes on from there.

    Parameters
    ----------
    problem : Problem
    penalty : Penalty
        A checked penalty.
    sample_weight : ndarray of shape (n_samples,), optional
        Other sample weights than the data's.
    prox_weight : float
        Weight of the proximal term that [RGS19] adds to each surrogate; 0 switches it off.
    max_time : float
        Seconds for the fit of the unpenalised features; what is left of it when they are up is no
        stationary point, and its certificates say so.
    n_alphas : int
        How many alphas are about to be solved: for many, the shadow (unless columns are short) is
        built in the first pass over X instead of in a pass of its own once it is sure to pay.
    design : Design of the core, optional
        One that was made for the problem, and checked.
    """

    def __init__(
        self,
        problem: Problem,
        penalty: Penalty,
        sample_weight: Floats | None = None,
        *,
        prox_weight: float = 0.0,
        max_time: float = math.inf,
        n_alphas: int = 1,
        design: _core.Design | None = None,
    ) -> None:
        data = problem.data
        self.problem = problem
        self.penalty = penalty
        self.minimum = problem.minimum
        self._convex = is_convex(penalty)
        self._weights = data.weights
        self._options: dict[str, Any] = {
            "sample_weight": sample_weight,
            "prox_weight": prox_weight,
            "n_alphas": n_alphas,
            "design": design,
        }
        self._flag: _core.Flag | None = None
        tall = problem.squared and keeps_all(problem, n_alphas)
        self._design = design or make_design(
            problem,
            count_jobs(problem.n_jobs),
            sample_weight=sample_weight,
            shadow=problem.shadow and not tall,
            many=n_alphas >= _MANY,
        )
        y, beside, self._shift = core_response(problem, sample_weight)
        self._core = _core.solver(
            self._design,
            y,
            core_penalty(penalty),
            data.weights,
            prox_weight,
            problem.terms.l1_ratio,
            problem.terms.ridge,
            problem.terms.lower,
            problem.terms.upper,
            tall,
            max_time,
            **beside,
        )
        if design is None:
            check_columns(self._design, problem, silent=sample_weight is not None)
        self.null_deviance: float = self._core.null_deviance
        # No predictions bring the objective below this: what is above it is what counts.
        self._saturated = 0.0 if problem.squared else saturated_mean(problem, sample_weight)

    @property
    def norms2(self) -> Floats:
        """Weighted squared norms of the columns, centred where they are."""
        return self._design.norms2

    @functools.cached_property
    def exists(self) -> bool:
        """Whether intercept and unpenalised features alone have a finite solution.

        They have none for a single class or no counts at all. The core's answer to every solve is
        then that it is separated, at once.
        """
        if self.problem.squared or np.any(np.asarray(self._core.null_correlations)):
            return True
        return self.solve(1.0, 1.0, 1).status != "SEPARATED"

    @property
    def _proven_by_gap(self) -> bool:
        """Whether the duality gap bounds what any move can bring.

        It does so up to what is left of the correlations of unpenalised features; along a column
        that hardly varies even that is worth much.
        """
        return _is_proven_by_gap(self.penalty, self._weights)

    @property
    def _search(self) -> _core.Minimum:
        """What the core has to look for."""
        return search_for(self.penalty, self._weights, self.minimum)

    def again(self, max_time: float = math.inf) -> Solver:
        """Return another solver for the same problem, at w = 0."""
        other = Solver(self.problem, self.penalty, max_time=max_time, **self._options)
        if self._flag is not None:
            other.watch(self._flag)
        return other

    def penalised(self, columns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of the columns that the penalty sees."""
        return columns if self._weights is None else columns[self._weights[columns] > 0.0]

    def alpha_max(self, minimum: str = "stationary") -> float:
        """Return the smallest alpha at which zero is such a minimum in every penalised feature.

        With nothing to swap, coordinate-wise and swap are the same. Within bounds zero is the best
        value of coefficient j as long as |c_j| <= min over 0 < t <= cap_j of h_j t / 2 + r(t) / t.
        """
        signed = np.asarray(self._core.null_correlations, dtype=np.float64)
        terms = self.problem.terms
        c = terms.outward(signed)
        level = alpha_max_for(self.penalty, c, self._weights) / terms.l1_ratio
        # What a long step of one coefficient gains follows from a column's norm for squares only.
        if minimum == "stationary" or self._convex or not self.problem.squared:
            return level
        pi, h = self.problem.feature_weights, self._design.norms2
        room = self.problem.scales * terms.room(signed)
        jumps = core_penalty(self.penalty).jump_thresholds_within

        def thresholds(alpha: float, of: NDArray[np.int64]) -> Floats:
            steep = h[of] + terms.ridges(alpha, pi[of])
            return np.asarray(jumps(steep, terms.strength(alpha) * pi[of], room[of]))

        used = (pi > 0) & np.isfinite(pi) & (h > 0)
        return alpha_without_jumps(thresholds, level, np.where(used, c, 0.0))

    def largest_alpha(self) -> float:
        """Return where a path starts: alpha_max, or a natural scale when nothing correlates."""
        limit = np.array([self._core.correlation_limit])
        scale = alpha_max_for(self.penalty, limit) / self.problem.terms.l1_ratio
        return self.alpha_max() or scale or 1.0

    def warm_start(self, columns: NDArray[np.int64], values: Floats) -> None:
        """Continue from the given non-zero coefficients."""
        self._core.warm_start(columns, values)
        _check_given(math.isfinite(self._core.deviance))

    def clear(self) -> None:
        """Go back to w = 0; all that was computed stays."""
        self._core.warm_start(np.empty(0, dtype=np.int64), np.empty(0))

    def watch(self, flag: _core.Flag) -> None:
        """End every solve from now on as interrupted once another thread raises the flag."""
        self._flag = flag
        self._core.watch(flag)

    def set_penalty(self, penalty: Penalty) -> None:
        """Change the penalty (or its shape); the point and all that was computed stay."""
        self.penalty = penalty
        self._convex = is_convex(penalty)
        self._core.set_penalty(core_penalty(penalty))

    @property
    def accounted(self) -> tuple[int, int]:
        """Bytes of X and of its shadow that points handed out account for."""
        x_bytes, shadow_bytes = self._core.accounted
        return int(x_bytes), int(shadow_bytes)

    @accounted.setter
    def accounted(self, count: tuple[int, int]) -> None:
        self._core.accounted = count

    def follow(
        self,
        alphas: Sequence[float],
        tolerances: Sequence[float],
        max_iter: int,
        begins: Sequence[Begin],
        on_point: Callable[[Point], bool] | None,
        *,
        max_time: float = math.inf,
        convexity: bool = True,
        exchange: bool = False,
    ) -> str:
        """Solve for each alpha in turn: the one loop over alphas, which the core runs.

        Parameters
        ----------
        alphas, tolerances : sequence of float
            Equally many. Tolerances are relative to the penalty's slope at zero.
        max_iter : int
        begins : sequence of Begin
            Where each solve begins: one for all alphas, or one per alpha.
        on_point : callable
            Called with each point; the path ends when it returns True. What it raises is raised.
            With None the points are lost, but for the last one, where the solver is then.
        max_time : float
            Seconds for all alphas together. The solve that is under way then is INTERRUPTED and the
            last one; the first solve always begins.
        convexity : bool
            Without, ``convex`` of the points is False, unexamined.
        exchange : bool
            Where swaps are looked for, also try some after which all coefficients follow.

        Returns
        -------
        str
            "COMPLETE", "ENOUGH" (``on_point`` returned True), or "INTERRUPTED": time is up, or the
            flag that the solver watches was raised.
        """
        names = itertools.cycle([begin.name for begin in begins])
        asked = iter(tolerances)
        proven = self._proven_by_gap

        def hand_over(found: _core.PathPoint) -> bool:
            assert on_point is not None
            return on_point(self._point(found, next(names), next(asked), proven))

        end = self._core.follow(
            alphas,
            tolerances,
            max_iter,
            [begin.core for begin in begins],
            None if on_point is None else hand_over,
            max_time,
            convexity,
            minimum=self._search,
            exchange=exchange,
        )
        _check_given(end is not _OVERFLOW)
        return end.name

    def fits(self, alphas: Floats, tol: float, max_iter: int, begin: Begin = _PREVIOUS) -> Fits:
        """Follow the alphas with nothing of Python in between, and no word on convexity.

        Shorter than ``alphas`` only after the flag that the solver watches was raised.
        """
        each = [tol] * alphas.size
        end, *arrays = self._core.follow_alone(
            alphas.tolist(), each, max_iter, [begin.core], self._search
        )
        _check_given(end is not _OVERFLOW)
        fits = Fits(*arrays)
        return fits._replace(intercepts=self.problem.intercepts(fits) + self._shift)

    def solve(self, alpha: float, tol: float, max_iter: int, begin: Begin = _PREVIOUS) -> Point:
        """Solve for one alpha: a path with one point."""
        found: list[_core.PathPoint] = []
        end = self._core.follow(
            [alpha], [tol], max_iter, [begin.core], found.append, minimum=self._search
        )
        _check_given(end is not _OVERFLOW)
        return self._point(found[0], begin.name, tol, self._proven_by_gap)

    def _status(self, status: int) -> str:
        """Name how a solve ended; of statistics it may be their own errors that it met."""
        name = STATUSES[status]
        return "UNCERTAIN" if name == "STALLED" and self.problem.uncertainty > 0.0 else name

    def _point(self, found: _core.PathPoint, start: str, tol: float, proven: bool) -> Point:
        """Return a point as the package knows it; `proven` is what `_proven_by_gap` says."""
        (
            alpha,
            columns,
            values,
            intercept,
            objective,
            kkt,
            gap,
            n_iter,
            status,
            convex,
            passes,
            by_bound,
            by_reading,
            by_shadow,
            deviance,
            minimum,
            counters,
        ) = found.parts
        if status == _SEPARATED:  # what was found on the way to infinity is no solution
            return self._missing(found, start)
        if proven:  # nothing lowers the objective by more than the duality gap
            enough = status == _CONVERGED and gap <= tol * (objective - self._saturated)
            strength = self.minimum if enough else "stationary"
        else:
            strength = _STRENGTHS[minimum]
        own_columns, own_values = np.frombuffer(columns, np.int64), np.frombuffer(values)
        return Point.of(
            alpha,
            own_columns,
            own_values,
            self.problem.intercept(intercept + self._shift, own_columns, own_values),
            objective,
            kkt,
            gap,
            n_iter,
            self._status(status),
            convex,
            passes,
            by_bound,
            by_reading,
            1.0 - deviance / self.null_deviance if self.null_deviance else 0.0,
            by_shadow,
            start,
            strength,
            None,
            Counters._make(counters),
        )

    def _missing(self, found: _core.PathPoint, start: str) -> Point:
        """Return a point that says that there is none, and why."""
        columns, values, intercept = found.separation
        order = np.argsort(columns)
        direction = Direction(columns[order], values[order], intercept)
        return Point(
            alpha=found.alpha,
            columns=direction.columns,
            values=np.full(columns.size, math.nan),
            intercept=math.nan,
            objective=math.nan,
            kkt=math.inf,
            dual_gap=math.nan,
            n_iter=found.n_iter,
            status="SEPARATED",
            convex=False,
            passes=found.passes,
            settled_by_bound=0,
            settled_by_reading=0,
            start=start,
            direction=direction,
            counters=Counters._make(found.counters),
        )
