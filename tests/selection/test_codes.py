"""One design and many responses: each fit is that of the response by itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import sparsieve as sv
from sparsieve.selection import codes as room


def responses(seed: int, n: int = 60, d: int = 90, m: int = 7):
    g = np.random.default_rng(seed)
    X = np.asfortranarray(g.standard_normal((n, d)))
    W = np.zeros((d, m))
    for k in range(m):
        W[g.choice(d, 4, replace=False), k] = g.standard_normal(4)
    return X, X @ W + 0.1 * g.standard_normal((n, m)) + g.standard_normal(m)


@pytest.mark.parametrize("penalty", ["l1", "mcp", "logsum"])
@pytest.mark.parametrize("start", ["lasso", "previous", "best"])
def test_each_fit_is_certified_and_that_of_the_response_alone(penalty, start):
    X, Y = responses(0)
    codes = sv.sparse_codes(X, Y, penalty, alpha=0.1, start=start)
    assert codes.converged.all()
    assert codes.coefs.shape == (90, 7)
    for k in range(7):
        coef, alone = codes.coefs[:, [k]].toarray().ravel(), sv.SparseRegressor(penalty, 0.1)
        violation = sv.kkt_violation(
            X, Y[:, k], coef, codes.intercepts[k], penalty=penalty, alpha=0.1
        )
        assert violation <= codes.kkt[k] + 1e-12 <= 1.1e-6
        alone.set_params(start=start).fit(X, Y[:, k])
        # A certified fit of a convex problem, or the same walk: objectives agree to tol.
        assert codes.objective[k] == pytest.approx(alone.objective_, rel=1e-6)


@pytest.mark.parametrize(
    "options",
    [
        {"standardize": True},
        {"l1_ratio": 0.7, "ridge": 0.01},
        {"bounds": (-0.5, 0.3)},
        {"positive": True},
        {"weights": np.r_[0.0, np.inf, np.linspace(0.5, 2.0, 88)]},
        {"fit_intercept": False},
        {"sample_weight": np.r_[np.zeros(5), np.linspace(1.0, 3.0, 55)]},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options(options):
    X, Y = responses(1)
    codes = sv.sparse_codes(X, Y, "l1", alpha=0.05, **options)
    weight = options.get("sample_weight")
    rest = {name: value for name, value in options.items() if name != "sample_weight"}
    for k in range(Y.shape[1]):
        alone = sv.SparseRegressor("l1", 0.05, **rest).fit(X, Y[:, k], sample_weight=weight)
        assert codes.converged[k]
        assert codes.objective[k] == pytest.approx(alone.objective_, 1e-6)
        assert codes.coefs[:, [k]].toarray().ravel() == pytest.approx(alone.coef_, abs=1e-4)


def test_with_and_without_a_shared_gram_matrix(monkeypatch):
    X, Y = responses(2, d=300, m=40)
    shared = sv.sparse_codes(X, Y, "mcp", alpha=0.1)
    monkeypatch.setattr(room, "_MOST", 10)
    alone = sv.sparse_codes(X, Y, "mcp", alpha=0.1)
    assert shared.converged.all()
    assert alone.converged.all()
    lower = np.minimum(shared.objective, alone.objective)
    # The same start leads to the same minimum nearly always.
    assert np.mean(abs(shared.objective - alone.objective) <= 1e-6 * lower) > 0.9


@pytest.mark.parametrize("kind", [sparse.csc_array, np.float32, np.ascontiguousarray])
def test_storage(kind):
    X, Y = responses(3)
    given = X.astype(np.float32) if kind is np.float32 else kind(X)
    codes = sv.sparse_codes(given, Y, "l1", alpha=0.1)
    whole = sv.sparse_codes(np.asarray(X if kind is not np.float32 else given), Y, "l1", alpha=0.1)
    assert codes.converged.all()
    assert codes.coefs.toarray() == pytest.approx(whole.coefs.toarray(), abs=1e-4)


def test_the_same_bits_for_any_number_of_threads():
    X, Y = responses(4, m=200)
    one = sv.sparse_codes(X, Y, "mcp", alpha=0.1)
    for jobs in (2, -1):
        many = sv.sparse_codes(X, Y, "mcp", alpha=0.1, n_jobs=jobs)
        assert np.array_equal(one.coefs.toarray(), many.coefs.toarray())
        assert np.array_equal(one.kkt, many.kkt)


def test_processes_measure_for_themselves():
    from joblib import parallel_backend

    X, Y = responses(5, m=130)
    one = sv.sparse_codes(X, Y, "l1", alpha=0.1)
    with parallel_backend("loky"):
        other = sv.sparse_codes(X, Y, "l1", alpha=0.1, n_jobs=2)
    assert np.array_equal(one.coefs.toarray(), other.coefs.toarray())


def test_one_alpha_or_start_for_each_response():
    X, Y = responses(6)
    alphas = np.linspace(0.05, 0.5, 7)
    codes = sv.sparse_codes(X, Y, "mcp", alpha=alphas)
    assert np.array_equal(codes.alphas, alphas)
    again = sv.sparse_codes(X, Y, "mcp", alpha=alphas, start=codes.coefs.toarray())
    assert again.objective == pytest.approx(codes.objective, rel=1e-9)
    assert "7 responses, 90 features" in repr(codes)
    assert len(codes) == 7


def test_a_constant_response_and_a_constant_column():
    X, Y = responses(7)
    X[:, 3] = 2.0
    Y[:, 2] = 5.0
    codes = sv.sparse_codes(X, Y, "l1", alpha=0.1)
    assert codes.converged.all()
    assert codes.coefs[:, [2]].nnz == 0
    assert codes.intercepts[2] == pytest.approx(5.0)
    assert codes.coefs[[3]].nnz == 0


def test_names_of_columns_and_of_features():
    pandas = pytest.importorskip("pandas")
    X, Y = responses(8)
    frame = pandas.DataFrame(X, columns=[f"x{j}" for j in range(90)])
    codes = sv.sparse_codes(frame, pandas.DataFrame(Y), "l1", alpha=0.1, weights={"x0": np.inf})
    assert codes.feature_names[1] == "x1"
    assert codes.coefs[[0]].nnz == 0


def test_what_did_not_converge_is_said():
    X, Y = responses(9)
    with pytest.warns(ConvergenceWarning, match=r"of 7 responses did not reach tol"):
        codes = sv.sparse_codes(X, Y, "logsum", alpha=0.01, max_iter=1)
    assert not codes.converged.all()


@pytest.mark.parametrize(
    ("Y", "options", "message"),
    [
        (None, {}, "Y is None"),
        (sparse.eye(60).tocsc(), {}, "Y is sparse"),
        (np.ones(60), {}, "Y has shape"),
        (np.ones((60, 0)), {}, "Y has shape"),
        (np.ones((59, 2)), {}, "inconsistent numbers of samples"),
        (np.full((60, 2), np.nan), {}, r"Y\[:, 0\] contains NaN"),
        (np.full((60, 2), 1e200), {}, r"Y\[:, 0\]: its largest entry"),
        (np.array([["a"] * 2] * 60), {}, "Y cannot be converted|Y.*text|Y.*numbers"),
        (np.ones((60, 2)), {"alpha": [1.0]}, "alpha has shape"),
        (np.ones((60, 2)), {"alpha": "much"}, "alpha must be"),
        (np.ones((60, 2)), {"alpha": -1.0}, "alpha must be"),
        (np.ones((60, 2)), {"start": np.zeros((2, 2))}, "start has shape"),
    ],
)
def test_bad_input(Y, options, message):
    X, _ = responses(10)
    with pytest.raises((ValueError, TypeError), match=message):
        sv.sparse_codes(X, Y, "l1", **{"alpha": 0.1, **options})


def test_several_responses_elsewhere_name_this_function():
    X, Y = responses(11)
    with pytest.raises(ValueError, match="sparse_codes"):
        sv.sparse_path(X, Y, "l1")
    with pytest.raises(ValueError, match="sparse_codes"):
        sv.SparseRegressor("l1").fit(X, Y)
