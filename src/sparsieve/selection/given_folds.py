"""Cross-validation over folds that are known by their statistics alone."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..data import dask_chunks
from ..data.batches import is_dask
from ..data.leaves import Summary, merged
from ..data.row_sums import sums_of_rows
from ..data.sample_weights import in_range
from ..data.scalars import count_jobs
from ..data.stand_in import mean_residuals
from ..data.statistics import STEPS, Statistics, check_summary, summary_of
from ..data.types import Floats
from ..solve.designs import keeps_all
from ..solve.points import Fits
from ..solve.problem import Problem
from .folds import Fold

__all__ = [
    "GivenFold",
    "all_of",
    "are_given",
    "folds_of",
    "given_folds",
    "squared_errors",
    "summed_folds",
]


# With fewer entries of X a fold is solved from rows as fast as it is summed, factored and scored.
_FEWEST = 100_000


class GivenFold(NamedTuple):
    """A fold: what all others are, and what scores it; the rows themselves where they are known."""

    train: Summary
    test: Summary
    rows: Fold | None = None


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


def given_folds(folds: list[Statistics]) -> list[GivenFold]:
    """Return each fold with what is fitted for it: the others merged."""
    parts = [_scored(k, fold) for k, fold in enumerate(folds)]
    trains = [_fitted(k, others) for k, others in enumerate(_others(parts))]
    return [GivenFold(train, test) for train, test in zip(trains, parts, strict=True)]


def _scored(k: int, fold: Statistics) -> Summary:
    try:
        return summary_of(fold, least=1)
    except ValueError as error:
        raise ValueError(f"fold {k} cannot be scored: {error}") from error


def _fitted(k: int, others: Summary) -> Summary:
    try:
        return check_summary(others, least=2)
    except ValueError as error:
        raise ValueError(f"all folds but {k} cannot be fitted: {error}") from error


def summed_folds(
    problem: Problem, folds: Sequence[Fold | GivenFold], n_alphas: int, scorer: Any = None
) -> Sequence[Fold | GivenFold]:
    """Return the folds of a tall table by their sums: every row is read once for all folds.

    The folds as they are where that does not pay, or where scores or rows need more: each row must
    be left out once at most, and be fitted on once in all other folds.
    """
    rows = [fold for fold in folds if isinstance(fold, Fold)]
    squares = problem.squared and scorer is None and problem.data.offset is None
    summed = _summed(problem, rows, n_alphas) if squares and rows else None
    return folds if summed is None else summed


def _summed(problem: Problem, folds: Sequence[Fold], n_alphas: int) -> list[GivenFold] | None:
    n, d = problem.n_samples, problem.n_features
    # The sums of all folds, and of all others for each, take no more memory than X.
    if not keeps_all(problem, n_alphas) or 2 * len(folds) * d > n or n * d < _FEWEST:
        return None
    owner = np.full(n, len(folds))
    for k, fold in enumerate(folds):
        owner[fold.test] = k
        if not _complete_each_other(fold, n):
            return None
    if sum(fold.test.size for fold in folds) != np.count_nonzero(owner < len(folds)):
        return None
    never = np.flatnonzero(owner == len(folds))
    weight = problem.data.sample_weight
    weight = None if weight is None else in_range(weight)
    threads = count_jobs(problem.n_jobs)
    parts = []
    for rows in [*(fold.test for fold in folds), *([never] if never.size else [])]:
        found = sums_of_rows(problem.data.X, problem.data.y, weight, rows, threads)
        if found is None:
            return None
        parts.append(found)
    return [GivenFold(*fold) for fold in zip(_others(parts), parts, folds, strict=False)]


def _complete_each_other(fold: Fold, n: int) -> bool:
    """Tell whether every row is in one of the two parts of a fold, and once."""
    if fold.train.size + fold.test.size != n:
        return False
    seen = np.zeros(n, dtype=np.bool_)
    seen[fold.train] = seen[fold.test] = True
    return bool(np.all(seen))


def _others(parts: list[Summary]) -> list[Summary]:
    """Return for each part all others merged; nothing is subtracted."""
    before = [*itertools.accumulate(parts[:-1], merged)]
    after = [*itertools.accumulate(parts[:0:-1], lambda later, part: merged(part, later))][::-1]
    between = [merged(a, b) for a, b in zip(before, after[1:], strict=False)]
    return [after[0], *between, before[-1]]


def squared_errors(fits: Fits, test: Summary) -> tuple[Floats, Floats]:
    r"""Return the mean squared error of each fit on the rows of a fold, and how far it may be off.

    .. math:: \frac1W \sum_i \omega_i (y_i - b - x_i^\top w)^2
        = \frac1W (-w, 1) \, S \, (-w, 1)^\top + (m_y - m_x^\top w - b)^2
    """
    used, place = np.unique(fits.columns, return_inverse=True)
    vectors = np.zeros((fits.sizes.size, used.size + 1))
    vectors[np.repeat(np.arange(fits.sizes.size), fits.sizes), place] = -fits.values
    vectors[:, -1] = 1.0
    kept = np.append(used, len(test.mean) - 1)
    covariance = test.products[np.ix_(kept, kept)] / test.weight
    within = np.maximum(np.einsum("ij,ij->i", vectors @ covariance, vectors), 0.0)
    # The intercept belongs into the exact sum: where means are huge it is, too.
    slip = mean_residuals(test, fits.sizes, fits.columns, fits.values, fits.intercepts)
    reach = np.abs(vectors) @ np.sqrt(np.diagonal(covariance))
    # The products themselves, then the sums above and what is rounded after them.
    roundings = test.roundings + 2.0 * kept.size + 8.0
    means = (2.0 * test.mean_roundings + 4.0) * np.abs(slip)
    mse = within + slip**2
    off = reach * (roundings * reach + means) + 8.0 * mse
    return mse, np.finfo(np.float64).eps / 2.0 * off
