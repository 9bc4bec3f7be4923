"""Running many independent units of work: in parallel, cancellable, with progress."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs

from ..tracing import tracked

__all__ = ["Cancel", "run_units"]

Unit = TypeVar("Unit")
Result = TypeVar("Result")


class Cancel:
    """Tells worker threads to stop: they cannot see Ctrl-C themselves.

    A copy in another process is never set; joblib ends processes by itself.
    """

    def __init__(self) -> None:
        self._event = threading.Event()

    def request(self) -> None:
        """Ask every worker to stop at its next alpha."""
        self._event.set()

    def __call__(self, point: object) -> bool:
        """Return whether to stop; the signature of a path's callback."""
        return self._event.is_set()

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]


def run_units(
    work: Callable[[Unit], Result],
    units: Sequence[Unit],
    *,
    n_jobs: int | None,
    cancel: Cancel,
    progress: bool = False,
    what: str = "units",
    done: Callable[[int, Result], None] | None = None,
) -> list[Result]:
    """Return [work(unit) for unit in units], in parallel with joblib.

    Threads unless joblib's context asks for another backend: the core releases the GIL. With
    ``done`` or a progress bar, units are handed out in waves of one per worker, so that
    ``done(k, result)`` is called soon after unit k is finished, on any backend.
    """
    workers = min(effective_n_jobs(n_jobs), max(len(units), 1))
    size = len(units) if done is None and not progress else workers
    results: list[Result] = []
    starts = range(0, len(units), max(size, 1))
    bar = tracked(starts, progress, what)
    try:
        for start in bar:
            wave = units[start : start + size]
            if workers == 1:
                part = [work(unit) for unit in wave]
            else:
                part = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(work)(u) for u in wave)
            for k, result in enumerate(part, start=start):
                if done is not None:
                    done(k, result)
            results.extend(part)
    except BaseException:
        cancel.request()
        raise
    finally:
        if progress:
            bar.close()
    return results
