"""``sparsieve predict``."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from .. import TableModel
from ..tables.columns import Schema
from ..tables.survey import suggest
from ..tables.table import ReadOptions, Table, TableError, default_names, listing
from .console import Exit, as_options, emit, note, state, step
from .data import load, stored
from .outputs import check_outputs, spreadsheet_text, to_stdout, write_text

__all__ = ["as_table_model", "predict_command"]


def predict_command(
    model_file: str, table_file: str, reading: ReadOptions, options: dict[str, Any]
) -> Exit:
    """Predict the rows of a table."""
    output = options["output"]
    to_file = output is not None and not to_stdout(output)
    check_outputs(
        {"predictions": output if to_file else None}, [model_file, table_file], options["force"]
    )
    model = as_table_model(load(model_file, reading.max_bytes))
    ids = options["id"] or model.schema.ids or []
    table = _read(model, table_file, reading, options["score"], ids)
    absent = [name for name in ids if name not in table.ids]
    if absent and options["id"]:
        raise TableError(
            f"{table.source} has no column {absent[0]!r}; {suggest(absent[0], table.file_names)}"
        )
    known = {*model.schema.columns, model.schema.target, *table.ids}
    extra = [name for name in table.file_names if name not in known]
    if extra:
        note(f"not in the model, ignored: {listing(extra)}")
    predictions = model.predict(
        table, only_selected=options["only_selected"], unknown=options["unknown"]
    )
    if options["score"]:
        _score(model, table, predictions)
    text = _as_csv(table.ids, predictions, options["digits"])
    if not to_file:
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


def _as_csv(ids: dict[str, list[str]], predictions: Any, digits: int) -> str:
    """Return predictions as CSV, behind the columns that name the rows."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([*map(spreadsheet_text, ids), "prediction"])
    columns = [list(map(spreadsheet_text, entries)) for entries in ids.values()]
    values = [f"{value:.{digits}g}" for value in predictions.tolist()]
    rows.writerows(zip(*columns, values, strict=True))
    return text.getvalue()


def _read(model: TableModel, file: str, reading: ReadOptions, score: bool, ids: list[str]) -> Table:
    """Read the columns that predicting needs; the file may hold many more."""
    schema = model.schema
    wanted = {*model.used_columns()} | ({schema.target} if score else set())
    if not wanted:  # a model without features still needs the number of rows
        wanted = set(schema.columns[:1])
    with stored(file, reading) as (path, reading), step(f"read {file}"):
        table = model.read(path, reading, wanted=wanted, ids=ids)
    table.source = "standard input" if file == "-" else table.source
    for text in table.notes:
        note(as_options(text))
    return table


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
