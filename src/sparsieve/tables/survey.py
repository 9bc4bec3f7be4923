"""Everything that keeps a table from being a design, found before anything is changed.

Each check looks at the table as it would be after the remedies of the others, so that one message
says all that the next attempt needs.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.types import Floats
from .response import problem_of_response
from .table import Table, TableProblem, listing

__all__ = [
    "IMPUTATIONS",
    "MISSING",
    "Asked",
    "column_counts",
    "column_of",
    "notes_of",
    "problems_of",
    "suggest",
    "texts_of",
]

IMPUTATIONS = ("mean", "median", "zero")
#: The value of its own that missing text becomes.
MISSING = "(missing)"
# More distinct values than this in a column of text is an identifier, not a category.
_MAX_CATEGORIES = 1000


@dataclass(frozen=True)
class Asked:
    """What may be done to a table, as :func:`~sparsieve.tables.columns.make_design` has it."""

    one_hot: bool = False
    impute: str | None = None
    dates: str | None = None
    drop_rows_without_target: bool = False
    loss: Any = None
    offset: str | None = None


def problems_of(table: Table, target: str | None, asked: Asked) -> list[TableProblem]:
    """Return what keeps a table from being used, with the remedies."""
    problems = list(table.problems)
    y, name = _target_of(table, target, problems)
    features = [n for n in table.names if n != name or y is table.target]
    if asked.offset is not None:
        problems += _of_offset(table, asked.offset, y, name)
        features = [n for n in features if n != asked.offset]
    if not features and y is not None:
        problems.append(
            TableProblem(f"there is no column besides the target {name!r}; add the features.")
        )
    n_rows = table.n_rows
    if asked.drop_rows_without_target and y is not None:
        n_rows -= int(np.isnan(y).sum())
    if n_rows < 2:
        problems.append(
            TableProblem(
                f"there {'is' if n_rows == 1 else 'are'} {n_rows} row{'s' * (n_rows != 1)} of "
                "data; a model needs at least two, and cross-validation at least as many as it "
                "has folds."
            )
        )
        return problems
    problems += _of_marks(table, name, y is not None)
    problems += _of_dates(table, [n for n in features if n in table.dates], asked)
    dropped = _of_text(table, [n for n in features if n in table.categories], asked, problems)
    if y is not None:
        problems += _of_target(table, y, name, asked)
        dropped |= _copies(table, y, name, features, problems)
    problems += _of_holes(table, [n for n in features if n not in dropped], y, asked)
    return problems


def _target_of(
    table: Table, target: str | None, problems: list[TableProblem]
) -> tuple[Floats | None, str]:
    """Return the target's values and name; None, and a problem, if there is no such column."""
    if table.target is not None and target in (None, table.target_name):
        if table.target_name in table.names:
            problems.append(
                TableProblem(
                    f"{table.target_name!r} is both the target and a column; rename the column."
                )
            )
        return table.target, table.target_name
    if target is None:
        problems.append(
            TableProblem(
                "say which column to predict: `target='NAME'`; the columns are "
                f"{listing(table.names)}."
            )
        )
    elif target not in table.names:
        problems.append(
            TableProblem(f"there is no column {target!r}; {suggest(target, table.names)}")
        )
    else:
        j = table.names.index(target)
        column = table.values[:, [j]].toarray() if sparse.issparse(table.values) else None
        return (table.values[:, j] if column is None else column.ravel()), target
    return None, target or ""


def _of_offset(table: Table, offset: str, y: Floats | None, target: str) -> list[TableProblem]:
    """Return the problem of the column that is added to the linear predictor."""
    if offset == target:
        return [
            TableProblem(f"{offset!r} is the target and `offset=...` too; give another column.")
        ]
    if offset not in table.names:
        return [
            TableProblem(
                f"there is no column {offset!r} for `offset=...`; {suggest(offset, table.names)}"
            )
        ]
    if offset in table.marks:
        return []  # told of all such columns
    if offset in table.categories:
        return [
            TableProblem(
                f"the column {offset!r} holds text, and an offset is added to the linear "
                "predictor; give a column of numbers as `offset=...`."
            )
        ]
    bad = ~np.isfinite(column_of(table, offset))
    if y is not None:
        bad &= ~np.isnan(y)
    if not bad.any():
        return []
    return [
        TableProblem(
            f"the offset {offset!r} is missing or infinite in {int(bad.sum())} of {bad.size} rows "
            "(as the logarithm of 0 is); correct or leave out these rows."
        )
    ]


def column_of(table: Table, name: str) -> Floats:
    """Return the values of a column."""
    column = table.values[:, [table.names.index(name)]]
    values: Floats = np.ravel(column.toarray() if sparse.issparse(column) else column)
    return values


