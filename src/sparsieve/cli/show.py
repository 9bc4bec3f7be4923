"""``sparsieve report`` and ``sparsieve info``."""

from __future__ import annotations

import json
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from .. import TableModel
from ..files.model_content import summarize
from ..tables.survey import column_counts
from ..tables.table import ReadOptions, Table
from .console import Exit, as_options, note, printable, say
from .data import load, load_table
from .fit import show_model, write_report
from .outputs import check_outputs, default_output, write_all

__all__ = ["info_command", "report_command"]

_SHOWN = 50
_EPOCH = datetime(1970, 1, 1)


def report_command(model_file: str, options: dict[str, Any]) -> Exit:
    """Write the report of a model."""
    name = Path(model_file).name
    for ending in (".json", ".model"):
        name = name.removesuffix(ending)
    output = options["output"] or default_output(f"{name}.", ".report.html")
    check_outputs({"report": output}, [model_file], options["force"])
    model = load(model_file, options["max_bytes"])
    title = options["title"] or _title(model, name)
    write_all({"report": (output, lambda file: write_report(model, file, title))}).tell()
    return Exit.OK


def _title(model: Any, name: str) -> str:
    data = (model.provenance_ or {}).get("data") or {}
    return f"{data['target']} ({data['file']})" if {"target", "file"} <= data.keys() else name


def info_command(file: str, reading: ReadOptions, as_json: bool) -> Exit:
    """Tell what is in a model file or a table."""
    if not _is_model(file):
        table = load_table(file, reading, strict=False)
        _show_table(table)
        return Exit.OK
    model = load(file, reading.max_bytes)
    if as_json:
        say(_harmless(model.to_json() if isinstance(model, TableModel) else _json(model)))
        return Exit.OK
    made = model.provenance_ or {}
    for key in ("created", "sparsieve", "command"):
        if made.get(key):
            say(f"{key:<9} {made[key]}")
    data = made.get("data") or {}
    if data:
        say(f"{'data':<9} {data.get('file')}, {data.get('rows')} rows")
    if isinstance(model, TableModel):
        say(f"{'target':<9} {model.schema.target}")
        if model.schema.offset is not None:
            say(f"{'offset':<9} {model.schema.offset}, added to the linear predictor")
        scaled = "standardised for the fit" if model.schema.scale is not None else "as they were"
        filled = f"missing values filled with the {model.schema.impute}"
        say(f"{'columns':<9} {len(model.schema.columns)}, {scaled}")
        if model.schema.impute:
            say(f"{'':<9} {filled}")
    show_model(model)
    return Exit.OK


def _json(model: Any) -> str:
    return json.dumps(
        summarize(model) | {"provenance": model.provenance_}, indent=2, ensure_ascii=False
    )


def _harmless(text: str) -> str:
    """Return JSON whose characters are all printable; the others are written as escapes."""
    ascii_only = (getattr(sys.stdout, "encoding", None) or "utf-8").lower() != "utf-8"
    return "".join(
        c
        if c == "\n" or (c.isprintable() and not (ascii_only and ord(c) > 127))
        else json.dumps(c)[1:-1]
        for c in text
    )


def _is_model(file: str) -> bool:
    """Tell a model file from a table by how it starts."""
    path = Path(file)
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return path.suffix.lower() == ".json" or stream.read(8) == b'{"format'


def _show_table(table: Table) -> None:
    for text in [*table.notes, *(problem.text for problem in table.problems)]:
        note(as_options(text))
    kind = " (sparse)" if sparse.issparse(table.values) else ""
    say(f"{table.source}: {table.n_rows} rows, {len(table.names)} columns{kind}")
    if table.target is not None:
        say(f"target {table.target_name!r} is kept apart")
    missing, _ = column_counts(table)
    width = max([6] + [len(name) for name in table.names[:_SHOWN]])
    say(f"  {'column':<{width}}  {'missing':>7}  values")
    for j, name in enumerate(table.names[:_SHOWN]):
        say(printable(f"  {name:<{width}}  {missing[j]:>7}  {_values(table, j)}"))
    if len(table.names) > _SHOWN:
        say(f"  ... and {len(table.names) - _SHOWN} more")


def _values(table: Table, j: int) -> str:
    name = table.names[j]
    if name in table.categories:
        values = table.categories[name]
        more = ", ..." if len(values) > 4 else ""
        return f"text, {len(values)} different: {', '.join(values[:4])}{more}"
    if name in table.marks:
        return f"numbers apart from {', '.join(table.marks[name])}"
    column = table.values[:, [j]]
    numbers = np.ravel(column.toarray() if sparse.issparse(column) else column)
    numbers = numbers[np.isfinite(numbers)]
    if numbers.size == 0:
        return "none"
    if name in table.dates:
        first, last = (_EPOCH + timedelta(days=float(t)) for t in (numbers.min(), numbers.max()))
        return f"dates from {first:%Y-%m-%d} to {last:%Y-%m-%d}"
    if np.ptp(numbers) == 0.0:
        return f"constant {numbers[0]:g}"
    return f"{numbers.min():g} to {numbers.max():g}, mean {numbers.mean():g}"
