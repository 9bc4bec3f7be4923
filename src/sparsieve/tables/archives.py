"""Tables from NumPy archives and svmlight files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from ..data.sparse_checks import sound
from .table import Table, TableError, default_names, first_line, listing

__all__ = ["parse_npz", "parse_svmlight"]

# Rows or columns per stored number beyond which an index is taken for damage: names and pointers
# of a billion empty columns would fill the memory for a file of twenty bytes.
_SPARSEST = 1000


def parse_npz(path: Path, source: Any) -> Table:
    """Return the table in a stream that is a NumPy archive; ``path`` names it."""
    arrays = _load(path, source)
    if {"data", "indices", "indptr", "shape"} <= arrays.keys():
        values = _sparse_values(path, arrays)
    elif "X" in arrays:
        values = _dense_values(path, "X", arrays["X"])
    else:
        raise TableError(
            f"{path} holds the arrays {', '.join(arrays) or '(none)'}; name the columns' array X "
            "and the response y: numpy.savez(file, X=X, y=y)."
        )
    names = _archive_names(path, arrays.get("feature_names"))
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise TableError(f"{path}: more than one column is called {listing(repeated)}; rename one.")
    if len(names) not in (0, values.shape[1]):
        raise TableError(
            f"{path}: {len(names)} feature_names for {values.shape[1]} columns; give one each."
        )
    target = None
    if "y" in arrays:
        if arrays["y"].shape not in ((values.shape[0],), (values.shape[0], 1)):
            raise TableError(
                f"{path}: y has shape {arrays['y'].shape} and X {values.shape[0]} rows; y must "
                "hold one number per row of X."
            )
        column = _dense_values(path, "y", arrays["y"].reshape(-1, 1))
        target = np.ascontiguousarray(column[:, 0])
    return Table(str(path), names or default_names(values.shape[1]), values, {}, target, "y")


def _load(path: Path, source: Any) -> dict[str, Any]:
    """Return the arrays of an archive by name."""
    try:
        with np.load(source, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        for name, array in arrays.items():
            if not isinstance(array, np.ndarray):
                raise ValueError(f"{name} in it is not an array")
    except MemoryError as error:
        raise TableError(
            f"{path} needs more memory than there is ({first_line(error)}); is it damaged?"
        ) from error
    except Exception as error:  # zipfile, zlib, tokenize: each has its own for damaged files
        raise TableError(
            f"{path} cannot be read as a NumPy archive ({first_line(error)}); is it complete, and "
            "saved by numpy.savez without Python objects?"
        ) from error
    return arrays


def _archive_names(path: Path, array: Any) -> list[str]:
    try:
        return [] if array is None else [str(name) for name in np.ravel(array)]
    except (SystemError, ValueError) as error:  # characters that do not exist
        raise TableError(
            f"{path}: feature_names cannot be read ({first_line(error)}); save the file again."
        ) from error


def _sparse_values(path: Path, arrays: dict[str, Any]) -> Any:
    """Return a matrix saved by scipy.sparse.save_npz (CSC unless it says CSR)."""
    kind = bytes(np.asarray(arrays.get("format", b"csc"))).decode("ascii", "replace").strip("\0")
    maker = {"csc": sparse.csc_array, "csr": sparse.csr_array}.get(kind)
    try:
        if maker is None:
            raise ValueError(f"its format is {kind}; CSC and CSR can be read")
        parts = (arrays["data"].astype(np.float64), arrays["indices"], arrays["indptr"])
        matrix = maker(parts, shape=tuple(int(size) for size in arrays["shape"]))
        _check_size(sound(matrix))
    except (ValueError, TypeError) as error:
        raise TableError(
            f"{path} holds a broken sparse matrix ({first_line(error)}); save it again with "
            "scipy.sparse.save_npz as CSC or CSR."
        ) from error
    return sparse.csc_array(matrix)


def _dense_values(path: Path, name: str, array: Any) -> NDArray[np.float64]:
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise TableError(
            f"{path}: {name} has shape {array.shape} and type {array.dtype}; save numbers, with "
            "one row per observation."
        )
    return np.asfortranarray(array, dtype=np.float64)


def parse_svmlight(path: Path, source: Any, n_features: int | None = None) -> Table:
    """Return the table in svmlight format, a file's name or a stream; ``path`` names it."""
    try:
        X, y = load_svmlight_file(source, dtype=np.float64, n_features=n_features)
        if n_features is None:
            _check_size(X)
    except (ValueError, OSError, OverflowError) as error:
        raise TableError(
            f"{path} cannot be read as svmlight ({first_line(error)}); each line is a number and "
            "then index:value pairs in increasing order."
        ) from error
    values = sparse.csc_array(X)
    names = default_names(values.shape[1])
    return Table(str(path), names, values, {}, np.asarray(y, dtype=np.float64), "label")


def _check_size(matrix: Any) -> None:
    """Raise ValueError for a matrix that is all but empty rows or columns."""
    if max(matrix.shape) > _SPARSEST * (matrix.nnz + _SPARSEST):
        raise ValueError(f"a shape of {matrix.shape} for {matrix.nnz} numbers")
