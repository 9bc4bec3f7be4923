"""Statistics of Dask arrays and frames: sums where the chunks of rows are, merged by a tree.

Everything is a task of Dask: it decides where a chunk is summed, and computes again what died with
a worker. Nothing is pinned to a worker, nothing is kept on one. Keys begin with ``sparsieve-``.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .batches import is_dask
from .scalars import check_integer

__all__ = ["Steps", "folds_of", "statistics_of"]


class Steps(NamedTuple):
    """What is done with chunks; statistics are above this module."""

    of_chunk: Callable[[Any, Any, Any, int], Any]
    followed: Callable[[Sequence[Any]], Any]
    added: Callable[[Sequence[Any]], Any]


# Neighbours that one task merges.
_FAN = 8
# How often work is begun again when it met more deaths than Dask allows a task.
_TRIES = 6
_FOLDS = 5


def statistics_of(steps: Steps, X: Any, y: Any, sample_weight: Any, client: Any) -> Any:
    """Return the statistics of a Dask array, with the bits of one stream, or of a Dask frame."""
    return _computed([_sum_of(steps, X, y, sample_weight)], client)[0]


def folds_of(steps: Steps, X: Any, y: Any, sample_weight: Any, cv: Any) -> list[Any]:
    """Return the statistics of folds: stretches of rows (KFold without shuffling) or partitions."""
    if not (cv is None or isinstance(cv, int | np.integer)):
        raise ValueError(
            f"cv={cv!r} needs rows in memory; pass a number of folds, which are then stretches of "
            "rows, or a list of Statistics, one per fold."
        )
    count = _FOLDS if cv is None else check_integer("cv", cv, low=2, remedy="use e.g. cv=5")
    frame = not _is_array(X)
    n = X.npartitions if frame else _length(X)
    if n < count:
        units = "partitions" if frame else "rows"
        raise ValueError(
            f"cv={count} needs as many {units}, and X has {n}; use fewer folds, or "
            "X.repartition(npartitions=...) for a frame."
        )
    ends = np.cumsum([0] + [n // count + (k < n % count) for k in range(count)]).tolist()

    def part(data: Any, first: int, last: int) -> Any:
        if data is None or isinstance(data, str):
            return data
        return data.partitions[first:last] if frame else data[first:last]

    sums = [
        _sum_of(steps, *(part(data, first, last) for data in (X, y, sample_weight)))
        for first, last in itertools.pairwise(ends)
    ]
    return _computed(sums, None)


def _is_array(X: Any) -> bool:
    """Tell an array from a frame; a Delayed would have any attribute that is asked for."""
    kind = type(X).__name__
    if kind not in ("Array", "DataFrame"):
        raise TypeError(
            f"rows cannot be read from a Dask {kind}; pass a Dask array in chunks of rows, or a "
            "Dask data frame."
        )
    return kind == "Array"


def _length(X: Any) -> int:
    n = X.shape[0]
    if np.isnan(n):
        raise ValueError("X has chunks of unknown sizes; call X.compute_chunk_sizes() first.")
    return int(n)


def _sum_of(steps: Steps, X: Any, y: Any, sample_weight: Any) -> Any:
    """Return the task that has the statistics."""
    array = _is_array(X)
    parts = (_chunks if array else _partitions)(X, y, sample_weight)
    join = steps.followed if array else steps.added
    from dask import delayed

    token = _token()
    # A task of its own: what a chunk is asked may be large, and goes to a worker once.
    of_chunk = delayed(steps.of_chunk, name=f"sparsieve-ask-{token}", traverse=False)
    tasks = [
        _task(_summed, f"sparsieve-sum-{token}-{k}")(of_chunk, k, *part)
        for k, part in enumerate(parts)
    ]
    level = 0
    while len(tasks) > 1:
        tasks = [
            _task(join, f"sparsieve-merge-{token}-{level}-{k}")(tasks[k : k + _FAN])
            for k in range(0, len(tasks), _FAN)
        ]
        level += 1
    return tasks[0]


def _task(function: Callable[..., Any], key: str) -> Callable[..., Any]:
    from dask import delayed

    def make(*args: Any) -> Any:
        return delayed(function, traverse=True)(*args, dask_key_name=key)

    return make


def _token() -> str:
    from uuid import uuid4

    return uuid4().hex[:12]


def _chunks(X: Any, y: Any, sample_weight: Any) -> Iterator[tuple[Any, Any, Any, int]]:
    """Yield the chunks of an array with their responses, weights and first rows."""
    if X.ndim != 2:
        raise ValueError(f"X must have 2 dimensions, got shape {X.shape}; pass rows and columns.")
    if X.numblocks[1] > 1:
        raise ValueError(
            f"X has {X.numblocks[1]} chunks of columns, and sums need whole rows; use "
            "X.rechunk({1: -1})."
        )
    n = _length(X)
    if y is None or isinstance(y, str):
        raise ValueError(
            "y is missing: a Dask array has no named columns; pass a Dask or NumPy array of "
            "responses."
        )
    y = _beside("y", y, X, n)
    sample_weight = None if sample_weight is None else _beside("sample_weight", sample_weight, X, n)
    blocks = X.to_delayed()[:, 0]
    responses = y.to_delayed().ravel()
    weights = [None] * len(blocks) if sample_weight is None else sample_weight.to_delayed().ravel()
    starts = np.cumsum([0, *X.chunks[0]]).tolist()
    yield from zip(blocks, responses, weights, starts, strict=False)


def _beside(name: str, vector: Any, X: Any, n: int) -> Any:
    """Return responses or weights in the chunks of X."""
    import dask.array as da

    if not is_dask(vector):
        whole = np.asarray(vector)
        # Cut here, so that no worker is sent all of it.
        fits = whole.ndim > 0 and len(whole) == n
        vector = da.from_array(whole, chunks=(X.chunks[0], *whole.shape[1:]) if fits else -1)
    elif not hasattr(vector, "chunks"):
        vector = vector.to_dask_array(lengths=True)
    if vector.ndim == 2 and vector.shape[1] == 1:
        vector = vector[:, 0]
    if vector.ndim != 1 or vector.shape[0] != n:
        raise ValueError(
            f"{name} has shape {vector.shape}, X has {n} rows; pass one entry per row of X."
        )
    return vector.rechunk((X.chunks[0],))


def _partitions(X: Any, y: Any, sample_weight: Any) -> Iterator[tuple[Any, Any, Any, int]]:
    """Yield the partitions of a frame; each is a stream of its own."""
    if y is None:
        raise ValueError("y is missing; pass the name of its column, or a Dask series.")
    parts = X.to_delayed()
    for name, data in (("y", y), ("sample_weight", sample_weight)):
        if isinstance(data, str) and data not in X.columns:
            shown = ", ".join(map(str, X.columns[:8])) + (", ..." if len(X.columns) > 8 else "")
            raise ValueError(f"{name}={data!r} is no column of X; its columns are {shown}.")
        apart = not (data is None or isinstance(data, str))
        if apart and not (is_dask(data) and getattr(data, "npartitions", 0) == X.npartitions):
            raise ValueError(
                f"{name} does not have the {X.npartitions} partitions of X; pass the name of a "
                "column, or a Dask series of the same frame."
            )
    beside = [
        [data] * len(parts) if data is None or isinstance(data, str) else data.to_delayed()
        for data in (y, sample_weight)
    ]
    for part, response, weight in zip(parts, *beside, strict=True):
        yield part, response, weight, 0


def _summed(
    of_chunk: Callable[..., Any], number: int, X: Any, y: Any, sample_weight: Any, start: int
) -> Any:
    """Return the statistics of one chunk."""
    try:
        return of_chunk(X, y, sample_weight, start)
    except ValueError as error:
        raise ValueError(f"chunk {number} of the rows: {error}") from error


def _computed(tasks: list[Any], client: Any) -> list[Any]:
    """Compute on a client, the current one, or without one in Dask's threads."""
    try:
        for _ in range(_TRIES - 1):
            with contextlib.suppress(_killed_worker()):
                return _compute(tasks, client)
        return _compute(tasks, client)
    except (ModuleNotFoundError, RuntimeError) as error:
        if not _unknown_there(error):
            raise
        raise RuntimeError(
            "scheduler or workers of the cluster do not have sparsieve; install the same version "
            "there, for instance in the image they are made of, or on workers with "
            "client.register_plugin(distributed.PipInstall(packages=['sparsieve']))."
        ) from error


def _unknown_there(error: BaseException) -> bool:
    """Tell whether a module was missing where tasks are read: a worker, or the scheduler."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ModuleNotFoundError):
            return "sparsieve" in str(seen)
        seen = seen.__cause__ or seen.__context__
    # Older schedulers keep the reason to themselves.
    return "deserialization of the task graph" in str(error)


def _compute(tasks: list[Any], client: Any) -> list[Any]:
    if client is None:
        import dask

        return list(dask.compute(*tasks, traverse=False, optimize_graph=True))
    return [future.result() for future in client.compute(tasks)]


def _killed_worker() -> type[BaseException]:
    """Return the error of a task whose workers died too often."""
    try:
        from distributed.scheduler import KilledWorker
    except ImportError:  # Dask without its cluster
        return _NeverError
    error: type[BaseException] = KilledWorker
    return error


class _NeverError(Exception):
    """Never raised."""
