"""Regularisation paths: many alphas, each a certified solution, each begun where ``start`` says."""

from __future__ import annotations

import copy
import operator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from .._words import Summarised, Summary, describe
from ..data.design import Design
from ..data.rows import check_rows
from ..data.scalars import check_integer, check_number
from ..data.validation import check_offset
from ..inspect.explain import Explanation, explain_feature
from ..inspect.relax import relaxed
from ..inspect.second_pass import certified
from ..losses import BuiltInLoss, is_squared
from ..penalties import Penalty
from ..solve.path_data import PathData, nearest_alpha
from ..solve.points import Point
from ..solve.problem import SQUARED, Problem
from .reportable import ShownInline

__all__ = ["Path", "make_path", "path_of"]


@dataclass(frozen=True, eq=False, repr=False)
class Path(PathData, ShownInline, Summarised):
    r"""Solutions along a path.

    .. math::
        \min_{w, b}\; \frac{1}{n} \sum_i \omega_i f(o_i + b + x_i^\top w; y_i)
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
        Fraction of the deviance of y explained (weighted, about the best constant, or about zero
        without an intercept): R2 for squares, D2 for other losses.
    status : list of str
        How each solve ended.
    start : ndarray of str
        Where each solve began: "previous", "lasso", "upwards", "given", or "none" for a convex
        penalty, where it makes no difference.
    ended : str
        "complete", or what ended the path early: "max_support", "max_deviance", "max_time",
        "callback", "interrupted", or "separated": at the next alpha no finite coefficients are
        best, as where a line through the features separates two classes. Alphas that were given
        are not left out for that: their coefficients are nan, ``converged`` is False, and
        ``points[k].direction`` is a way in which the loss falls for ever.
    tol_relative_to : str
        Whose slope at zero the tolerance is a fraction of: "alpha", each alpha's own, or "path",
        that of the first one; ``converged`` then allows a ``kkt`` above ``tol``.
    penalty : Penalty
    loss : Loss
    points : list of Point
        One per alpha, with everything known about it.
    feature_names : ndarray of str or None
    problem : Problem or None
        The data, as references, for :meth:`explain` and :meth:`relax`. None for the path of a
        fitted estimator, which keeps no data alive, and for one that was pickled or saved.
    """

    def summary(self, rows: int = 20) -> Summary:
        """Return a table: alpha, selected features, R2 or D2, violation, start, minimum and more.

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
        explained, beside = "R2", ""
        if not is_squared(self.loss):
            explained, beside = "D2", f" with the loss {self.loss.label}"
        head = ("alpha", "support", explained, "kkt", "start", "minimum", "convex", "converged")
        end = "" if self.ended == "complete" else f", ended by {self.ended}"
        if self.tol_relative_to == "path":  # or a kkt above tol beside "yes" would look wrong
            end += "; tol is relative to the slope at the first alpha, kkt to that at each"
        headline = (
            f"{describe(self.penalty)}{beside}, {len(self)} alphas from {self.alphas[0]:.4g} to "
            f"{self.alphas[-1]:.4g}, {self.support_size[-1]} features at the end{end}"
        )
        return Summary.of(headline, head, body)

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

    def predict(
        self, X: Any, alpha: float | None = None, *, offset: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return the predictions of one point, or of all: means, whatever the loss.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        alpha : float, default=None
            The path's alpha nearest (in ratio) to this one; a warning tells when it is outside the
            path. None takes all.
        offset : array-like of shape (n_samples,), default=None
            Added to the linear predictor of each row, as in the fit.

        Returns
        -------
        ndarray of shape (n_samples,), or (n_samples, n_alphas) for all alphas

        Examples
        --------
        >>> import sparsieve as sv
        >>> X, y, w = sv.datasets.make_toy(50, 100, 5, noise=0.5, random_state=0)
        >>> path = sv.sparse_path(X, y, "mcp", alphas=20, eps=0.05)
        >>> path.predict(X).shape, path.predict(X, alpha=path.alphas[7]).shape
        ((50, 20), (50,))
        """
        chosen = list(range(len(self)))
        if alpha is not None:
            check_number("alpha", alpha, remedy="pass one of path.alphas")
            chosen = [nearest_alpha(self.alphas, alpha, stacklevel=3)]
        design = Design(check_rows(X, self.coefs.shape[0], self.feature_names))
        out = np.empty((design.shape[0], len(chosen)), order="F")
        for k, which in enumerate(chosen):
            point = self.points[which]
            coef = np.zeros(self.coefs.shape[0])
            coef[point.columns] = point.values
            out[:, k] = design.product(coef) + point.intercept
        beside = check_offset(offset, design.shape[0])
        out = out if beside is None else out + beside[:, np.newaxis]
        out = out if is_squared(self.loss) else self.loss.mean(out)
        return out if alpha is None else out[:, 0]

    def to_frame(self, of: str = "features") -> Any:
        """Return the path as a pandas data frame.

        Parameters
        ----------
        of : {"features", "coefficients", "points"}, default="features"
            "features": a row for each feature that is ever selected, in the order in which they
            enter: at which alpha, the part of the alphas at which it is selected, and its
            coefficient at the last one. "coefficients": a row for each alpha, a column for each of
            these features. "points": a row for each alpha with all that :meth:`summary` shows.

        Returns
        -------
        pandas.DataFrame
        """
        # Here, because it takes pandas.
        from .frames import frame_of_path

        return frame_of_path(self, of)

    def relax(self) -> Path:
        """Return the path with every point refitted without a penalty on its support.

        Coefficients, intercepts and ``r2`` are those of the refits (least squares, or the smallest
        loss); objective, violation and gap stay those of the penalised fits that selected the
        supports. Where a refit has no finite solution, as for separable classes, its coefficients
        are nan.
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

    def certify(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, tol: float = 1e-6
    ) -> Path:
        """Return the path with the violations that the rows themselves prove, in one pass.

        For a path of :class:`Statistics`, whose certificates have the errors of the statistics in
        them: where these are too large for ``tol``, the rows may still prove the point.

        Parameters
        ----------
        X, y, sample_weight
            The rows that the statistics were made of, in any order and in any form that
            :meth:`Statistics.of` reads.
        tol : float, default=1e-6
            What the path was computed to.

        Returns
        -------
        Path
        """
        if self.problem is None:
            raise ValueError(
                "this path was kept or loaded without its statistics (estimators, pickles and "
                "model files keep none); compute it again: sparse_path(statistics, "
                "penalty=path.penalty, alphas=path.alphas)."
            )
        tol = check_number("tol", tol, remedy="use e.g. tol=1e-6")
        source = (X, y, sample_weight)
        points = certified(self.problem, self.penalty, self.points, source, tol)
        path = path_of(self.problem, points, self.penalty, self.ended)
        return replace(path, tol_relative_to=self.tol_relative_to)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the coefficients along the path: see :func:`sparsieve.plots.plot_path`."""
        # Here, because it takes matplotlib.
        from ..plots import plot_path

        return plot_path(self, ax=ax, **options)


