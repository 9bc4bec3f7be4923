"""Excel files (.xlsx) through openpyxl, row by row, as if their cells were written in a text file.

A number becomes the shortest text that reads back as the same number, a date its ISO form, so that
numbers and dates which the sheet holds as text are recognised as in a CSV file.
"""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import openpyxl

from .kinds import Typed
from .limits import check_bytes, limit_of
from .row_table import Block, column_names, read_rows
from .sniff import is_number, preamble
from .table import ReadOptions, Selection, Table, TableError, first_line, listing

__all__ = ["read_excel"]

# What Excel itself allows; a file may claim any number.
_MOST_ROWS, _MOST_COLUMNS = 1 << 20, 1 << 14
# Rows that are looked at to find the names.
_LOOK = 50


def read_excel(path: Path, options: ReadOptions, selection: Selection, source: Any = None) -> Table:
    """Read one sheet of an Excel file, or of a stream that holds one; ``path`` names it."""
    stream = path if source is None else source
    try:
        with zipfile.ZipFile(stream) as archive:
            size = sum(info.file_size for info in archive.infolist())
        check_bytes(path, size, limit_of(options, compressed=True))
        return _read(path, options, selection, stream)
    except TableError:
        raise
    except Exception as error:  # zipfile, XML, openpyxl: each has its own for damaged files
        raise TableError(
            f"{path} cannot be read as an Excel file ({first_line(error)}); is it complete, and an "
            ".xlsx (save an older .xls again as .xlsx or CSV)?"
        ) from error


def _read(path: Path, options: ReadOptions, selection: Selection, stream: Any) -> Table:
    with _sheet(stream, path, options.sheet) as (sheet, sheets):
        top = [row for _, row in islice(_rows(sheet, path), _LOOK)]
        title = sheet.title
    skip = (preamble(top) if options.header else 0) if options.skip is None else options.skip
    width = max((len(row) for row in top[skip:]), default=0)
    if skip >= len(top) or not width:
        raise TableError(
            f"{path}: the sheet {title!r} is empty; the file has {listing(sheets)}: choose one "
            "with `sheet=...`."
        )
    first = top[skip] + [""] * (width - len(top[skip]))
    names, notes, problems = column_names(path, first, options.header)
    if skip and options.skip is None:
        notes.append(f"{skip} row{'s' * (skip > 1)} above the names left out")
    if len(sheets) > 1 and options.sheet is None:
        notes.append(f"read the sheet {title!r}; choose another with `sheet=...`")
    rows = _Sheet(path, stream, title, skip + int(options.header), width)
    table = read_rows(rows, first, names, options, selection)
    if options.sheet is not None:
        table.reading["sheet"] = options.sheet
    table.notes = notes + table.notes
    table.problems = [p for p in problems if p.about in table.names] + table.problems
    return table


@contextmanager
def _sheet(stream: Any, path: Path, name: str | None) -> Iterator[tuple[Any, list[str]]]:
    """Open a sheet by name (None: the first that holds a table); yield it and the names of all."""
    with ExitStack() as opened, warnings.catch_warnings():
        if hasattr(stream, "seek"):
            stream.seek(0)
        else:  # openpyxl leaves a file open that it cannot read to its end
            stream = opened.enter_context(open(stream, "rb"))
        warnings.simplefilter("ignore")  # of styles and extensions that openpyxl does not keep
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        try:
            sheets = [sheet.title for sheet in book.worksheets]
            if not sheets or name not in (None, *sheets):
                raise TableError(
                    f"{path} has no sheet {name!r}; it has {listing(sheets)}: choose one with "
                    "`sheet=...`."
                )
            for sheet in book.worksheets:
                sheet.reset_dimensions()  # what a file says about its size may be anything
            tables = (sheet for sheet in book.worksheets if _holds_table(sheet, path))
            found = next(tables, book.worksheets[0]) if name is None else book[name]
            yield found, sheets
        finally:
            book.close()


def _holds_table(sheet: Any, path: Path) -> bool:
    """Tell whether a sheet has names and rows: notes and cover pages come before data."""
    top = [row for _, row in islice(_rows(sheet, path), _LOOK)]
    return sum(len(row) > 1 for row in top) > 1


def _rows(sheet: Any, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty as text, with their numbers and without an empty end."""
    for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        if number > _MOST_ROWS or len(cells) > _MOST_COLUMNS:
            raise TableError(
                f"{path}: the sheet {sheet.title!r} is larger than Excel allows; export it again."
            )
        row = [_text(cell) for cell in cells]
        while row and not row[-1].strip():
            row.pop()
        if row:
            yield number, row


def _text(cell: Any) -> str:
    """Return a cell as a text file would have it."""
    if cell is None:
        return ""
    if isinstance(cell, datetime):
        if cell.time() == datetime.min.time():
            return cell.date().isoformat()
        return cell.isoformat(" ", timespec="seconds")
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return Typed(repr(cell))
    return cell.isoformat() if isinstance(cell, date) else str(cell)


@dataclass(frozen=True)
class _Sheet:
    """The rows of a sheet, as often as they are asked for."""

    path: Path
    stream: Any
    title: str
    skip: int
    width: int

    most_rows = None
    semicolons = False

    def blocks(self, size: int, keep: Sequence[int], plain: bool) -> Iterator[Block]:
        """Yield blocks of fields with the numbers of their rows."""
        del keep, plain  # nothing is quicker for numbers: cells have their types
        with _sheet(self.stream, self.path, self.title) as (sheet, _):
            rows = islice(_rows(sheet, self.path), self.skip, None)
            while block := list(islice(rows, size)):
                yield [(number, self._padded(row)) for number, row in block]

    def _padded(self, row: list[str]) -> list[str]:
        """Return a row of the right length; a single text stays alone: it is no row."""
        alone = len(row) == 1 and self.width > 2 and not is_number(row[0])
        return row if alone else row + [""] * (self.width - len(row))
