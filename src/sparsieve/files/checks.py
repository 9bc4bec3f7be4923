"""What the values of a model file must be: a file may come from anyone, its checksum too.

Every fitted attribute that an estimator may have is listed with a check. What passes can be
printed, reported and predicted with; anything else is a ValueError.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..data.terms import check_l1_ratios, check_terms
from ..inspect.assessment import is_assessment
from ..inspect.certificate import SCOPES, STARTED, STRENGTHS, Certificate
from ..losses import BuiltInLoss, resolve_loss
from ..losses.resolve import built_in_name
from ..paths.path import Path
from ..penalties.builtin import BuiltIn
from ..penalties.resolve import resolve_penalty
from ..solve.limits import ENDED
from ..solve.points import Point
from .codec import NotStored

__all__ = ["check_attribute", "check_classes", "check_fit", "check_provenance", "safe_parameters"]

Check = Callable[[Any], bool]
_STATUS = ("converged", "iterations", "stalled", "interrupted", "separated")
_FOLD_ENDED = (*ENDED, "rising")


def _is_number(value: Any) -> bool:
    """Tell whether value is a real number other than NaN; infinite ones are."""
    return type(value) in (int, float) and not math.isnan(value)


def _is_finite(value: Any) -> bool:
    return _is_number(value) and abs(value) < math.inf


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _is_positive(value: Any) -> bool:
    return _is_finite(value) and value > 0


def _is_not_negative(value: Any) -> bool:
    return _is_number(value) and value >= 0


def _is_flag(value: Any) -> bool:
    return type(value) is bool


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _one_of(*words: str) -> Check:
    return lambda value: isinstance(value, str) and value in words


def _array(kinds: str, *dimensions: int) -> Check:
    return lambda a: isinstance(a, np.ndarray) and a.dtype.kind in kinds and a.ndim in dimensions


def _is_penalty(value: Any) -> bool:
    if isinstance(value, str):
        resolve_penalty(value)
    return isinstance(value, str | BuiltIn | NotStored)


def _is_loss(value: Any) -> bool:
    if isinstance(value, str):
        resolve_loss(value)
    return isinstance(value, str | BuiltInLoss | NotStored)


def _is_table(table: Any) -> bool:
    """Tell whether a table of results has columns of one length, those that are read among them."""
    needed = {"penalty", "alpha", "mean_test_score", "se_test_score", "mean_support_size"}
    if not isinstance(table, dict) or not needed <= table.keys():
        return False
    numbers = all(
        isinstance(column, np.ndarray) and column.dtype.kind in "fi"
        for name, column in table.items()
        if name != "penalty"
    )
    sizes = {np.shape(column) for column in table.values()}
    return numbers and len(sizes) == 1 and all(map(_is_penalty, table["penalty"]))


def _are_endings(value: Any) -> bool:
    """Tell whether value says of each fold, or of each path, why it ended."""
    words = _array("OU", 1, 2)(value)
    return words and all(isinstance(w, str) and w in _FOLD_ENDED for w in value.ravel().tolist())


# What each field must be; those of a certificate and of a point that mean the same share a line.
_PROOF: dict[str, Check] = {
    "alpha": _is_positive,
    "kkt": _is_not_negative,
    "dual_gap": lambda value: type(value) in (int, float),  # nan: not known
    "objective": lambda value: type(value) in (int, float),
    "n_iter": _is_count,
    "passes": _is_not_negative,
    "start": _one_of(*STARTED),
    "minimum": _one_of(*STRENGTHS),
}
_CERTIFICATE = _PROOF | {
    "tol": _is_positive,
    "converged": _is_flag,
    "strict_minimum": _is_flag,
    "support_size": _is_count,
    "n_features": _is_count,
    "reason": _one_of(*_STATUS),
    "convex_problem": _is_flag,
    "lower_bound": _or_none(_is_number),
    "scope": _or_none(_one_of(*SCOPES)),
    "by_ridge": _is_flag,
    "loss": lambda value: isinstance(value, str) and value.isprintable(),
}
_POINT = _PROOF | {
    "columns": _array("i", 1),
    "values": _array("f", 1),
    "intercept": lambda value: type(value) in (int, float),
    "status": _one_of(*(word.upper() for word in _STATUS)),
    "convex": _is_flag,
    "settled_by_bound": _is_count,
    "settled_by_reading": _is_count,
    "settled_by_shadow": _is_count,
    "r2": lambda value: type(value) in (int, float),
}
_ATTRIBUTES: dict[str, Check] = {
    "n_features_in_": lambda value: _is_count(value) and value > 0,
    "n_samples_": lambda value: _is_count(value) and value > 0,
    "coef_": _array("f", 1),
    "intercept_": lambda value: type(value) in (int, float),
    "feature_names_in_": _array("OU", 1),
    "n_iter_": _is_count,
    "kkt_": _is_not_negative,
    "dual_gap_": lambda value: type(value) in (int, float),
    "objective_": lambda value: type(value) in (int, float),
    "certificate_": lambda value: isinstance(value, Certificate),
    "alpha_": _is_positive,
    "l1_ratio_": _is_positive,
    "penalty_": _is_penalty,
    "alphas_": _array("f", 1, 2),
    "mse_path_": _array("f", 2, 3),
    "cv_results_": _is_table,
    "best_index_": _is_count,
    "min_index_": _is_count,
    "tie_": _is_not_negative,
    "path_": lambda value: isinstance(value, Path),
    "ended_": _are_endings,
    "criterion_": _array("f", 1, 2),
    "degrees_of_freedom_": _array("if", 1, 2),
    "noise_variance_": _is_positive,
    "classes_": _array("OUbif", 1),
    "assessment_": is_assessment,
}


def _check_fields(record: Any, checks: dict[str, Check]) -> None:
    for name, check in checks.items():
        if not check(getattr(record, name)):
            raise ValueError(f"the {type(record).__name__.lower()}'s {name} makes no sense")


def _check_missing(record: Any, status: str, squared: bool) -> None:
    """Raise ValueError where a number is missing that is known: only some losses have no gap."""
    absent = status.lower() == "separated"
    kind = type(record).__name__.lower()
    if math.isnan(record.objective) != absent:
        raise ValueError(f"the {kind}'s objective makes no sense")
    if math.isnan(record.dual_gap) and squared and not absent:
        raise ValueError(f"the {kind}'s dual_gap makes no sense")


def _check_point(point: Any, n_features: int, squared: bool) -> None:
    """Raise ValueError unless a point of a path makes sense."""
    if not isinstance(point, Point):
        raise ValueError("a point of the path is something else")
    _check_fields(point, _POINT)
    _check_missing(point, point.status, squared)
    columns, values = point.columns, point.values
    if columns.shape != values.shape or not _are_known(point.status, values, point.intercept):
        raise ValueError("a point of the path has no finite value for each of its features")
    inside = columns.size == 0 or (columns[0] >= 0 and columns[-1] < n_features)
    if not inside or np.any(np.diff(columns) <= 0):
        raise ValueError("a point of the path has features that do not exist")


def _are_known(status: str, values: Any, intercept: Any) -> bool:
    """Tell whether coefficients are numbers; where there is no solution, the intercept is none."""
    if status.lower() == "separated":
        return not np.any(np.isinf(values)) and math.isnan(intercept)
    return bool(np.all(np.isfinite(values))) and math.isfinite(intercept)


def check_attribute(name: str, value: Any) -> None:
    """Raise ValueError unless a fitted attribute exists and has such a value."""
    if name not in _ATTRIBUTES:
        raise ValueError(f"{str(name)[:40]!r} is not the name of a fitted attribute")
    if not _ATTRIBUTES[name](value):
        raise ValueError(f"the value of {name} makes no sense")


def check_fit(model: Any) -> None:
    """Raise ValueError unless the fitted attributes of a model fit together."""
    n_features, coef = model.n_features_in_, model.coef_
    if coef.shape != (n_features,) or coef.dtype != np.float64:
        raise ValueError("there is not one coefficient per feature")
    names = getattr(model, "feature_names_in_", None)
    if names is not None and not _are_names(names, n_features):
        raise ValueError("there is not one name per feature")
    _check_terms(model, names)
    certificate = model.certificate_
    _check_fields(certificate, _CERTIFICATE)
    _check_missing(certificate, certificate.reason, certificate.loss == "squared")
    for name in ("dual_gap", "objective"):
        if math.isnan(getattr(model, f"{name}_")) != math.isnan(getattr(certificate, name)):
            raise ValueError(f"{name}_ is not that of the certificate")
    if not _are_known(certificate.reason, coef, model.intercept_):
        raise ValueError("a coefficient is not a number")
    if certificate.n_features != n_features or certificate.support_size > n_features:
        raise ValueError("the certificate is that of another model")
    if hasattr(model, "path_"):
        _check_path(model.path_, n_features)
    _check_choice(model)


def check_classes(model: Any, kind: Any) -> None:
    """Raise ValueError unless labels and models of a classifier fit together."""
    labels = model.classes_.tolist()
    if len(labels) < 2 or len(set(labels)) != len(labels) or None in labels:
        raise ValueError("there are not two different labels")
    if len(model.estimators_) != (1 if len(labels) == 2 else len(labels)):
        raise ValueError("there is not one model per class")
    for each in model.estimators_:
        if type(each) is not kind or each.n_features_in_ != model.n_features_in_:
            raise ValueError("the model of a class is that of something else")
    names = getattr(model, "feature_names_in_", None)
    if names is not None and not _are_names(names, model.n_features_in_):
        raise ValueError("there is not one name per feature")


def _check_terms(model: Any, names: Any) -> None:
    """Raise ValueError unless the model could be fitted again with its units, ridge and bounds."""
    stated = {name: getattr(model, name) for name in ("standardize", "l1_ratio", "ridge", "bounds")}
    bounds = stated["bounds"]
    if isinstance(bounds, list | tuple):
        # What a file has only as words, such as a pandas Series, stands for nothing here.
        stated["bounds"] = [None if isinstance(side, NotStored) else side for side in bounds]
    known = {name: value for name, value in stated.items() if not isinstance(value, NotStored)}
    if hasattr(model, "cv") and "l1_ratio" in known:  # a cross-validation chooses among several
        known["l1_ratio"] = check_l1_ratios(known["l1_ratio"])[0]
    check_terms(model.n_features_in_, names, **known)


def _check_path(path: Path, n_features: int) -> None:
    if path.coefs.shape[0] != n_features or not path.points:
        raise ValueError("the path is that of another model")
    if not (_is_penalty(path.penalty) and _is_loss(path.loss)):
        raise ValueError("the path has no penalty or no loss")
    squared = built_in_name(path.loss) == "squared"
    for point in path.points:
        _check_point(point, n_features, squared)
    names = path.feature_names
    known = names is None or (_ATTRIBUTES["feature_names_in_"](names))
    if not known or (names is not None and not _are_names(names, n_features)):
        raise ValueError("there is not one name per feature of the path")
    if path.ended not in ENDED:
        raise ValueError("the path makes no sense")


def _check_choice(model: Any) -> None:
    """Raise ValueError unless the scores, alphas and chosen places of a model fit together."""
    alphas = getattr(model, "alphas_", None)
    if alphas is None:
        return
    if alphas.size == 0 or not np.all(np.isfinite(alphas) & (alphas > 0.0)):
        raise ValueError("the alphas are not positive numbers")
    for name in ("criterion_", "degrees_of_freedom_"):
        if getattr(model, name, alphas).shape != alphas.shape:
            raise ValueError(f"{name} is not one number per alpha")
    if getattr(model, "mse_path_", alphas[..., np.newaxis]).shape[:-1] != alphas.shape:
        raise ValueError("mse_path_ is not one row per alpha")
    table = getattr(model, "cv_results_", None)
    if table is not None and table["alpha"].shape != (alphas.size,):
        raise ValueError("cv_results_ is not one row per alpha")
    places = [getattr(model, name, 0) for name in ("best_index_", "min_index_")]
    if max(places) >= alphas.size:
        raise ValueError("the chosen alpha is not one of the alphas")
    _check_penalties(model, np.atleast_2d(alphas).shape[0])


def _check_penalties(model: Any, count: int) -> None:
    given = model.penalty if isinstance(model.penalty, list | tuple) else [model.penalty]
    stored = not isinstance(model.penalty, NotStored) and not isinstance(model.l1_ratio, NotStored)
    ratios = len(check_l1_ratios(model.l1_ratio)) if stored else 1
    if stored and len(given) * ratios != count:
        raise ValueError("there is not one row of alphas per penalty")


def _are_names(names: Any, count: int) -> bool:
    return names.shape == (count,) and all(isinstance(name, str) for name in names.tolist())


def safe_parameters(params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of an estimator without those that make it write files.

    A model that was loaded must not write, when it is fitted again, to a place the file names.
    """
    penalty = params.get("penalty", "mcp")
    each = penalty if isinstance(penalty, list | tuple) else [penalty]
    if not each or not all(map(_is_penalty, each)):
        raise ValueError("the penalty is none")
    if not _is_loss(params.get("loss", "squared")):
        raise ValueError("the loss is none")
    return params | ({"checkpoint": None} if "checkpoint" in params else {})


def check_provenance(made: Any) -> dict[str, Any] | None:
    """Return where a model comes from, as far as it is said in words, else raise ValueError."""
    if made is None:
        return None
    words = ("created", "command", "sparsieve", "python", "numpy", "scipy", "scikit-learn")
    if not isinstance(made, dict) or not all(_is_text(made.get(key)) for key in words):
        raise ValueError("its provenance makes no sense")
    if not isinstance(made.get("data") or {}, dict):
        raise ValueError("its provenance makes no sense")
    return made