# The numbers of a point that a path has as arrays.
_NUMBERED = ("alpha", "intercept", "objective", "kkt", "dual_gap", "passes", "r2")
_NUMBERS = operator.attrgetter(*_NUMBERED)


def _stack(points: list[Point], n_features: int) -> Any:
    """Return the coefficients as one array, sparse when that is smaller."""
    sizes = [point.values.size for point in points]
    shape = (n_features, len(points))
    rows = np.concatenate([point.columns for point in points])
    values = np.concatenate([point.values for point in points])
    if 12 * values.size + 8 * len(points) < 8 * shape[0] * shape[1]:
        return sparse.csc_array((values, rows, np.cumsum([0, *sizes])), shape=shape)
    coefs = np.zeros(shape, order="F")
    coefs[rows, np.repeat(np.arange(len(points)), sizes)] = values
    return coefs


def make_path(
    points: list[Point],
    n_features: int,
    penalty: Penalty,
    feature_names: NDArray[Any] | None,
    *,
    ended: str = "complete",
    problem: Problem | None = None,
    loss: BuiltInLoss = SQUARED,
) -> Path:
    """Collect points into a Path."""
    rows = np.array([_NUMBERS(point) for point in points], dtype=np.float64)
    numbers = dict(zip(_NUMBERED, np.ascontiguousarray(rows.T), strict=True))

    return Path(
        alphas=numbers["alpha"],
        coefs=_stack(points, n_features),
        intercepts=numbers["intercept"],
        objective=numbers["objective"],
        kkt=numbers["kkt"],
        dual_gap=numbers["dual_gap"],
        n_iter=np.array([point.n_iter for point in points], dtype=np.int64),
        converged=np.array([point.converged for point in points], dtype=np.bool_),
        convex=np.array([point.convex for point in points], dtype=np.bool_),
        support_size=np.array([point.values.size for point in points], dtype=np.int64),
        passes=numbers["passes"],
        r2=numbers["r2"],
        penalty=penalty,
        status=[point.status for point in points],
        points=points,
        feature_names=feature_names,
        ended=ended,
        problem=problem,
        loss=loss,
    )


def path_of(problem: Problem, points: list[Point], penalty: Penalty, ended: str) -> Path:
    """Collect points of a problem into a Path that remembers the problem."""
    names = problem.data.feature_names
    # A copy is without the prepared columns: what the core derived from X should not live as long
    # as a path.
    kept = copy.copy(problem)
    return make_path(
        points, problem.n_features, penalty, names, ended=ended, problem=kept, loss=problem.loss
    )
