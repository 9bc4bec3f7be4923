"""Progress bars of long work."""

from __future__ import annotations

from typing import Any

from .data.kinds import check_flag

__all__ = ["NoBar", "counter"]

_SINGULAR = {"halves": "half"}


class NoBar:
    """Takes the place of a progress bar when none is shown."""

    def update(self, count: int = 1) -> None:
        """Count."""

    def close(self) -> None:
        """End."""


def counter(total: int, done: int, progress: bool, what: str) -> Any:
    """Return a progress bar of ``total`` units (in the plural), or something that does nothing."""
    if not check_flag("progress", progress):
        return NoBar()
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError("progress=True needs tqdm: pip install tqdm") from error
    return tqdm(total=total, initial=done, desc=what, unit=_SINGULAR.get(what, what.rstrip("s")))
