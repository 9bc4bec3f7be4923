"""Bad input gets a clear error at every entry; odd input gets a sensible result."""

import numpy as np
import pandas as pd
import pytest
from problems import nasty_design, response, sparse_design, toy, unsorted_csc
from scipy import sparse
from tolerances import DEFAULT_KKT, TWO_SOLVES

import sparsieve as sv

X, Y, _ = toy(20, 6, 2, 0.1)


def fit(X, y, *, sample_weight=None, weights=None, penalty="mcp", alpha=0.1, **rest):
    model = sv.SparseRegressor(penalty, alpha, weights=weights, **rest)
    return model.fit(X, y, sample_weight=sample_weight)


def kernel(X, y, *, sample_weight=None, weights=None):
    return sv.proximal_weighted_lasso(
        X, y, np.ones(6) if weights is None else weights, sample_weight=sample_weight
    )


ENTRIES = [sv.sparse_path, sv.alpha_max, fit, kernel]
every_entry = pytest.mark.parametrize("entry", ENTRIES, ids=["path", "alpha_max", "fit", "kernel"])


def spoilt(value):
    design = X.copy()
    design[3, 4] = value
    return design


@every_entry
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(X=spoilt(np.nan)), "X contains NaN at row 3, column 4"),
        (dict(X=spoilt(np.inf)), "X contains infinity at row 3, column 4"),
        (dict(X=sparse.csc_array(spoilt(np.nan))), "X contains NaN at row 3, column 4"),
        (dict(y=np.where(np.arange(20) == 7, np.nan, Y)), "y contains NaN at entry 7"),
        (dict(y=np.where(np.arange(20) == 7, -np.inf, Y)), "y contains infinity at entry 7"),
        (dict(X=X + 1j), "Complex data not supported: X"),
        (dict(y=Y + 1j), "Complex data not supported: y"),
        (dict(X=np.array([[{}] * 6] * 20)), "X cannot be converted"),
        (dict(X=X.astype(str)), "X holds text"),
        (dict(y=["a"] * 20), "y holds text"),
        (dict(X=X[:0]), r"X has 0 sample\(s\)"),
        (dict(X=X[:, :0], weights=np.ones(0)), r"X has 0 feature\(s\)"),
        (dict(y=Y[:-1]), "y has 19 entries"),
        (dict(y=np.c_[Y, Y]), r"y has shape \(20, 2\)"),
        (dict(y=None), "y is None"),
        (dict(X=X[:, 0]), "Reshape your data"),
        (dict(sample_weight=-np.ones(20)), r"sample_weight\[0\] = -1"),
        (dict(sample_weight=np.full(20, np.nan)), r"sample_weight\[0\] = nan"),
        (dict(sample_weight=np.zeros(20)), "every weight is zero"),
        (dict(sample_weight=np.ones(19)), "sample_weight has 19 entries"),
        (dict(weights=np.r_[np.ones(5), -1.0]), r"weights\[5\] = -1"),
        (dict(weights=np.full(6, np.nan)), r"weights\[0\] = nan"),
        (dict(weights=np.ones(5)), "weights has 5 entries"),
    ],
)
def test_bad_data(entry, change, message):
    arguments = dict(X=X, y=Y) | change
    with pytest.raises((ValueError, TypeError), match=message):
        entry(arguments.pop("X"), arguments.pop("y"), **arguments)


@pytest.mark.parametrize("entry", ENTRIES[:3], ids=["path", "alpha_max", "fit"])
def test_one_sample(entry):
    with pytest.raises(ValueError, match=r"1 sample\(s\)"):
        entry(X[:1], Y[:1])


class Slope:
    """A penalty with any slope one likes; its value is never reached by these tests."""

    def __init__(self, formula):
        self.slope = formula

    def value(self, abs_w, alpha):
        return alpha * abs_w


@pytest.mark.parametrize("entry", ENTRIES[:3], ids=["path", "alpha_max", "fit"])
@pytest.mark.parametrize(
    ("penalty", "message"),
    [
        (sv.MCP(gamma=0), "MCP: gamma"),
        (sv.SCAD(gamma=2), "SCAD: gamma"),
        (sv.LogSum(theta=0), "LogSum: theta"),
        (sv.CappedL1(theta=-1), "CappedL1: theta"),
        (sv.Lq(q=2), "Lq: q"),
        ("ridge", "penalty='ridge' is not known"),
        (None, "not a penalty"),
        (sv.MCP, "pass an instance"),
        (Slope(lambda t, a: -a * np.ones_like(t)), "negative"),
        (Slope(lambda t, a: a * (1 + t)), "increases"),
        (Slope(lambda t, a: a / np.sqrt(t)), "must be finite"),
    ],
)
def test_bad_penalties(entry, penalty, message):
    with pytest.raises((ValueError, TypeError), match=message):
        entry(X, Y, penalty=penalty)


