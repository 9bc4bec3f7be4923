"""Paths as functions: all alphas, or the first one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from ..data.inputs import check_data
from ..data.terms import terms_of
from ..data.validation import check_alphas
from ..inspect.scales import warn_of_scales
from ..losses import Loss, is_squared, resolve_loss
from ..penalties import Penalty, is_convex, resolve_penalty
from ..solve.limits import check_limits
from ..solve.points import Point
from ..solve.problem import Problem
from ..solve.solvers import REMEDIES, Solver
from ..solve.starts import check_start
from ..solve.tracing import trace
from .grid import check_eps, grid_from
from .path import Path, path_of

__all__ = ["alpha_max", "sparse_path", "warn_if_not_converged"]

#: The remedy where not even an intercept exists.
NO_INTERCEPT = (
    "the best intercept is infinite, as for a single class or no counts at all: check y and "
    "sample_weight"
)


def warn_if_not_converged(points: list[Point], tol: float, stacklevel: int = 3) -> None:
    """Warn which alphas missed the tolerance, by how much, and what to do."""
    separated = [point for point in points if point.status == "SEPARATED"]
    if separated:
        way = separated[0].direction
        remedy = REMEDIES["SEPARATED"] if way is None or way.columns.size else NO_INTERCEPT
        warnings.warn(
            f"{len(separated)} of {len(points)} alphas, from {separated[0].alpha:.6g} on, have no "
            f"solution (separated), so their coefficients are nan: {remedy}.",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )
    failed = [p for p in points if not p.converged and p.status != "SEPARATED"]
    if not failed:
        return
    worst = max(failed, key=lambda point: point.kkt)
    warnings.warn(
        f"{len(failed)} of {len(points)} alphas did not reach tol={tol:g}; the worst is "
        f"alpha={worst.alpha:.6g} with a violation of {worst.kkt:.3g} after {worst.n_iter} "
        f"iterations ({worst.status.lower()}). Remedy: {REMEDIES[worst.status]}.",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )


def alpha_max(  # noqa: PLR0913 - the options of a public function, by keyword
    X: Any,
    y: Any = None,
    penalty: str | Penalty = "mcp",
    *,
    fit_intercept: bool = True,
    sample_weight: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    positive: bool = False,
    minimum: str = "stationary",
    standardize: bool = False,
    l1_ratio: float = 1.0,
    ridge: float = 0.0,
    bounds: Any = None,
    loss: str | Loss = "squared",
    offset: ArrayLike | None = None,
) -> float:
    r"""Return the smallest alpha at which zero is a critical point, or a stronger minimum.

    There :math:`r'(0; \alpha \lambda \pi_j) \ge |x_j^\top \Omega u|` for every penalised feature,
    once intercept and unpenalised ones (weight 0) are fitted; :math:`\lambda` is the l1 ratio and
    :math:`u` the residuals, minus the derivatives of the loss.

    Parameters
    ----------
    X, y, penalty, fit_intercept, sample_weight, weights, positive, l1_ratio, ridge, bounds
    loss, offset
        As in :func:`sparse_path`.
    standardize : bool, default=False
        As in :func:`sparse_path`; here it must be said.
    minimum : {"stationary", "coordinatewise", "swap"}, default="stationary"
        How strong a minimum zero has to be. From "coordinatewise" on, no single feature lowers the
        objective, wherever its coefficient goes within its bounds: with log-sum, or with columns of
        small variance, that takes a larger alpha. Of losses other than squares only the first is
        known, but for convex penalties, where all are the same.

    Returns
    -------
    float
        0.0 when no feature correlates with y.
    """
    loss = resolve_loss(loss)
    data = check_data(
        X,
        y,
        sample_weight=sample_weight,
        weights=weights,
        offset=offset,
        squared=is_squared(loss),
    )
    problem = Problem(
        data,
        fit_intercept=fit_intercept,
        terms=terms_of(data, positive, standardize, l1_ratio, ridge, bounds),
        minimum=minimum,
        loss=loss,
    )
    penalty = resolve_penalty(penalty)
    if minimum != "stationary" and not problem.squared and not is_convex(penalty):
        raise ValueError(
            f"minimum={minimum!r} is known with loss='squared' only; use minimum='stationary', or "
            "look for the first empty point of sparse_path."
        )
    solver = Solver(problem, penalty)
    if not solver.exists:
        raise ValueError(
            "y: no finite intercept and unpenalised coefficients explain it best (a single class, "
            "no counts at all, or unpenalised columns that separate classes), so there is no "
            "alpha_max; check y, weights and sample_weight."
        )
    return solver.alpha_max(minimum)


def sparse_path(  # noqa: PLR0913 - the options of a public function, by keyword
    X: Any,
    y: Any = None,
    penalty: str | Penalty = "mcp",
    *,
    alphas: int | ArrayLike = 100,
    eps: float | None = None,
    fit_intercept: bool = True,
    sample_weight: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    positive: bool = False,
    tol: float = 1e-6,
    tol_relative_to: str = "alpha",
    max_iter: int = 10_000,
    start: str | ArrayLike = "lasso",
    minimum: str = "coordinatewise",
    n_jobs: int | None = None,
    progress: bool | None = None,
    max_support: int | None = None,
    max_deviance: float | None = None,
    max_time: float | None = None,
    callback: Callable[[Point], Any] | None = None,
    shadow: bool = True,
    standardize: bool | None = None,
    l1_ratio: float = 1.0,
    ridge: float = 0.0,
    bounds: Any = None,
    loss: str | Loss = "squared",
    offset: ArrayLike | None = None,
) -> Path:
    r"""Compute a regularisation path, every point with a certificate.

    .. math::
        \min_{w, b}\; \frac{1}{n} \sum_i \omega_i f(o_i + b + x_i^\top w; y_i)
        + \sum_j \Big[ r(|v_j|; \alpha \lambda \pi_j)
        + \frac{\alpha (1 - \lambda) \pi_j + \rho}{2} v_j^2 \Big]

    where :math:`v_j` is :math:`w_j`, or the coefficient of the standardised column, the l1 ratio
    :math:`\lambda` is 1, the ridge :math:`\rho` and the offset :math:`o` are 0 and the loss is
    :math:`f(\eta; y) = (y - \eta)^2/2` unless something else is asked for.

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n_samples, n_features), or Statistics
        F-ordered float32 or float64 arrays and CSC matrices are read in place; a C-ordered array
        is copied once. :class:`Statistics` hold y and sample weights too; a Dask array or frame in
        chunks of rows is summed into one.
    y : array-like of shape (n_samples,)
    penalty : str or Penalty, default="mcp"
        "l1", "logsum", "mcp", "scad", "capped_l1", "lq", or an object with ``value`` and ``slope``.
    alphas : int or array-like, default=100
        How many alphas between alpha_max (or the first empty point above it, see ``start``) and
        eps * alpha_max, or the alphas themselves (any order; the path is computed and returned in
        decreasing order, repeats are dropped).
    eps : float, default=None
        The last alpha over alpha_max, when ``alphas`` is an integer. None takes 1e-3 where there
        are more rows than features and 1e-2 elsewhere: see "Where a path ends" in the guide.
    fit_intercept : bool, default=True
    sample_weight : array-like of shape (n_samples,), default=None
        The :math:`\omega_i`, normalised to sum to n.
    weights : array-like of shape (n_features,) or mapping, default=None
        The :math:`\pi_j`: 0 leaves a feature unpenalised, inf excludes it. A mapping from column
        names to numbers has those that are not 1.
    positive : bool, default=False
        Require :math:`w_j \ge 0`.
    tol : float, default=1e-6
        A point has converged when no feature violates stationarity by more than ``tol`` times the
        penalty's slope at zero.
    tol_relative_to : {"alpha", "path"}, default="alpha"
        Whose slope: that at each alpha, so that the end of a path is as exact as its start, or that
        at the first one. The latter allows the same violation everywhere (at most 0.1 of an alpha's
        own slope), as most other libraries do, and is faster when ``tol`` is loose. ``kkt`` remains
        a fraction of each alpha's own slope, so a converged point may then have ``kkt > tol``.
    max_iter : int, default=10_000
        Largest number of reweightings per alpha.
    start : {"lasso", "previous", "best"} or array-like of shape (n_features,), default="lasso"
        Where each solve begins. A concave penalty has many stationary points, and the one a solve
        ends in depends on where it began: see "Choosing where to start" in the guide.

        - "lasso": from the lasso with weights 0.3 times the penalty's slope at zero, at each alpha;
        - "previous": from the point at the last alpha, walking down from zero. Faster, and greedy;
        - "best": the lowest objective of both and of a walk back up the path, and then of starts
          from the lowest points at the alphas beside; with ``minimum="swap"`` also of exchanges
          of two features after which all coefficients follow;
        - an array: from these coefficients at every alpha (made to obey ``positive`` and
          ``weights``).

        For a convex penalty it makes no difference, and costs nothing. Unless alphas are given, a
        path begins at the first alpha, from alpha_max upwards, whose point under this start is
        empty: from a lasso that may be somewhat above alpha_max.
    minimum : {"stationary", "coordinatewise", "swap"}, default="coordinatewise"
        How strong a minimum is looked for at each alpha; see "How good is this minimum?" in the
        guide.

        - "stationary": a point where the objective falls in no direction;
        - "coordinatewise": also no change of a single coefficient, however large, lowers the
          objective by more than ``tol`` times itself;
        - "swap": nor does an exchange of one selected feature for another.

        For a convex penalty all are the same, and cost nothing.
    n_jobs : int or None, default=None
        Threads for the passes over X; None means 1, -1 all cores. The result is the same, bit for
        bit, for any number.
    progress : bool, default=None
        Show a progress bar on standard error: one of tqdm, or a line of text where that is not
        installed. None shows it on a terminal only, and only of work longer than two seconds.
    max_support : int, default=None
        End the path with the first alpha that selects at least so many features.
    max_deviance : float, default=None
        End the path with the first alpha that explains at least this fraction of the deviance of y.
    max_time : float, default=None
        Seconds after which the path ends with what is finished.
    callback : callable, default=None
        ``callback(point)`` is called after each alpha; the path ends when it returns True.
    shadow : bool, default=True
        Allow an 8-bit copy of a dense X (one byte per entry, two from 4,096 rows on), built at once
        by a path of 20 alphas or more on at least 96 rows, else when X has been read often enough
        to pay for it. It saves most reads of X. What is certified is proven as strictly with it as
        without, but the way there differs: ``kkt`` differs below ``tol``, and a path of a
        non-convex penalty may end in another stationary point.
    standardize : bool or None, default=None
        Whether each column is divided by its weighted standard deviation before it is penalised.
        Coefficients, bounds and starts are in the units of X either way. None means no, with a
        warning where column scales differ so much that the penalty has another shape for part of
        the columns.
    l1_ratio : float, default=1.0
        The :math:`\lambda` in (0, 1]: the rest of alpha is a ridge, as in an elastic net.
    ridge : float, default=0.0
        The :math:`\rho`, the same at every alpha.
    bounds : pair (lower, upper), default=None
        Where the coefficients may be: each side None, a number, one number per column, or a
        mapping from column names to numbers. Zero must be inside.
    loss : str or Loss, default="squared"
        "squared", "logistic" (y from 0 to 1; :class:`SparseClassifier` takes any labels),
        "poisson", "negative_binomial" (counts), "huber" (numbers with outliers), an object such as
        ``NegativeBinomial(theta=2)``, or one of yours with ``value``, ``gradient`` and
        ``curvature``. See "Classes, counts, outliers" in the guide.
    offset : array-like of shape (n_samples,), default=None
        Added to the linear predictor of each row, for instance logarithms of exposures.

    Returns
    -------
    Path
        Never empty; ``path.ended`` says why it ended.

    Warns
    -----
    ConvergenceWarning
        When an alpha did not reach ``tol``: which one, the violation reached, and what to do. Also
        where no finite coefficients are best: see ``separated`` of :class:`Path`.
    UserWarning
        When Ctrl-C ended the path: the finished part is returned, with ``ended="interrupted"``.
        Before the first alpha is finished there is none, and KeyboardInterrupt is raised.

    Examples
    --------
    >>> import sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(50, 100, 5, noise=0.5, random_state=0)
    >>> path = sv.sparse_path(X, y, "mcp", alphas=20, eps=0.05)
    >>> bool(path.converged.all()), float(path.kkt.max()) <= 1e-6
    (True, True)
    """
    penalty = resolve_penalty(penalty)
    grid = check_alphas(alphas)
    eps = check_eps(eps)
    limits = check_limits(
        tol=tol,
        tol_relative_to=tol_relative_to,
        max_iter=max_iter,
        max_support=max_support,
        max_deviance=max_deviance,
        max_time=max_time,
        callback=callback,
    )
    loss = resolve_loss(loss)
    data = check_data(
        X,
        y,
        sample_weight=sample_weight,
        weights=weights,
        offset=offset,
        squared=is_squared(loss),
    )
    problem = Problem(
        data,
        fit_intercept=fit_intercept,
        terms=terms_of(data, positive, standardize, l1_ratio, ridge, bounds),
        n_jobs=n_jobs,
        shadow=shadow,
        minimum=minimum,
        loss=loss,
    )
    n_alphas = grid if isinstance(grid, int) else len(grid)
    begin = check_start(start, problem).suited(penalty)
    solver = Solver(problem, penalty, max_time=limits.left(), n_alphas=n_alphas)
    warn_of_scales(solver)
    if isinstance(grid, int):
        grid = grid_from(solver, begin, grid, eps, limits.left())
        limits = replace(limits, existing=True)
    points, ended = trace(solver, grid, limits, start=begin, progress=progress, keep_finished=True)
    warn_if_not_converged(points, limits.tol)
    return replace(path_of(problem, points, penalty, ended), tol_relative_to=tol_relative_to)
