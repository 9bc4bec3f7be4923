"""Checks of what users pass in: one place, with errors that name the argument and the remedy.

Data leave this module in the only two forms the core reads: a column-major (Fortran-ordered) array
or a canonical CSC array, of float32 or float64. Data that already have that form are not copied,
and the user's objects are never modified.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array, column_or_1d

from .kinds import check_entries_exist, check_frame_columns, check_kind
from .names import by_name, feature_names
from .sample_weights import normalised
from .scalars import check_integer, check_number
from .sparse_checks import canonical, sound
from .stand_in import StandIn
from .types import Floats

__all__ = [
    "Checked",
    "check_X",
    "check_X_y",
    "check_alphas",
    "check_non_negative",
    "check_offset",
    "check_responses",
    "check_sample_weight",
    "check_weights",
]

_MOST_ALPHAS = 1_000_000
_FLOAT_DTYPES = (np.dtype(np.float64), np.dtype(np.float32))
#: Responses larger than this, or smaller than its inverse, cannot be squared.
_LARGEST = 1e152
# Rows that are copied at a time where columns are made of rows: they stay in a cache.
_ROWS = 512


class Checked(NamedTuple):
    """Validated data, ready for the core.

    Attributes
    ----------
    X : ndarray in Fortran order or scipy.sparse.csc_array, float32 or float64
        Canonical (sorted, no duplicates) when sparse.
    y : ndarray of shape (n_samples,), float64
    sample_weight : ndarray of shape (n_samples,), float64, or None
        As given, not normalised.
    weights : ndarray of shape (n_features,), float64, or None
    feature_names : ndarray of str or None
        Column names of a data frame.
    offset : ndarray of shape (n_samples,), float64, or None
        What is added to the linear predictor of each row.
    stand_in : StandIn or None
        Where X and y stand for the rows of statistics.
    """

    X: Any
    y: Floats
    sample_weight: Floats | None
    weights: Floats | None
    feature_names: NDArray[Any] | None
    offset: Floats | None = None
    stand_in: StandIn | None = None

    def omega(self, sample_weight: Floats | None = None) -> Floats:
        """Return the sample weights, or other ones if given, summing to one."""
        weight = self.sample_weight if sample_weight is None else sample_weight
        return normalised(weight, self.y.size)


def check_X_y(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    weights: Any = None,
    offset: Any = None,
    min_samples: int = 2,
) -> Checked:
    """Validate a regression problem.

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        NumPy arrays of any real type and order, pandas and polars frames, SciPy sparse matrices and
        arrays of any format. An F-ordered float32 or float64 array is not copied, another array is
        copied once; sparse data are converted to CSC and, if their indices are unsorted or
        repeated, put right in a copy.
    y : array-like of shape (n_samples,)
    sample_weight : array-like of shape (n_samples,) or float, default=None
    weights : array-like of shape (n_features,) or mapping of names to numbers, default=None
        Penalty weight per feature: 0 unpenalised, inf excluded.
    offset : array-like of shape (n_samples,) or float, default=None
    min_samples : int, default=2

    Returns
    -------
    Checked
    """
    names = feature_names(X)
    X = check_X(X, min_samples=min_samples)
    n_samples, n_features = X.shape
    return Checked(
        X,
        check_y(y, n_samples),
        check_sample_weight(sample_weight, n_samples),
        check_weights(weights, n_features, names),
        names,
        check_offset(offset, n_samples),
    )


def check_X(X: Any, *, min_samples: int = 2) -> Any:
    """Return X as an F-ordered array or a canonical CSC array of floats, checked.

    Not whether it is finite: a design finds that out when it measures the columns, without a pass
    over X of its own (:func:`sparsieve.solve.designs.check_range`).
    """
    _check_rows(X)
    X = _without_frame(X)
    X = _sparse_X(X) if sparse.issparse(X) else _dense_X(X)
    n_samples, n_features = X.shape
    if n_samples < min_samples:
        raise ValueError(
            f"X has {n_samples} sample(s) (shape={X.shape}) while a minimum of {min_samples} is "
            "required; pass one row per observation."
        )
    if n_features < 1:
        raise ValueError(
            f"X has 0 feature(s) (shape={X.shape}) while a minimum of 1 is required; pass one "
            "column per feature."
        )
    return X


def _check_rows(X: Any) -> None:
    """Refuse what has no rows in memory."""
    if hasattr(X, "partial_fit") or (type(X).__module__.split(".")[0] == "dask"):
        raise TypeError(
            f"this needs the rows of X, and a {type(X).__name__} has none in memory; sparse_path, "
            "alpha_max, SparseRegressor and its CV and IC take it, with squares as the score. Pass "
            "an array here, for instance of a sample of the rows."
        )


def check_y(y: Any, n_samples: int) -> Floats:
    """Return y as a float64 vector of length n_samples, checked."""
    if y is None:
        raise ValueError(
            "This estimator requires y to be passed, but the target y is None; pass one number per "
            "row of X."
        )
    if not _is_plain_vector(y):
        y = _as_numbers("y", y)
        if y.ndim != 1 and not (y.ndim == 2 and y.shape[1] == 1):
            raise ValueError(
                f"y has shape {y.shape}, but one response is fitted at a time: y should be a 1d "
                "array, for instance one column y[:, 0]; sparse_codes(X, Y, alpha=...) fits many."
            )
        y = np.ascontiguousarray(column_or_1d(y, warn=True), dtype=np.float64)
    _check_length("y", y, n_samples, "row of X")
    check_finite_vector("y", y)
    check_size("y", y)
    checked: Floats = y
    return checked


def check_size(name: str, y: Floats) -> None:
    """Refuse a response whose squares leave the range of doubles."""
    largest = max(float(np.max(y)), -float(np.min(y)))
    if largest > _LARGEST or 0.0 < largest < 1.0 / _LARGEST:
        raise ValueError(
            f"{name}: its largest entry is {largest:g}, and the squares of such numbers leave the "
            f"range of double precision; rescale {name} by a power of ten."
        )


def check_responses(Y: Any) -> Floats:
    """Return the columns of Y as rows of a float64 array, checked."""
    if Y is None or sparse.issparse(Y):
        raise ValueError(
            f"Y is {'None' if Y is None else 'sparse'}; pass an array with one column per response."
        )
    Y = _as_numbers("Y", Y)
    if Y.ndim != 2 or Y.shape[1] == 0:
        raise ValueError(
            f"Y has shape {Y.shape}; pass an array with one column per response (sparse_path and "
            "SparseRegressor fit a single one)."
        )
    rows = np.ascontiguousarray(Y.T, dtype=np.float64)
    for k, row in enumerate(rows):
        check_finite_vector(f"Y[:, {k}]", row)
        check_size(f"Y[:, {k}]", row)
    return rows


def check_sample_weight(sample_weight: Any, n_samples: int) -> Floats | None:
    """Return sample_weight as a float64 vector (a number stands for a constant one), or None."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        number = check_number(
            "sample_weight", sample_weight, low=-np.inf, remedy="pass one weight per row of X"
        )
        sample_weight = np.full(n_samples, number)
    checked = check_non_negative("sample_weight", sample_weight, n_samples, "row of X")
    check_finite_vector("sample_weight", checked)
    if not np.any(checked):
        raise ValueError(
            "sample_weight: every weight is zero, so no sample is left; give at least one row a "
            "weight > 0, or pass None."
        )
    return checked


