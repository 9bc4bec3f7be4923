"""The judge: objective and kkt_violation against plain loops, dense and sparse, all weights."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import nasty_design, sparse_design, toy
from scipy import sparse
from sklearn.linear_model import lasso_path
from tolerances import EPS32, REORDERED_SUM

import sparsieve as sv

PENALTIES = [sv.L1(), sv.LogSum(), sv.MCP(), sv.SCAD(), sv.CappedL1(), sv.Lq()]
ids = [type(p).__name__ for p in PENALTIES]


def loop_residual(X, y, w, b):
    n, d = X.shape
    return [y[i] - b - sum(X[i, j] * w[j] for j in range(d)) for i in range(n)]


def loop_objective(X, y, w, b, penalty, alpha, omega, pi):
    residual = loop_residual(X, y, w, b)
    fit = sum(o * r * r for o, r in zip(omega, residual, strict=True)) / (2 * sum(omega))
    cost = sum(
        float(penalty.value(abs(w_j), alpha * p))
        for w_j, p in zip(w, pi, strict=True)
        if not math.isinf(p)
    )
    return fit + cost


def loop_violation(X, y, w, b, penalty, alpha, omega, pi, positive=False):
    residual = loop_residual(X, y, w, b)
    worst = 0.0
    for j in range(X.shape[1]):
        if math.isinf(pi[j]):
            continue
        c = sum(X[i, j] * omega[i] * residual[i] for i in range(X.shape[0])) / sum(omega)
        slope = float(penalty.slope(abs(w[j]), alpha * pi[j]))
        if w[j] == 0:
            worst = max(worst, (c if positive else abs(c)) - slope)
        else:
            worst = max(worst, abs(c - math.copysign(slope, w[j])))
    return worst / float(penalty.slope(0.0, alpha))


def random_case(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((12, 7)), rng.standard_normal(12)
    w = np.where(rng.random(7) < 0.5, 0.0, rng.standard_normal(7))
    omega = rng.uniform(0.0, 3.0, 12)
    pi = rng.choice([0.0, 0.5, 1.0, 3.0, np.inf], 7)
    w[np.isinf(pi)] = 0.0
    return X, y, w, rng.standard_normal(), omega, pi, rng.uniform(0.05, 2.0)


@pytest.mark.parametrize("penalty", PENALTIES, ids=ids)
@given(st.integers(0, 10**6))
def test_against_loops(penalty, seed):
    X, y, w, b, omega, pi, alpha = random_case(seed)
    keywords = dict(penalty=penalty, alpha=alpha, sample_weight=omega, weights=pi)
    expected_objective = loop_objective(X, y, w, b, penalty, alpha, omega, pi)
    expected_violation = loop_violation(X, y, w, b, penalty, alpha, omega, pi)
    # The violation is a difference of correlations: its rounding is relative to their size.
    scale = 1 + np.max(np.abs(X)) * (np.max(np.abs(y)) + np.abs(X).sum() * np.max(np.abs(w)))
    slack = REORDERED_SUM * scale / float(penalty.slope(0.0, alpha))
    for design in (X, np.asfortranarray(X), X.tolist(), sparse.csr_array(X), sparse.coo_matrix(X)):
        assert sv.objective(design, y, w, b, **keywords) == pytest.approx(
            expected_objective, rel=REORDERED_SUM
        )
        assert sv.kkt_violation(design, y, w, b, **keywords) == pytest.approx(
            expected_violation, rel=REORDERED_SUM, abs=slack
        )


@given(st.integers(0, 10**6))
def test_positive_against_loops(seed):
    X, y, w, b, omega, pi, alpha = random_case(seed)
    w = np.abs(w)
    keywords = dict(penalty="mcp", alpha=alpha, sample_weight=omega, weights=pi, positive=True)
    expected = loop_violation(X, y, w, b, sv.MCP(), alpha, omega, pi, positive=True)
    # Same data scale as above, slope(0) = alpha >= 0.05: a factor 20 on sums of about 100 terms.
    assert sv.kkt_violation(X, y, w, b, **keywords) == pytest.approx(
        expected, rel=REORDERED_SUM, abs=100 * REORDERED_SUM
    )


def test_without_weights_is_scikit_learns_scale():
    X, y, w = toy(30, 10, 3, 0.1)
    residual = y - 0.3 - X @ w
    expected = residual @ residual / 60 + 0.2 * np.abs(w).sum()
    assert sv.objective(X, y, w, 0.3, penalty="l1", alpha=0.2) == pytest.approx(
        expected, rel=REORDERED_SUM
    )


def test_lasso_of_scikit_learn_is_certified():
    """An independent solver's solution has almost no violation; a perturbed one has."""
    X, y, _ = toy(50, 100, 5, 0.1)
    alphas, coefs, _ = lasso_path(X, y, alphas=[0.1], tol=1e-14, max_iter=100_000)
    w = coefs[:, 0]
    # scikit-learn stops on a duality gap of 1e-14 ||y||^2; the violation is of its square root.
    assert sv.kkt_violation(X, y, w, penalty="l1", alpha=alphas[0]) < 1e-6
    w[np.flatnonzero(w)[0]] *= 1.1
    assert sv.kkt_violation(X, y, w, penalty="l1", alpha=alphas[0]) > 1e-2


