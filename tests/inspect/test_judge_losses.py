"""The judge of losses beyond squares: against loops over twins, and far from the middle."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from losses_under_test import LOSSES, data, ids, options
from scipy import sparse
from tolerances import FEW_OPS, REORDERED_SUM

import sparsieve as sv
from sparsieve.reference import loss_twin

BUILT_IN = LOSSES[:4]
every = pytest.mark.parametrize("loss", BUILT_IN, ids=ids[:4])


def loops(X, y, w, b, loss, alpha, ridge, given):
    """Return objective and violation (intercept as given) of MCP, one entry at a time."""
    twin, penalty = loss_twin(loss.name, **loss.get_params()), sv.MCP()
    omega, pi, offset = given["sample_weight"], given["weights"], given["offset"]
    n, d = X.shape
    total, v = 0.0, np.zeros(n)
    for i in range(n):
        eta = offset[i] + b + sum(X[i, j] * w[j] for j in range(d))
        share = omega[i] / omega.sum()
        total += share * float(twin.value(np.array([eta]), y[i : i + 1])[0])
        v[i] = share * float(twin.residual(np.array([eta]), y[i : i + 1])[0])
    worst = 0.0
    for j in range(d):
        if np.isinf(pi[j]):
            continue
        c = sum(X[i, j] * v[i] for i in range(n)) - ridge * w[j]
        slope = float(penalty.slope(abs(w[j]), alpha * pi[j])) if pi[j] else 0.0
        total += float(penalty.value(abs(w[j]), alpha * pi[j])) if pi[j] else 0.0
        total += ridge * w[j] ** 2 / 2
        worst = max(worst, abs(c - slope * np.sign(w[j])) if w[j] else max(abs(c) - slope, 0.0))
    return total, worst / alpha


@every
@pytest.mark.parametrize(
    "store", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.coo_array]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_against_loops(loss, store, seed):
    X, y = data(loss, n=25, d=6, seed=seed)
    given = options(25, 6, seed)
    rng = np.random.default_rng(seed)
    w = np.where(rng.random(6) < 0.6, rng.normal(size=6), 0.0)
    w[4] = 0.0  # excluded
    judged = dict(penalty="mcp", alpha=0.2, loss=loss, ridge=0.05, **given)
    total, worst = loops(X, y, w, 0.3, loss, 0.2, 0.05, given)
    size = 1.0 + abs(total) + np.exp(np.abs(X @ w).max())
    assert sv.objective(store(X), y, w, 0.3, **judged) == pytest.approx(
        total, abs=REORDERED_SUM * size
    )
    found = sv.kkt_violation(store(X), y, w, 0.3, **judged)
    assert found == pytest.approx(worst, abs=REORDERED_SUM * size / 0.2)


@every
def test_violation_is_the_slope_of_the_objective(loss):
    """Along a coordinate that is not zero, by central differences."""
    X, y = data(loss, n=25, d=3)
    w = np.array([0.5, -0.4, 0.3])
    judged = dict(penalty="l1", alpha=0.2, loss=loss)
    h = 1e-6
    slopes = [
        (sv.objective(X, y, w + h * e, **judged) - sv.objective(X, y, w - h * e, **judged))
        / (2 * h)
        for e in np.eye(3)
    ]
    # Rounding of objectives over h: 1e-16 / 1e-6, over alpha.
    assert sv.kkt_violation(X, y, w, **judged) == pytest.approx(
        np.abs(slopes).max() / 0.2, rel=1e-6
    )


@every
def test_an_intercept_that_was_not_fitted_counts(loss):
    X, y = data(loss)
    model = sv.SparseRegressor("l1", 0.1, loss=loss, tol=1e-9).fit(X, y)
    judged = dict(penalty="l1", alpha=0.1, loss=loss)
    fitted = sv.kkt_violation(X, y, model.coef_, model.intercept_, fit_intercept=True, **judged)
    assert fitted <= 1e-8
    moved = sv.kkt_violation(
        X, y, model.coef_, model.intercept_ + 0.1, fit_intercept=True, **judged
    )
    bend = loss.curvature(X @ model.coef_ + model.intercept_, y).mean()
    assert moved == pytest.approx(0.1 * bend / 0.1, rel=0.2)
    # What is beside the intercept is judged at the best one, wherever that is.
    alone = sv.kkt_violation(
        X[:, :1], y, model.coef_[:1] * 0.0, 50.0, fit_intercept=True, penalty="l1", alpha=10.0,
        loss=loss,
    )  # fmt: skip
    assert np.isfinite(alone) or isinstance(loss, sv.Poisson)


@given(st.floats(-1e4, 1e4), st.sampled_from(BUILT_IN))
def test_nothing_overflows_but_what_must(shift, loss):
    X, y = data(loss, n=10, d=3)
    judged = dict(penalty="l1", alpha=0.1, loss=loss)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = sv.objective(X, y, [0.1, 0.0, 0.0], shift, **judged)
        kkt = sv.kkt_violation(X, y, [0.1, 0.0, 0.0], shift, **judged)
    beyond = isinstance(loss, sv.Poisson) and shift > 700.0
    assert np.isfinite(value) or beyond
    assert np.isfinite(kkt) or beyond
    assert not np.isnan([value, kkt]).any()


def test_a_row_of_weight_zero_may_overflow():
    X, y = data(sv.Poisson(), n=10, d=3)
    offset, weight = np.zeros(10), np.ones(10)
    offset[3], weight[3] = 1e4, 0.0
    kept = np.delete(np.arange(10), 3)
    judged = dict(penalty="l1", alpha=0.1, loss="poisson")
    given = dict(offset=offset, sample_weight=weight)
    w = [0.2, 0.0, 0.0]
    one = sv.objective(X, y, w, **given, **judged)
    assert one == pytest.approx(sv.objective(X[kept], y[kept], w, **judged), rel=100 * FEW_OPS)
    for intercept in (False, True):
        one = sv.kkt_violation(X, y, w, fit_intercept=intercept, **given, **judged)
        two = sv.kkt_violation(X[kept], y[kept], w, fit_intercept=intercept, **judged)
        assert one == pytest.approx(two, rel=1e-9)


def test_an_intercept_may_come_as_a_classifier_has_it():
    X, y = data(sv.Logistic(), n=20, d=3)
    judged = dict(penalty="l1", alpha=0.1, loss="logistic")
    one = sv.objective(X, y, np.ones((1, 3)), np.array([0.5]), **judged)
    assert one == sv.objective(X, y, np.ones(3), 0.5, **judged)
