"""Run scikit-learn's tests on our estimators, also the slow ones, and count the outcomes.

Further arguments go to pytest.
"""

import sys
from pathlib import Path

import pytest

from .counts import Counts

TESTS = Path(__file__).parent / "test_scikit_learn.py"

if __name__ == "__main__":
    raise SystemExit(pytest.main([str(TESTS), "-m", "", *sys.argv[1:]], plugins=[Counts()]))
