"""A table in memory, and how to read one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.kinds import check_flag
from ..data.validation import check_integer

FORMATS = ("csv", "parquet", "npz", "svmlight")


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
    max_bytes : int or None
        Most bytes that a file may hold once it is decoded; None allows 1 GiB of compressed content
        (``.gz``, npz, Parquet) and any size of what is not compressed.
    """

    format: str | None = None
    encoding: str = "utf-8"
    delimiter: str | None = None
    decimal: str = "."
    header: bool = True
    missing: tuple[str, ...] = ()
    n_features: int | None = None
    max_bytes: int | None = None

    def __post_init__(self) -> None:
        check_flag("header", self.header)
        if self.max_bytes is not None:
            remedy = "use e.g. max_bytes=2**30, or None for the default"
            check_integer("max_bytes", self.max_bytes, low=1, remedy=remedy)


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


def listing(names: list[str], limit: int = 8) -> str:
    """Return quoted names, shortened when there are many."""
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def default_names(count: int) -> list[str]:
    """Return x1, x2, ... for columns that have no names."""
    return [f"x{j + 1}" for j in range(count)]


def first_line(error: BaseException) -> str:
    """Return the first line of what an exception says."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
