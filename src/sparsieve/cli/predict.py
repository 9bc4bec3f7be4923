"""``sparsieve predict``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import TableModel
from ..tables.columns import Schema
from ..tables.table import ReadOptions, Table, TableError, default_names, listing
from .console import Exit, emit, note, state
from .data import load, load_table
from .outputs import check_outputs, write_text

__all__ = ["as_table_model", "predict_command"]


def predict_command(
    model_file: str, table_file: str, reading: ReadOptions, options: dict[str, Any]
) -> Exit:
    """Predict the rows of a table."""
    output = options["output"]
    check_outputs({"predictions": output}, [model_file, table_file], options["force"])
    model = as_table_model(load(model_file, reading.max_bytes))
    table = _read(model, table_file, reading, options["score"])
    known = {*model.schema.columns, model.schema.target}
    extra = [name for name in table.file_names if name not in known]
    if extra:
        note(f"not in the model, ignored: {listing(extra)}")
    predictions = model.predict(
        table, only_selected=options["only_selected"], unknown=options["unknown"]
    )
    if options["score"]:
        _score(model, table, predictions)
    digits = options["digits"]
    text = "prediction\n" + "".join(f"{value:.{digits}g}\n" for value in predictions.tolist())
    if output is None:
        emit(text.rstrip("\n"))
    else:
        write_text(output, text)
        state.written.append(str(output))
        note(f"{predictions.size} predictions in {output}")
    return Exit.OK


def as_table_model(model: Any) -> TableModel:
    """Return a model that knows its columns; columns of arrays are x1, x2, ..."""
    if isinstance(model, TableModel):
        return model
    names = getattr(model, "feature_names_in_", None)
    names = default_names(model.n_features_in_) if names is None else [str(n) for n in names]
    return TableModel(model, Schema(names))


def _read(model: TableModel, file: str, reading: ReadOptions, score: bool) -> Table:
    """Read the columns that predicting needs; the file may hold many more."""
    schema = model.schema
    wanted = {*model.used_columns()} | ({schema.target} if score else set())
    if not wanted:  # a model without features still needs the number of rows
        wanted = set(schema.columns[:1])
    width = len(schema.numbers) if schema.numbers == default_names(len(schema.numbers)) else None
    text = [name for name in schema.categories if name in wanted]
    return load_table(file, replace(reading, n_features=width), wanted=wanted, text=text)


def _score(model: TableModel, table: Table, predictions: Any) -> None:
    target = model.schema.target
    if target in table.names:
        y = np.asarray(table.values[:, table.names.index(target)])
    elif table.target is not None:
        y = table.target
    else:
        raise TableError(
            f"{table.source} has no column {target!r} to compare with; leave out --score."
        )
    if not np.all(np.isfinite(y)) or np.ptp(y) == 0.0:
        raise TableError(
            f"{table.source}: the target {target!r} has missing values or is constant; leave out "
            "--score."
        )
    r2 = 1.0 - np.mean((y - predictions) ** 2) / np.var(y)
    note(f"R2 {r2:.4f} on {y.size} rows")
