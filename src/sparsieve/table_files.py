"""Tables from files: CSV, Parquet, NumPy archives and svmlight, into columns of numbers.

A table is read block by block into one array of doubles, so that the peak of memory stays near the
size of that array. Parquet needs pyarrow (``pip install "sparsieve[cli]"``).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from ._sparse_checks import sound

__all__ = ["FORMATS", "ReadOptions", "Table", "TableError", "read_table"]

FORMATS = ("csv", "parquet", "npz", "svmlight")
# Rows or columns per stored number beyond which an index is taken for damage: names and pointers
# of a billion empty columns would fill the memory for a file of twenty bytes.
_SPARSEST = 1000
_BY_SUFFIX = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npz": "npz",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
}


class TableError(ValueError):
    """A table that cannot be used as it is; the message says what to do."""


@dataclass(frozen=True)
class ReadOptions:
    """How to read a table.

    Attributes
    ----------
    format : str or None
        One of :data:`FORMATS`; None goes by the name of the file.
    encoding : str
        Of a CSV file.
    delimiter : str or None
        Between the fields of a CSV file; None takes the likeliest of comma, semicolon, tab, bar.
    decimal : str
        Decimal mark of a CSV file, "." or ",".
    header : bool
        Whether the first line of a CSV file holds the names; if not, they are x1, x2, ...
    missing : tuple of str
        What else stands for a missing value in a CSV file, besides the usual empty field, NA, NaN.
    n_features : int or None
        Width of a svmlight file, which may leave out its last columns.
    """

    format: str | None = None
    encoding: str = "utf-8"
    delimiter: str | None = None
    decimal: str = "."
    header: bool = True
    missing: tuple[str, ...] = ()
    n_features: int | None = None


@dataclass(frozen=True)
class Selection:
    """Which columns to read (None: all), and which of them as text (None: find out)."""

    wanted: Collection[str] | None = None
    drop: Collection[str] = ()
    text: Collection[str] | None = None

    def __contains__(self, name: str) -> bool:
        return name not in self.drop and (self.wanted is None or name in self.wanted)


@dataclass
class Table:
    """Columns with names.

    Attributes
    ----------
    source : str
        Where the table came from, for messages.
    names : list of str
    values : ndarray in Fortran order, or scipy.sparse.csc_array; float64
        NaN where a value is missing. Columns of text hold the position in ``categories``.
    categories : dict of str to list of str
        The distinct values of each column of text, in order of appearance.
    target : ndarray or None, target_name : str
        The response, when the format keeps it apart from the columns.
    notes : list of str
        What the reader of the table should know.
    file_names : list of str
        All columns of the file, read or not.
    """

    source: str
    names: list[str]
    values: Any
    categories: dict[str, list[str]] = field(default_factory=dict)
    target: NDArray[np.float64] | None = None
    target_name: str = ""
    notes: list[str] = field(default_factory=list)
    file_names: list[str] = field(default_factory=list)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])


def read_table(
    file: str | os.PathLike[str],
    options: ReadOptions | None = None,
    *,
    wanted: Collection[str] | None = None,
    drop: Collection[str] = (),
    text: Collection[str] | None = None,
) -> Table:
    """Read a table.

    Parameters
    ----------
    file : str or path
    options : ReadOptions, default=None
    wanted : collection of str, default=None
        Read only these columns (those of them that exist); None reads all.
    drop : collection of str, default=()
        Columns to leave out.
    text : collection of str or None, default=None
        Columns to be read as text; all others must be numbers. None: see for yourself.

    Returns
    -------
    Table

    Raises
    ------
    TableError
        With the remedy, when the file is not a table or not in the format it should have.
    """
    options = options or ReadOptions()
    path = Path(file)
    _check_path(path)
    kind = options.format or _format_of(path)
    selection = Selection(wanted, drop, text)
    if kind == "csv":
        from ._csv_table import read_csv

        return read_csv(path, options, selection)
    if kind == "parquet":
        return _read_parquet(path, selection)
    if kind == "npz":
        with path.open("rb") as stream:
            table = parse_npz(path, stream)
    else:
        table = parse_svmlight(path, str(path), options.n_features)
    table.file_names = list(table.names)
    return _without(table, drop)


def _read_parquet(path: Path, selection: Selection) -> Table:
    try:
        from ._parquet_table import read_parquet
    except ImportError as error:
        raise TableError(
            'reading Parquet needs pyarrow; install it with: pip install "sparsieve[cli]"'
        ) from error
    return read_parquet(path, selection)


def _check_path(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a table; give the file in it.")
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; check the name and the folder you are in.")
    if path.is_file() and path.stat().st_size == 0:
        raise TableError(f"{path} is empty; a table needs a header and at least two rows.")


def _format_of(path: Path) -> str:
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    kind = _BY_SUFFIX.get(name.suffix.lower())
    if kind is None:
        raise TableError(
            f"{path}: the ending {name.suffix or '(none)'!r} does not tell the format; add "
            f"--format with one of {', '.join(FORMATS)}."
        )
    return kind


def _without(table: Table, drop: Collection[str]) -> Table:
    if not drop:
        return table
    keep = [j for j, name in enumerate(table.names) if name not in drop]
    table.names = [table.names[j] for j in keep]
    table.values = table.values[:, keep]
    return table


def listing(names: list[str], limit: int = 8) -> str:
    """Return quoted names, shortened when there are many."""
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def default_names(count: int) -> list[str]:
    """Return x1, x2, ... for columns that have no names."""
    return [f"x{j + 1}" for j in range(count)]


def parse_npz(path: Path, source: Any) -> Table:
    """Return the table in a stream that is a NumPy archive; ``path`` names it."""
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


def first_line(error: BaseException) -> str:
    """Return the first line of what an exception says."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
