"""What a text file is: its encoding, what stands between its fields, which lines are the table."""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from .limits import check_bytes, limit_of, opened
from .table import ReadOptions, TableError

__all__ = ["Dialect", "Scan", "find_dialect", "is_number", "preamble", "scan", "text_of"]

_CHUNK = 1 << 20
_DELIMITERS = ",;\t|"
# Lines, and characters of them, that are looked at to find the delimiter.
_LOOK_LINES, _LOOK = 50, 1 << 20
# Of the first bytes of UTF-16 text in a European language, nearly every second one is zero.
_MANY_ZEROS = 0.3
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True)
class Scan:
    """What one look at the bytes tells."""

    encoding: str
    lines: int
    n_bytes: int
    quoted: bool
    ends_with_newline: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dialect:
    """How the lines are split: ``skip`` rows stand above the names."""

    encoding: str
    delimiter: str
    skip: int
    named_delimiter: bool = False


@contextmanager
def text_of(path: Path, encoding: str) -> Iterator[TextIO]:
    """Open the text of a file that may be compressed."""
    with opened(path) as raw, io.TextIOWrapper(raw, encoding, newline="") as text:
        yield text


def scan(path: Path, options: ReadOptions) -> Scan:
    """Find the encoding, count lines and check quotes; nothing is kept."""
    if options.encoding is not None:
        try:
            same = codecs.lookup(options.encoding).name
        except LookupError as error:
            raise TableError(
                f"encoding {options.encoding!r} is not known; use e.g. utf-8, latin-1 or cp1252."
            ) from error
        encoding = "utf-8-sig" if same == "utf-8" else options.encoding
        return _scan(path, options, encoding)
    with opened(path) as stream:
        head = stream.read(1 << 12)
    encoding = _by_first_bytes(head)
    try:
        return _scan(path, options, encoding)
    except UnicodeDecodeError:
        # Python's own decoder of cp1252 refuses the five bytes that the code page leaves out.
        found = _scan(path, options, "cp1252")
        note = (
            "the text is not UTF-8 and was read as that of Windows (cp1252); if letters look wrong "
            "add `encoding=...`"
        )
        return Scan(**(vars(found) | {"notes": (note,)}))


def _by_first_bytes(head: bytes) -> str:
    for mark, encoding in _MARKS.items():
        if head.startswith(mark) and not head.startswith(codecs.BOM_UTF32_LE):
            return encoding
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros, others = head[start::2].count(0), head[1 - start :: 2].count(0)
        if zeros > _MANY_ZEROS * len(head) and others == 0:
            return encoding
    return "utf-8-sig"


def _scan(path: Path, options: ReadOptions, encoding: str) -> Scan:
    decoder = codecs.getincrementaldecoder(encoding)()
    lines, quotes, done, last = 0, 0, 0, "\n"
    limit = limit_of(options, compressed=path.suffix.lower() == ".gz")
    with opened(path) as stream:
        while True:
            chunk = stream.read(_CHUNK)
            text = _decode(decoder, chunk, done, path, encoding, options.encoding is not None)
            if "\0" in text:
                raise TableError(
                    f"{path} is not a CSV file (it holds NUL bytes); name a Parquet file .parquet, "
                    "an Excel file .xlsx and a NumPy archive .npz, or give its `encoding=...`."
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
    return Scan(encoding, lines + 1, done, quotes > 0, last in "\r\n")


def _decode(decoder: Any, chunk: bytes, done: int, path: Path, encoding: str, asked: bool) -> str:
    try:
        text: str = decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError as error:
        if not asked and encoding == "utf-8-sig":
            raise
        bad = error.object[error.start : error.start + 1].hex()
        other = "cp1252" if encoding == "utf-8-sig" else "latin-1"
        raise TableError(
            f"{path} is not {encoding.removesuffix('-sig')} text (byte 0x{bad} near position "
            f"{done + error.start}); leave `encoding=...` out to have it recognised, or try "
            f"`encoding={other!r}`."
        ) from error
    except UnicodeError as error:  # UTF-16 without the mark that tells its byte order
        raise TableError(
            f"{path} is not {encoding} text ({error}); try `encoding='utf-8'` or 'utf-16-le'."
        ) from error
    return text


def find_dialect(path: Path, options: ReadOptions, encoding: str) -> Dialect:
    """Look at the first lines: what stands between fields, and where the table begins."""
    with text_of(path, encoding) as text:
        first = text.readline(_LOOK)
        # What spreadsheets write above the table to tell the delimiter.
        told = first.rstrip("\r\n").strip('"')
        named = told.lower().startswith("sep=") and len(told) == 5
        lines = [] if named else [first]
        size = len(first)
        while len(lines) < _LOOK_LINES and size < _LOOK and (line := text.readline(_LOOK)):
            lines.append(line)
            size += len(line)
    delimiter = options.delimiter or (told[4] if named else _likeliest(lines))
    if options.skip is not None or not options.header:
        return Dialect(encoding, delimiter, options.skip or int(named), named)
    rows = _split(lines, delimiter)
    return Dialect(encoding, delimiter, preamble(rows) + int(named), named)


def _split(lines: list[str], delimiter: str) -> list[list[str]]:
    """Return the fields of the first lines; the last ones may lack where a quote is open."""
    rows: list[list[str]] = []
    with suppress(csv.Error):  # a field beyond all measure: what was read before it tells enough
        rows.extend(row for row in csv.reader(lines, delimiter=delimiter) if row)
    return rows


def _likeliest(lines: list[str]) -> str:
    """Return the mark that splits most lines into the same number of fields, at least two."""

    def score(mark: str) -> tuple[float, int]:
        widths = Counter(len(row) for row in _split(lines, mark))
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
        return (count / max(sum(widths.values()), 1), width) if width > 1 else (0.0, 0)

    return max(_DELIMITERS, key=score)


def preamble(rows: list[list[str]]) -> int:
    """Return how many of the first rows stand above the names: those with at most one entry.

    A table of one column has none; in one of two the names may be a single one, beside a column
    without a name, unless a row has a single field.
    """
    filled = [sum(bool(entry.strip()) for entry in row) for row in rows]
    start = next((k for k, count in enumerate(filled) if count > 1), 0)
    if not any(count > 1 for count in filled[start + 1 :]):
        return 0
    narrow = len(rows[start]) < 3 if start else False
    return next((k for k in range(start) if narrow and len(rows[k]) > 1), start)


def is_number(text: str) -> bool:
    """Tell whether a text is a number, with either decimal mark."""
    try:
        float(text.replace(",", ".", 1))
    except ValueError:
        return False
    return "_" not in text
