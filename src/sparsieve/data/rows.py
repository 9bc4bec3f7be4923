"""Rows to predict: the columns must be those of the fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .names import feature_names
from .validation import check_finite_X, check_X

__all__ = ["check_rows"]


def check_rows(X: Any, n_features: int, names: NDArray[Any] | None) -> Any:
    """Return X, checked, as an array or sparse matrix with the columns of a fit."""
    here = feature_names(X)
    rows = check_X(X, min_samples=1)
    check_finite_X(rows)
    if rows.shape[1] != n_features:
        raise ValueError(
            f"X has {rows.shape[1]} features and the path {n_features}; pass the columns of the "
            "fit, in the same order."
        )
    if names is not None and here is not None and not np.array_equal(here, names):
        j = int(
            np.flatnonzero(np.asarray(here, dtype=object) != np.asarray(names, dtype=object))[0]
        )
        raise ValueError(
            f"column {j} of X is called {here[j]!r} and was {names[j]!r} in the fit; pass the "
            "columns of the fit, in the same order."
        )
    return rows
