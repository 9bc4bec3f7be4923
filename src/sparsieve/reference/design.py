"""Columns of X, dense or sparse: all that the algorithms of the paper ask of a design."""

from __future__ import annotations

import itertools
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Index = npt.NDArray[np.intp]


class Design(Protocol):
    """Column access to X, shape (n_samples, n_features)."""

    n_samples: int
    n_features: int
    norms2: Array  # ||x_j||^2

    def dot(self, j: int, r: Array) -> float:
        """Return x_j'r."""
        ...

    def add(self, j: int, step: float, r: Array) -> None:
        """Add step * x_j to r in place."""
        ...

    def correlate(self, r: Array, columns: Index | None = None) -> Array:
        """Return X'r, or only its entries at the given columns."""
        ...

    def predict(self, w: Array) -> Array:
        """Return Xw, reading only the columns where w is non-zero."""
        ...

    def block(self, columns: Index) -> Array:
        """Return the given columns as a dense array."""
        ...


class DenseDesign:
    """A dense X, kept in Fortran order so that a column is contiguous."""

    def __init__(self, X: Any) -> None:
        self.X: Array = np.asfortranarray(X, dtype=np.float64)
        self.n_samples, self.n_features = self.X.shape
        self.norms2: Array = np.einsum("ij,ij->j", self.X, self.X)
        self._columns = list(self.X.T)

    def dot(self, j: int, r: Array) -> float:
        """Return x_j'r."""
        return float(self._columns[j].dot(r))

    def add(self, j: int, step: float, r: Array) -> None:
        """Add step * x_j to r in place."""
        r += step * self._columns[j]

    def correlate(self, r: Array, columns: Index | None = None) -> Array:
        """Return X'r, or only its entries at the given columns."""
        if columns is None or columns.size == self.n_features:
            return np.asarray(self.X.T @ r)
        return np.asarray(self.X[:, columns].T @ r)

    def predict(self, w: Array) -> Array:
        """Return Xw, reading only the columns where w is non-zero."""
        support = np.flatnonzero(w)
        return np.asarray(self.X[:, support] @ w[support])

    def block(self, columns: Index) -> Array:
        """Return the given columns as a dense array."""
        return self.X[:, columns]


class SparseDesign:
    """A sparse X in compressed column form."""

    def __init__(self, X: Any) -> None:
        self.X: Any = sp.csc_matrix(X, dtype=np.float64)
        self.n_samples, self.n_features = (int(size) for size in self.X.shape)
        self.norms2: Array = np.asarray(self.X.multiply(self.X).sum(axis=0)).ravel()
        ends = self.X.indptr.tolist()
        spans = list(itertools.pairwise(ends))
        self._rows = [self.X.indices[a:b] for a, b in spans]
        self._values = [self.X.data[a:b] for a, b in spans]

    def dot(self, j: int, r: Array) -> float:
        """Return x_j'r."""
        return float(self._values[j].dot(r[self._rows[j]]))

    def add(self, j: int, step: float, r: Array) -> None:
        """Add step * x_j to r in place."""
        r[self._rows[j]] += step * self._values[j]

    def correlate(self, r: Array, columns: Index | None = None) -> Array:
        """Return X'r, or only its entries at the given columns."""
        X = self.X if columns is None else self.X[:, columns]
        return np.asarray(X.T @ r)

    def predict(self, w: Array) -> Array:
        """Return Xw, reading only the columns where w is non-zero."""
        support = np.flatnonzero(w)
        return np.asarray(self.X[:, support] @ w[support])

    def block(self, columns: Index) -> Array:
        """Return the given columns as a dense array."""
        return np.asarray(self.X[:, columns].toarray())


def as_design(X: Any) -> Design:
    """Wrap an array or a scipy.sparse matrix; a design is returned as it is."""
    if isinstance(X, (DenseDesign, SparseDesign)):
        return X
    return SparseDesign(X) if sp.issparse(X) else DenseDesign(X)
