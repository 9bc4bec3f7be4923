"""Folds of a cross-validation: any splitter's rows, checked."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from ..data.types import Floats
from ..solve.problem import Problem

__all__ = ["Fold", "make_folds"]

Rows = NDArray[np.int64]
_FEW = 100

_REMEDY = "use e.g. cv=5, a scikit-learn splitter, or a list of (train, test) rows"


class Fold(NamedTuple):
    """Rows to fit on and rows to judge on."""

    train: Rows
    test: Rows


def make_folds(cv: Any, X: Any, problem: Problem, groups: Any) -> list[Fold]:
    """Split once, so that every alpha and every shape sees the same folds; check each fold.

    X is what the user gave: a splitter may want to see the index of a data frame. A number of folds
    is stratified where the responses are labels.
    """
    y, weight = problem.data.y, problem.data.sample_weight
    stratified = problem.loss.labels and bool(np.all((y == 0.0) | (y == 1.0)))
    if np.ptp(y) == 0.0 and problem.data.offset is None:
        raise ValueError(
            f"y is constant ({y[0]:g}), so there is nothing to explain and nothing to choose; "
            "check that y is the response."
        )
    folds = []
    for k, pair in enumerate(_split(cv, X, y, groups, stratified)):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(f"cv: fold {k} is not a pair (train, test) of rows; {_REMEDY}.")
        fold = Fold(*(_rows(k, part, y.size) for part in pair))
        _check_fold(k, fold, y, weight, constant=problem.data.offset is not None)
        folds.append(fold)
    if not folds:
        raise ValueError(f"cv={cv!r} makes no folds; {_REMEDY}.")
    return folds


def _split(cv: Any, X: Any, y: Floats, groups: Any, stratified: bool) -> list[Any]:
    """Return what the splitter says, or say why it cannot."""
    if inspect.isclass(cv):
        raise TypeError(f"cv is the class {cv.__name__}; pass an instance: {cv.__name__}().")
    if isinstance(cv, Iterable) and not isinstance(cv, str) and not hasattr(cv, "split"):
        return list(cv)
    try:
        return list(check_cv(cv, y, classifier=stratified).split(X, y, groups))
    except (TypeError, ValueError) as error:
        missing = groups is None and "group" in str(error)
        few = f"use e.g. cv={max(y.size // 2, 2)}"
        remedy = "pass groups=... to fit" if missing else few if y.size < 10 else _REMEDY
        why = str(error).rstrip(". ")
        raise ValueError(f"cv={cv!r} cannot split these {y.size} rows: {why}; {remedy}.") from error


def _rows(k: int, part: Any, n_samples: int) -> Rows:
    """Return the numbers of some rows, given as such or as a mask."""
    rows = np.asarray(part)
    if rows.dtype == np.bool_ and rows.shape == (n_samples,):
        return np.flatnonzero(rows).astype(np.int64)
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        raise ValueError(
            f"cv: the rows of fold {k} are neither a list of row numbers nor a mask of "
            f"{n_samples} booleans (got type {rows.dtype}, shape {rows.shape}); {_REMEDY}."
        )
    if rows.size and not (rows.min() >= 0 and rows.max() < n_samples):
        wrong = rows[(rows < 0) | (rows >= n_samples)][0]
        raise ValueError(
            f"cv: fold {k} asks for row {wrong}, but the rows of X are 0 to {n_samples - 1}; "
            "split these data, not others."
        )
    return rows.astype(np.int64)


def _check_fold(
    k: int, fold: Fold, y: Floats, weight: Floats | None, *, constant: bool = False
) -> None:
    """Refuse a fold without rows, and a constant response unless that may be explained."""
    for name, part in (("training", fold.train), ("test", fold.test)):
        used = part if weight is None else part[weight[part] > 0.0]
        if used.size == 0:
            raise ValueError(
                f"cv: fold {k} has no {name} rows (of positive sample weight); use fewer folds or "
                "another splitter."
            )
        if name == "training" and not constant and _is_constant(y, used):
            raise ValueError(
                f"cv: y is constant ({y[used[0]]:g}) on the training rows of fold {k}, so nothing "
                "can be fitted there; shuffle or stratify, e.g. cv=KFold(5, shuffle=True)."
            )


def _is_constant(y: Floats, rows: Rows) -> bool:
    # A few rows mostly settle it.
    return bool(np.ptp(y[rows[:_FEW]]) == 0.0 and np.ptp(y[rows]) == 0.0)
