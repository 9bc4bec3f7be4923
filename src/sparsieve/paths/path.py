"""Regularisation paths: many alphas, each a certified solution, each begun where ``start`` says."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._words import Summarised, describe, text_table
from ..data.validation import check_integer
from ..inspect.explain import Explanation, explain_feature
from ..inspect.relax import relaxed
from ..penalties import Penalty
from ..solve.path_data import PathData
from ..solve.points import Point
from ..solve.problem import Problem
from .reportable import ShownInline

__all__ = ["Path", "make_path", "path_of"]


@dataclass(frozen=True, eq=False, repr=False)
class Path(PathData, Summarised, ShownInline):
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
        The data, as references, for :meth:`explain` and :meth:`relax`. None for the path of a
        fitted estimator, which keeps no data alive, and for one that was pickled or saved.
    """

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
                "this path was kept or loaded without the data it was computed on, which a refit "
                "needs (estimators, pickles and model files keep no data); compute it again: "
                "sparse_path(X, y, path.penalty, alphas=path.alphas)."
            )
        points = [relaxed(self.problem, point) for point in self.points]
        path = path_of(self.problem, points, self.penalty, self.ended)
        return replace(path, tol_relative_to=self.tol_relative_to)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the coefficients along the path: see :func:`sparsieve.plots.plot_path`."""
        # Here, because it takes matplotlib.
        from ..plots import plot_path

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
