"""Models of scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LogisticRegression,
    LogisticRegressionCV,
    PoissonRegressor,
)

from ..data.scalars import check_integer, check_number
from ..estimators.classifier import SparseClassifier
from ..estimators.regressor import SparseRegressor
from ..penalties import L1
from .stated import Stated, ratio_of, state_of

__all__ = ["from_sklearn", "to_sklearn"]

_ROWS = "scikit-learn's C does not know the number of rows: pass n_samples=len(y)"


def from_sklearn(estimator: Any, *, n_samples: int | None = None) -> Any:
    """Convert a scikit-learn model.

    Parameters
    ----------
    estimator : Lasso, ElasticNet, LogisticRegression, PoissonRegressor, LassoCV, ElasticNetCV
        The last three must be fitted.
    n_samples : int, default=None
        Number of rows (the sum of sample weights, where there are any); a LogisticRegression needs
        it.

    Returns
    -------
    SparseRegressor or SparseClassifier
        Not fitted; ``tol`` means another thing here and keeps its default.
    """
    if isinstance(estimator, LogisticRegression):
        return _from_logistic(estimator, n_samples)
    if isinstance(estimator, PoissonRegressor):
        return _from_poisson(estimator)
    # The multi-task ones are kinds of Lasso too, but know no sign.
    kinds = Lasso | LassoCV | ElasticNet | ElasticNetCV
    if not (isinstance(estimator, kinds) and hasattr(estimator, "positive")):
        raise TypeError(
            f"{type(estimator).__name__} has no equivalent here; pass a Lasso, an ElasticNet, a "
            "LogisticRegression, or a fitted LassoCV, ElasticNetCV or PoissonRegressor."
        )
    if isinstance(estimator, LassoCV | ElasticNetCV) and not hasattr(estimator, "alpha_"):
        kind = type(estimator).__name__
        raise ValueError(f"this {kind} is not fitted, so it has no alpha; call its fit first.")
    ratio = getattr(estimator, "l1_ratio_", getattr(estimator, "l1_ratio", 1.0))
    return SparseRegressor(
        "l1",
        alpha=float(getattr(estimator, "alpha_", None) or estimator.alpha),
        fit_intercept=estimator.fit_intercept,
        positive=estimator.positive,
        standardize=False,
        l1_ratio=ratio_of("l1_ratio", ratio),
    )


def _from_logistic(estimator: Any, n_samples: int | None) -> SparseClassifier:
    r"""Convert :math:`C \sum_i` log-loss + :math:`\lambda \|w\|_1 + (1 - \lambda)\|w\|^2/2`."""
    if isinstance(estimator, LogisticRegressionCV):
        raise TypeError(
            "LogisticRegressionCV has no equivalent here; pass LogisticRegression(C=cv.C_[0]), or "
            "use SparseClassifierCV."
        )
    n = check_integer("n_samples", n_samples, low=1, remedy=_ROWS)
    if estimator.solver == "liblinear" and estimator.fit_intercept:
        raise ValueError(
            "solver='liblinear' penalises the intercept, and sparsieve does not; use another "
            "solver, or fit_intercept=False."
        )
    if np.size(getattr(estimator, "classes_", ())) > 2:
        raise ValueError(
            "beyond two classes scikit-learn fits them together, and sparsieve each against the "
            "rest; there is no equivalent."
        )
    old = getattr(estimator, "penalty", "deprecated")
    known = {"l1": 1.0, "l2": 0.0}
    ratio = known.get(old, estimator.l1_ratio)
    if old is None or not np.isfinite(estimator.C):
        raise ValueError("a LogisticRegression without a penalty selects nothing; use a finite C.")
    strength = 1.0 / (estimator.C * n)
    return SparseClassifier(
        "l1",
        alpha=strength,
        class_weight=estimator.class_weight,
        fit_intercept=estimator.fit_intercept,
        standardize=False,
        l1_ratio=ratio_of("l1_ratio", 0.0 if ratio is None else ratio),
    )


def _from_poisson(estimator: Any) -> SparseRegressor:
    """Convert a ridge on the mean deviance over two; nothing of it selects features."""
    if not hasattr(estimator, "n_features_in_"):
        raise ValueError(
            "this PoissonRegressor is not fitted, so it does not know how many features are "
            "unpenalised but for its ridge; call its fit first."
        )
    remedy = "a ridge or 0"
    return SparseRegressor(
        "l1",
        alpha=1.0,
        weights=np.zeros(estimator.n_features_in_),
        fit_intercept=estimator.fit_intercept,
        standardize=False,
        ridge=check_number("alpha", estimator.alpha, closed="low", remedy=remedy),
        loss="poisson",
    )


def to_sklearn(model: Any, *, n_samples: int | None = None) -> Any:
    """Convert a model with the l1 penalty to one of scikit-learn (not fitted).

    Squares become a Lasso or an ElasticNet, the logistic loss a LogisticRegression, which needs
    ``n_samples``; Poisson a PoissonRegressor, where all features have weight 0 and a ridge.
    Estimators that choose, such as :class:`SparseRegressorCV`, must be fitted.
    """
    stated = state_of(model)
    loss = stated.only("scikit-learn", "squared", "logistic", "poisson")
    if loss == "poisson":
        return _to_poisson(model, stated)
    if type(stated.penalty) is not L1 or stated.weights is not None:
        raise ValueError(
            "scikit-learn has only the lasso, without weights per feature; use penalty='l1' and "
            "weights=None."
        )
    alpha, ratio = stated.elastic()
    positive = stated.positive("scikit-learn")
    if loss == "logistic":
        return _to_logistic(model, alpha, ratio, positive, n_samples)
    shared = {"fit_intercept": model.fit_intercept, "positive": positive}
    if ratio == 1.0:
        return Lasso(alpha=alpha, **shared)
    return ElasticNet(alpha=alpha, l1_ratio=ratio, **shared)


def _to_logistic(
    model: Any, alpha: float, ratio: float, positive: bool, n_samples: int | None
) -> Any:
    n = check_integer("n_samples", n_samples, low=1, remedy=_ROWS)
    if positive:
        raise ValueError(
            "scikit-learn's LogisticRegression has no bounds; use positive=False and bounds=None."
        )
    # Its penalty= was replaced by l1_ratio= alone in 1.8.
    default = inspect.signature(LogisticRegression).parameters["penalty"].default
    named = {} if default == "deprecated" else {"penalty": "elasticnet"}
    return LogisticRegression(
        C=1.0 / (alpha * n),
        l1_ratio=ratio,
        solver="saga",
        fit_intercept=model.fit_intercept,
        class_weight=getattr(model, "class_weight", None),
        **named,
    )


def _to_poisson(model: Any, stated: Stated) -> Any:
    if stated.weights is None or np.any(stated.weights != 0.0):
        raise ValueError(
            "scikit-learn's PoissonRegressor has a ridge and no l1 penalty; use weights of zero "
            "and ridge=, or loss='squared'."
        )
    stated.positive("scikit-learn")
    if stated.terms.bounded:
        raise ValueError(
            "scikit-learn's PoissonRegressor has no bounds; use positive=False and bounds=None."
        )
    return PoissonRegressor(alpha=stated.terms.ridge, fit_intercept=model.fit_intercept)
