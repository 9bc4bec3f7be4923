"""Defects that were found by trying to break the library, one test each."""

import math
import tomllib
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from problems import toy
from scipy import sparse
from tolerances import EPS64

import sparsieve as sv
from sparsieve import _core


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 8))
    return X, 2 * X[:, 0] + X[:, 1] + 0.1 * rng.standard_normal(20)


def test_warm_start_obeys_weights_that_changed(data):
    X, y = data
    model = sv.SparseRegressor("l1", alpha=0.1, warm_start=True).fit(X, y)
    weights = np.r_[np.inf, np.ones(7)]
    model.set_params(weights=weights).fit(X, y)
    assert model.coef_[0] == 0.0
    problem = dict(penalty="l1", alpha=0.1, weights=weights)
    assert sv.kkt_violation(X, y, model.coef_, model.intercept_, **problem) <= 1e-6


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_iter", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("penalty", ["l1", "mcp"])
def test_a_solve_that_max_iter_ends_hands_out_the_point_it_certifies(penalty, max_iter):
    # Thousands of features violate at once at a small alpha without a path before it, and the
    # solver works on the columns themselves.
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((30, 9000)))
    y = X[:, :3].sum(axis=1)
    path = sv.sparse_path(X, y, penalty, alphas=[0.01], max_iter=max_iter)
    coef, intercept = path.coef_at(0.01), path.intercepts[0]
    violation = sv.kkt_violation(X, y, coef, intercept, penalty=penalty, alpha=0.01)
    assert violation == pytest.approx(path.kkt[0], rel=1e-6, abs=1e-6)


def test_warm_start_obeys_positivity_that_changed(data):
    X, y = data
    model = sv.SparseRegressor("mcp", alpha=0.01, warm_start=True).fit(X, -y)
    assert np.all(model.set_params(positive=True).fit(X, -y).coef_ >= 0.0)


def test_warm_start_ignores_coefficients_that_are_not_numbers(data):
    X, y = data
    model = sv.SparseRegressor("l1", alpha=0.1, warm_start=True).fit(X, y)
    expected = model.coef_.copy()
    model.coef_ = np.full(8, np.nan)
    np.testing.assert_allclose(model.fit(X, y).coef_, expected, atol=1e-9)  # tol 1e-6 of alpha


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("l1", [[2.4, 0.0, 4.7], [2.4, 0.0, 2.4], [2.4, 1.0, 4.7]])
def test_the_kernel_exchanges_duplicate_columns(seed, l1):
    g = np.random.default_rng(seed)
    X = g.standard_normal((10, 3))
    X[:, 2] = X[:, 0]
    y = 1000 * g.standard_normal(10)
    result = sv.proximal_weighted_lasso(X, y, np.array(l1))
    # The default tol asks for a gap of 1e-12 of the objective at zero; a decade for rounding.
    assert result.gap <= 1e-11 * 0.5 * (y @ y)


