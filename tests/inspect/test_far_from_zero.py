"""Columns and responses far from zero: certificates and judge against exact fractions."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import sparsieve as sv


def exact_violation(X, y, coef, alpha, omega=None):
    """Return the lasso's violation with the best intercept, in exact fractions."""
    rows = [[Fraction(float(x)) for x in row] for row in X]
    n, d = X.shape
    omega = [Fraction(1)] * n if omega is None else [Fraction(float(o)) for o in omega]
    total = sum(omega)
    w = [Fraction(float(c)) for c in coef]
    r = [
        Fraction(float(t)) - sum(x * c for x, c in zip(row, w, strict=True))
        for row, t in zip(rows, y, strict=True)
    ]
    mean = sum(o * e for o, e in zip(omega, r, strict=True)) / total
    r = [e - mean for e in r]
    worst = Fraction(0)
    for j in range(d):
        c = sum(o * row[j] * e for o, row, e in zip(omega, rows, r, strict=True)) / total
        sign = (w[j] > 0) - (w[j] < 0)
        level = Fraction(float(alpha))
        worst = max(worst, abs(c - level * sign) if sign else abs(c) - level)
    return float(worst / Fraction(float(alpha)))


def fit(X, y, alpha, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no word about rounding
        return sv.SparseRegressor("l1", alpha=alpha, **options).fit(X, y)


def test_a_column_that_differs_in_its_last_digits_is_no_constant():
    X, y = (1e15 + np.arange(4.0))[:, np.newaxis], np.arange(4.0)
    model = fit(X, y, 0.01)
    # The slope 1 less alpha over the variance 5/4; the minimum follows.
    assert model.coef_[0] == pytest.approx(0.992, rel=1e-12)
    assert model.objective_ == pytest.approx(0.00996, rel=1e-9)
    assert model.certificate_.lower_bound == pytest.approx(0.00996, rel=1e-9)
    assert exact_violation(X, y, model.coef_, 0.01) <= 1e-6


@pytest.mark.parametrize("stored", [np.asarray, sparse.csc_array, sparse.csr_array])
def test_the_judge_of_strength_sees_what_such_a_column_gains(stored):
    X, y = (1e15 + np.arange(4.0))[:, np.newaxis], np.arange(4.0)
    gain = sv.coordinatewise_violation(stored(X), y, [0.0], 1.5, penalty="l1", alpha=0.01)
    # From half the variance of y to the minimum above; one-dimensional minima are known to 1e-12.
    assert gain == pytest.approx(0.625 - 0.00996, rel=1e-11)


def test_an_explanation_tells_such_a_column_from_a_constant_one():
    X = np.column_stack([1e15 + np.arange(4.0), np.full(4, 1e15)])
    path = sv.sparse_path(X, np.array([0.0, 1.0, 3.0, 2.0]), "l1", alphas=[0.9, 0.1])
    assert "constant" not in str(path.explain(0))
    assert "its column is constant" in str(path.explain(1))


def test_a_response_far_from_zero():
    X, y = np.arange(4.0)[:, np.newaxis], 1e15 + np.arange(4.0)
    model = fit(X, y, 0.01)
    assert model.coef_[0] == pytest.approx(0.992, rel=1e-12)


def test_constant_columns_stay_constant():
    X = np.column_stack([np.full(20, 0.1), np.full(20, 1e15), np.arange(20.0)])
    model = fit(X, np.arange(20.0), 0.1)
    np.testing.assert_array_equal(model.coef_[:2], 0.0)
    assert model.coef_[2] > 0.9


def test_one_row_has_nearly_all_of_the_weight():
    g = np.random.default_rng(0)
    X, y = g.standard_normal((12, 3)), g.standard_normal(12)
    omega = np.full(12, 1e-31)
    omega[4] = 1.0
    alpha = 0.3 * sv.alpha_max(X, y, "l1", sample_weight=omega)
    model = sv.SparseRegressor("l1", alpha=alpha).fit(X, y, sample_weight=omega)
    assert np.count_nonzero(model.coef_) > 0
    assert exact_violation(X, y, model.coef_, alpha, omega) <= 1e-6


@pytest.mark.parametrize("storage", ["dense", "sparse", "float32"])
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6, 1e9, 1e12, 1e15])
@pytest.mark.parametrize("share", [1.0, 0.3, 0.01])
def test_certificates_hold_whatever_the_mean(offset, share, storage):
    if storage == "float32" and offset > 1e6:
        pytest.skip("float32 holds nothing but the offset")
    g = np.random.default_rng(int(np.log10(offset + 1.0)))
    X = g.standard_normal((25, 6)) * 4.0 + offset
    X[:, 3] -= offset
    y = (X - X.mean(axis=0))[:, :3] @ [1.0, -2.0, 0.5] + g.standard_normal(25) + 0.1 * offset
    if storage == "float32":
        X = np.asfortranarray(X, dtype=np.float32)
    given = sparse.csc_array(X) if storage == "sparse" else X
    alpha = share * sv.alpha_max(given, y, "l1")
    model = fit(given, y, alpha)
    violation = exact_violation(X, y, model.coef_, alpha)
    assert violation <= model.kkt_ + 1e-12
    judged = sv.kkt_violation(
        given, y, model.coef_, model.intercept_, penalty="l1", alpha=alpha, fit_intercept=True
    )
    assert judged <= 1e-6
    # The judge with the intercept that was given allows half a unit of its last place.
    plain = sv.kkt_violation(given, y, model.coef_, model.intercept_, penalty="l1", alpha=alpha)
    assert plain <= 1e-6


