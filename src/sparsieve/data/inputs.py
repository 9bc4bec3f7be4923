"""Data in whichever form they come: rows, or statistics that stand for them."""

from __future__ import annotations

from typing import Any

from .batches import is_dask
from .statistics import Statistics, stand_in_of
from .validation import Checked, check_weights, check_X_y

__all__ = ["check_data", "check_squared", "from_statistics"]


def check_data(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    weights: Any = None,
    offset: Any = None,
    squared: bool = True,
) -> Checked:
    """Validate a regression problem on rows, on Statistics, or on Dask's chunks of rows.

    ``squared`` tells whether the loss is the squared one. What sums cannot do is refused before
    a cluster is asked to add up rows.
    """
    if not (is_dask(X) or isinstance(X, Statistics)):
        return check_X_y(X, y, sample_weight=sample_weight, weights=weights, offset=offset)
    check_squared(squared)
    if offset is not None:
        raise ValueError(
            "offset needs rows, which Statistics do not have; subtract it from the responses that "
            "go into them."
        )
    if is_dask(X):
        X, y, sample_weight = Statistics.of(X, y, sample_weight), None, None
    for name, given in (("y", y), ("sample_weight", sample_weight)):
        if given is not None:
            raise ValueError(
                f"{name} is part of the Statistics that were passed as X; leave {name} out."
            )
    return from_statistics(X, weights)


def check_squared(squared: bool) -> None:
    """Refuse statistics under a loss that they do not know."""
    if not squared:
        raise ValueError(
            "Statistics hold means and products, which is enough for squares only; use "
            "loss='squared', or pass rows."
        )


def from_statistics(statistics: Statistics, weights: Any) -> Checked:
    """Return the rows that stand for statistics."""
    stand_in = stand_in_of(statistics)
    names = statistics.feature_names
    X, y, _ = stand_in.data(fit_intercept=True)
    feature_weights = check_weights(weights, statistics.n_features, names)
    return Checked(X, y, None, feature_weights, names, stand_in=stand_in)
