"""Paths and fits as pandas data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data.types import Floats
from ..solve.path_data import PathData

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["data_frame", "entries_of", "frame_of_path", "labels_of"]

_KINDS = ("features", "coefficients", "points")


def data_frame(columns: dict[str, Any], index: Any = None, name: str | None = None) -> pd.DataFrame:
    """Return a data frame; ImportError with the remedy where there is no pandas."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_frame needs pandas: pip install pandas") from error
    return pd.DataFrame(columns, index=None if index is None else pd.Index(index, name=name))


def entries_of(path: PathData) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return the columns that are ever selected in order of entry, where, and how often."""
    first: dict[int, int] = {}
    count: dict[int, int] = {}
    for k, point in enumerate(path.points):
        for j in point.columns.tolist():
            first.setdefault(j, k)
            count[j] = count.get(j, 0) + 1
    columns = np.array(sorted(first, key=lambda j: (first[j], j)), dtype=np.int64)
    entered = np.array([path.alphas[first[j]] for j in columns.tolist()])
    share = np.array([count[j] / len(path) for j in columns.tolist()])
    return columns, entered, share


def frame_of_path(path: PathData, of: str) -> pd.DataFrame:
    """Return what :meth:`sparsieve.Path.to_frame` promises."""
    if of not in _KINDS:
        raise ValueError(f"of={of!r} is not known; use one of {', '.join(map(repr, _KINDS))}.")
    if of == "points":
        names = ("support_size", "r2", "objective", "intercepts", "kkt", "dual_gap", "converged")
        columns = {name.removesuffix("s"): getattr(path, name) for name in names}
        return data_frame(columns | {"start": path.start}, path.alphas, "alpha")
    chosen, entered, share = entries_of(path)
    labels = labels_of(chosen, path.feature_names)
    values = np.zeros((len(path), chosen.size))
    place = {j: k for k, j in enumerate(chosen.tolist())}
    for k, point in enumerate(path.points):
        for j, value in zip(point.columns.tolist(), point.values.tolist(), strict=True):
            values[k, place[j]] = value
    if of == "coefficients":
        table = {label: values[:, k] for k, label in enumerate(labels)}
        return data_frame(table, path.alphas, "alpha")
    columns = {"enters": entered, "selected": share, "coefficient": values[-1]}
    return data_frame(columns, labels, "feature")


def labels_of(columns: NDArray[np.int64], names: NDArray[Any] | None) -> list[Any]:
    """Return the names of columns, or their numbers where they have no names."""
    return columns.tolist() if names is None else [str(names[j]) for j in columns.tolist()]
