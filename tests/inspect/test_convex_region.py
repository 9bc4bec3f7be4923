"""Where the objective is convex: what the penalty takes away and what the data give."""

import numpy as np
import pytest
from problems import toy
from tolerances import REORDERED_SUM

import sparsieve as sv
from sparsieve.inspect.convexity import convex_region

PENALTIES = [
    *(sv.LogSum(theta) for theta in (0.5, 8.0)),
    *(sv.Lq(0.5, eps) for eps in (0.3, 4.0)),
    sv.MCP(1.5),
    sv.SCAD(2.5),
    sv.CappedL1(0.8),
]


@pytest.fixture(scope="module")
def data():
    X, y, _ = toy(n_samples=60, n_features=30, n_active=5, noise=0.5, seed=4)
    return X, y


def curvature_left(X, y, point, penalty, weights):
    """Return the smallest eigenvalue of the objective's second derivative, at its lowest."""
    block = X[:, point.columns] - X[:, point.columns].mean(axis=0)
    taken = np.diag(penalty.concavity(point.alpha * weights[point.columns]))
    return np.linalg.eigvalsh(block.T @ block / len(y) - taken)[0] if point.columns.size else 1.0


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
@pytest.mark.parametrize("factor", [0.05, 20.0])
def test_one_weight_for_all_is_another_alpha(data, penalty, factor):
    X, y = data
    alphas = sv.alpha_max(X, y, penalty) * np.geomspace(0.9, 0.01, 25)
    plain = sv.sparse_path(X, y, penalty, alphas=alphas)
    weighted = sv.sparse_path(
        X, y, penalty, alphas=alphas / factor, weights=np.full(X.shape[1], factor)
    )
    np.testing.assert_array_equal(convex_region(weighted), convex_region(plain))


@pytest.mark.parametrize("penalty", [sv.LogSum(1.5), sv.Lq(0.5, 1.0), sv.MCP(1.5)], ids=repr)
def test_each_feature_counts_with_its_own_weight(data, penalty):
    X, y = data
    weights = np.geomspace(0.2, 5.0, X.shape[1])
    weights[3] = 0.0
    path = sv.sparse_path(X, y, penalty, alphas=30, eps=1e-2, weights=weights)
    left = np.array([curvature_left(X, y, point, penalty, weights) for point in path.points])
    assert np.min(np.abs(left)) > REORDERED_SUM  # no case in which rounding could decide
    expected = np.logical_and.accumulate(left > 0.0)
    assert expected[0]
    assert not expected[-1]  # the test has something to see
    np.testing.assert_array_equal(convex_region(path), expected)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_what_costs_nothing_takes_nothing_away(penalty):
    np.testing.assert_array_equal(penalty.concavity([0.0, 0.0]), 0.0)
    assert penalty.concavity(1.0) > 0.0
