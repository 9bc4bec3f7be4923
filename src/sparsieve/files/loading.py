"""The model that a model file stands for."""

from __future__ import annotations

import os
from typing import Any

from ..estimators.classifier import Classifier, SparseClassifier
from ..estimators.regressor import SparseRegressor
from ..estimators.table_model import TableModel
from ..selection import (
    SparseClassifierCV,
    SparseClassifierIC,
    SparseRegressorCV,
    SparseRegressorIC,
)
from .checks import (
    check_attribute,
    check_classes,
    check_fit,
    check_provenance,
    safe_parameters,
)
from .codec import decode
from .model_file import MOST_BYTES, ModelFileError, read_content

__all__ = ["load_model", "model_of"]


# Estimators a file may hold. A name in a file is only ever compared with these.
_ESTIMATORS: dict[str, type] = {
    cls.__name__: cls for cls in (SparseRegressor, SparseRegressorCV, SparseRegressorIC)
}
_CLASSIFIERS: dict[str, type[Classifier]] = {
    cls.__name__: cls for cls in (SparseClassifier, SparseClassifierCV, SparseClassifierIC)
}


def load_model(file: str | os.PathLike[str], *, max_bytes: int | None = MOST_BYTES) -> Any:
    """Load a model that was saved with ``estimator.save`` or written by ``sparsieve fit``.

    Parameters
    ----------
    file : str or path
    max_bytes : int or None, default=2**30
        Largest file to read; None reads any. Loading takes up to 20 times the size of the file.

    Returns
    -------
    estimator
        Fitted, of the class that was saved (a :class:`~sparsieve.TableModel` for the files of
        ``sparsieve fit``). It predicts to the last bit what the saved one did.

    Raises
    ------
    ModelFileError
        When the file is not a model file, is damaged or comes from a newer version. Loading
        executes nothing: the file is JSON, checked against its checksum, and every value in it is
        checked too. A ``checkpoint`` parameter does not come back.

    Examples
    --------
    >>> import tempfile, os, sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(50, 20, 3, noise=0.5, random_state=0)
    >>> file = os.path.join(tempfile.mkdtemp(), "toy.json")
    >>> sv.SparseRegressor("mcp", alpha=0.5).fit(X, y).save(file)
    >>> sv.load_model(file).certificate_.converged
    True
    """
    return model_of(os.fspath(file), read_content(file, max_bytes))


def model_of(source: str, content: dict[str, Any]) -> Any:
    """Return the model that the content of a model file stands for; ``source`` names the file."""
    try:
        model = _from_json(content["model"])
        model.provenance_ = check_provenance(decode(content["provenance"]))
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
    schema = decode(data["schema"])
    # Older fits of tables divided the columns themselves, and the schema alone says so.
    divided = getattr(schema, "scale", None) is not None
    return TableModel(_estimator_from_json(data["regressor"], standardize=divided), schema)


def _estimator_from_json(data: dict[str, Any], *, standardize: bool = False) -> Any:
    """Return the estimator; ``standardize`` is for files of a time before it was a parameter."""
    if data["class"] in _CLASSIFIERS:
        return _classifier_from_json(data)
    if data["class"] not in _ESTIMATORS:
        raise ValueError(f"unknown estimator {str(data['class'])[:40]!r}")
    estimator = _ESTIMATORS[data["class"]]
    # A file without these is of a time when there was only one of each.
    before = {"start": "previous", "minimum": "stationary", "standardize": standardize}
    params = before | {k: decode(value) for k, value in data["params"].items()}
    model = estimator(**safe_parameters(params))
    for name, entry in data["state"].items():
        value = decode(entry)
        check_attribute(name, value)
        setattr(model, name, value)
    check_fit(model)
    return model


def _classifier_from_json(data: dict[str, Any]) -> Any:
    """Return the classifier: its parameters, its labels, and the models that do its work."""
    kind = _CLASSIFIERS[data["class"]]
    params = {name: decode(value) for name, value in data["params"].items()}
    model = kind(**safe_parameters(params))
    for name, entry in data["state"].items():
        value = decode(entry)
        check_attribute(name, value)
        setattr(model, name, value)
    model.estimators_ = [_estimator_from_json(each) for each in data["estimators"]]
    check_classes(model, kind._model)
    return model
