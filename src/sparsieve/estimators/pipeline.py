"""A table model as a scikit-learn pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from .regressor import SparseRegressor

__all__ = ["make_pipeline"]


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
    columns = ColumnTransformer(
        _transformers(model), sparse_threshold=0.3, verbose_feature_names_out=False
    )
    steps: list[tuple[str, Any]] = [("columns", columns)]
    rows: dict[str, list[Any]] = {name: [0.0, 1.0] for name in schema.numbers}
    rows |= {name: [values[0], values[-1]] for name, values in schema.categories.items()}
    columns.fit(pd.DataFrame(rows))
    if schema.fills is not None and schema.numbers:
        columns.named_transformers_["numbers"].statistics_ = schema.fills.copy()
    coef = model.coef_
    if schema.scale is not None:
        scaler = StandardScaler(with_mean=False)
        scaler.fit(np.vstack([np.zeros(coef.size), np.ones(coef.size)]))
        scaler.scale_, scaler.var_ = schema.scale.copy(), schema.scale**2
        steps.append(("scale", scaler))
        coef = coef * schema.scale
    steps.append(("regress", _regressor(model, coef)))
    return Pipeline(steps)


def _transformers(model: Any) -> list[tuple[str, Any, list[str]]]:
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
        if schema.impute is not None:
            fill = SimpleImputer(strategy="constant", fill_value=values[0])
            encoder = Pipeline([("fill", fill), ("encode", encoder)])
        out.append((f"text{k}", encoder, [name]))
    return out


def _regressor(model: Any, coef: Any) -> Any:
    """Return a regressor with the chosen penalty and alpha, fitted."""
    source = model.regressor
    shared = {
        name: getattr(source, name) for name in ("fit_intercept", "positive", "tol", "max_iter")
    }
    regressor = SparseRegressor(model.penalty_, model.alpha_, **shared)
    regressor.coef_, regressor.intercept_ = coef, model.intercept_
    regressor.n_features_in_ = coef.size
    for name in ("n_iter_", "kkt_", "dual_gap_", "objective_", "certificate_"):
        setattr(regressor, name, getattr(source, name))
    return regressor
