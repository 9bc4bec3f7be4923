"""One fold of a cross-validation: fit every alpha of every shape, judge it, end where told to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.leaves import Summary, merged
from ..data.sample_weights import in_range
from ..data.scalars import count_jobs
from ..data.stand_in import StandIn
from ..data.types import Floats
from ..data.validation import Checked
from ..files.checkpoint import fingerprint
from ..inspect.relax import refit_on
from ..penalties import Penalty
from ..solve.limits import Limits
from ..solve.points import Fits, Point
from ..solve.problem import Problem
from ..solve.solvers import Solver
from ..solve.starts import Start
from ..solve.tracing import fits_along, trace
from .folds import Fold
from .given_folds import GivenFold, squared_errors
from .rising import has_risen, is_settled
from .runs import Cancel
from .scores import HeldOut, mean_deviances, score_points

__all__ = [
    "FoldResult",
    "FoldUnit",
    "Plan",
    "endings",
    "fold_of",
    "follow_all",
    "packed",
    "problem_of",
    "run_fold",
    "unsettled",
    "waves",
]

#: How a fold may end, in the order of their numbers in checkpoints. "resumed" has gone on to its
#: last alpha after the mean over folds did not settle the choice: to the user it is complete.
_ENDED = ("complete", "max_support", "max_deviance", "max_time", "rising", "resumed")
_RISING, _RESUMED = _ENDED.index("rising"), _ENDED.index("resumed")
#: So many alphas are fitted between two looks at the errors.
_STEP = 10
#: The fields of a result that are tables.
_TABLES = ("mse", "score", "support_size", "kkt", "converged")


class FoldResult(NamedTuple):
    """What one fold says about every alpha of every shape: arrays of (n_penalties, n_alphas).

    NaN where it ended before; ``ended`` has one number per penalty. ``kept`` has the coefficients,
    of each penalty a list, for losses whose fit a report shows on the rows left out.
    """

    mse: Floats
    score: Floats
    support_size: Floats
    kkt: Floats
    converged: Floats
    ended: NDArray[np.int64]
    kept: list[list[Fits]] | None = None

    @classmethod
    def empty(cls, shape: tuple[int, int], keeps: bool = False) -> FoldResult:
        """Return the result of a fold that has not begun."""
        tables = {name: np.full(shape, np.nan) for name in _TABLES}
        kept: list[list[Fits]] | None = [[] for _ in range(shape[0])] if keeps else None
        return cls(**tables, ended=np.zeros(shape[0], dtype=np.int64), kept=kept)

    def row(self, s: int) -> FoldResult:
        """Return the part of one penalty, which shares its memory."""
        kept = None if self.kept is None else self.kept[s : s + 1]
        tables = {name: getattr(self, name)[s : s + 1] for name in _TABLES}
        return FoldResult(**tables, ended=self.ended[s : s + 1], kept=kept)

    @property
    def done(self) -> NDArray[np.int64]:
        """How many alphas of each penalty are fitted."""
        done: NDArray[np.int64] = np.sum(~np.isnan(self.support_size), axis=1, dtype=np.int64)
        return done

    @property
    def out_of_time(self) -> bool:
        """Whether more time would have given more."""
        return bool(np.any(self.ended == _ENDED.index("max_time")))


class FoldUnit(NamedTuple):
    """A fold, which one it is, and whether it goes on to its last alpha whatever its errors."""

    number: int
    rows: Fold | GivenFold
    to_the_end: bool = False


@dataclass(frozen=True)
class Plan:
    """Everything the folds have in common; goes to worker processes as it is."""

    problem: Problem
    penalties: list[Penalty]  # one per row of the tables, like the next
    l1_ratios: list[float]
    grids: list[Floats]
    limits: Limits
    start: Start
    cancel: Cancel
    scorer: Any
    scoring: Any
    relax: bool
    ends_early: bool  # where the errors have risen for long
    waves: Sequence[int] = ()  # how many rounds of folds begin with or after that of each fold
    classes: Any = None  # the two labels that y stands for, if it does

    @property
    def shape(self) -> tuple[int, int]:
        """Penalties and alphas."""
        return len(self.penalties), self.grids[0].size

    def of_row(self, row: int) -> Problem:
        """Return the problem of one row: they differ in the l1 ratio only."""
        return self.problem.with_l1_ratio(self.l1_ratios[row])

    def identity(self, folds: Sequence[Fold | GivenFold]) -> str:
        """Return what a checkpoint of this run is known by."""
        limits = self.limits
        options: tuple[Any, ...] = (limits.tol, limits.max_iter, self.scoring, self.relax)
        if len(set(self.l1_ratios)) > 1:
            options = (*options, self.l1_ratios)
        # Older files know nothing of these.
        if self.ends_early:
            options = (*options, "rising")
        if (limits.max_support, limits.max_deviance) != (None, None):
            options = (*options, limits.max_support, limits.max_deviance)
        return fingerprint(self.problem, self.penalties, self.grids, _parts(folds), *options)


def run_fold(plan: Plan, unit: FoldUnit) -> FoldResult:
    """Fit every alpha of every shape on the training rows and judge it on the test rows.

    The training rows are the whole X with the other rows' sample weights set to zero, so nothing is
    copied; Gram matrix, factor and bounds carry over from shape to shape. A fold that is known by
    its sums is solved from these, and from its rows where they are not exact enough.
    """
    fold = unit.rows
    if isinstance(fold, Fold):
        return _run(plan, unit, _RowsJudge(plan, fold))
    judge = _StatisticsJudge(plan, fold)
    found = _run(plan, unit, judge)
    proven = judge.sure and not np.any(found.converged == 0.0)
    if proven or fold.rows is None or found.out_of_time:
        return found
    plan.cancel.count_again()
    return _run(plan, unit, _RowsJudge(plan, fold.rows))


def _run(plan: Plan, unit: FoldUnit, judge: _RowsJudge | _StatisticsJudge) -> FoldResult:
    """Fit and judge every alpha of every shape of a fold."""
    # The fit on all rows, which comes after the folds, is one more piece of work.
    limits = plan.limits.share(plan.waves[unit.number] + 1) if plan.waves else plan.limits
    keeps = isinstance(unit.rows, Fold) and not plan.problem.squared
    solver, out = None, FoldResult.empty(plan.shape, keeps)
    early = plan.ends_early and not unit.to_the_end
    for s, (penalty, alphas) in enumerate(zip(plan.penalties, plan.grids, strict=True)):
        if solver is None or solver.problem.terms.l1_ratio != plan.l1_ratios[s]:
            problem = judge.problem.with_l1_ratio(plan.l1_ratios[s])
            solver = Solver(problem, penalty, judge.weight, n_alphas=alphas.size)
            solver.watch(plan.cancel.flag)
        solver.set_penalty(penalty)
        solver.clear()
        row = out.row(s)
        share = limits.share(len(plan.penalties) - s)
        out.ended[s] = _ENDED.index(_follow(plan, solver, judge, share, row, alphas, early))
        plan.cancel.count((alphas.size - row.done[0]) / out.mse.size)
    if unit.to_the_end:
        out.ended[out.ended == 0] = _RESUMED
    return out


def _follow(
    plan: Plan,
    solver: Solver,
    judge: _RowsJudge | _StatisticsJudge,
    limits: Limits,
    row: FoldResult,
    alphas: Floats,
    early: bool,
) -> str:
    """Follow one shape along its alphas, fill in its row and return why it ended."""
    start = plan.start.suited(solver.penalty)
    # The walks of start="best" need all alphas; those of sums take no time.
    at_once = start.kind == "best" or (judge.weight is None and not early)
    step = alphas.size if at_once else _STEP
    for at in range(0, alphas.size, step):
        part = alphas[at : at + step]
        fits, ended = fits_along(solver, part, limits, start, first=at == 0)
        plan.cancel.check()
        end = at + fits.sizes.size
        if fits.sizes.size:
            place = slice(at, end)
            judged = judge.refitted(fits)
            row.mse[0, place], row.score[0, place] = judge(judged)
            if row.kept is not None:
                row.kept[0].append(judged)
            row.support_size[0, place] = fits.sizes
            row.kkt[0, place] = np.where(np.isnan(fits.kkt), np.inf, fits.kkt)
            row.converged[0, place] = fits.converged
            plan.cancel.count(fits.sizes.size / (alphas.size * len(plan.penalties)))
        if ended != "complete":
            return ended
        if early and end < alphas.size and has_risen(row.mse[0, :end], alphas, judge.count):
            return "rising"
    return "complete"


def _parts(folds: Sequence[Fold | GivenFold]) -> list[Any]:
    """Return arrays that tell these folds from others."""
    return [fold if isinstance(fold, Fold) else fold.rows or _sums(fold) for fold in folds]


def _sums(fold: GivenFold) -> list[Any]:
    return [(part.mean, part.mean_low, part.products) for part in (fold.train, fold.test)]


def _refitted(problem: Problem, fits: Fits, weight: Floats | None) -> Fits:
    """Return the fit without a penalty on the support of each fit."""
    supports = [columns for columns, *_ in fits.each()]
    refits = [refit_on(problem, columns, weight) for columns in supports]
    intercepts = [
        problem.intercept(intercept, columns, values)
        for columns, (values, intercept) in zip(supports, refits, strict=True)
    ]
    return fits._replace(
        values=np.concatenate([values for values, _ in refits]), intercepts=np.array(intercepts)
    )


class _RowsJudge:
    """The rows of one fold: weights to fit with, and what is held out to judge by."""

    def __init__(self, plan: Plan, fold: Fold) -> None:
        data = plan.problem.data
        weight = np.bincount(fold.train, minlength=plan.problem.n_samples).astype(np.float64)
        self.test_weight = None
        if data.sample_weight is not None:
            weight *= in_range(np.where(weight > 0.0, data.sample_weight, 0.0))
            self.test_weight = in_range(data.sample_weight[fold.test])
        self.problem, self.weight = plan.problem, weight
        judging = fold.test if self.test_weight is None else np.flatnonzero(self.test_weight)
        self.count = judging.size
        self._plan = plan
        self._rows = fold.test
        self._held_out = HeldOut(
            None if plan.scorer is None else plan.problem.design.rows(fold.test),
            data.y[fold.test],
            self.test_weight,
            None if data.offset is None else data.offset[fold.test],
            plan.problem.loss,
            plan.classes,
        )

    def refitted(self, fits: Fits) -> Fits:
        """Return the fits to judge: without a penalty on their supports where that is asked for."""
        plan = self._plan
        return _refitted(plan.problem, fits, self.weight) if plan.relax else fits

    def __call__(self, fits: Fits) -> tuple[Floats, Floats]:
        """Return mean squared error (or deviance) and score of each of the fits."""
        plan = self._plan
        mse = mean_deviances(plan.problem.deviances(fits, self._rows), self.test_weight)
        if plan.scorer is None:
            return mse, -mse
        parts = (self._held_out, fits, plan.cancel.check)
        return mse, score_points(plan.scorer, plan.scoring, *parts)


class _StatisticsJudge:
    """A fold that is known by its statistics."""

    weight = None

    def __init__(self, plan: Plan, fold: GivenFold) -> None:
        self.problem = problem_of(fold.train, plan.problem)
        self.count = fold.test.n_positive
        self.sure = True  # of every error so far, as exactly as scores are told apart
        self._relax, self._limits, self._test = plan.relax, plan.limits, fold.test

    def refitted(self, fits: Fits) -> Fits:
        """Return the fits to judge: without a penalty on their supports where that is asked for."""
        return _refitted(self.problem, fits, None) if self._relax else fits

    def __call__(self, fits: Fits) -> tuple[Floats, Floats]:
        """Return mean squared error and score of each of the fits."""
        mse, unsure = squared_errors(fits, self._test)
        self.sure = self.sure and bool(np.all(unsure <= self._limits.tol * mse))
        return mse, -mse


def problem_of(summary: Summary, problem: Problem) -> Problem:
    """Return the problem of rows that are known by their sums."""
    stand_in = StandIn.of(summary)
    X, y, _ = stand_in.data(fit_intercept=True)
    names = problem.data.feature_names
    return problem.with_data(Checked(X, y, None, None, names, stand_in=stand_in))


def follow_all(
    plan: Plan, row: int, alphas: Floats, folds: Sequence[Fold | GivenFold]
) -> tuple[Solver, list[Point], str]:
    """Follow one shape on all rows: by the sums of the folds where these prove every point."""
    fold, problem, penalty = folds[0], plan.of_row(row), plan.penalties[row]
    start = plan.start.suited(penalty)
    if isinstance(fold, GivenFold) and fold.rows is not None:
        solver = Solver(
            problem_of(merged(fold.test, fold.train), problem), penalty, n_alphas=alphas.size
        )
        points, ended = trace(solver, alphas, plan.limits, start=start)
        if all(point.converged for point in points):
            return solver, points, ended
    solver = Solver(problem, penalty, n_alphas=alphas.size)
    return solver, *trace(solver, alphas, plan.limits, start=start)


def unsettled(plan: Plan, results: Sequence[FoldResult]) -> list[int]:
    """Return the folds that have to go on to their last alpha before a choice can be made.

    None when the means over the folds settle it. Once a fold had to, all have to: then this is so
    too after an interruption.
    """
    early = [k for k, result in enumerate(results) if np.any(result.ended == _RISING)]
    if not early or any(np.any(result.ended == _RESUMED) for result in results):
        return early
    for s, alphas in enumerate(plan.grids):
        limited = [r.done[s] for r in results if r.ended[s] not in (0, _RISING)]
        end = min(limited, default=alphas.size)
        errors = np.stack([result.mse[s, :end] for result in results], axis=-1)
        if not is_settled(errors, alphas[:end]):
            return early
    return []


def endings(results: Sequence[FoldResult]) -> NDArray[Any]:
    """Return why each fold ended, in words: (n_penalties, n_folds)."""
    words = np.array(["complete" if word == "resumed" else word for word in _ENDED])
    return words[np.stack([result.ended for result in results], axis=-1)]


def packed(result: FoldResult) -> dict[str, Any] | None:
    """Return what a checkpoint keeps of a fold: nothing of one that ran out of time."""
    if result.out_of_time:
        return None
    kept = result._asdict()
    del kept["kept"]  # coefficients are many
    return kept


def fold_of(shape: tuple[int, int], arrays: Mapping[str, Any]) -> FoldResult:
    """Return the result that a checkpoint has for a fold; ValueError if it cannot be one."""
    older = {"ended": np.zeros(shape[0], dtype=np.int64)}  # once every fold was complete
    result = FoldResult(**{**older, **arrays})
    if result.kept is not None:
        raise ValueError("coefficients, which no checkpoint keeps")
    numbers, ended = [getattr(result, name) for name in _TABLES], result.ended
    if any(a.shape != shape or a.dtype != np.float64 for a in numbers):
        raise ValueError("not one number per penalty and alpha")
    if ended.shape != shape[:1] or ended.dtype != np.int64:
        raise ValueError("not one end per penalty")
    if np.any((ended < 0) | (ended >= len(_ENDED))):
        raise ValueError("an end that no fold has")
    missing = np.arange(shape[1]) >= result.done[:, np.newaxis]
    whole = np.isin(ended, (0, _RESUMED))
    if np.any(missing[whole]) or np.any(missing[:, 0]):
        raise ValueError("a fold without all its alphas")
    known = (result.mse, result.kkt, result.support_size)
    if not all(np.all(np.where(missing, np.isnan(a), a >= 0.0)) for a in known):
        raise ValueError("a number that no fold gives")
    return result


def waves(n_folds: int, n_jobs: int | None) -> list[int]:
    """Return for each fold how many folds one worker has to do, from that one on."""
    workers = min(count_jobs(n_jobs), n_folds)
    rounds = -(-n_folds // workers)
    return [rounds - k // workers for k in range(n_folds)]
