"""Judging fitted points on rows that were left out."""

from __future__ import annotations

import difflib
import inspect
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import check_scoring, get_scorer_names

from ..estimators import LinearPredictor
from ..solvers import Brief, Point

__all__ = ["Candidate", "check_scorer", "mean_squared_errors", "predictions", "score_points"]

Floats = NDArray[np.float64]


class Candidate(LinearPredictor):
    """A point of a path as a fitted regressor, for scorers that want an estimator."""

    def __init__(self, point: Point | Brief | None = None, n_features: int = 0) -> None:
        self.point = point
        self.n_features = n_features
        if point is not None:
            self.coef_ = np.zeros(n_features)
            self.coef_[point.columns] = point.values
            self.intercept_ = point.intercept
            self.n_features_in_ = n_features

    def fit(self, X: Any, y: Any) -> Candidate:
        """Return self: a candidate is fitted from the start."""
        return self


def check_scorer(scoring: Any) -> Any:
    """Return a scikit-learn scorer from a name or a callable, or None for mean squared error."""
    if scoring is None:
        return None
    if not isinstance(scoring, str) and not callable(scoring):
        raise ValueError(
            f"scoring={scoring!r} is neither a name nor a callable; use e.g. scoring='r2', a "
            "scorer f(estimator, X, y), or None for the mean squared error."
        )
    if isinstance(scoring, str) and scoring not in get_scorer_names():
        close = difflib.get_close_matches(scoring, get_scorer_names(), n=3)
        instead = " or ".join(map(repr, close or ["r2"]))
        raise ValueError(
            f"scoring={scoring!r} is not a score that scikit-learn knows; use for instance "
            f"{instead}."
        )
    return check_scoring(Candidate(), scoring=scoring)


def predictions(X: Any, rows: NDArray[np.int64], points: Sequence[Point | Brief]) -> Floats:
    """Return what each point predicts for some rows: (n_rows, n_points).

    Reads only the columns that some point selects, and only once.
    """
    columns = np.concatenate([point.columns for point in points])
    used, place = np.unique(columns, return_inverse=True)
    starts = np.cumsum([0] + [point.columns.size for point in points])
    values = np.concatenate([point.values for point in points])
    # One row per point. A sparse product: most entries are zero, and it needs no thread pool, which
    # would fight with the folds' own threads.
    coefs = sparse.csr_array((values, place, starts), shape=(len(points), used.size))
    block = X[:, used][rows] if sparse.issparse(X) else X[np.ix_(rows, used)]
    product = coefs @ block.T
    dense = product.toarray() if sparse.issparse(product) else product
    intercepts = np.array([point.intercept for point in points])
    predicted: Floats = np.asarray(dense.T, dtype=np.float64) + intercepts
    return predicted


def mean_squared_errors(y: Floats, predicted: Floats, sample_weight: Floats | None) -> Floats:
    """Return the mean squared error of each column of ``predicted``."""
    errors = (predicted - y[:, np.newaxis]) ** 2
    return np.asarray(np.average(errors, axis=0, weights=sample_weight))


def score_points(
    scorer: Any,
    scoring: Any,
    X: Any,
    y: Floats,
    points: Sequence[Point | Brief],
    sample_weight: Any,
) -> Floats:
    """Return the score of each point on X, y (the rows left out)."""
    keywords = {}
    if sample_weight is not None and _takes_sample_weight(scorer):
        keywords["sample_weight"] = sample_weight
    scores = np.empty(len(points))
    for k, point in enumerate(points):
        try:
            with warnings.catch_warnings():
                # Scores that are not defined come back as NaN and are reported by the caller.
                warnings.simplefilter("ignore")
                scores[k] = scorer(Candidate(point, X.shape[1]), X, y, **keywords)
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError(
                f"scoring={scoring!r} cannot judge a regressor on these data: {error}; use a score "
                "for regression, e.g. scoring='r2' or 'neg_mean_absolute_error'."
            ) from error
    return scores


def _takes_sample_weight(scorer: Any) -> bool:
    """Tell whether the score itself, under scikit-learn's wrapping, has a sample_weight."""
    try:
        parameters = inspect.signature(getattr(scorer, "_score_func", scorer)).parameters
    except (TypeError, ValueError):
        return False
    return "sample_weight" in parameters
