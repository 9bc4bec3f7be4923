"""What may stand where numbers or flags are expected, and what to do about everything else."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["check_entries_exist", "check_flag", "check_frame_columns", "check_kind"]

_NOT_NUMBERS = {"U": "text", "S": "bytes", "M": "dates", "m": "durations", "V": "records"}
_SHOWN = 8


def check_flag(name: str, value: Any, *, remedy: str | None = None) -> bool:
    """Return value as a bool if it is one, else raise ValueError.

    "no", 0 and None are refused too: of the first Python thinks that it is true, and of the others
    nobody can tell whether they are meant.
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(
            f"{name} must be True or False, got {value!r} of type {type(value).__name__}; "
            f"{remedy or f'use {name}=True or {name}=False'}."
        )
    return bool(value)


def check_kind(name: str, dtype: np.dtype[Any]) -> None:
    """Raise ValueError for a type that is not one of real numbers."""
    if dtype.kind == "c":
        remedy = (
            "pass real and imaginary parts as separate columns"
            if name == "X"
            else f"fit {name}.real and {name}.imag each by itself"
            if name == "y"
            else f"pass real numbers, for instance {name}.real"
        )
        raise ValueError(f"Complex data not supported: {name} has dtype {dtype}; {remedy}.")
    if dtype.kind in _NOT_NUMBERS:
        raise ValueError(
            f"{name} holds {_NOT_NUMBERS[dtype.kind]} (dtype {dtype}), not numbers; convert it "
            f"with {name}.astype(float) or encode it first."
        )


def check_entries_exist(name: str, a: Any) -> None:
    """Raise TypeError for an operator, which has products with vectors but no entries."""
    if hasattr(a, "matvec") and hasattr(a, "shape"):
        raise TypeError(
            f"{name} is a {type(a).__name__}, whose entries cannot be read, and the solver reads "
            f"columns; pass them as an array or a sparse matrix, for instance "
            f"{name} @ numpy.eye({name}.shape[1]) if that fits into memory."
        )


def check_frame_columns(name: str, frame: Any) -> None:
    """Raise ValueError, naming the columns, for a data frame with columns that are not numbers."""
    columns = getattr(frame, "columns", None)
    if columns is None or getattr(frame, "ndim", 2) != 2:
        return
    bad = [(str(each), sample) for each in columns if (sample := _odd_entry(frame[each]))]
    if not bad:
        return
    shown = ", ".join(f"{column!r} ({sample})" for column, sample in bad[:_SHOWN])
    more = f" and {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else ""
    raise ValueError(
        f"{name} cannot be converted to an array of numbers because of the "
        f"column{'s' if len(bad) > 1 else ''} {shown}{more}; encode text and "
        "categories as numbers (for instance with OneHotEncoder), or leave the columns out."
    )


def _odd_entry(column: Any) -> str:
    """Return an example of what is not a number in a column, "" if there is nothing."""
    if getattr(column, "ndim", 1) != 1:  # two columns of one name: another check tells
        return ""
    values = np.asarray(column)
    if values.dtype.kind in _NOT_NUMBERS:
        entry = values.flat[0] if values.size else values.dtype
    elif values.dtype.kind == "O":
        entry = next((entry for entry in values.flat if isinstance(entry, str | bytes)), None)
    else:
        entry = None
    if isinstance(entry, str | bytes):
        return f"for instance {entry[:40]!r}"
    return "" if entry is None else f"for instance {str(entry)[:40]}"
