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
K\|_{max}`. A correlation at w is then off by at most

.. math:: |\tilde c_j - c_j| = |[\tilde C - C]_{j\cdot} \, (-w, 1)| \le e\, s_j
    \Big(s_y + \sum_l s_l |w_l|\Big)

and twice the loss by the square of the bracket, times e. The core adds both to what it proves
(``Design::uncertainty``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .extended import split_product
from .leaves import Summary
from .types import Floats

__all__ = ["StandIn", "mean_residuals"]

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
        lower, off = _factor(scaled)
        n = len(lower) + 1
        rows = _centred(lower)
        rows *= (math.sqrt(n) * unit)[:, np.newaxis]
        # Beside sums and factor: the division by W, the scaling, the reflection, the roots.
        own = 2.0 * n + 24.0 + (60.0 if summary.weighted else 0.0)
        return cls(summary, rows.T, off + _U * (summary.roundings + own))

    def data(self, fit_intercept: bool) -> tuple[Floats, Floats, float]:
        """Return X and y that stand for the data, and their uncertainty."""
        rows, uncertainty = self.rows, self.uncertainty
        if not fit_intercept:
            rows = np.asfortranarray(rows + self.summary.mean)
            uncertainty += _U * (2.0 * self.summary.mean_roundings + 16.0)
        return rows[:, :-1], np.ascontiguousarray(rows[:, -1]), uncertainty

    def intercept(self, columns: Any, values: Floats) -> float:
        """Return the mean of the response less that of the prediction, rounded once."""
        return float(mean_residuals(self.summary, [len(values)], columns, values)[0])

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


def mean_residuals(
    summary: Summary, sizes: Any, columns: Any, values: Floats, intercepts: Floats | None = None
) -> Floats:
    """Return m_y - m_x'w - b, each rounded once, for coefficients that lie one after the other.

    Of the k-th vector ``sizes[k]`` coefficients are given, the others are zero, as is b without
    ``intercepts``.
    """
    mean, low = summary.mean, summary.mean_low
    product, lost = split_product(values, mean[columns])
    # Beside the product the others are so small that one number holds both.
    terms = np.stack([-product, -(lost + values * low[columns])], axis=1).ravel().tolist()
    response, end = [float(mean[-1]), float(low[-1])], 0
    found = []
    for b, size in zip(
        np.zeros(len(sizes)) if intercepts is None else intercepts, sizes, strict=True
    ):
        begin, end = end, end + 2 * int(size)
        found.append(math.fsum([*response, -float(b), *terms[begin:end]]))
    return np.array(found)


def _factor(scaled: Floats) -> tuple[Floats, float]:
    """Return L with L L' = K, and how far that is off at the most.

    Cholesky's is off by (k + 1) u / (1 - (k + 1) u) sqrt(K_jj K_ll), k being the number of columns.
    """
    lower = _cholesky(scaled)
    rounding = (len(scaled) + 2.0) * _U
    if lower is not None:
        return lower, 2.0 * rounding
    lower = _by_eigenvalues(scaled)
    return lower, float(np.max(np.abs(lower @ lower.T - scaled), initial=0.0)) + rounding


def _cholesky(scaled: Floats) -> Floats | None:
    varying = np.diagonal(scaled) > 0.0
    try:
        if np.all(varying):
            return np.asarray(np.linalg.cholesky(scaled), dtype=np.float64)
        lower = np.zeros_like(scaled)
        lower[np.ix_(varying, varying)] = np.linalg.cholesky(scaled[np.ix_(varying, varying)])
    except np.linalg.LinAlgError:
        return None
    return lower


def _by_eigenvalues(scaled: Floats) -> Floats:
    values, vectors = np.linalg.eigh(scaled)
    lower = vectors * np.sqrt(np.maximum(values, 0.0))
    lower[np.diagonal(scaled) == 0.0] = 0.0
    return np.asarray(lower)


def _centred(lower: Floats) -> Floats:
    """Return a column more, with the same products of rows, which sum to zero."""
    n = len(lower) + 1
    v = np.full(n, -1.0 / math.sqrt(n))
    v[0] += 1.0
    along = (lower @ v[1:]) * (2.0 / (v @ v))
    columns = np.empty((len(lower), n))
    columns[:, 0] = -v[0] * along
    np.subtract(lower, v[1] * along[:, np.newaxis], out=columns[:, 1:])
    return columns
