"""The exact one-dimensional minimisers, against brute force on a fine grid."""

import numpy as np
import pytest
from reference_tolerances import FEW_OPS, GRID_COST, GRID_STEP, TWO_LIBRARIES

import sparsieve as sv
from sparsieve.reference.minimizers import ARRAYS, minimizer, zero_thresholds

PENALTIES = [
    sv.L1(),
    sv.LogSum(0.01),
    sv.LogSum(0.1),
    sv.LogSum(1.0),
    sv.MCP(0.4),
    sv.MCP(3.0),
    sv.SCAD(2.1),
    sv.SCAD(3.7),
    sv.CappedL1(0.3),
    sv.CappedL1(1.5),
    sv.Lq(0.5, 1e-2),
    sv.Lq(0.3, 0.1),
    sv.Lq(1.0, 0.1),
]


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_never_above_the_best_grid_point(penalty):
    grid = np.arange(0.0, 12.0, GRID_STEP)
    rng = np.random.default_rng(0)
    minimize = minimizer(penalty)
    for _ in range(300):
        c, a, lam = rng.uniform(0, 5), rng.uniform(0.45, 4), rng.uniform(0.01, 2)
        cost = 0.5 * a * grid**2 - c * grid + penalty.value(grid, lam)
        t = minimize(c, a, lam)
        reached = 0.5 * a * t**2 - c * t + float(penalty.value(t, lam))
        assert t >= 0
        assert reached <= cost.min() + FEW_OPS * (1 + abs(cost.min()))
        # and it is a point of the same valley, not merely a low number
        assert cost[np.argmin(np.abs(grid - t))] <= reached + GRID_COST


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_arrays_agree_with_floats(penalty):
    rng = np.random.default_rng(1)
    c, a = rng.uniform(0, 5, 200), rng.uniform(0.2, 4, 200)
    together = minimizer(penalty, ARRAYS)(c, a, 0.7)
    one_by_one = minimizer(penalty)
    single = [one_by_one(float(ci), float(ai), 0.7) for ci, ai in zip(c, a, strict=True)]
    np.testing.assert_allclose(together, single, atol=TWO_LIBRARIES)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_zero_thresholds_are_where_the_minimiser_leaves_zero(penalty):
    a = np.random.default_rng(2).uniform(0.2, 4, 50)
    thresholds = zero_thresholds(penalty, a, 0.7)
    minimize = minimizer(penalty)
    t = np.arange(1, 20_000) * GRID_STEP
    for ai, threshold in zip(a.tolist(), thresholds.tolist(), strict=True):
        assert minimize(threshold * (1 - FEW_OPS), ai, 0.7) == 0
        assert minimize(threshold * (1 + TWO_LIBRARIES), ai, 0.7) > 0
        # The threshold is the minimum over t > 0 of curvature t/2 + r(t)/t.
        assert threshold <= np.min(0.5 * ai * t + penalty.value(t, 0.7) / t) + FEW_OPS


def test_a_foreign_penalty_is_refused_by_name():
    class Own:
        def value(self, abs_w, alpha):
            return alpha * abs_w

        def slope(self, abs_w, alpha):
            return alpha + 0 * abs_w

    with pytest.raises(TypeError, match="LogSum"):
        minimizer(Own())
