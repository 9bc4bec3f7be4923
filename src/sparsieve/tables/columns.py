"""From the columns of a table to the design of a regression, and the record of how.

What is done to the columns is decided when a model is fitted, recorded in a :class:`Schema`, and
done in the same way when the model predicts. Nothing is done silently: what was not asked for is
refused with the names of the columns, what may surprise is reported as a note.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.kinds import check_flag
from ..data.types import Floats
from .table import Table, TableError, listing

__all__ = ["IMPUTATIONS", "Design", "Schema", "column_counts", "make_design", "suggest"]

IMPUTATIONS = ("mean", "median", "zero")
# More distinct values than this in a column of text is an identifier, not a category.
_MAX_CATEGORIES = 1000


@dataclass(frozen=True)
class Schema:
    """The columns a model was fitted on and what was done to them.

    Attributes
    ----------
    numbers : list of str
        Columns of numbers; they come first in the design.
    categories : dict of str to list of str
        Columns of text with their values. The first value, the most frequent one, is the reference:
        each other one has a column "name=value" of zeros and ones in the design.
    target : str
    impute : str or None
        How missing values are filled: "mean", "median", "zero" (text: the reference), or refused.
    fills : ndarray or None
        What is filled in, one per column of numbers.
    scale : ndarray or None
        Standard deviations of the design's columns, if these were standardised for the fit, else
        None. Coefficients are always those of the original columns.
    """

    numbers: list[str]
    categories: dict[str, list[str]] = field(default_factory=dict)
    target: str = ""
    impute: str | None = None
    fills: Floats | None = None
    scale: Floats | None = None

    @property
    def columns(self) -> list[str]:
        """Names of the columns of the table."""
        return [*self.numbers, *self.categories]

    @property
    def design_names(self) -> list[str]:
        """Names of the columns of the design."""
        return [*self.numbers, *(f"{name}={value}" for name, value in self.dummies())]

    def dummies(self) -> Iterator[tuple[str, str]]:
        """Yield (column, value) for each column of zeros and ones."""
        for name, values in self.categories.items():
            for value in values[1:]:
                yield name, value

    def check(self) -> None:
        """Raise ValueError unless the parts fit together (they may come from a file)."""
        plain = all(isinstance(name, str) for name in [*self.numbers, self.target])
        text = all(
            isinstance(name, str) and values and all(isinstance(v, str) for v in values)
            for name, values in self.categories.items()
        )
        sizes = (self.fills, len(self.numbers)), (self.scale, len(self.design_names))
        arrays = all(
            a is None or (isinstance(a, np.ndarray) and a.shape == (size,) and a.dtype == "float64")
            for a, size in sizes
        )
        if not (plain and text and arrays and self.impute in (None, *IMPUTATIONS)):
            raise ValueError("the schema of the columns makes no sense; save the model again.")


class Design(NamedTuple):
    """What a regression is fitted on, and how it came about."""

    X: Any
    y: Floats
    schema: Schema
    notes: list[str]


def make_design(
    table: Table,
    target: str | None,
    *,
    one_hot: bool = False,
    impute: str | None = None,
) -> Design:
    """Turn a table into a design; the table's values are used up.

    Parameters
    ----------
    table : Table
    target : str or None
        Name of the response; None takes the one the file keeps apart.
    one_hot : bool, default=False
        Encode columns of text; if not, they are refused.
    impute : {"mean", "median", "zero"} or None, default=None
        Fill missing values; if None, they are refused.

    Returns
    -------
    Design

    Raises
    ------
    TableError
        Naming the columns and the remedy.
    """
    one_hot = check_flag("one_hot", one_hot)
    y, target = _take_target(table, target)
    if table.n_rows < 2:
        raise TableError(
            f"{table.source} has {table.n_rows} row{'s' if table.n_rows != 1 else ''} of data; a "
            "model needs at least two, and cross-validation at least as many as it has folds."
        )
    if not table.names:
        raise TableError(
            f"{table.source} has no column besides the target {target!r}; add the features."
        )
    _check_text(table, one_hot)
    _check_finite(table, impute)
    _check_target(table, y, target)
    fills = _fill(table, impute)
    notes = _odd_columns(table, y, target)
    X, schema = _encode(table, target, impute, fills)
    table.values = None  # may be large, and is not needed again
    schema = Schema(schema.numbers, schema.categories, target, impute, schema.fills)
    return Design(X, y, schema, table.notes + notes)


def suggest(name: str, names: list[str]) -> str:
    """Return "did you mean ...?" when a name is close to a known one, else the names."""
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"the columns are {listing(names)}."


def _take_target(table: Table, target: str | None) -> tuple[Floats, str]:
    """Remove the target from the table and return it, in place: the array may fill the memory."""
    if table.target is not None and target in (None, table.target_name):
        if table.target_name in table.names:
            raise TableError(
                f"{table.source}: {table.target_name!r} is both the target and a column; rename "
                "the column."
            )
        return table.target, table.target_name
    if target is None:
        raise TableError(
            f"say which column to predict: `target='NAME'`; the columns are {listing(table.names)}."
        )
    if target not in table.names:
        raise TableError(f"{table.source} has no column {target!r}; {suggest(target, table.names)}")
    if target in table.categories:
        raise TableError(
            f"{table.source}: the target {target!r} holds text, for instance "
            f"{table.categories[target][0]!r}; regression needs a number for each row."
        )
    j = table.names.index(target)
    if sparse.issparse(table.values):
        y = table.values[:, [j]].toarray().ravel()
        table.values = table.values[:, [k for k in range(len(table.names)) if k != j]]
    else:
        y = table.values[:, j].copy()
        for k in range(j + 1, table.values.shape[1]):
            table.values[:, k - 1] = table.values[:, k]
        table.values = table.values[:, :-1]
    table.names = [*table.names[:j], *table.names[j + 1 :]]
    return y, target


def _check_text(table: Table, one_hot: bool) -> None:
    text = [name for name in table.names if name in table.categories]
    if text and not one_hot:
        examples = ", ".join(f"{name!r} ({table.categories[name][0]!r})" for name in text[:8])
        more = f" and {len(text) - 8} more" if len(text) > 8 else ""
        raise TableError(
            f"{table.source}: text in column{'s' if len(text) > 1 else ''} {examples}{more}; add "
            "`one_hot=True` to encode each value as a column of zeros and ones, `drop=['NAME']` to "
            "leave a column out, or `missing=['MARK']` if it marks missing values."
        )
    for name in text:
        count = len(table.categories[name])
        if count > _MAX_CATEGORIES or (count > 20 and 2 * count > table.n_rows):
            raise TableError(
                f"{table.source}: column {name!r} has {count} different texts in {table.n_rows} "
                f"rows and looks like an identifier; leave it out with `drop={[name]}`."
            )


def _parts(values: Any) -> Iterator[Floats]:
    """Yield the stored entries of each column."""
    for j in range(values.shape[1]):
        if sparse.issparse(values):
            yield values.data[values.indptr[j] : values.indptr[j + 1]]
        else:
            yield values[:, j]


def column_counts(table: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of missing and of infinite values of each column."""
    counts = [(np.isnan(part).sum(), np.isinf(part).sum()) for part in _parts(table.values)]
    missing, infinite = np.array(counts, dtype=np.int64).reshape(-1, 2).T
    return missing, infinite


