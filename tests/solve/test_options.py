"""Standardised columns, elastic nets and bounds against what one can compute by hand."""

import itertools

import numpy as np
import pytest
from fuzz.options import complaints_of
from fuzz.paths import Arctan
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import lsq_linear
from sklearn.linear_model import ElasticNet
from tolerances import BISECTED, FLOAT32_DATA, REORDERED_SUM

import sparsieve as sv

# Two solves to tol = 1e-12 on well-conditioned columns: tol times slope(0) over the smallest
# curvature is far below these.
OBJECTIVES = 1e-10
COEFFICIENTS = 1e-8
N, D = 40, 12
PENALTIES = [sv.L1(), sv.MCP(3.0), sv.LogSum(0.5), sv.SCAD(3.7)]
COMBINATIONS = list(itertools.product([False, True], repeat=5))


def raw_data(seed=0):
    """Make columns whose scales differ by four decades, with means of a few deviations."""
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.uniform(-2, 2, D)
    X = (rng.standard_normal((N, D)) + rng.uniform(-2, 2, D)) * scale
    X[:, 3] = np.where(rng.random(N) < 0.5, 0.0, X[:, 3])
    y = X[:, :4] @ (np.array([2.0, -1.5, 1.0, 0.8]) / scale[:4]) + 0.5 * rng.standard_normal(N) + 1
    return X, y, rng


def spread_of(X, weight):
    omega = np.ones(N) if weight is None else weight
    omega = omega / omega.sum()
    return np.sqrt(omega @ (X - omega @ X) ** 2)


def in_float32(X):
    return np.asfortranarray(X, dtype=np.float32)


def both(X, y, penalty, change=lambda X: X, **options):
    """Return a path of raw columns, one of columns scaled by hand, and the scales."""
    stored = change(X)
    exact = np.asarray(stored.todense() if sparse.issparse(stored) else stored, dtype=np.float64)
    scales = spread_of(exact, options.get("sample_weight"))
    by_hand = exact / scales
    by_hand = sparse.csc_array(by_hand) if sparse.issparse(stored) else np.asfortranarray(by_hand)
    largest = sv.alpha_max(by_hand, y, penalty, **options)
    common = dict(alphas=np.geomspace(0.9, 0.05, 6) * largest, tol=1e-12, **options)
    ours = sv.sparse_path(stored, y, penalty, standardize=True, **common)
    theirs = sv.sparse_path(by_hand, y, penalty, standardize=False, **common)
    return ours, theirs, scales


@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)  # 1e-12 is at the limit
@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
@pytest.mark.parametrize(("weighted", "intercept", "stored", "positive", "chosen"), COMBINATIONS)
def test_as_if_columns_had_been_scaled(penalty, weighted, intercept, stored, positive, chosen):
    X, y, rng = raw_data()
    pi = rng.uniform(0.5, 2.0, D)
    pi[[5, 7]] = 0.0, np.inf
    ours, theirs, scales = both(
        X,
        y,
        penalty,
        sparse.csc_array if stored else np.asfortranarray,
        sample_weight=rng.uniform(0.2, 2.0, N) if weighted else None,
        weights=pi if chosen else None,
        fit_intercept=intercept,
        positive=positive,
    )
    assert_allclose(ours.objective, theirs.objective, rtol=OBJECTIVES)
    for one, other in zip(ours.points, theirs.points, strict=True):
        assert_array_equal(one.columns, other.columns)
        if isinstance(penalty, sv.L1):
            size = np.max(np.abs(other.values), initial=1.0)
            scaled = one.values * scales[one.columns]
            assert_allclose(scaled, other.values, rtol=0, atol=COEFFICIENTS * size)
            assert one.intercept == pytest.approx(other.intercept, rel=COEFFICIENTS, abs=1e-8)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"positive": True}], ids=str)
def test_float32_as_if_its_columns_had_been_scaled(penalty, options):
    X, y, _ = raw_data()
    ours, theirs, _ = both(X, y, penalty, in_float32, **options)
    assert_allclose(ours.objective, theirs.objective, rtol=FLOAT32_DATA)
    for one, other in zip(ours.points, theirs.points, strict=True):
        assert_array_equal(one.columns, other.columns)


def test_alpha_max_is_that_of_scaled_columns():
    X, y, _ = raw_data()
    scales = spread_of(X, None)
    for options in ({}, {"minimum": "coordinatewise"}, {"fit_intercept": False}):
        got = sv.alpha_max(X, y, "logsum", standardize=True, **options)
        expected = sv.alpha_max(X / scales, y, "logsum", **options)
        assert got == pytest.approx(expected, rel=1e-9)  # that of a strength is bisected
        half = sv.alpha_max(X / scales, y, "l1", l1_ratio=0.5, fit_intercept=True)
        assert half == pytest.approx(2 * sv.alpha_max(X / scales, y, "l1"), rel=REORDERED_SUM)


