"""The table itself."""

import importlib
import re

import pytest

from .modules import CLASSES, TABLE, entries


@pytest.mark.parametrize("package", sorted(TABLE))
def test_every_entry_has_a_kind_and_a_reason(package):
    for entry in entries(package):
        assert entry.kind in CLASSES
        assert len(entry.why.split()) >= 3


@pytest.mark.parametrize(
    ("package", "module"),
    [("scikit-learn", "test_scikit_learn"), ("celer", "test_celer"), ("skglm", "test_skglm")],
)
def test_every_entry_is_about_tests_that_exist(package, module):
    names = [n for n in vars(importlib.import_module(f".{module}", __package__)) if "test_" in n]
    slow = TABLE[package].get("slow", [])
    for pattern in [p for entry in entries(package) for p in entry.patterns] + slow:
        start = pattern.split(r"\[")[0]
        assert any(re.fullmatch(start, name) for name in names), pattern
