"""Writing files so that a reader sees the old content or the new, never half of it."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

__all__ = ["atomic_writer"]


@contextmanager
def atomic_writer(file: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary stream whose content replaces ``file`` when the block ends well.

    The bytes go to a temporary file in the same folder, are flushed to the disk and renamed over
    ``file``, whose permissions stay. If the block raises, ``file`` is as it was, the temporary file
    is gone, and an error of the disk names ``file``. Devices and pipes cannot be replaced, they are
    written to directly.

    Parameters
    ----------
    file : str or path

    Yields
    ------
    binary stream
    """
    target = Path(os.path.realpath(file))  # a link is followed, not replaced
    if target.is_dir():
        raise IsADirectoryError(f"{file} is a folder; give the name of a file in it.")
    if target.exists() and not target.is_file():
        with _naming(file), target.open("wb") as stream:
            yield stream
        return
    # Not tempfile: its files are private to the owner, ours should follow the umask (but even an
    # umask of 0 lets nobody else write to them). Who could not read the old file cannot read the
    # new one either.
    kept = stat.S_IMODE(target.stat().st_mode) & 0o777 if target.exists() else None
    opener = partial(os.open, mode=0o664 if kept is None else kept & 0o600)
    temporary = target.with_name(f".{target.name[:200]}.{secrets.token_hex(6)}.tmp")
    try:
        with _naming(file), open(temporary, "xb", opener=opener) as stream:
            yield stream
            stream.flush()
            if kept is not None:
                temporary.chmod(kept)
            os.fsync(stream.fileno())
        temporary.replace(target)
    except BaseException:
        # The first error is the one to report, whatever state the folder is in.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


@contextmanager
def _naming(file: str | os.PathLike[str]) -> Iterator[None]:
    """Let an error of the disk (full, quota, too large) say which file it was about."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = os.fspath(file)
        raise


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:  # some network file systems refuse to sync a folder
        pass
    finally:
        os.close(descriptor)