@pytest.mark.parametrize("l1_ratio", [0.2, 0.7, 1.0])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_elastic_net(l1_ratio, positive, intercept):
    X, y, _ = raw_data(1)
    X = np.asfortranarray(X / spread_of(X, None))
    common = dict(l1_ratio=l1_ratio, positive=positive, fit_intercept=intercept)
    largest = sv.alpha_max(X, y, "l1", **common)
    for alpha in (0.5 * largest, 0.1 * largest, 0.01 * largest):
        theirs = ElasticNet(alpha, tol=1e-14, max_iter=10**6, **common).fit(X, y)
        ours = sv.SparseRegressor("l1", alpha, tol=1e-11, standardize=False, **common).fit(X, y)
        size = np.max(np.abs(theirs.coef_))
        assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=COEFFICIENTS * size)
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=COEFFICIENTS * size)


BOUNDS = [
    (-0.5, 0.7),
    (None, 0.3),
    (-0.2, None),
    (0.0, 1.0),
    (np.r_[-np.inf, np.full(D - 1, -0.4)], np.r_[0.1, np.full(D - 2, np.inf), 0.2]),
]


def box(bounds):
    lower, upper = bounds
    lower = -np.inf if lower is None else lower
    upper = np.inf if upper is None else upper
    return np.broadcast_to(lower, D), np.broadcast_to(upper, D)


def projected_gradient(X, y, alpha, lower, upper, ridge):
    """Minimise a lasso with a ridge within bounds by accelerated proximal gradient steps."""
    hessian, pull = X.T @ X / N + ridge * np.eye(D), X.T @ y / N
    step = 1.0 / np.linalg.eigvalsh(hessian)[-1]
    w = v = np.zeros(D)
    momentum = 1.0
    for _ in range(20_000):
        u = v - step * (hessian @ v - pull)
        new = np.clip(np.sign(u) * np.maximum(np.abs(u) - step * alpha, 0.0), lower, upper)
        if (v - new) @ (new - w) > 0:  # restart where the momentum points uphill
            momentum = 1.0
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        v = new + (momentum - 1.0) / following * (new - w)
        w, momentum = new, following
    return w


@pytest.mark.parametrize("bounds", BOUNDS, ids=range(len(BOUNDS)))
def test_bounds_against_scipy(bounds):
    X, y, _ = raw_data(2)
    X = np.asfortranarray(X / spread_of(X, None))
    exact = lsq_linear(X, y, bounds=box(bounds), tol=1e-14, lsq_solver="exact")
    # A penalty of 1e-10 moves coefficients by that over the smallest curvature, above 0.01 here.
    model = sv.SparseRegressor("l1", 1e-10, bounds=bounds, fit_intercept=False, tol=1e-2)
    got = model.set_params(standardize=False).fit(X, y).coef_
    assert_allclose(got, np.clip(exact.x, *box(bounds)), rtol=0, atol=1e-7)


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("bounds", BOUNDS, ids=range(len(BOUNDS)))
def test_bounds_against_a_projected_solver(bounds, ridge):
    X, y, _ = raw_data(2)
    X = np.asfortranarray(X / spread_of(X, None))
    largest = sv.alpha_max(X, y, "l1", fit_intercept=False, bounds=bounds)
    for alpha in (0.3 * largest, 0.02 * largest):
        expected = projected_gradient(X, y, alpha, *box(bounds), ridge)
        model = sv.SparseRegressor("l1", alpha, bounds=bounds, ridge=ridge, fit_intercept=False)
        got = model.set_params(standardize=False, tol=1e-11).fit(X, y).coef_
        assert_allclose(got, expected, rtol=0, atol=COEFFICIENTS)


def best_gain(X, y, penalty, alpha, lower, upper, l1_ratio, ridge):
    """Return what the best value of one coefficient gains at zero, by trying 20,000 of each."""
    scales = spread_of(X, None)
    centred = (X - X.mean(axis=0)) / scales
    pull, curvature = centred.T @ (y - y.mean()) / N, np.mean(centred**2, axis=0)
    curvature = curvature + (1.0 - l1_ratio) * alpha + ridge
    far = np.abs(pull) / curvature
    far = np.minimum(far, scales * np.where(pull > 0, upper, -lower))
    t = np.linspace(0.0, 1.0, 20_001)[1:, None] * far
    return np.max(t * (np.abs(pull) - curvature * t / 2) - penalty.value(t, l1_ratio * alpha))