def _of_marks(table: Table, target: str, has_target: bool) -> list[TableProblem]:
    """Return one problem for each column of numbers that has texts among them."""
    found = []
    for name, marks in table.marks.items():
        count = sum(marks.values())
        text = (
            f"column {name!r} holds {'dates' if name in table.dates else 'numbers'} apart from "
            f"{listing(list(marks))} ({count} row{'s' * (count > 1)}); add `missing={list(marks)}` "
            "if that marks a missing value"
        )
        if not (has_target and name == target):
            text += f", or `text={[name]}` if the column is no quantity"
        found.append(TableProblem(text + ".", {"missing": list(marks)}, name))
    return found


def _of_dates(table: Table, names: list[str], asked: Asked) -> list[TableProblem]:
    if not names or asked.dates is not None:
        return []
    # Where day and month cannot be told apart, the problem of that proposes what to add.
    told = any("dates" in text for problem in table.problems for text in problem.choice)
    return [
        TableProblem(
            f"dates in {listing(names)}; add `dates='auto'` to take them as days since 1 January "
            "1970, or leave them out with `drop=...`.",
            {} if told else {"dates": "auto"},
        )
    ]


def _of_text(
    table: Table, names: list[str], asked: Asked, problems: list[TableProblem]
) -> set[str]:
    """Add the problems of columns of text; return those that can only be left out."""
    counts = {name: len(table.categories[name]) for name in names}
    # Dropping rows or columns changes little of this.
    many = [
        name
        for name in names
        if counts[name] > _MAX_CATEGORIES or (counts[name] > 20 and 2 * counts[name] > table.n_rows)
    ]
    for name in many:
        problems.append(
            TableProblem(
                f"column {name!r} has {counts[name]} different texts in {table.n_rows} rows and "
                f"looks like an identifier; leave it out with `drop={[name]}`, or add "
                f"`id={[name]}` to have it beside the predictions.",
                {"drop": [name]},
                name,
            )
        )
    text = [name for name in names if name not in many and counts[name]]
    if text and not asked.one_hot:
        examples = ", ".join(f"{name!r} ({table.categories[name][0]!r})" for name in text[:8])
        more = f" and {len(text) - 8} more" if len(text) > 8 else ""
        problems.append(
            TableProblem(
                f"text in column{'s' if len(text) > 1 else ''} {examples}{more}; add "
                "`one_hot=True` to encode each value as a column of zeros and ones, "
                "`drop=['NAME']` to leave a column out, or `missing=['MARK']` if it marks missing "
                "values.",
                {"one_hot": True},
            )
        )
    return set(many)


def _of_target(table: Table, y: Floats, target: str, asked: Asked) -> list[TableProblem]:
    missing, infinite = int(np.isnan(y).sum()), int(np.isinf(y).sum())
    known = y[np.isfinite(y)]
    if infinite:
        return [
            TableProblem(
                f"the target {target!r} is infinite in {infinite} of {y.size} rows; correct them."
            )
        ]
    if not known.size:
        return [TableProblem(f"the target {target!r} has no value; choose another `target=...`.")]
    texts = texts_of(table, target)
    if np.ptp(known) == 0.0:
        only = f"{known[0]:g}" if texts is None else repr(texts[int(known[0])])
        return [
            TableProblem(
                f"the target {target!r} is {only} in every row, so there is nothing to "
                "explain; choose another `target=...`."
            )
        ]
    if missing and not asked.drop_rows_without_target:
        return [
            TableProblem(
                f"the target {target!r} is missing in {missing} of {y.size} rows; add "
                "`drop_rows_without_target=True` to leave these rows out (a target is never "
                "imputed).",
                {"drop_rows_without_target": True},
            )
        ]
    problem = problem_of_response(y, texts, target, asked.loss)
    return [] if problem is None else [problem]


def texts_of(table: Table, target: str) -> list[str] | None:
    """Return the different texts of the target; None if it holds numbers."""
    if target in table.marks or (table.target is not None and target == table.target_name):
        return None
    return table.categories.get(target)


def _copies(
    table: Table, y: Floats, target: str, features: list[str], problems: list[TableProblem]
) -> set[str]:
    """Add the problem of columns that repeat the target; return them."""
    # Positions of texts are in order of appearance: columns that repeat each other have the same.
    text = texts_of(table, target) is not None
    wanted = {name for name in features if (name in table.categories) == text}
    copies = [
        name
        for name, part in zip(table.names, _parts(table.values), strict=True)
        if name in wanted and part.size == y.size and np.array_equal(part, y, equal_nan=True)
    ]
    known = y[np.isfinite(y)]
    if copies and known.size and np.ptp(known) > 0.0:
        problems.append(
            TableProblem(
                f"column {listing(copies)} is a copy of the target {target!r}, so the model would "
                f"only copy it; leave it out with `drop={copies}`.",
                {"drop": copies},
            )
        )
        return set(copies)
    return set()


