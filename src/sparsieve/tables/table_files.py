"""Tables from files: CSV, Parquet, NumPy archives and svmlight, into columns of numbers.

A table is read block by block into one array of doubles, so that the peak of memory stays near the
size of that array. Parquet needs pyarrow (``pip install pyarrow``).
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from .archives import parse_npz, parse_svmlight
from .limits import limit_of, opened
from .table import FORMATS, ReadOptions, Selection, Table, TableError

__all__ = ["read_table"]

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
        from .csv_table import read_csv

        return read_csv(path, options, selection)
    if kind == "parquet":
        return _read_parquet(path, options, selection)
    if kind == "npz":
        with path.open("rb") as stream:
            table = parse_npz(path, stream, limit_of(options, compressed=True))
    else:
        with opened(path) as stream:
            limit = limit_of(options, compressed=path.suffix.lower() == ".gz")
            table = parse_svmlight(path, stream, options.n_features, limit)
    table.file_names = list(table.names)
    return _without(table, drop)


def _read_parquet(path: Path, options: ReadOptions, selection: Selection) -> Table:
    try:
        from .parquet_table import read_parquet
    except ImportError as error:
        raise TableError(
            "reading Parquet needs pyarrow; install it with: pip install pyarrow (or, in a "
            "checkout of sparsieve, pip install '.[cli]')."
        ) from error
    return read_parquet(path, options, selection)


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
            f"`format=...` with one of {', '.join(FORMATS)}."
        )
    return kind


def _without(table: Table, drop: Collection[str]) -> Table:
    if not drop:
        return table
    keep = [j for j, name in enumerate(table.names) if name not in drop]
    table.names = [table.names[j] for j in keep]
    table.values = table.values[:, keep]
    return table
