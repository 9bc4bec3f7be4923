"""Validated X handed to the compiled core."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from .. import _core

__all__ = ["core_columns"]


def core_columns(X: Any) -> _core.Columns:
    """Return X, as :func:`sparsieve.data.validation.check_X` made it, as columns of the core.

    Nothing is copied: the core reads the same memory.
    """
    if sparse.issparse(X):
        return _core.csc(X.data, X.indices, X.indptr, X.shape[0])
    return _core.dense(X)
