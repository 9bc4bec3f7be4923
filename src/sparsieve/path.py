"""Regularisation paths: many alphas, each a certified solution, each begun where ``start`` says."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from .explain import Explanation, explain_feature
from .penalties import Penalty, resolve_penalty
from .points import Point
from .relax import relaxed
from .reporting import ShownInline
from .solvers import REMEDIES, Problem, Solver
from .starts import Start, check_start, first_alpha
from .tables import Summarised, describe, text_table
from .tracing import check_limits, trace
from .validation import check_alphas, check_integer, check_number, check_X_y

__all__ = ["Path", "alpha_max", "sparse_path"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Path(Summarised, ShownInline):
    r"""Solutions along a path.

    .. math::
        \min_{w, b}\; \frac{1}{2n} \sum_i \omega_i (y_i - b - x_i^\top w)^2
        + \sum_j r(|w_j|; \alpha \pi_j)

    for a decreasing sequence of :math:`\alpha`. Unpacks as ``alphas, coefs, dual_gaps`` like
    scikit-learn's ``lasso_path``.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        Decreasing.
    coefs : ndarray or scipy.sparse.csc_array of shape (n_features, n_alphas)
        Sparse when that takes less memory. Always float64: the certificates belong to these
        numbers, and rounding them to float32 would break them.
    intercepts, objective, kkt, dual_gap, passes : ndarray of shape (n_alphas,)
        ``kkt`` is the largest violation of stationarity over all features, as a fraction of the
        penalty's slope at zero; ``passes`` the bytes of X read for that alpha divided by the size
        of X (the first one includes the set-up).
    n_iter, support_size : ndarray of int
    converged, convex : ndarray of bool
        ``convex``: the objective is strictly convex on the support, so the point is a strict local
        minimum there. False also where that was not examined: sparse data that were solved without
        a Gram matrix, with more than 256 features selected.
    r2 : ndarray of shape (n_alphas,)
        Fraction of the deviance of y explained (weighted, about the mean of y, or about zero
        without an intercept).
    status : list of str
        How each solve ended.
    start : ndarray of str
        Where each solve began: "previous", "lasso", "upwards", "given", or "none" for a convex
        penalty, where it makes no difference.
    ended : str
        "complete", or what ended the path early: "max_support", "max_deviance", "max_time",
        "callback" or "interrupted".
    tol_relative_to : str
        Whose slope at zero the tolerance is a fraction of: "alpha", each alpha's own, or "path",
        that of the first one; ``converged`` then allows a ``kkt`` above ``tol``.
    penalty : Penalty
    points : list of Point
        One per alpha, with everything known about it.
    feature_names : ndarray of str or None
    problem : Problem or None
        The data, as references, for :meth:`explain` and :meth:`relax`; a pickled path leaves them
        behind.
    """

    alphas: Floats
    coefs: Any
    intercepts: Floats
    objective: Floats
    kkt: Floats
    dual_gap: Floats
    n_iter: NDArray[np.int64]
    converged: NDArray[np.bool_]
    convex: NDArray[np.bool_]
    support_size: NDArray[np.int64]
    passes: Floats
    r2: Floats
    penalty: Penalty
    status: list[str]
    points: list[Point]
    feature_names: NDArray[Any] | None = None
    ended: str = "complete"
    problem: Problem | None = None
    tol_relative_to: str = "alpha"

    @property
    def start(self) -> NDArray[np.str_]:
        """Where each solve began."""
        return np.array([point.start for point in self.points], dtype=str)

    @property
    def minimum(self) -> NDArray[np.str_]:
        """How strong a minimum each point is."""
        return np.array([point.minimum for point in self.points], dtype=str)

    def __getstate__(self) -> dict[str, Any]:
        # The data stay where they are: a saved path should not carry a copy of X.
        return {**self.__dict__, "problem": None}

    def __iter__(self) -> Iterator[Any]:
        return iter((self.alphas, self.coefs, self.dual_gap))

    def __len__(self) -> int:
        return len(self.alphas)

    def coef_at(self, alpha: float) -> Floats:
        """Return the dense coefficients at the path's alpha nearest (in ratio) to the given one."""
        check_number("alpha", alpha, remedy="pass one of path.alphas")
        nearest = int(np.argmin(np.abs(np.log(self.alphas / alpha))))
        point = self.points[nearest]
        coef = np.zeros(self.coefs.shape[0])
        coef[point.columns] = point.values
        return coef

    def summary(self, rows: int = 20) -> str:
        """Return a table: alpha, selected features, R2, violation, start, minimum, convex or not.

        Parameters
        ----------
        rows : int, default=20
            At most so many alphas, evenly spread along the path (first and last included).
        """
        check_integer("rows", rows, low=1, remedy="use e.g. rows=20")
        shown = np.unique(np.linspace(0, len(self) - 1, min(rows, len(self))).round().astype(int))
        body = [
            (
                f"{self.alphas[k]:.6g}",
                f"{self.support_size[k]}",
                f"{round(self.r2[k], 4) + 0.0:.4f}",  # no -0.0000
                f"{self.kkt[k]:.1e}",
                self.points[k].start,
                self.points[k].minimum,
                "yes" if self.convex[k] else "no",
                "yes" if self.converged[k] else self.status[k].lower(),
            )
            for k in shown
        ]
        head = ("alpha", "support", "R2", "kkt", "start", "minimum", "convex", "converged")
        table = text_table(head, body)
        end = "" if self.ended == "complete" else f", ended by {self.ended}"
        if self.tol_relative_to == "path":  # or a kkt above tol beside "yes" would look wrong
            end += "; tol is relative to the slope at the first alpha, kkt to that at each"
        headline = (
            f"{describe(self.penalty)}, {len(self)} alphas from {self.alphas[0]:.4g} to "
            f"{self.alphas[-1]:.4g}, {self.support_size[-1]} features at the end{end}"
        )
        return f"{headline}\n{table}"

    def explain(self, feature: str | int) -> Explanation:
        """Tell what happened to one feature, by name or column number.

        Parameters
        ----------
        feature : str or int

        Returns
        -------
        Explanation
            Print it; its attributes hold the numbers.

        Examples
        --------
        >>> import sparsieve as sv
        >>> X, y, w = sv.datasets.make_toy(50, 100, 5, noise=0.5, random_state=0)
        >>> answer = sv.sparse_path(X, y, "mcp", alphas=20, eps=0.05).explain(7)
        >>> answer.name, answer.entered is None
        ('feature 7', True)
        """
        return explain_feature(self, feature)

    def relax(self) -> Path:
        """Return the path with every point refitted by least squares on its support.

        Coefficients, intercepts and ``r2`` are those of the refits; objective, violation and gap
        stay those of the penalised fits that selected the supports.
        """
        if self.problem is None:
            raise ValueError(
                "this path was loaded without the data it was computed on, which a refit needs; "
                "compute the path again."
            )
        points = [relaxed(self.problem, point) for point in self.points]
        path = path_of(self.problem, points, self.penalty, self.ended)
        return replace(path, tol_relative_to=self.tol_relative_to)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the coefficients along the path: see :func:`sparsieve.plots.plot_path`."""
        from .plots import plot_path

        return plot_path(self, ax=ax, **options)


def _stack(points: list[Point], n_features: int) -> Any:
    """Return the coefficients as one array, sparse when that is smaller."""
    n_nonzero = sum(point.values.size for point in points)
    shape = (n_features, len(points))
    if 12 * n_nonzero + 8 * len(points) < 8 * shape[0] * shape[1]:
        starts = np.cumsum([0] + [point.values.size for point in points])
        rows = np.concatenate([point.columns for point in points])
        values = np.concatenate([point.values for point in points])
        return sparse.csc_array((values, rows, starts), shape=shape)
    coefs = np.zeros(shape, order="F")
    for k, point in enumerate(points):
        coefs[point.columns, k] = point.values
    return coefs


def make_path(
    points: list[Point],
    n_features: int,
    penalty: Penalty,
    feature_names: NDArray[Any] | None,
    *,
    ended: str = "complete",
    problem: Problem | None = None,
) -> Path:
    """Collect points into a Path."""

    def column(name: str, dtype: Any = np.float64) -> Any:
        return np.array([getattr(point, name) for point in points], dtype=dtype)

    return Path(
        alphas=column("alpha"),
        coefs=_stack(points, n_features),
        intercepts=column("intercept"),
        objective=column("objective"),
        kkt=column("kkt"),
        dual_gap=column("dual_gap"),
        n_iter=column("n_iter", np.int64),
        converged=column("converged", np.bool_),
        convex=column("convex", np.bool_),
        support_size=np.array([point.values.size for point in points], dtype=np.int64),
        passes=column("passes"),
        r2=column("r2"),
        penalty=penalty,
        status=[point.status for point in points],
        points=points,
        feature_names=feature_names,
        ended=ended,
        problem=problem,
    )


def path_of(problem: Problem, points: list[Point], penalty: Penalty, ended: str) -> Path:
    """Collect points of a problem into a Path that remembers the problem."""
    names = problem.data.feature_names
    # A copy is without the prepared columns: what the core derived from X should not live as long
    # as a path.
    kept = copy.copy(problem)
    return make_path(points, problem.n_features, penalty, names, ended=ended, problem=kept)


def alpha_grid(largest: float, count: int, eps: float) -> Floats:
    """Return count alphas from largest down to eps * largest, evenly spaced in ratio."""
    grid = largest * np.geomspace(1.0, eps, count)
    grid[0] = largest
    return grid


def grid_from(
    solver: Solver, start: Start, count: int, eps: float, max_time: float = math.inf
) -> Floats:
    """Return count alphas from the first empty point down to eps * alpha_max."""
    largest, first = solver.largest_alpha(), first_alpha(solver, start, count, eps, max_time)
    return alpha_grid(first, count, eps * (largest / first))


def warn_if_not_converged(points: list[Point], tol: float, stacklevel: int = 3) -> None:
    """Warn which alphas missed the tolerance, by how much, and what to do."""
    failed = [point for point in points if not point.converged]
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


def alpha_max(
    X: Any,
    y: Any,
    penalty: str | Penalty = "mcp",
    *,
    fit_intercept: bool = True,
    sample_weight: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    positive: bool = False,
    minimum: str = "stationary",
) -> float:
    r"""Return the smallest alpha at which zero is a critical point, or a stronger minimum.

    There :math:`r'(0; \alpha \pi_j) \ge |x_j^\top \Omega (y - b)|` for every penalised feature,
    once unpenalised ones (weight 0) are fitted first.

    Parameters
    ----------
    X, y, penalty, fit_intercept, sample_weight, weights, positive
        As in :func:`sparse_path`.
    minimum : {"stationary", "coordinatewise", "swap"}, default="stationary"
        How strong a minimum zero has to be. From "coordinatewise" on, no single feature lowers the
        objective, wherever its coefficient goes: with log-sum, or with columns of small variance,
        that takes a larger alpha.

    Returns
    -------
    float
        0.0 when no feature correlates with y.
    """
    data = check_X_y(X, y, sample_weight=sample_weight, weights=weights)
    problem = Problem(data, fit_intercept=fit_intercept, positive=positive, minimum=minimum)
    return problem.solver(resolve_penalty(penalty)).alpha_max(minimum)


def sparse_path(
    X: Any,
    y: Any,
    penalty: str | Penalty = "mcp",
    *,
    alphas: int | ArrayLike = 100,
    eps: float = 1e-3,
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
    progress: bool = False,
    max_support: int | None = None,
    max_deviance: float | None = None,
    max_time: float | None = None,
    callback: Callable[[Point], Any] | None = None,
    shadow: bool = True,
) -> Path:
    r"""Compute a regularisation path, every point with a certificate.

    .. math::
        \min_{w, b}\; \frac{1}{2n} \sum_i \omega_i (y_i - b - x_i^\top w)^2
        + \sum_j r(|w_j|; \alpha \pi_j)

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        F-ordered float32 or float64 arrays and CSC matrices are read in place; a C-ordered array
        is copied once.
    y : array-like of shape (n_samples,)
    penalty : str or Penalty, default="mcp"
        "l1", "logsum", "mcp", "scad", "capped_l1", "lq", or an object with ``value`` and ``slope``.
    alphas : int or array-like, default=100
        How many alphas between alpha_max (or the first empty point above it, see ``start``) and
        eps * alpha_max, or the alphas themselves (any order; the path is computed and returned in
        decreasing order, repeats are dropped).
    eps : float, default=1e-3
        The last alpha over alpha_max, when ``alphas`` is an integer.
    fit_intercept : bool, default=True
    sample_weight : array-like of shape (n_samples,), default=None
        The :math:`\omega_i`, normalised to sum to n.
    weights : array-like of shape (n_features,), default=None
        The :math:`\pi_j`: 0 leaves a feature unpenalised, inf excludes it.
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
        - "best": the lowest objective of both and of a walk back up the path;
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
    progress : bool, default=False
        Show a progress bar (needs tqdm).
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

    Returns
    -------
    Path
        Never empty; ``path.ended`` says why it ended.

    Warns
    -----
    ConvergenceWarning
        When an alpha did not reach ``tol``: which one, the violation reached, and what to do.
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
    eps = check_number("eps", eps, high=1.0, remedy="use e.g. eps=1e-3")
    limits = check_limits(
        tol=tol,
        tol_relative_to=tol_relative_to,
        max_iter=max_iter,
        max_support=max_support,
        max_deviance=max_deviance,
        max_time=max_time,
        callback=callback,
    )
    data = check_X_y(X, y, sample_weight=sample_weight, weights=weights)
    problem = Problem(
        data,
        fit_intercept=fit_intercept,
        positive=positive,
        n_jobs=n_jobs,
        shadow=shadow,
        minimum=minimum,
    )
    n_alphas = grid if isinstance(grid, int) else len(grid)
    begin = check_start(start, problem).suited(penalty)
    solver = problem.solver(penalty, max_time=limits.left(), n_alphas=n_alphas)
    if isinstance(grid, int):
        grid = grid_from(solver, begin, grid, eps, limits.left())
    points, ended = trace(solver, grid, limits, start=begin, progress=progress, keep_finished=True)
    warn_if_not_converged(points, limits.tol)
    return replace(path_of(problem, points, penalty, ended), tol_relative_to=tol_relative_to)
