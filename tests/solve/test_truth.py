"""Whole default paths, judged from their coefficients alone by code that shares nothing with ours.

Warnings are errors in this test-suite, so a path that does not converge fails here too.
"""

import numpy as np
import pytest
import real_data
from penalties_under_test import PENALTIES
from scipy import sparse
from sklearn.linear_model import lasso_path
from tolerances import DEFAULT_KKT, EPS64, SCIKIT_LEARN

import sparsieve as sv

every_penalty = pytest.mark.parametrize("name", PENALTIES)
slow = pytest.mark.slow


def violations(X, y, path, slope):
    """Return kkt of every point: Fermat's rule, one column of coefficients at a time."""
    coefs, out = sparse.csc_array(path.coefs), []
    for k, alpha in enumerate(path.alphas):
        w = coefs[:, [k]].toarray().ravel()
        c = X.T @ (y - path.intercepts[k] - X @ w) / len(y)
        level = slope(np.zeros(1), alpha)[0]
        lam = slope(np.abs(w), alpha)
        at_zero = np.abs(c[w == 0]) - lam[w == 0]
        elsewhere = c[w != 0] - lam[w != 0] * np.sign(w[w != 0])
        out.append(max(0.0, at_zero.max(initial=0.0), np.abs(elsewhere).max(initial=0.0)) / level)
    return np.array(out)


def assert_true_path(X, y, penalty):
    """Solve a path down to a thousandth of its first alpha and check every point of it."""
    path = sv.sparse_path(X, y, penalty, eps=1e-3, standardize=False)
    assert len(path) == 100
    assert path.alphas[-1] == pytest.approx(1e-3 * sv.alpha_max(X, y, penalty))
    assert path.converged.all()
    judged = violations(X, y, path, penalty.slope)
    assert judged.max() <= DEFAULT_KKT
    # A certificate covers the judge's own rounding only up to a share of the tolerance.
    assert np.all(judged <= path.kkt + 0.01 * DEFAULT_KKT)
    # The intercept's own condition: residuals have mean zero, up to a sum of n terms.
    mean = np.asarray(X.mean(axis=0)).ravel()
    reach = np.abs(y).max() + abs(mean) @ abs(path.coefs)
    left = y.mean() - path.intercepts - mean @ path.coefs
    assert np.all(np.abs(left) <= len(y) * EPS64 * reach)
    assert path.support_size[-1] > 0


@every_penalty
@pytest.mark.parametrize("noise", [0.01, 2.0])
@pytest.mark.parametrize("seed", [0, 1] + [pytest.param(seed, marks=slow) for seed in range(2, 5)])
def test_small_toy(seed, noise, name):
    X, y, _ = sv.datasets.make_toy(50, 100, 5, noise, random_state=seed)
    assert_true_path(X, y, PENALTIES[name])


QUICK = ("l1", "logsum-0.1", "mcp")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=slow) for name in PENALTIES]
)
@pytest.mark.parametrize("seed", [0] + [pytest.param(seed, marks=slow) for seed in range(1, 5)])
def test_large_toy(seed, name):
    X, y, _ = sv.datasets.make_toy(500, 5000, 5, 2.0, random_state=seed)
    assert_true_path(X, y, PENALTIES[name])


DATA = [
    "colon",
    pytest.param("riboflavin", marks=slow),
    pytest.param("leukemia", marks=slow),
    pytest.param("climate_sst", marks=slow),
    pytest.param("rat_eye", marks=slow),
    pytest.param("diabetes_interactions_poly2", marks=slow),
    pytest.param("w8a", marks=slow),
    pytest.param("newsgroup_counts", marks=slow),
    pytest.param("newsgroup", marks=slow),
]


@every_penalty
@pytest.mark.parametrize("standardised", [False, True], ids=["raw", "standardised"])
@pytest.mark.parametrize("data", DATA)
def test_real_data(data, standardised, name):
    X, y = real_data.load(data, standardised)
    assert_true_path(X, y, PENALTIES[name])


