"""The scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..data.kinds import check_flag
from ..data.scalars import check_number
from ..inspect.scales import warn_of_scales
from ..losses import Loss
from ..paths.sparse_path import warn_if_not_converged
from ..penalties import Penalty, resolve_penalty
from ..penalties.resolve import as_given
from ..solve.limits import check_limits
from ..solve.problem import Problem
from ..solve.solvers import Solver
from ..solve.starts import Start, check_start
from ..solve.tracing import solve_alone
from .fitted import FittedPoint

__all__ = ["SparseRegressor"]


class SparseRegressor(FittedPoint):
    r"""Sparse linear regression with a convex or non-convex penalty, of numbers or counts.

    .. math::
        \min_{w, b}\; \frac{1}{n} \sum_i \omega_i f(o_i + b + x_i^\top w; y_i)
        + \sum_j r(|w_j|; \alpha \pi_j)

    with :math:`f(\eta; y) = (y - \eta)^2/2` unless ``loss`` names another one. For labels there is
    :class:`SparseClassifier`.

    Parameters
    ----------
    penalty : str or Penalty, default="mcp"
        "l1", "logsum", "mcp", "scad", "capped_l1", "lq", or an object with ``value`` and ``slope``.
    alpha : float, default=1.0
        Strength of the penalty.
    fit_intercept : bool, default=True
    positive : bool, default=False
        Require :math:`w_j \ge 0`.
    weights : array-like of shape (n_features,) or mapping, default=None
        The :math:`\pi_j`: 0 leaves a feature unpenalised, inf excludes it. A mapping from column
        names to numbers has those that are not 1.
    tol : float, default=1e-6
        Largest violation of stationarity, as a fraction of the penalty's slope at zero.
    max_iter : int, default=10_000
        Largest number of reweightings.
    warm_start : bool, default=False
        Start from the previous fit's coefficients, from the second fit on.
    start : {"lasso", "previous", "best"} or array-like of shape (n_features,), default="lasso"
        Where the solve begins; a concave penalty has many stationary points, and this decides in
        which one it ends. As in :func:`sparse_path`; "previous" and "best" walk along alphas of
        their own.
    minimum : {"stationary", "coordinatewise", "swap"}, default="coordinatewise"
        How strong a minimum is looked for: as in :func:`sparse_path`.
    n_jobs : int or None, default=None
        Threads for the passes over X; None means 1, -1 all cores. The result is the same, bit for
        bit, for any number.
    relax : bool, default=False
        Keep the fit without a penalty on the selected features instead of the penalised
        coefficients; the certificate is that of the penalised fit that selected them.
    standardize : bool or None, default=None
        Whether columns are divided by their standard deviations before they are penalised: as in
        :func:`sparse_path`, like the next three.
    l1_ratio : float, default=1.0
        The part of alpha that the penalty gets; the rest is a ridge.
    ridge : float, default=0.0
        A ridge that does not depend on alpha.
    bounds : pair (lower, upper), default=None
        Where the coefficients may be.
    loss : str or Loss, default="squared"
        "squared", "poisson", "negative_binomial", "huber", "logistic" (y from 0 to 1), or an
        object, such as ``Huber(delta=2)`` or one of yours: as in :func:`sparse_path`. ``predict``
        returns means, ``score`` the fraction of deviance explained.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    sparse_coef_ : scipy.sparse.csr_array of shape (1, n_features)
    intercept_ : float
    n_iter_ : int
    kkt_, dual_gap_, objective_ : float
    certificate_ : Certificate
    assessment_ : dict
        Of labels and counts: what the report shows of their fit. Deviance and the part of it that
        is explained; calibration; for labels the ROC curve, for counts residuals and dispersion.
    n_samples_, n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has string column names.

    Examples
    --------
    >>> import sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(50, 100, 5, noise=0.5, random_state=0)
    >>> model = sv.SparseRegressor("mcp", alpha=1.0).fit(X, y)
    >>> model.certificate_.converged
    True
    """

    def __init__(  # noqa: PLR0913 - the options of a public function, by keyword
        self,
        penalty: str | Penalty = "mcp",
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        positive: bool = False,
        weights: ArrayLike | None = None,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        warm_start: bool = False,
        start: str | ArrayLike = "lasso",
        minimum: str = "coordinatewise",
        n_jobs: int | None = None,
        relax: bool = False,
        standardize: bool | None = None,
        l1_ratio: float = 1.0,
        ridge: float = 0.0,
        bounds: Any = None,
        loss: str | Loss = "squared",
    ) -> None:
        self.penalty = as_given(penalty)
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.weights = weights
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.start = start
        self.minimum = minimum
        self.n_jobs = n_jobs
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
        """Fit the model.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features), or Statistics
        y : array-like of shape (n_samples,)
            Part of the Statistics, where X is one.
        sample_weight : array-like of shape (n_samples,), default=None
        offset : array-like of shape (n_samples,), default=None
            Added to the linear predictor of each row, for instance logarithms of exposures.

        Returns
        -------
        SparseRegressor

        Raises
        ------
        KeyboardInterrupt
            On Ctrl-C: one alpha has no finished part. :func:`sparse_path` returns what it has.
        """
        penalty = resolve_penalty(self.penalty)
        warm_start = check_flag("warm_start", self.warm_start)
        relax = check_flag("relax", self.relax)
        alpha = check_number("alpha", self.alpha, remedy="use alpha > 0, e.g. a part of alpha_max")
        limits = check_limits(tol=self.tol, max_iter=self.max_iter)
        problem = self._problem(X, y, sample_weight, self.n_jobs, offset=offset)
        previous = self._previous(problem) if warm_start else None
        start = previous or check_start(self.start, problem).suited(penalty)
        self._note_columns(X, problem)
        solver = Solver(problem, penalty)
        warn_of_scales(solver)
        point = solve_alone(solver, alpha, limits, start)
        warn_if_not_converged([point], limits.tol)
        self._store(point, limits.tol, problem, penalty, solver.norms2)
        if relax:
            self._relax(problem, point)
        self._assess(problem)
        return self

    def _previous(self, problem: Problem) -> Start | None:
        """Return the last fit's coefficients as a start, or None for a cold one."""
        if not hasattr(self, "coef_"):
            return None
        if self.coef_.shape[0] != problem.n_features:
            raise ValueError(
                f"warm_start=True, but the last fit had {self.coef_.shape[0]} features and X has "
                f"{problem.n_features}; set warm_start=False or fit a new estimator."
            )
        if not np.all(np.isfinite(self.coef_)):
            return None
        return Start("given", coef=problem.projected(np.array(self.coef_, dtype=np.float64)))
