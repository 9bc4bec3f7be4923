"""Files that a command writes: never over the data, never over something of another kind."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from .._files import atomic_writer
from .console import CommandError, Exit, emit, say, state

__all__ = [
    "check_output",
    "check_outputs",
    "default_output",
    "spreadsheet_text",
    "stem",
    "to_stdout",
    "write_all",
    "write_text",
]

# How each kind of file starts: one of the same kind may be replaced without being told to. A report
# has its brand early in the page, behind a style sheet.
_OURS = {
    "model": b'{"format":"sparsieve-model"',
    "report": b"<!doctype html",
    "predictions": b"prediction\n",
    "coefficients": b"penalty,alpha,feature,coefficient\n",
}
_BRAND = b'<p class="brand" aria-hidden="true">sparsieve</p>'
_HEAD = 1 << 16


def stem(table: str) -> str:
    """Return the name of a table without folder and endings."""
    name = "stdin" if table == "-" else Path(table).name
    return name.removesuffix(".gz").rsplit(".", 1)[0] or name


def to_stdout(file: Path) -> bool:
    """Tell whether an output goes to standard output: ``-``."""
    return str(file) == "-"


def default_output(source: str, ending: str) -> Path:
    """Return the file in the current folder that a command writes when told no other."""
    return Path(f"{stem(source)}{ending}")


def check_outputs(outputs: dict[str, Path | None], inputs: list[str], force: bool) -> None:
    """Raise now, before the work, if an output cannot or should not be written.

    ``outputs`` has the file of each kind of output, None for one that is not written.
    """
    files = {kind: file for kind, file in outputs.items() if file and not to_stdout(file)}
    if any(file and to_stdout(file) for file in outputs.values()):
        state.beside = True
    for kind, file in files.items():
        check_output(kind, file, inputs, force)
    names = [os.path.realpath(file) for file in files.values() if not _is_device(file)]
    if len(set(names)) < len(names) or _linked(list(files.values())):
        kinds = " and ".join(f"the {kind}" for kind in files)
        raise CommandError(
            f"{kinds} cannot both be written to {next(iter(files.values()))}; give two names.",
            Exit.USAGE,
        )


def _is_device(file: Path) -> bool:
    return file.exists() and not file.is_file()


def _linked(files: list[Path]) -> bool:
    """Tell whether two of the files are one by a hard link or by letters in another case."""
    there = [file for file in files if file.is_file()]
    return len(there) > 1 and os.path.samefile(there[0], there[1])


def check_output(kind: str, output: Path, inputs: list[str], force: bool) -> None:
    """Raise now, before the work, if one output cannot or should not be written."""
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
    if output.is_file() and not force and not _is_ours(kind, output):
        what = {"model": "a model", "report": "a report"}.get(kind, kind)
        raise CommandError(
            f"{output} exists and was not written by sparsieve as {what}; add --force to replace "
            "it, or give another name.",
            Exit.FILE,
        )


def _is_ours(kind: str, output: Path) -> bool:
    with output.open("rb") as stream:
        start = stream.read(_HEAD)
    if start == b"":  # nothing to lose
        return True
    return start.lower().startswith(_OURS[kind]) and (kind != "report" or _BRAND in start)


class Written(NamedTuple):
    """What became of the outputs of a command."""

    done: dict[str, Path]
    failed: OSError | None

    def tell(self) -> None:
        """Say which files were written; raise what kept another from it."""
        for kind, file in self.done.items():
            say(f"{kind:<12}  {file}")
        if self.failed is not None:
            raise self.failed


def write_all(writers: dict[str, tuple[Path | None, Callable[[Path], Any]]]) -> Written:
    """Write each kind of output that has a file; one that fails does not stop the others.

    Commands call this before they print anything: printing may fail, or end the command.
    """
    done: dict[str, Path] = {}
    failed: OSError | None = None
    for kind, (file, write) in writers.items():
        if file is None:
            continue
        if to_stdout(file):
            with tempfile.TemporaryDirectory(prefix="sparsieve-") as folder:
                copy = Path(folder) / kind
                write(copy)
                emit(copy.read_text("utf-8").rstrip("\n"))
            continue
        try:
            write(file)
        except OSError as error:
            failed = failed or error
        else:
            done[kind] = file
            state.written.append(str(file))
    return Written(done, failed)


def spreadsheet_text(name: str) -> str:
    """Return a name that no spreadsheet takes for a formula: a quote before what begins like one.

    A table, and so the names of its columns, may come from anywhere.
    """
    return f"'{name}" if name.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) else name


def write_text(output: Path, text: str) -> None:
    """Write a file in one step."""
    with atomic_writer(output) as stream:
        stream.write(text.encode("utf-8"))
