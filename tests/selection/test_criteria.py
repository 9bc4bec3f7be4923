"""SparseRegressorIC: the formulas, the noise variance, what it selects, and every error."""

import math

import numpy as np
import pandas as pd
import pytest
from problems import sparse_design, toy
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoLarsIC, LinearRegression
from sklearn.utils.estimator_checks import parametrize_with_checks
from tolerances import FEW_OPS, LASSO_CV, REORDERED_SUM, SAME_ALPHA

import sparsieve as sv


@parametrize_with_checks(
    [
        sv.SparseRegressorIC(alphas=10),
        sv.SparseRegressorIC([sv.L1(), sv.SCAD()], alphas=8, criterion="aic"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("criterion", "cost"),
    [
        ("aic", 2 * 3),
        ("bic", 3 * math.log(50)),
        ("ebic", 3 * math.log(50) + 2 * 0.5 * math.log(math.comb(20, 3))),
        ("hbic", 3 * math.log(math.log(50)) * math.log(20)),
    ],
)
def test_formulas(criterion, cost):
    value = sv.information_criterion(
        criterion, 7.0, 3, n_samples=50, n_features=20, noise_variance=0.4, gamma=0.5
    )
    assert value == pytest.approx(7.0 / 0.4 + 50 * math.log(2 * math.pi * 0.4) + cost, rel=FEW_OPS)


def test_ebic_with_gamma_zero_is_bic():
    common = {"n_samples": 50, "n_features": 20, "noise_variance": 1.0}
    ebic = sv.information_criterion("ebic", [3.0, 2.0], [1, 4], gamma=0.0, **common)
    bic = sv.information_criterion("bic", [3.0, 2.0], [1, 4], **common)
    np.testing.assert_allclose(ebic, bic, rtol=FEW_OPS)


@pytest.mark.parametrize("criterion", ["aic", "bic"])
def test_agrees_with_lasso_lars_ic(criterion):
    X, y = load_diabetes(return_X_y=True)
    theirs = LassoLarsIC(criterion=criterion).fit(X, y)
    alphas = theirs.alphas_[:-1]  # their last alpha is 0
    ours = sv.SparseRegressorIC("l1", criterion=criterion, alphas=alphas).fit(X, y)
    assert ours.alpha_ == pytest.approx(theirs.alpha_, rel=SAME_ALPHA)
    # The same noise variance and the same criterion: both count 10 knots of the same path. At a
    # knot a coefficient is on the point of entering, so the counts may differ by one there.
    assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, rel=REORDERED_SUM)
    cost = {"aic": 2.0, "bic": math.log(y.size)}[criterion]
    difference = np.abs(ours.criterion_ - theirs.criterion_[:-1])
    assert np.all(difference <= cost * (1 + LASSO_CV))


def test_noise_variance_is_that_of_least_squares_when_there_are_few_features():
    X, y, _ = toy(n_samples=100, n_features=10, n_active=3, noise=0.7, seed=0)
    model = sv.SparseRegressorIC(alphas=20).fit(X, y)
    residual = y - LinearRegression().fit(X, y).predict(X)
    assert model.noise_variance_ == pytest.approx(residual @ residual / (100 - 11), rel=LASSO_CV)


@pytest.mark.parametrize("penalty", ["mcp", "scad", "l1", "logsum"])
@pytest.mark.parametrize("noise", [0.1, 1.0])
def test_noise_variance_makes_sense_when_there_are_more_features_than_rows(penalty, noise):
    estimates = []
    for seed in range(5):
        X, y, _ = toy(n_samples=100, n_features=400, n_active=5, noise=noise, seed=seed)
        model = sv.SparseRegressorIC(penalty, alphas=50, eps=1e-2).fit(X, y)
        estimates.append(model.noise_variance_ / noise**2)
    # Five estimates with about 95 degrees of freedom each: a standard error of 6 %; the bias of the
    # choice of the support comes on top.
    assert 0.75 < np.mean(estimates) < 1.25


@pytest.mark.parametrize("criterion", ["ebic", "hbic"])
@pytest.mark.parametrize("seed", range(5))
def test_recovers_an_easy_support(criterion, seed):
    X, y, w = toy(n_samples=100, n_features=300, n_active=5, noise=0.5, seed=seed)
    model = sv.SparseRegressorIC("mcp", criterion=criterion, alphas=50, eps=1e-2).fit(X, y)
    np.testing.assert_array_equal(model.coef_ != 0, w != 0)
    assert model.certificate_.converged


def test_picks_the_minimum_over_all_penalties():
    X, y, _ = toy(n_samples=60, n_features=40, n_active=4, noise=0.5, seed=1)
    model = sv.SparseRegressorIC([sv.L1(), sv.MCP(), sv.SCAD()], alphas=15).fit(X, y)
    assert model.criterion_.shape == model.degrees_of_freedom_.shape == (3, 15)
    row = [sv.L1, sv.MCP, sv.SCAD].index(type(model.penalty_))
    chosen = model.criterion_[row, model.alphas_[row] == model.alpha_]
    assert chosen == pytest.approx([model.criterion_.min()], rel=LASSO_CV)
    assert len(model.path_) == 15


@pytest.mark.parametrize("n_features", [20, 90])
def test_sample_weight_counts_repeated_rows(n_features):
    X, y, _ = toy(n_samples=60, n_features=n_features, n_active=3, noise=0.5, seed=2)
    counts = np.random.default_rng(0).integers(0, 4, size=60)
    weighted = sv.SparseRegressorIC(alphas=15, eps=1e-3, tol=1e-9).fit(X, y, sample_weight=counts)
    repeated = sv.SparseRegressorIC(alphas=15, eps=1e-3, tol=1e-9)
    repeated.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert weighted.noise_variance_ == pytest.approx(repeated.noise_variance_, rel=LASSO_CV)
    np.testing.assert_allclose(weighted.criterion_, repeated.criterion_, rtol=LASSO_CV)
    assert weighted.alpha_ == pytest.approx(repeated.alpha_, rel=SAME_ALPHA)


def test_weights_that_are_not_counts_leave_n_alone():
    X, y, _ = toy(n_samples=60, n_features=20, n_active=3, noise=0.5, seed=2)
    plain = sv.SparseRegressorIC(alphas=[0.5, 0.1]).fit(X, y)
    scaled = sv.SparseRegressorIC(alphas=[0.5, 0.1]).fit(X, y, sample_weight=np.full(60, 1e-3))
    np.testing.assert_allclose(plain.criterion_, scaled.criterion_, rtol=LASSO_CV)


def test_sparse_and_named_columns():
    X = sparse_design(60, 12, density=0.5, seed=0)
    y = X @ np.r_[2.0, -2.0, np.zeros(10)] + 0.1 * np.random.default_rng(0).normal(size=60)
    plain = sv.SparseRegressorIC(alphas=20).fit(X, y)
    frame = pd.DataFrame(X.toarray(), columns=[f"v{j}" for j in range(12)])
    named = sv.SparseRegressorIC(alphas=20).fit(frame, y)
    assert list(named.feature_names_in_) == list(frame.columns)
    assert plain.noise_variance_ == pytest.approx(named.noise_variance_, rel=LASSO_CV)
    np.testing.assert_array_equal(plain.coef_ != 0, named.coef_ != 0)


def test_exact_data_leave_a_finite_criterion():
    X, y, w = toy(n_samples=40, n_features=100, n_active=3, noise=0.0, seed=0)
    model = sv.SparseRegressorIC("mcp", alphas=30).fit(X, y)
    assert np.all(np.isfinite(model.criterion_))
    np.testing.assert_array_equal(model.coef_ != 0, w != 0)


def test_alphas_that_are_all_tiny():
    X, y, _ = toy(n_samples=20, n_features=100, n_active=3, noise=0.5, seed=0)
    model = sv.SparseRegressorIC("l1", alphas=[1e-4, 5e-5]).fit(X, y)
    assert model.degrees_of_freedom_.min() > 10
    assert np.all(np.isfinite(model.criterion_))


def test_warns_when_an_alpha_does_not_converge():
    X, y, _ = toy(n_samples=40, n_features=60, n_active=5, noise=0.5, seed=0)
    with pytest.warns(ConvergenceWarning, match="did not reach tol"):
        sv.SparseRegressorIC(alphas=10, max_iter=1).fit(X, y)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"criterion": "cp"}, "criterion='cp' is not known; use one of 'aic', 'bic'"),
        ({"gamma": 2.0}, "gamma must be"),
        ({"noise_variance": 0.0}, "noise_variance must be"),
        ({"noise_variance": "auto"}, "noise_variance must be a number"),
        ({"alphas": []}, "non-empty"),
        ({"penalty": []}, "penalty is an empty list"),
        ({"tol": -1.0}, "tol must be"),
    ],
)
def test_errors_name_the_cause_and_the_remedy(options, words):
    X, y, _ = toy(seed=0)
    with pytest.raises(ValueError, match=words):
        sv.SparseRegressorIC(**options).fit(X, y)


def test_unknown_criterion_in_the_formula():
    with pytest.raises(ValueError, match="criterion='cp' is not known"):
        sv.information_criterion("cp", 1.0, 1, n_samples=5, n_features=3, noise_variance=1.0)
