"""What is chosen and said with standardize=True is what is chosen and said of scaled columns."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import sparsieve as sv
from sparsieve.data.terms import check_terms
from sparsieve.selection.noise import estimate_noise_variance, residual_sums
from sparsieve.solve.problem import Problem

# Both sides solve to tol = 1e-8 what differs by rounding.
SAME = 1e-6
N = 50


def raw_data(d=80, seed=0):
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.uniform(-2, 2, d)
    X = np.asfortranarray((rng.standard_normal((N, d)) + 1.0) * scale)
    y = X[:, :3] @ (np.array([3.0, -2.0, 1.5]) / scale[:3]) + 0.5 * rng.standard_normal(N)
    return X, y, np.asfortranarray(X / X.std(axis=0)), X.std(axis=0)


@pytest.mark.parametrize(
    "options",
    [{}, {"l1_ratio": 0.6}, {"ridge": 0.2}, {"positive": True}, {"fit_intercept": False}],
    ids=str,
)
def test_criteria(options):
    X, y, scaled, scales = raw_data()
    common = dict(alphas=30, eps=0.05, tol=1e-8, **options)
    ours = sv.SparseRegressorIC("mcp", standardize=True, **common).fit(X, y)
    theirs = sv.SparseRegressorIC("mcp", standardize=False, **common).fit(scaled, y)
    assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, rel=SAME)
    assert_allclose(ours.criterion_, theirs.criterion_, rtol=SAME)
    assert ours.best_index_ == theirs.best_index_
    assert_allclose(ours.coef_ * scales, theirs.coef_, rtol=0, atol=SAME)


def test_the_noise_of_an_elastic_net_is_that_of_its_own_strength():
    """The level of the noise is compared with what the penalty has of alpha, not with alpha."""
    _, y, scaled, _ = raw_data()
    path = sv.sparse_path(scaled, y, "l1", alphas=30, eps=0.02, standardize=False)
    rss = residual_sums(path.problem, path.points)
    plain = estimate_noise_variance(path.problem, path.penalty, path.points, rss)
    half = Problem(path.problem.data, terms=check_terms(scaled.shape[1], l1_ratio=0.5))
    twice = [replace(point, alpha=2.0 * point.alpha) for point in path.points]
    assert estimate_noise_variance(half, path.penalty, twice, rss) == plain
    assert estimate_noise_variance(half, path.penalty, path.points, rss) != plain


def test_default_shapes_are_those_of_unit_columns():
    X, y, scaled, _ = raw_data()
    for penalty in ("mcp", "logsum"):
        ours = sv.sparse_surface(X, y, penalty, alphas=3, standardize=True)
        theirs = sv.sparse_surface(scaled, y, penalty, alphas=3, standardize=False)
        shapes = [[list(p.get_params().values()) for p in s.penalties] for s in (ours, theirs)]
        assert_allclose(*shapes, rtol=SAME)


@pytest.mark.parametrize("options", [{}, {"l1_ratio": 0.6, "ridge": 0.05}], ids=str)
def test_local_minima(options):
    X, y, scaled, _ = raw_data()
    alpha = 0.2 * sv.alpha_max(scaled, y, "logsum", **options)
    common = dict(alpha=alpha, n_random=3, random_state=0, **options)
    ours = sv.local_minima(X, y, "logsum", standardize=True, **common)
    theirs = sv.local_minima(scaled, y, "logsum", standardize=False, **common)
    assert_allclose(ours.objective, theirs.objective, rtol=SAME)
    assert_array_equal(ours.label, theirs.label)


def test_explanations():
    X, y, scaled, _ = raw_data()
    common = dict(alphas=10, eps=0.1, l1_ratio=0.8, tol=1e-8, bounds=(0, None))
    ours = sv.sparse_path(X, y, "mcp", standardize=True, **common)
    theirs = sv.sparse_path(scaled, y, "mcp", standardize=False, **common)
    for feature in range(6):
        one, other = ours.explain(feature), theirs.explain(feature)
        size = other.threshold.max()
        for name in ("correlation", "threshold", "bound", "push"):
            got, expected = getattr(one, name), getattr(other, name)
            assert_allclose(got, expected, rtol=0, atol=SAME * size)
        assert one.rule == other.rule
        # A zero is stationary, and the threshold is the one that it is stationary by.
        zero = one.coef == 0.0
        assert np.all(one.push[zero] <= one.threshold[zero] * (1.0 + SAME))
        assert np.all(one.push >= 0.0)


@pytest.mark.parametrize("d", [5, 80])
def test_a_ridge_that_makes_the_problem_convex_is_named(d):
    X, y, _, _ = raw_data(d)
    penalty, alpha = sv.MCP(3.0), 0.5  # of concavity 1/3, more than 5 columns here need
    common = dict(tol=1e-8, standardize=True)
    enough = sv.SparseRegressor(penalty, alpha, ridge=0.4, **common).fit(X, y).certificate_
    little = sv.SparseRegressor(penalty, alpha, ridge=0.1, **common).fit(X, y).certificate_
    words = "the whole problem is convex here, made so by its ridge"
    assert enough.lower_bound is not None
    assert enough.by_ridge == (words in str(enough)) == (d == 80)
    assert (little.lower_bound is None) == (d == 80)
    assert not little.by_ridge


def test_path_wide_tolerances_know_the_strength():
    """Log-sum with a threshold that grows with alpha: its slope at zero is no multiple of alpha."""

    class Bent:
        def value(self, abs_w, alpha):
            return alpha * (1.0 + alpha) * np.abs(abs_w)

        def slope(self, abs_w, alpha):
            return alpha * (1.0 + alpha) + 0.0 * abs_w

    _, y, scaled, _ = raw_data(5)
    options = dict(alphas=[2.0, 0.2], tol=1e-3, tol_relative_to="path", l1_ratio=0.5)
    path = sv.sparse_path(scaled, y, Bent(), standardize=False, **options)
    first, last = (a * (1.0 + a) for a in (1.0, 0.1))
    assert path.points[1].converged
    assert path.kkt[1] <= 1e-3 * first / last


def test_the_best_of_several_l1_ratios_is_chosen_and_fitted():
    X, y, _ = sv.datasets.make_toy(60, 30, 4, noise=1.0, random_state=3)
    options = dict(alphas=15, cv=4, tol=1e-8)
    both = sv.SparseRegressorCV("l1", l1_ratio=[0.3, 1.0], **options).fit(X, y)
    apart = [
        sv.SparseRegressorCV("l1", l1_ratio=ratio, **options).fit(X, y) for ratio in (0.3, 1.0)
    ]
    best = min(apart, key=lambda model: model.mse_path_.mean(axis=1).min())
    assert both.alphas_.shape == (2, 15)
    assert (both.l1_ratio_, both.alpha_) == (best.l1_ratio_, best.alpha_)
    np.testing.assert_array_equal(both.coef_, best.coef_)
    np.testing.assert_array_equal(both.mse_path_, np.stack([model.mse_path_ for model in apart]))
    np.testing.assert_array_equal(both.cv_results_["l1_ratio"], np.repeat([0.3, 1.0], 15))
    where = {"penalty": "l1", "alpha": both.alpha_, "l1_ratio": both.l1_ratio_}
    assert sv.kkt_violation(X, y, both.coef_, both.intercept_, **where) <= 1e-7


def test_ratios_that_cannot_be_are_refused():
    X, y, _ = sv.datasets.make_toy(30, 5, 2, noise=1.0, random_state=3)
    for wrong, words in (
        ([], "empty list"),
        ([0.5, 2.0], r"\(0, 1\]"),
        ("half", "must be a number"),
    ):
        with pytest.raises(ValueError, match=words):
            sv.SparseRegressorCV("mcp", l1_ratio=wrong).fit(X, y)


def test_a_checkpoint_of_other_ratios_is_not_taken_up(tmp_path):
    X, y, _ = sv.datasets.make_toy(40, 10, 2, noise=1.0, random_state=3)
    options = dict(alphas=5, checkpoint=tmp_path / "folds")
    sv.SparseRegressorCV("mcp", l1_ratio=[0.5, 1.0], **options).fit(X, y)
    with pytest.raises(ValueError, match="checkpoint"):
        sv.SparseRegressorCV("mcp", l1_ratio=[0.4, 1.0], **options).fit(X, y)
