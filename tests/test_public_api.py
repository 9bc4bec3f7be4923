"""The public names of the package, their signatures, and its version."""

import difflib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from public_api import RECORDED, public_api

import sparsieve as sv


def test_version_matches_the_project():
    project = Path(__file__).parents[1] / "pyproject.toml"
    assert sv.__version__ == tomllib.loads(project.read_text())["project"]["version"]


def test_public_names_and_signatures_are_the_recorded_ones():
    recorded = RECORDED.read_text(encoding="utf-8").splitlines()
    changes = difflib.unified_diff(recorded, public_api(), "recorded", "found", lineterm="", n=0)
    found = "\n".join(changes)
    assert not found, (
        f"the public API is another one:\n{found}\n"
        "If that is meant, say so in CHANGELOG.md and record it: python -m tests.public_api"
    )


@pytest.mark.slow
def test_type_checkers_find_names_that_do_not_exist(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text("import sparsieve as sv\n\nsv.sparse_path\nsv.nosuch\n")
    command = [sys.executable, "-m", "mypy", "--strict", "use.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert 'Module has no attribute "nosuch"' in done.stdout
    assert "sparse_path" not in done.stdout
