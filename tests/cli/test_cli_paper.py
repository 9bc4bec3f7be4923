"""`sparsieve paper` runs the experiments of a checkout, and elsewhere says where they are."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from cli_tables import slow

ROOT = Path(__file__).parents[2]
OURS = '[project]\nname = "sparsieve"\n'
# Tells what it was given and from where it was called, and ends with a code of its own.
EXPERIMENTS = """
import os


def main(argv):
    print({name!r}, argv, os.getcwd())
    return 7
"""


def experiments(folder, name, pyproject=None):
    """Make a folder that has something at benchmarks/paper."""
    paper = folder / "benchmarks" / "paper"
    paper.mkdir(parents=True)
    (folder / "benchmarks" / "__init__.py").touch()
    (paper / "__init__.py").write_text(EXPERIMENTS.format(name=name))
    if pyproject is not None:
        (folder / "pyproject.toml").write_text(pyproject)
    return folder


@pytest.mark.parametrize("place", [*slow(ROOT), ROOT / "docs" / "figures"], ids=["top", "below"])
def test_this_checkout_has_the_experiments(command, place):
    done = command("paper", "--help", cwd=place)
    assert (done.code, done.err) == (0, "")
    assert "usage: sparsieve paper" in done.out
    wrong = command("paper", "no-such-experiment", cwd=place)
    assert wrong.code == 2
    assert "invalid choice" in wrong.err


def test_the_module_is_the_same_command():
    command = [sys.executable, "-m", "benchmarks.paper", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "usage: sparsieve paper" in done.stdout


@pytest.mark.parametrize("below", [".", "some/where"])
def test_arguments_folder_and_exit_code_are_handed_on(command, tmp_path, below):
    here = experiments(tmp_path, "ours", OURS) / below
    here.mkdir(parents=True, exist_ok=True)
    done = command("paper", "toy", "--out", "results", cwd=here)
    said = f"ours ['toy', '--out', 'results'] {os.path.realpath(here)}\n"
    assert (done.code, done.out, done.err) == (7, said, "")


def test_a_nearer_folder_of_the_same_name_is_passed_over(command, tmp_path):
    experiments(tmp_path, "ours", OURS)
    for below, pyproject in (("plain", None), ("other", '[project]\nname = "other"\n')):
        here = experiments(tmp_path / below, "foreign", pyproject)
        # Both ways by which Python itself would look into the foreign folder first.
        done = command("paper", "toy", cwd=here, env={**os.environ, "PYTHONPATH": str(here)})
        assert (done.code, done.out.split()[0]) == (7, "ours")


def test_elsewhere_it_says_where_they_are(refused):
    said = refused("paper", "toy", code=2)
    assert "folder benchmarks/paper of the source of sparsieve" in said
    assert "checkout" in said


@pytest.mark.parametrize(
    "pyproject",
    [
        None,
        '[project]\nname = "other"\n',
        '[tool.other]\nname = "sparsieve"\n',
        'project = "sparsieve"\n',
        "not toml",
        "\N{LATIN SMALL LETTER E WITH ACUTE}".encode("latin-1"),
    ],
)
def test_foreign_experiments_are_never_run(refused, tmp_path, pyproject):
    experiments(tmp_path, "foreign")
    if pyproject is not None:
        content = pyproject if isinstance(pyproject, bytes) else pyproject.encode()
        (tmp_path / "pyproject.toml").write_bytes(content)
    assert "benchmarks/paper" in refused("paper", "toy", code=2)


def test_a_checkout_without_them_is_none(refused, tmp_path):
    (tmp_path / "pyproject.toml").write_text(OURS)
    assert "benchmarks/paper" in refused("paper", "toy", code=2)


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_elsewhere_says_where_they_are_too(run, option):
    done = run("paper", option)
    assert (done.code, done.err) == (0, "")
    assert "Usage: sparsieve paper" in done.out
    assert "benchmarks/paper" in done.out
    assert "paper " in run("--help").out


def test_the_shell_completes_its_name(command):
    asked = {"_SPARSIEVE_COMPLETE": "bash_complete", "COMP_WORDS": "sparsieve pap"}
    done = command(env={**os.environ, **asked, "COMP_CWORD": "1"})
    assert (done.code, done.out.split()) == (0, ["plain,paper"])


def test_they_are_not_in_the_package():
    assert find_spec("sparsieve.paper") is None
    assert find_spec("sparsieve.reference") is not None
