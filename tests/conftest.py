"""Settings shared by all tests."""

import os
import signal
import sys

import pytest
from hypothesis import settings
from problems import dictionary
from raised_messages import Record, judge

# Before anything imports the library: see raised_messages.py.
RECORD = Record("sparsieve")
sys.meta_path.insert(0, RECORD)

# No deadline: tests must not depend on how fast or busy the machine is. Derandomised by default, so
# that a failure is the same for everybody; HYPOTHESIS_PROFILE=fuzz draws new problems on every run.
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("fuzz", deadline=None, print_blob=True, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# A shell lets what it starts in the background ignore Ctrl-C; tests that send it need it heeded.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def hard():
    """Return a small dictionary: starts lead to different points, and few of them are minima."""
    X, y, _ = dictionary(48, 10, seed=1)
    return X, y


def pytest_addoption(parser):
    parser.addoption("--unraised", action="store_true", help="list messages that were not raised")


def pytest_sessionfinish(session):
    judge(RECORD, session)
