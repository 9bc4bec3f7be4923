"""What the command line says and how it ends: notes, warnings, one-line errors, exit codes."""

from __future__ import annotations

import ast
import enum
import errno
import os
import re
import shlex
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import click

__all__ = [
    "ARGUMENTS",
    "CommandError",
    "Exit",
    "as_options",
    "emit",
    "guarded",
    "note",
    "printable",
    "say",
    "shows_progress",
    "state",
    "step",
]


class Exit(enum.IntEnum):
    """Exit codes of the command line."""

    OK = 0
    UNEXPECTED = 1
    USAGE = 2
    DATA = 3
    FILE = 4
    NOT_CONVERGED = 5
    INTERRUPTED = 130


class CommandError(Exception):
    """Ends a command with a message and an exit code."""

    def __init__(self, message: str, code: Exit) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class _State:
    """What the options asked for and what was written, for the length of one command."""

    quiet: bool = False
    beside: bool = False  # what is told goes beside standard output, which holds a file
    debug: bool = False
    written: list[str] = field(default_factory=list)
    lost: OSError | None = None


state = _State()


def emit(text: str) -> None:
    """Print a result, even with --quiet.

    A command never ends because of this: what it has still to write matters more than what nobody
    reads. :func:`guarded` tells the user in the end.
    """
    if state.lost is not None:
        return
    if sys.stdout is None:  # closed before the command began
        state.lost = OSError(errno.EBADF, "it is closed")
        return
    try:
        click.echo(_for_stdout(text))
    except OSError as error:
        state.lost = error
        _redirect_to_nowhere(sys.stdout)


def _for_stdout(text: str) -> str:
    """Return text without characters that standard output cannot encode."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _redirect_to_nowhere(stream: Any) -> None:
    """Let what is left in the buffer of a stream go nowhere, or Python complains when it ends."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(text: str = "") -> None:
    """Print a line of the result."""
    if not state.quiet:
        shown = "\n".join(map(printable, text.split("\n")))
        aside(shown) if state.beside else emit(shown)


def aside(text: str) -> None:
    """Print a line on standard error, if there is one that takes it."""
    try:
        click.echo(text, err=True)
    except (OSError, ValueError):  # a full disk, a pipe nobody reads, a stream that was closed
        _redirect_to_nowhere(sys.stderr)


def note(text: str) -> None:
    """Print something the user should know, beside the result."""
    if not state.quiet:
        aside(f"note: {printable(text)}")


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def printable(text: str) -> str:
    """Return text that cannot command a terminal: a table may come from anywhere."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def shows_progress() -> bool | None:
    """Return the ``progress`` of a command: on a terminal, where it takes long; never if quiet."""
    return False if state.quiet else None


@contextmanager
def step(what: str) -> Iterator[None]:
    """Announce a step; where there is no terminal, a plain line tells when it is done."""
    start = time.monotonic()
    yield
    if not state.quiet and not _on_terminal():
        aside(f"{printable(what)}: {time.monotonic() - start:.1f} s")


def guarded(command: Callable[[], Any]) -> int:
    """Run a command; turn whatever goes wrong into one line and an exit code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is for developers, such as DeprecationWarning
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", category)
        warnings.showwarning = _show_warning
        try:
            code = int(command() or Exit.OK)
        except BaseException as error:
            if state.debug and not isinstance(error, click.exceptions.Exit):
                aside("".join(traceback.format_exception(error)).rstrip())
            code = _report(error)
    return _after_printing(code)


def _after_printing(code: int) -> int:
    """Return the exit code, changed if what was printed got lost.

    A reader that left (`| head`) has seen what it wanted; a full disk lost what was asked for.
    """
    if state.lost is None or isinstance(state.lost, BrokenPipeError):
        return code
    words = (state.lost.strerror or "failed").lower()
    done = f"; {', '.join(state.written)} was written" if state.written else ""
    _fail(f"standard output: {words}{done}; print to another place.", Exit.FILE)
    return code or Exit.FILE


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    text = " ".join(str(message).split())
    if not state.quiet:
        aside(f"warning: {printable(text)}")


