"""celer's tests of its lasso, with ours in its place: ``python -m tests.outside.peers``."""

import pytest
import sklearn.linear_model

from .modules import load_tests
from .stand_ins import CelerLasso, LassoCV, celer_path

PACKAGE = "celer"


def lasso_cv_of_scikit_learn(*, n_alphas, **params):
    """Return scikit-learn's LassoCV, which takes the number as ``alphas`` since version 1.9."""
    return sklearn.linear_model.LassoCV(alphas=n_alphas, **params)


pytestmark = pytest.mark.filterwarnings("ignore")
globals().update(
    load_tests(
        "celer",
        "celer.tests.test_lasso",
        {
            "celer.celer_path": celer_path,
            "celer.dropin_sklearn.Lasso": CelerLasso,
            "celer.dropin_sklearn.LassoCV": LassoCV,
            "sklearn.linear_model.LassoCV": lasso_cv_of_scikit_learn,
        },
    )
)
