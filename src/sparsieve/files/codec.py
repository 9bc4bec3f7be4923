"""Values to plain JSON and back, for a closed list of types.

Numbers, text, lists and dictionaries stand for themselves; everything else is an object with the
key ``"$"`` that names its type. Only the types listed here are ever made, from data alone: no name
in a file is imported, looked up or called.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from ..inspect.certificate import Certificate
from ..losses.resolve import BY_NAME as LOSSES
from ..losses.resolve import built_in_name as built_in_loss
from ..losses.resolve import is_squared
from ..paths.path import Path, make_path
from ..penalties.resolve import BY_NAME, built_in_name
from ..solve.points import Point
from ..tables.columns import Schema

__all__ = ["NotStored", "decode", "encode", "records"]

_DTYPES = ("float64", "float32", "int64", "int32", "uint64", "uint32", "uint8", "int8", "bool")
# Times that an array of text may be larger than its texts.
_ROOM = 4
_SQUARED = {"$": "loss", "name": "squared", "params": {"$": "dict", "items": {}}}
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class NotStored:
    """Stands for an object that a model file records only as text.

    Attributes
    ----------
    text : str
        What the object called itself when the model was saved.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    def label(self) -> str:
        """The same, as a loss says it."""
        return self.text

    @property
    def identity(self) -> NotStored:
        """The object itself, as of a loss."""
        return self

    def __repr__(self) -> str:
        return f"<not stored in the model file: {self.text}>"


def records() -> dict[str, type]:
    """Return the classes that are stored field by field, by name."""
    return {cls.__name__: cls for cls in (Certificate, Point, Schema)}


