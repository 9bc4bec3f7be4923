"""The columns of a table as a fitted model needs them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..tables.columns import Schema
from ..tables.frames import table_of_frame
from ..tables.survey import MISSING
from ..tables.table import Selection, Table, TableError, listing

__all__ = ["category_indices", "table_of"]


def category_indices(
    table: Table, position: int, values: list[str], schema: Schema, unknown: str
) -> NDArray[np.int64]:
    """Return the position of each row's text among the values of the fit."""
    name, codes = table.names[position], table.values[:, position]
    here = table.categories.get(name, [])
    known = {value: k for k, value in enumerate(values)}
    strange = [value for value in here if value not in known]
    if strange and unknown != "reference":
        raise TableError(
            f"{table.source}: column {name!r} has values that were not there in the fit: "
            f"{listing(strange)}; correct them, or add `unknown='reference'` to treat them "
            f"like {values[0]!r}."
        )
    missing = np.isnan(codes)
    if missing.any() and MISSING not in known and unknown != "reference":
        remedy = "fill them, or fit with `impute=...`"
        if schema.impute is not None:
            remedy = (
                "the fit has seen none: fill them, or add `unknown='reference'` to treat them like "
                f"{values[0]!r}"
            )
        raise TableError(
            f"{table.source}: {int(missing.sum())} missing values in column {name!r}; {remedy}."
        )
    indices = np.array([known.get(each, 0) for each in [*here, MISSING]], dtype=np.int64)
    out: NDArray[np.int64] = indices[np.where(missing, len(here), codes).astype(np.int64)]
    return out


def table_of(X: Any, schema: Schema, offsets: list[str]) -> Table:
    """Return the columns of a data frame (or mapping) that the model knows, as a Table."""
    if isinstance(X, np.ndarray) or sparse.issparse(X):
        if X.ndim != 2 or X.shape[1] != len(schema.numbers) or schema.categories or offsets:
            raise TableError(
                f"an array of shape {X.shape} does not match the columns "
                f"{listing([*schema.columns, *offsets])}; pass a data frame with these names."
            )
        return Table("X", schema.numbers, X)
    wanted = [*schema.columns, *offsets]
    return table_of_frame(X, Selection(wanted, text=list(schema.categories)))