def _of_holes(
    table: Table, features: list[str], y: Floats | None, asked: Asked
) -> list[TableProblem]:
    """Return the problems of infinite and missing values in the features."""
    found = []
    wanted = set(features)
    rows = np.ones(table.n_rows, dtype=np.bool_)
    if y is not None and not sparse.issparse(table.values):
        rows = ~np.isnan(y)  # rows without a target will be left out, or nothing will be fitted
    counts, infinite = column_counts(table, rows)
    places = [j for j, name in enumerate(table.names) if name in wanted]
    names = [table.names[j] for j in places]
    missing, infinite = counts[places], infinite[places]
    if infinite.any():
        found.append(
            TableProblem(
                f"infinite values in {_tally(names, infinite)}; replace them, or leave the columns "
                "out with `drop=...`.",
                {"drop": [n for n, count in zip(names, infinite, strict=True) if count]},
            )
        )
    empty = [n for n, count in zip(names, missing, strict=True) if count == rows.sum()]
    if empty:
        found.append(
            TableProblem(
                f"no value at all in {listing(empty)}; leave them out with `drop=...`.",
                {"drop": empty},
            )
        )
    left = np.array([n not in empty for n in names], dtype=np.bool_)
    missing = np.where(left, missing, 0) if left.size else missing
    if missing.any() and asked.impute is None:
        found.append(
            TableProblem(
                f"missing values in {_tally(names, missing)}; add `impute=...` with one of "
                f"{', '.join(IMPUTATIONS)} (missing text becomes a value of its own), or leave the "
                "columns out with `drop=...`.",
                {"impute": "zero" if sparse.issparse(table.values) else "median"},
            )
        )
    elif missing.any() and sparse.issparse(table.values) and asked.impute != "zero":
        found.append(
            TableProblem(
                "the table is sparse: its missing values can only be filled with `impute='zero'`.",
                {"impute": "zero"},
            )
        )
    return found


def suggest(name: str, names: list[str]) -> str:
    """Return "did you mean ...?" when a name is close to a known one, else the names."""
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"the columns are {listing(names)}."


def _parts(values: Any) -> Iterator[Floats]:
    """Yield the stored entries of each column."""
    for j in range(values.shape[1]):
        if sparse.issparse(values):
            yield values.data[values.indptr[j] : values.indptr[j + 1]]
        else:
            yield values[:, j]


def column_counts(
    table: Table, rows: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of missing and of infinite values of each column, in some rows."""
    whole = rows is None or bool(rows.all()) or sparse.issparse(table.values)
    parts = (part if whole else part[rows] for part in _parts(table.values))
    counts = [(np.isnan(part).sum(), np.isinf(part).sum()) for part in parts]
    missing, infinite = np.array(counts, dtype=np.int64).reshape(-1, 2).T
    return missing, infinite


def _tally(names: list[str], counts: Any, limit: int = 8) -> str:
    found = [(name, int(count)) for name, count in zip(names, counts, strict=True) if count]
    shown = ", ".join(f"{name!r} ({count})" for name, count in found[:limit])
    return shown if len(found) <= limit else f"{shown} and {len(found) - limit} more columns"


def notes_of(table: Table, target: str | None, asked: Asked) -> list[str]:
    """Return notes on constant and repeated columns and on missing text."""
    constant: list[str] = []
    seen: dict[bytes, str] = {}
    repeated: list[str] = []
    holes: list[str] = []
    for j, (name, part) in enumerate(zip(table.names, _parts(table.values), strict=True)):
        if name in table.categories and name != target:
            holes += [name] if asked.impute is not None and np.isnan(part).any() else []
        elif name != target:
            full = part.size == table.n_rows
            if part.size == 0 or (full and part[0] == part[-1] and np.ptp(part) == 0.0):
                constant.append(name)
                continue
            first = seen.setdefault(_digest(table, j, part), name)
            repeated += [] if first == name else [f"{name!r} = {first!r}"]
    notes = []
    if constant:
        notes.append(f"constant, hence without effect: {listing(constant)}")
    if repeated:
        more = f" and {len(repeated) - 8} more" if len(repeated) > 8 else ""
        notes.append(
            f"the same values under two names: {', '.join(repeated[:8])}{more}; which of them is "
            "selected means nothing"
        )
    if holes:
        notes.append(f"missing text is the value {MISSING!r} in {listing(holes)}")
    return notes


def _digest(table: Table, j: int, part: Floats) -> bytes:
    digest = hashlib.sha256(np.ascontiguousarray(part).data)
    if sparse.issparse(table.values):
        start, stop = table.values.indptr[j : j + 2]
        digest.update(np.ascontiguousarray(table.values.indices[start:stop]).data)
    return digest.digest()
