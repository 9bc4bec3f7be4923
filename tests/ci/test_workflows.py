"""The workflows are valid, and call targets and settings that exist."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_workflows_follow_their_schema():
    pytest.importorskip("check_jsonschema")
    schema = ["--builtin-schema", "vendor.github-workflows"]
    command = [sys.executable, "-m", "check_jsonschema", *schema, *map(str, WORKFLOWS)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_they_call_targets_of_the_makefile():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    called = [
        word
        for file in WORKFLOWS
        for line in re.findall(r"run: make (.*)", file.read_text("utf-8"))
        for word in line.split()
    ]
    assert len(called) >= 5
    assert set(called) <= targets


def test_wheels_are_built_for_what_the_settings_name():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["cibuildwheel"]
    named = {arch for system in ("linux", "macos", "windows") for arch in settings[system]["archs"]}
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text("utf-8")
    assert set(re.findall(r"archs: (\w+)", text)) == named


def test_installs_from_one_tree_have_folders_of_their_own():
    """A build folder in the tree is shared by all who install from it at the same time."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "build-dir" not in project["tool"]["scikit-build"]
