"""Names of columns, and options that are given by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["by_name", "feature_names"]


def feature_names(X: Any) -> NDArray[Any] | None:
    """Return the column names of a data frame if they are all strings, else None."""
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a LazyFrame, which holds no data yet; pass X.collect().")
    columns = getattr(X, "columns", None)
    if columns is None or isinstance(X, np.ndarray):
        return None
    names = np.asarray(columns, dtype=object)
    if names.ndim == 1 and len(set(names)) < names.size:
        first, _ = Counter(names).most_common(1)[0]
        at = ", ".join(str(k) for k, name in enumerate(names) if name == first)
        raise ValueError(
            f"X has more than one column called {first!r} (columns {at}); give each column a name "
            "of its own."
        )
    return names if names.ndim == 1 and all(isinstance(name, str) for name in names) else None


def by_name(name: str, values: Any, names: NDArray[Any] | None, missing: float) -> Any:
    """Return a mapping from column names to numbers as one number per column.

    Columns that are not named get ``missing``. Other ``values`` (None, a number, one number per
    column) are returned as they are. ``name`` is the argument that errors blame, ``names`` are the
    columns of X, None if it has no names.
    """
    if not isinstance(values, Mapping):
        return values
    if names is None:
        raise ValueError(
            f"{name} was given by column names, but X has none; pass a data frame, or one number "
            "per column."
        )
    known = set(names)
    unknown = [key for key in values if key not in known]
    if unknown:
        raise ValueError(
            f"{name}: {unknown[0]!r} is no column of X; its columns are "
            f"{', '.join(map(str, names[:8]))}{', ...' if len(names) > 8 else ''}."
        )
    return np.array([values.get(column, missing) for column in names])
