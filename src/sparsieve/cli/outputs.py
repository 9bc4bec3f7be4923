"""Files that a command writes: never over the data, never over something of another kind."""

from __future__ import annotations

import os
from pathlib import Path

from .._files import atomic_writer
from .console import CommandError, Exit

__all__ = ["check_output", "default_output", "stem", "write_text"]

# How the files start that a command may replace without being told to.
_OURS = (
    b'{"format":"sparsieve-model"',
    b"<!doctype html",
    b"prediction\n",
    b"penalty,alpha,feature,coefficient\n",
)


def stem(table: str) -> str:
    """Return the name of a table without folder and endings."""
    name = Path(table).name
    return name.removesuffix(".gz").rsplit(".", 1)[0] or name


def default_output(source: str, ending: str) -> Path:
    """Return the file in the current folder that a command writes when told no other."""
    return Path(f"{stem(source)}{ending}")


def check_output(output: Path, inputs: list[str], force: bool) -> None:
    """Raise now, before the work, if the output cannot or should not be written."""
    folder = output.parent
    if output.is_dir():
        raise CommandError(f"{output} is a folder; give the name of a file in it.", Exit.FILE)
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.exists() else "is not a folder that exists"
        raise CommandError(
            f"cannot write {output}: {folder} {what}; choose another place.", Exit.FILE
        )
    if not os.access(folder, os.W_OK):
        raise CommandError(
            f"cannot write {output}: {folder} is read-only; choose another place.", Exit.FILE
        )
    if not output.exists():
        return
    if any(os.path.exists(name) and os.path.samefile(output, name) for name in inputs):
        raise CommandError(f"{output} is the input; give another name with -o.", Exit.FILE)
    if output.is_file() and not force and not _is_ours(output):
        raise CommandError(
            f"{output} exists and was not written by sparsieve; add --force to replace it, or give "
            "another name.",
            Exit.FILE,
        )


def _is_ours(output: Path) -> bool:
    with output.open("rb") as stream:
        start = stream.read(64).lower()
    return start == b"" or start.startswith(_OURS)


def write_text(output: Path, text: str) -> None:
    """Write a file in one step."""
    with atomic_writer(output) as stream:
        stream.write(text.encode("utf-8"))