def _report(error: BaseException) -> Exit:  # noqa: C901, PLR0911 - one case for each kind of error
    """Say in one line what went wrong and return the exit code."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code  # type: ignore[return-value]  # an int, from --help and --version
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        aside(error.format_message())
        return Exit.USAGE
    if isinstance(error, click.UsageError):
        where = error.ctx.command_path if error.ctx else "sparsieve"
        text = error.format_message().rstrip(".")
        return _fail(f"{text}; see `{where} --help`.", Exit.USAGE)
    if isinstance(error, CommandError):
        return _fail(str(error), error.code)
    if isinstance(error, ValueError):  # TableError and ModelFileError among them
        return _fail(as_options(str(error)), Exit.DATA)
    if isinstance(error, BrokenPipeError) and error.filename is None:
        # The reader of a help page has left (`--help | head`).
        _redirect_to_nowhere(sys.stdout)
        return Exit.OK
    if isinstance(error, OSError):
        return _fail(_about_file(error), Exit.FILE)
    if isinstance(error, KeyboardInterrupt | click.Abort):
        done = ", ".join(state.written) or "nothing"
        return _fail(f"interrupted; {done} was written.", Exit.INTERRUPTED)
    if isinstance(error, MemoryError):
        return _fail("not enough memory; use fewer columns (--features) or rows.", Exit.DATA)
    if isinstance(error, SystemExit):
        code = error.code
        if isinstance(code, str):
            return _fail(code, Exit.UNEXPECTED)
        return code or Exit.OK  # type: ignore[return-value]  # an int by now
    return _fail(
        f"{type(error).__name__}: {error} (unexpected; run again with --debug and report it).",
        Exit.UNEXPECTED,
    )


#: Arguments of functions that errors tell the reader to pass, as `name=value` in backticks.
ARGUMENTS = {
    "dates",
    "decimal",
    "delimiter",
    "drop",
    "drop_rows_without_target",
    "encoding",
    "format",
    "header",
    "id",
    "impute",
    "loss",
    "max_bytes",
    "missing",
    "offset",
    "one_hot",
    "only_selected",
    "sheet",
    "target",
    "text",
    "thousands",
    "unknown",
}


def as_options(text: str) -> str:
    """Return a message of the library with the arguments it names written as options."""
    return re.sub(r"`(\w+)=([^`]*)`", _as_option, text)


def _as_option(found: re.Match[str]) -> str:
    name, value = found.groups()
    if name not in ARGUMENTS:
        return found[0]
    try:
        given = ast.literal_eval(value)
    except (SyntaxError, ValueError):  # part of a name that has a backtick itself
        return found[0]
    option = name.replace("_", "-")
    if isinstance(given, bool) or given is ...:
        return f"--{option}" if given else f"--no-{option}"
    values = [given] if isinstance(given, str) else given
    if not values:  # such as thousands=''
        values = ["none"]
    return " ".join(f"--{option} {_quoted(str(each))}" for each in values)


def _quoted(text: str) -> str:
    """Return a text as a shell takes it, in double quotes where it has an apostrophe."""
    simple = "'" in text and not any(mark in text for mark in '"$`\\!')
    return f'"{text}"' if simple else shlex.quote(text)


def _about_file(error: OSError) -> str:
    if error.filename is None:
        return str(error)
    remedy = {
        FileNotFoundError: "check the name and that the folder exists",
        NotADirectoryError: "a part of the path is a file, not a folder; choose another place",
        PermissionError: "you may not write or read there; choose another place",
        IsADirectoryError: "it is a folder; give the name of a file",
    }.get(type(error), "choose another place")
    return f"{error.filename}: {(error.strerror or 'failed').lower()}; {remedy}."


def _fail(message: str, code: Exit) -> Exit:
    lines = [printable(" ".join(line.split())) for line in message.splitlines()]
    aside("\n  ".join([f"sparsieve: error: {lines[0]}", *lines[1:]]))
    return code
