"""Sparse matrices of users: checked before anything follows their indices, then put in order."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["canonical", "sound", "without_storage"]


def sound(X: Any) -> Any:
    """Return a sparse matrix every index of which lies inside it, else raise ValueError.

    SciPy's conversions do not look at the indices and would write outside their arrays, and its
    own check passes over a matrix whose last ``indptr`` is 0.
    """
    if X.format not in ("csc", "csr", "bsr", "coo"):
        X = X.tocoo()
    try:
        if X.format == "coo":
            for index, size in ((X.row, X.shape[0]), (X.col, X.shape[1])):
                _check_indices(index, X.data, X.data.shape[0], size)
        else:
            _check_compressed(X)
    except ValueError as error:
        raise ValueError(
            f"X is a broken sparse matrix: {error}; rebuild it, for instance from its COO triplets."
        ) from error
    return X


def canonical(X: Any) -> Any:
    """Return a CSC or CSR matrix as an array with sorted indices and no repeats.

    A new array object over the same memory: flags cached on the user's object may be stale, and an
    array (not a matrix) keeps 64-bit indices as they are. What is out of order is put right in a
    copy.
    """
    kind = sparse.csc_array if X.format == "csc" else sparse.csr_array
    X = kind((X.data, X.indices, X.indptr), shape=X.shape, copy=False)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def without_storage(numbers: Any) -> Any:
    """Return a sparse matrix as an array, anything else as it is."""
    return numbers.toarray() if sparse.issparse(numbers) else numbers


def _check_compressed(X: Any) -> None:
    block = X.blocksize if X.format == "bsr" else (1, 1)
    rows, columns = X.shape[0] // block[0], X.shape[1] // block[1]
    major, minor = (columns, rows) if X.format == "csc" else (rows, columns)
    starts = X.indptr
    if starts.ndim != 1 or starts.dtype.kind not in "iu" or starts.shape[0] != major + 1:
        raise ValueError(f"indptr must hold {major + 1} integers")
    if starts[0] != 0 or np.any(starts[1:] < starts[:-1]):
        raise ValueError("indptr must begin with 0 and not decrease")
    _check_indices(X.indices, X.data, int(starts[-1]), minor)


def _check_indices(indices: Any, data: Any, count: int, size: int) -> None:
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        raise ValueError("indices must be integers")
    if not indices.shape[0] == data.shape[0] >= count:
        raise ValueError(f"{indices.shape[0]} indices and {data.shape[0]} values, not {count}")
    used = indices[:count]
    if used.size and (used.min() < 0 or used.max() >= size):
        raise ValueError("an index lies outside the matrix")
