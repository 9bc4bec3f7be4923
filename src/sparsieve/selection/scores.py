"""Judging fitted points on rows that were left out."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import check_scoring, get_scorer_names

from ..data.types import Floats
from ..estimators.regressor import LinearPredictor
from ..solve.points import Fits

__all__ = ["Candidate", "check_scorer", "mean_squared_errors", "score_points"]


class Candidate(LinearPredictor):
    """A point of a path as a fitted regressor, for scorers that want an estimator."""

    def __init__(self, coef: Floats | None = None, intercept: float = 0.0) -> None:
        self.coef = coef
        self.intercept = intercept
        if coef is not None:
            self.coef_ = coef
            self.intercept_ = intercept
            self.n_features_in_ = coef.size

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


def mean_squared_errors(y: Floats, predicted: Floats, sample_weight: Floats | None) -> Floats:
    """Return the mean squared error of each column of ``predicted``."""
    errors = (predicted - y[:, np.newaxis]) ** 2
    return np.asarray(np.average(errors, axis=0, weights=sample_weight))


def score_points(
    scorer: Any,
    scoring: Any,
    X: Any,
    y: Floats,
    fits: Fits,
    sample_weight: Any,
    check: Callable[[], None],
) -> Floats:
    """Return the score of each of the fits on X, y (the rows left out).

    Scores that are not defined come back as NaN. ``check`` is called before each score, which may
    be slow, and raises if no more are wanted.
    """
    keywords = {}
    if sample_weight is not None and _takes_sample_weight(scorer):
        keywords["sample_weight"] = sample_weight
    scores = np.empty(fits.sizes.size)
    for k, (columns, values, intercept) in enumerate(fits.each()):
        check()
        coef = np.zeros(X.shape[1])
        coef[columns] = values
        try:
            # Its warnings are left to the user: filters are shared by all threads, so that folds
            # which change and restore them would undo each other's.
            scores[k] = scorer(Candidate(coef, intercept), X, y, **keywords)
        except UndefinedMetricWarning:  # where warnings are errors
            scores[k] = np.nan
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
