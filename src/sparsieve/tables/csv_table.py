"""CSV files, block by block.

The standard library finds the fields (it is strict about quotes and tells the line), NumPy reads
blocks that are numbers throughout. Memory: the table, and the text of one block. (pyarrow's reader
is quicker for narrow tables with text; for wide ones it takes a hundred times the size of the file:
9 GB for a line of a million fields.)
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

import numpy as np

from ..data.types import Floats
from .row_table import Block, column_names, read_rows
from .sniff import Dialect, Scan, find_dialect, scan, text_of
from .table import ReadOptions, Selection, Table, TableError

__all__ = ["read_csv"]

# Names take some 250 bytes each, a field only two.
_MOST_COLUMNS = 1 << 20


def read_csv(path: Path, options: ReadOptions, selection: Selection) -> Table:
    """Read a CSV file."""
    seen = scan(path, options)
    dialect = find_dialect(path, options, seen.encoding)
    with text_of(path, dialect.encoding) as text:
        rows = (row for _, row in _rows(text, dialect.delimiter, path))
        first = next(islice(rows, dialect.skip, None), [])
    if len(first) > _MOST_COLUMNS:
        raise TableError(
            f"{path}: the first line has {len(first)} fields, and a CSV file may have "
            f"{_MOST_COLUMNS} columns; choose another `delimiter=...`, or save it as npz."
        )
    if not first:
        raise TableError(f"{path} holds blank lines only; a table needs a header and two rows.")
    names, notes, problems = column_names(path, first, options.header)
    notes = [*seen.notes, *notes]
    above = dialect.skip - dialect.named_delimiter
    if above > 0 and options.skip is None:
        notes.append(f"{above} line{'s' * (above > 1)} above the names left out")
    if not seen.ends_with_newline:
        notes.append("the last line has no line end: if the file was cut, its last row is wrong")
    source = _Lines(path, dialect, seen, len(names), options.header)
    table = read_rows(source, first, names, options, selection)
    table.notes = notes + table.notes
    table.problems = [p for p in problems if p.about in table.names] + table.problems
    return table


def _rows(
    lines: Iterator[str] | TextIO, delimiter: str, path: Path, first: int = 1
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank with their lines; ``first`` is the number of the first."""
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for row in rows:
            if row:
                yield first + rows.line_num - 1, row
    except csv.Error as error:
        raise TableError(
            f"{path}, line {first + rows.line_num - 1}: {error}; check the quotation marks there, "
            "or choose another `delimiter=...`."
        ) from error


@dataclass(frozen=True)
class _Lines:
    """The rows of a CSV file, as often as they are asked for."""

    path: Path
    dialect: Dialect
    scan: Scan
    width: int
    header: bool

    @property
    def most_rows(self) -> int:
        """A row takes a byte for each of its fields, so blank lines ask for no memory."""
        return min(self.scan.lines, self.scan.n_bytes // self.width + 1)

    @property
    def semicolons(self) -> bool:
        """Whether the fields are between semicolons."""
        return self.dialect.delimiter == ";"

    def blocks(self, size: int, keep: Sequence[int], plain: bool) -> Iterator[Block]:
        """Yield blocks of rows: arrays while all is plain numbers, then fields with their lines."""
        skip = self.dialect.skip + int(self.header)
        with text_of(self.path, self.dialect.encoding) as text:
            # Lines are rows where nothing is quoted. Between semicolons, 1.234 may be above 1000.
            if not plain or skip > 1 or self.scan.quoted or self.semicolons:
                yield from self._fields(text, size, 1, skip)
                return
            line = 1
            if skip:
                line += bool(text.readline())
            while True:
                lines = list(islice(text, size))
                block = self._numbers(lines, keep)
                if block is None:
                    break
                if not lines:
                    return
                yield block
                line += len(lines)
            yield from self._fields(chain(lines, text), size, line, 0)

    def _numbers(self, lines: list[str], keep: Sequence[int]) -> Floats | None:
        """Return lines of plain numbers as an array, None if there is anything else in them."""
        if not any(map(str.strip, lines)):
            return None if lines else np.empty((0, len(keep)))
        try:
            block = np.loadtxt(lines, delimiter=self.dialect.delimiter, comments=None, ndmin=2)
        except ValueError:
            return None
        return block[:, keep] if block.shape[1] == self.width else None

    def _fields(
        self, lines: Iterator[str] | TextIO, size: int, first: int, skip: int
    ) -> Iterator[list[tuple[int, list[str]]]]:
        rows = islice(_rows(lines, self.dialect.delimiter, self.path, first), skip, None)
        while block := list(islice(rows, size)):
            yield block
