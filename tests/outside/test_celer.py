"""celer's tests of its lasso, with ours in its place: ``python -m tests.outside.peers``."""

import pytest

from .modules import load_tests
from .stand_ins import CelerLasso, LassoCV, celer_path

PACKAGE = "celer"

pytestmark = pytest.mark.filterwarnings("ignore")
globals().update(
    load_tests(
        "celer",
        "celer.tests.test_lasso",
        {
            "celer.celer_path": celer_path,
            "celer.dropin_sklearn.Lasso": CelerLasso,
            "celer.dropin_sklearn.LassoCV": LassoCV,
        },
    )
)
