"""Batches of rows in any form: arrays, frames, Arrow tables, with the response beside or inside."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .kinds import check_frame_columns
from .leaves import LEAF, scratch
from .names import feature_names
from .types import Floats
from .validation import check_finite_vector, check_non_negative, check_X, check_y

__all__ = ["Batch", "batches_of", "is_dask", "pieces", "read_batch"]

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


class Batch(NamedTuple):
    """Checked rows, not yet whether every entry of X is finite."""

    X: Any
    y: Floats
    weight: Floats
    names: NDArray[Any] | None

    def values(self, first: int, last: int) -> Floats:
        """Return some rows of [X y] in float64, where the next call puts its own."""
        X = self.X[first:last].toarray() if sparse.issparse(self.X) else self.X[first:last]
        out = scratch("values", last - first, X.shape[1] + 1)
        out[:, :-1] = X
        out[:, -1] = self.y[first:last]
        return out


def is_dask(data: Any) -> bool:
    """Tell whether data are a Dask collection; Dask is not imported for that."""
    return type(data).__module__.split(".")[0] in ("dask", "dask_expr")


def read_batch(X: Any, y: Any, sample_weight: Any) -> Batch:
    """Return checked rows; ``y`` (and ``sample_weight``) may name a column of a frame."""
    if hasattr(X, "column_names"):  # of Arrow
        X = {str(name): X.column(name).to_numpy(**_copying(X)) for name in X.column_names}
    elif isinstance(X, dict):
        X = {str(name): np.asarray(values) for name, values in X.items()}
    if isinstance(X, dict) or _is_frame(X):
        X, y = _without(X, y, "y")
        X, sample_weight = _without(X, sample_weight, "sample_weight")
    if isinstance(y, str):
        raise ValueError(
            f"y={y!r} names a column, but X has no names; pass a data frame, or the response as an "
            "array."
        )
    if isinstance(X, dict):
        names: NDArray[Any] | None = np.array(list(X), dtype=object)
        X = _matrix(X)
    else:
        names = feature_names(X)
    if not (type(X) is np.ndarray and X.ndim == 2 and X.dtype in _FLOATS and X.shape[1]):
        X = check_X(X, min_samples=0)
    if sparse.issparse(X):
        X = X.tocsr()
    n = X.shape[0]
    if n == 0:
        return Batch(X, np.zeros(0), np.zeros(0), names)
    return Batch(X, check_y(y, n), _check_weight(sample_weight, n), names)


def _copying(X: Any) -> dict[str, bool]:
    # Columns of a table are chunked, which to_numpy copies anyway.
    return {"zero_copy_only": False} if type(X).__name__ == "RecordBatch" else {}


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and not isinstance(X, np.ndarray)


def _without(frame: Any, name: Any, what: str) -> tuple[Any, Any]:
    """Take a column that is given by name out of a frame."""
    if not isinstance(name, str):
        return frame, name
    columns = list(frame) if isinstance(frame, dict) else list(frame.columns)
    if name not in columns:
        shown = ", ".join(map(str, columns[:8])) + (", ..." if len(columns) > 8 else "")
        raise ValueError(f"{what}={name!r} is no column of X; its columns are {shown}.")
    if isinstance(frame, dict):
        return {key: value for key, value in frame.items() if key != name}, frame[name]
    rest = [key for key in columns if key != name]
    return frame[rest], np.asarray(frame[name])


def _matrix(columns: dict[str, NDArray[Any]]) -> Floats:
    """Put columns of Arrow side by side."""
    for name, values in columns.items():
        if values.dtype.kind not in "fiub":
            check_frame_columns("X", _Frame({name: values}))
            raise ValueError(
                f"X cannot be converted to an array of numbers because of the column {name!r} "
                f"(dtype {values.dtype}); encode it, or leave it out."
            )
    return np.column_stack([np.asarray(column, dtype=np.float64) for column in columns.values()])


class _Frame(dict[str, Any]):
    """Columns by name, as the check of frames reads them."""

    @property
    def columns(self) -> list[str]:
        """The names."""
        return list(self)


def _check_weight(sample_weight: Any, n: int) -> Floats:
    if sample_weight is None:
        return np.ones(n)
    weight = check_non_negative("sample_weight", sample_weight, n, "row of X")
    check_finite_vector("sample_weight", weight)
    return weight


def batches_of(source: Any, y: Any, sample_weight: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Cut a source of rows into (X, y, sample_weight), a batch at a time.

    An Arrow data set, scanner or reader is read batch by batch; of any other object that is no
    table, but can be iterated, each item is a batch: (X, y), (X, y, sample_weight), or a frame.
    """
    if isinstance(source, str | PathLike):
        raise TypeError(
            f"rows cannot be read from the path {str(source)!r} itself; pass "
            f"pyarrow.dataset.dataset({str(source)!r}), or batches of its rows."
        )
    if hasattr(source, "to_batches") and not hasattr(source, "column_names"):  # a data set
        source = source.to_batches()
    elif hasattr(source, "read_next_batch"):
        source = iter(source.read_next_batch, None) if not hasattr(source, "__iter__") else source
    elif _is_table(source):
        yield source, y, sample_weight
        return
    if not hasattr(source, "__iter__"):
        raise TypeError(
            f"rows cannot be read from a {type(source).__name__}; pass an array, a data frame, an "
            "Arrow table or data set, or an iterable of batches."
        )
    if not (y is None or isinstance(y, str)):
        raise ValueError(
            "y is an array, but X comes in batches; pass the name of a column, or batches (X, y)."
        )
    for item in source:
        if isinstance(item, tuple):
            if not 1 <= len(item) <= 3:
                raise ValueError(
                    f"a batch is a tuple of {len(item)}; make it (X, y) or (X, y, sample_weight)."
                )
            yield (*item, *(y, sample_weight)[len(item) - 1 :])[:3]
        else:
            yield item, y, sample_weight


def _is_table(source: Any) -> bool:
    return any(hasattr(source, name) for name in ("shape", "column_names")) or isinstance(
        source, list | dict
    )


def pieces(n: int, before: int = 0) -> Iterator[tuple[int, int]]:
    """Cut rows that come after others into leaves, which stay in a cache."""
    first, last = 0, min(n, LEAF - before % LEAF)
    while first < n:
        yield first, last
        first, last = last, min(n, last + LEAF)
