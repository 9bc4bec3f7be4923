r"""Checkpoints of long runs: finished units of work, kept in one plain file.

A file is four parts: the line ``sparsieve-checkpoint 1``, a line with the SHA-256 of all that
follows, one line of JSON (what was run, a fingerprint of its input, names, types and shapes of the
arrays of each unit), and the bytes of these arrays in that order. It is replaced in one step after
each unit, so a run that is killed leaves the last complete file; reading executes nothing.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._files import atomic_writer
from ..solve.points import Counters, Direction, Point
from ..solve.problem import Problem

__all__ = [
    "Checkpoint",
    "CheckpointError",
    "check_place",
    "fingerprint",
    "pack_points",
    "unpack_points",
]

Arrays = dict[str, NDArray[Any]]
Result = TypeVar("Result")

_MAGIC = b"sparsieve-checkpoint 1\n"
_DIGEST_LENGTH = 65  # 64 hex digits and the end of the line
_DTYPES = {"float64": np.dtype("<f8"), "int64": np.dtype("<i8")}
_FIRST_START = "previous"
_FIRST_MINIMUM = "stationary"
#: Of what start="best" does; another number wherever it may end in other points. Files of the first
#: search have none.
_SEARCH = "2"
_FIRST_SEARCH = "1"
_AGAIN = "remove it to start again, or name another file"


class CheckpointError(ValueError):
    """A checkpoint file that cannot be used: not one, damaged, or of another run."""


def check_place(file: str | os.PathLike[str] | None) -> None:
    """Raise now, before the work, if there is no folder for a checkpoint."""
    if file is None:
        return
    path = Path(file)
    if path.is_dir():
        raise CheckpointError(f"{path} is a folder; name a file for the checkpoint.")
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"checkpoint={os.fspath(file)!r}: the folder {str(path.parent)!r} does not exist; make "
            "it, or name another file."
        )
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(
            f"checkpoint={os.fspath(file)!r}: the folder {str(path.parent)!r} is read-only; name a "
            "file in another one."
        )


class Checkpoint:
    """The finished units of one run.

    Parameters
    ----------
    file : path or None
        None keeps nothing.
    what : str
        The kind of run.
    identity : callable returning str
        A fingerprint of everything else the result depends on; only called when there is a file.
    start : str
        The name of the start in use. A file that names none is of a time when there was only one.
    minimum : str
        The strength of the minima that are looked for; the same holds for it.
    alphas : str, optional
        What was asked of the grid of alphas; a file that was made with something else is refused by
        this name.

    Raises
    ------
    CheckpointError
        When the file exists and is not a checkpoint of this very run.
    """

    def __init__(
        self,
        file: str | os.PathLike[str] | None,
        what: str,
        identity: Callable[[], str],
        *,
        start: str = _FIRST_START,
        minimum: str = _FIRST_MINIMUM,
        alphas: str | None = None,
    ) -> None:
        self.units: dict[int, Arrays] = {}
        self._path = None if file is None else Path(file)
        self._head = {"what": what, "fingerprint": "", "start": start, "minimum": minimum}
        if start == "best":
            self._head["search"] = _SEARCH
        if alphas is not None:
            self._head["alphas"] = alphas
        if self._path is None:
            return
        check_place(self._path)
        self._head["fingerprint"] = identity()
        if self._path.exists():
            self.units = _read(self._path, self._head)

    @property
    def active(self) -> bool:
        """Whether anything is kept."""
        return self._path is not None

    def results(self, unpack: Callable[[Arrays], Result], count: int) -> dict[int, Result]:
        """Return what the finished units of ``count`` stand for; ``unpack`` may refuse them."""
        found: dict[int, Result] = {}
        for unit, arrays in self.units.items():
            try:
                if not 0 <= unit < count:
                    raise ValueError(f"there are {count} units")
                found[unit] = unpack(arrays)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                raise CheckpointError(
                    f"{self._path} is not a valid checkpoint: unit {unit} cannot be what this run "
                    f"would have kept ({type(error).__name__}: {error}); {_AGAIN}."
                ) from error
        return found

    def put(self, unit: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Add a finished unit and write the file."""
        if self._path is None:
            return
        self.units[unit] = dict(arrays)
        _write(self._path, self._head, self.units)


