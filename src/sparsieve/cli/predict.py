"""``sparsieve predict``."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from .. import TableModel
from ..estimators.fitted import explained
from ..losses import is_squared
from ..tables.columns import Schema
from ..tables.survey import column_of, suggest
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
    known = {*model.schema.columns, model.schema.target, model.schema.offset, *table.ids}
    extra = [name for name in table.file_names if name not in known]
    if extra:
        note(f"not in the model, ignored: {listing(extra)}")
    eta = model.decision_function(
        table, only_selected=options["only_selected"], unknown=options["unknown"]
    )
    if options["score"]:
        _score(model, table, eta)
    text = _as_csv(table.ids, _columns(model, eta, options["digits"]))
    if not to_file:
        emit(text.rstrip("\n"))
    else:
        write_text(output, text)
        state.written.append(str(output))
        note(f"{table.n_rows} predictions in {output}")
    return Exit.OK


def _columns(model: TableModel, eta: Any, digits: int) -> dict[str, list[str]]:
    """Return the columns of predictions: means, or labels and the probability of each."""

    def numbers(values: Any) -> list[str]:
        return [f"{value:.{digits}g}" for value in values.tolist()]

    predicted = model.predictions_at(eta)
    if not hasattr(model, "classes_"):
        return {"prediction": numbers(predicted)}
    columns = {"prediction": [spreadsheet_text(str(label)) for label in predicted.tolist()]}
    probabilities = model.probabilities_at(eta)
    for k, label in enumerate(model.classes_.tolist()):
        columns[f"probability of {label}"] = numbers(probabilities[:, k])
    return columns


def as_table_model(model: Any) -> TableModel:
    """Return a model that knows its columns; columns of arrays are x1, x2, ..."""
    if isinstance(model, TableModel):
        return model
    names = getattr(model, "feature_names_in_", None)
    names = default_names(model.n_features_in_) if names is None else [str(n) for n in names]
    return TableModel(model, Schema(names))


def _as_csv(ids: dict[str, list[str]], predictions: dict[str, list[str]]) -> str:
    """Return predictions as CSV, behind the columns that name the rows."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([*map(spreadsheet_text, ids), *predictions])
    columns = [list(map(spreadsheet_text, entries)) for entries in ids.values()]
    rows.writerows(zip(*columns, *predictions.values(), strict=True))
    return text.getvalue()


def _read(model: TableModel, file: str, reading: ReadOptions, score: bool, ids: list[str]) -> Table:
    """Read the columns that predicting needs; the file may hold many more."""
    schema = model.schema
    wanted = {*model.used_columns()} | ({schema.target} if score else set())
    wanted |= set() if schema.offset is None else {schema.offset}
    if not wanted:  # a model without features still needs the number of rows
        wanted = set(schema.columns[:1])
    with stored(file, reading) as (path, reading), step(f"read {file}"):
        table = model.read(path, reading, wanted=wanted, ids=ids)
    table.source = "standard input" if file == "-" else table.source
    for text in table.notes:
        note(as_options(text))
    return table


def _score(model: TableModel, table: Table, eta: Any) -> None:
    """Tell how good predictions are, from the linear predictors."""
    target = model.schema.target
    if target not in table.names and table.target is None:
        raise TableError(
            f"{table.source} has no column {target!r} to compare with; leave out --score."
        )
    y = column_of(table, target) if target in table.names else np.asarray(table.target)
    classifies = hasattr(model, "classes_")
    if not np.all(np.isfinite(y)) or (np.ptp(y) == 0.0 and not classifies):
        raise TableError(
            f"{table.source}: the target {target!r} has missing values or is constant; leave out "
            "--score."
        )
    if classifies:
        _score_labels(model, table, y, eta)
        return
    loss = model.regressor._loss()
    offset = None if model.schema.offset is None else column_of(table, model.schema.offset)
    if is_squared(loss) and offset is None:
        note(f"R2 {1.0 - np.mean((y - eta) ** 2) / np.var(y):.4f} on {y.size} rows")
        return
    note(f"D2 {explained(loss, eta, y, None, offset):.4f} on {y.size} rows")


def _score_labels(model: TableModel, table: Table, y: Any, eta: Any) -> None:
    target, labels = model.schema.target, model.classes_
    texts = table.categories.get(target)
    truth = y if texts is None else np.asarray(texts)[y.astype(np.int64)]
    strange = [label for label in np.unique(truth).tolist() if label not in labels]
    if strange:
        raise TableError(
            f"{table.source}: the target {target!r} has {strange[0]!r}, which was not there in the "
            f"fit; its labels were {listing([str(label) for label in labels])}: leave out --score."
        )
    right = float(np.mean(model.predictions_at(eta) == truth))
    at = np.searchsorted(labels, truth)
    chances = model.probabilities_at(eta)[np.arange(truth.size), at]
    # As scikit-learn does: a probability of 0 counts as the smallest difference of doubles from 1.
    loss = -np.log(np.maximum(chances, np.finfo(np.float64).eps)).mean()
    note(f"accuracy {right:.4f}, log-loss {loss:.4f} on {truth.size} rows")