def encode(value: Any) -> Any:  # noqa: PLR0911 - one case for each kind of value
    """Return value as plain JSON data; what has no JSON form becomes a :class:`NotStored`."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | np.floating):
        number = float(value)
        return number if math.isfinite(number) else {"$": "float", "value": str(number)}
    if isinstance(value, np.bool_ | np.integer):
        return value.item()
    if isinstance(value, list):
        return [encode(entry) for entry in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"$": "dict", "items": {key: encode(entry) for key, entry in value.items()}}
    for kind, (test, to_json, _) in _KINDS.items():
        if test(value):
            return {"$": kind, **to_json(value)}
    return {"$": "not stored", "text": value.text if isinstance(value, NotStored) else repr(value)}


def decode(data: Any) -> Any:
    """Return the value that :func:`encode` made data from; ValueError if nothing did."""
    if data is None or isinstance(data, bool | int | float | str):
        return data
    if isinstance(data, list):
        return [decode(entry) for entry in data]
    kind = data.get("$")
    if kind == "float":
        return _NOT_FINITE[data["value"]]
    if kind == "dict":
        return {key: decode(entry) for key, entry in data["items"].items()}
    if kind == "not stored":
        return NotStored(str(data["text"]))
    if kind not in _KINDS:
        raise ValueError(f"unknown type {str(kind)[:40]!r}")
    return _KINDS[kind][2](data)


def _is_plain_array(value: Any) -> bool:
    return type(value) is np.ndarray and (value.dtype.kind in "OU" or value.dtype.name in _DTYPES)


def _array_to_json(a: Any) -> dict[str, Any]:
    data = a.ravel().tolist()
    if a.dtype.kind == "O":
        data = [encode(v) for v in data]
    elif a.dtype.kind == "f":
        data = [v if math.isfinite(v) else str(v) for v in data]
    dtype = a.dtype.name if a.dtype.name in _DTYPES else {"O": "object", "U": "str"}[a.dtype.kind]
    return {"dtype": dtype, "shape": list(a.shape), "data": data}


def _array_from_json(data: dict[str, Any]) -> Any:
    dtype, values = data["dtype"], data["data"]
    if dtype == "object":
        objects = np.empty(len(values), dtype=object)
        for k, entry in enumerate(values):
            objects[k] = decode(entry)
        return objects.reshape(data["shape"])
    if dtype == "str":
        if not all(isinstance(v, str) for v in values):
            raise ValueError("an array of text holds something else")
        return _texts(values).reshape(data["shape"])
    if dtype not in _DTYPES:
        raise ValueError(f"unknown dtype {str(dtype)[:40]!r}")
    if dtype.startswith("float"):
        values = [_NOT_FINITE[v] if isinstance(v, str) else v for v in values]
    whole = np.dtype(dtype).kind in "iu"
    allowed: tuple[type, ...] = (bool,) if dtype == "bool" else (int,) if whole else (int, float)
    if any(type(v) not in allowed for v in values):
        raise ValueError("an array of numbers holds something else")
    if whole and values:
        # NumPy before 2 lets an integer that does not fit wrap around.
        bounds = np.iinfo(dtype)
        if min(values) < bounds.min or max(values) > bounds.max:
            raise ValueError(f"an array of {dtype} holds a number that does not fit")
    return np.array(values, dtype=dtype).reshape(data["shape"])


def _texts(values: list[str]) -> Any:
    """Return an array of text.

    NumPy gives every entry the room of the longest one. Where that is much more than the texts
    take, the array refers to them instead.
    """
    total, longest = sum(map(len, values)), max(map(len, values), default=0)
    sparse_text = longest * len(values) > _ROOM * (total + len(values))
    return np.array(values, dtype=object if sparse_text else str)


def _csc_to_json(a: Any) -> dict[str, Any]:
    a = a.tocsc()
    parts = {name: _array_to_json(getattr(a, name)) for name in ("data", "indices", "indptr")}
    return {"shape": list(a.shape), **parts}


def _csc_from_json(data: dict[str, Any]) -> Any:
    parts = tuple(_array_from_json(data[name]) for name in ("data", "indices", "indptr"))
    a = sparse.csc_array(parts, shape=tuple(data["shape"]))
    a.check_format(full_check=True)
    return a


def _penalty_from_json(data: dict[str, Any]) -> Any:
    penalty = BY_NAME[data["name"]](**decode(data["params"]))
    penalty.validate()
    return penalty


def _loss_from_json(data: dict[str, Any]) -> Any:
    loss = LOSSES[data["name"]](**decode(data["params"]))
    loss.validate()
    return loss


def _record_to_json(value: Any) -> dict[str, Any]:
    stored = (f.name for f in dataclasses.fields(value) if f.compare)
    fields = {name: encode(getattr(value, name)) for name in stored}
    return {"class": type(value).__name__, "fields": fields}


def _record_from_json(data: dict[str, Any]) -> Any:
    fields = {name: decode(entry) for name, entry in data["fields"].items()}
    return records()[data["class"]](**fields)


def _path_to_json(path: Path) -> dict[str, Any]:
    # The points are the whole truth; the arrays of a Path are made from them.
    return {
        "n_features": int(path.coefs.shape[0]),
        "penalty": encode(path.penalty),
        "feature_names": encode(path.feature_names),
        "ended": path.ended,
        **({} if is_squared(path.loss) else {"loss": encode(path.loss.identity)}),
        "points": [_record_to_json(point) for point in path.points],
    }


def _path_from_json(data: dict[str, Any]) -> Path:
    points = [_record_from_json(point) for point in data["points"]]
    names = decode(data["feature_names"])
    penalty, ended = decode(data["penalty"]), str(data["ended"])
    loss = decode(data.get("loss", _SQUARED))  # files that say nothing are of squares
    return make_path(points, int(data["n_features"]), penalty, names, ended=ended, loss=loss)


_Kind = tuple[
    Callable[[Any], bool], Callable[[Any], dict[str, Any]], Callable[[dict[str, Any]], Any]
]
_KINDS: dict[str, _Kind] = {
    "tuple": (
        lambda v: isinstance(v, tuple),
        lambda v: {"items": [encode(entry) for entry in v]},
        lambda d: tuple(decode(d["items"])),
    ),
    "array": (_is_plain_array, _array_to_json, _array_from_json),
    "csc": (
        lambda v: sparse.issparse(v) and v.ndim == 2 and v.dtype.name in _DTYPES,
        _csc_to_json,
        _csc_from_json,
    ),
    "penalty": (
        lambda v: built_in_name(v) is not None,
        lambda v: {"name": built_in_name(v), "params": encode(v.get_params())},
        _penalty_from_json,
    ),
    "loss": (
        lambda v: built_in_loss(v) is not None,
        lambda v: {"name": built_in_loss(v), "params": encode(v.get_params())},
        _loss_from_json,
    ),
    "record": (lambda v: type(v) in records().values(), _record_to_json, _record_from_json),
    "path": (lambda v: type(v) is Path, _path_to_json, _path_from_json),
}
