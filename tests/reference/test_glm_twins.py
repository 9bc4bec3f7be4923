"""The slow solvers for losses: gaps, stationarity and closed forms."""

import numpy as np
import pytest
from tolerances import TWIN_GAP

import sparsieve as sv
from sparsieve.reference import GlmProblem, glm_gap, glm_lasso, glm_mm, loss_twin

LOSSES = {
    "squared": {},
    "huber": {"delta": 0.8},
    "logistic": {},
    "poisson": {},
    "negative_binomial": {"theta": 1.5},
}


def problem(name, seed=0, n=40, d=8, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    eta = X[:, 0] - X[:, 1]
    y = {
        "logistic": lambda: (eta + rng.logistic(size=n) > 0).astype(float),
        "poisson": lambda: rng.poisson(np.exp(0.5 * eta)).astype(float),
        "negative_binomial": lambda: rng.poisson(np.exp(eta)).astype(float),
    }.get(name, lambda: eta + rng.standard_t(2, size=n))()
    twin = loss_twin(name, **LOSSES[name])
    options.setdefault("offset", 0.3 * rng.normal(size=n))
    options.setdefault("sample_weight", rng.uniform(0.1, 2.0, n))
    return GlmProblem.of(X, y, twin, **options)


@pytest.mark.parametrize("name", LOSSES)
def test_gap_proves_the_minimum(name):
    made = problem(name)
    weights = np.full(8, 0.05)
    found = glm_lasso(made, weights)
    assert found.converged
    gap = glm_gap(made, found.w, found.b, weights)
    assert abs(gap) <= TWIN_GAP
    assert 0 < np.count_nonzero(found.w) < 8 or name == "squared"
    # Weak duality at other points, with the intercept that belongs to them.
    for k in range(5):
        rng = np.random.default_rng(k)
        w = found.w + rng.normal(size=8) * (rng.random(8) < 0.5)
        fixed = np.full(8, np.inf)
        base = GlmProblem(made.X, made.y, made.loss, made.omega, made.offset + made.X @ w)
        b = glm_lasso(base, fixed).b
        assert glm_gap(made, w, b, weights) >= -TWIN_GAP


@pytest.mark.parametrize("name", LOSSES)
def test_mm_ends_in_a_critical_point(name):
    made = problem(name, seed=1)
    found = glm_mm(made, sv.LogSum(theta=0.5), 0.05)
    assert found.converged
    assert np.count_nonzero(found.w) < 8


def test_options():
    made = problem("logistic", seed=2, ridge=0.1, lower=0.0, upper=0.2, fit_intercept=False)
    found = glm_lasso(made, np.array([0.01] * 6 + [0.0, np.inf]))
    assert found.converged
    assert found.b == 0.0
    assert found.w[7] == 0.0
    assert found.w.min() >= 0.0
    assert found.w.max() <= 0.2


def test_squares_are_least_squares():
    made = problem("squared", seed=3)
    found = glm_lasso(made, np.zeros(8))
    root = np.sqrt(made.omega)
    A = np.column_stack([np.ones(40), made.X]) * root[:, None]
    best = np.linalg.lstsq(A, root * (made.y - made.offset), rcond=None)[0]
    assert np.allclose([found.b, *found.w], best, atol=1e-9)
