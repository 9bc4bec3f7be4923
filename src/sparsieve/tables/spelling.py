"""How numbers and dates are spelt in a text file, and how to tell.

A spelling is taken for granted only where some number of the file can be read in no other way:
``1.234,5`` has a decimal comma, ``$1,234.50`` a decimal point. ``1,234`` alone may be either.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

__all__ = [
    "PLAIN",
    "Evidence",
    "Spelling",
    "date_order",
    "days_of",
    "gather",
    "looks_grouped",
    "recognised",
    "split_unit",
]

# Marks that group digits by three, and what stands for them in some files.
THOUSANDS = (",", ".", " ", "'")
_ALIKE = str.maketrans(
    {"\N{NO-BREAK SPACE}": " ", "\N{NARROW NO-BREAK SPACE}": " ", "\N{THIN SPACE}": " ",
     "\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{MINUS SIGN}": "-"}
)  # fmt: skip
_UNIT = r"US\$|[$€£¥₹%]|USD|EUR|GBP|CHF|JPY|kr\.?|zł"
_WITH_UNIT = re.compile(
    rf"(?P<sign>[+-]?)\s*(?P<before>{_UNIT})?\s*(?P<inner>[+-]?)"
    rf"(?P<body>[\d.,' ]*\d[.,]?)\s*(?P<after>{_UNIT})?"
)


@dataclass(frozen=True)
class Spelling:
    """Decimal mark, mark between thousands (None: none), and the unit at each number ("": none)."""

    decimal: str = "."
    thousands: str | None = None
    unit: str = ""

    @property
    def plain(self) -> bool:
        """Whether numbers are spelt as Python does."""
        return self == Spelling()

    def number(self, text: str) -> float | None:
        """Return the number that a text spells, None if it spells none.

        Where there is a unit, numbers without it may stand among those with it.
        """
        if self.plain:
            return _plain_number(text)
        text = text.strip().translate(_ALIKE)
        if self.unit:
            found = split_unit(text)
            if found is not None:
                if found[1] not in ("", self.unit):
                    return None
                text = found[0]
        if self.thousands is not None and self.thousands in text:
            digits, mark, rest = text.partition(self.decimal)
            if not re.fullmatch(rf"[+-]?\d{{1,3}}(?:{re.escape(self.thousands)}\d{{3}})+", digits):
                return None
            text = digits.replace(self.thousands, "") + mark + rest
        if self.decimal != ".":
            if "." in text:
                return None
            text = text.replace(self.decimal, ".")
        return _plain_number(text)


#: As Python spells numbers.
PLAIN = Spelling()


def _plain_number(text: str) -> float | None:
    if "_" in text:  # Python reads 1_000 as a number, we do not
        return None
    try:
        return float(text)
    except ValueError:
        return None


def split_unit(text: str) -> tuple[str, str] | None:
    """Return (number, unit) of a text such as "$ 1,200", "(1,200 EUR)" or "12 %"; None: neither.

    Brackets around a number are how accountants write a minus.
    """
    text = text.strip().translate(_ALIKE)
    minus = text.startswith("(") and text.endswith(")")
    found = _WITH_UNIT.fullmatch(text[1:-1].strip() if minus else text)
    if found is None or (found["before"] and found["after"]) or (found["sign"] and found["inner"]):
        return None
    sign = "-" if minus else found["sign"] or found["inner"]
    return sign + found["body"].strip(), found["before"] or found["after"] or ""


@dataclass(frozen=True)
class Evidence:
    """Numbers of a file that tell how its numbers are spelt, the first of each kind.

    ``comma``: the decimal mark must be a comma; ``point``: it must be a point; ``either``: 1,234;
    ``grouped``: 1.234 in columns that have no other points; ``thousands``: 1 234 or 1'234.
    """

    comma: str = ""
    point: str = ""
    either: str = ""
    grouped: str = ""
    thousands: str = ""


_COMMA = re.compile(
    r"\d{1,3}([. '])\d{3}(\1\d{3})*,\d+|\d+,(\d{1,2}|\d{4,})|0\d*,\d+|\d{4,},\d+|,\d+"
    r"|\d{1,3}(\.\d{3}){2,}"
)
_POINT = re.compile(r"\d{1,3}([, '])\d{3}(\1\d{3})*\.\d+|\d{1,3}(,\d{3}){2,}")
_EITHER = re.compile(r"[1-9]\d{0,2},\d{3}")
_SPACED = re.compile(r"\d{1,3}([ '])\d{3}(\1\d{3})*([.,]\d+)?")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")


def looks_grouped(text: str) -> bool:
    """Tell whether the point of a number may stand between thousands: 1.234."""
    return _GROUPED.fullmatch(text.strip()) is not None


def gather(texts: Iterable[str], evidence: Evidence) -> Evidence:
    """Add the evidence of texts that are no plain numbers."""
    for text in texts:
        found = split_unit(text)
        if found is None:
            continue
        body = found[0].lstrip("+-")
        for kind, pattern in (("comma", _COMMA), ("point", _POINT), ("either", _EITHER)):
            if not getattr(evidence, kind) and pattern.fullmatch(body):
                evidence = replace(evidence, **{kind: text})
        spaced = _SPACED.fullmatch(body)
        if spaced and not evidence.thousands:
            evidence = replace(evidence, thousands=spaced[1])
        if "$" in found[1] and not evidence.point:  # dollars are written with a decimal point
            evidence = replace(evidence, point=text)
    return evidence


def recognised(evidence: Evidence, plain_points: bool, semicolons: bool) -> Spelling | str:
    """Return the spelling of a file, or "mixed" or "either" where nothing can be taken for granted.

    Parameters
    ----------
    evidence : Evidence
    plain_points : bool
        Some plain number has a point that does not stand between thousands.
    semicolons : bool
        The fields are between semicolons, as spreadsheets write where the decimal mark is a comma.
    """
    point = bool(evidence.point) or plain_points
    if evidence.comma:
        if evidence.point:
            return "mixed"
        return Spelling(",", evidence.thousands or (None if plain_points else "."))
    if evidence.either:
        return Spelling(".", ",") if point else "either"
    if evidence.grouped and semicolons and not point:
        return "either"
    if evidence.thousands:
        return Spelling(".", evidence.thousands)
    return Spelling(".", "," if evidence.point else None)


_YMD = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_DMY = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})")
_TIME = re.compile(r"[T ]+(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?\s*(Z|[+-]\d\d:?\d\d)?")
_EPOCH = datetime(1970, 1, 1)
# Two digits from here on belong to the last century, as in POSIX.
_PIVOT = 69


def date_order(texts: Iterable[str]) -> str:
    """Return "ymd", "dmy" or "mdy" if all texts are dates, "?" if two orders fit, "" if none."""
    orders: set[str] = set()
    for text in texts:
        fits = {order for order in ("ymd", "dmy", "mdy") if days_of(text, order) is not None}
        orders = fits if not orders else orders & fits
        if not orders:
            return ""
    return orders.pop() if len(orders) == 1 else "?" if orders else ""


def days_of(text: str, order: str) -> float | None:
    """Return a date as days since 1 January 1970 (time of day: a fraction), None if it is none.

    With points between, as in 1.2.2024, the day comes first.
    """
    text = text.strip()
    first = _YMD.match(text) if order == "ymd" else _DMY.match(text)
    if first is None:
        return None
    if order == "ymd":
        year, month, day = (int(part) for part in first.groups())
    else:
        a, mark, b, c = first.groups()
        if order == "mdy" and mark == ".":
            return None
        day, month = (int(a), int(b)) if order == "dmy" else (int(b), int(a))
        year = int(c) + (0 if len(c) == 4 else 1900 if int(c) >= _PIVOT else 2000)
    fraction = _time_of(text[first.end() :])
    if fraction is None:
        return None
    try:
        return (datetime(year, month, day) - _EPOCH) / timedelta(days=1) + fraction
    except ValueError:
        return None


def _time_of(rest: str) -> float | None:
    """Return a time of day as a fraction of a day, 0 for none, None for anything else."""
    if not rest:
        return 0.0
    found = _TIME.fullmatch(rest)
    if found is None or int(found[1]) > 24 or int(found[2]) > 59:
        return None
    seconds = 3600 * int(found[1]) + 60 * int(found[2]) + float(found[3] or 0.0)
    zone = found[4] or "Z"
    if zone != "Z":
        minutes = 60 * int(zone[1:3]) + int(zone[-2:])
        seconds -= math.copysign(60 * minutes, -1 if zone[0] == "-" else 1)
    return seconds / 86400.0
