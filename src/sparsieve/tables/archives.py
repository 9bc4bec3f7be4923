"""Tables from NumPy archives and svmlight files."""

from __future__ import annotations

import math
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from ..data.sparse_checks import sound
from .limits import MOST_BYTES, check_bytes
from .table import Table, TableError, default_names, first_line, listing

__all__ = ["parse_npz", "parse_svmlight"]

# Rows or columns per stored number beyond which an index is taken for damage: names and pointers
# of a billion empty columns would fill the memory for a file of twenty bytes.
_SPARSEST = 1000
_WIDEST = 4_000_000


def parse_npz(path: Path, source: Any, limit: int | None = MOST_BYTES) -> Table:
    """Return the table in a stream that is a NumPy archive of so many bytes; ``path`` names it."""
    arrays = _load(path, source, limit)
    if {"data", "indices", "indptr", "shape"} <= arrays.keys():
        values = _sparse_values(path, arrays)
    elif "X" in arrays:
        values = _dense_values(path, "X", arrays["X"])
    else:
        raise TableError(
            f"{path} holds the arrays {', '.join(arrays) or '(none)'}; name the columns' array X "
            "and the response y: numpy.savez(file, X=X, y=y)."
        )
    names = _archive_names(path, arrays.get("feature_names"), values.shape[1])
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise TableError(f"{path}: more than one column is called {listing(repeated)}; rename one.")
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


def _load(path: Path, source: Any, limit: int | None) -> dict[str, Any]:
    """Return the arrays of an archive by name; what they announce is checked before."""
    try:
        check_bytes(path, _announced(source), limit)
        with np.load(source, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        for name, array in arrays.items():
            if not isinstance(array, np.ndarray):
                raise ValueError(f"{name} in it is not an array")
    except TableError:
        raise
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


def _announced(source: Any) -> int:
    """Return how many bytes the arrays of an archive take; ValueError if that cannot be so."""
    total = 0
    with zipfile.ZipFile(source) as archive:
        for info in archive.infolist():
            total += info.file_size
            with archive.open(info) as member:
                start = member.read(len(npy.MAGIC_PREFIX))
            if start != npy.MAGIC_PREFIX:  # NumPy goes by this too, not by the name
                continue
            with archive.open(info) as member:
                version = npy.read_magic(member)
                if version not in ((1, 0), (2, 0), (3, 0)):
                    raise ValueError(f"{info.filename} in it has a format of the future")
                # Version 3 differs from 2 in the encoding of names of fields only.
                read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
                shape, _, dtype = read(member)
                if math.prod(shape) * max(dtype.itemsize, 1) > info.file_size:
                    raise ValueError(f"{info.filename} in it is shorter than its shape {shape}")
    source.seek(0)
    return total


def _archive_names(path: Path, array: Any, width: int) -> list[str]:
    if array is None:
        return []
    try:
        # One too many tells as much as a billion too many.
        names = [str(name) for name in np.ravel(array)[: width + 1]]
    except (SystemError, ValueError) as error:  # characters that do not exist
        raise TableError(
            f"{path}: feature_names cannot be read ({first_line(error)}); save the file again."
        ) from error
    if len(names) not in (0, width):
        raise TableError(f"{path}: {array.size} feature_names for {width} columns; give one each.")
    return names


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
    empty = 0 in array.shape and max(array.shape) > _SPARSEST**2
    if array.ndim != 2 or empty or array.dtype.kind not in "biuf":
        raise TableError(
            f"{path}: {name} has shape {array.shape} and type {array.dtype}; save numbers, with "
            "one row per observation."
        )
    return np.asfortranarray(array, dtype=np.float64)


def parse_svmlight(
    path: Path, source: Any, n_features: int | None = None, limit: int | None = None
) -> Table:
    """Return the table in a stream of svmlight text of so many bytes; ``path`` names it."""
    try:
        if limit is not None:
            _check_length(path, source, limit)
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


def _check_length(path: Path, source: Any, limit: int) -> None:
    """Raise TableError if a stream is longer than the limit; it is at its start again after."""
    count = 0
    while chunk := source.read(1 << 20):
        count += len(chunk)
        check_bytes(path, count, limit)
    source.seek(0)


def _check_size(matrix: Any) -> None:
    """Raise ValueError for a matrix that is all but empty rows or columns."""
    most = min(_SPARSEST * (matrix.nnz + _SPARSEST), matrix.nnz + _WIDEST)
    if max(matrix.shape) > most:
        raise ValueError(f"a shape of {matrix.shape} for {matrix.nnz} numbers")
