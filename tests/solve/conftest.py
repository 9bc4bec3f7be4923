"""Problems that several files of this folder start from."""

import numpy as np
import pytest
from problems import toy


@pytest.fixture(scope="module")
def easy():
    X, y, _ = toy(n_samples=50, n_features=40, n_active=4, noise=0.1, seed=0)
    return np.asfortranarray(X + 0.3), y + 2.0
