r"""A few rows that have the means and products of very many, for solvers that see no others.

With means m and products S of all rows, :math:`C = S / W` and standard deviations :math:`s_j =
\sqrt{C_{jj}}`, a factor :math:`Q^\top Q = K` of :math:`K_{jl} = C_{jl} / (s_j s_l)` is found by
Cholesky, or by eigenvalues where columns depend on each other. A zero row is put above it, and
the reflection that takes the first unit vector to :math:`(1, \dots, 1) / \sqrt N` is applied:
then every column sums to zero, and with N = d + 2 rows of equal weight

.. math:: \tilde z_{ij} = \sqrt N s_j Q_{ij}, \qquad \frac1N \tilde Z^\top \tilde Z = C,
    \qquad \tilde Z^\top 1 = 0.

Every centred least squares problem on these rows is that of the data. Without an intercept the
means are added to the rows.

**The error.** Let e bound :math:`|\frac1N \tilde Z^\top \tilde Z - C_{true}|_{jl}` relative to
:math:`s_j s_l`: the roundings of the sums (:mod:`sparsieve.data.leaves`), and :math:`\|Q^\top Q -
K\|_{max}`, which is measured. A correlation at w is then off by at most

.. math:: |\tilde c_j - c_j| = |[\tilde C - C]_{j\cdot} \, (-w, 1)| \le e\, s_j
    \Big(s_y + \sum_l s_l |w_l|\Big)

and twice the loss by the square of the bracket, times e. The core adds both to what it proves
(``Design::uncertainty``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .leaves import Summary
from .types import Floats

__all__ = ["StandIn"]

_U = float(np.finfo(np.float64).eps) / 2.0


@dataclass(frozen=True, eq=False)
class StandIn:
    """What stands for the rows of statistics.

    Attributes
    ----------
    summary : Summary
        Of [X y].
    rows : ndarray of shape (n_features + 2, n_features + 1)
        The centred rows, the response last.
    uncertainty : float
        How far their products may be from those of the data, relative to standard deviations.
    """

    summary: Summary
    rows: Floats
    uncertainty: float

    @classmethod
    def of(cls, summary: Summary) -> StandIn:
        """Factor the products."""
        covariance = summary.products / summary.weight
        deviation = np.sqrt(np.diagonal(covariance))
        unit = np.where(deviation > 0.0, deviation, 1.0)
        scaled = covariance / unit / unit[:, np.newaxis]
        factor, off = _factor(scaled)
        n = len(factor) + 1
        rows = _centred(factor) * (math.sqrt(n) * unit)
        # Beside sums and factor: the division by W, the scaling, the reflection, the roots.
        own = 2.0 * n + 24.0 + (60.0 if summary.weighted else 0.0)
        return cls(summary, np.asfortranarray(rows), off + _U * (summary.roundings + own))

    def data(self, fit_intercept: bool) -> tuple[Floats, Floats, float]:
        """Return X and y that stand for the data, and their uncertainty."""
        rows, uncertainty = self.rows, self.uncertainty
        if not fit_intercept:
            rows = np.asfortranarray(rows + self.summary.mean)
            uncertainty += _U * (2.0 * self.summary.mean_roundings + 16.0)
        return rows[:, :-1], np.ascontiguousarray(rows[:, -1]), uncertainty

    def intercept(self, columns: Any, values: Floats) -> float:
        """Return the mean of the response less that of the prediction, rounded once."""
        mean, low = self.summary.mean, self.summary.mean_low
        total = Fraction(float(mean[-1])) + Fraction(float(low[-1]))
        for j, value in zip(columns, values, strict=True):
            total -= Fraction(float(value)) * (Fraction(float(mean[j])) + Fraction(float(low[j])))
        return float(total)

    @property
    def deviations(self) -> Floats:
        """Standard deviations of the columns of X; 0 for constant ones."""
        summary = self.summary
        return np.sqrt(np.diagonal(summary.products)[:-1] / summary.weight)

    @property
    def effective_samples(self) -> float:
        """Rows, or the sum of their weights, see ``effective_samples`` in the criteria."""
        rows = float(self.summary.n_positive)
        if self.summary.heaviest > 2.0**53:
            return rows
        return max(self.summary.weight, rows)

    def mean_squared_error(self, columns: Any, values: Floats, intercept: float) -> float:
        """Return the weighted mean of (y - b - Xw)^2 over the rows."""
        residual = self.rows[:, -1] - self.rows[:, columns] @ values
        slip = self.intercept(columns, values) - intercept
        return float(residual @ residual) / len(residual) + slip * slip


def _factor(scaled: Floats) -> tuple[Floats, float]:
    """Return Q with Q'Q = K, and how far that is off at the most."""
    best: tuple[Floats, float] | None = None
    for way in (_cholesky, _by_eigenvalues):
        factor = way(scaled)
        if factor is None:
            continue
        gap = float(np.max(np.abs(factor.T @ factor - scaled), initial=0.0))
        if best is None or gap < best[1]:
            best = factor, gap
        if gap <= 8.0 * len(scaled) * _U:
            break
    assert best is not None
    return best[0], best[1] + (len(scaled) + 2.0) * _U


def _cholesky(scaled: Floats) -> Floats | None:
    varying = np.diagonal(scaled) > 0.0
    factor = np.zeros_like(scaled)
    try:
        part = np.linalg.cholesky(scaled[np.ix_(varying, varying)]).T
    except np.linalg.LinAlgError:
        return None
    factor[np.ix_(varying, varying)] = part
    return factor


def _by_eigenvalues(scaled: Floats) -> Floats:
    values, vectors = np.linalg.eigh(scaled)
    constant = np.diagonal(scaled) == 0.0
    factor = np.sqrt(np.maximum(values, 0.0))[:, np.newaxis] * vectors.T
    factor[:, constant] = 0.0
    return np.asarray(factor)


def _centred(factor: Floats) -> Floats:
    """Return a row more, with the same products and columns that sum to zero."""
    n = len(factor) + 1
    rows = np.vstack([np.zeros((1, factor.shape[1])), factor])
    v = np.full(n, -1.0 / math.sqrt(n))
    v[0] += 1.0
    return np.asarray(rows - np.outer(v, (2.0 / (v @ v)) * (v @ rows)))