def _tally(names: list[str], counts: Any, limit: int = 8) -> str:
    found = [(name, int(count)) for name, count in zip(names, counts, strict=True) if count]
    shown = ", ".join(f"{name!r} ({count})" for name, count in found[:limit])
    return shown if len(found) <= limit else f"{shown} and {len(found) - limit} more columns"


def _check_finite(table: Table, impute: str | None) -> None:
    missing, infinite = column_counts(table)
    if infinite.any():
        raise TableError(
            f"{table.source}: infinite values in {_tally(table.names, infinite)}; replace them, or "
            "leave the columns out with `drop=...`."
        )
    empty = [n for n, count in zip(table.names, missing, strict=True) if count == table.n_rows]
    if empty:
        raise TableError(
            f"{table.source}: no value at all in {listing(empty)}; leave them out with `drop=...`."
        )
    if missing.any() and impute is None:
        raise TableError(
            f"{table.source}: missing values in {_tally(table.names, missing)}; add `impute=...` "
            f"with one of {', '.join(IMPUTATIONS)}, or leave the columns out with `drop=...`."
        )


def _check_target(table: Table, y: Floats, target: str) -> None:
    bad = int(np.sum(~np.isfinite(y)))
    if bad:
        raise TableError(
            f"{table.source}: the target {target!r} is missing or infinite in {bad} of {y.size} "
            "rows; remove these rows (a target is never imputed)."
        )
    if np.ptp(y) == 0.0:
        raise TableError(
            f"{table.source}: the target {target!r} is {y[0]:g} in every row, so there is nothing "
            "to explain; choose another `target=...`."
        )


