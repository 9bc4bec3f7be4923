"""The exact coordinate descent of the comparisons: its formulas, and where it ends."""

import numpy as np
import pytest
from exact_descent import ExactDescent, minimiser, threshold
from problems import ar_design, toy
from tolerances import EXACT_DESCENT

import sparsieve as sv

PENALTIES = [
    sv.L1(),
    sv.MCP(3.0),
    sv.MCP(0.7),
    sv.SCAD(3.7),
    sv.SCAD(2.1),
    sv.LogSum(),
    sv.LogSum(1),
]
REACH = np.logspace(-9, 4, 20_001)  # steps of 1.5e-3
every_penalty = pytest.mark.parametrize("penalty", PENALTIES, ids=repr)


@every_penalty
def test_minimisers_against_a_grid(penalty):
    rng = np.random.default_rng(0)
    for _ in range(300):
        h, level = 10 ** rng.uniform(-1.5, 1), rng.uniform(0.05, 2.0)
        T = threshold(penalty, h, level)
        z = T * 10 ** rng.uniform(-0.5, 0.7)
        grid = np.linspace(0.0, 1.01 * z / h, 20_001)
        F = h * grid**2 / 2 - z * grid + penalty.value(grid, level)
        t = minimiser(penalty, z, h, level)
        here = h * t**2 / 2 - z * t + penalty.value(t, level)
        assert here <= F.min() + 1e-14 * z**2 / h
        assert (t > 0) == (z > T)
        # T is the smallest slope of a chord, and reached: on a grid to the square of its step.
        chords = h * REACH / 2 + penalty.value(REACH, level) / REACH
        assert -1e-12 <= chords.min() / T - 1 <= 1e-5


@every_penalty
@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_its_points_are_coordinatewise_minima(penalty, scale):
    X = scale * ar_design(60, 120, 0.7)
    rng = np.random.default_rng(1)
    y = X[:, ::20] @ np.full(6, 2.0 / scale) + rng.standard_normal(60) + 3.0
    weights, sample_weight = np.ones(120), rng.uniform(0.2, 2.0, 60)
    weights[:3] = 0.0, np.inf, 0.5
    where = dict(sample_weight=sample_weight, weights=weights)
    alphas = sv.alpha_max(X, y, penalty, **where) * np.array([1.5, 0.7, 0.3, 0.15])
    for positive in (False, True):
        walk = ExactDescent(X, y, penalty, positive=positive, **where)
        sizes = []
        for alpha, (w, b) in zip(alphas, walk.path(alphas), strict=True):
            judged = dict(penalty=penalty, alpha=alpha, positive=positive, **where)
            F = sv.objective(X, y, w, b, penalty=penalty, alpha=alpha, **where)
            assert sv.coordinatewise_violation(X, y, w, b, **judged) <= EXACT_DESCENT * F
            assert w[1] == 0
            sizes.append(np.count_nonzero(w))
        assert max(sizes) >= 5


def test_it_goes_on_from_a_start_and_without_an_intercept():
    X, y, w = toy(40, 30, 4, 0.5)
    where = dict(penalty=sv.MCP(0.5), alpha=0.3, fit_intercept=False)
    walk = ExactDescent(X, y, sv.MCP(0.5), fit_intercept=False)
    for start in (w, np.ones(30), None):
        coef, intercept = walk.solve(0.3, start)
        assert intercept == 0.0
        F = sv.objective(X, y, coef, penalty=sv.MCP(0.5), alpha=0.3)
        assert sv.coordinatewise_violation(X, y, coef, **where) <= EXACT_DESCENT * F
    again, _ = walk.solve(0.3)
    np.testing.assert_allclose(again, coef, rtol=0, atol=1e-9)


def test_lasso_is_the_lasso():
    X, y, _ = toy(50, 30, 4, 0.5)
    alpha = sv.alpha_max(X, y, "l1") / 10
    coef, intercept = ExactDescent(X, y, sv.L1()).solve(alpha)
    assert sv.kkt_violation(X, y, coef, intercept, penalty="l1", alpha=alpha) <= 1e-8


def test_what_it_cannot_do_is_refused():
    with pytest.raises(TypeError, match="no formulas"):
        threshold(sv.Lq(), 1.0, 1.0)
    X, y, _ = toy(20, 10, 4, 0.5)
    with pytest.raises(RuntimeError, match="did not settle"):
        ExactDescent(X, y, sv.L1(), max_sweeps=1).solve(0.1)
