"""Defects that were found by trying to break the library, one test each."""

import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest
from problems import toy
from scipy import sparse

import sparsieve as sv


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