def _fill(table: Table, impute: str | None) -> Floats | None:
    """Fill missing values in place and return what was filled in, per column."""
    if impute is None:
        return None
    fills = np.zeros(len(table.names))
    if sparse.issparse(table.values):
        missing = np.isnan(table.values.data)
        if impute != "zero" and missing.any():
            raise TableError(
                f"{table.source} is sparse: its missing values can only be filled with "
                "`impute='zero'`."
            )
        table.values.data[missing] = 0.0
        return fills
    for j, name in enumerate(table.names):
        column = table.values[:, j]
        missing = np.isnan(column)
        if name in table.categories:
            continue  # filled when it is encoded: with the reference
        if impute != "zero":
            fills[j] = (np.mean if impute == "mean" else np.median)(column[~missing])
        column[missing] = fills[j]
    return fills


def _odd_columns(table: Table, y: Floats, target: str) -> list[str]:
    """Return notes on constant and repeated columns; refuse a copy of the target."""
    constant: list[str] = []
    seen: dict[bytes, str] = {}
    repeated: list[str] = []
    for j, (name, part) in enumerate(zip(table.names, _parts(table.values), strict=True)):
        if name in table.categories:
            continue
        full = part.size == y.size
        if full and np.array_equal(part, y):
            raise TableError(
                f"{table.source}: column {name!r} is a copy of the target {target!r}, so the model "
                f"would only copy it; leave it out with `drop={[name]}`."
            )
        if part.size == 0 or (full and part[0] == part[-1] and np.ptp(part) == 0.0):
            constant.append(name)
            continue
        digest = hashlib.sha256(np.ascontiguousarray(part).data)
        if sparse.issparse(table.values):
            start, stop = table.values.indptr[j : j + 2]
            digest.update(np.ascontiguousarray(table.values.indices[start:stop]).data)
        first = seen.setdefault(digest.digest(), name)
        if first != name:
            repeated.append(f"{name!r} = {first!r}")
    notes = []
    if constant:
        notes.append(f"constant, hence without effect: {listing(constant)}")
    if repeated:
        more = f" and {len(repeated) - 8} more" if len(repeated) > 8 else ""
        notes.append(
            f"the same values under two names: {', '.join(repeated[:8])}{more}; which of them is "
            "selected means nothing"
        )
    return notes


def _encode(
    table: Table, target: str, impute: str | None, fills: Floats | None
) -> tuple[Any, Schema]:
    """Return the design: columns of numbers, then the zeros and ones of columns of text."""
    if not table.categories:
        schema = Schema(table.names, {}, target, impute, fills)
        return table.values, schema
    numbers = [j for j, name in enumerate(table.names) if name not in table.categories]
    categories: dict[str, list[str]] = {}
    dummies: list[Any] = []
    for j, name in enumerate(table.names):
        if name not in table.categories:
            continue
        codes, values = table.values[:, j], table.categories[name]
        counts = np.bincount(codes[~np.isnan(codes)].astype(np.int64), minlength=len(values))
        order = np.argsort(-counts, kind="stable")
        order = order[counts[order] > 0]
        categories[name] = [values[k] for k in order]
        dummies.append(_dummies(codes, order[1:]))
    schema = Schema(
        [table.names[j] for j in numbers],
        categories,
        target,
        impute,
        None if fills is None else fills[numbers],
    )
    return _joined(table.values, numbers, sparse.csc_array(sparse.hstack(dummies))), schema


def _joined(values: Floats, numbers: list[int], dummies: Any) -> Any:
    """Return some columns of an array and sparse columns side by side, in the smaller storage."""
    n_rows, width = values.shape[0], len(numbers)
    stored = dummies.nnz + sum(np.count_nonzero(values[:, j]) for j in numbers)
    # A CSC entry takes 12 bytes, a dense one 8.
    if 12 * stored < 8 * n_rows * (width + dummies.shape[1]):
        left = sparse.csc_array(values[:, numbers])
        return sparse.csc_array(sparse.hstack([left, dummies], format="csc"))
    X = np.zeros((n_rows, width + dummies.shape[1]), order="F")
    for k, j in enumerate(numbers):
        X[:, k] = values[:, j]
    for k in range(dummies.shape[1]):
        X[dummies.indices[dummies.indptr[k] : dummies.indptr[k + 1]], width + k] = 1.0
    return X


def _dummies(codes: Floats, positions: NDArray[np.int64]) -> Any:
    """Return one sparse column of zeros and ones per position."""
    rows = [np.flatnonzero(codes == position) for position in positions]
    starts = np.cumsum([0] + [part.size for part in rows])
    indices = np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)
    shape = (codes.size, len(positions))
    return sparse.csc_array((np.ones(indices.size), indices, starts), shape=shape)
