"""Options that give a number to all features or to some by name: ``--lower``, ``--weights``."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import click
import numpy as np

from ..data.types import Floats
from ..tables.columns import Schema
from ..tables.survey import suggest
from ..tables.table import TableError

__all__ = ["Given", "Wanted"]


class Given(NamedTuple):
    """What an option gives: a number to all features, others to those it names."""

    option: str
    every: float | None
    named: dict[str, float]

    def per_feature(self, schema: Schema, missing: float) -> float | Floats | None:
        """Return one number for all, one per column of the design, or None if nothing was given.

        A column of text stands for all the columns that it is encoded as.
        """
        if not self.named:
            return self.every
        names = schema.design_names
        place = {name: [j] for j, name in enumerate(names)}
        for j, (column, _) in enumerate(schema.dummies(), start=len(schema.numbers)):
            place.setdefault(column, []).append(j)
        numbers = np.full(len(names), missing if self.every is None else self.every)
        for name, number in self.named.items():
            if name not in place:
                raise TableError(
                    f"{self.option} names {name!r}, which is no column that is fitted; "
                    f"{suggest(name, list(place))}"
                )
            numbers[place[name]] = number
        return numbers


class Wanted(NamedTuple):
    """Which numbers an option takes, and what is wrong with others."""

    allowed: Callable[[float], bool]
    fault: str
    remedy: str
    for_all: bool = True  # or only for columns that are named

    def read(self, option: str, values: Sequence[str]) -> Given:
        """Read what was given: NUMBER, NAME=NUMBER or @FILE, each once or more."""
        numbers: dict[str, float] = {}
        for name, text in self._pairs(option, values):
            if name in numbers:
                raise click.BadParameter(
                    f"{f'{name!r} has' if name else 'there are'} two numbers; give one of them"
                )
            numbers[name] = self._checked(option, name, text)
        return Given(option, numbers.pop("", None), numbers)

    def _pairs(self, option: str, values: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield name and number, both text; the name of all columns together is empty."""
        for value in values:
            name, equals, text = value.rpartition("=")
            if value.startswith("@"):
                yield from _lines(value[1:], option)
            elif equals or (self.for_all and _number(text) is not None):
                yield name, text
            else:
                ways = "a number, NAME=NUMBER" if self.for_all else "NAME=NUMBER"
                raise click.BadParameter(
                    f"{value!r} is not {ways} or @FILE; write for instance {option} age=0"
                )

    def _checked(self, option: str, name: str, text: str) -> float:
        number = _number(text)
        if number is None:
            raise click.BadParameter(f"{text!r} is not a number; write for instance {option} age=0")
        if not self.allowed(number):
            whose = f" for {name!r}" if name else ""
            raise click.BadParameter(f"{number:g}{whose} {self.fault}; use {self.remedy}")
        return number


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _lines(file: str, option: str) -> list[tuple[str, str]]:
    """Return the pairs of a CSV file whose lines are NAME,NUMBER."""
    try:
        with open(file, newline="", encoding="utf-8-sig") as stream:
            rows = [row for row in csv.reader(stream) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableError(
            f"{file} is no CSV text in UTF-8 ({error}); see {option} NAME=NUMBER."
        ) from error
    for k, row in enumerate(rows, start=1):
        if len(row) != 2 or not row[0]:
            raise TableError(
                f"{file}: entry {k} is {','.join(row)[:60]!r}; each line must be NAME,NUMBER."
            )
    return [(name, text) for name, text in rows]