def test_violation_is_free_of_units():
    X, y, w = toy(20, 8, 3, 0.1)
    base = sv.kkt_violation(X, y, w, penalty="l1", alpha=0.3)
    assert base > 0
    scaled = sv.kkt_violation(X * 2.0, y * 1024.0, w * 512.0, penalty="l1", alpha=0.3 * 2048)
    assert scaled == base  # powers of two: exact


def test_zero_weight_is_unpenalised():
    X, y, _ = toy(20, 3, 2, 0.1)
    w = np.zeros(3)
    c = np.abs(X.T @ y) / 20
    violation = sv.kkt_violation(X, y, w, penalty="mcp", alpha=1e3, weights=[1.0, 0.0, 1.0])
    assert violation == pytest.approx(c[1] / 1e3, rel=REORDERED_SUM)


def test_excluded_feature_must_be_zero_and_adds_nothing():
    X, y, w = toy(20, 3, 3, 0.1)
    keywords = dict(penalty="logsum", alpha=0.1, weights=[1.0, np.inf, 1.0])
    assert sv.objective(X, y, w, **keywords) == np.inf
    assert sv.kkt_violation(X, y, w, **keywords) == np.inf
    w[1] = 0.0
    without = dict(penalty="logsum", alpha=0.1)
    assert sv.objective(X, y, w, **keywords) == pytest.approx(
        sv.objective(X[:, [0, 2]], y, w[[0, 2]], **without), rel=REORDERED_SUM
    )
    assert sv.kkt_violation(X, y, w, **keywords) == pytest.approx(
        sv.kkt_violation(X[:, [0, 2]], y, w[[0, 2]], **without), rel=REORDERED_SUM
    )


def test_negative_coefficient_is_infeasible_when_positive():
    X, y, _ = toy(20, 3, 2, 0.1)
    violation = sv.kkt_violation(X, y, [-0.1, 0, 0], penalty="l1", alpha=1.0, positive=True)
    assert violation == np.inf


def test_repeated_row_is_weight_two():
    X, y, w = toy(10, 4, 2, 0.1)
    twice = np.r_[0, np.arange(10)]
    weight = np.r_[2.0, np.ones(9)]
    for judge in (sv.objective, sv.kkt_violation):
        assert judge(X[twice], y[twice], w, penalty="scad", alpha=0.2) == pytest.approx(
            judge(X, y, w, penalty="scad", alpha=0.2, sample_weight=weight), rel=REORDERED_SUM
        )


def test_float32_is_judged_in_float64():
    """Nasty float32 columns, 1100 of them (more than two blocks): as if converted beforehand."""
    X = nasty_design(6, 1100).astype(np.float32)
    y = np.arange(6.0)
    w = np.where(np.arange(1100) % 3 == 0, 1e-9, 0.0)
    for judge in (sv.objective, sv.kkt_violation):
        got = judge(X, y, w, penalty="mcp", alpha=0.1)
        assert got == pytest.approx(
            judge(X.astype(np.float64), y, w, penalty="mcp", alpha=0.1), rel=REORDERED_SUM
        )
        assert got == pytest.approx(
            judge(sparse.csc_array(X), y, w, penalty="mcp", alpha=0.1), rel=REORDERED_SUM
        )
    # And the float32 rounding of the design really is visible at this precision.
    assert REORDERED_SUM < EPS32