@pytest.mark.parametrize("alpha", [0.0, -1.0, np.nan, np.inf, "a", None, [0.1], True])
def test_bad_alpha(alpha):
    with pytest.raises(ValueError, match="alpha must be"):
        fit(X, Y, alpha=alpha)


@pytest.mark.parametrize("name", ["tol", "eps"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, "a", None])
def test_bad_numbers_of_a_path(name, value):
    if (name, value) == ("eps", None):
        assert len(sv.sparse_path(X, Y, eps=None)) > 1  # an end that suits the data
        return
    with pytest.raises(ValueError, match=f"{name} must be"):
        sv.sparse_path(X, Y, **{name: value})


@pytest.mark.parametrize("alphas", [[], 0, [0.1, np.nan], [0.0], [-1.0], 2.5, None])
def test_bad_alphas_of_a_path(alphas):
    with pytest.raises(ValueError, match="alphas"):
        sv.sparse_path(X, Y, alphas=alphas)


@pytest.mark.parametrize("value", [0, -1, 1.5, "a", None])
def test_bad_max_iter(value):
    for entry in (sv.sparse_path, fit):
        with pytest.raises(ValueError, match="max_iter must be an integer >= 1"):
            entry(X, Y, max_iter=value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(prox_weight=-1.0), "prox_weight"),
        (dict(prox_weight=np.nan), "prox_weight"),
        (dict(prox_center=np.ones(5)), "prox_center"),
        (dict(prox_center=np.full(6, np.nan)), "prox_center"),
        (dict(tol=0.0), "tol"),
        (dict(max_epochs=0), "max_epochs"),
        (dict(l1_weights=np.ones(5)), "l1_weights has 5 entries"),
        (dict(l1_weights=-np.ones(6)), r"l1_weights\[0\] = -1.0"),
        (dict(l1_weights=[1, 1, np.nan, 1, 1, 1]), r"l1_weights\[2\] = nan"),
        (dict(l1_weights=1.0), "l1_weights must be 1-D"),
        (dict(l1_weights=None), "l1_weights must be 1-D"),
    ],
)
def test_bad_arguments_of_the_kernel(change, message):
    with pytest.raises(ValueError, match=message):
        sv.proximal_weighted_lasso(**(dict(X=X, y=Y, l1_weights=np.ones(6)) | change))


def test_unsorted_and_repeated_alphas_are_accepted():
    path = sv.sparse_path(X, Y, alphas=[0.01, 0.3, 0.1, 0.3])
    np.testing.assert_array_equal(path.alphas, [0.3, 0.1, 0.01])
    assert path.coefs.shape == (6, 3)


def test_unsorted_and_repeated_csc_indices_are_accepted():
    broken, clean = unsorted_csc(sparse_design(30, 12, 0.4).toarray())
    y = response(clean)
    expected = sv.sparse_path(clean, y, alphas=5)
    got = sv.sparse_path(broken, y, expected.penalty, alphas=expected.alphas)
    for alpha in expected.alphas:
        np.testing.assert_allclose(
            got.coef_at(alpha), expected.coef_at(alpha), rtol=0, atol=TWO_SOLVES
        )


PENALTIES = [sv.L1(), sv.LogSum(), sv.MCP(), sv.SCAD(), sv.CappedL1(), sv.Lq()]
every_penalty = pytest.mark.parametrize(
    "penalty", PENALTIES, ids=[type(p).__name__ for p in PENALTIES]
)
stores = pytest.mark.parametrize(
    "store", [np.asfortranarray, sparse.csc_array], ids=["dense", "csc"]
)