def _write(path: Path, head: dict[str, str], units: Mapping[int, Arrays]) -> None:
    listing, payload = {}, []
    for unit, arrays in sorted(units.items()):
        entries = []
        for name, array in arrays.items():
            kind = "int64" if array.dtype.kind in "iub" else "float64"
            entries.append([name, kind, list(array.shape)])
            payload.append(np.ascontiguousarray(array, dtype=_DTYPES[kind]).tobytes())
        listing[str(unit)] = entries
    header = json.dumps({**head, "units": listing}, separators=(",", ":")).encode() + b"\n"
    digest = hashlib.sha256(header)
    for part in payload:
        digest.update(part)
    with atomic_writer(path) as stream:
        stream.write(_MAGIC + digest.hexdigest().encode() + b"\n" + header)
        for part in payload:
            stream.write(part)


def _read(path: Path, head: dict[str, str]) -> dict[int, Arrays]:
    return parse_units(path, path.read_bytes(), head)


def parse_units(path: Path, content: bytes, head: dict[str, str]) -> dict[int, Arrays]:
    """Return the units in the bytes of a checkpoint; ``path`` names it in messages."""
    if not content.startswith(_MAGIC):
        raise CheckpointError(f"{path} is not a checkpoint of sparsieve; {_AGAIN}.")
    body = content[len(_MAGIC) + _DIGEST_LENGTH :]
    stated = content[len(_MAGIC) : len(_MAGIC) + _DIGEST_LENGTH]
    if hashlib.sha256(body).hexdigest().encode() + b"\n" != stated:
        raise CheckpointError(
            f"{path} is damaged or cut short (its checksum does not match); {_AGAIN}."
        )
    line, _, payload = body.partition(b"\n")
    try:
        found = json.loads(line)
        made, wanted = found.get("alphas"), head.get("alphas")
        if made is not None and wanted is not None and made != wanted:
            raise CheckpointError(
                f"{path} was made with {str(made)[:60]}, this run has {wanted}; use the same "
                f"alphas and eps, or {_AGAIN}."
            )
        if found["what"] != head["what"] or found["fingerprint"] != head["fingerprint"]:
            # Files that do not name it may have the grid of when eps=1e-3 was the default.
            grid = ", alphas (eps=1e-3?)" if made is None and wanted is not None else ""
            raise CheckpointError(
                f"{path} belongs to another run ({found['what']}, other data{grid}, options or "
                f"version); {_AGAIN}."
            )
        for name, first in (("start", _FIRST_START), ("minimum", _FIRST_MINIMUM)):
            made, wanted = found.get(name, first), head.get(name, first)
            if made != wanted:
                raise CheckpointError(
                    f"{path} was made with {name}={str(made)[:60]!r}, this run has "
                    f"{name}={wanted!r}; use the same {name}, or {_AGAIN}."
                )
        if "search" in head and found.get("search", _FIRST_SEARCH) != head["search"]:
            raise CheckpointError(
                f"{path} was made when start='best' searched in another way, so its points do not "
                f"go with those of this version; {_AGAIN}."
            )
        return _arrays_of(path, found["units"], payload)
    except CheckpointError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CheckpointError(f"{path} is not a valid checkpoint: {error}; {_AGAIN}.") from error


def _arrays_of(path: Path, listing: Mapping[str, Any], payload: bytes) -> dict[int, Arrays]:
    """Cut the payload into arrays; every size is checked before memory is asked for."""
    units: dict[int, Arrays] = {}
    at = 0
    for unit, entries in listing.items():
        arrays: Arrays = {}
        for name, kind, shape in entries:
            if not all(isinstance(size, int) and size >= 0 for size in shape):
                raise CheckpointError(f"{path} has an array of impossible shape; {_AGAIN}.")
            end = at + 8 * math.prod(shape)
            if end > len(payload):
                raise CheckpointError(f"{path} is shorter than its arrays; {_AGAIN}.")
            flat = np.frombuffer(payload[at:end], dtype=_DTYPES[kind])
            arrays[name] = flat.reshape(shape).astype(flat.dtype.newbyteorder("="))
            at = end
        units[int(unit)] = arrays
    if at != len(payload):
        raise CheckpointError(f"{path} is longer than its arrays; {_AGAIN}.")
    return units


