"""No strict minimum is claimed where columns of the support depend on each other."""

from fractions import Fraction

import numpy as np
import pytest
from problems import long_column
from scipy import sparse

import sparsieve as sv

# Defects that were found by trying to break the library.


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


def test_nothing_is_global_next_to_a_column_whose_square_is_zero():
    """A saturated penalty costs the same at 1e170 as at 1: a tiny column may explain anything."""
    g = np.random.default_rng(0)
    X, y = g.standard_normal((40, 2)), g.standard_normal(40)
    options = {"penalty": sv.MCP(10.0), "alpha": 0.1}
    assert sv.SparseRegressor(**options).fit(X, y).certificate_.lower_bound is not None
    with pytest.warns(UserWarning, match="small"):
        model = sv.SparseRegressor(**options).fit(X * [1.0, 1e-170], y)
    assert model.certificate_.lower_bound is None


def exact_objective(X, y, model):
    """Return F at the best intercept in exact fractions, for MCP with all coefficients flat."""
    rows = [[Fraction(float(x)) for x in row] for row in X]
    w = [Fraction(float(c)) for c in model.coef_]
    r = [
        Fraction(float(t)) - sum(x * c for x, c in zip(row, w, strict=True))
        for row, t in zip(rows, y, strict=True)
    ]
    mean = sum(r) / len(r)
    flat = Fraction(model.alpha) ** 2 * Fraction(model.penalty.gamma) / 2
    return sum((e - mean) ** 2 for e in r) / (2 * len(r)) + flat * len(w)


def test_lower_bounds_hold_where_the_objective_is_mostly_rounding():
    for seed in range(10):
        g = np.random.default_rng(seed)
        X = g.standard_normal((30, 3))
        y = X @ [1.0, -2.0, 0.5] + 1e-10 * g.standard_normal(30)
        model = sv.SparseRegressor(sv.MCP(5.0), alpha=1e-11, tol=1e-2).fit(X, y)
        bound = model.certificate_.lower_bound
        assert Fraction(bound) <= exact_objective(X, y, model)
