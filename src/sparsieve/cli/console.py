"""What the command line says and how it ends: notes, warnings, one-line errors, exit codes."""

from __future__ import annotations

import ast
import enum
import importlib.util
import os
import re
import shlex
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

__all__ = [
    "ARGUMENTS",
    "CommandError",
    "Exit",
    "as_options",
    "guarded",
    "note",
    "printable",
    "say",
    "shows_progress",
    "step",
    "wrote",
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
    debug: bool = False
    written: list[str] = field(default_factory=list)


state = _State()


def say(text: str = "") -> None:
    """Print a line of the result."""
    if not state.quiet:
        click.echo(text)


def note(text: str) -> None:
    """Print something the user should know, beside the result."""
    if not state.quiet:
        click.echo(f"note: {printable(text)}", err=True)


def wrote(kind: str, file: Path) -> None:
    """Tell that a file was written."""
    state.written.append(str(file))
    say(f"{kind:<12}  {file}")


def printable(text: str) -> str:
    """Return text that cannot command a terminal: a table may come from anywhere."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def shows_progress() -> bool:
    """Tell whether a progress bar can be drawn: on a terminal, with tqdm."""
    return not state.quiet and sys.stderr.isatty() and importlib.util.find_spec("tqdm") is not None


@contextmanager
def step(what: str) -> Iterator[None]:
    """Announce a step; where there is no terminal, a plain line tells when it is done."""
    start = time.monotonic()
    yield
    if not state.quiet and not sys.stderr.isatty():
        click.echo(f"{what}: {time.monotonic() - start:.1f} s", err=True)


def guarded(command: Callable[[], Any]) -> int:
    """Run a command; turn whatever goes wrong into one line and an exit code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is for developers, such as DeprecationWarning
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", category)
        warnings.showwarning = _show_warning
        try:
            return int(command() or Exit.OK)
        except BaseException as error:
            if state.debug and not isinstance(error, click.exceptions.Exit):
                traceback.print_exception(error)
            return _report(error)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    text = " ".join(str(message).split())
    if not state.quiet:
        click.echo(f"warning: {text}", err=True)


def _report(error: BaseException) -> Exit:  # noqa: C901, PLR0911 - one case for each kind of error
    """Say in one line what went wrong and return the exit code."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code  # type: ignore[return-value]  # an int, from --help and --version
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return Exit.USAGE
    if isinstance(error, click.UsageError):
        where = error.ctx.command_path if error.ctx else "sparsieve"
        text = error.format_message().rstrip(".")
        return _fail(f"{text}; see `{where} --help`.", Exit.USAGE)
    if isinstance(error, CommandError):
        return _fail(str(error), error.code)
    if isinstance(error, ValueError):  # TableError and ModelFileError among them
        return _fail(as_options(str(error)), Exit.DATA)
    if isinstance(error, BrokenPipeError):
        # The reader of a pipe has left (`| head`): nobody reads what is printed now.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.FILE
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
    "delimiter",
    "drop",
    "encoding",
    "format",
    "header",
    "impute",
    "missing",
    "one_hot",
    "only_selected",
    "target",
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
    return " ".join(f"--{option} {shlex.quote(str(each))}" for each in values)


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
    click.echo(f"sparsieve: error: {printable(' '.join(message.split()))}", err=True)
    return code