@every_penalty
@stores
@pytest.mark.parametrize("constant", [0.0, 0.1, -3.0, 1e8, 1 / 3])
def test_constant_response(penalty, store, constant):
    y = np.full(20, constant)
    path = sv.sparse_path(store(X), y, penalty, alphas=5)
    assert path.converged.all()
    assert np.all(path.support_size == 0)
    np.testing.assert_allclose(path.intercepts, constant, rtol=DEFAULT_KKT)
    assert sv.alpha_max(store(X), y, penalty) == 0.0
    model = fit(store(X), y, penalty=penalty)
    assert not np.any(model.coef_)
    assert model.intercept_ == pytest.approx(constant, rel=DEFAULT_KKT)


@every_penalty
@stores
@pytest.mark.parametrize("value", [0.0, 5.0])
def test_design_without_information(penalty, store, value):
    design = store(np.full((20, 6), value))
    path = sv.sparse_path(design, Y, penalty, alphas=5)
    assert path.converged.all()
    assert np.all(path.support_size == 0)
    np.testing.assert_allclose(path.intercepts, Y.mean(), rtol=DEFAULT_KKT)


@every_penalty
@stores
def test_one_feature(penalty, store):
    path = sv.sparse_path(store(X[:, :1]), Y, penalty, alphas=5)
    assert path.converged.all()
    assert path.coefs.shape == (1, 5)
    assert path.support_size[0] == 0
    assert path.support_size[-1] == 1


@every_penalty
def test_two_samples(penalty):
    path = sv.sparse_path(X[:2], Y[:2], penalty, alphas=5)
    assert path.converged.all()


@every_penalty
@stores
def test_many_more_samples_than_features(penalty, store):
    design, y, w = toy(5000, 4, 2, 0.1)
    path = sv.sparse_path(store(design), y, penalty, alphas=10)
    assert path.converged.all()
    if not isinstance(penalty, sv.L1):
        assert set(np.flatnonzero(w)) <= set(np.flatnonzero(path.coef_at(path.alphas[-1])))
    for alpha, intercept in zip(path.alphas, path.intercepts, strict=True):
        judged = sv.kkt_violation(
            design, y, path.coef_at(alpha), intercept, penalty=penalty, alpha=alpha
        )
        assert judged <= DEFAULT_KKT


@every_penalty
@pytest.mark.parametrize("factor", [1.0, 10.0, 1e6])
def test_alpha_at_and_far_above_alpha_max(penalty, factor):
    alpha = factor * sv.alpha_max(X, Y, penalty, minimum="coordinatewise")
    # From a lasso features may be there already at alpha_max, where zero is stationary too.
    model = fit(X, Y, penalty=penalty, alpha=alpha, start="previous")
    assert not np.any(model.coef_)
    assert model.intercept_ == pytest.approx(Y.mean())
    assert model.certificate_.converged
    below = fit(X, Y, penalty="l1", alpha=0.99 * sv.alpha_max(X, Y, "l1"))
    assert np.count_nonzero(below.coef_) == 1


@every_penalty
def test_every_feature_excluded(penalty):
    path = sv.sparse_path(X, Y, penalty, alphas=3, weights=np.full(6, np.inf))
    assert np.all(path.support_size == 0)
    assert path.converged.all()
    np.testing.assert_allclose(path.intercepts, Y.mean(), rtol=DEFAULT_KKT)


@every_penalty
def test_integers_booleans_and_frames(penalty):
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 5, (30, 5))
    y = counts[:, 0] - counts[:, 1]
    expected = sv.sparse_path(counts.astype(float), y, penalty, alphas=5)
    for design in (counts, counts.astype(np.int8), pd.DataFrame(counts), counts.tolist()):
        got = sv.sparse_path(design, y.tolist(), penalty, alphas=5)
        np.testing.assert_array_equal(got.alphas, expected.alphas)
        np.testing.assert_array_equal(got.coef_at(got.alphas[2]), expected.coef_at(got.alphas[2]))
    assert sv.sparse_path(counts > 2, y, penalty, alphas=5).converged.all()


@every_penalty
def test_columns_of_every_scale(penalty):
    """Zero, constant, 1e-8, 1e8, duplicate and collinear columns at once: finite and certified."""
    design = nasty_design(30, 16)
    y = response(design, noise=0.3)
    path = sv.sparse_path(design, y, penalty, alphas=10, eps=0.1, standardize=False)
    assert np.all(np.isfinite(path.objective))
    assert path.converged.all()
    for alpha, intercept in zip(path.alphas, path.intercepts, strict=True):
        judged = sv.kkt_violation(
            design, y, path.coef_at(alpha), intercept, penalty=penalty, alpha=alpha
        )
        assert judged <= DEFAULT_KKT
