r"""A second pass over rows that were solved from their statistics: the certificate on the data.

With :math:`R = Y - XW`, one column per point of the path, all correlations come from one product,

.. math:: C = \frac1W (X - \bar X)^\top \Omega (R - \bar R)

in which nothing is left of the errors of the statistics. With the unit round-off u, k selected
features, :math:`s_j` the standard deviations and reach :math:`= s_y + \sum_l s_l |w_l|`, a
correlation is off by at most

.. math:: u s_j \big( (k + 8) \,\mathrm{reach} + 180 \|R\| \big)

because each residual is a sum of k + 1 terms, and sums over rows are made of blocks of 128, 32 of
them to a leaf, and of leaves whose rounding errors are kept. Residuals of points that are not
certified yet are computed in pairs of doubles: the first term is then 8 times the norm of R.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..data import dask_chunks
from ..data.batches import batches_of, is_dask, pieces, read_batch
from ..data.dask_chunks import Steps
from ..data.extended import ExtendedSum
from ..data.types import Floats
from ..data.validation import check_finite_vector, check_finite_X
from ..penalties import Penalty
from ..solve.points import Point
from ..solve.problem import Problem

__all__ = ["certified"]

_U = float(np.finfo(np.float64).eps) / 2.0
_BLOCK = 128
_SUMMED = 180.0
_ROUNDED = 8.0


class _Pass(NamedTuple):
    """What the points ask of the rows."""

    pivot: Floats  # of [X y]
    coefs: Floats  # (n_features, n_points)
    hard: Any  # which points need residuals in extended precision


class _Sums:
    """Weighted sums over rows, free of the rounding of their addition.

    Tasks of Dask hand them on: what was handed on is never changed.
    """

    def __init__(self, n_features: int, n_points: int) -> None:
        self.rows, self.weight = 0, ExtendedSum(np.zeros(1))
        self.products = ExtendedSum(np.zeros((n_features + 1, n_points)))
        self.means = ExtendedSum(np.zeros(n_features + 1))
        self.squares = ExtendedSum(np.zeros(n_points))

    def copy(self) -> _Sums:
        """Return sums that can be added to."""
        found = _Sums(len(self.means.value()) - 1, len(self.squares.value()))
        found.include(self)
        return found

    def include(self, other: _Sums) -> None:
        """Add the sums over other rows."""
        self.rows += other.rows
        for name in ("weight", "products", "means", "squares"):
            getattr(self, name).include(getattr(other, name))

    def add(self, values: Floats, weight: Floats, asked: _Pass) -> None:
        """Add some rows of [X y], at most a leaf."""
        away = values - asked.pivot
        lost = _lost(values, asked.pivot, away) if asked.hard.any() else None
        away[weight == 0.0] = 0.0
        residual = away[:, -1:] - away[:, :-1] @ asked.coefs
        if lost is not None:
            lost[weight == 0.0] = 0.0
            for k in np.flatnonzero(asked.hard):
                residual[:, k] = _extended(away, lost, asked.coefs[:, k])
        # A column of ones gives the sums of the residuals.
        left = np.column_stack([away[:, :-1], np.ones(len(away))])
        right = weight[:, np.newaxis] * residual
        products = np.zeros((left.shape[1], right.shape[1]))
        means, squares = np.zeros(left.shape[1]), np.zeros(right.shape[1])
        for first in range(0, len(left), _BLOCK):
            part = slice(first, first + _BLOCK)
            products += left[part].T @ right[part]
            means += left[part].T @ weight[part]
            squares += np.sum(right[part] * residual[part], axis=0)
        self.rows += len(values)
        self.weight.add(np.sum(weight))
        self.products.add(products)
        self.means.add(means)
        self.squares.add(squares)


def _summed(asked: _Pass, names: Any, X: Any, y: Any, sample_weight: Any, start: int = 0) -> _Sums:
    """Return the sums over a batch or a chunk, wherever its rows were in the stream."""
    batch = read_batch(X, y, sample_weight)
    n_features, n_points = asked.coefs.shape
    if batch.X.shape[1] != n_features:
        raise ValueError(
            f"X has {batch.X.shape[1]} columns, the path {n_features}; pass the rows that the "
            "statistics were made of."
        )
    if names is not None and batch.names is not None and np.any(names != batch.names):
        raise ValueError(
            "the columns of X are not those of the path, or in another order; pass the rows that "
            "the statistics were made of."
        )
    sums = _Sums(n_features, n_points)
    for first, last in pieces(len(batch.y)):
        values = batch.values(first, last)
        if not np.all(np.isfinite(values)):
            check_finite_vector("y", values[:, -1])
            check_finite_X(values[:, :-1], batch.names, first)
        sums.add(values, batch.weight[first:last], asked)
    return sums


def _joined(parts: Sequence[_Sums]) -> _Sums:
    found = parts[0].copy()
    for part in parts[1:]:
        found.include(part)
    return found


def _lost(values: Floats, pivot: Floats, away: Floats) -> Floats:
    """Return what rounding took from values - pivot, exactly (Knuth)."""
    taken = away - values
    return np.asarray((values - (away - taken)) - (pivot + taken))


def _extended(away: Floats, lost: Floats, coef: Floats) -> Floats:
    """Return residuals in pairs of doubles, rounded once; z - pivot is away + lost."""
    total = ExtendedSum(away[:, -1])
    total.add(lost[:, -1])
    for j in np.flatnonzero(coef):
        total.add_product(away[:, j], -coef[j])
        total.add_product(lost[:, j], -coef[j])
    return total.value()


def certified(
    problem: Problem,
    penalty: Penalty,
    points: list[Point],
    source: tuple[Any, Any, Any],
    tol: float,
) -> list[Point]:
    """Return the points with the violations that the rows themselves prove."""
    stand_in = problem.data.stand_in
    if stand_in is None:
        raise ValueError(
            "certify is for paths of Statistics: this one was computed, and certified, on the rows "
            "themselves."
        )
    coefs = np.zeros((problem.n_features, len(points)))
    for k, point in enumerate(points):
        coefs[point.columns, k] = point.values
    width = problem.n_features + 1
    pivot = stand_in.summary.mean if problem.fit_intercept else np.zeros(width)
    asked = _Pass(pivot, coefs, np.array([point.kkt > tol for point in points]))
    if is_dask(source[0]):
        of_chunk = partial(_summed, asked, problem.data.feature_names)
        sums = dask_chunks.statistics_of(Steps(of_chunk, _joined, _joined), *source, None)
    else:
        sums = _Sums(problem.n_features, len(points))
        for batch in batches_of(*source):
            sums.include(_summed(asked, problem.data.feature_names, *batch))
    if sums.rows != stand_in.summary.n:
        raise ValueError(
            f"X has {sums.rows} rows in all, and the statistics {stand_in.summary.n}; pass the "
            "rows that the statistics were made of."
        )
    return _judged(problem, penalty, points, sums, asked, tol)


def _judged(
    problem: Problem,
    penalty: Penalty,
    points: list[Point],
    sums: _Sums,
    asked: _Pass,
    tol: float,
) -> list[Point]:
    weight = float(sums.weight.value()[0])
    products, means = sums.products.value(), sums.means.value()
    c = products[:-1]
    if problem.fit_intercept:
        c = c - np.outer(means[:-1], products[-1] / weight)
    c = c / weight
    lengths = np.sqrt(sums.squares.value() / weight)
    spread = np.sqrt(np.mean(problem.design.X**2, axis=0))
    spread_y = float(np.sqrt(np.mean(problem.data.y**2)))
    out = []
    for k, point in enumerate(points):
        reach = spread_y + float(spread[point.columns] @ np.abs(point.values))
        each = _ROUNDED * lengths[k] if asked.hard[k] else (point.columns.size + _ROUNDED) * reach
        error = _U * spread * (each + _SUMMED * lengths[k])
        kkt = _violation(problem, penalty, point.alpha, asked.coefs[:, k], c[:, k], error)
        status = "CONVERGED" if kkt <= tol else "UNCERTAIN" if point.converged else point.status
        out.append(replace(point, kkt=kkt, status=status))
    return out


def _violation(
    problem: Problem, penalty: Penalty, alpha: float, w: Floats, c: Floats, error: Floats
) -> float:
    """Return a bound of the largest violation over the penalty's slope at zero."""
    terms, pi, scales = problem.terms, problem.feature_weights, problem.scales
    v, excluded = w * scales, np.isinf(pi)
    strength = terms.strength(alpha) * np.where(excluded, 0.0, pi)
    slope = np.zeros_like(v)
    seen = strength > 0.0
    slope[seen] = penalty.slope(np.abs(v[seen]), strength[seen])
    pull = c / scales - terms.ridges(alpha, pi) * v
    violation = np.where(
        w == 0.0,
        np.maximum(terms.outward(pull) - slope + error / scales, 0.0),
        np.abs(terms.inward(w, pull - slope * np.sign(w))) + error / scales,
    )
    violation[excluded] = 0.0
    level = np.asarray(penalty.slope(np.zeros(1), np.array([terms.strength(alpha)])))[0]
    return float(np.max(violation) / level)
