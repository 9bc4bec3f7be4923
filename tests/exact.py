"""A Proximal Weighted Lasso solved exactly, in rational arithmetic, for a handful of features.

Floating-point numbers are fractions, so the solution and its dual are fractions too: there is no
tolerance here, and "zero" means zero.
"""

import itertools
from fractions import Fraction
from typing import NamedTuple

import numpy as np


class Exact(NamedTuple):
    """A solution w, its optimum, and c_j = x_j' Omega r - mu (w_j - w'_j), the same for all."""

    w: list
    value: Fraction
    c: list


class ExactPwl:
    """P(w) = 1/2 sum omega_i (y_i - x_i'w)^2 + mu/2 ||w - w'||^2 + sum_j lambda_j |w_j|."""

    def __init__(self, X, y, l1_weights, prox_weight=0.0, prox_center=None, sample_weight=None):
        n, d = X.shape
        exact = np.vectorize(Fraction, otypes=[object])
        self.X = exact(np.asarray(X, dtype=np.float64))
        self.y = exact(np.asarray(y, dtype=np.float64))
        self.finite = np.isfinite(l1_weights)
        self.l1 = exact(np.where(self.finite, l1_weights, 0.0))
        self.mu = Fraction(prox_weight)
        self.centre = exact(np.zeros(d) if prox_center is None else np.asarray(prox_center))
        self.omega = exact(np.ones(n) if sample_weight is None else np.asarray(sample_weight))
        weighted = self.X * self.omega[:, None]
        self.hessian = weighted.T @ self.X
        self.hessian[np.diag_indices(d)] += self.mu
        self.pull = weighted.T @ self.y + self.mu * self.centre

    def value(self, w):
        """Return P(w) for coefficients given as floats or fractions."""
        w = [Fraction(value) for value in w]
        r = self.y - self.X @ np.array(w, dtype=object)
        away = np.array(w, dtype=object) - self.centre
        cost = sum(lam * abs(value) for lam, value in zip(self.l1, w, strict=True))
        return (sum(self.omega * r * r) + self.mu * sum(away * away)) / 2 + cost

    def solve(self):
        """Try every support and sign pattern until Fermat's rule holds exactly.

        Some solution has linearly independent columns on its support, so that singular systems
        can be passed over.
        """
        d = self.X.shape[1]
        choices = [self._signs(j) for j in range(d)]
        for signs in itertools.product(*choices):
            w = self._stationary(signs)
            if w is None:
                continue
            c = self.pull - self.hessian @ np.array(w, dtype=object)
            if all(abs(c[j]) <= self.l1[j] for j in range(d) if self.finite[j]):
                return Exact(w, self.value(w), list(c))
        raise AssertionError("no sign pattern satisfies Fermat's rule")

    def _signs(self, j):
        """Return the signs feature j may have: 0 first, None = in the support with any sign."""
        if not self.finite[j]:
            return (0,)
        return (0, 1, -1) if self.l1[j] > 0 else (0, None)

    def _stationary(self, signs):
        """Return w with c_j = lambda_j s_j on the support, or None if its signs are others."""
        on = [j for j, sign in enumerate(signs) if sign != 0]
        rhs = [self.pull[j] - self.l1[j] * (signs[j] or 0) for j in on]
        values = _solve_linear(self.hessian[np.ix_(on, on)], rhs)
        if values is None:
            return None
        w = [Fraction(0)] * len(signs)
        for j, value in zip(on, values, strict=True):
            if signs[j] is not None and not value * signs[j] > 0:
                return None
            w[j] = value
        return w


def _solve_linear(matrix, rhs):
    """Return the solution by Gauss-Jordan elimination, or None if the matrix is singular."""
    rows = [[*matrix[i], rhs[i]] for i in range(len(rhs))]
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(len(rows)):
            if i != k and rows[i][k] != 0:
                factor = rows[i][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]
