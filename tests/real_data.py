"""The real data sets named in the tests, read from the folder that SPARSIEVE_DATA names.

Each ``<name>.npz`` holds dense ``X``, or ``data``, ``indices``, ``indptr`` and ``shape`` of a CSC
matrix, with ``y`` and ``decimals`` (how many decimals of the float32 values are exact).
"""

import functools
import os
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from sparsieve.datasets import _read


def _with_products(X):
    """Return the standardised columns followed by all their squares and products."""
    X = _standardise(X)
    first, second = np.triu_indices(X.shape[1])
    return np.asfortranarray(np.hstack([X, X[:, first] * X[:, second]]))


def _standardise(X):
    """Centre (dense only: the intercept does it for sparse X) and scale to unit variance."""
    if sparse.issparse(X):
        X = X.copy()
        mean = np.asarray(X.mean(axis=0)).ravel()
        spread = np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2
        # What is left of a constant column is rounding: leave that column alone.
        scale = np.where(spread > 1e-12 * mean**2, np.sqrt(np.maximum(spread, 0.0)), 1.0)
        X.data /= np.repeat(scale, np.diff(X.indptr))
        return X
    spread = X.std(axis=0)
    flat = spread <= 1e-12 * np.abs(X).max(axis=0)
    return np.asfortranarray((X - X.mean(axis=0)) / np.where(flat, 1.0, spread))


@functools.lru_cache(maxsize=2)
def load(name, standardised):
    """Return X (F-ordered or CSC) and y, or skip the test when the file is not there."""
    folder = os.environ.get("SPARSIEVE_DATA")
    if not folder:
        pytest.skip("real data: SPARSIEVE_DATA is not set")
    base = name.removesuffix("_poly2")
    file = Path(folder) / f"{base}.npz"
    if not file.is_file():
        pytest.skip(f"real data: SPARSIEVE_DATA has no {file.name}")
    X, y = _read(file)
    if name != base:
        X = _with_products(X)
    X = X if sparse.issparse(X) else np.asfortranarray(X)
    return (_standardise(X) if standardised else X), y
