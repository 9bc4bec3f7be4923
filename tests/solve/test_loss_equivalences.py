"""Losses beyond squares: two ways to say the same problem have the same solution."""

import numpy as np
import pytest
from losses_under_test import LOSSES, data, ids, options
from scipy import sparse
from tolerances import FITTED_GLM, FLOAT32_DATA, REORDERED_SUM

import sparsieve as sv

every = pytest.mark.parametrize("loss", LOSSES, ids=ids)


def solved(X, y, loss, penalty="mcp", **options):
    """Return coefficients and intercepts along some alphas."""
    alphas = np.geomspace(0.3, 0.05, 4)
    path = sv.sparse_path(X, y, penalty, loss=loss, alphas=alphas, tol=1e-9, **options)
    return np.array(
        [[*path.coef_at(a), b] for a, b in zip(path.alphas, path.intercepts, strict=True)]
    )


@every
def test_dense_and_sparse(loss):
    X, y = data(loss)
    given = options(*X.shape)
    one = solved(X, y, loss, **given)
    assert np.allclose(one, solved(sparse.csc_array(X), y, loss, **given), atol=FITTED_GLM)
    assert np.allclose(one, solved(np.ascontiguousarray(X), y, loss, **given), atol=0.0)


@every
def test_single_precision(loss):
    X, y = data(loss)
    X = X.astype(np.float32)
    one, other = solved(X, y, loss), solved(X.astype(float), y, loss)
    assert np.allclose(one, other, atol=FITTED_GLM + FLOAT32_DATA)


@every
def test_weight_two_is_a_repeated_row(loss):
    X, y = data(loss)
    given = options(*X.shape)
    counts = np.random.default_rng(1).integers(0, 3, y.size)
    pi, offset = given["weights"], given["offset"]
    one = solved(X, y, loss, weights=pi, offset=offset, sample_weight=counts)
    rows = np.repeat(np.arange(y.size), counts)
    other = solved(X[rows], y[rows], loss, weights=pi, offset=offset[rows])
    assert np.allclose(one, other, atol=FITTED_GLM)


@every
@pytest.mark.parametrize("intercept", [True, False])
def test_offset_is_a_column_with_a_fixed_coefficient(loss, intercept):
    """A column whose bounds hold it at 1 cannot be had (zero must be inside), but at c within."""
    X, y = data(loss)
    column = np.random.default_rng(2).normal(size=y.size)
    own = np.zeros(X.shape[1] + 1)
    own[-1] = 0.0
    wide = np.column_stack([X, column])
    # A free column tells which multiple of it is best; as an offset that multiple changes nothing.
    free = np.ones(X.shape[1] + 1)
    free[-1] = 0.0
    one = solved(wide, y, loss, "l1", weights=free, fit_intercept=intercept)
    for k, row in enumerate(one):
        alpha = np.geomspace(0.3, 0.05, 4)[k]
        path = sv.sparse_path(
            X, y, "l1", loss=loss, alphas=[alpha], offset=row[-2] * column, tol=1e-9,
            fit_intercept=intercept,
        )  # fmt: skip
        other = [*path.coef_at(alpha), path.intercepts[0]]
        assert np.allclose(np.delete(row, -2), other, atol=10 * FITTED_GLM)


def test_constant_offset_moves_the_intercept_only():
    X, y = data(sv.Poisson())
    one = solved(X, y, "poisson")
    other = solved(X, y, "poisson", offset=3.0)
    one[:, -1] -= 3.0
    assert np.allclose(one, other, atol=FITTED_GLM)


