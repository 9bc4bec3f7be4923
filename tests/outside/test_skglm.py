"""skglm's tests of its estimators, with ours for the lasso, its weights, and MCP.

``python -m tests.outside.peers`` runs them: they need skglm, celer and pandas.
"""

import pytest

from .modules import load_tests
from .stand_ins import CelerLasso, MCPRegression, WeightedLasso

PACKAGE = "skglm"
STAND_INS = {"Lasso": CelerLasso, "WeightedLasso": WeightedLasso, "MCPRegression": MCPRegression}

pytestmark = pytest.mark.filterwarnings("ignore")
pytest.importorskip("celer")
globals().update(
    load_tests(
        "skglm",
        "skglm.tests.test_estimators",
        {f"skglm.estimators.{name}": value for name, value in STAND_INS.items()},
    )
)