@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("seed", range(30))
def test_nearly_collinear_unpenalised_features(n, seed):
    g = np.random.default_rng(seed)
    X = g.standard_normal((n, n))
    X[:, 1] = X[:, 0] + 1e-6 * X[:, 1]
    y = g.standard_normal(n)
    weights = np.zeros(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it may say that rounding limits the accuracy
        model = sv.SparseRegressor("l1", 0.1, weights=weights).fit(X, y)
    problem = dict(penalty="l1", alpha=0.1, weights=weights)
    fitted = sv.objective(X, y, model.coef_, model.intercept_, **problem)
    assert fitted <= 0.5 * np.var(y) * (1 + 1e-9)


@pytest.mark.parametrize("penalty", [sv.MCP(3.0), sv.CappedL1(1.0), sv.LogSum(1.0)])
@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_the_gap_of_a_stopped_solve_is_not_negative(penalty, max_iter):
    X, y, _ = toy(40, 60, 5, 0.5)
    with pytest.warns(Warning, match="did not reach"):
        path = sv.sparse_path(X + 0.3, y + 2, penalty, alphas=10, eps=0.01, max_iter=max_iter)
    # Rounding of the two objectives that are subtracted.
    assert np.all(path.dual_gap >= -1e-12 * path.objective[0])


class Listed:
    """A penalty that answers with a list."""

    def value(self, abs_w, alpha):
        return alpha * np.asarray(abs_w)

    def slope(self, abs_w, alpha):
        return list(np.ravel(alpha + 0 * np.asarray(abs_w)))


def test_a_penalty_may_answer_with_a_list(data):
    X, y = data
    ours = sv.sparse_path(X, y, Listed(), alphas=5)
    lasso = sv.sparse_path(X, y, "l1", alphas=5)
    np.testing.assert_allclose(ours.objective, lasso.objective, rtol=1e-12)


def test_tiny_alpha_and_huge_sample_weights(data):
    X, y = data
    with pytest.warns(Warning, match="did not reach"):
        model = sv.SparseRegressor("l1", alpha=1e-320).fit(X, y)
    assert np.all(np.isfinite(model.coef_))
    heavy = sv.SparseRegressor("l1", alpha=0.1).fit(X, y, sample_weight=np.full(20, 1e308))
    plain = sv.SparseRegressor("l1", alpha=0.1).fit(X, y)
    np.testing.assert_allclose(heavy.coef_, plain.coef_, atol=1e-12)


def test_a_point_that_did_not_converge_claims_nothing(data):
    X, y = data
    with pytest.warns(Warning, match="did not reach"):
        model = sv.SparseRegressor("mcp", alpha=1e-9, max_iter=1).fit(X, y)
    assert "no claim" in str(model.certificate_)


def test_version_matches_the_project():
    project = Path(__file__).parents[1] / "pyproject.toml"
    assert sv.__version__ == tomllib.loads(project.read_text())["project"]["version"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_iter", [1, 3, 10, 10_000])
@pytest.mark.parametrize("penalty", ["l1", "mcp", "logsum"])
def test_large_sparse_supports_are_certified_as_they_are(penalty, max_iter):
    # Columns of five entries and supports in the hundreds: solved on the columns, without Gram.
    rng = np.random.default_rng(1)
    X = sparse.random_array((400, 3000), density=5 / 400, rng=rng, format="csc")
    y = X[:, :200] @ rng.standard_normal(200) + 0.1 * rng.standard_normal(400)
    path = sv.sparse_path(X, y, penalty, alphas=15, max_iter=max_iter)
    assert path.support_size.max() > 100
    for k, alpha in enumerate(path.alphas):
        violation = sv.kkt_violation(
            X, y, path.coef_at(alpha), path.intercepts[k], penalty=penalty, alpha=alpha
        )
        assert violation <= path.kkt[k] + 1e-9
    if max_iter == 10_000:
        assert path.converged.all()


def long_column(rows, value, n):
    return sparse.csc_array((np.full(rows.size, value), (rows, np.zeros_like(rows))), (n, 1))


@pytest.mark.parametrize("value", [0.1, 1.0])
def test_multiples_of_a_long_sparse_column_are_no_strict_minimum(value):
    # Norms summed in another way than products let a column and its multiple look independent.
    rng, n, light = np.random.default_rng(1), 50_000, 60
    rows = np.sort(rng.choice(n, 15_000, replace=False))
    X = sparse.random_array((n, 9000), density=6 / n, rng=rng, format="csc")
    y = X[:, :light] @ np.full(light, 30.0)
    y[rows] += 1.0
    pair = [long_column(rows, value, n), long_column(rows, 3.0 * value, n)]
    X = sparse.csc_array(sparse.hstack([*pair, X]))
    weights = np.r_[0.0, 0.0, np.ones(9000)]
    path = sv.sparse_path(X, y, "l1", alphas=8, weights=weights, max_support=200)
    assert path.support_size[-1] > light
    both = [set(point.columns) >= {0, 1} for point in path.points]
    assert not any(point.convex for point, pair in zip(path.points, both, strict=True) if pair)


def test_equal_entries_in_their_hundred_thousands_do_not_drift():
    # A plain sum of n equal numbers is wrong by up to n roundings, and so were the means.
    rng, n = np.random.default_rng(3), 400_000
    columns = [
        long_column(np.sort(rng.choice(n, int(size), replace=False)), 1.0, n)
        for size in rng.integers(80_000, 240_000, 6)
    ]
    X = sparse.csc_array(sparse.hstack(columns))
    y = X @ rng.standard_normal(6) + 0.01 * rng.standard_normal(n) + 5.0
    path = sv.sparse_path(X, y, "l1", alphas=5, tol=1e-9)
    for k, alpha in enumerate(path.alphas):
        w = path.coef_at(alpha)
        residual = y - path.intercepts[k] - X @ w
        c = np.array([math.fsum(residual[X.indices[a:b]]) / n for a, b in pairwise(X.indptr)])
        violation = np.where(w == 0.0, np.abs(c) - alpha, np.abs(c - alpha * np.sign(w)))
        assert violation.max() <= 1e-9 * alpha + 64 * EPS64


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_what_will_be_refused_is_not_solved_first(data, bad):
    X, y = data
    X = np.asfortranarray(X)
    X[3, 5] = bad
    design = _core.Design(_core.dense(X), np.ones(20), False)
    out = _core.solve_pwl(design, y, np.full(8, 0.1), 0.0, None, 1e-12, 1000, True)
    assert out["n_epochs"] == 0
    with pytest.raises(ValueError, match="column 5"):
        sv.proximal_weighted_lasso(X, y, np.full(8, 0.1))


@pytest.mark.parametrize("n", [10, 1000, 50_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_full_sparse_column_of_equal_entries_is_constant(n, weighted):
    # Its weights have to add up to the total, or what is missing passes for variance.
    rng = np.random.default_rng(n)
    omega = rng.uniform(0.0, 2.0, n) * (rng.random(n) < 0.8) if weighted else None
    for value in (0.1, 3.0, 1e5 / 3.0):
        X = sparse.csc_array(np.c_[np.full(n, value), rng.standard_normal(n)])
        path = sv.sparse_path(X, rng.standard_normal(n), "l1", alphas=5, sample_weight=omega)
        assert path.converged.all()
        assert not any(0 in point.columns for point in path.points)
        exact = sv.alpha_max(X[:, [0]], np.arange(n), "l1", sample_weight=omega)
        assert exact == 0.0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_dependent_sparse_columns_far_from_zero_are_no_strict_minimum():
    rng = np.random.default_rng(1)
    for _ in range(60):
        n, far = int(rng.integers(100, 800)), rng.uniform(4e5, 1e6)
        X = far * rng.uniform(0.5, 1.5, 3) + rng.standard_normal((n, 3))
        X = np.c_[X, X[:, 0] + X[:, 1], rng.standard_normal((n, 5))]
        y = X[:, 3] - X[:, 0] + 0.5 * X[:, 2] + rng.standard_normal(n)
        model = sv.SparseRegressor("l1", alpha=1e-4, warm_start=True)
        model.coef_, model.intercept_ = np.r_[0.3, 0.4, 0.5, 0.6, np.zeros(5)], 0.0
        model.n_features_in_ = 9
        model.fit(sparse.csc_array(X), y)
        dependent = np.all(model.coef_[[0, 1, 3]] != 0.0)
        assert not (dependent and model.certificate_.strict_minimum)
