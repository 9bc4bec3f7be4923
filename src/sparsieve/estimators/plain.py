"""Fitted models as scikit-learn's own linear models, which other tools take as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor

__all__ = ["as_sklearn", "classes_as_sklearn"]


def as_sklearn(model: Any) -> Any:
    """Return a fitted model of scikit-learn that predicts what this one does."""
    loss = model._loss()
    if loss.name not in _MAKERS:
        raise ValueError(
            f"scikit-learn has no model that predicts as one fitted with the loss {loss.label}; "
            "keep this one, and save it with model.save(file)."
        )
    return _with_columns(_MAKERS[loss.name](model), model)


def _linear(model: Any) -> Any:
    """Squared loss: the prediction is linear in the columns."""
    intercept = getattr(model, "fit_intercept", True)
    twin = LinearRegression(fit_intercept=intercept, positive=bool(model.positive))
    twin.coef_, twin.intercept_ = model.coef_.copy(), float(model.intercept_)
    return twin


def _exponential(model: Any) -> Any:
    """Return a model of counts: it predicts the exponential of what is linear in the columns."""
    twin = PoissonRegressor(alpha=0.0, fit_intercept=getattr(model, "fit_intercept", True))
    twin.coef_, twin.intercept_ = model.coef_.copy(), float(model.intercept_)
    twin.n_iter_ = model.n_iter_
    # What it makes in its fit, and predicts with.
    twin._base_loss = twin._get_loss()
    return twin


def classes_as_sklearn(model: Any) -> Any:
    """Return fitted models of scikit-learn that predict what a classifier does.

    A LogisticRegression for two classes, beyond these a OneVsRestClassifier of one for each.
    """
    if model.estimators_[0]._loss().name != "logistic":
        raise ValueError(
            "scikit-learn has no model that predicts as this one, with a loss of yours; keep it, "
            "and save it with model.save(file)."
        )
    if len(model.estimators_) == 1:
        return _logistic(model, 0, model.classes_.copy())
    # Here, because they take long to import and few ask for them.
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import LabelBinarizer

    twin = OneVsRestClassifier(LogisticRegression(fit_intercept=model.fit_intercept))
    twin.estimators_ = [
        _logistic(model, k, np.array([0, 1])) for k in range(len(model.estimators_))
    ]
    twin.classes_ = model.classes_.copy()
    twin.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(twin.classes_)
    return _with_columns(twin, model)


def _logistic(model: Any, k: int, classes: Any) -> Any:
    """Return the model of number k of a classifier."""
    twin = LogisticRegression(fit_intercept=model.fit_intercept)
    twin.coef_, twin.intercept_ = model.coef_[[k]].copy(), model.intercept_[[k]].copy()
    twin.classes_ = classes
    twin.n_iter_ = np.array([model.n_iter_], dtype=np.int32)
    return _with_columns(twin, model)


def _with_columns(twin: Any, model: Any) -> Any:
    twin.n_features_in_ = model.n_features_in_
    if hasattr(model, "feature_names_in_"):
        twin.feature_names_in_ = model.feature_names_in_
    return twin


#: For each loss, who makes the model of scikit-learn that has the same predictions.
_MAKERS: dict[str, Callable[[Any], Any]] = {
    "squared": _linear,
    "huber": _linear,
    "poisson": _exponential,
    "negative_binomial": _exponential,
}
