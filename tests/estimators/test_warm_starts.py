"""Fits that start from an earlier one solve the problem as it is now. Found by breaking them."""

import numpy as np
import pytest
from scipy import sparse
from tolerances import DEFAULT_KKT

import sparsieve as sv


@pytest.fixture
def small():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 8))
    return X, 2 * X[:, 0] + X[:, 1] + 0.1 * rng.standard_normal(20)


def test_warm_start_obeys_weights_that_changed(small):
    X, y = small
    model = sv.SparseRegressor("l1", alpha=0.1, warm_start=True).fit(X, y)
    weights = np.r_[np.inf, np.ones(7)]
    model.set_params(weights=weights).fit(X, y)
    assert model.coef_[0] == 0.0
    problem = dict(penalty="l1", alpha=0.1, weights=weights)
    assert sv.kkt_violation(X, y, model.coef_, model.intercept_, **problem) <= 1e-6


def test_warm_start_obeys_positivity_that_changed(small):
    X, y = small
    model = sv.SparseRegressor("mcp", alpha=0.01, warm_start=True).fit(X, -y)
    assert np.all(model.set_params(positive=True).fit(X, -y).coef_ >= 0.0)


def test_warm_start_ignores_coefficients_that_are_not_numbers(small):
    X, y = small
    model = sv.SparseRegressor("l1", alpha=0.1, warm_start=True).fit(X, y)
    expected = model.coef_.copy()
    model.coef_ = np.full(8, np.nan)
    np.testing.assert_allclose(model.fit(X, y).coef_, expected, atol=1e-9)  # tol 1e-6 of alpha


def test_an_empty_support_after_a_large_one():
    rng = np.random.default_rng(0)
    X = sparse.csc_array(np.where(rng.random((300, 2000)) < 0.01, rng.random((300, 2000)), 0.0))
    y = X[:, :200] @ rng.standard_normal(200) + 0.01 * rng.standard_normal(300)
    largest = sv.alpha_max(X, y, "l1")
    model = sv.SparseRegressor("l1", alpha=1e-2 * largest, warm_start=True).fit(X, y)
    model.set_params(alpha=1.1 * largest).fit(X, y)
    assert not model.coef_.any()
    assert model.certificate_.kkt <= 1e-3 * DEFAULT_KKT  # rounding alone
