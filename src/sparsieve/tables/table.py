"""A table in memory, and how to read one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.kinds import check_flag
from ..data.scalars import check_integer

FORMATS = ("csv", "excel", "parquet", "npz", "svmlight")
# What reading a table found out, as a model keeps it.
_KEPT = ("decimal", "thousands", "missing", "sheet", "skip", "header")


class TableError(ValueError):
    """A table that cannot be used as it is; the message says what to do."""


@dataclass(frozen=True)
class TableProblem:
    """One reason why a table cannot be used as it is.

    Attributes
    ----------
    text : str
        What is wrong and what may be done.
    remedy : dict of str to object
        The arguments that most likely mend it; empty where only an edit of the file does.
    choice : tuple of str
        Arguments of which the reader has to choose one.
    about : str
        The column it is about, if it is about one.
    """

    text: str
    remedy: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""
    choice: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReadOptions:
    """How to read a table.

    Attributes
    ----------
    format : str or None
        One of :data:`FORMATS`; None goes by the name of the file.
    encoding : str or None
        Of a CSV file; None recognises UTF-8, UTF-16 and, failing these, the Windows code page 1252.
    delimiter : str or None
        Between the fields of a CSV file; None takes the likeliest of comma, semicolon, tab, bar.
    decimal : str or None
        Decimal mark of a CSV file, "." or ","; None recognises it.
    thousands : str or None
        Mark between thousands in a CSV file; None recognises it, "" says that there is none.
    header : bool
        Whether the first line holds the names; if not, they are x1, x2, ...
    missing : tuple of str
        What else stands for a missing value in a CSV or Excel file, besides the usual empty field,
        NA, NaN.
    dates : {"auto", "dmy", "mdy"} or None
        The order of day, month and year in dates such as 1/2/2024; None and "auto" recognise it.
    skip : int or None
        Lines (rows of a sheet) above the names; None leaves out those with at most one entry.
    sheet : str or None
        Of an Excel file; None takes the first.
    n_features : int or None
        Width of a svmlight file, which may leave out its last columns.
    max_bytes : int or None
        Most bytes that a file may hold once it is decoded; None allows 1 GiB of compressed content
        (``.gz``, xlsx, npz, Parquet) and any size of what is not compressed.
    columns : dict of str to str
        What is known of columns: the unit at their numbers, such as "$" or "%", or the order of the
        parts of their dates, "ymd", "dmy" or "mdy".
    """

    format: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: bool = True
    missing: tuple[str, ...] = ()
    dates: str | None = None
    skip: int | None = None
    sheet: str | None = None
    n_features: int | None = None
    max_bytes: int | None = None
    columns: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_flag("header", self.header)
        if self.max_bytes is not None:
            remedy = "use e.g. max_bytes=2**30, or None for the default"
            check_integer("max_bytes", self.max_bytes, low=1, remedy=remedy)
        if self.decimal is not None and self.decimal == self.thousands:
            raise TableError(
                f"{self.decimal!r} cannot be both the decimal mark and the mark between thousands; "
                "choose two, or leave one of `decimal=...` and `thousands=...` out."
            )

    def after(self, kept: dict[str, Any] | None) -> ReadOptions:
        """Return the options with what an earlier table needed, where they say nothing.

        Parameters
        ----------
        kept : dict or None
            ``Table.reading`` of the earlier table.
        """
        kept, plain = kept or {}, ReadOptions()
        same = {name: kept[name] for name in _KEPT if name in kept}
        known: dict[str, Any] = {
            name: tuple(value) if name == "missing" else value
            for name, value in same.items()
            if getattr(self, name) == getattr(plain, name)
        }
        return replace(self, columns=dict(kept.get("columns", {})), **known)


@dataclass(frozen=True)
class Selection:
    """Which columns to read.

    Attributes
    ----------
    wanted : collection of str or None
        These; None reads all. Names, or patterns with ``*`` and ``?``, or several with commas.
    drop : collection of str
        All but these; written like ``wanted``.
    text : collection of str or None
        These as text and all others as numbers, as a model needs them; None finds out.
    codes : collection of str
        These as text, whatever they hold.
    ids : collection of str
        These row by row as they are written, beside the table.
    """

    wanted: Collection[str] | None = None
    drop: Collection[str] = ()
    text: Collection[str] | None = None
    codes: Collection[str] = ()
    ids: Collection[str] = ()

    def resolved(self, names: Collection[str]) -> Selection:
        """Return the selection with the names that its patterns stand for in a table."""
        known = set(names)
        wanted = None if self.wanted is None else expanded(self.wanted, names, known)
        drop, codes = expanded(self.drop, names, known), expanded(self.codes, names, known)
        return replace(self, wanted=wanted, drop=drop, codes=codes)

    def __contains__(self, name: str) -> bool:
        if name in self.drop or (name in self.ids and self.text is None):
            return False
        return self.wanted is None or name in self.wanted


def expanded(
    patterns: Collection[str], names: Collection[str], known: Collection[str]
) -> list[str]:
    """Return the names that patterns stand for; what stands for none is kept as it is.

    ``mean*`` stands for all names that begin so, ``a,b`` for two names. A name that is written in
    full is that name, whatever characters it has.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        parts = [pattern] if pattern in known else [part.strip() for part in pattern.split(",")]
        for part in parts:
            matched = [part]
            if part not in known and any(mark in part for mark in "*?"):
                matched = [name for name in names if fnmatchcase(name, part)] or [part]
            found |= dict.fromkeys(matched)
    return list(found)


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
    problems : list of TableProblem
        What keeps the table from being used.
    dates : dict of str to str
        Columns of dates, which hold days since 1 January 1970, with the order of day, month, year.
    marks : dict of str to dict of str to int
        Columns of numbers apart from a few texts (which keep them among ``categories``), and how
        often each of these texts occurs.
    ids : dict of str to list of str
        Columns that were asked for as they are written.
    reading : dict
        How the file was read, recognised or told, as far as the next file should be read so too.
    """

    source: str
    names: list[str]
    values: Any
    categories: dict[str, list[str]] = field(default_factory=dict)
    target: NDArray[np.float64] | None = None
    target_name: str = ""
    notes: list[str] = field(default_factory=list)
    file_names: list[str] = field(default_factory=list)
    problems: list[TableProblem] = field(default_factory=list)
    dates: dict[str, str] = field(default_factory=dict)
    marks: dict[str, dict[str, int]] = field(default_factory=dict)
    ids: dict[str, list[str]] = field(default_factory=dict)
    reading: dict[str, Any] = field(default_factory=dict)

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