def check_offset(offset: Any, n_samples: int) -> Floats | None:
    """Return offset as a float64 vector (a number stands for a constant one), or None."""
    if offset is None:
        return None
    if isinstance(offset, Real) and not isinstance(offset, bool):
        offset = np.full(n_samples, float(offset))
    if not _is_plain_vector(offset):
        offset = _as_numbers("offset", offset)
        if offset.ndim != 1:
            raise ValueError(
                f"offset must be 1-D, got shape {offset.shape}; pass one entry per row of X, for "
                "instance np.ravel(offset)."
            )
        offset = np.ascontiguousarray(offset, dtype=np.float64)
    _check_length("offset", offset, n_samples, "row of X")
    check_finite_vector("offset", offset, "replace it; a row without exposure has no place here")
    checked: Floats = offset
    return checked


def check_weights(
    weights: Any, n_features: int, names: NDArray[Any] | None = None
) -> Floats | None:
    """Return the penalty weights as a float64 vector, or None; 0 and inf are allowed.

    A mapping has those of some columns by name; the others have 1.
    """
    if weights is None:
        return None
    weights = by_name("weights", weights, names, 1.0)
    return check_non_negative("weights", weights, n_features, "column of X")


def check_alphas(alphas: Any) -> int | Floats:
    """Return the number of alphas to make, or the given alphas, decreasing and without repeats.

    Any order is accepted: the array is sorted, and an alpha given twice is solved once.
    """
    if isinstance(alphas, Integral):
        count = check_integer("alphas", alphas, low=1, remedy="use e.g. alphas=100, or an array")
        if count > _MOST_ALPHAS:
            raise ValueError(
                f"alphas={str(alphas)[:40]} is more than the {_MOST_ALPHAS} a path may have; use "
                "e.g. alphas=100."
            )
        return count
    if isinstance(alphas, Real | str) or alphas is None:
        raise ValueError(
            f"alphas must be an integer (how many) or an array of them, got {alphas!r}; use e.g. "
            "alphas=100 or alphas=[0.5, 0.1]."
        )
    values = np.asarray(_as_numbers("alphas", alphas), dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(
            f"alphas must be an integer or a non-empty 1-D array, got shape {values.shape}; use "
            "e.g. alphas=100 or alphas=[0.5, 0.1]."
        )
    bad = ~(np.isfinite(values) & (values > 0))
    if np.any(bad):
        at = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"alphas[{at}] = {values[at]} is not a finite number > 0; remove it (alpha = 0 is "
            "ordinary least squares, which needs no path)."
        )
    return np.unique(values)[::-1].copy()


