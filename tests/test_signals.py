"""A real Ctrl-C during every kind of call: it ends, and the library stays usable."""

import os

import pytest
from interrupted_calls import CALLS, interrupt

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
# These take another route through the library; the others vary the data.
ROUTES = (
    "dense fit, long tail",
    "path with threads",
    "sparse path",
    "own penalty",
    "proximal weighted lasso",
    "local minima",
)


@pytest.mark.parametrize("name", ROUTES)
def test_ctrl_c_ends_the_call_and_nothing_else(name):
    _, printed, code = interrupt(name, 0.5)
    assert (printed, code) == ("interrupted\nTrue\n", 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(CALLS) - set(ROUTES)))
def test_ctrl_c_ends_every_other_call_too(name):
    for delay in (0.1, 1.0):
        _, printed, code = interrupt(name, delay)
        assert (printed, code) == ("interrupted\nTrue\n", 0)
