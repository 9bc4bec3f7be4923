"""Problems that break solvers: the designs and responses the tests draw from.

Every function takes a seed or a generator and returns plain arrays, so that a failing case can be
rebuilt from its arguments alone.
"""

import numpy as np
from scipy import sparse


def toy(n_samples=50, n_features=100, n_active=5, noise=0.01, seed=0):
    """Return X, y, w of a Gaussian design with a few coefficients of size 1 to 2, random signs."""
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n_samples, n_features)))
    w = np.zeros(n_features)
    active = rng.choice(n_features, size=n_active, replace=False)
    w[active] = rng.choice([-1.0, 1.0], size=n_active) * rng.uniform(1.0, 2.0, size=n_active)
    return X, X @ w + noise * rng.standard_normal(n_samples), w


def ar_design(n_samples, n_features, rho, seed=0):
    """Return a design whose neighbouring columns have correlation rho (autoregressive)."""
    rng = np.random.default_rng(seed)
    X = np.empty((n_samples, n_features), order="F")
    X[:, 0] = rng.standard_normal(n_samples)
    for j in range(1, n_features):
        fresh = rng.standard_normal(n_samples)
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1.0 - rho**2) * fresh
    return X


def nasty_design(n_samples, n_features, seed=0):
    """Return a design with zero, constant, tiny, huge, duplicate and collinear columns.

    Column k is spoilt in way k % 8, so that eight columns meet every way once.
    """
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n_samples, n_features)))
    for j in range(n_features):
        way = j % 8
        if way == 1:
            X[:, j] = 0.0
        elif way == 2:
            X[:, j] = 3.0
        elif way == 3:
            X[:, j] *= 1e-8
        elif way == 4:
            X[:, j] *= 1e8
        elif way == 5:
            X[:, j] = X[:, j - 5]
        elif way == 6:
            X[:, j] = -X[:, j - 6]
        elif way == 7:
            X[:, j] = X[:, j - 7] + 1e-6 * X[:, j - 4] / 1e-8
    return X


def sparse_design(n_samples, n_features, density=0.1, seed=0):
    """Return a CSC array with about ``density`` non-zeros and at least one empty column."""
    rng = np.random.default_rng(seed)
    dense = rng.standard_normal((n_samples, n_features))
    dense[rng.random(dense.shape) > density] = 0.0
    dense[:, n_features // 2] = 0.0
    return sparse.csc_array(dense)


def response(X, n_active=3, noise=0.1, seed=0):
    """Return a response that depends on a few columns of X, of unit scale whatever X's scale."""
    rng = np.random.default_rng(seed)
    n_samples, n_features = X.shape
    w = np.zeros(n_features)
    w[rng.choice(n_features, size=min(n_active, n_features), replace=False)] = 1.0
    signal = np.asarray(X @ w)
    scale = np.std(signal)
    return signal / (scale if scale > 0 else 1.0) + noise * rng.standard_normal(n_samples)


def unsorted_csc(X, seed=0):
    """Return (matrix, same matrix): the first has unsorted and repeated indices in every column."""
    rng = np.random.default_rng(seed)
    data, indices, indptr = [], [], [0]
    for j in range(X.shape[1]):
        rows = np.flatnonzero(X[:, j])
        half = 0.5 * X[rows, j]  # halves add up exactly
        order = rng.permutation(2 * rows.size)
        indices.append(np.concatenate([rows, rows])[order])
        data.append(np.concatenate([half, half])[order])
        indptr.append(indptr[-1] + order.size)
    broken = sparse.csc_array(
        (np.concatenate(data), np.concatenate(indices), np.asarray(indptr)), shape=X.shape
    )
    return broken, sparse.csc_array(X)


def dictionary(n_samples, n_active, seed=0):
    """Return X, y, w: cosines at three times the critical rate beside spikes, d = 4 n, coherent."""
    n, half = n_samples, n_active // 2
    row, frequency = np.arange(n)[:, np.newaxis], np.arange(3 * n)
    cosines = np.cos(np.pi * (row + 0.5) * frequency / (3 * n))
    X = np.hstack([cosines / np.linalg.norm(cosines, axis=0), np.eye(n)]) * np.sqrt(n)
    rng = np.random.default_rng(seed)
    w = np.zeros(4 * n)
    waves = rng.choice(3 * n, half, replace=False)
    spikes = 3 * n + rng.choice(n, half, replace=False)
    w[np.r_[waves, spikes]] = rng.choice([-1, 1], 2 * half) * rng.uniform(0.5, 2.0, 2 * half)
    return np.asfortranarray(X), X @ w + 0.05 * rng.standard_normal(n), w


def long_column(rows, value, n):
    """Return a sparse column of n entries that has one value in the given rows."""
    return sparse.csc_array((np.full(rows.size, value), (rows, np.zeros_like(rows))), (n, 1))
