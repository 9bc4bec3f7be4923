"""Tables from files: CSV, Excel, Parquet, NumPy archives and svmlight, into columns of numbers.

A table is read block by block into one array of doubles, so that the peak of memory stays near the
size of that array. Parquet needs pyarrow (``pip install pyarrow``), Excel openpyxl.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

import numpy as np
from scipy import sparse

from .archives import parse_npz, parse_svmlight
from .limits import limit_of, opened
from .problems import raise_problems
from .table import FORMATS, ReadOptions, Selection, Table, TableError

__all__ = ["read_table"]

_BY_SUFFIX = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "excel",
    ".xlsm": "excel",
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
    codes: Collection[str] = (),
    ids: Collection[str] = (),
    strict: bool = True,
) -> Table:
    """Read a table.

    Parameters
    ----------
    file : str or path
    options : ReadOptions, default=None
    wanted : collection of str, default=None
        Read only these columns (those of them that exist); None reads all.
    drop : collection of str, default=()
        Columns to leave out. Here and in ``wanted`` and ``codes``, ``mean*`` stands for all names
        that begin so, and ``a,b`` for two names.
    text : collection of str or None, default=None
        Columns to be read as text; all others must be numbers. None: see for yourself.
    codes : collection of str, default=()
        Columns to be read as text, whatever they hold.
    ids : collection of str, default=()
        Columns to be kept as they are written, beside the table.
    strict : bool, default=True
        Raise the problems of the table; if not, they are in its ``problems``.

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
    selection = Selection(wanted, drop, text, codes, ids)
    table = _read(kind, path, options, selection)
    _as_text(table, selection.resolved(table.names))
    if strict:
        raise_problems(table.source, table.problems)
    return table


def _read(kind: str, path: Path, options: ReadOptions, selection: Selection) -> Table:
    if kind == "csv":
        from .csv_table import read_csv

        return read_csv(path, options, selection)
    if kind == "parquet":
        return _read_parquet(path, options, selection)
    if kind == "excel":
        return _read_excel(path, options, selection)
    if kind == "npz":
        with path.open("rb") as stream:
            table = parse_npz(path, stream, limit_of(options, compressed=True))
    else:
        with opened(path) as stream:
            limit = limit_of(options, compressed=path.suffix.lower() == ".gz")
            table = parse_svmlight(path, stream, options.n_features, limit)
    table.file_names = list(table.names)
    return _without(table, selection.resolved(table.names))


def _read_excel(path: Path, options: ReadOptions, selection: Selection) -> Table:
    try:
        from .excel_table import read_excel
    except ImportError as error:
        raise TableError(
            "reading Excel files needs openpyxl; install it with: pip install openpyxl, or save "
            "the sheet as CSV."
        ) from error
    return read_excel(path, options, selection)


def _read_parquet(path: Path, options: ReadOptions, selection: Selection) -> Table:
    try:
        from .parquet_table import read_parquet
    except ImportError as error:
        raise TableError(
            "reading Parquet needs pyarrow; install it with: pip install pyarrow."
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
    if name.suffix.lower() in (".xls", ".ods", ".sav", ".dta", ".json"):
        raise TableError(
            f"{path}: files of the kind {name.suffix} cannot be read; save the table as .xlsx, "
            ".csv or .parquet."
        )
    if kind is None:
        raise TableError(
            f"{path}: the ending {name.suffix or '(none)'!r} does not tell the format; add "
            f"`format=...` with one of {', '.join(FORMATS)}."
        )
    return kind


def _without(table: Table, selection: Selection) -> Table:
    """Leave out what is dropped, and keep the columns that were asked for as they are written."""
    for name in selection.ids:
        if name in table.names:
            column = table.values[:, [table.names.index(name)]]
            dense = column.toarray() if sparse.issparse(column) else column
            table.ids[name] = [f"{value:.17g}" for value in dense.ravel().tolist()]
    left_out = set(selection.drop) | (set(selection.ids) if selection.text is None else set())
    keep = [j for j, name in enumerate(table.names) if name not in left_out]
    if len(keep) < len(table.names):
        table.names = [table.names[j] for j in keep]
        table.values = table.values[:, keep]
    return table


def _as_text(table: Table, selection: Selection) -> None:
    """Make categories of columns of numbers that are wanted as text, such as codes of answers."""
    wanted = selection.codes if selection.text is None else selection.text
    for j, name in enumerate(table.names):
        if name in wanted and name not in table.categories and not sparse.issparse(table.values):
            found, codes = np.unique(table.values[:, j], return_inverse=True)
            known = ~np.isnan(found)
            table.values[:, j] = np.where(known[codes], codes, np.nan)
            table.categories[name] = [f"{value:.17g}" for value in found[known].tolist()]
            table.dates.pop(name, None)
