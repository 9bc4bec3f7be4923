"""CSV files, block by block into one array of doubles.

The standard library finds the fields (it is strict about quotes and tells the line), NumPy reads
blocks that are numbers throughout. Memory: the array, and the text of one block.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..data.types import Floats
from .limits import check_bytes, check_texts, limit_of, opened
from .table import ReadOptions, Selection, Table, TableError, default_names, listing

__all__ = ["read_csv"]

# Fields per block: about 1 MB of text, 10 MB as Python strings, whatever the width of the table.
_BLOCK = 100_000
_SCAN = 1 << 20
_DELIMITERS = ",;\t|"
# Names take some 250 bytes each, a field only two.
_MOST_COLUMNS = 1 << 20
_MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"})
_TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True)
class _Scan:
    """What one look at the bytes tells."""

    lines: int
    n_bytes: int
    quoted: bool
    ends_with_newline: bool


def read_csv(path: Path, options: ReadOptions, selection: Selection) -> Table:
    """Read a CSV file."""
    scan = _scan(path, options)
    delimiter, names, notes = _header(path, options)
    if not scan.ends_with_newline:
        notes.append("the last line has no line end: if the file was cut, its last row is wrong")
    keep = [j for j, name in enumerate(names) if name and name in selection]
    kept = [names[j] for j in keep]
    repeated = [name for name, count in Counter(kept).items() if count > 1]
    if repeated:
        raise TableError(
            f"{path}: more than one column is called {listing(repeated)}; rename or remove all "
            "but one of each."
        )
    reader = _Reader(path, options, delimiter, len(names), keep, kept, selection)
    table = reader.read(scan)
    table.file_names = [name for name in names if name]
    table.notes = notes + table.notes
    return table


@contextmanager
def _text(path: Path, options: ReadOptions) -> Iterator[TextIO]:
    encoding = "utf-8-sig" if _is_utf8(options.encoding) else options.encoding
    with opened(path) as raw, io.TextIOWrapper(raw, encoding, newline="") as text:
        yield text


def _is_utf8(encoding: str) -> bool:
    return codecs.lookup(encoding).name == "utf-8"


def _scan(path: Path, options: ReadOptions) -> _Scan:
    """Count lines, check the encoding and the quotes; nothing is kept."""
    try:
        decoder = codecs.getincrementaldecoder(options.encoding)()
    except LookupError as error:
        raise TableError(
            f"encoding {options.encoding!r} is not known; use e.g. utf-8, latin-1 or cp1252."
        ) from error
    lines, quotes, done, last = 0, 0, 0, "\n"
    limit = limit_of(options, compressed=path.suffix.lower() == ".gz")
    with opened(path) as stream:
        while True:
            chunk = stream.read(_SCAN)
            text = _decode(decoder, chunk, done, path, options)
            if "\0" in text:
                raise TableError(
                    f"{path} is not a CSV file (it holds NUL bytes); name a Parquet file .parquet "
                    "and a NumPy archive .npz, or add `encoding='utf-16'` if it is that."
                )
            # Both kinds of line ends may occur in one file; one too many does no harm.
            lines += text.count("\n") + text.count("\r") - text.count("\r\n")
            quotes += text.count('"')
            last = text[-1:] or last
            done += len(chunk)
            check_bytes(path, done, limit)
            if not chunk:
                break
    if quotes % 2:
        raise TableError(
            f"{path} has an odd number of quotation marks: a quoted field is never closed; the "
            "file is cut short or damaged: export it again."
        )
    return _Scan(lines + 1, done, quotes > 0, last in "\r\n")


def _decode(decoder: Any, chunk: bytes, done: int, path: Path, options: ReadOptions) -> str:
    try:
        text: str = decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError as error:
        bad = error.object[error.start : error.start + 1].hex()
        other = "latin-1" if _is_utf8(options.encoding) else "utf-8"
        raise TableError(
            f"{path} is not {options.encoding} text (byte 0x{bad} near position "
            f"{done + error.start}); files from Windows and older programs are often Latin-1: add "
            f"`encoding={other!r}`."
        ) from error
    except UnicodeError as error:  # UTF-16 without the mark that tells its byte order
        raise TableError(
            f"{path} is not {options.encoding} text ({error}); try "
            "`encoding='utf-8'` or 'utf-16-le'."
        ) from error
    return text


def _header(path: Path, options: ReadOptions) -> tuple[str, list[str], list[str]]:
    """Return the delimiter, the names of all columns ("" for one to ignore) and notes."""
    with _text(path, options) as text:
        first = text.readline(16 * _SCAN)
        counts = {mark: first.count(mark) for mark in _DELIMITERS}
        delimiter = options.delimiter or max(counts, key=lambda mark: counts[mark])
        text.seek(0)
        names = [name.strip() for name in next(_rows(text, delimiter, path), [])]
    if len(names) > _MOST_COLUMNS:
        raise TableError(
            f"{path}: the first line has {len(names)} fields, and a CSV file may have "
            f"{_MOST_COLUMNS} columns; choose another `delimiter=...`, or save it as npz."
        )
    if not names:
        raise TableError(f"{path} holds blank lines only; a table needs a header and two rows.")
    if not options.header:
        return delimiter, default_names(len(names)), []
    if all(map(_is_number, names)):
        raise TableError(
            f"{path}: the first line holds numbers, not names; add a line of names, or "
            "`header=False` to call the columns x1, x2, ..."
        )
    if len(names) > 1 and names[0] == "" and all(names[1:]):
        note = "the first column has no name and is ignored (row numbers, most likely)"
        return delimiter, names, [note]
    if not all(names):
        raise TableError(
            f"{path}: column {names.index('') + 1} has no name; give every column a name in the "
            "first line."
        )
    return delimiter, names, []


def _rows(text: TextIO, delimiter: str, path: Path) -> Iterator[list[str]]:
    """Yield the rows that are not blank."""
    rows = csv.reader(text, delimiter=delimiter, strict=True)
    try:
        yield from filter(None, rows)
    except csv.Error as error:
        raise TableError(
            f"{path}, line {rows.line_num}: {error}; check the quotation marks there, or choose "
            "another `delimiter=...`."
        ) from error


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


@dataclass
class _Reader:
    """Fills one array, block by block, and remembers the categories of columns of text."""

    path: Path
    options: ReadOptions
    delimiter: str
    width: int
    keep: list[int]
    names: list[str]
    selection: Selection
    late: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.missing = _MISSING | {marker.strip().lower() for marker in self.options.missing}

    def read(self, scan: _Scan) -> Table:
        """Read the file; a column whose text appears late makes it start again."""
        while True:
            known = len(self.late)
            table = self._pass(scan)
            if len(self.late) == known:
                return table

    def _pass(self, scan: _Scan) -> Table:
        # A row takes a byte for each of its fields, so blank lines ask for no memory.
        max_rows = min(scan.lines, scan.n_bytes // self.width + 1)
        values = np.empty((max_rows, len(self.names)), order="F")
        self.codes: dict[str, dict[str, int]] = {}
        start = 0
        with _text(self.path, self.options) as text:
            for block in self._blocks(text, plain=self._may_be_plain(scan)):
                stop = start + len(block)
                if isinstance(block, np.ndarray):
                    values[start:stop] = block
                else:
                    columns = list(zip(*block, strict=True))
                    for k, j in enumerate(self.keep):
                        values[start:stop, k] = self._column(self.names[k], columns[j], start)
                    check_texts(self.path, self.codes)
                start = stop
        categories = {name: list(table) for name, table in self.codes.items()}
        table = Table(str(self.path), self.names, compact(values, start), categories)
        return table

    def _blocks(self, text: TextIO, plain: bool) -> Iterator[Floats | list[list[str]]]:
        """Yield blocks of rows: arrays while all is numbers, then lists of fields."""
        size = max(1, _BLOCK // self.width)
        if not plain:
            yield from self._split(text, size, 1, skip=int(self.options.header))
            return
        line = 1
        if self.options.header:
            line += bool(text.readline())
        while True:
            lines = list(islice(text, size))
            block = self._numbers(lines)
            if block is None:
                break
            if not lines:
                return
            yield block
            line += len(lines)
        yield from self._split(chain(lines, text), size, line)

    def _may_be_plain(self, scan: _Scan) -> bool:
        """Tell whether lines are rows (no quotes) and no column is known to be text."""
        text = self.late if self.selection.text is None else self.selection.text
        return not scan.quoted and not any(name in text for name in self.names)

    def _numbers(self, lines: list[str]) -> Floats | None:
        """Return lines of plain numbers as an array, None if there is anything else in them."""
        if self.options.decimal != "." or not any(map(str.strip, lines)):
            return None if lines else np.empty((0, len(self.keep)))
        try:
            block = np.loadtxt(lines, delimiter=self.delimiter, comments=None, ndmin=2)
        except ValueError:
            return None
        return block[:, self.keep] if block.shape[1] == self.width else None

    def _split(
        self, lines: Iterator[str] | TextIO, size: int, first: int, skip: int = 0
    ) -> Iterator[list[list[str]]]:
        """Yield blocks of fields; ``first`` is the number of the first line, for messages."""
        rows = csv.reader(lines, delimiter=self.delimiter, strict=True)
        block: list[list[str]] = []
        try:
            for row in islice(rows, skip, None):
                if len(row) != self.width:
                    if not row:
                        continue
                    raise TableError(
                        f"{self.path}: line {first + rows.line_num - 1} has {len(row)} fields, the "
                        f"first line has {self.width}; {self._remedy(len(row))}."
                    )
                block.append(row)
                if len(block) == size:
                    yield block
                    block = []
        except csv.Error as error:
            raise TableError(
                f"{self.path}, line {first + rows.line_num - 1}: {error}; check the quotation "
                "marks there, or choose another `delimiter=...`."
            ) from error
        if block:
            yield block

    def _remedy(self, found: int) -> str:
        if found < self.width:
            return "the file is cut short or that line is damaged: export it again"
        return "quote fields that hold the delimiter, or choose another with `delimiter=...`"

    def _column(self, name: str, column: Sequence[str], start: int) -> Any:
        """Return one block of a column: numbers, or positions among its categories."""
        text = self.selection.text
        is_text = name in self.codes or name in (self.late if text is None else text)
        numbers = None if is_text else self._parse(column)
        if numbers is not None:
            return numbers
        if text is not None and not is_text:
            example = next(v for v in column if self._parse([v]) is None)
            raise TableError(
                f"{self.path}: column {name!r} holds text, for instance {example!r}, where the "
                "model needs numbers; correct it."
            )
        if start > 0 and name not in self.codes:
            self.late.add(name)  # its earlier blocks were taken for numbers: read them again
        codes = self.codes.setdefault(name, {})
        return [
            math.nan if entry.lower() in self.missing else codes.setdefault(entry, len(codes))
            for entry in map(str.strip, column)
        ]

    def _parse(self, column: Sequence[str]) -> Floats | None:
        """Return a column as numbers, NaN where missing; None if it holds text."""
        if self.options.decimal != ".":
            column = [entry.replace(self.options.decimal, ".") for entry in column]
        if any("_" in entry for entry in column):  # Python reads 1_000 as a number, we do not
            return None
        try:
            return np.array([float(entry) for entry in column])
        except ValueError:
            pass
        values = np.empty(len(column))
        for k, entry in enumerate(column):
            word = entry.strip().lower()
            try:
                values[k] = math.nan if word in self.missing else float(_TRUTH.get(word, word))
            except ValueError:
                return None
        return values


def compact(values: Floats, rows: int) -> Floats:
    """Return the first rows of a Fortran-ordered array in Fortran order, in the same memory."""
    capacity, width = values.shape
    if rows == capacity:
        return values
    flat = values.reshape(-1, order="F")
    for j in range(width):
        flat[j * rows : (j + 1) * rows] = flat[j * capacity : j * capacity + rows]
    return flat[: rows * width].reshape((rows, width), order="F")
