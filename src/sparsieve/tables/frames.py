"""Tables in memory: data frames (pandas, polars) and mappings from names to columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.types import Floats
from .table import Selection, Table, TableError

__all__ = ["is_frame", "names_of", "table_of_frame"]

_SECONDS = 86_400.0


def is_frame(X: Any) -> bool:
    """Tell whether an object has columns by name."""
    return hasattr(X, "columns") or hasattr(X, "keys")


def names_of(X: Any) -> list[Any]:
    """Return the names of the columns of a data frame or mapping."""
    return list(X.columns) if hasattr(X, "columns") else list(X.keys())


def table_of_frame(X: Any, selection: Selection) -> Table:
    """Return a data frame, or a mapping of name to column, as a Table.

    Parameters
    ----------
    X : data frame or mapping
        Columns of numbers, truth values, dates, categories or text. Missing values are None, NaN,
        NaT or pandas.NA.
    selection : Selection
    """
    every = names_of(X)
    if not all(isinstance(name, str) for name in every) and selection.text is None:
        raise TableError(
            "the columns of a data frame need text for names; rename them: "
            "X.columns = X.columns.astype(str)."
        )
    selection = selection.resolved([name for name in every if isinstance(name, str)])
    names = [name for name in every if isinstance(name, str) and name in selection]
    table = Table("X", names, None, file_names=[n for n in every if isinstance(n, str)])
    columns = [_column(table, name, np.asarray(X[name]), selection) for name in names]
    n_rows = len(np.asarray(X[every[0]])) if every else 0
    table.values = np.empty((n_rows, len(names)), order="F")
    for j, column in enumerate(columns):
        table.values[:, j] = column
    for name in selection.ids:
        if name in every:
            table.ids[name] = [str(entry) for entry in np.asarray(X[name]).tolist()]
    return table


def _column(table: Table, name: str, column: NDArray[Any], selection: Selection) -> Floats:
    """Return a column as numbers; note in the table if they stand for dates or categories."""
    wanted = selection.codes if selection.text is None else selection.text
    if name in wanted:
        return _codes(table, name, column)
    if column.dtype.kind == "M":
        table.dates[name] = "ymd"
        seconds: Floats = column.astype("datetime64[us]").astype(np.int64) / 1e6
        return np.where(np.isnat(column), math.nan, seconds / _SECONDS)
    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    try:
        return np.array([_number(entry) for entry in column.tolist()])
    except (TypeError, ValueError) as error:
        if selection.text is not None:
            raise TableError(f"X: column {name!r} does not hold numbers; convert it.") from error
    return _codes(table, name, column)


def _number(entry: Any) -> float:
    if isinstance(entry, str):
        raise TypeError
    return math.nan if _is_missing(entry) else float(entry)


def _is_missing(entry: Any) -> bool:
    # pandas.NA is neither equal nor unequal to itself, so it is known by its name.
    if entry is None or type(entry).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(entry, float) and math.isnan(entry)


def _codes(table: Table, name: str, column: NDArray[Any]) -> Floats:
    """Return the position of each entry among the categories of the column, NaN where missing."""
    codes: dict[str, int] = {}
    entries = column.tolist()
    positions = [
        math.nan if _is_missing(entry) else codes.setdefault(_text(entry), len(codes))
        for entry in entries
    ]
    table.categories[name] = list(codes)
    return np.array(positions, dtype=np.float64)


def _text(entry: Any) -> str:
    """Return an entry as a text file would have it: codes such as 3.0 beside missing ones are 3."""
    if isinstance(entry, float) and entry.is_integer():
        return str(int(entry))
    return str(entry)
