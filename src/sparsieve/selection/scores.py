"""Judging fitted points on rows that were left out."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import check_scoring, get_scorer_names

from ..data.types import Floats
from ..estimators.fitted import LinearPredictor, probabilities
from ..losses import BuiltInLoss
from ..solve.points import Fits

__all__ = ["HeldOut", "check_scorer", "mean_deviances", "score_points"]


class Candidate(LinearPredictor):
    """A point of a path as a fitted regressor, for scorers that want an estimator.

    It predicts for the rows left out, whose offset it has.
    """

    def __init__(
        self,
        coef: Floats | None = None,
        intercept: float = 0.0,
        loss: Any = "squared",
        offset: Any = None,
    ) -> None:
        self.coef = coef
        self.intercept = intercept
        self.loss = loss
        self.offset = offset
        if coef is not None:
            self.coef_ = coef
            self.intercept_ = intercept
            self.n_features_in_ = coef.size

    def fit(self, X: Any, y: Any) -> Candidate:
        """Return self: a candidate is fitted from the start."""
        return self

    def predict(self, X: Any, offset: Any = None) -> Floats:
        """Return the means for the rows left out."""
        return super().predict(X, self.offset if offset is None else offset)


class ClassCandidate(ClassifierMixin, Candidate):  # type: ignore[misc]
    """The same for scorers of two classes."""

    def __init__(
        self,
        coef: Floats | None = None,
        intercept: float = 0.0,
        loss: Any = "logistic",
        offset: Any = None,
        classes: Any = (0.0, 1.0),
    ) -> None:
        super().__init__(coef, intercept, loss, offset)
        self.classes = classes
        self.classes_ = np.asarray(classes)

    def decision_function(self, X: Any) -> Floats:
        """Return the linear predictor."""
        return self._linear_predictor(X, self.offset)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of both classes."""
        return probabilities(self.loss, self.decision_function(X))

    def predict(self, X: Any, offset: Any = None) -> Any:
        """Return labels."""
        return self.classes_[(self.decision_function(X) > 0.0).astype(np.int64)]


class HeldOut(NamedTuple):
    """The rows that fits are judged on; ``classes`` are the two labels that y stands for."""

    X: Any
    y: Floats
    sample_weight: Floats | None
    offset: Floats | None
    loss: BuiltInLoss
    classes: Any = None

    def candidate(self, coef: Floats, intercept: float) -> Candidate:
        """Return a point as what a scorer wants."""
        if self.classes is None:
            return Candidate(coef, intercept, self.loss, self.offset)
        return ClassCandidate(coef, intercept, self.loss, self.offset, self.classes)

    @property
    def kind(self) -> str:
        """What is judged, in words."""
        return "regressor" if self.classes is None else "classifier"

    @property
    def remedy(self) -> str:
        """Which scores are for it."""
        if self.classes is None:
            return "regression, e.g. scoring='r2' or 'neg_mean_absolute_error'"
        return "classes, e.g. scoring='accuracy' or 'roc_auc'"

    @property
    def responses(self) -> Any:
        """What predictions are compared with: labels if there are any."""
        return self.y if self.classes is None else np.asarray(self.classes)[self.y.astype(np.int64)]


def check_scorer(scoring: Any) -> Any:
    """Return a scikit-learn scorer from a name or a callable, or None for the mean deviance."""
    if scoring is None:
        return None
    if not isinstance(scoring, str) and not callable(scoring):
        raise ValueError(
            f"scoring={scoring!r} is neither a name nor a callable; use e.g. scoring='r2', a "
            "scorer f(estimator, X, y), or None for the mean squared error (or deviance)."
        )
    if isinstance(scoring, str) and scoring not in get_scorer_names():
        close = difflib.get_close_matches(scoring, get_scorer_names(), n=3)
        instead = " or ".join(map(repr, close or ["r2"]))
        raise ValueError(
            f"scoring={scoring!r} is not a score that scikit-learn knows; use for instance "
            f"{instead}."
        )
    return check_scoring(Candidate(), scoring=scoring)


def mean_deviances(deviances: Floats, sample_weight: Floats | None) -> Floats:
    """Return the mean of each column: of squares the mean squared error."""
    if sample_weight is not None and np.any(np.isinf(deviances)):
        # A fit that does not exist is judged by rows that count only: inf times zero is none.
        kept = sample_weight > 0.0
        deviances, sample_weight = deviances[kept], sample_weight[kept]
    return np.asarray(np.average(deviances, axis=0, weights=sample_weight))


def score_points(
    scorer: Any,
    scoring: Any,
    rows: HeldOut,
    fits: Fits,
    check: Callable[[], None],
) -> Floats:
    """Return the score of each of the fits on the rows left out.

    Scores that are not defined come back as NaN, those of fits that do not exist as -inf. ``check``
    is called before each score, which may be slow, and raises if no more are wanted.
    """
    keywords = {}
    if rows.sample_weight is not None and _takes_sample_weight(scorer):
        keywords["sample_weight"] = rows.sample_weight
    scores = np.empty(fits.sizes.size)
    responses = rows.responses
    for k, (columns, values, intercept) in enumerate(fits.each()):
        check()
        if np.isnan(intercept):
            scores[k] = -np.inf
            continue
        coef = np.zeros(rows.X.shape[1])
        coef[columns] = values
        try:
            # Its warnings are left to the user: filters are shared by all threads, so that folds
            # which change and restore them would undo each other's.
            scores[k] = scorer(rows.candidate(coef, intercept), rows.X, responses, **keywords)
        except UndefinedMetricWarning:  # where warnings are errors
            scores[k] = np.nan
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError(
                f"scoring={scoring!r} cannot judge a {rows.kind} on these data: {error}; use a "
                f"score for {rows.remedy}."
            ) from error
    return scores


def _takes_sample_weight(scorer: Any) -> bool:
    """Tell whether the score itself, under scikit-learn's wrapping, has a sample_weight."""
    try:
        parameters = inspect.signature(getattr(scorer, "_score_func", scorer)).parameters
    except (TypeError, ValueError):
        return False
    return "sample_weight" in parameters
