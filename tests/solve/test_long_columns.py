"""Sums over very many entries do not drift: neither means nor norms."""

import math
from itertools import pairwise

import numpy as np
import pytest
from problems import long_column
from scipy import sparse
from tolerances import EPS64

import sparsieve as sv


def test_equal_entries_in_their_hundred_thousands_do_not_drift():
    # A plain sum of n equal numbers is wrong by up to n roundings, and so were the means.
    rng, n = np.random.default_rng(3), 400_000
    columns = [
        long_column(np.sort(rng.choice(n, int(size), replace=False)), 1.0, n)
        for size in rng.integers(80_000, 240_000, 6)
    ]
    X = sparse.csc_array(sparse.hstack(columns))
    y = X @ rng.standard_normal(6) + 0.01 * rng.standard_normal(n) + 5.0
    path = sv.sparse_path(X, y, "l1", alphas=5, tol=1e-9)
    for k, alpha in enumerate(path.alphas):
        w = path.coef_at(alpha)
        residual = y - path.intercepts[k] - X @ w
        c = np.array([math.fsum(residual[X.indices[a:b]]) / n for a, b in pairwise(X.indptr)])
        violation = np.where(w == 0.0, np.abs(c) - alpha, np.abs(c - alpha * np.sign(w)))
        assert violation.max() <= 1e-9 * alpha + 64 * EPS64


@pytest.mark.parametrize("n", [10, 1000, 50_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_full_sparse_column_of_equal_entries_is_constant(n, weighted):
    # Its weights have to add up to the total, or what is missing passes for variance.
    rng = np.random.default_rng(n)
    omega = rng.uniform(0.0, 2.0, n) * (rng.random(n) < 0.8) if weighted else None
    for value in (0.1, 3.0, 1e5 / 3.0):
        X = sparse.csc_array(np.c_[np.full(n, value), rng.standard_normal(n)])
        path = sv.sparse_path(X, rng.standard_normal(n), "l1", alphas=5, sample_weight=omega)
        assert path.converged.all()
        assert not any(0 in point.columns for point in path.points)
        exact = sv.alpha_max(X[:, [0]], np.arange(n), "l1", sample_weight=omega)
        assert exact == 0.0
