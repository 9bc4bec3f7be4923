"""Sums over some rows of a table that is in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .core_columns import core_columns
from .leaves import Summary
from .types import Floats

__all__ = ["sums_of_rows"]


def sums_of_rows(
    X: NDArray[np.floating], y: Floats, weight: Floats | None, rows: NDArray[np.int64], threads: int
) -> Summary | None:
    """Return means and products of some rows of [X y], None where they cannot stand for the rows.

    Parameters
    ----------
    X : ndarray in Fortran order
    y : ndarray
    weight : ndarray or None
        Weights of all rows, the largest about 1; None means 1.
    rows : ndarray of int
        Those that follow one another are not copied.
    threads : int
    """
    if rows.size < 2:
        return None
    first, last = int(rows[0]), int(rows[-1])
    if last - first == rows.size - 1 and bool(np.all(rows[1:] > rows[:-1])):
        part: slice | NDArray[np.int64] = slice(first, last + 1)
        block = X[part]
    else:
        part = rows
        block = np.take(X.T, rows, axis=1).T
    own = None if weight is None else np.ascontiguousarray(weight[part])
    response = np.ascontiguousarray(y[part])
    found: Any = _core.sums_of_rows(core_columns(block), response, own, threads)
    if found is None:
        return None
    positive, total, heaviest, mean, low, products, roundings, mean_roundings = found
    return Summary(
        n=rows.size,
        n_positive=positive,
        weight=total,
        heaviest=heaviest,
        mean=mean,
        mean_low=low,
        products=products.reshape(mean.size, mean.size),
        roundings=roundings,
        mean_roundings=mean_roundings,
        weighted=weight is not None,
    )
