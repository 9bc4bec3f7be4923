"""Running the command, in this process or as the real one, and small tables to run it on."""

import subprocess
import sys
from dataclasses import dataclass

import pytest
from cli_tables import house_columns, write_csv

from sparsieve.cli import main


@dataclass
class Outcome:
    code: int
    out: str
    err: str

    @property
    def error(self):
        """What a failing command says last: one line, or a list of all that is wrong."""
        _, mark, message = f"\n{self.err}".partition("\nsparsieve: error: ")
        assert mark, self.err
        first, *more = message.rstrip("\n").split("\n")
        assert all(line.startswith("  ") for line in more), self.err
        return "\n".join([first, *more])


def in_new_process(arguments, cwd, **options):
    command = [sys.executable, "-m", "sparsieve", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", **options
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def command(tmp_path):
    """Return a function that runs the real ``sparsieve`` in an empty folder."""

    def run_command(*arguments, cwd=tmp_path, **options):
        return in_new_process(arguments, cwd, **options)

    return run_command


@pytest.fixture
def in_this_process(tmp_path, monkeypatch, capsys):
    """Return a function that runs ``sparsieve`` here, without the seconds of a new Python.

    The record of messages sees what it says.
    """

    def run_command(*arguments):
        arguments = [str(argument) for argument in arguments]
        capsys.readouterr()
        with monkeypatch.context() as patch:
            patch.chdir(tmp_path)
            patch.setattr(sys, "argv", ["sparsieve", *arguments])
            with pytest.raises(SystemExit) as ended:
                main(arguments)
        return Outcome(ended.value.code, *capsys.readouterr())

    return run_command


@pytest.fixture(params=["here", pytest.param("process", marks=pytest.mark.slow)])
def run(request):
    """Return a function that runs ``sparsieve`` in an empty folder, as quickly as possible.

    Every test that asks for it has a slow twin with the real command.
    """
    return request.getfixturevalue("in_this_process" if request.param == "here" else "command")


@pytest.fixture
def refused(in_this_process):
    """Return a function that runs ``sparsieve``, which must fail in one line with a remedy."""

    def run_command(*arguments, code):
        outcome = in_this_process(*arguments)
        assert outcome.code == code, outcome
        assert "Traceback" not in outcome.err
        assert outcome.out == ""
        assert outcome.error.endswith((".", "?", "]"))
        return outcome.error

    return run_command


@pytest.fixture
def houses(tmp_path):
    return write_csv(tmp_path / "houses.csv", house_columns())


@pytest.fixture
def model(run, houses, tmp_path):
    assert run("fit", houses, "-t", "price", "--no-report", "-q").code == 0
    return tmp_path / "houses.model.json"
