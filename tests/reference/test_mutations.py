"""Every formula of `reference` is watched: change one, and a test of the paper's formulas fails."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = ["tests/reference/test_paper_formulas.py", "tests/reference/test_reference_minimizers.py"]
# Lines of "module: what it says ==> what it is made to say", both as Python strings.
MUTATIONS = [
    line.partition(": ")
    for line in (Path(__file__).with_name("mutations.txt")).read_text().splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.slow
@pytest.mark.parametrize(("module", "_", "change"), MUTATIONS)
def test_a_changed_formula_is_noticed(module, _, change, tmp_path):
    old, new = (ast.literal_eval(part) for part in change.split(" ==> "))
    if not (ROOT / "src" / "sparsieve" / "reference").is_dir() or not list(
        (ROOT / "src" / "sparsieve").glob("_core*.so")
    ):
        pytest.skip("the sources are not beside the tests, or have no compiled core in place")
    package = tmp_path / "src" / "sparsieve"
    shutil.copytree(
        ROOT / "src" / "sparsieve", package, ignore=shutil.ignore_patterns("__pycache__")
    )
    file = package / "reference" / f"{module}.py"
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "src"), str(ROOT)])}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *TESTS]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout[-2000:]
    assert "failed" in done.stdout