def _is_plain_vector(a: Any) -> bool:
    """Tell whether a is a float64 vector the core can read as it is."""
    return (
        type(a) is np.ndarray
        and a.ndim == 1
        and a.dtype == _FLOAT_DTYPES[0]
        and bool(a.flags.c_contiguous and a.flags.aligned)
    )


def _without_frame(X: Any) -> Any:
    """Return the sparse matrix in a pandas frame of sparse columns, other data as they are."""
    to_coo = getattr(getattr(X, "sparse", None), "to_coo", None)
    if sparse.issparse(X) or to_coo is None:
        return X
    try:
        return to_coo()
    except ValueError as error:
        raise ValueError(
            f"X is a sparse data frame that is no sparse matrix ({error}); give its columns the "
            "fill value 0, or pass X.sparse.to_dense()."
        ) from error


def _dense_X(X: Any) -> NDArray[Any]:
    if not (type(X) is np.ndarray and X.dtype in _FLOAT_DTYPES):
        X = _as_numbers("X", X)
    if X.ndim != 2:
        raise ValueError(
            f"X must have 2 dimensions, got shape {X.shape}. Reshape your data with "
            "X.reshape(-1, 1) if it has a single feature or X.reshape(1, -1) if it is one sample."
        )
    if X.dtype not in _FLOAT_DTYPES:
        return np.asfortranarray(X, dtype=np.float64)
    in_place = X.flags.f_contiguous and X.flags.aligned
    checked: NDArray[Any] = X if in_place else _by_columns(X)
    return checked


def _by_columns(X: NDArray[Any]) -> NDArray[Any]:
    """Copy to Fortran order in blocks of rows: four times as fast as one after the other."""
    out = np.empty(X.shape, dtype=X.dtype, order="F")
    for first in range(0, X.shape[0], _ROWS):
        out[first : first + _ROWS] = X[first : first + _ROWS]
    return out


def _as_numbers(name: str, a: Any) -> NDArray[Any]:
    """Return a as an array of real numbers (float32 and float64 kept), else raise."""
    if np.ma.isMaskedArray(a) and np.ma.is_masked(a):
        raise ValueError(
            f"{name} is a masked array with masked entries; missing values are not supported: "
            "fill or drop them first."
        )
    if sparse.issparse(a):
        raise ValueError(f"{name} is sparse; pass a dense vector, for instance {name}.toarray().")
    check_entries_exist(name, a)
    given = a
    try:
        if hasattr(a, "columns") or hasattr(a, "dtypes"):
            a = check_array(
                a,
                dtype=list(_FLOAT_DTYPES),
                ensure_all_finite=False,
                ensure_min_samples=0,
                ensure_min_features=0,
                ensure_2d=False,
                allow_nd=True,
                input_name=name,
            )
        a = np.asarray(a)
        check_kind(name, a.dtype)
        if a.dtype.kind == "O":
            if any(isinstance(entry, str | bytes) for entry in a.flat):
                raise ValueError("it holds text")
            a = a.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        if str(error).startswith((name, "Complex")):
            raise
        check_frame_columns(name, given)
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(
            f"{name} cannot be converted to an array of numbers: {error}; encode text and "
            "categories as numbers (for instance with OneHotEncoder) and give all rows one length."
        ) from error
    numbers: NDArray[Any] = a
    return numbers


