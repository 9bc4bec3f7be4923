"""What the fits of the folds say about the rows they have not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..inspect.assessment import assess
from ..solve.points import Fits
from .fold_runs import FoldResult, Plan
from .folds import Fold

__all__ = ["assess_left_out"]


def assess_left_out(
    plan: Plan, folds: Sequence[Any], results: Sequence[FoldResult], index: int
) -> dict[str, Any] | None:
    """Return how well the chosen point of each fold fits the rows that were left out of it.

    None for squares and losses of the user, for folds of a checkpoint, which keeps no coefficients,
    and where a fold has no such point.
    """
    row, at = divmod(index, plan.grids[0].size)
    etas, rows = [], []
    for fold, result in zip(folds, results, strict=True):
        fits = None if result.kept is None else _fit(result.kept[row], at)
        if fits is None or not isinstance(fold, Fold):
            return None
        etas.append(plan.problem.predictions(fits, fold.test)[:, 0])
        rows.append(fold.test)
    tested = np.concatenate(rows)
    data = plan.problem.data
    omega = data.omega()[tested]
    if not np.any(omega > 0.0):
        return None
    offset = None if data.offset is None else data.offset[tested]
    eta = np.concatenate(etas)
    return assess(plan.problem.loss, eta, data.y[tested], omega, "left out", offset)


def _fit(parts: Sequence[Fits], at: int) -> Fits | None:
    """Return one of the fits that were kept in parts."""
    for part in parts:
        if at < part.sizes.size:
            return part.only(at)
        at -= part.sizes.size
    return None
