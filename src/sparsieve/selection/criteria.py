"""Information criteria over a path or a surface."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from .._progress import check_progress, counter
from ..data.kinds import check_flag
from ..data.scalars import check_number
from ..data.types import Floats
from ..estimators.fitted import FittedPoint
from ..inspect.choice import choice_of
from ..inspect.scales import warn_of_scales
from ..losses import Loss
from ..paths.path import make_path
from ..paths.sparse_path import warn_if_not_converged
from ..penalties import Penalty
from ..penalties.resolve import as_given
from ..solve.limits import Limits
from ..solve.points import Point
from ..solve.problem import Problem
from ..solve.solvers import Solver
from ..solve.starts import Start, check_start
from .grid import alpha_grids, ends_by_itself, follow_shape, limits_of, warn_of_last
from .noise import effective_samples, estimate_noise_variance, residual_sums
from .shapes import resolve_penalties

__all__ = ["CRITERIA", "SparseRegressorIC", "information_criterion"]

CRITERIA = ("aic", "bic", "ebic", "hbic")
# Data fitted exactly leave no noise: a tiny number keeps the criterion finite.
_NO_NOISE = 1e-280


def information_criterion(
    criterion: str,
    rss: ArrayLike,
    df: ArrayLike,
    *,
    n_samples: float,
    n_features: int,
    noise_variance: float,
    gamma: float = 1.0,
) -> Floats:
    r"""Return an information criterion of Gaussian models, the lower the better.

    .. math::
        \frac{\mathrm{RSS}}{\sigma^2} + n \log(2\pi\sigma^2) + c(k),
        \qquad c(k) = \begin{cases}
        2k & \text{AIC} \\ k \log n & \text{BIC} \\
        k \log n + 2\gamma \log \binom{d}{k} & \text{EBIC} \\
        k \log(\log n) \log d & \text{HBIC} \end{cases}

    Parameters
    ----------
    criterion : {"aic", "bic", "ebic", "hbic"}
    rss : array-like
        Residual sums of squares :math:`\mathrm{RSS}`.
    df : array-like
        Degrees of freedom :math:`k`: the number of non-zero coefficients. (An intercept would add
        the same to every model.)
    n_samples : float
        :math:`n`.
    n_features : int
        :math:`d`.
    noise_variance : float
        :math:`\sigma^2`.
    gamma : float, default=1.0
        How much EBIC minds the number of models of each size; 0 is BIC.

    Returns
    -------
    ndarray

    References
    ----------
    EBIC: Chen and Chen, Biometrika 2008. HBIC: Wang, Kim and Li, Annals of Statistics 2013.
    """
    k = np.asarray(df, dtype=np.float64)
    n, d = float(n_samples), float(n_features)
    if criterion == "aic":
        cost = 2.0 * k
    elif criterion == "bic":
        cost = k * math.log(n)
    elif criterion == "ebic":
        ways = gammaln(d + 1.0) - gammaln(k + 1.0) - gammaln(d - k + 1.0)
        cost = k * math.log(n) + 2.0 * gamma * ways
    elif criterion == "hbic":
        cost = k * max(math.log(max(math.log(n), 1.0)), 0.0) * math.log(max(d, 2.0))
    else:
        known = ", ".join(map(repr, CRITERIA))
        raise ValueError(f"criterion={criterion!r} is not known; use one of {known}.")
    fit = np.asarray(rss, dtype=np.float64) / noise_variance
    return np.asarray(fit + n * math.log(2.0 * math.pi * noise_variance) + cost)


def _table(size: int, rows: Sequence[Any]) -> Floats:
    """Return rows of numbers as one array of that width, NaN beyond the end of each."""
    table = np.full((len(rows), size), np.nan)
    for line, row in zip(table, rows, strict=True):
        line[: len(row)] = row
    return table


class SparseRegressorIC(FittedPoint):
    r"""Sparse linear models with alpha, and the penalty's shape, chosen by a criterion.

    .. math::
        \min_{w, b}\; \frac{1}{n} \sum_i \omega_i f(o_i + b + x_i^\top w; y_i)
        + \sum_j r(|w_j|; \alpha \pi_j)

    with :math:`f(\eta; y) = (y - \eta)^2/2` unless ``loss`` names another one. Among the alphas of
    every penalty, the one with the lowest

    .. math::
        \frac{\mathrm{RSS}}{\sigma^2} + n \log(2\pi\sigma^2) + c(k)

    is kept (the deviance instead of RSS for other losses), where k counts the non-zero coefficients
    and c is named by ``criterion``: see :func:`information_criterion`. One path per penalty is all
    it costs.

    Parameters
    ----------
    penalty : str, Penalty or list of them, default="mcp"
        A list is a grid of shapes (or of different penalties); see :func:`shape_grid`.
    criterion : {"ebic", "bic", "aic", "hbic"}, default="ebic"
        EBIC and HBIC charge for the number of features to choose from, which BIC and AIC (made for
        few features) do not: with d > n those select too many.
    noise_variance : float, default=None
        :math:`\sigma^2`. None estimates it: least squares on all features when
        :math:`d \le n/2`, otherwise the residual variance at the alpha where the path meets the
        noise (the median over penalties). Of losses that are log-likelihoods (logistic, Poisson,
        negative binomial) it is the dispersion, 1 unless given; of Huber's and your own the
        variance of the score over the curvature, where the path meets the noise.
    gamma : float, default=1.0
        EBIC's :math:`\gamma` in [0, 1].
    alphas, eps
        As in :class:`SparseRegressorCV`.
    fit_intercept, positive, weights, tol, max_iter, n_jobs
    standardize, l1_ratio, ridge, bounds
        As in :class:`SparseRegressor`.
    start : {"lasso", "previous", "best"} or array-like of shape (n_features,), default="lasso"
        Where each solve begins: as in :func:`sparse_path`.
    minimum : {"stationary", "coordinatewise", "swap"}, default="coordinatewise"
        How strong a minimum is looked for: as in :func:`sparse_path`.
    progress : bool, default=None
        Show a progress bar, as in :func:`sparse_path`.
    max_support, max_deviance : int, float, default=None
        End each path early, as in :func:`sparse_path`.
    max_time : float, default=None
        Seconds for all paths, each penalty with an equal share.
    relax : bool, default=False
        Keep the fit without a penalty on the selected features; the criterion judges the penalised
        fits.
    loss : str or Loss, default="squared"
        As in :class:`SparseRegressor`.

    Attributes
    ----------
    alpha_ : float
    penalty_ : Penalty
    alphas_ : ndarray of shape (n_alphas,) or (n_penalties, n_alphas)
    criterion_ : ndarray of the same shape
        The criterion of every fit; NaN beyond the end of a path that a limit ended.
    ended_ : ndarray of str of shape (n_penalties,)
        "complete", or what ended each path: "max_support", "max_deviance" or "max_time".
    degrees_of_freedom_ : ndarray of the same shape
        Non-zero coefficients: exactly unbiased for the lasso (Zou, Hastie and Tibshirani 2007), the
        usual convention for non-convex penalties, whose search costs somewhat more than that. With
        NaN, and then of floats, where a limit ended a path.
    best_index_ : int
        Where the chosen point is in ``criterion_``, counted row by row.
    tie_ : float
        Criteria that differ by at most this are equal: of equal ones the first penalty wins, and of
        its alphas the largest.
    noise_variance_ : float
    path_ : Path
        The chosen penalty's path over all its alphas; without a reference to X, so that a fitted
        model does not keep it alive.
    coef_, sparse_coef_, intercept_, n_iter_, kkt_, dual_gap_, objective_, certificate_, assessment_
        As in :class:`SparseRegressor`.
    n_samples_, n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has string column names.

    Examples
    --------
    >>> import sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(80, 200, 3, noise=0.5, random_state=0)
    >>> model = sv.SparseRegressorIC("mcp", alphas=30, eps=0.01).fit(X, y)
    >>> bool(((model.coef_ != 0) == (w != 0)).all())
    True
    """

    def __init__(  # noqa: PLR0913 - the options of a public function, by keyword
        self,
        penalty: Any = "mcp",
        *,
        criterion: str = "ebic",
        alphas: int | ArrayLike = 100,
        eps: float | None = None,
        noise_variance: float | None = None,
        gamma: float = 1.0,
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
        standardize: bool | None = None,
        l1_ratio: float = 1.0,
        ridge: float = 0.0,
        bounds: Any = None,
        loss: str | Loss = "squared",
    ) -> None:
        self.penalty = as_given(penalty)
        self.criterion = criterion
        self.alphas = alphas
        self.eps = eps
        self.noise_variance = noise_variance
        self.gamma = gamma
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
        self.standardize = standardize
        self.l1_ratio = l1_ratio
        self.ridge = ridge
        self.bounds = bounds
        self.loss = loss

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Fit a path per penalty and keep the point with the lowest criterion.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features), or Statistics
        y : array-like of shape (n_samples,)
            Part of the Statistics, where X is one.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights that count repetitions are as good as repeated rows: n is their sum, or the
            number of rows of positive weight when that is larger, or when a weight is above 2^53.
        offset : array-like of shape (n_samples,), default=None
            Added to the linear predictor of each row.

        Returns
        -------
        SparseRegressorIC

        Raises
        ------
        KeyboardInterrupt
            On Ctrl-C; nothing of the paths is kept.
        """
        penalties = resolve_penalties(self.penalty)
        relax = check_flag("relax", self.relax)
        check_progress(self.progress)
        limits = self._checked()
        problem = self._problem(X, y, sample_weight, self.n_jobs, offset=offset)
        self._note_columns(X, problem)
        start = check_start(self.start, problem)
        grids = alpha_grids(
            problem, penalties, self.alphas, self.eps, start=start, max_time=limits.left()
        )
        solver = Solver(problem, penalties[0], max_time=limits.left(), n_alphas=grids[0].size)
        warn_of_scales(solver)
        paths, ended = self._follow(solver, penalties, grids, limits, start)
        warn_if_not_converged([point for points in paths for point in points], limits.tol)
        single, size = len(penalties) == 1, grids[0].size
        criterion = self._judge(problem, penalties, paths, size)
        self.alphas_ = grids[0] if single else np.stack(grids)
        self.criterion_ = criterion[0] if single else criterion
        self.ended_ = np.array(ended)
        self.tie_ = limits.tol * problem.n_samples  # the accuracy of the solves
        choice = choice_of(self)
        row, at = choice.row, choice.at()
        self.best_index_ = row * size + at
        self.penalty_, self.alpha_ = penalties[row], float(grids[row][at])
        names, d = problem.data.feature_names, problem.n_features
        self.path_ = make_path(
            paths[row], d, self.penalty_, names, ended=ended[row], loss=problem.loss
        )
        df = _table(size, [[point.values.size for point in points] for points in paths])
        df = df if np.any(np.isnan(df)) else df.astype(np.int64)
        self.degrees_of_freedom_ = df[0] if single else df
        self._store(paths[row][at], limits.tol, problem, self.penalty_, solver.norms2)
        if relax:
            self._relax(problem, paths[row][at])
        self._assess(problem)
        if ends_by_itself(self.alphas, self.eps):
            unexplained = np.array([1.0 - point.r2 for point in paths[row]])
            warn_of_last(grids[row], unexplained, at, stacklevel=3)
        return self

    def _follow(
        self,
        solver: Solver,
        penalties: Sequence[Penalty],
        grids: Sequence[Floats],
        limits: Limits,
        start: Start,
    ) -> tuple[list[list[Point]], list[str]]:
        """Follow the path of each penalty; return the paths and why each of them ended."""
        paths, ended = [], []
        with contextlib.closing(counter(len(penalties), 0, self.progress, "paths")) as bar:
            for k, (penalty, grid) in enumerate(zip(penalties, grids, strict=True)):
                share = limits.share(len(penalties) - k)
                points, why = follow_shape(
                    solver, penalty, grid, share, start=start.suited(penalty)
                )
                if np.ndim(self.alphas) == 0:
                    points, why = _up_to_separated(points, why)
                paths.append(points)
                ended.append(why)
                bar.update()
        return paths, ended

    def _checked(self) -> Limits:
        if self.criterion not in CRITERIA:
            known = ", ".join(map(repr, CRITERIA))
            raise ValueError(f"criterion={self.criterion!r} is not known; use one of {known}.")
        check_number(
            "gamma", self.gamma, low=0.0, high=1.0, closed="low high", remedy="use e.g. gamma=1.0"
        )
        if self.noise_variance is not None:
            check_number(
                "noise_variance", self.noise_variance, remedy="pass None to have it estimated"
            )
        return limits_of(self)

    def _judge(
        self,
        problem: Problem,
        penalties: Sequence[Penalty],
        paths: Sequence[Sequence[Point]],
        size: int,
    ) -> Floats:
        """Return the criterion of every point: (n_penalties, n_alphas), NaN where there is none."""
        rss = [residual_sums(problem, points) for points in paths]
        variance = self.noise_variance
        if variance is None:
            each = zip(penalties, paths, rss, strict=True)
            variance = float(np.median([estimate_noise_variance(problem, *one) for one in each]))
        self.noise_variance_ = max(float(variance), _NO_NOISE)
        if all(np.all(np.isinf(each)) for each in rss):
            raise ValueError(
                "alphas: none of them has a finite solution (separated); use larger alphas, a "
                "ridge (ridge=1e-3), or a penalty that grows without bound (l1, logsum)."
            )
        return information_criterion(
            self.criterion,
            _table(size, rss),
            _table(size, [[point.values.size for point in points] for points in paths]),
            n_samples=effective_samples(problem),
            n_features=problem.n_features,
            noise_variance=self.noise_variance_,
            gamma=float(self.gamma),
        )


def _up_to_separated(points: list[Point], why: str) -> tuple[list[Point], str]:
    """End a path before the first alpha without a solution, as paths that choose theirs do."""
    solved = next((k for k, p in enumerate(points) if p.status == "SEPARATED"), len(points))
    if solved in (0, len(points)):
        return points, why
    return points[:solved], "separated"
