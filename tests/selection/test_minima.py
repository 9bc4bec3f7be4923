"""local_minima: every start ends in a critical point, and distinct ones are told apart."""

import numpy as np
import pandas as pd
import pytest
from problems import sparse_design, toy
from sklearn.exceptions import ConvergenceWarning
from tolerances import FEW_OPS, REORDERED_SUM

import sparsieve as sv


@pytest.fixture
def problem():
    X, y, _ = toy(n_samples=40, n_features=100, n_active=6, noise=1.0, seed=3)
    return X, y


@pytest.mark.parametrize(
    "penalty", [sv.L1(), sv.MCP(1.2), sv.LogSum(0.1), sv.SCAD(2.2), sv.CappedL1(0.5), sv.Lq()]
)
def test_every_start_ends_in_a_critical_point(problem, penalty):
    X, y = problem
    alpha = 0.1 * sv.alpha_max(X, y, penalty)
    result = sv.local_minima(X, y, penalty, alpha=alpha, n_random=2, random_state=0)
    assert len(result.points) == 9
    for point in result.points:
        coef = np.zeros(100)
        coef[point.columns] = point.values
        judged = sv.kkt_violation(X, y, coef, point.intercept, penalty=penalty, alpha=alpha)
        assert judged <= 1.1e-8  # the tolerance of the solves, and the judge's own rounding


def test_a_convex_problem_has_one_minimum(problem):
    X, y = problem
    result = sv.local_minima(X, y, "l1", alpha=0.2, n_random=3, random_state=0)
    assert result.n_distinct == 1
    assert result.spread <= REORDERED_SUM
    np.testing.assert_array_equal(result.agreement, np.ones((10, 10)))
    assert "1 critical point from 10 starts" in result.summary()
    assert repr(result) == f"<LocalMinima: {result.summary().splitlines()[0]}>"


def test_a_strongly_concave_problem_has_several(problem):
    X, y = problem
    penalty = sv.LogSum(0.05)
    alpha = 0.1 * sv.alpha_max(X, y, penalty)
    result = sv.local_minima(X, y, penalty, alpha=alpha, n_random=4, random_state=0)
    assert result.n_distinct > 1
    assert result.spread > 0.0
    # Labels are numbered by objective, and equal labels mean equal objectives.
    order = np.argsort(result.objective, kind="stable")
    first_seen = list(dict.fromkeys(result.label[order].tolist()))
    assert first_seen == list(range(result.n_distinct))
    for label in range(result.n_distinct):
        same = result.objective[result.label == label]
        assert np.ptp(same) <= 1e-6 * same.min()  # coefficients agree to 1e-4 at a stationary point
    assert result.best.objective == result.objective.min()
    text = result.summary()
    assert f"{result.n_distinct} different critical points" in text
    assert len(text.splitlines()) == 2 + len(result.starts)


def test_two_known_minima_are_found():
    # One feature of unit variance, capped l1: for y = c x, both "shrunk" (t = c - alpha < theta)
    # and "free" (t = c > theta) are stationary when theta lies between.
    x = np.array([1.0, -1.0, 1.0, -1.0])
    result = sv.local_minima(
        x[:, None],
        1.1 * x,
        sv.CappedL1(1.0),
        alpha=0.3,
        starts=["zero", "lasso", "reverse"],
        n_random=6,
        random_state=1,
        fit_intercept=False,
    )
    found = {round(float(point.values[0]), 6) for point in result.points}
    assert found == {0.8, 1.1}
    assert result.n_distinct == 2
    # 1/2 (1.1 - t)^2 + 0.3 min(t, 1) at the two: 0.045 + 0.24 and 0.3.
    assert result.objective.min() == pytest.approx(0.285, rel=100 * FEW_OPS)
    assert result.objective.max() == pytest.approx(0.3, rel=100 * FEW_OPS)


def test_positive_weights_sparse_and_names():
    X = sparse_design(50, 30, density=0.4, seed=0)
    y = X @ np.r_[2.0, -1.5, np.zeros(28)] + 0.1 * np.random.default_rng(0).normal(size=50)
    pi = np.ones(30)
    pi[3], pi[4] = np.inf, 0.0
    result = sv.local_minima(
        X, y, "mcp", alpha=0.05, positive=True, weights=pi, n_random=2, random_state=0
    )
    for point in result.points:
        assert np.all(point.values >= 0)
        assert 3 not in point.columns
    frame = pd.DataFrame(X.toarray(), columns=[f"v{j}" for j in range(30)])
    named = sv.local_minima(frame, y, "mcp", alpha=0.05, starts="zero")
    assert named.starts == ["zero"]
    assert list(named.feature_names) == list(frame.columns)


def test_warns_when_a_start_does_not_converge(problem):
    X, y = problem
    with pytest.warns(ConvergenceWarning, match="did not reach tol"):
        sv.local_minima(X, y, sv.LogSum(0.05), alpha=0.01, starts=["ridge"], max_iter=1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"starts": ["warm"]}, "use one or more of 'zero', 'path'"),
        ({"starts": []}, "use one or more of"),
        ({"alpha": 0.0}, "alpha must be"),
        ({"n_random": -1}, "n_random must be"),
        ({"tol": 0.0}, "tol must be"),
    ],
)
def test_errors_name_the_cause_and_the_remedy(problem, options, words):
    X, y = problem
    with pytest.raises(ValueError, match=words):
        sv.local_minima(X, y, **{"alpha": 0.1, **options})
