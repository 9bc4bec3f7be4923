"""Cross-validation over alphas and shapes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping

from .._progress import check_progress
from .._words import describe
from ..data.inputs import check_squared
from ..data.kinds import check_flag
from ..data.terms import check_l1_ratios
from ..data.types import Floats
from ..estimators.fitted import FittedPoint
from ..files.checkpoint import Checkpoint, check_place
from ..inspect.choice import choice_of
from ..inspect.scales import warn_of_scales
from ..losses import Loss, is_squared, resolve_loss
from ..paths.path import make_path
from ..paths.sparse_path import warn_if_not_converged
from ..penalties.resolve import as_given
from ..solve.problem import Problem
from ..solve.starts import check_start
from .fold_runs import (
    FoldResult,
    FoldUnit,
    Plan,
    endings,
    fold_of,
    follow_all,
    packed,
    run_fold,
    unsettled,
    waves,
)
from .folds import Fold, make_folds
from .given_folds import GivenFold, all_of, are_given, folds_of, given_folds, summed_folds
from .grid import alpha_grids, ends_by_itself, grid_in_words, limits_of, warn_of_last
from .left_out import assess_left_out
from .runs import Cancel, run_units
from .scores import check_scorer
from .shapes import resolve_penalties

__all__ = ["SparseRegressorCV"]


class SparseRegressorCV(FittedPoint):
    r"""Sparse linear models with alpha, and the penalty's shape, chosen by cross-validation.

    .. math::
        \min_{w, b}\; \frac{1}{n} \sum_i \omega_i f(o_i + b + x_i^\top w; y_i)
        + \sum_j r(|w_j|; \alpha \pi_j)

    with :math:`f(\eta; y) = (y - \eta)^2/2` unless ``loss`` names another one.

    Every alpha of every penalty is fitted on the same folds; the best one is fitted again on all
    rows, with its certificate.

    Parameters
    ----------
    penalty : str, Penalty or list of them, default="mcp"
        A list is a grid of shapes (or of different penalties); see :func:`shape_grid`.
    alphas : int or array-like, default=100
        How many alphas between alpha_max (of all rows, per penalty; or the first empty point above
        it, as in :func:`sparse_path`) and eps * alpha_max, or the alphas themselves.
    eps : float, default=None
        alpha_min / alpha_max, when ``alphas`` is an integer. None takes what suits the data, as
        :func:`sparse_path` does, and lets a fold end where its error has risen for so long that no
        smaller alpha can be chosen; with a number every fold has all alphas.
    cv : int, splitter or iterable of (train, test), default=None
        As in scikit-learn; None means 5 folds. A number of folds is stratified where y has the two
        values of ``loss="logistic"``.
    scoring : str or callable, default=None
        A scikit-learn scorer, the higher the better; None means the mean squared error, or the mean
        deviance of another loss.
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
    loss : str or Loss, default="squared"
        As in :class:`SparseRegressor`.
    n_jobs : int or None, default=None
        Folds fitted at the same time: threads unless a joblib context asks for another backend.
    progress : bool, default=None
        Show a progress bar, as in :func:`sparse_path`.
    max_support, max_deviance : int, float, default=None
        End the path of each fold, and that on all rows, early, as in :func:`sparse_path`. Only an
        alpha that all folds have can be chosen. Where the path on all rows ends above it, that end
        is kept: ``path_.ended`` says why.
    max_time : float, default=None
        Seconds for all folds, penalties and the fit on all rows, each with an equal share.
    relax : bool, default=False
        Judge, and in the end keep, the fit without a penalty on the features that each alpha
        selects; the certificate is that of the penalised fit that selected them.
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
        Mean squared error on the rows left out; of other losses the mean deviance, twice what the
        loss is above its smallest value. NaN where the fold ended before, inf where it has no
        finite solution (separated).
    ended_ : ndarray of str of shape (n_folds,) or (n_penalties, n_folds)
        "complete", or why a fold ended before the last alpha: "rising" (errors), "max_support",
        "max_deviance" or "max_time".
    cv_results_ : dict of ndarray
        One row per penalty and alpha: ``penalty``, ``l1_ratio``, ``alpha``, ``mean_test_score``,
        ``std_test_score``, ``se_test_score``, ``rank_test_score``, ``mean_support_size``,
        ``n_converged``, and ``split<k>_test_score`` for each fold. Scores are the higher the
        better (by default minus the mean squared error, or the mean deviance). The mean of scores
        of which one is missing is NaN and ranks last.
    best_index_, min_index_ : int
        Rows of ``cv_results_``: the one chosen by ``rule``, and the one with the best mean score.
    tie_ : float
        Mean scores that differ by at most this are equal: of equal ones the first penalty wins, and
        of its alphas the largest.
    path_ : Path
        On all rows, from the largest alpha past ``alpha_`` as far as all folds have scores; without
        a reference to X, so that a fitted model does not keep it alive.
    coef_, sparse_coef_, intercept_, n_iter_, kkt_, dual_gap_, objective_, certificate_
        As in :class:`SparseRegressor`.
    assessment_ : dict
        As in :class:`SparseRegressor`, on the rows left out unless a checkpoint was resumed.
    n_samples_, n_features_in_ : int
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
        eps: float | None = None,
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
        progress: bool | None = None,
        max_support: int | None = None,
        max_deviance: float | None = None,
        max_time: float | None = None,
        relax: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        standardize: bool | None = None,
        l1_ratio: float = 1.0,
        ridge: float = 0.0,
        bounds: Any = None,
        loss: str | Loss = "squared",
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
        self.max_support = max_support
        self.max_deviance = max_deviance
        self.max_time = max_time
        self.relax = relax
        self.checkpoint = checkpoint
        self.standardize = standardize
        self.l1_ratio = l1_ratio
        self.ridge = ridge
        self.bounds = bounds
        self.loss = loss

    # The splitter asks for groups, not this estimator: see ``get_metadata_routing``.
    __metadata_request__fit = {"groups": UNUSED}  # noqa: RUF012 - read by scikit-learn

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what a pipeline may pass: what was asked for here, and what the splitter wants.

        As with scikit-learn's ``LassoCV``, ``groups`` reach the splitter through a pipeline or a
        search when metadata routing is enabled.

        Returns
        -------
        MetadataRouter
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        if hasattr(self.cv, "split"):
            mapping = MethodMapping().add(caller="fit", callee="split")
            router.add(splitter=self.cv, method_mapping=mapping)
        return router

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        groups: Any = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Choose alpha and penalty by cross-validation, then fit them on all rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features), or list
            A list of :class:`Statistics`, one per fold: each is scored on the fit of the others.
        y : array-like of shape (n_samples,)
            Part of the Statistics, where X is a list of them.
        sample_weight : array-like of shape (n_samples,), default=None
            Weigh the rows in fits and in the score of each fold. Every fold counts once in the mean
            of the scores, whatever its weights: a weight of 2 then means the same as a row that
            is there twice, with both copies in one fold.
        groups : array-like of shape (n_samples,), default=None
            For splitters that keep groups together.
        offset : array-like of shape (n_samples,), default=None
            Added to the linear predictor of each row, in fits and on rows left out.

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
        progress = check_progress(self.progress)
        limits = limits_of(self)
        scorer = check_scorer(self.scoring)
        ratios = check_l1_ratios(self.l1_ratio)
        problem, folds = self._data(X, y, sample_weight, groups, ratios[0], offset)
        self._note_columns(X, problem)
        start = check_start(self.start, problem)
        grids = [
            grid
            for ratio in ratios
            for grid in alpha_grids(
                problem.with_l1_ratio(ratio),
                penalties,
                self.alphas,
                self.eps,
                start=start,
                max_time=limits.left(),
            )
        ]
        plan = Plan(
            problem=problem,
            penalties=penalties * len(ratios),
            l1_ratios=[ratio for ratio in ratios for _ in penalties],
            grids=grids,
            limits=limits,
            start=start,
            cancel=Cancel(),
            scorer=scorer,
            scoring=self.scoring,
            relax=relax,
            classes=getattr(self, "_classes", None),
            ends_early=scorer is None and ends_by_itself(self.alphas, self.eps),
            waves=waves(len(folds), self.n_jobs),
        )
        folds = summed_folds(problem, folds, grids[0].size, scorer)
        results = self._run(plan, folds, progress)
        _warn_about_folds(results, plan)
        self._choose(results, plan)
        self._refit(plan, folds)
        self._assess(problem, assess_left_out(plan, folds, results, self.best_index_))
        if ends_by_itself(self.alphas, self.eps):
            row, at = divmod(self.best_index_, grids[0].size)
            errors = np.mean([result.mse[row] for result in results], axis=0)
            warn_of_last(grids[row], errors, at)
        return self

    def _run(
        self, plan: Plan, folds: Sequence[Fold | GivenFold], progress: bool | None
    ) -> list[FoldResult]:
        """Run the folds, and on to their last alphas where the choice may depend on that."""
        kept = Checkpoint(
            self.checkpoint,
            "cross-validation",
            partial(plan.identity, folds),
            start=plan.start.name(),
            minimum=plan.problem.minimum,
            alphas=grid_in_words(self.alphas, self.eps),
        )
        run = partial(
            run_units,
            partial(run_fold, plan),
            n_jobs=self.n_jobs,
            cancel=plan.cancel,
            kept=kept,
            pack=packed,
            unpack=partial(fold_of, plan.shape),
            progress=progress,
            what="folds",
        )
        results = run([FoldUnit(k, fold) for k, fold in enumerate(folds)])
        early = unsettled(plan, results)
        if not early:
            return results
        known = {k: result for k, result in enumerate(results) if k not in early}
        return run([FoldUnit(k, fold, True) for k, fold in enumerate(folds)], known=known)

    def _data(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, l1_ratio: float, offset: Any
    ) -> tuple[Problem, Sequence[Fold | GivenFold]]:
        """Return the problem on all rows, and the folds."""
        if not are_given(X):
            problem = self._problem(X, y, sample_weight, None, l1_ratio, offset)
            return problem, make_folds(self.cv, X, problem, groups)
        for name, given in (("scoring", self.scoring), ("groups", groups), ("offset", offset)):
            if given is not None:
                raise ValueError(
                    f"{name} needs rows, which statistics do not have; leave it out: the score is "
                    "the mean squared error."
                )
        check_squared(is_squared(resolve_loss(self.loss)))
        parts = folds_of(X, y, sample_weight, self.cv)
        problem = self._problem(all_of(parts), None, None, None, l1_ratio)
        return problem, given_folds(parts)

    def _choose(self, results: Sequence[FoldResult], plan: Plan) -> None:
        """Fill in the tables and pick a row by the rule."""
        scores = np.stack([result.score for result in results], axis=-1)
        mse = np.stack([result.mse for result in results], axis=-1)
        missing = np.isnan(np.stack([result.support_size for result in results], axis=-1))
        _check_scores(np.where(missing, 0.0, scores), mse, self.scoring)
        single = len(plan.penalties) == 1
        self.alphas_ = plan.grids[0] if single else np.stack(plan.grids)
        mean = scores.mean(axis=-1)
        self.tie_ = plan.limits.tol * abs(float(np.nanmax(mean)))  # the accuracy of the solves
        self.cv_results_ = _table(plan, results, scores, mean.ravel(), self.tie_)
        choice = choice_of(self)
        row, n_alphas = choice.row, plan.grids[0].size
        at = choice.at(self.rule)
        self.min_index_ = row * n_alphas + choice.at("min")
        self.best_index_ = row * n_alphas + at
        self.penalty_ = plan.penalties[row]
        self.l1_ratio_ = plan.l1_ratios[row]
        self.alpha_ = float(plan.grids[row][at])
        self.mse_path_ = mse[0] if single else mse
        ended = endings(results)
        self.ended_ = ended[0] if single else ended

    def _refit(self, plan: Plan, folds: Sequence[Fold | GivenFold]) -> None:
        """Follow the chosen penalty on all rows, past the chosen alpha as far as there are scores.

        A limit may end this path above the alpha that the folds chose; then its end is kept.
        """
        limits = plan.limits
        n_alphas = plan.grids[0].size
        row, at = divmod(self.best_index_, n_alphas)
        scores = self.cv_results_["mean_test_score"].reshape(-1, n_alphas)[row]
        last = int(np.flatnonzero(np.isfinite(scores))[-1])
        alphas = plan.grids[row][: last + 1]
        problem = plan.of_row(row)
        solver, points, ended = follow_all(plan, row, alphas, folds)
        warn_of_scales(solver, stacklevel=4)
        if len(points) <= at:  # the choice was made without the rows that reach the limit here
            self.best_index_ += len(points) - 1 - at
            at = len(points) - 1
            self.alpha_ = points[at].alpha
        chosen = points[at]
        warn_if_not_converged([chosen], limits.tol, stacklevel=4)
        names = plan.problem.data.feature_names
        d = plan.problem.n_features
        self.path_ = make_path(points, d, self.penalty_, names, ended=ended, loss=problem.loss)
        self._store(chosen, limits.tol, problem, self.penalty_, solver.norms2)
        if plan.relax:
            self._relax(problem, chosen)