def fingerprint(problem: Problem, *parts: Any) -> str:
    """Return a digest of the data, the library's version and everything else given."""
    try:
        release = version("sparsieve")
    except PackageNotFoundError:
        release = "unknown"
    digest = hashlib.sha256(release.encode())
    data = problem.data
    for part in problem.design.parts():
        _feed(digest, part)
    options: tuple[Any, ...] = (data.y, data.sample_weight, data.weights, problem.fit_intercept)
    if not problem.squared or data.offset is not None:
        options = (*options, problem.loss.identity, data.offset)
    for part in (*options, *problem.terms.identity, problem.n_samples, problem.n_features, *parts):
        _feed(digest, part)
    return digest.hexdigest()


def _feed(digest: Any, part: Any) -> None:
    """Add an array by type, shape and bytes, a sequence by its parts, anything else by words."""
    if isinstance(part, np.ndarray) and part.dtype.kind != "O":
        digest.update(f"{part.dtype.str}{part.shape}".encode())
        digest.update(np.ascontiguousarray(part).data)
    elif isinstance(part, list | tuple):
        digest.update(f"[{len(part)}".encode())
        for each in part:
            _feed(digest, each)
    else:
        digest.update(f"{type(part).__qualname__}:{_words(part)};".encode())


def _words(part: Any) -> str:
    """Return text that is the same in every process: parameters, never an address."""
    if hasattr(part, "get_params"):
        return repr(sorted(part.get_params().items()))
    if hasattr(part, "__qualname__"):
        return f"{part.__module__}.{part.__qualname__}"
    text = repr(part)
    return (
        repr(sorted(vars(part).items())) if " at 0x" in text and hasattr(part, "__dict__") else text
    )


_SCALARS = (
    "alpha",
    "intercept",
    "objective",
    "kkt",
    "dual_gap",
    "passes",
    "r2",
)
_COUNTS = ("n_iter", "convex", "settled_by_bound", "settled_by_reading", "settled_by_shadow")
# Words are kept as positions in a list of words, which the file has too. In files made before that,
# the positions are those in these lists.
_WORDS = {
    "status": (
        "CONVERGED",
        "ITERATIONS",
        "STALLED",
        "INTERRUPTED",
        "SEPARATED",
        "UNCERTAIN",
    ),
    "start": ("previous", "lasso", "upwards", "given", "none"),
    "minimum": ("stationary", "coordinatewise", "swap"),
}
_POSITIONS = {"status": "statuses", "start": "starts", "minimum": "minima"}


#: Stands for the counters of a point that has none.
_NOT_COUNTED = (-1,) * len(Counters._fields)


def pack_points(points: Sequence[Point]) -> Arrays:
    """Return points as plain arrays."""
    arrays = {
        "columns": np.concatenate([point.columns for point in points]).astype(np.int64),
        "values": np.concatenate([point.values for point in points]),
        "sizes": np.array([point.values.size for point in points], dtype=np.int64),
        "scalars": np.array([[getattr(p, name) for name in _SCALARS] for p in points], dtype=float),
        "counts": np.array(
            [[int(getattr(p, name)) for name in _COUNTS] for p in points], dtype=np.int64
        ),
        "work": np.array([p.counters or _NOT_COUNTED for p in points], dtype=np.int64),
    }
    if any(point.direction for point in points):
        arrays |= _pack_directions(points)
    for field, positions in _POSITIONS.items():
        words = [getattr(point, field) for point in points]
        used = sorted(set(words))
        arrays[positions] = np.array([used.index(word) for word in words], dtype=np.int64)
        arrays[f"{field}_words"] = np.array([*"\n".join(used).encode()], dtype=np.int64)
    return arrays


def _pack_directions(points: Sequence[Point]) -> Arrays:
    """Return the directions of points without a solution, zeros for the others."""
    none = [(np.zeros(point.values.size), 0.0) for point in points]
    each = [
        (point.direction.values, point.direction.intercept) if point.direction else zeros
        for point, zeros in zip(points, none, strict=True)
    ]
    values = np.concatenate([values for values, _ in each])
    return {"directions": values, "shifts": np.array([shift for _, shift in each])}