def test_sparse_coefficients_and_frames():
    X = sparse_design(15, 6, 0.4)
    y = np.arange(15.0)
    w = np.array([0.0, 1.0, 0.0, -2.0, 0.0, 0.0])
    frame = pd.DataFrame(X.toarray(), columns=list("abcdef"))
    expected = sv.objective(X, y, w, penalty="l1", alpha=0.1)
    for coef in (sparse.csc_array(w[:, None]), sparse.csr_matrix(w), w.tolist()):
        assert sv.objective(X, y, coef, penalty="l1", alpha=0.1) == expected
    assert sv.objective(frame, pd.Series(y), w, penalty="l1", alpha=0.1) == pytest.approx(
        expected, rel=REORDERED_SUM
    )


def test_nan_is_never_certified():
    X, y, w = toy(10, 4, 2, 0.1)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="X contains NaN at row 3, column 1"):
        sv.kkt_violation(X, y, w, penalty="mcp", alpha=0.2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(coef=[1.0, 2.0]), "one coefficient per column"),
        (dict(y=np.ones(9)), "one response per row"),
        (dict(alpha=0.0), "alpha must be"),
        (dict(alpha=np.nan), "alpha must be"),
        (dict(penalty=sv.MCP(gamma=-1)), "gamma"),
        (dict(sample_weight=-np.ones(10)), "sample_weight"),
        (dict(weights=[1.0, 1.0, np.nan, 1.0]), r"weights\[2\]"),
    ],
)
def test_errors_name_the_argument(change, message):
    X, y, w = toy(10, 4, 2, 0.1)
    arguments = dict(X=X, y=y, coef=w, penalty="mcp", alpha=0.2) | change
    for judge in (sv.objective, sv.kkt_violation):
        with pytest.raises(ValueError, match=message):
            judge(**arguments)


# What the fuzzers found; each crashed, hung or spoke in riddles once.


@pytest.mark.parametrize("judge", [sv.objective, sv.kkt_violation])
@pytest.mark.parametrize(
    ("X", "y", "coef", "words"),
    [
        (np.zeros((0, 0)), [], [], "X has shape"),
        ([], [], [], "X has shape"),
        (np.zeros((2, 0)), [1.0, 2.0], [], "X has shape"),
        ([["a"]], [1.0], [1.0], "X has shape"),
        (np.eye(2), [1.0, 2.0], [np.nan, 1.0], "coef contains NaN at entry 0"),
        (np.eye(2), [1.0, np.inf], [0.0, 1.0], "y contains infinity at entry 1"),
        (np.eye(2), [1.0, 2.0], ["a", "b"], "coef cannot be converted"),
        (np.array([[np.nan]]), [1.0], [1.0], "X contains NaN at row 0"),
    ],
)
def test_the_judges_refuse_what_cannot_be_judged(judge, X, y, coef, words):
    with pytest.raises(ValueError, match=words):
        judge(X, y, coef, penalty="l1", alpha=1.0)


def test_the_judges_answer_inf_beyond_the_range():
    X, y, w = np.full((2, 2), 1e300), [1e300, 0.0], [1e300, -1e300]
    assert sv.objective(X, y, w, penalty="l1", alpha=1.0) == np.inf
    assert sv.kkt_violation(X, y, w, penalty="l1", alpha=1.0) == np.inf


@pytest.mark.parametrize("kind", ["csc", "csr", "coo", "bsr", "lil", "dok", "dia"])
def test_the_judges_take_every_sparse_format(kind):
    X, y, w = np.diag([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0], [0.5, 0.0, 1.0]
    where = {"penalty": "mcp", "alpha": 0.1}
    for judge in (sv.objective, sv.kkt_violation):
        expected = judge(X, y, w, **where)
        assert judge(sparse.csc_array(X).asformat(kind), y, w, **where) == pytest.approx(expected)
    X[1, 1] = np.nan
    with pytest.raises(ValueError, match="X contains NaN at row 1, column 1"):
        sv.objective(sparse.csc_array(X).asformat(kind), y, w, **where)