def _check_scores(scores: Floats, mse: Floats, scoring: Any) -> None:
    """Refuse scores that are no numbers, and folds none of which has a solution anywhere."""
    absent = np.isneginf(scores) & np.isposinf(mse)
    if np.all(np.any(absent, axis=-1)):
        raise ValueError(
            "cv: at every alpha some fold has no finite solution (separated: a single class among "
            "its training rows, or classes that its features separate); use a ridge (ridge=1e-3), "
            "a penalty that grows without bound (l1, logsum), larger alphas or fewer folds."
        )
    strange = ~np.isfinite(scores) & ~absent
    if not np.any(strange):
        return
    fold = int(np.argwhere(strange)[0][-1])
    raise ValueError(
        f"scoring={scoring!r} gave {scores[strange][0]} on fold {fold}; a score such "
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
    absent = np.isinf(rows).any(axis=1)  # a fold has no solution there
    unit = float(np.nanmax(np.abs(rows[~absent]), initial=0.0)) or 1.0
    spread = np.where(absent, np.inf, 0.0)
    if n_folds > 1:
        spread[~absent] = unit * (rows[~absent] / unit).std(axis=1, ddof=1)
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
        "rank_test_score": _ranks(mean, tie),
        "mean_support_size": support.reshape(-1, n_folds).mean(axis=1),
        "n_converged": np.nansum(converged.reshape(-1, n_folds), axis=1).astype(np.int64),
    }
    for k in range(n_folds):
        table[f"split{k}_test_score"] = rows[:, k]
    return table


