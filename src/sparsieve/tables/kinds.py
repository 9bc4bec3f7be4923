"""What the columns of a text file hold: numbers (and how they are spelt), dates or text.

Nothing is taken for granted that could be read in two ways: that becomes a problem of the table,
with the arguments that settle it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .spelling import (
    PLAIN,
    Evidence,
    Spelling,
    date_order,
    days_of,
    gather,
    looks_grouped,
    recognised,
    split_unit,
)
from .table import ReadOptions, Selection, Table, TableProblem

__all__ = ["Kind", "Plan", "Seen", "Typed", "missing_marks", "plan_of", "problems_of_model"]

_MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"})
# Different texts of a column that are kept to decide what it holds.
_KEPT = 1000
# Entries of a column whose points are looked at.
_LOOKED = 2000
# More different texts than this among numbers are no marks for what is missing.
_MOST_MARKS = 8
_ORDERS = ("ymd", "dmy", "mdy")


def missing_marks(more: Iterable[str]) -> frozenset[str]:
    """Return what stands for a missing value, in small letters."""
    return _MISSING | {mark.strip().lower() for mark in more}


class Typed(str):
    """A number of a file that knows numbers from text: it is not spelt."""

    __slots__ = ()


@dataclass
class Seen:
    """What was found in one column that was read as numbers.

    Attributes
    ----------
    numbers : int
    odd : Counter
        What was no number, as often as it occurred; not more than a thousand different texts.
    more : bool
        There were others.
    decimals, grouped : int, str
        Numbers with a point that cannot stand between thousands; one that may.
    """

    numbers: int = 0
    odd: Counter[str] = field(default_factory=Counter)
    more: bool = False
    decimals: int = 0
    grouped: str = ""
    looked: int = 0

    def add(self, text: str) -> None:
        """Count a text that is no number."""
        if text in self.odd or len(self.odd) < _KEPT:
            self.odd[text] += 1
        else:
            self.more = True

    def look_at_points(self, column: Sequence[str]) -> None:
        """Look for points in the first entries of the column."""
        room = _LOOKED - self.looked
        if room <= 0:
            return
        self.looked += len(column)
        for entry in column[:room]:
            if "." not in entry or isinstance(entry, Typed):
                continue
            if looks_grouped(entry):
                self.grouped = self.grouped or entry.strip()
            elif Spelling().number(entry) is not None:
                self.decimals += 1


@dataclass(frozen=True)
class Kind:
    """What a column holds: "number", "date" or "text"."""

    what: str = "number"
    spelling: Spelling = PLAIN
    order: str = ""

    @property
    def is_text(self) -> bool:
        """Whether the column holds text."""
        return self.what == "text"

    @property
    def plain(self) -> bool:
        """Whether the column holds numbers as Python spells them."""
        return self.what == "number" and self.spelling.plain

    def number(self, text: str) -> float | None:
        """Return the number (of days) that a text stands for, None if for none."""
        return days_of(text, self.order) if self.what == "date" else self.spelling.number(text)


@dataclass
class Plan:
    """How to read every column, and what was found that cannot be read."""

    kinds: dict[str, Kind]
    spelling: Spelling | None = None
    problems: list[TableProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    marks: dict[str, dict[str, int]] = field(default_factory=dict)

    @classmethod
    def first(cls, names: list[str], options: ReadOptions, selection: Selection) -> Plan:
        """Return the plan of the first pass: what was asked for, plain numbers otherwise."""
        text = selection.codes if selection.text is None else selection.text
        base = Kind()
        if selection.text is not None and (options.decimal or options.thousands):
            base = Kind(spelling=_asked(options, Evidence()))
        kinds = {}
        for name in names:
            known = options.columns.get(name, "")
            if name in text:
                kinds[name] = Kind("text")
            elif known in _ORDERS:
                kinds[name] = Kind("date", order=known)
            elif known:
                kinds[name] = Kind(spelling=replace(base.spelling, unit=known))
            else:
                kinds[name] = base
        return cls(kinds)

    @property
    def plain(self) -> bool:
        """Whether all columns hold plain numbers, as far as is known."""
        return all(kind.plain for kind in self.kinds.values())

    def complete(
        self, table: Table, codes: dict[str, dict[str, int]], options: ReadOptions
    ) -> None:
        """Write into a table what its columns hold and how they were read."""
        columns = {}
        for name, kind in self.kinds.items():
            if kind.is_text:
                table.categories[name] = list(codes.get(name, {}))
            elif kind.what == "date":
                table.dates[name] = columns[name] = kind.order
            elif kind.spelling.unit:
                columns[name] = kind.spelling.unit
        table.marks, table.problems = self.marks, list(self.problems)
        table.notes += self.notes
        spelling = self.spelling or Spelling()
        decimal, thousands = spelling.decimal, spelling.thousands
        found: dict[str, Any] = {
            "decimal": options.decimal or (decimal if not spelling.plain else None),
            "thousands": options.thousands or thousands,
            "missing": list(options.missing),
            "columns": columns,
        }
        table.reading = {name: value for name, value in found.items() if value}


def _asked(options: ReadOptions, evidence: Evidence) -> Spelling:
    """Return the spelling that was asked for; what was left open follows from the rest."""
    decimal = options.decimal or ("," if options.thousands == "." else ".")
    between = options.thousands
    if between is None:
        between = evidence.thousands or ("." if decimal == "," else ",")
    return Spelling(decimal, between or None)


def plan_of(plan: Plan, seen: dict[str, Seen], options: ReadOptions, semicolons: bool) -> Plan:
    """Decide what each column holds, from what a pass over the file has seen."""
    new = Plan({}, plan.spelling, list(plan.problems), list(plan.notes), {})
    if new.spelling is None:
        new.spelling = _spelling(new, seen, options, semicolons)
    for name, kind in plan.kinds.items():
        new.kinds[name] = kind if kind.is_text else _decide(new, name, kind, seen[name], options)
    return new


def _spelling(
    plan: Plan, seen: dict[str, Seen], options: ReadOptions, semicolons: bool
) -> Spelling:
    """Return how the numbers of the file are spelt; note it, or that it cannot be told."""
    evidence = Evidence()
    for column in seen.values():
        evidence = gather(column.odd, evidence)
    grouped = next((s.grouped for s in seen.values() if s.grouped and not s.decimals), "")
    evidence = replace(evidence, grouped=grouped)
    if options.decimal is not None or options.thousands:
        return _asked(options, evidence)
    decimals = any(column.decimals for column in seen.values())
    spelling = recognised(evidence, decimals, semicolons)
    if isinstance(spelling, Spelling):
        if not spelling.plain:
            plan.notes.append(_in_words(spelling))
        return spelling
    if spelling == "mixed":
        plan.problems.append(
            TableProblem(
                f"numbers with a decimal comma ({evidence.comma!r}) and with a decimal point "
                f"({evidence.point!r}) in one file; correct it, or say which is meant with "
                "`decimal=...`.",
                choice=("`decimal=','`", "`decimal='.'`"),
            )
        )
        return Spelling(",", ".")
    example, mark = evidence.either or evidence.grouped, "," if evidence.either else "."
    other = {",": ".", ".": ","}[mark]
    choice = (f"`thousands={mark!r}`", f"`decimal={mark!r}`")
    plan.problems.append(
        TableProblem(
            f"{example!r} may be a number above a thousand or one with a fraction: say which with "
            f"{' or '.join(choice)}.",
            choice=choice,
        )
    )
    return Spelling(other, mark)


def _in_words(spelling: Spelling) -> str:
    mark = {",": "comma", ".": "point"}[spelling.decimal]
    between = {" ": "a space", None: "nothing"}.get(spelling.thousands, f"{spelling.thousands!r}")
    return f"numbers have a decimal {mark}, and {between} between thousands"


def _decide(plan: Plan, name: str, kind: Kind, seen: Seen, options: ReadOptions) -> Kind:
    """Return what one column holds."""
    spelling = plan.spelling or Spelling()
    if not seen.odd:
        settled = kind.what == "date" or bool(kind.spelling.unit)
        return kind if settled else Kind(spelling=spelling)
    if kind.what == "number" and seen.numbers == 0:
        dates = _as_dates(plan, name, seen, options)
        if dates is not None:
            return dates
    read = {text: n for text, n in seen.odd.items() if _value(text, spelling) is not None}
    rest = {text: n for text, n in seen.odd.items() if text not in read}
    count = seen.numbers + sum(read.values())
    if not _are_marks(rest, count, seen.more and bool(rest)):
        return Kind("text")
    if rest:
        plan.marks[name] = rest
    if kind.what == "date":
        return kind
    unit = _unit(plan, name, seen, read) or kind.spelling.unit
    return Kind(spelling=replace(spelling, unit=unit))


def _value(text: str, spelling: Spelling) -> float | None:
    """Return the number that a text holds, with any unit."""
    found = split_unit(text)
    return spelling.number(text if found is None else found[0])


def _are_marks(rest: dict[str, int], others: int, more: bool) -> bool:
    """Tell whether texts are so few beside the other entries that they mark missing values."""
    return not more and len(rest) <= _MOST_MARKS and sum(rest.values()) <= others


def _as_dates(plan: Plan, name: str, seen: Seen, options: ReadOptions) -> Kind | None:
    """Return the kind of a column of dates, None if it holds none."""
    days = {
        text: n
        for text, n in seen.odd.items()
        if any(days_of(text, order) is not None for order in _ORDERS)
    }
    rest = {text: n for text, n in seen.odd.items() if text not in days}
    order = date_order(days)
    if order == "?" and options.dates in ("dmy", "mdy"):
        order = options.dates
    if not order or not _are_marks(rest, sum(days.values()), more=False):
        return None
    if order == "?":
        example = next(iter(days))
        plan.problems.append(
            TableProblem(
                f"{example!r} in column {name!r} may begin with the day or the month: say which "
                "with `dates='dmy'` or `dates='mdy'`.",
                choice=("`dates='dmy'`", "`dates='mdy'`"),
            )
        )
        order = "dmy"
    if rest:
        plan.marks[name] = rest
    return Kind("date", order=order)


def _unit(plan: Plan, name: str, seen: Seen, read: dict[str, int]) -> str:
    """Return the unit at the numbers of a column; two of them are a problem."""
    found = [split_unit(text) for text in read]
    units = sorted({each[1] for each in found if each is not None} - {""})
    without = seen.numbers + sum(
        n for (t, n), f in zip(read.items(), found, strict=True) if f and not f[1]
    )
    if len(units) > 1 or (units == ["%"] and without):
        kinds = " and ".join([*units, *(["no unit"] if units == ["%"] else [])])
        plan.problems.append(
            TableProblem(
                f"column {name!r} has numbers with different units ({kinds}); write them in one "
                f"unit, or leave the column out with `drop={[name]}`.",
                {"drop": [name]},
            )
        )
    if len(units) == 1:
        meaning = "percent: 12% is read as 12" if units == ["%"] else f"amounts in {units[0]}"
        note = f"{name!r} holds {meaning}"
        if note not in plan.notes:
            plan.notes.append(note)
    return units[0] if units else ""


def problems_of_model(seen: dict[str, Seen]) -> list[TableProblem]:
    """Return the columns that hold text where a model needs numbers."""
    found = {name: next(iter(column.odd)) for name, column in seen.items() if column.odd}
    wrong = [
        f"{'column ' if k == 0 else ''}{name!r} holds text, for instance {text!r}"
        for k, (name, text) in enumerate(found.items())
    ]
    if not wrong:
        return []
    more = f" and {len(wrong) - 8} more" if len(wrong) > 8 else ""
    numbers = [text for name, text in found.items() if split_unit(text) is not None]
    remedy = "correct it, or add `missing=...` if it marks a missing value"
    if numbers:
        remedy = "correct it, or say how numbers are written here with `decimal=...`"
    return [TableProblem(f"{', '.join(wrong[:8])}{more}, where the model needs numbers; {remedy}.")]
