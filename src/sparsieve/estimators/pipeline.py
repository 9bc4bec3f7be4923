"""A table model as a scikit-learn pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from ..data.terms import check_terms
from ..tables.survey import MISSING
from .classifier import SparseClassifier
from .regressor import SparseRegressor

__all__ = ["make_pipeline"]

_OF_CLASSES = frozenset(SparseClassifier().get_params(deep=False)) - {"class_weight"}


def make_pipeline(model: Any) -> Any:
    """Return a fitted pipeline that predicts what a :class:`~sparsieve.TableModel` does.

    The transformers are fitted on two made-up rows, which gives them everything but the numbers;
    then the numbers of the model are put in.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_pipeline needs pandas: pip install pandas") from error
    schema = model.schema
    if schema.offset is not None:
        raise ValueError(
            f"the model adds the offset {schema.offset!r} to each row, which no pipeline does; "
            "keep the table model, and save it with model.save(file)."
        )
    columns = ColumnTransformer(
        _transformers(model, pd), sparse_threshold=0.3, verbose_feature_names_out=False
    )
    rows: dict[str, list[Any]] = {name: [0.0, 1.0] for name in schema.numbers}
    rows |= {name: [values[0], values[-1]] for name, values in schema.categories.items()}
    columns.fit(pd.DataFrame(rows))
    if schema.fills is not None and schema.numbers:
        columns.named_transformers_["numbers"].statistics_ = schema.fills.copy()
    if hasattr(model, "classes_"):
        return Pipeline([("columns", columns), ("classify", _classifier(model))])
    return Pipeline([("columns", columns), ("regress", _regressor(model))])


def _classifier(model: Any) -> Any:
    """Return a classifier with the penalty and alpha of each class, fitted.

    Where classes chose different ones, a fit to other rows takes those of the first.
    """
    models = [_regressor(part) for _, part in model.each()]
    shared = {k: v for k, v in models[0].get_params(deep=False).items() if k in _OF_CLASSES}
    classifier = SparseClassifier(**shared, class_weight=model.regressor.class_weight)
    classifier.estimators_, classifier.classes_ = models, model.classes_.copy()
    classifier.n_features_in_ = model.n_features_in_
    return classifier


def _transformers(model: Any, pd: Any) -> list[tuple[str, Any, list[str]]]:
    schema = model.schema
    out: list[tuple[str, Any, list[str]]] = []
    if schema.numbers:
        numbers: Any = "passthrough"
        if schema.impute is not None:
            strategy = "constant" if schema.impute == "zero" else schema.impute
            numbers = SimpleImputer(strategy=strategy, fill_value=0.0)
        out.append(("numbers", numbers, schema.numbers))
    for k, (name, values) in enumerate(schema.categories.items()):
        encoder: Any = OneHotEncoder(categories=[values], drop=[values[0]], dtype=np.float64)
        if MISSING in values:
            # pandas.NA stands for None and NaN too; a frame has one or the other by its version.
            fill = SimpleImputer(missing_values=pd.NA, strategy="constant", fill_value=MISSING)
            encoder = Pipeline([("fill", fill), ("encode", encoder)])
        out.append((f"text{k}", encoder, [name]))
    return out


def _regressor(model: Any) -> Any:
    """Return a regressor with the chosen penalty and alpha, fitted."""
    source = model.regressor
    names = (
        "fit_intercept",
        "positive",
        "tol",
        "max_iter",
        "standardize",
        "l1_ratio",
        "ridge",
        "loss",
    )
    # What a cross-validation chose before what it chose from.
    shared = {name: getattr(source, f"{name}_", getattr(source, name)) for name in names}
    regressor = SparseRegressor(model.penalty_, model.alpha_, bounds=_bounds(model), **shared)
    regressor.coef_, regressor.intercept_ = model.coef_.copy(), model.intercept_
    regressor.n_features_in_ = model.n_features_in_
    for name in ("n_iter_", "kkt_", "dual_gap_", "objective_", "certificate_"):
        setattr(regressor, name, getattr(source, name))
    return regressor


def _bounds(model: Any) -> Any:
    """Return the bounds by position: the regressor of a pipeline sees no names."""
    if model.regressor.bounds is None:
        return None
    terms = check_terms(
        model.n_features_in_, model.feature_names_in_, bounds=model.regressor.bounds
    )
    return (terms.lower, terms.upper)
