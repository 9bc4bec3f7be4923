"""Columns of a design under sample weights, centred where there is an intercept.

Plain NumPy in float64, block by block: what the judge of strength measures columns with. It never
calls the compiled core.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .design import Design
from .types import Floats

__all__ = ["Centred", "Products", "centred_columns"]

Indices: TypeAlias = NDArray[np.intp]

# Columns converted to float64 or centred at a time, and numbers in any working array (32 MB).
_BLOCK = 512
_ROOM = 2**22
# Sparse columns whose square falls below this share when they are centred are measured like dense
# ones: above it a product loses three digits at the most.
_FAR = 1e-6


class Products(NamedTuple):
    """Weighted products x_j' Omega x_i: one row per j in ``columns``, one column per i."""

    columns: Indices
    values: Floats


class _Dense:
    """Columns of an array, centred in float64 block by block."""

    def __init__(self, design: Design, omega: Floats, centred: bool) -> None:
        self._design, self._omega, self._centred = design, omega, centred
        self._width = max(1, min(_BLOCK, _ROOM // design.shape[0]))

    def _block(self, columns: Indices) -> tuple[Floats, NDArray[np.bool_]]:
        """Return some columns, centred, and which of them vary.

        A difference of two entries is rounded once, relative to itself: it is zero for equal ones
        only, and columns far from zero lose no digit by it.
        """
        block = np.array(self._design.dense(columns), dtype=np.float64, order="F")
        if not self._centred:
            return block, np.ones(columns.size, dtype=np.bool_)
        block -= block[int(np.argmax(self._omega))].copy()
        varies = np.any(block[self._omega > 0.0] != 0.0, axis=0)
        for _ in range(2):  # the second time removes what rounding left
            block -= self._omega @ block
        return block, varies

    def measure(self, residual: Floats, columns: Indices | None = None) -> tuple[Floats, Floats]:
        """Return x_j' Omega residual and x_j' Omega x_j of some columns, None: all."""
        columns = np.arange(self._design.shape[1]) if columns is None else columns
        c, h = np.empty(columns.size), np.empty(columns.size)
        v = self._omega * residual
        for first in range(0, columns.size, self._width):
            here = slice(first, first + self._width)
            block, varies = self._block(columns[here])
            c[here], h[here] = v @ block, np.where(varies, self._omega @ block**2, 0.0)
        return c, h

    def pairs(
        self, features: Indices, others: NDArray[np.bool_]
    ) -> Iterator[tuple[slice, Products]]:
        """Yield products of some of the features with some of the others, until all are done."""
        for start in range(0, features.size, self._width):
            part = slice(start, min(start + self._width, features.size))
            theirs = self._omega[:, None] * self._block(features[part])[0]
            for first in range(0, others.size, self._width):
                columns = first + np.flatnonzero(others[first : first + self._width])
                if columns.size:
                    yield part, Products(columns, self._block(columns)[0].T @ theirs)


class _Sparse:
    """Columns of a CSC or CSR array, read in slices of its long axis and never made dense."""

    def __init__(self, design: Design, omega: Floats, centred: bool) -> None:
        self._design = design.canonical()
        self._X, self._omega, self._centred = self._design.X, omega, centred
        self._mean = self._times(omega[:, None])[:, 0] if centred else np.zeros(design.shape[1])

    def _times(self, V: Floats) -> Floats:
        """Return X'V in float64."""
        product = np.zeros((self._X.shape[1], V.shape[1]))
        for first, last in self._design.slices(_ROOM // 4):
            if self._X.format == "csc":
                product[first:last] = self._X[:, first:last].T @ V
            else:
                product += self._X[first:last].T @ V[first:last]
        return product

    def measure(self, residual: Floats) -> tuple[Floats, Floats]:
        """Return x_j' Omega residual and x_j' Omega x_j for all columns, centred."""
        omega, mean = self._omega, self._mean
        d = mean.size
        raw, squares, off, weight, stored = (np.zeros(d) for _ in range(5))
        for rows, columns, x in self._design.entries(_ROOM // 4):
            each = omega[rows]
            away = x - mean[columns]
            for total, terms in (
                (raw, each * x**2),
                (squares, each * away**2),
                (off, each * away),
                (weight, each),
                (stored, each > 0),
            ):
                total += np.bincount(columns, terms, minlength=d)
        v = omega * residual
        c, h = self._times(v[:, None])[:, 0], raw
        if self._centred:
            # Entries that are not stored are zeros, and as far from the mean as it is large.
            rest = np.where(stored == np.count_nonzero(omega), 0.0, np.maximum(1.0 - weight, 0.0))
            h = np.maximum(squares + rest * mean**2 - (off - rest * mean) ** 2, 0.0)
            c -= mean * np.sum(v)
            far = np.flatnonzero(h <= _FAR * raw)
            c[far], h[far] = _Dense(self._design, omega, True).measure(residual, far)
        return c, h

    def pairs(
        self, features: Indices, others: NDArray[np.bool_]
    ) -> Iterator[tuple[slice, Products]]:
        """Yield products of some of the features with all the others, until all are done."""
        columns = np.flatnonzero(others)
        width = max(1, min(_BLOCK, _ROOM // max(self._X.shape)))
        for start in range(0, features.size, width):
            part = slice(start, min(start + width, features.size))
            theirs = self._X[:, features[part]].toarray().astype(np.float64)
            theirs = self._omega[:, None] * (theirs - self._mean[features[part]])
            values = self._times(theirs) - self._mean[:, None] * np.sum(theirs, axis=0)
            yield part, Products(columns, values[columns])


Centred: TypeAlias = _Dense | _Sparse


def centred_columns(design: Design, omega: Floats, centred: bool) -> Centred:
    """Return columns that can be measured; only a sparse X with repeats or in COO is copied.

    Parameters
    ----------
    design : Design
    omega : ndarray of shape (n_samples,)
        Sample weights that sum to 1.
    centred : bool
        Without, columns are taken as they are.
    """
    return (_Sparse if sparse.issparse(design.X) else _Dense)(design, omega, centred)
