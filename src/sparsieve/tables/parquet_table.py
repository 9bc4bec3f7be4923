"""Parquet files through pyarrow, block by block into one array of doubles."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..data.types import Floats
from .limits import check_bytes, check_texts, limit_of
from .table import ReadOptions, Selection, Table, TableError, first_line, listing

__all__ = ["read_parquet"]

# Values per block; a block costs some 10 bytes for each.
_BLOCK = 1 << 20
# Of a day.
_MICROSECONDS = 86_400e6


def read_parquet(
    path: Path, options: ReadOptions, selection: Selection, source: Any = None
) -> Table:
    """Read a Parquet file, or a stream that holds one; ``path`` names it."""
    source = path if source is None else source
    try:
        with pq.ParquetFile(source) as parquet:
            schema = parquet.schema_arrow
            _check_names(schema.names, path)
            selection = selection.resolved(schema.names)
            names = [name for name in schema.names if name in selection]
            text = [name for name in names if _is_text(schema.field(name).type)]
            _check_types(schema, names, text, selection, path)
            _check_size(parquet.metadata, path, len(names), limit_of(options, compressed=True))
        # Texts stay positions in a dictionary: each one is in memory once, however often it occurs.
        with pq.ParquetFile(source, read_dictionary=text) as parquet:
            table = _read(parquet, path, names, {name: {} for name in text})
            table.file_names = list(schema.names)
            kinds = {name: schema.field(name).type for name in names}
            table.dates = {name: "ymd" for name, kind in kinds.items() if _is_date(kind)}
            for name in (name for name in selection.ids if name in schema.names):
                column = parquet.read(columns=[name]).column(0).cast(pa.string())
                table.ids[name] = ["" if entry is None else entry for entry in column.to_pylist()]
            return table
    except TableError:
        raise
    # Arrow's own, and what NumPy says of a file that has other rows than it announces.
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        raise TableError(
            f"{path} cannot be read as Parquet ({first_line(error)}); is it complete?"
        ) from error


def _check_names(names: list[str], path: Path) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise TableError(
            f"{path}: more than one column is called {listing(repeated)}; rename or remove all "
            "but one of each."
        )


def _check_size(metadata: Any, path: Path, width: int, limit: int | None) -> None:
    """Refuse a file that announces more than the limit, as numbers or in its pages."""
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    rows = max(metadata.num_rows, sum(group.num_rows for group in groups))
    stored = sum(max(group.total_byte_size, 0) for group in groups)
    check_bytes(path, max(8 * rows * max(width, 1), stored), limit)


def _check_types(
    schema: Any, names: list[str], text: list[str], selection: Selection, path: Path
) -> None:
    for name in names:
        kind = schema.field(name).type
        if name not in text and not (_is_number(kind) or _is_date(kind)):
            raise TableError(
                f"{path}: column {name!r} holds {kind}, neither numbers nor text; convert it or "
                f"leave it out with `drop={[name]}`."
            )
        codes = selection.text or ()
        if selection.text is not None and name in text and name not in codes:
            raise TableError(
                f"{path}: column {name!r} holds {kind} where the model needs numbers; convert it."
            )


def _is_text(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_date(kind: Any) -> bool:
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def _is_number(kind: Any) -> bool:
    tests = ("is_boolean", "is_integer", "is_floating", "is_decimal", "is_null")
    return any(getattr(pa.types, test)(kind) for test in tests)


def _read(parquet: Any, path: Path, names: list[str], codes: dict[str, dict[str, int]]) -> Table:
    values = np.empty((parquet.metadata.num_rows, len(names)), order="F")
    rows = max(1, _BLOCK // max(len(names), 1))
    start = 0
    for batch in parquet.iter_batches(batch_size=rows, columns=names):
        stop = start + batch.num_rows
        for j, name in enumerate(names):
            column = batch.column(name)
            values[start:stop, j] = (
                _positions(column, codes[name]) if name in codes else _numbers(column)
            )
        check_texts(path, codes)
        start = stop
    if start != values.shape[0]:
        raise ValueError(f"{start} rows of the {values.shape[0]} it announces")
    return Table(str(path), names, values, {name: list(table) for name, table in codes.items()})


def _numbers(column: Any) -> Floats:
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if _is_date(column.type):
        column = column.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
        days: Floats = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return days / _MICROSECONDS
    # Not safe: integers beyond 2^53 become the nearest double, as they do everywhere else.
    values: Floats = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return values


def _positions(column: Any, codes: dict[str, int]) -> Floats:
    """Return each entry's position among the categories so far, NaN where missing."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    categories = encoded.dictionary.to_pylist()
    positions = np.full(len(categories) + 1, np.nan)
    for k, entry in enumerate(categories):
        if entry is not None:
            positions[k] = codes.setdefault(entry, len(codes))
    indices = encoded.indices.cast(pa.int64())
    ends = pc.min_max(indices).as_py()  # None where all are missing
    if ends["min"] is not None and not 0 <= ends["min"] <= ends["max"] < len(categories):
        raise ValueError("it refers to texts that it does not hold")  # Arrow does not look
    indices = pc.fill_null(indices, len(categories))
    taken: Floats = positions[indices.to_numpy(zero_copy_only=False)]
    return taken
