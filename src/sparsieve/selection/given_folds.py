"""Cross-validation over folds that are known by their statistics alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..data import dask_chunks
from ..data.batches import is_dask
from ..data.inputs import from_statistics
from ..data.stand_in import StandIn
from ..data.statistics import STEPS, Statistics, stand_in_of
from ..data.types import Floats
from ..data.validation import Checked
from ..solve.points import Fits

__all__ = ["GivenFold", "all_of", "are_given", "folds_of", "given_folds", "squared_errors"]


class GivenFold(NamedTuple):
    """A fold: what all others are, and what scores it."""

    train: Checked
    test: StandIn


def are_given(X: Any) -> bool:
    """Tell whether X is statistics, one per fold (or wrongly only one), or a Dask collection."""
    listed = isinstance(X, list | tuple) and any(isinstance(fold, Statistics) for fold in X)
    return listed or isinstance(X, Statistics) or is_dask(X)


def folds_of(X: Any, y: Any, sample_weight: Any, cv: Any) -> list[Statistics]:
    """Return the statistics of each fold, checked."""
    if is_dask(X):
        return dask_chunks.folds_of(STEPS, X, y, sample_weight, cv)
    if isinstance(X, Statistics):
        raise ValueError(
            "a single Statistics cannot be cut into folds; pass a list with one for each fold, "
            "for instance of the rows i with i % 5 == k."
        )
    for name, given in (("y", y), ("sample_weight", sample_weight), ("cv", cv)):
        if given is not None:
            raise ValueError(
                f"{name} is part of the Statistics that were passed, one per fold; leave it out."
            )
    if len(X) < 2 or not all(isinstance(fold, Statistics) for fold in X):
        raise ValueError(
            f"X is a list of {len(X)} folds; pass at least two, and a Statistics for each."
        )
    return list(X)


def all_of(folds: list[Statistics]) -> Statistics:
    """Return the statistics of all folds together."""
    total = Statistics()
    for k, fold in enumerate(folds):
        try:
            total = total + fold
        except ValueError as error:
            raise ValueError(f"fold {k}: {error}") from error
    return total


def given_folds(folds: list[Statistics], weights: Any) -> list[GivenFold]:
    """Return each fold with what is fitted for it: the others merged, nothing subtracted."""
    tests = [_scored(k, fold) for k, fold in enumerate(folds)]
    return [GivenFold(_fitted(k, folds, weights), test) for k, test in enumerate(tests)]


def _scored(k: int, fold: Statistics) -> StandIn:
    try:
        return stand_in_of(fold, least=1)
    except ValueError as error:
        raise ValueError(f"fold {k} cannot be scored: {error}") from error


def _fitted(k: int, folds: list[Statistics], weights: Any) -> Checked:
    try:
        return from_statistics(all_of(folds[:k] + folds[k + 1 :]), weights)
    except ValueError as error:
        raise ValueError(f"all folds but {k} cannot be fitted: {error}") from error


def squared_errors(fits: Fits, test: StandIn) -> Floats:
    """Return the mean squared error of each fit on the rows of a fold."""
    return np.array(
        [test.mean_squared_error(columns, values, b) for columns, values, b in fits.each()]
    )
