"""The public names of the package, and its version."""

import tomllib
from pathlib import Path

import sparsieve as sv


def test_version_matches_the_project():
    project = Path(__file__).parents[1] / "pyproject.toml"
    assert sv.__version__ == tomllib.loads(project.read_text())["project"]["version"]
