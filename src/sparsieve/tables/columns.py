"""From the columns of a table to the design of a regression, and the record of how.

What is done to the columns is decided when a model is fitted, recorded in a :class:`Schema`, and
done in the same way when the model predicts. Nothing is done silently: what was not asked for is
refused with the names of the columns, what may surprise is reported as a note.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.kinds import check_flag
from ..data.types import Floats
from ..losses import resolve_loss
from .problems import raise_problems
from .response import Response, response_of
from .survey import IMPUTATIONS, MISSING, Asked, column_of, notes_of, problems_of, texts_of
from .table import Table, TableError

__all__ = ["Design", "Schema", "make_design"]


@dataclass(frozen=True)
class Schema:
    """The columns a model was fitted on and what was done to them.

    Attributes
    ----------
    numbers : list of str
        Columns of numbers; they come first in the design.
    categories : dict of str to list of str
        Columns of text with their values. The first value, the most frequent one, is the reference:
        each other one has a column "name=value" of zeros and ones in the design. Where some texts
        were missing and ``impute`` was given, "(missing)" is the last value.
    target : str
    impute : str or None
        How missing numbers are filled: "mean", "median", "zero", or refused. Missing text is a
        value of its own.
    fills : ndarray or None
        What is filled in, one per column of numbers.
    scale : ndarray or None
        Standard deviations of the design's columns, if these were standardised for the fit, else
        None. Coefficients are always those of the original columns.
    reading : dict or None
        How the table was read, so that the next one is read in the same way.
    ids : list of str or None
        Columns that name the rows; they go along with predictions.
    offset : str or None
        The column that is added to the linear predictor; it is no feature.
    """

    numbers: list[str]
    categories: dict[str, list[str]] = field(default_factory=dict)
    target: str = ""
    impute: str | None = None
    fills: Floats | None = None
    scale: Floats | None = None
    reading: dict[str, Any] | None = None
    ids: list[str] | None = None
    offset: str | None = None

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
        kept = self.reading is None or _is_reading(self.reading)
        ids = self.ids is None or all(isinstance(name, str) for name in self.ids)
        names = isinstance(self.offset, str | None) and self.impute in (None, *IMPUTATIONS)
        if not (plain and text and arrays and kept and ids and names):
            raise ValueError("the schema of the columns makes no sense; save the model again.")


class Design(NamedTuple):
    """What a model is fitted on, and how it came about; y are numbers or labels."""

    X: Any
    y: NDArray[Any]
    schema: Schema
    notes: list[str]
    response: Response
    offset: Floats | None = None


def _is_reading(kept: Any) -> bool:
    """Tell whether a value from a file can say how a table was read."""
    if not isinstance(kept, dict):
        return False
    marks = kept.get("missing", [])
    columns = kept.get("columns", {})
    return (
        set(kept) <= {"decimal", "thousands", "missing", "columns", "sheet", "skip", "header"}
        and isinstance(marks, list)
        and isinstance(columns, dict)
        and all(isinstance(text, str) for text in (*marks, *columns, *columns.values()))
        and kept.get("decimal", ".") in (".", ",")
        and kept.get("thousands", ",") in (",", ".", " ", "'", "")
        and kept.get("decimal") != kept.get("thousands", "")
        and isinstance(kept.get("sheet", ""), str)
        and isinstance(kept.get("header", True), bool)
        and type(kept.get("skip", 0)) is int
        and kept.get("skip", 0) >= 0
    )


def make_design(
    table: Table,
    target: str | None,
    *,
    one_hot: bool = False,
    impute: str | None = None,
    dates: str | None = None,
    drop_rows_without_target: bool = False,
    loss: Any = None,
    offset: str | None = None,
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
    dates : str or None, default=None
        Take dates as days since 1 January 1970; if None, they are refused.
    drop_rows_without_target : bool, default=False
        Leave out rows whose target is missing; if not, they are refused.
    loss : str or loss, default=None
        What to fit with; None looks at the target.
    offset : str, default=None
        Name of the column that is added to the linear predictor.

    Returns
    -------
    Design

    Raises
    ------
    TableError
        Naming all columns that cannot be used, and the remedies.
    """
    asked = Asked(
        check_flag("one_hot", one_hot),
        impute,
        dates,
        check_flag("drop_rows_without_target", drop_rows_without_target),
        None if loss is None else resolve_loss(loss),
        offset,
    )
    if impute not in (None, *IMPUTATIONS):
        raise TableError(
            f"impute must be one of {', '.join(IMPUTATIONS)} or None, not {impute!r}; add "
            "`impute='median'`, for instance."
        )
    raise_problems(table.source, problems_of(table, target, asked))
    notes = notes_of(table, target, asked)
    texts = texts_of(table, target or table.target_name)
    y, target = _take_target(table, target)
    shift = None if offset is None else _take_column(table, offset)
    if drop_rows_without_target and np.isnan(y).any():
        rows = np.flatnonzero(~np.isnan(y))
        left_out = y.size - rows.size
        notes.append(f"{left_out} row{'s' * (left_out > 1)} without {target!r} left out")
        y, table.values = y[rows], table.values[rows]
        shift = None if shift is None else shift[rows]
    response = response_of(y, texts, target, asked.loss)
    fills = _fill(table, impute)
    X, schema = _encode(table, target, impute, fills)
    table.values = None  # may be large, and is not needed again
    ids = list(table.ids) or None
    schema = replace(schema, reading=table.reading, ids=ids, offset=offset)
    notes = [*table.notes, *notes, response.words]
    return Design(X, response.values, schema, notes, response, shift)


def _take_target(table: Table, target: str | None) -> tuple[Floats, str]:
    """Remove the target from the table and return it, in place: the array may fill the memory."""
    if table.target is not None and target in (None, table.target_name):
        return table.target, table.target_name
    assert target is not None  # or it would have been a problem
    return _take_column(table, target), target


def _take_column(table: Table, name: str) -> Floats:
    """Remove a column from the table and return it, in place: the array may fill the memory."""
    j, y = table.names.index(name), column_of(table, name).copy()
    if sparse.issparse(table.values):
        table.values = table.values[:, [k for k in range(len(table.names)) if k != j]]
    else:
        for k in range(j + 1, table.values.shape[1]):
            table.values[:, k - 1] = table.values[:, k]
        table.values = table.values[:, :-1]
    table.names = [*table.names[:j], *table.names[j + 1 :]]
    table.categories.pop(name, None)
    return y


def _fill(table: Table, impute: str | None) -> Floats | None:
    """Fill missing values in place and return what was filled in, per column."""
    if impute is None:
        return None
    fills = np.zeros(len(table.names))
    if sparse.issparse(table.values):
        table.values.data[np.isnan(table.values.data)] = 0.0
        return fills
    for j, name in enumerate(table.names):
        column = table.values[:, j]
        missing = np.isnan(column)
        if name in table.categories:
            continue  # missing text is a value of its own
        if impute != "zero":
            fills[j] = (np.mean if impute == "mean" else np.median)(column[~missing])
        column[missing] = fills[j]
    return fills


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
        codes, values = table.values[:, j], list(table.categories[name])
        missing = np.isnan(codes)
        if missing.any():
            values = values if MISSING in values else [*values, MISSING]
            codes[missing] = values.index(MISSING)
        counts = np.bincount(codes.astype(np.int64), minlength=len(values))
        last = np.array([value == MISSING for value in values], dtype=np.bool_)
        order = np.lexsort((-counts, last))  # what is missing is no reference
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
