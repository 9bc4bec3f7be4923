"""Progress of long work: a bar of tqdm, or one line of text where that is not installed."""

from __future__ import annotations

import _thread
import contextlib
import multiprocessing
import sys
import threading
import time
from typing import Any, Protocol

from .data.kinds import check_flag

__all__ = ["Bar", "NoBar", "check_progress", "counter"]

_SINGULAR = {"halves": "half"}
#: Seconds before work that nobody asked to see is shown, and between two looks at it.
_PATIENCE = 2.0
_PERIOD = 0.5
#: Seconds between two lines where standard error is no terminal and progress=True.
_BETWEEN_LINES = 10.0


class Bar(Protocol):
    """What counts work."""

    def update(self, count: float = 1) -> None:
        """Count."""

    def reach(self, done: float) -> None:
        """Count up to this, as far as that has not been counted."""

    def close(self) -> None:
        """End."""


class NoBar:
    """Takes the place of a progress bar when none is shown."""

    def update(self, count: float = 1) -> None:
        """Count."""

    def reach(self, done: float) -> None:
        """Count up to this, as far as that has not been counted."""

    def close(self) -> None:
        """End."""


class _Line:
    """A line of text: what is done, of how much, and how long it took so far."""

    def __init__(self, total: float, what: str) -> None:
        self._total, self._what = total, what
        self._started = time.monotonic()
        self._printed = -_BETWEEN_LINES
        self._width = 0

    def draw(self, done: float) -> None:
        """Write over the last line of a terminal; elsewhere add one now and then."""
        elapsed = time.monotonic() - self._started
        text = f"{self._what}: {done:g}/{self._total:g}, {elapsed:.0f} s"
        if _is_terminal():
            sys.stderr.write("\r" + text.ljust(self._width))
            self._width = len(text)
        elif elapsed - self._printed >= _BETWEEN_LINES or done >= self._total:
            sys.stderr.write(text + "\n")
            self._printed = elapsed
        sys.stderr.flush()

    def close(self) -> None:
        """Leave the line."""
        if self._width:
            sys.stderr.write("\n")
            sys.stderr.flush()


class _Tqdm:
    """A bar of tqdm."""

    def __init__(self, tqdm: Any, total: float, done: float, what: str) -> None:
        unit = _SINGULAR.get(what, what.rstrip("s"))
        self._bar = tqdm(total=total, initial=done, desc=what, unit=unit)

    def draw(self, done: float) -> None:
        """Show how much is done."""
        self._bar.n = int(done) if done == int(done) else round(done, 1)
        self._bar.refresh()

    def close(self) -> None:
        """Leave the bar."""
        self._bar.close()


class _Shown:
    """Counts work, and shows it after a while from a thread of its own, also between counts.

    Who counts never waits for a terminal that takes nothing.
    """

    def __init__(self, total: int, done: float, what: str, delay: float) -> None:
        self._total, self._done, self._what = total, float(done), what
        self._first = float(done)
        self._counting, self._drawing = threading.Lock(), threading.Lock()
        self._end = threading.Event()
        self._picture: _Line | _Tqdm | None = None
        if delay == 0.0:
            self._draw()
        with contextlib.suppress(RuntimeError):  # no more threads: it is shown in the end
            # Not threading.Thread, whose start() may wait for ever where memory is short.
            _thread.start_new_thread(self._watch, (delay,))

    def _watch(self, delay: float) -> None:
        wait = delay or _PERIOD
        while not self._end.wait(wait):
            self._draw()
            wait = _PERIOD

    def _draw(self) -> None:
        with self._drawing:
            if self._end.is_set():
                return
            try:
                self._picture = self._picture or _picture(self._total, self._first, self._what)
                self._picture.draw(min(round(self._done, 3), self._total))
            except (OSError, ValueError, AttributeError):  # standard error was closed
                self._end.set()

    def update(self, count: float = 1) -> None:
        with self._counting:
            self._done += count

    def reach(self, done: float) -> None:
        with self._counting:
            self._done = max(self._done, done)

    def close(self) -> None:
        if self._picture is not None:
            self._draw()
        self._end.set()
        with self._drawing:
            if self._picture is not None:
                with contextlib.suppress(OSError, ValueError, AttributeError):
                    self._picture.close()


def _picture(total: int, done: float, what: str) -> _Line | _Tqdm:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line(total, what)
    return _Tqdm(tqdm, total, int(done), what)


def _is_terminal() -> bool:
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # it is closed
        return False


def _is_watched() -> bool:
    """Tell whether somebody may look at what this thread writes to standard error.

    Workers, threads or processes, leave that to the one that they work for.
    """
    in_charge = threading.current_thread() is threading.main_thread()
    return in_charge and multiprocessing.parent_process() is None and _is_terminal()


def check_progress(progress: Any) -> bool | None:
    """Return a checked ``progress=``."""
    return None if progress is None else check_flag("progress", progress)


def counter(total: int, done: int, progress: bool | None, what: str) -> Bar:
    """Return a progress bar of ``total`` units (in the plural), or something that does nothing.

    None shows a bar on a terminal only, and only of work that takes longer than two seconds.
    """
    shown = check_progress(progress)
    if shown is False or (shown is None and not _is_watched()):
        return NoBar()
    return _Shown(total, done, what, 0.0 if shown else _PATIENCE)