def _direction_of(arrays: Mapping[str, NDArray[Any]], k: int, part: slice) -> Direction | None:
    if "directions" not in arrays or not np.isnan(arrays["scalars"][k]).any():
        return None
    shift = float(arrays["shifts"][k])
    return Direction(arrays["columns"][part], arrays["directions"][part], shift)


def _words_of(arrays: Mapping[str, NDArray[Any]], field: str, count: int) -> list[str]:
    """Return the words of one field, by the list in the file or by the one of older files."""
    known = _WORDS[field]
    if f"{field}_words" in arrays:
        listed = bytes(arrays[f"{field}_words"].tolist()).decode("ascii").split("\n")
        if not set(listed) <= set(known):
            raise ValueError(f"a {field} that is not known")
        positions = arrays[_POSITIONS[field]]
    else:
        listed = list(known)
        older = arrays["counts"][:, -1] if field == "status" else np.zeros(count, dtype=np.int64)
        positions = arrays.get(_POSITIONS[field], older)  # once there was only one start
    if positions.shape != (count,) or np.any(positions < 0):
        raise ValueError(f"not one {field} per point")
    return [listed[place] for place in positions.tolist()]


def unpack_points(arrays: Mapping[str, NDArray[Any]], n_features: int | None = None) -> list[Point]:
    """Return the points of :func:`pack_points`, to the bit; ValueError if they are none."""
    sizes = arrays["sizes"]
    count = int(sizes.size)
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if count else 0
    _check_arrays(arrays, count, total, n_features)
    words = {field: _words_of(arrays, field, count) for field in _WORDS}
    work = arrays.get("work")  # once it was not counted
    points = []
    for k, end in enumerate(ends):
        counted = _NOT_COUNTED if work is None else tuple(map(int, work[k]))
        part = slice(int(end - sizes[k]), int(end))
        scalars: dict[str, Any] = dict(zip(_SCALARS, map(float, arrays["scalars"][k]), strict=True))
        counts = map(int, arrays["counts"][k][: len(_COUNTS)])
        numbers = scalars | dict(zip(_COUNTS, counts, strict=True))
        numbers["convex"] = bool(numbers["convex"])
        points.append(
            Point(
                columns=arrays["columns"][part],
                values=arrays["values"][part],
                status=words["status"][k],
                start=words["start"][k],
                minimum=words["minimum"][k],
                direction=_direction_of(arrays, k, part),
                counters=None if counted == _NOT_COUNTED else Counters._make(counted),
                **numbers,
            )
        )
    return points


def _check_arrays(
    arrays: Mapping[str, NDArray[Any]], count: int, total: int, n_features: int | None
) -> None:
    """Raise ValueError unless the arrays of points fit together and say what can be."""
    columns, values, sizes = (arrays[name] for name in ("columns", "values", "sizes"))
    scalars, counts = arrays["scalars"], arrays["counts"]
    if sizes.ndim != 1 or sizes.dtype.kind != "i" or count == 0 or np.any(sizes < 0):
        raise ValueError("no sizes of points")
    if columns.shape != (total,) or values.shape != (total,) or columns.dtype.kind != "i":
        raise ValueError("not one value for each feature of a point")
    wide = counts.ndim == 2 and counts.shape[1] in (len(_COUNTS), len(_COUNTS) + 1)
    if scalars.shape != (count, len(_SCALARS)) or not wide or counts.shape[0] != count:
        raise ValueError("not one row of numbers per point")
    work = arrays.get("work")
    if work is not None and work.shape != (count, len(_NOT_COUNTED)):
        raise ValueError("not one row of counters per point")
    ways = arrays.get("directions", np.zeros(total))
    if ways.shape != (total,) or arrays.get("shifts", np.zeros(count)).shape != (count,):
        raise ValueError("not one direction per point without a solution")
    named = dict(zip(_SCALARS, scalars.T, strict=True))
    fine = (
        np.all(named["alpha"] >= 0) and np.all(named["kkt"] >= 0) and np.all(named["passes"] >= 0)
    )
    known = np.isfinite(values) | (np.isnan(values) & (ways != 0.0))
    if not fine or not np.all(known) or np.any(counts[:, : len(_COUNTS)] < 0):
        raise ValueError("a number that no solve gives")
    if n_features is not None and np.any((columns < 0) | (columns >= n_features)):
        raise ValueError("a feature that does not exist")
