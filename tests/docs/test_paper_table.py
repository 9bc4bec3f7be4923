"""The table of the paper's equations names functions and tests that exist."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "paper_table.md"
ROWS = [
    line.strip("|").split(" | ")
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and "`test_" in line
]
FILES = {file.name: file for file in (ROOT / "tests").rglob("test_*.py")}


def test_every_equation_of_the_paper_has_a_row():
    labels = "generalprob fermat optcondmcp optcond mmalgo weighted cdupdate dual dualconstraint"
    said = " ".join(row[0] for row in ROWS)
    for label in [*labels.split(), "test", "jdagger", "new"]:
        assert f"({label})" in said
    for place in ("table 1", "remark 1", "remark 2", "remark 3", "property 1", "property 2",
                  "algorithm 1", "algorithm 2", "figures 1, 2 and 3", "supplement"):  # fmt: skip
        assert place in said


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0].strip()}, {row[1][:30]}")
def test_functions_and_tests_exist(row):
    functions, tests = re.findall(r"`([\w.]+)`", row[2]), re.findall(r"`([\w.:]+)`", row[3])
    assert functions
    assert tests
    for name in functions:
        if not name.startswith(("sparsieve", "benchmarks")):
            name = f"sparsieve.reference.{name}"
        module, _, function = name.rpartition(".")
        assert callable(getattr(importlib.import_module(module), function))
    for name in tests:
        file, _, test = name.rpartition("::")
        text = FILES[file or "test_paper_formulas.py"].read_text(encoding="utf-8")
        assert f"def {test}(" in text