def test_offset_of_squares_is_taken_off_y():
    X, y = data(sv.Huber())
    offset = np.random.default_rng(3).normal(size=y.size)
    one = sv.sparse_path(X, y, "mcp", offset=offset, alphas=10)
    other = sv.sparse_path(X, y - offset, "mcp", alphas=10)
    assert np.array_equal(np.asarray(one.coefs), np.asarray(other.coefs))
    assert np.array_equal(one.r2, other.r2)
    model = sv.SparseRegressor("mcp", 0.1).fit(X, y, offset=offset)
    plain = sv.SparseRegressor("mcp", 0.1).fit(X, y - offset)
    assert np.array_equal(model.predict(X, offset), plain.predict(X) + offset)
    judged = dict(penalty="mcp", alpha=0.1)
    value = sv.objective(X, y, model.coef_, model.intercept_, offset=offset, **judged)
    assert value == pytest.approx(model.objective_, rel=REORDERED_SUM)
    kkt = sv.kkt_violation(
        X, y, model.coef_, model.intercept_, offset=offset, fit_intercept=True, **judged
    )
    assert kkt <= 1e-6


@every
def test_standardize_is_scaling_by_hand(loss):
    X, y = data(loss)
    X = X * np.geomspace(0.1, 10.0, X.shape[1])
    omega = options(*X.shape)["sample_weight"]
    share = omega / omega.sum()
    spread = np.sqrt(share @ (X - share @ X) ** 2)
    one = solved(X, y, loss, standardize=True, sample_weight=omega)
    other = solved(X / spread, y, loss, sample_weight=omega)
    assert np.allclose(one[:, :-1] * spread, other[:, :-1], atol=FITTED_GLM)


def test_negative_binomial_is_a_weighted_logistic_problem():
    """Weights omega (y + theta), labels y / (y + theta), predictor less ln theta."""
    theta = 2.0
    X, y = data(sv.NegativeBinomial(theta))
    c = y + theta
    alpha = 0.1
    one = sv.SparseRegressor("l1", alpha, loss=sv.NegativeBinomial(theta), tol=1e-9).fit(X, y)
    # The weights no longer sum to n: the penalty keeps its ratio to the loss.
    two = sv.SparseRegressor("l1", alpha / c.mean(), loss="logistic", tol=1e-9)
    two.fit(X, y / c, sample_weight=c, offset=-np.log(theta))
    assert np.allclose(one.coef_, two.coef_, atol=FITTED_GLM)
    assert one.intercept_ == pytest.approx(two.intercept_, abs=FITTED_GLM)


def test_huber_with_a_huge_delta_is_squares():
    X, y = data(sv.Huber())
    one = sv.SparseRegressor("mcp", 0.1, loss=sv.Huber(delta=1e6), tol=1e-9).fit(X, y)
    two = sv.SparseRegressor("mcp", 0.1, tol=1e-9).fit(X, y)
    assert np.allclose(one.coef_, two.coef_, atol=FITTED_GLM)
    assert one.objective_ == pytest.approx(two.objective_, rel=1e-9)


def test_fractions_are_trials():
    """A share of successes with the number of trials as weight is that many labels."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 6))
    trials = rng.integers(1, 6, 40)
    wins = rng.binomial(trials, 1.0 / (1.0 + np.exp(-X[:, 0])))
    one = solved(X, wins / trials, "logistic", sample_weight=trials)
    rows = np.repeat(np.arange(40), trials)
    labels = np.concatenate([np.arange(t) < w for t, w in zip(trials, wins, strict=True)]).astype(
        float
    )
    assert np.allclose(one, solved(X[rows], labels, "logistic"), atol=FITTED_GLM)


@every
def test_a_path_predicts_as_its_estimators_do(loss):
    X, y = data(loss)
    offset = 0.2 * np.random.default_rng(6).normal(size=y.size)
    path = sv.sparse_path(X, y, "l1", loss=loss, offset=offset, alphas=4, eps=0.1)
    together = path.predict(X, offset=offset)
    for k, alpha in enumerate(path.alphas):
        model = sv.SparseRegressor("l1", alpha, loss=loss).fit(X, y, offset=offset)
        assert np.allclose(together[:, k], model.predict(X, offset), rtol=1e-4, atol=1e-5)
    assert np.array_equal(path.predict(X, path.alphas[2], offset=offset), together[:, 2])
