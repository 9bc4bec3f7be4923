"""Every formula of `reference` is watched: change one, and a test of the paper's formulas fails."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sparsieve as sv

ROOT = Path(__file__).parents[2]
TESTS = [
    f"tests/reference/test_{name}.py"
    for name in ("paper_formulas", "paper_competitors", "reference_minimizers")
]
# Lines of "module: what it says ==> what it is made to say", both as Python strings.
MUTATIONS = [
    line.partition(": ")
    for line in (Path(__file__).with_name("mutations.txt")).read_text().splitlines()
    if line and not line.startswith("#")
]


def test_every_change_has_its_place():
    for module, _, change in MUTATIONS:
        old, new = (ast.literal_eval(part) for part in change.split(" ==> "))
        text = (Path(sv.__file__).parent / "reference" / f"{module}.py").read_text()
        assert text.count(old) == 1, change
        compile(text.replace(old, new), module, "exec")


@pytest.mark.slow
@pytest.mark.parametrize(("module", "_", "change"), MUTATIONS)
def test_a_changed_formula_is_noticed(module, _, change, tmp_path):
    old, new = (ast.literal_eval(part) for part in change.split(" ==> "))
    package = tmp_path / "src" / "sparsieve"
    installed = Path(sv.__file__).parent  # with its compiled core
    shutil.copytree(installed, package, ignore=shutil.ignore_patterns("__pycache__"))
    file = package / "reference" / f"{module}.py"
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "src"), str(ROOT)])}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *TESTS]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout[-2000:]
    assert "failed" in done.stdout
