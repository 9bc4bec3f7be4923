"""Numbers per column that were given by the names of columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["by_name"]


def by_name(name: str, values: Any, names: NDArray[Any] | None, missing: float) -> Any:
    """Return a mapping from column names to numbers as one number per column, else the values.

    Columns that are not named get ``missing``.
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