def _ranks(mean: Floats, tie: float) -> NDArray[np.int64]:
    """Return the rank of each mean score; those that are not known come last."""
    known = np.where(np.isnan(mean), -np.inf, mean)
    return np.array([1 + int(np.sum(known > value + tie)) for value in known], dtype=np.int64)


def _warn_about_folds(results: Sequence[FoldResult], plan: Plan) -> None:
    """Name the folds that did not converge, the worst point, and what to do."""
    # Where there is no solution (separated), the score says so.
    missed = [(result.converged == 0.0) & np.isfinite(result.mse) for result in results]
    failed = [k for k, here in enumerate(missed) if np.any(here)]
    if not failed:
        return
    violations = [np.where(missed[k], results[k].kkt, 0.0) for k in range(len(results))]
    worst = max(failed, key=lambda k: float(np.max(violations[k])))
    result = results[worst]
    s, at = np.unravel_index(np.argmax(violations[worst]), result.kkt.shape)
    count = sum(int(np.sum(here)) for here in missed)
    warnings.warn(
        f"fold{'s' if len(failed) > 1 else ''} {', '.join(map(str, failed))} did not reach "
        f"tol={plan.limits.tol:g} at {count} point(s); the worst is fold {worst}, "
        f"{describe(plan.penalties[s])}, alpha={plan.grids[s][at]:.6g} with a violation of "
        f"{result.kkt[s, at]:.3g}. Remedy: raise max_iter, loosen tol, or standardise the columns "
        "of X.",
        ConvergenceWarning,
        stacklevel=3,
    )
