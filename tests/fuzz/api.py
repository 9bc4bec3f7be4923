"""Calls of the public functions with good, odd and wrong arguments, and what must hold for each.

A call is plain data, so that its repr is code. It must return something sound, or raise ValueError
or TypeError by a ``raise`` of this library (or scikit-learn's validation), never by an accident
deeper down; warnings are only those a user can act on.
"""

from __future__ import annotations

import linecache
import warnings

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

import sparsieve as sv

PENALTIES = {
    "L1": sv.L1,
    "MCP": sv.MCP,
    "SCAD": sv.SCAD,
    "LogSum": sv.LogSum,
    "CappedL1": sv.CappedL1,
    "Lq": sv.Lq,
}
ESTIMATORS = ("SparseRegressor", "SparseRegressorCV", "SparseRegressorIC")
CALM = (ConvergenceWarning, DataConversionWarning, UserWarning)


def matrix(spec):
    """Return X from its description: (container, dtype, order, rows)."""
    kind, dtype, order, rows = spec
    width = len(rows[0]) if rows else 0
    refused = kind in ("csc", "csr", "coo") and dtype in ("object", "float16")
    if refused or not np.all(np.abs(rows) < 1e4):
        dtype = "float64"  # the others cannot be made
    X = np.array(rows, dtype=dtype, order=order).reshape((len(rows), width), order="A")
    if kind in ("csc", "csr", "coo"):
        return getattr(sparse, f"{kind}_array")(X)
    if kind == "strided":
        wide = np.zeros((2 * X.shape[0], 2 * X.shape[1]), dtype=X.dtype)
        wide[::2, ::2] = X
        return wide[::2, ::2]
    if kind == "read-only":
        X.flags.writeable = False
    return rows if kind == "list" else X


def penalty(spec):
    """Return a penalty from its name, or [class, parameters], or a list of these."""
    if isinstance(spec, dict):
        return [penalty(each) for each in spec["several"]]
    return PENALTIES[spec[0]](**spec[1]) if isinstance(spec, list) else spec


def complaints_of(call):
    """Make one call; return what is wrong with the way it ended."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            complaints = _judge(call)
        except (ValueError, TypeError) as error:
            complaints = _about_error(error)
        except Exception as error:
            complaints = [f"{type(error).__name__}: {error}"]
    for entry in caught:
        if not issubclass(entry.category, CALM) or issubclass(entry.category, RuntimeWarning):
            complaints.append(f"{entry.category.__name__}: {entry.message}")
    return complaints


def _about_error(error):
    """Complain about an error that no line of the library raised on purpose."""
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    file = trace.tb_frame.f_code.co_filename
    line = linecache.getline(file, trace.tb_lineno).strip()
    if not (("sparsieve" in file or "sklearn" in file) and line.startswith("raise")):
        return [f"{type(error).__name__} by accident at {file}:{trace.tb_lineno}: {error}"]
    return [] if len(str(error)) > 20 else [f"says too little: {error}"]


def _judge(call):
    name, options = call["function"], dict(call["options"])
    X, y = matrix(call["X"]), call["y"]
    if "penalty" in call:
        key = "penalties" if name == "sparse_surface" else "penalty"
        options[key] = penalty(call["penalty"])
    if name in ESTIMATORS:
        return _judge_estimator(getattr(sv, name)(**options), X, y, call["sample_weight"])
    if call["sample_weight"] is not None:
        options["sample_weight"] = call["sample_weight"]
    if name == "objective" or name.endswith("_violation"):
        value = getattr(sv, name)(X, y, call["coef"], **options)
        return [] if value >= 0 else [f"{name} is {value}"]
    result = getattr(sv, name)(X, y, **options)
    if name == "sparse_path":
        return _judge_path(result, X, y, options)
    if name == "alpha_max":
        return [] if result >= 0 and np.isfinite(result) else [f"alpha_max is {result}"]
    if name == "proximal_weighted_lasso":
        return [] if np.all(np.isfinite(result.coef)) else ["not finite"]
    if name == "stability_selection":
        inside = np.all((result.frequencies >= 0) & (result.frequencies <= 1))
        return [] if inside else ["a frequency outside [0, 1]"]
    return [] if repr(result) else ["no description"]


def _judge_estimator(model, X, y, sample_weight):
    model.fit(X, y, sample_weight=sample_weight)
    complaints = []
    if not (np.all(np.isfinite(model.coef_)) and np.isfinite(model.intercept_)):
        complaints.append("coefficients that are not finite")
    if not np.all(np.isfinite(model.predict(X))):
        complaints.append("predictions that are not finite")
    if model.certificate_.converged and not model.certificate_.kkt <= model.tol:
        complaints.append(f"converged with a violation of {model.certificate_.kkt}")
    return complaints


def _judge_path(path, X, y, options):
    complaints = [] if len(path) else ["an empty path"]
    known = {k: options.get(k) for k in ("sample_weight", "weights")}
    tol = options.get("tol", 1e-6)
    for k, point in enumerate(path.points):
        w = path.coef_at(point.alpha)
        if not np.all(np.isfinite(w)):
            complaints.append(f"alpha {k}: not finite")
            continue
        where = dict(penalty=path.penalty, alpha=point.alpha, **known)
        plain = np.asarray(X, dtype=float) if isinstance(X, list) else X
        kkt = sv.kkt_violation(
            plain, y, w, point.intercept, positive=options.get("positive", False), **where
        )
        if point.converged and not kkt <= 2 * tol + 1e-9:
            complaints.append(f"alpha {k}: certificate {point.kkt:.1e}, judge {kkt:.1e}")
    return complaints
