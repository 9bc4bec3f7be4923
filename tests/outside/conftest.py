"""Hold the table to what happens: what it names must fail, all else must pass and ask us."""

from __future__ import annotations

from pathlib import Path

import pytest

from .modules import entries, is_of_the_table, is_slow
from .stand_ins import Calls

HERE = Path(__file__).parent


@pytest.fixture
def global_random_seed():
    """Return the seed of scikit-learn's tests that they use by default."""
    return 42


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE not in item.path.parents:  # the hook sees the tests of every folder
            continue
        package = getattr(item.module, "PACKAGE", None)
        if package is None:
            continue
        if is_slow(package, item.name):
            item.add_marker(pytest.mark.slow)
        strict = is_of_the_table(package)
        for entry in entries(package):
            if entry.covers(item.name):
                reason = f"{entry.kind}: {entry.why}"
                item.add_marker(pytest.mark.xfail(reason=reason, strict=strict))


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    before = Calls.number
    result = yield
    if hasattr(pyfuncitem.module, "PACKAGE") and Calls.number == before:
        pytest.fail("no estimator of ours was asked: the table must say that it is not ours")
    return result