@pytest.mark.parametrize("data", ["climate_sst", "leukemia", "riboflavin", "w8a"])
def test_real_data_in_the_quick_run(data):
    """One penalty on data whose neighbours nearly agree, where d >> n, where X is sparse."""
    X, y = real_data.load(data, True)
    assert_true_path(X, y, PENALTIES["mcp"])


def assert_lasso(X, y, **grid):
    """Compare objectives with scikit-learn's lasso_path on the same alphas."""
    path = sv.sparse_path(X, y, "l1", **grid)
    X = X - X.mean(axis=0)
    y = y - y.mean()
    _, coefs, gaps = lasso_path(X, y, alphas=path.alphas, tol=1e-13, max_iter=10**6)
    residuals = y[:, None] - X @ coefs
    theirs = (residuals**2).sum(axis=0) / (2 * len(y)) + path.alphas * np.abs(coefs).sum(axis=0)
    # Their duality gap (in their scale, without 1/n) says how far they may be from the optimum.
    assert np.all(gaps / len(y) <= SCIKIT_LEARN * theirs)
    np.testing.assert_allclose(path.objective, theirs, rtol=SCIKIT_LEARN)


@pytest.mark.parametrize("seed", range(5))
def test_l1_is_scikit_learns_on_the_toy(seed):
    X, y, _ = sv.datasets.make_toy(50, 100, 5, 2.0, random_state=seed)
    assert_lasso(X, y)


@pytest.mark.parametrize("data", ["riboflavin", "leukemia", "colon"])
def test_l1_is_scikit_learns_on_real_data(data):
    X, y = real_data.load(data, True)
    assert_lasso(X, y, alphas=15, eps=0.1)


@pytest.mark.parametrize("seed", range(5))
def test_mcp_with_huge_gamma_is_l1(seed):
    """On a common support S the two differ by inv(G_SS) |w| / gamma (and what tol leaves)."""
    gamma, tol = 1e8, 1e-10
    X, y, _ = sv.datasets.make_toy(50, 100, 5, 2.0, random_state=seed)
    l1 = sv.sparse_path(X, y, "l1", tol=tol)
    mcp = sv.sparse_path(X, y, sv.MCP(gamma=gamma), alphas=l1.alphas, tol=tol)
    X = X - X.mean(axis=0)
    for alpha in l1.alphas[1:]:
        expected, got = l1.coef_at(alpha), mcp.coef_at(alpha)
        support = np.flatnonzero(expected)
        np.testing.assert_array_equal(np.flatnonzero(got), support)
        flattest = np.linalg.svd(X[:, support], compute_uv=False)[-1] ** 2 / len(y)
        pull = np.linalg.norm(expected) / gamma + 2 * tol * alpha * np.sqrt(support.size)
        assert np.linalg.norm(got - expected) <= 1.01 * pull / flattest


@every_penalty
def test_a_path_wide_tolerance_allows_the_same_violation_everywhere(name):
    penalty = PENALTIES[name]
    X, y, _ = sv.datasets.make_toy(60, 200, 5, noise=1.0, random_state=3)
    tol = 1e-5
    path = sv.sparse_path(X, y, penalty, eps=1e-2, tol=tol, tol_relative_to="path")
    assert path.converged.all()
    slopes = penalty.slope(np.zeros(len(path)), path.alphas)
    judged = violations(X, y, path, penalty.slope)
    # A rounding error of the judge's own, far below tol.
    assert np.all(judged <= np.minimum(tol * slopes[0] / slopes, 0.1) * (1 + DEFAULT_KKT))


def test_a_path_wide_tolerance_is_looser_towards_the_end():
    X, y, _ = sv.datasets.make_toy(100, 400, 5, noise=1.0, random_state=3)
    each, path = (
        sv.sparse_path(X, y, "mcp", eps=1e-2, tol=1e-3, tol_relative_to=choice)
        for choice in ("alpha", "path")
    )
    assert each.kkt.max() <= 1e-3 < path.kkt.max()
