"""Cross-validation over alphas and shapes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from .._words import describe
from ..data.kinds import check_flag
from ..data.sample_weights import in_range
from ..data.terms import check_l1_ratios
from ..data.types import Floats
from ..estimators.regressor import FittedPoint
from ..files.checkpoint import Checkpoint, check_place, fingerprint
from ..inspect.choice import choice_of
from ..inspect.relax import least_squares_on
from ..inspect.scales import warn_of_scales
from ..paths.path import make_path
from ..paths.sparse_path import warn_if_not_converged
from ..penalties import Penalty
from ..penalties.resolve import as_given
from ..solve.limits import Limits, check_limits
from ..solve.problem import Problem
from ..solve.solvers import Solver
from ..solve.starts import Start, check_start
from ..solve.tracing import fits_along, trace
from .folds import Fold, make_folds
from .grid import alpha_grids
from .runs import Cancel, run_units
from .scores import check_scorer, mean_squared_errors, score_points
from .shapes import resolve_penalties

__all__ = ["SparseRegressorCV"]


class FoldResult(NamedTuple):
    """What one fold says about every alpha of every shape: arrays of (n_penalties, n_alphas)."""

    mse: Floats
    score: Floats
    support_size: Floats
    kkt: Floats
    converged: Floats


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

    def of_row(self, row: int) -> Problem:
        """Return the problem of one row: they differ in the l1 ratio only."""
        return self.problem.with_l1_ratio(self.l1_ratios[row])


def run_fold(plan: Plan, fold: Fold) -> FoldResult:
    """Fit every alpha of every shape on the training rows and judge it on the test rows.

    The training rows are the whole X with the other rows' sample weights set to zero, so nothing is
    copied; Gram matrix, factor and bounds carry over from shape to shape.
    """
    data = plan.problem.data
    weight = np.bincount(fold.train, minlength=plan.problem.n_samples).astype(np.float64)
    test_weight = None
    if data.sample_weight is not None:
        weight *= in_range(np.where(weight > 0.0, data.sample_weight, 0.0))
        test_weight = in_range(data.sample_weight[fold.test])
    y = data.y[fold.test]
    held_out = None if plan.scorer is None else plan.problem.design.rows(fold.test)
    solver = None
    shape = (len(plan.penalties), plan.grids[0].size)
    out = FoldResult(*(np.full(shape, np.nan) for _ in FoldResult._fields))
    for s, (penalty, alphas) in enumerate(zip(plan.penalties, plan.grids, strict=True)):
        if solver is None or solver.problem.terms.l1_ratio != plan.l1_ratios[s]:
            solver = Solver(plan.of_row(s), penalty, weight, n_alphas=alphas.size)
            solver.watch(plan.cancel.flag)
        solver.set_penalty(penalty)
        solver.clear()
        fits = fits_along(solver, alphas, plan.limits, plan.start.suited(penalty))
        plan.cancel.check()
        if plan.relax:
            refits = [
                least_squares_on(plan.problem, columns, weight) for columns, *_ in fits.each()
            ]
            fits = fits._replace(
                values=np.concatenate([values for values, _ in refits]),
                intercepts=np.array([intercept for _, intercept in refits]),
            )
        out.mse[s] = mean_squared_errors(y, plan.problem.predictions(fits, fold.test), test_weight)
        out.score[s] = (
            -out.mse[s]
            if plan.scorer is None
            else score_points(
                plan.scorer, plan.scoring, held_out, y, fits, test_weight, plan.cancel.check
            )
        )
        out.support_size[s] = fits.sizes
        out.kkt[s] = fits.kkt
        out.converged[s] = fits.converged
    return out


def _fold_of(shape: tuple[int, int], arrays: Mapping[str, Any]) -> FoldResult:
    """Return the result that a checkpoint has for a fold; ValueError if it cannot be one."""
    result = FoldResult(**arrays)
    if any(a.shape != shape or a.dtype != np.float64 for a in result):
        raise ValueError("not one number per penalty and alpha")
    if not np.all([result.mse >= 0.0, result.kkt >= 0.0, result.support_size >= 0.0]):
        raise ValueError("a number that no fold gives")
    return result


def _identity(plan: Plan, folds: Sequence[Fold]) -> str:
    limits = plan.limits
    options: tuple[Any, ...] = (limits.tol, limits.max_iter, plan.scoring, plan.relax)
    if len(set(plan.l1_ratios)) > 1:
        options = (*options, plan.l1_ratios)
    return fingerprint(plan.problem, plan.penalties, plan.grids, list(folds), *options)


class SparseRegressorCV(FittedPoint):
    r"""Sparse linear regression with alpha, and the penalty's shape, chosen by cross-validation.

    .. math::
        \min_{w, b}\; \frac{1}{2n} \sum_i \omega_i (y_i - b - x_i^\top w)^2
        + \sum_j r(|w_j|; \alpha \pi_j)

    Every alpha of every penalty is fitted on the same folds; the best one is fitted again on all
    rows, with its certificate.

    Parameters
    ----------
    penalty : str, Penalty or list of them, default="mcp"
        A list is a grid of shapes (or of different penalties); see :func:`shape_grid`.
    alphas : int or array-like, default=100
        How many alphas between alpha_max (of all rows, per penalty; or the first empty point above
        it, as in :func:`sparse_path`) and eps * alpha_max, or the alphas themselves.
    eps : float, default=1e-3
        alpha_min / alpha_max, when ``alphas`` is an integer.
    cv : int, splitter or iterable of (train, test), default=None
        As in scikit-learn; None means 5 folds.
    scoring : str or callable, default=None
        A scikit-learn scorer, the higher the better; None means the mean squared error.
    rule : {"min", "1se"}, default="min"
        "min" takes the best mean score (the largest alpha when scores tie to ``tol``). "1se"
        takes, for the penalty of the best one, the largest alpha whose mean score is within one
        standard error of it; never a smaller alpha than "min".
    fit_intercept, positive, weights, tol, max_iter, standardize, ridge, bounds
        As in :class:`SparseRegressor`; columns are standardised by the rows of each fold.
    l1_ratio : float or list of float, default=1.0
        As in :class:`SparseRegressor`; of a list the best one is chosen, with every penalty.
    start : {"lasso", "previous", "best"} or array-like of shape (n_features,), default="lasso"
        Where each solve begins, in every fold and in the final fit: as in :func:`sparse_path`.
    minimum : {"stationary", "coordinatewise", "swap"}, default="coordinatewise"
        How strong a minimum is looked for, in every fold and in the final fit: as in
        :func:`sparse_path`.
    n_jobs : int or None, default=None
        Folds fitted at the same time: threads unless a joblib context asks for another backend.
    progress : bool, default=False
        Show a progress bar (needs tqdm).
    relax : bool, default=False
        Judge, and in the end keep, least squares on the features that each alpha selects; the
        certificate is that of the penalised fit that selected them.
    checkpoint : path, default=None
        File that keeps the finished folds: the same call after an interruption (even a kill) goes
        on from there, to the same bits.

    Attributes
    ----------
    alpha_ : float
    penalty_ : Penalty
    l1_ratio_ : float
    alphas_ : ndarray of shape (n_alphas,) or (n_penalties, n_alphas)
        Decreasing. With several l1 ratios there is a row for each of them and each penalty.
    mse_path_ : ndarray of shape (n_alphas, n_folds) or (n_penalties, n_alphas, n_folds)
        Mean squared error on the rows left out.
    cv_results_ : dict of ndarray
        One row per penalty and alpha: ``penalty``, ``l1_ratio``, ``alpha``, ``mean_test_score``,
        ``std_test_score``, ``se_test_score``, ``rank_test_score``, ``mean_support_size``,
        ``n_converged``, and ``split<k>_test_score`` for each fold. Scores are the higher the
        better (minus the mean squared error by default).
    best_index_, min_index_ : int
        Rows of ``cv_results_``: the one chosen by ``rule``, and the one with the best mean score.
    tie_ : float
        Mean scores that differ by at most this are equal: of equal ones the first penalty wins, and
        of its alphas the largest.
    path_ : Path
        On all rows, from the largest alpha down to ``alpha_``; without a reference to X, so that a
        fitted model does not keep it alive.
    coef_, sparse_coef_, intercept_, n_iter_, kkt_, dual_gap_, objective_, certificate_
        As in :class:`SparseRegressor`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has string column names.

    Examples
    --------
    >>> import sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(80, 40, 3, noise=0.5, random_state=0)
    >>> model = sv.SparseRegressorCV("mcp", alphas=30, eps=0.01, rule="1se").fit(X, y)
    >>> bool(((model.coef_ != 0) == (w != 0)).all())
    True
    """

    def __init__(  # noqa: PLR0913 - the options of a public function, by keyword
        self,
        penalty: Any = "mcp",
        *,
        alphas: int | ArrayLike = 100,
        eps: float = 1e-3,
        cv: Any = None,
        scoring: Any = None,
        rule: str = "min",
        fit_intercept: bool = True,
        positive: bool = False,
        weights: ArrayLike | None = None,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        start: str | ArrayLike = "lasso",
        minimum: str = "coordinatewise",
        n_jobs: int | None = None,
        progress: bool = False,
        relax: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        standardize: bool | None = None,
        l1_ratio: float = 1.0,
        ridge: float = 0.0,
        bounds: Any = None,
    ) -> None:
        self.penalty = as_given(penalty)
        self.alphas = alphas
        self.eps = eps
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.weights = weights
        self.tol = tol
        self.max_iter = max_iter
        self.start = start
        self.minimum = minimum
        self.n_jobs = n_jobs
        self.progress = progress
        self.relax = relax
        self.checkpoint = checkpoint
        self.standardize = standardize
        self.l1_ratio = l1_ratio
        self.ridge = ridge
        self.bounds = bounds

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, groups: Any = None
    ) -> Self:
        """Choose alpha and penalty by cross-validation, then fit them on all rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Weigh the rows in fits and in the score of each fold. Every fold counts once in the mean
            of the scores, whatever its weights: a weight of 2 then means the same as a row that
            is there twice, with both copies in one fold.
        groups : array-like of shape (n_samples,), default=None
            For splitters that keep groups together.

        Returns
        -------
        SparseRegressorCV

        Raises
        ------
        KeyboardInterrupt
            On Ctrl-C; finished folds are kept only in the file ``checkpoint``.
        """
        check_place(self.checkpoint)
        if self.rule not in ("min", "1se"):
            raise ValueError(f"rule={self.rule!r} is not known; use 'min' or '1se'.")
        penalties = resolve_penalties(self.penalty)
        relax = check_flag("relax", self.relax)
        progress = check_flag("progress", self.progress)
        limits = check_limits(tol=self.tol, max_iter=self.max_iter)
        scorer = check_scorer(self.scoring)
        ratios = check_l1_ratios(self.l1_ratio)
        problem = self._problem(X, y, sample_weight, None, ratios[0])
        validate_data(self, X, skip_check_array=True)
        folds = make_folds(self.cv, X, problem.data.y, groups, problem.data.sample_weight)
        start = check_start(self.start, problem)
        grids = [
            grid
            for ratio in ratios
            for grid in alpha_grids(
                problem.with_l1_ratio(ratio), penalties, self.alphas, self.eps, start=start
            )
        ]
        cancel = Cancel()
        plan = Plan(
            problem=problem,
            penalties=penalties * len(ratios),
            l1_ratios=[ratio for ratio in ratios for _ in penalties],
            grids=grids,
            limits=limits,
            start=start,
            cancel=cancel,
            scorer=scorer,
            scoring=self.scoring,
            relax=relax,
        )
        identity = partial(_identity, plan, folds)
        results = run_units(
            partial(run_fold, plan),
            folds,
            n_jobs=self.n_jobs,
            cancel=cancel,
            kept=Checkpoint(
                self.checkpoint,
                "cross-validation",
                identity,
                start=start.name(),
                minimum=problem.minimum,
            ),
            pack=FoldResult._asdict,
            unpack=partial(_fold_of, (len(plan.penalties), grids[0].size)),
            progress=progress,
            what="folds",
        )
        _warn_about_folds(results, plan)
        self._choose(results, plan)
        self._refit(plan, limits)
        return self

    def _choose(self, results: Sequence[FoldResult], plan: Plan) -> None:
        """Fill in the tables and pick a row by the rule."""
        scores = np.stack([result.score for result in results], axis=-1)
        _check_scores(scores, self.scoring)
        single = len(plan.penalties) == 1
        self.alphas_ = plan.grids[0] if single else np.stack(plan.grids)
        mean = scores.mean(axis=-1)
        self.tie_ = plan.limits.tol * abs(float(np.max(mean)))  # the accuracy of the solves
        self.cv_results_ = _table(plan, results, scores, mean.ravel(), self.tie_)
        choice = choice_of(self)
        row, n_alphas = choice.row, plan.grids[0].size
        at = choice.at(self.rule)
        self.min_index_ = row * n_alphas + choice.at("min")
        self.best_index_ = row * n_alphas + at
        self.penalty_ = plan.penalties[row]
        self.l1_ratio_ = plan.l1_ratios[row]
        self.alpha_ = float(plan.grids[row][at])
        mse = np.stack([result.mse for result in results], axis=-1)
        self.mse_path_ = mse[0] if single else mse

    def _refit(self, plan: Plan, limits: Limits) -> None:
        """Follow the chosen penalty on all rows down to the chosen alpha."""
        row, at = divmod(self.best_index_, plan.grids[0].size)
        start = plan.start.suited(self.penalty_)
        # The lowest of several starts walks up from the end of the grid, as it did in the folds.
        alphas = plan.grids[row] if start.kind == "best" else plan.grids[row][: at + 1]
        problem = plan.of_row(row)
        solver = Solver(problem, self.penalty_, n_alphas=alphas.size)
        warn_of_scales(solver, stacklevel=4)
        points, _ = trace(solver, alphas, limits, start=start)
        points = points[: at + 1]
        warn_if_not_converged(points[-1:], limits.tol, stacklevel=4)
        names = plan.problem.data.feature_names
        self.path_ = make_path(points, plan.problem.n_features, self.penalty_, names)
        self._store(points[-1], limits.tol, problem, self.penalty_, solver.norms2)
        if plan.relax:
            self._relax(problem, points[-1])


def _check_scores(scores: Floats, scoring: Any) -> None:
    if np.all(np.isfinite(scores)):
        return
    fold = int(np.argwhere(~np.isfinite(scores))[0][-1])
    raise ValueError(
        f"scoring={scoring!r} gave {scores[~np.isfinite(scores)][0]} on fold {fold}; a score such "
        "as 'r2' needs at least two different responses among the test rows: use fewer folds, a "
        "shuffled splitter, or another score."
    )


def _table(
    plan: Plan, results: Sequence[FoldResult], scores: Floats, mean: Floats, tie: float
) -> dict[str, Any]:
    """Return cv_results_: one row per penalty and alpha."""
    n_folds = scores.shape[-1]
    rows = scores.reshape(-1, n_folds)
    # In units of the largest score: squares of scores may leave the range of doubles.
    unit = float(np.max(np.abs(rows))) or 1.0
    spread = unit * (rows / unit).std(axis=1, ddof=1) if n_folds > 1 else np.zeros(len(rows))
    names = np.empty(len(rows), dtype=object)
    for k in range(len(rows)):
        names[k] = plan.penalties[k // plan.grids[0].size]
    support = np.stack([result.support_size for result in results], axis=-1)
    converged = np.stack([result.converged for result in results], axis=-1)
    table: dict[str, Any] = {
        "penalty": names,
        "l1_ratio": np.repeat(plan.l1_ratios, plan.grids[0].size),
        "alpha": np.concatenate(plan.grids),
        "mean_test_score": mean,
        "std_test_score": spread,
        "se_test_score": spread / np.sqrt(n_folds),
        "rank_test_score": 1 + np.array([int(np.sum(mean > value + tie)) for value in mean]),
        "mean_support_size": support.reshape(-1, n_folds).mean(axis=1),
        "n_converged": converged.reshape(-1, n_folds).sum(axis=1).astype(np.int64),
    }
    for k in range(n_folds):
        table[f"split{k}_test_score"] = rows[:, k]
    return table


def _warn_about_folds(results: Sequence[FoldResult], plan: Plan) -> None:
    """Name the folds that did not converge, the worst point, and what to do."""
    failed = [k for k, result in enumerate(results) if not np.all(result.converged)]
    if not failed:
        return
    worst = max(failed, key=lambda k: float(np.max(results[k].kkt * (1 - results[k].converged))))
    result = results[worst]
    s, at = np.unravel_index(np.argmax(result.kkt * (1 - result.converged)), result.kkt.shape)
    count = sum(int(np.sum(results[k].converged == 0)) for k in failed)
    warnings.warn(
        f"fold{'s' if len(failed) > 1 else ''} {', '.join(map(str, failed))} did not reach "
        f"tol={plan.limits.tol:g} at {count} point(s); the worst is fold {worst}, "
        f"{describe(plan.penalties[s])}, alpha={plan.grids[s][at]:.6g} with a violation of "
        f"{result.kkt[s, at]:.3g}. Remedy: raise max_iter, loosen tol, or standardise the columns "
        "of X.",
        ConvergenceWarning,
        stacklevel=3,
    )