def test_unix_timestamps():
    g = np.random.default_rng(0)
    stamps = 1.7e9 + g.integers(0, 10**7, 200)
    X = np.column_stack([stamps, g.standard_normal((200, 4))])
    y = 1e-6 * (stamps - 1.7e9) + g.standard_normal(200)
    model = fit(X, y, 0.01)
    assert exact_violation(X, y, model.coef_, 0.01) <= model.kkt_ <= 1e-6


@pytest.mark.parametrize("offset", [0.0, 1e8, 1e13])
def test_the_judge_agrees_with_fractions(offset):
    g = np.random.default_rng(7)
    X = g.standard_normal((15, 4)) + offset
    y = g.standard_normal(15)
    coef = g.standard_normal(4) * [1, 1, 0, 1]
    judged = sv.kkt_violation(X, y, coef, 0.0, penalty="l1", alpha=0.1, fit_intercept=True)
    # The intercept that was given is wrong, and counts beside the coefficients.
    own = abs(float(np.mean([Fraction(float(t)) for t in y - X @ coef]))) / 0.1
    right = max(exact_violation(X, y, coef, 0.1), own)
    assert judged == pytest.approx(right, rel=1e-9)


def test_the_judge_counts_a_wrong_intercept():
    g = np.random.default_rng(1)
    X, y = g.standard_normal((30, 3)), g.standard_normal(30)
    model = fit(X, y, 0.05)
    right = {"penalty": "l1", "alpha": 0.05, "fit_intercept": True}
    assert sv.kkt_violation(X, y, model.coef_, model.intercept_, **right) <= 1e-6
    wrong = sv.kkt_violation(X, y, model.coef_, model.intercept_ + 0.2, **right)
    assert wrong == pytest.approx(0.2 / 0.05, rel=1e-6)


def test_huge_sample_weights_certify_nothing_that_is_wrong():
    g = np.random.default_rng(2)
    X, y, garbage = g.standard_normal((40, 5)), g.standard_normal(40), g.standard_normal(5)
    point = (X, y, garbage, 3.0)
    plain = sv.kkt_violation(*point, penalty="l1", alpha=0.1)
    huge = sv.kkt_violation(*point, penalty="l1", alpha=0.1, sample_weight=np.full(40, 1e308))
    assert huge == pytest.approx(plain, rel=1e-12)
    assert plain > 1.0
