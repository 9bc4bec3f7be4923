"""Running the real command, and small tables to run it on."""

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
        """The one line a failing command says, without its progress lines."""
        lines = [line for line in self.err.splitlines() if line.startswith("sparsieve: error: ")]
        assert len(lines) == 1, self.err
        return lines[0].removeprefix("sparsieve: error: ")


@pytest.fixture
def run(tmp_path):
    """Return a function that runs ``sparsieve`` in an empty folder."""

    def run_command(*arguments, cwd=tmp_path, **options):
        done = subprocess.run(
            [sys.executable, "-m", "sparsieve", *map(str, arguments)],
            cwd=cwd,
            capture_output=True,
            text=True,
            encoding="utf-8",
            **options,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run_command


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """Return a function that runs ``sparsieve``, which must fail in one line with a remedy.

    In this process: a hundred refusals take seconds, and the record of messages sees them.
    """

    def run_command(*arguments, code):
        capsys.readouterr()
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        outcome = Outcome(ended.value.code, *capsys.readouterr())
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
