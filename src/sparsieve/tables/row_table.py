"""From rows of text to a table: one array of doubles, filled block by block.

The first pass takes all columns for plain numbers and collects what is none. ``kinds`` decides from
that what each column is, and a second pass reads the columns so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from ..data.types import Floats
from .kinds import Kind, Plan, Seen, Typed, missing_marks, plan_of, problems_of_model
from .limits import check_bytes, check_texts, limit_of
from .sniff import is_number
from .table import ReadOptions, Selection, Table, TableError, TableProblem, default_names, listing

__all__ = ["Block", "Source", "column_names", "compact", "read_rows"]

# Fields per block: about 1 MB of text, 10 MB as Python strings, whatever the width of the table.
_BLOCK = 100_000
_TRUTH = {"true": 1.0, "false": 0.0}
# How a row of totals below a table begins, apart from capitals and a colon.
_TOTALS = {
    *("total", "totals", "grand total", "subtotal", "sum", "sums", "average", "mean"),
    *("summe", "summen", "gesamt", "gesamtsumme", "insgesamt", "durchschnitt", "mittelwert"),
    *("somme", "totaux", "total général", "moyenne", "totale", "totali", "suma", "totaal"),
}
# Rows of a wrong length that are remembered for the message.
_REMEMBERED = 16

#: Rows of numbers, or rows of fields with the numbers of their lines.
Block = Floats | list[tuple[int, list[str]]]


class Source(Protocol):
    """Where rows come from, as often as they are asked for."""

    @property
    def path(self) -> Path:
        """The file, for messages."""

    @property
    def most_rows(self) -> int | None:
        """A number of rows that there are not more of; None if that is not known."""

    @property
    def semicolons(self) -> bool:
        """Whether the fields are between semicolons."""

    def blocks(self, size: int, keep: Sequence[int], plain: bool) -> Iterator[Block]:
        """Yield the rows below the names, ``size`` at a time; numbers have the kept columns."""


def read_rows(
    source: Source, first: list[str], names: list[str], options: ReadOptions, selection: Selection
) -> Table:
    """Return the table of a source whose columns have these names; ``first`` is its first row."""
    selection = selection.resolved(names)
    unnamed: set[str] = set()
    if options.header:
        unnamed = {names[j] for j, name in enumerate(first) if not name.strip()} - {""}
    table = _Reader(source, options, names, selection).read()
    table.file_names = [n for n in names if n and (n not in unnamed or n in table.names)]
    if not options.header:
        table.reading["header"] = False
    if options.skip is not None:
        table.reading["skip"] = options.skip
    _leave_out_empty(table, unnamed)
    return table


def column_names(
    path: Path, first: list[str], header: bool
) -> tuple[list[str], list[str], list[TableProblem]]:
    """Return the names of all columns ("" for one to ignore), notes and problems."""
    if not header:
        return default_names(len(first)), [], []
    names = [name.strip() for name in first]
    if all(map(is_number, names)):
        raise TableError(
            f"{path}: the first line holds numbers, not names; add a line of names, or "
            "`header=False` to call the columns x1, x2, ..."
        )
    notes, problems = [], []
    if len(names) > 1 and names[0] == "" and all(names[1:]):
        notes.append("the first column has no name and is ignored (row numbers, most likely)")
    else:
        names = [name or f"column {j + 1}" for j, name in enumerate(names)]
    repeated = {name for name, count in Counter(names).items() if count > 1}
    count: Counter[str] = Counter()
    taken = set(names)
    for j, name in enumerate(names):
        count[name] += 1
        if name in repeated and count[name] > 1:
            names[j] = _unused(f"{name} ({count[name]})", taken)
            text = (
                f"more than one column is called {name!r}; rename one in the file, or leave this "
                f"one out with `drop={[names[j]]}`."
            )
            problems.append(TableProblem(text, {"drop": [names[j]]}, names[j]))
    return names, notes, problems


def _unused(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    taken.add(name)
    return name


@dataclass
class _Reader:
    """Fills one array, block by block, and remembers the categories of columns of text."""

    source: Source
    options: ReadOptions
    all_names: list[str]
    selection: Selection
    codes: dict[str, dict[str, int]] = field(default_factory=dict)
    seen: dict[str, Seen] = field(default_factory=dict)
    ragged: list[tuple[int, list[str]]] = field(default_factory=list)
    ids: dict[str, list[str]] = field(default_factory=dict)
    # Rows since the last one of the table that are none of it if no other follows.
    pending: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.missing = missing_marks(self.options.missing)
        named = list(enumerate(self.all_names))
        self.keep = [j for j, name in named if name and name in self.selection]
        self.names = [self.all_names[j] for j in self.keep]
        self.id_columns = [j for j, name in named if name in self.selection.ids]

    def read(self) -> Table:
        """Read the file: once if all is plain numbers, else again with what was found."""
        plan = Plan.first(self.names, self.options, self.selection)
        values = self._pass(plan)
        if self.selection.text is None:
            # What looked like numbers may not fit the spelling that the others were found to have.
            for _ in range(3):
                again = plan_of(plan, self.seen, self.options, self.source.semicolons)
                same = again.kinds == plan.kinds
                plan = again
                if same:
                    break
                values = self._pass(plan)
        table = Table(str(self.source.path), self.names, values, ids=self.ids)
        plan.complete(table, self.codes, self.options)
        if self.selection.text is not None:
            table.problems += problems_of_model(self.seen)
        self._tell_rows_left_out(table)
        return table

    def _pass(self, plan: Plan) -> Floats:
        width, most = len(self.names), self.source.most_rows
        values = np.empty((most or 0, width), order="F")
        self.codes, self.seen, self.ragged = {}, {name: Seen() for name in self.names}, []
        self.ids = {self.all_names[j]: [] for j in self.id_columns}
        self.pending, start = [], 0
        size = max(1, _BLOCK // len(self.all_names))
        plain = plan.plain and not self.id_columns
        for block in self.source.blocks(size, self.keep, plain):
            part = block if isinstance(block, np.ndarray) else self._part(self._rows(block), plan)
            stop = start + len(part)
            if most is None and stop > len(values):
                check_bytes(self.source.path, 16 * stop * width, limit_of(self.options, True))
                values = _grown(values, 2 * stop)
            values[start:stop] = part
            start = stop
        return compact(values, start)

    def _part(self, rows: list[list[str]], plan: Plan) -> Floats:
        """Return rows of fields as numbers."""
        part = np.empty((len(rows), len(self.names)), order="F")
        columns = list(zip(*rows, strict=True))
        for k, j in enumerate(self.keep if rows else ()):
            part[:, k] = self._column(self.names[k], columns[j], plan.kinds[self.names[k]])
        for j in self.id_columns if rows else ():
            self.ids[self.all_names[j]].extend(map(str.strip, columns[j]))
        check_texts(self.source.path, self.codes)
        return part

    def _rows(self, block: list[tuple[int, list[str]]]) -> list[list[str]]:
        """Return the rows of the right length, without empty ones and totals at the end."""
        rows: list[list[str]] = []
        width = len(self.all_names)
        blank = [""] * width
        for line, row in block:
            if not any(map(str.strip, row)):
                self.pending += [blank] * (len(row) == width)
                continue
            if len(row) != width:
                self._remember(line, row)
                continue
            if self.ragged and len(self.ragged[-1][1]) == 1:
                self.ragged[-1][1].append("")  # rows follow, so it is no line below the table
            if _is_total(row):
                self.pending.append(row)
                continue
            rows += self.pending
            rows.append(row)
            self.pending = []
        return rows

    def _remember(self, line: int, row: list[str]) -> None:
        if len(self.ragged) == _REMEMBERED:
            del self.ragged[1]
        self.ragged.append((line, row))

    def _tell_rows_left_out(self, table: Table) -> None:
        """Add a problem for rows of a wrong length; lines of one text below the table are none."""
        width, below = len(self.all_names), 0
        while self.ragged and width > 2 and _is_footnote(self.ragged[-1][1]):
            self.ragged.pop()
            below += 1
        totals = [row for row in self.pending if any(row)]
        if totals:
            table.notes.append(
                f"{len(totals)} row{'s' * (len(totals) > 1)} of totals at the end left out "
                f"({listing([_first_text(row) for row in totals])})"
            )
        empty_rows = len(self.pending) - len(totals)
        for count, what in ((below, "line"), (empty_rows, "empty row")):
            if count:
                place = "below the table" if what == "line" else "at the end"
                table.notes.append(f"{count} {what}{'s' * (count > 1)} {place} left out")
        if not self.ragged:
            return
        line, row = self.ragged[0]
        more = " (and other lines are of a wrong length)" if len(self.ragged) > 1 else ""
        remedy = "quote fields that hold the delimiter, or choose another with `delimiter=...`"
        if len(row) < width:
            remedy = "the file is cut short or that line is damaged: export it again"
        text = f"line {line} has {len(row)} fields, the first line has {width}{more}; {remedy}."
        table.problems.append(TableProblem(text))

    def _column(self, name: str, column: Sequence[str], kind: Kind) -> Floats | list[float]:
        """Return one block of a column: numbers, days, or positions among its categories."""
        if kind.is_text:
            codes = self.codes.setdefault(name, {})
            return [
                math.nan if entry.lower() in self.missing else codes.setdefault(entry, len(codes))
                for entry in map(str.strip, column)
            ]
        return self._parse(column, kind, self.seen[name])

    def _parse(self, column: Sequence[str], kind: Kind, seen: Seen) -> Floats:
        """Return a column as numbers, NaN where there is none; what is no number is recorded."""
        seen.look_at_points(column)
        if kind.plain and not any("_" in entry for entry in column):
            try:
                values = np.array([float(entry) for entry in column])
            except ValueError:
                pass
            else:
                seen.numbers += len(column)
                return values
        values = np.empty(len(column))
        for k, entry in enumerate(column):
            if isinstance(entry, Typed):
                values[k] = float(entry)
                seen.numbers += 1
                continue
            word = entry.strip()
            low = word.lower()
            number = math.nan if low in self.missing else _TRUTH.get(low, kind.number(word))
            if number is None:
                seen.add(word)
                number = math.nan
            elif low not in self.missing:
                seen.numbers += 1
            values[k] = number
        return values


def _is_footnote(row: list[str]) -> bool:
    return len(row) == 1 and not is_number(row[0])


def _first_text(row: list[str]) -> str:
    return next(filter(None, map(str.strip, row)))


def _is_total(row: list[str]) -> bool:
    """Tell whether a row names itself a total and leaves something open, as no observation does."""
    return not all(map(str.strip, row)) and _first_text(row).rstrip(" :").lower() in _TOTALS


def _grown(values: Floats, rows: int) -> Floats:
    """Return a longer array that begins with the same rows."""
    longer = np.empty((rows, values.shape[1]), order="F")
    longer[: len(values)] = values
    return longer


def _leave_out_empty(table: Table, unnamed: set[str]) -> None:
    """Leave out columns without a name that hold nothing; name the others."""
    places = {name: j for j, name in enumerate(table.names) if name in unnamed}
    empty = {name for name, j in places.items() if np.isnan(table.values[:, j]).all()}
    if empty:
        keep = [j for j, name in enumerate(table.names) if name not in empty]
        table.names, table.values = [table.names[j] for j in keep], table.values[:, keep]
        table.file_names = [name for name in table.file_names if name not in empty]
        table.categories = {n: v for n, v in table.categories.items() if n not in empty}
    called = [name for name in places if name not in empty]
    if called:
        table.notes.append(f"columns without a name, called by their place: {listing(called)}")


def compact(values: Floats, rows: int) -> Floats:
    """Return the first rows of a Fortran-ordered array in Fortran order, in the same memory."""
    capacity, width = values.shape
    if rows == capacity:
        return values
    flat = values.reshape(-1, order="F")
    for j in range(width):
        flat[j * rows : (j + 1) * rows] = flat[j * capacity : j * capacity + rows]
    return flat[: rows * width].reshape((rows, width), order="F")
