"""Running many independent units of work: in parallel, cancellable, with progress."""

from __future__ import annotations

import _thread
import contextlib
import contextvars
import errno
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from joblib import parallel_backend
from joblib.parallel import get_active_backend
from sklearn import config_context, get_config
from sklearn.utils.parallel import Parallel, delayed

from .. import _core
from .._progress import Bar, NoBar, counter
from ..data.scalars import count_jobs
from ..files.checkpoint import Checkpoint

__all__ = ["Cancel", "run_all", "run_units"]

Unit = TypeVar("Unit")
Result = TypeVar("Result")


# How long an interrupted run waits for its threads, which stop within milliseconds.
_PATIENCE = 0.4


class Cancel:
    """Tells worker threads to stop, as they cannot see Ctrl-C themselves, and counts their work.

    A copy in another process is never set; joblib ends processes by itself.
    """

    def __init__(self) -> None:
        self.flag = _core.Flag()  # raised: solvers that watch it stop where they are
        self.bar: Bar = NoBar()
        self._part = threading.local()  # what a worker has counted of its unit
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

    def count(self, part: float) -> None:
        """Count a part of the unit that this worker is at."""
        self._part.done += part
        self.bar.update(part)

    def count_again(self) -> None:
        """Take back what this worker has counted of its unit."""
        self.count(-self._part.done)

    def __enter__(self) -> None:
        """Count a worker in, unless it is too late to begin."""
        self.check()
        self._part.done = 0.0
        with self._idle:
            self._running += 1

    def __exit__(self, *error: object) -> None:
        """Count a worker out, and the rest of its unit."""
        self.count(1.0 - self._part.done)
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


class _Crew(Generic[Unit, Result]):
    """Threads that share units of work; the calling one works along.

    Does what joblib's threads do without the tens of milliseconds they take to start and end, and
    Ctrl-C reaches the solver that runs in the calling thread at once.
    """

    def __init__(self, call: Callable[[Unit], Result], units: Sequence[Unit]) -> None:
        self._call = call
        self._count = len(units)
        self._left = list(enumerate(units))[::-1]
        self._results: dict[int, Result] = {}
        self._error: BaseException | None = None
        self._idle = threading.Condition()
        self._helping = 0

    def run(self, workers: int) -> list[Result]:
        """Return the results in the order of the units, or raise what a unit raised."""
        settings = get_config()
        # Not threading.Thread, whose start() waits for ever for a thread that dies of a lack of
        # memory before its first line. Here threads that do not come are only missed.
        with contextlib.suppress(RuntimeError):
            for _ in range(workers - 1):
                # A context holds NumPy's errstate, scikit-learn's settings are apart from it.
                _thread.start_new_thread(contextvars.copy_context().run, (self._help, settings))
        try:
            self._work()
        finally:
            self._left.clear()
        with self._idle:
            self._idle.wait_for(lambda: self._helping == 0)
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # the error knows this frame: a circle that keeps X alive
        return [self._results[k] for k in range(self._count)]

    def _work(self) -> None:
        with parallel_backend("sequential"):  # as many threads as workers, no more
            while self._left:
                try:
                    k, unit = self._left.pop()
                except IndexError:  # another thread was faster
                    return
                self._results[k] = self._call(unit)

    def _help(self, settings: Mapping[str, Any]) -> None:
        with self._idle:
            self._helping += 1
        try:
            with config_context(**settings):
                self._work()
        except BaseException as error:
            self._error = error
            self._left.clear()
        finally:
            with self._idle:
                self._helping -= 1
                self._idle.notify_all()


class _Shipped(Generic[Unit, Result]):
    """Work with the data it needs, which a cluster sends to a worker once and not with each task.

    Joblib's Dask backend does so with large arguments; a partial function counts as a small one.
    """

    def __init__(self, call: Callable[[Unit], Result]) -> None:
        self.call = call

    def __sizeof__(self) -> int:
        return 1 << 20


def _run(work: _Shipped[Unit, Result], unit: Unit) -> Result:
    return work.call(unit)


def _in_parallel(
    call: Callable[[Unit], Result], units: Sequence[Unit], workers: int
) -> list[Result]:
    """Return [call(unit) for unit in units] by threads, or as joblib's context asks.

    A system that cannot start joblib's workers is a lack of memory.
    """
    backend, _ = get_active_backend(prefer="threads")
    if getattr(backend, "uses_threads", False):
        return _Crew(call, units).run(workers)
    try:
        shipped = _Shipped(call)
        tasks = (delayed(_run)(shipped, unit) for unit in units)
        results: list[Result] = Parallel(n_jobs=workers, prefer="threads")(tasks)
    except (OSError, RuntimeError, AttributeError) as error:
        if not _starved(error):
            raise
        raise MemoryError(
            f"the system cannot start {workers} workers; use n_jobs=1, or free some memory."
        ) from error
    return results


def _starved(error: BaseException | None) -> bool:
    """Tell whether an error, or what it hides, is a thread or process that could not be started."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOMEM, errno.EAGAIN):
            return True
        if isinstance(error, RuntimeError) and "start new thread" in str(error):
            return True
        error = error.__context__
    return False


def run_units(  # noqa: PLR0913 - what three kinds of long work have in common
    work: Callable[[Unit], Result],
    units: Sequence[Unit],
    *,
    n_jobs: int | None,
    cancel: Cancel,
    kept: Checkpoint,
    pack: Callable[[Result], Mapping[str, Any] | None],
    unpack: Callable[[Mapping[str, Any]], Result],
    progress: bool | None = False,
    what: str = "units",
    known: Mapping[int, Result] | None = None,
) -> list[Result]:
    """Return [work(unit) for unit in units], in parallel.

    Threads unless joblib's context asks for another backend: the core releases the GIL. Units that
    the checkpoint has are not run again. With a checkpoint or a progress bar, units are handed out
    in waves of one per worker, so that each is kept soon after it is finished, on any backend.
    What ``pack`` gives None for is not kept. ``known`` has the results of units, by number, in the
    place of those that the checkpoint has.
    """
    results = kept.results(unpack, len(units)) if known is None else dict(known)
    missing = [k for k in range(len(units)) if k not in results]
    workers = max(min(count_jobs(n_jobs), len(missing)), 1)
    size = workers if kept.active or progress else max(len(missing), 1)
    bar = cancel.bar = counter(len(units), len(results), progress, what)
    try:
        for start in range(0, len(missing), size):
            wave = missing[start : start + size]
            call, batch = partial(_guarded, work, cancel), [units[k] for k in wave]
            part = list(map(call, batch)) if workers == 1 else _in_parallel(call, batch, workers)
            for k, result in zip(wave, part, strict=True):
                results[k] = result
                packed = pack(result) if kept.active else None
                if packed is not None:
                    kept.put(k, packed)
            bar.reach(len(results))  # other processes count for themselves
    except BaseException:
        cancel.request()
        raise
    finally:
        bar.close()
    return [results[k] for k in range(len(units))]


def run_all(
    work: Callable[[Unit], Result], units: Sequence[Unit], *, n_jobs: int | None, cancel: Cancel
) -> list[Result]:
    """Return [work(unit) for unit in units], in parallel; nothing is kept on the way."""
    workers = max(min(count_jobs(n_jobs), len(units)), 1)
    call = partial(_guarded, work, cancel)
    try:
        return list(map(call, units)) if workers == 1 else _in_parallel(call, units, workers)
    except BaseException:
        cancel.request()
        raise
