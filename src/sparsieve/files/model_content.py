"""What a model file says."""

from __future__ import annotations

import inspect
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._words import terms_in_words
from .codec import encode
from .model_file import FORMAT_VERSION, write_content

__all__ = ["Saveable", "describe", "estimator_to_json", "provenance", "summarize"]


def describe(model: Saveable) -> dict[str, Any]:
    """Return the content of the model file of a fitted model."""
    content = model._to_json()
    return {
        "format_version": FORMAT_VERSION,
        "summary": summarize(model),
        "model": content,
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
    if hasattr(model, "classes_"):
        return _summarize_classes(model)
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = [str(j) for j in range(model.n_features_in_)]
    penalty = getattr(model, "penalty_", None) or getattr(model, "penalty", None)
    certificate = model.certificate_
    terms = terms_in_words(vars(getattr(model, "regressor", model)))
    return {
        "estimator": type(getattr(model, "regressor", model)).__name__,
        "penalty": penalty if isinstance(penalty, str) else repr(penalty),
        "alpha": float(certificate.alpha),
        **({"loss": certificate.loss} if certificate.loss != "squared" else {}),
        **({"terms": terms} if terms else {}),
        "n_features": int(model.n_features_in_),
        # A model without a solution has nan, for which JSON has no number.
        "intercept": _number(model.intercept_),
        "coefficients": {
            str(names[j]): _number(model.coef_[j]) for j in np.flatnonzero(model.coef_)
        },
        "certificate": str(certificate),
    }


def _number(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)


def _summarize_classes(model: Any) -> dict[str, Any]:
    """Return the same for a classifier: labels, and the model of each.

    The linear predictor of two classes is positive for the second one.
    """
    labels = model.classes_.tolist()
    of = labels[1:] if len(labels) == 2 else labels
    each = zip(of, model.estimators_, strict=True)
    return {
        "estimator": type(getattr(model, "regressor", model)).__name__,
        "classes": [str(label) for label in labels],
        "n_features": int(model.n_features_in_),
        "models": [{"class": str(label), **summarize(one)} for label, one in each],
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


def estimator_to_json(model: Any) -> dict[str, Any]:
    """Return class, parameters and fitted attributes of an estimator as JSON data."""
    names = _parameters(type(model))
    state = {
        name: encode(value)
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_") and name != "provenance_"
    }
    params = {name: encode(getattr(model, name)) for name in names}
    return {"class": type(model).__name__, "params": params, "state": state}


class Saveable:
    """Gives a fitted estimator ``save``; :func:`sparsieve.load_model` is its inverse."""

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that :func:`sparsieve.load_model` reads.

        The file is JSON with a checksum: parameters, coefficients, names of the columns,
        certificate, versions of the software. A file of that name is replaced in one step. What
        is not plain data (a penalty class of your own, a splitter passed as ``cv``) is recorded as
        text and does not come back.

        Parameters
        ----------
        file : str or path
        """
        write_content(file, describe(self))

    def _to_json(self) -> dict[str, Any]:
        """Return what :func:`sparsieve.load_model` makes the model of, as JSON data."""
        check_is_fitted(self)
        return estimator_to_json(self)
