"""From the options of a command to a design."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from .. import load_model
from ..tables.columns import Design, make_design
from ..tables.limits import MOST_BYTES, check_bytes
from ..tables.survey import suggest
from ..tables.table import ReadOptions, Table, TableError, expanded
from ..tables.table_files import read_table
from .console import as_options, note, step

__all__ = ["describe_data", "load", "load_design", "load_table", "stored"]


@contextmanager
def stored(file: str, options: ReadOptions) -> Iterator[tuple[str, ReadOptions]]:
    """Yield a file that can be read twice; what is piped in, ``-``, is kept in a temporary one."""
    if file != "-":
        if os.path.exists(file) and not (os.path.isfile(file) or os.path.isdir(file)):
            raise TableError(
                f"{file} is a pipe or a device, which can be read only once; save it to a file "
                "first, or pipe it in and write - for the table."
            )
        yield file, options
        return
    if sys.stdin is None or sys.stdin.isatty():
        raise TableError("nothing is piped in; give the name of a table instead of -.")
    with tempfile.TemporaryDirectory(prefix="sparsieve-") as folder:
        copy = Path(folder) / "standard input"
        limit = MOST_BYTES if options.max_bytes is None else options.max_bytes
        with copy.open("wb") as out:
            while chunk := sys.stdin.buffer.read(1 << 20):
                check_bytes(Path("standard input"), out.tell() + len(chunk), limit)
                out.write(chunk)
        yield str(copy), replace(options, format=options.format or "csv")


def load_table(file: str, options: ReadOptions, **selection: Any) -> Table:
    """Read a table from a file, or from what is piped in."""
    with stored(file, options) as (path, known), step(f"read {file}"):
        table = read_table(path, known, **selection)
    table.source = "standard input" if file == "-" else table.source
    return table


def load_design(file: str, reading: ReadOptions, options: dict[str, Any]) -> Design:
    """Read a table and make a design of it; takes its options out of the command's."""
    target: str | None = options.pop("target")
    features, drop, ids = options.pop("features"), options.pop("drop"), options.pop("id")
    codes = options.pop("text")
    if target is not None and target in (*drop, *ids):
        raise click.UsageError(f"{target!r} is the target and cannot be dropped; drop another")
    if target is not None and target in features:
        raise click.UsageError(
            f"{target!r} is both the target and a feature; leave it out of --features"
        )
    loss, offset = options.pop("loss"), options.pop("offset")
    if offset is not None and offset in (*features, *drop, *ids):
        raise click.UsageError(
            f"{offset!r} is the offset, which is no feature; leave it out of --features, --drop "
            "and --id"
        )
    beside = [name for name in (target, offset) if name is not None]
    wanted = [*features, *beside] if features else None
    table = load_table(file, reading, wanted=wanted, drop=drop, codes=codes, ids=ids, strict=False)
    known = set(table.file_names)
    for name in expanded([*features, *drop, *ids, *codes], table.file_names, known):
        if name not in known:
            raise TableError(f"{file} has no column {name!r}; {suggest(name, table.file_names)}")
    if wanted is not None and table.target is not None:  # formats that are read whole
        chosen = expanded(wanted, table.file_names, known)
        keep = [j for j, name in enumerate(table.names) if name in chosen]
        table.names, table.values = [table.names[j] for j in keep], table.values[:, keep]
    told = len(table.notes)
    for text in table.notes:  # also when the table cannot be used: what was recognised matters then
        note(as_options(text))
    design = make_design(
        table,
        target,
        one_hot=options.pop("one_hot"),
        impute=options.pop("impute"),
        dates=reading.dates,
        drop_rows_without_target=options.pop("drop_rows_without_target"),
        loss=loss,
        offset=offset,
    )
    for text in design.notes[told:]:
        note(as_options(text))
    return design


def load(file: str, max_bytes: int | None) -> Any:
    """Load a model of at most so many bytes; None means as many as the library allows."""
    return load_model(file) if max_bytes is None else load_model(file, max_bytes=max_bytes)


def describe_data(file: str, design: Design) -> dict[str, Any]:
    """Return what a model file says about the data it was fitted on."""
    if file == "-" or not Path(file).is_file():
        return {"file": file, "rows": int(design.y.size), "target": design.schema.target}
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
