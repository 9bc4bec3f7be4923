"""What a model file says, and the model it stands for."""

from __future__ import annotations

import inspect
import math
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._codec import NotStored, decode, encode
from .certificate import Certificate
from .model_file import FORMAT_VERSION, ModelFileError, read_content
from .table_model import TableModel

__all__ = ["describe", "load_model", "provenance", "summarize"]

# Estimators a file may hold. A name in a file is only ever compared with these.
_ESTIMATORS = ("SparseRegressor", "SparseRegressorCV", "SparseRegressorIC")


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


def describe(model: Any) -> dict[str, Any]:
    """Return the content of the model file of a fitted model."""
    if not isinstance(model, TableModel):
        check_is_fitted(model)
    return {
        "format_version": FORMAT_VERSION,
        "summary": summarize(model),
        "model": _to_json(model),
        "provenance": encode(getattr(model, "provenance_", None) or provenance()),
    }


def summarize(model: Any) -> dict[str, Any]:
    """Return the fitted model in words and numbers any language can read.

    Parameters
    ----------
    model : fitted estimator

    Returns
    -------
    dict
        JSON data: the prediction is ``intercept`` plus the sum of ``coefficients`` times columns.
    """
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = [str(j) for j in range(model.n_features_in_)]
    penalty = getattr(model, "penalty_", None) or getattr(model, "penalty", None)
    certificate = model.certificate_
    return {
        "estimator": type(getattr(model, "regressor", model)).__name__,
        "penalty": penalty if isinstance(penalty, str) else repr(penalty),
        "alpha": float(certificate.alpha),
        "n_features": int(model.n_features_in_),
        "intercept": float(model.intercept_),
        "coefficients": {str(names[j]): float(model.coef_[j]) for j in np.flatnonzero(model.coef_)},
        "certificate": str(certificate),
    }


def provenance(**more: Any) -> dict[str, Any]:
    """Return when and with which software a model was made, plus what the caller adds."""
    # SOURCE_DATE_EPOCH (reproducible-builds.org) fixes the date for those who compare files.
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return {
        "created": now.isoformat(timespec="seconds"),
        "python": platform.python_version(),
        **{name: _version(name) for name in ("sparsieve", "numpy", "scipy", "scikit-learn")},
        **more,
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _parameters(estimator: type) -> list[str]:
    return [name for name in inspect.signature(estimator).parameters if name != "self"]


def _to_json(model: Any) -> dict[str, Any]:
    if not isinstance(model, TableModel):
        return _estimator_to_json(model)
    regressor, schema = _estimator_to_json(model.regressor), encode(model.schema)
    return {"class": "TableModel", "schema": schema, "regressor": regressor}


def _from_json(data: dict[str, Any]) -> Any:
    if data["class"] != "TableModel":
        return _estimator_from_json(data)
    return TableModel(_estimator_from_json(data["regressor"]), decode(data["schema"]))


def _estimator_to_json(model: Any) -> dict[str, Any]:
    names = _parameters(type(model))
    state = {
        name: encode(value)
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_") and name != "provenance_"
    }
    params = {name: encode(getattr(model, name)) for name in names}
    return {"class": type(model).__name__, "params": params, "state": state}


def _estimator_from_json(data: dict[str, Any]) -> Any:
    import sparsieve  # here, because the package imports this module

    if data["class"] not in _ESTIMATORS:
        raise ValueError(f"unknown estimator {str(data['class'])[:40]!r}")
    estimator = getattr(sparsieve, data["class"])
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
