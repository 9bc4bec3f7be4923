"""Labels of classes: their checks, and how much each class counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ..data.scalars import check_number
from ..data.types import Floats

__all__ = ["check_classes", "class_weight_of", "coded_labels"]


def class_weight_of(given: Any, label: Any) -> float:
    """Return the weight that a mapping gives to the rows of a class, 1 unless it is named."""
    weight = given.get(label, 1.0)
    return check_number(f"class_weight[{label!r}]", weight, closed="low", remedy="use e.g. 2.0")


def coded_labels(y: Any, n_samples: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the different labels, sorted, and which of them each row has."""
    if y is None:
        raise ValueError(
            "This estimator requires y to be passed, but the target y is None; pass one label per "
            "row of X."
        )
    y = column_or_1d(y, warn=True)
    if y.shape[0] != n_samples:
        raise ValueError(
            f"y has {y.shape[0]} entries, X has {n_samples} rows: inconsistent numbers of samples; "
            "pass one label per row of X."
        )
    missing = _missing(y)
    if np.any(missing):
        at = int(np.flatnonzero(missing)[0])
        raise ValueError(
            f"Input y contains NaN: the label of row {at} is {y[at]!r}; remove rows that have none."
        )
    try:
        check_classification_targets(y)
    except ValueError as error:
        raise ValueError(
            f"{error} y: pass labels of one kind, for instance y.astype(str); for numbers use "
            "SparseRegressor."
        ) from error
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int64)


def _missing(y: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which labels are missing: NaN, None, pandas' NA."""
    if y.dtype.kind == "f":
        return np.asarray(~np.isfinite(y))
    if y.dtype.kind != "O":
        return np.zeros(y.shape[0], dtype=np.bool_)
    return np.array([_is_missing(label) for label in y.tolist()], dtype=np.bool_)


def _is_missing(label: Any) -> bool:
    same = label == label
    return label is None or not isinstance(same, bool | np.bool_) or not same


def check_classes(classes: NDArray[Any], codes: NDArray[np.int64], weight: Floats | None) -> None:
    """Refuse fewer than two classes among the rows that count."""
    used = np.unique(codes if weight is None else codes[weight > 0.0])
    if used.size == classes.size and classes.size > 1:
        return
    labels = classes.tolist()
    if classes.size == 1:
        raise ValueError(
            f"y has one class only ({labels[0]!r}); a classifier needs at least two: check y."
        )
    absent = next(k for k in range(classes.size) if k not in used)
    raise ValueError(
        f"the class {labels[absent]!r} has no row of positive weight, so nothing is known of it; "
        "raise its sample_weight or class_weight, or leave its rows out."
    )
