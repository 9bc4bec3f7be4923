"""scikit-learn's tests of coordinate descent, with our estimators in the place of its own."""

import pytest

from . import stand_ins
from .modules import load_tests

PACKAGE = "scikit-learn"
NAMES = ("Lasso", "LassoCV", "ElasticNet", "ElasticNetCV", "lasso_path", "enet_path")

# Warnings of scikit-learn about itself are not the matter.
pytestmark = pytest.mark.filterwarnings("ignore")
globals().update(
    load_tests(
        "sklearn",
        "sklearn.linear_model.tests.test_coordinate_descent",
        {f"sklearn.linear_model.{name}": getattr(stand_ins, name) for name in NAMES},
    )
)
