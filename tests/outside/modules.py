"""Test modules of installed packages, loaded with our estimators in the place of theirs."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

CLASSES = ("different on purpose", "about internals", "not ours")
TABLE = tomllib.loads((Path(__file__).parent / "table.toml").read_text(encoding="utf-8"))


@contextlib.contextmanager
def exchanged(names):
    """Replace attributes of modules, given as ``{"module.attribute": value}``, for a while."""
    kept = []
    for dotted, value in names.items():
        module, _, name = dotted.rpartition(".")
        holder = importlib.import_module(module)
        kept.append((holder, name, getattr(holder, name)))
        setattr(holder, name, value)
    try:
        yield
    finally:
        for holder, name, value in kept:
            setattr(holder, name, value)


def load_tests(package, module, names):
    """Return the test functions of a module that imports these names as it is loaded.

    A copy of the module is loaded, so that parameters of its tests have our classes too and the
    module that others import is not touched. Where it is missing, the calling module is skipped.
    """
    pytest.importorskip(package)
    try:
        found = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        found = None
    if found is None:
        pytest.skip(f"the installed {package} comes without {module}", allow_module_level=True)
    spec = importlib.util.spec_from_file_location(
        f"outside_{module.replace('.', '_')}", found.origin
    )
    loaded = importlib.util.module_from_spec(spec)
    with exchanged(names):
        spec.loader.exec_module(loaded)
    functions = inspect.getmembers(loaded, inspect.isfunction)
    tests = {name: value for name, value in functions if name.startswith("test_")}
    for test in tests.values():
        _list_parameters(test)
    return tests


def _list_parameters(test):
    """Write the parameters of a test as lists: pytest refuses iterators, which can be read once."""
    marks, test.pytestmark = getattr(test, "pytestmark", []), []
    for mark in marks:
        if mark.name == "parametrize" and len(mark.args) == 2:
            names, values = mark.args
            pytest.mark.parametrize(names, list(values), **mark.kwargs)(test)
        else:
            test.pytestmark = [*test.pytestmark, mark]


class Entry:
    """One entry of the table: which tests, and why they cannot pass."""

    def __init__(self, kind, tests, why):
        self.kind, self.patterns, self.why = kind, tests, why

    def covers(self, name):
        return any(re.fullmatch(pattern, name) for pattern in self.patterns)


def entries(package):
    """Return what the table says about a package."""
    return [Entry(**entry) for entry in TABLE[package]["tests"]]


def is_slow(package, name):
    """Tell whether a test takes too long for every day."""
    return any(re.fullmatch(pattern, name) for pattern in TABLE[package].get("slow", ()))


def is_of_the_table(package):
    """Tell whether the installed version is that of which the table was written."""
    installed = version(package)
    return installed.split(".")[:2] == TABLE[package]["version"].split(".")[:2]
