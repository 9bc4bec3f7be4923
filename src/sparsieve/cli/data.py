"""From the options of a command to a design."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import click

from .. import load_model
from ..tables.columns import Design, make_design, suggest
from ..tables.table import ReadOptions, Table, TableError
from ..tables.table_files import read_table
from .console import note, step

__all__ = ["describe_data", "load", "load_design", "load_table"]


def load_table(file: str, options: ReadOptions, **selection: Any) -> Table:
    """Read a table from a file that can be read twice: once to see what is in it."""
    if os.path.exists(file) and not (os.path.isfile(file) or os.path.isdir(file)):
        raise TableError(
            f"{file} is a pipe or a device, which can be read only once; save it to a file first."
        )
    with step(f"read {file}"):
        return read_table(file, options, **selection)


def load_design(file: str, reading: ReadOptions, options: dict[str, Any]) -> Design:
    """Read a table and make a design of it; takes its options out of the command's."""
    target: str | None = options.pop("target")
    features, drop = options.pop("features"), options.pop("drop")
    if target is not None and target in drop:
        raise click.UsageError(f"{target!r} is the target and cannot be dropped; drop another")
    if target is not None and target in features:
        raise click.UsageError(
            f"{target!r} is both the target and a feature; leave it out of --features"
        )
    wanted = [*features, *([] if target is None else [target])] if features else None
    table = load_table(file, reading, wanted=wanted, drop=drop)
    for name in [*features, *drop]:
        if name not in table.file_names:
            raise TableError(f"{file} has no column {name!r}; {suggest(name, table.file_names)}")
    if wanted is not None and table.target is not None:  # formats that are read whole
        keep = [j for j, name in enumerate(table.names) if name in wanted]
        table.names, table.values = [table.names[j] for j in keep], table.values[:, keep]
    design = make_design(
        table,
        target,
        one_hot=options.pop("one_hot"),
        impute=options.pop("impute"),
    )
    for text in design.notes:
        note(text)
    return design


def load(file: str, max_bytes: int | None) -> Any:
    """Load a model of at most so many bytes; None means as many as the library allows."""
    return load_model(file) if max_bytes is None else load_model(file, max_bytes=max_bytes)


def describe_data(file: str, design: Design) -> dict[str, Any]:
    """Return what a model file says about the data it was fitted on."""
    digest = hashlib.sha256()
    with Path(file).open("rb") as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return {
        "file": Path(file).name,
        "sha256": digest.hexdigest(),
        "rows": int(design.y.size),
        "target": design.schema.target,
    }
