"""Running many independent units of work: in parallel, cancellable, with progress."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from .. import _core
from ..checkpoint import Checkpoint
from ..tracing import counter
from ..validation import count_jobs

__all__ = ["Cancel", "run_units"]

Unit = TypeVar("Unit")
Result = TypeVar("Result")


# How long an interrupted run waits for its threads, which stop within milliseconds.
_PATIENCE = 0.4


class Cancel:
    """Tells worker threads to stop: they cannot see Ctrl-C themselves.

    A copy in another process is never set; joblib ends processes by itself.
    """

    def __init__(self) -> None:
        self.flag = _core.Flag()  # raised: solvers that watch it stop where they are
        self._idle = threading.Condition()
        self._running = 0

    def request(self) -> None:
        """Ask every worker to stop, and wait a moment until they have."""
        self.flag.set()
        with self._idle:
            self._idle.wait_for(lambda: self._running == 0, timeout=_PATIENCE)

    def check(self) -> None:
        """End this worker if it was asked to."""
        if self.flag.raised:
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        """Count a worker in, unless it is too late to begin."""
        self.check()
        with self._idle:
            self._running += 1

    def __exit__(self, *error: object) -> None:
        """Count a worker out."""
        with self._idle:
            self._running -= 1
            self._idle.notify_all()

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]


def _guarded(work: Callable[[Unit], Result], cancel: Cancel, unit: Unit) -> Result:
    with cancel:
        return work(unit)


def _in_parallel(
    call: Callable[[Unit], Result], units: Sequence[Unit], n_jobs: int | None, workers: int
) -> list[Result]:
    """Return [call(unit) for unit in units] by threads, or as joblib's context asks.

    A system that cannot start the workers is a lack of memory.
    """
    backend, _ = get_active_backend(prefer="threads")
    try:
        if getattr(backend, "uses_threads", False):
            return _by_threads(call, units, workers)
        tasks = (delayed(call)(unit) for unit in units)
        results: list[Result] = Parallel(n_jobs=n_jobs, prefer="threads")(tasks)
    except (OSError, RuntimeError, AttributeError) as error:
        if not _starved(error):
            raise
        raise MemoryError(
            f"the system cannot start {workers} workers; use n_jobs=1, or free some memory."
        ) from error
    return results


def _by_threads(
    call: Callable[[Unit], Result], units: Sequence[Unit], workers: int
) -> list[Result]:
    """Do what joblib's threads do, without the tens of milliseconds they take to start and end."""
    pool = ThreadPoolExecutor(workers)
    try:
        return list(pool.map(call, units))
    finally:  # without waiting: after Ctrl-C the units that run are asked to stop, by the caller
        pool.shutdown(wait=False, cancel_futures=True)


def _starved(error: BaseException | None) -> bool:
    """Tell whether an error, or what it hides, is a thread or process that could not be started."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOMEM, errno.EAGAIN):
            return True
        if isinstance(error, RuntimeError) and "start new thread" in str(error):
            return True
        error = error.__context__
    return False


def run_units(
    work: Callable[[Unit], Result],
    units: Sequence[Unit],
    *,
    n_jobs: int | None,
    cancel: Cancel,
    kept: Checkpoint,
    pack: Callable[[Result], Mapping[str, Any]],
    unpack: Callable[[Mapping[str, Any]], Result],
    progress: bool = False,
    what: str = "units",
) -> list[Result]:
    """Return [work(unit) for unit in units], in parallel with joblib.

    Threads unless joblib's context asks for another backend: the core releases the GIL. Units that
    the checkpoint has are not run again. With a checkpoint or a progress bar, units are handed out
    in waves of one per worker, so that each is kept soon after it is finished, on any backend.
    """
    results = {k: unpack(arrays) for k, arrays in kept.units.items() if k < len(units)}
    missing = [k for k in range(len(units)) if k not in results]
    workers = max(min(count_jobs(n_jobs), len(missing)), 1)
    size = workers if kept.active or progress else max(len(missing), 1)
    bar = counter(len(units), len(results), progress, what)
    try:
        for start in range(0, len(missing), size):
            wave = missing[start : start + size]
            call, batch = partial(_guarded, work, cancel), [units[k] for k in wave]
            if workers == 1:
                part = list(map(call, batch))
            else:
                part = _in_parallel(call, batch, n_jobs, workers)
            for k, result in zip(wave, part, strict=True):
                results[k] = result
                if kept.active:
                    kept.put(k, pack(result))
            bar.update(len(wave))
    except BaseException:
        cancel.request()
        raise
    finally:
        bar.close()
    return [results[k] for k in range(len(units))]