@pytest.mark.parametrize("bound", [0.02, 0.2, 0.6, 1.5, 50.0, None])
@pytest.mark.parametrize("penalty", [sv.MCP(0.5), sv.CappedL1(0.1), sv.LogSum(0.1), Arctan()])
def test_alpha_max_of_a_strength_knows_how_far_coefficients_may_go(penalty, bound):
    X, y, rng = raw_data(4)
    scales = spread_of(X, None)
    upper = np.full(D, np.inf) if bound is None else bound * rng.uniform(0.5, 2.0, D) / scales
    lower = np.where(rng.random(D) < 0.8, -0.7 * upper, 0.0)
    options = dict(l1_ratio=0.8, ridge=0.1)
    asked = dict(standardize=True, bounds=(lower, upper), minimum="coordinatewise", **options)
    found = sv.alpha_max(X, y, penalty, **asked)
    where = (lower, upper, *options.values())
    # The gain of a jump falls by a part of the objective, about 3, for every part of alpha.
    assert best_gain(X, y, penalty, found, *where) <= 10 * BISECTED
    assert best_gain(X, y, penalty, 0.999 * found, *where) > 0.0
    path = sv.sparse_path(X, y, penalty, alphas=3, start="previous", **asked)
    assert path.alphas[0] == pytest.approx(found, rel=1.01e-6)  # a tie is not looked at
    assert path.support_size[0] == 0


def test_bounds_lower_the_alpha_max_of_a_strength():
    X, y = np.array([[0.2], [-0.2]]), np.array([1.0, -1.0])
    where = dict(minimum="coordinatewise")
    free = sv.alpha_max(X, y, "mcp", **where)
    assert free == pytest.approx(0.2 / np.sqrt(3.0 * 0.04), rel=BISECTED)
    assert sv.alpha_max(X, y, "mcp", bounds=(None, 100.0), **where) == free
    assert sv.alpha_max(X, y, "mcp", bounds=(-0.1, None), **where) == free
    # Up to t = 0.1 MCP is alpha t - t^2/6: zero is best from alpha = c + t/6 - h t/2 on.
    near = sv.alpha_max(X, y, "mcp", bounds=(None, 0.1), **where)
    assert near == pytest.approx(0.2 + 0.1 / 6 - 0.04 * 0.1 / 2, rel=BISECTED)


def test_a_coefficient_at_its_bound_is_there_to_the_last_bit():
    """In standardised units the bound is multiplied by the scale, and divided again."""
    for seed in range(200):  # of which 9 came back one unit off
        rng = np.random.default_rng(seed)
        X = np.asfortranarray(rng.standard_normal((10, 1)))
        upper = float(rng.uniform(0.1, 1.0))
        options = dict(standardize=True, bounds=(None, upper))
        path = sv.sparse_path(X, 5.0 * X[:, 0], "l1", alphas=[1e-3], **options)
        assert path.coef_at(1e-3)[0] == upper


def test_a_feature_whose_bounds_are_both_zero_is_left_out():
    X, y, _ = raw_data(3)
    upper = np.full(D, np.inf)
    upper[0] = 0.0
    lower = -upper
    path = sv.sparse_path(X, y, "mcp", alphas=4, standardize=True, bounds=(lower, upper))
    rest = sv.sparse_path(X[:, 1:], y, "mcp", alphas=path.alphas, standardize=True)
    assert not path.coef_at(path.alphas[-1])[0]
    assert_allclose(path.objective, rest.objective, rtol=1e-6)
    assert "can never enter" in str(path.explain(0))


@pytest.mark.parametrize("penalty", ["l1", "mcp", "logsum"])
def test_more_features_at_their_bounds_than_samples(penalty):
    """Found once: the matrix of all selected columns was singular, and the solve stalled."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 60))
    y = X[:, :3].sum(axis=1) + 0.3 * rng.standard_normal(30)
    path = sv.sparse_path(X, y, penalty, alphas=6, eps=0.01, bounds=(-0.01, 0.01))
    assert path.converged.all()
    coefs = path.coefs.toarray()
    assert (np.abs(coefs) == 0.01).sum(axis=0).max() > 40
    for k, alpha in enumerate(path.alphas):
        where = {"penalty": penalty, "alpha": alpha, "bounds": (-0.01, 0.01)}
        assert sv.kkt_violation(X, y, coefs[:, k], path.intercepts[k], **where) <= 1e-6


def test_a_ratio_that_leaves_no_penalty_is_refused():
    X, y, _ = sv.datasets.make_toy(20, 4, 2, noise=0.5, random_state=0)
    with pytest.raises(ValueError, match=r"l1_ratio=1e-300 is less than 1e-09.*ridge="):
        sv.sparse_path(X, y, l1_ratio=1e-300)


def test_the_rounding_of_a_ridge_is_counted():
    """A far start under a ridge: correlations of 1e7 were off by more than they said.

    The objective came out 4e-10 too large, and the proven bound was above the minimum.
    """
    assert complaints_of(2116917) == []
