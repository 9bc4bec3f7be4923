"""The model that a model file stands for."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from ..estimators.regressor import SparseRegressor
from ..estimators.table_model import TableModel
from ..inspect.certificate import Certificate
from ..selection import SparseRegressorCV, SparseRegressorIC
from .codec import NotStored, decode
from .model_file import ModelFileError, read_content

__all__ = ["load_model", "model_of"]


# Estimators a file may hold. A name in a file is only ever compared with these.
_ESTIMATORS: dict[str, type] = {
    cls.__name__: cls for cls in (SparseRegressor, SparseRegressorCV, SparseRegressorIC)
}


def load_model(file: str | os.PathLike[str]) -> Any:
    """Load a model that was saved with ``estimator.save`` or written by ``sparsieve fit``.

    Parameters
    ----------
    file : str or path

    Returns
    -------
    estimator
        Fitted, of the class that was saved (a :class:`~sparsieve.TableModel` for the files of
        ``sparsieve fit``). It predicts to the last bit what the saved one did.

    Raises
    ------
    ModelFileError
        When the file is not a model file, is damaged or comes from a newer version. Loading
        executes nothing: the file is JSON, checked against its checksum.

    Examples
    --------
    >>> import tempfile, os, sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(50, 20, 3, noise=0.5, random_state=0)
    >>> file = os.path.join(tempfile.mkdtemp(), "toy.json")
    >>> sv.SparseRegressor("mcp", alpha=0.5).fit(X, y).save(file)
    >>> sv.load_model(file).certificate_.converged
    True
    """
    return model_of(os.fspath(file), read_content(file))


def model_of(source: str, content: dict[str, Any]) -> Any:
    """Return the model that the content of a model file stands for; ``source`` names the file."""
    try:
        model = _from_json(content["model"])
        model.provenance_ = decode(content["provenance"])
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise ModelFileError(
            f"{source} is not a valid model file: {error}; save the model again."
        ) from error
    return model


def _from_json(data: dict[str, Any]) -> Any:
    if data["class"] != "TableModel":
        return _estimator_from_json(data)
    return TableModel(_estimator_from_json(data["regressor"]), decode(data["schema"]))


def _estimator_from_json(data: dict[str, Any]) -> Any:
    if data["class"] not in _ESTIMATORS:
        raise ValueError(f"unknown estimator {str(data['class'])[:40]!r}")
    estimator = _ESTIMATORS[data["class"]]
    # A file without these is of a time when there was only one of each.
    before = {"start": "previous", "minimum": "stationary"}
    params = before | {k: decode(value) for k, value in data["params"].items()}
    model = estimator(**params)
    for name, value in data["state"].items():
        if not name.isidentifier() or name.startswith("_") or not name.endswith("_"):
            raise ValueError(f"{name[:40]!r} is not the name of a fitted attribute")
        setattr(model, name, decode(value))
    check_linear(model)
    return model


def check_linear(model: Any) -> None:
    """Raise ValueError unless the fitted attributes that ``predict`` uses fit together."""
    n_features, coef, intercept = model.n_features_in_, model.coef_, model.intercept_
    if type(n_features) is not int or n_features < 1:
        raise ValueError("the number of features makes no sense")
    if not isinstance(coef, np.ndarray) or coef.shape != (n_features,) or coef.dtype != np.float64:
        raise ValueError("there is not one coefficient per feature")
    if not np.all(np.isfinite(coef)) or not isinstance(intercept, float):
        raise ValueError("a coefficient is not a number")
    if not math.isfinite(intercept):
        raise ValueError("the intercept is not a number")
    names = getattr(model, "feature_names_in_", None)
    if names is not None and not _are_names(names, n_features):
        raise ValueError("there is not one name per feature")
    if not isinstance(model.certificate_, Certificate | NotStored):
        raise ValueError("the certificate is missing")


def _are_names(names: Any, count: int) -> bool:
    return (
        isinstance(names, np.ndarray)
        and names.shape == (count,)
        and all(isinstance(name, str) for name in names.tolist())
    )