def _sparse_X(X: Any) -> Any:
    """Return X as a canonical CSC array of floats that never shares what it had to change."""
    if X.ndim != 2:
        raise ValueError(f"X must have 2 dimensions, got shape {X.shape}. Reshape your data.")
    check_kind("X", X.dtype)
    if X.dtype.kind == "O":
        raise ValueError("X is sparse with dtype object; convert it with X.astype(float).")
    csc = sound(X).tocsc()
    return canonical(csc if csc.dtype in _FLOAT_DTYPES else csc.astype(np.float64))


def _check_length(name: str, a: NDArray[Any], length: int, unit: str) -> None:
    if a.shape[0] != length:
        raise ValueError(
            f"{name} has {a.shape[0]} entries, X has {length} {unit.split()[0]}s: inconsistent "
            f"numbers of {'samples' if unit.startswith('row') else 'features'}; pass one entry per "
            f"{unit}."
        )


def check_non_negative(name: str, a: Any, length: int, unit: str) -> Floats:
    """Return a as a float64 vector of the given length with entries >= 0 (inf included)."""
    if not _is_plain_vector(a):
        a = _as_numbers(name, a)
        if a.ndim != 1:
            raise ValueError(
                f"{name} must be 1-D, got shape {a.shape}; pass one entry per {unit}, for instance "
                f"np.ravel({name})."
            )
        a = np.ascontiguousarray(a, dtype=np.float64)
    _check_length(name, a, length, unit)
    if not np.all(a >= 0):
        at = int(np.flatnonzero(~(a >= 0))[0])
        raise ValueError(
            f"{name}[{at}] = {a[at]}; every entry must be a number >= 0, remove or replace it."
        )
    checked: Floats = a
    return checked


def _sum_is_finite(a: NDArray[Any]) -> bool:
    """Tell in one cheap pass that all is well; False only means "look closer"."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(np.sum(a)))


def check_finite_vector(name: str, a: Floats, remedy: str = "remove that row") -> None:
    """Raise ValueError, with the place, unless every entry is finite."""
    if _sum_is_finite(a) or np.all(np.isfinite(a)):
        return
    at = int(np.flatnonzero(~np.isfinite(a))[0])
    raise ValueError(f"Input {name} contains {_describe(a[at])} at entry {at}; {remedy}.")


def check_finite_X(X: Any, names: NDArray[Any] | None = None, first_row: int = 0) -> None:
    """Raise ValueError, with the place, unless every entry of X is finite."""
    if _sum_is_finite(X.data if sparse.issparse(X) else X):
        return
    where = _first_not_finite(X)
    if where is None:
        return
    row, column, value = where
    label = f"column {column}" if names is None else f"column {column} ({names[column]!r})"
    remedy = "fill it, for instance with sklearn.impute.SimpleImputer"
    raise ValueError(
        f"Input X contains {_describe(value)} at row {first_row + row}, {label}; remove that row "
        f"or {remedy if np.isnan(value) else 'replace the value'}."
    )


def _first_not_finite(X: Any) -> tuple[int, int, float] | None:
    """Return (row, column, value) of the first entry, column by column, that is not finite."""
    if sparse.issparse(X):
        X = X.tocsc()
        bad = np.flatnonzero(~np.isfinite(X.data))
        if bad.size == 0:
            return None
        at = int(bad[0])
        column = int(np.searchsorted(X.indptr, at, side="right")) - 1
        return int(X.indices[at]), column, float(X.data[at])
    for column in range(X.shape[1]):
        bad = np.flatnonzero(~np.isfinite(X[:, column]))
        if bad.size:
            return int(bad[0]), column, float(X[bad[0], column])
    return None


def _describe(value: float) -> str:
    return "NaN" if np.isnan(value) else "infinity"
