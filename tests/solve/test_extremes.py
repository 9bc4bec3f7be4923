"""Numbers at the edges of what double precision holds: converge, or say what is in the way.

The judge computes in extended precision, whose exponents reach far beyond those of doubles.
"""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from tolerances import DEFAULT_KKT

import sparsieve as sv

PENALTIES = ["l1", "logsum", "mcp", "scad", "capped_l1", "lq"]
LONG = np.longdouble
needs_range = pytest.mark.skipif(
    np.finfo(LONG).maxexp <= np.finfo(np.float64).maxexp, reason="no extended precision here"
)


def _toy(n=40, d=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X[:, :5] @ [3.0, -2.0, 1.5, 1.0, -1.0] + 0.5 * rng.standard_normal(n)


def _violation(X, y, coef, intercept, penalty, alpha):
    """Return the largest violation over slope(0), in extended precision."""
    r = y.astype(LONG) - X.astype(LONG) @ coef.astype(LONG) - LONG(intercept)
    c = X.astype(LONG).T @ r / LONG(len(y))
    strength = np.full(coef.size, alpha)
    slope = penalty.slope(np.abs(coef), strength)
    excess = np.maximum(np.abs(c) - penalty.slope(np.zeros_like(coef), strength), 0.0)
    apart = np.where(coef != 0.0, np.abs(c - slope * np.sign(coef)), excess)
    return float(np.max(apart) / penalty.slope(np.zeros(1), np.array([alpha]))[0])


def _check(X, y, path):
    assert path.converged.all()
    assert path.support_size.max() > 0
    for k, alpha in enumerate(path.alphas):
        coef = path.coef_at(alpha)
        assert np.all(np.isfinite(coef))
        violation = _violation(X, y, coef, path.intercepts[k], path.penalty, alpha)
        assert violation <= DEFAULT_KKT


# The ends of the range and its middle; what lies between them is slow.
UNITS = [1e-150, 1.0, 1e150, *(pytest.param(u, marks=pytest.mark.slow) for u in (1e-20, 1e20))]


@needs_range
@pytest.mark.parametrize("response", UNITS)
@pytest.mark.parametrize("scale", UNITS)
@pytest.mark.parametrize("penalty", PENALTIES)
def test_scales_of_columns_and_response(penalty, scale, response):
    X, y = _toy()
    X, y = np.asfortranarray(X * scale), y * response
    _check(X, y, sv.sparse_path(X, y, penalty=penalty, alphas=8))


@needs_range
@pytest.mark.parametrize("penalty", PENALTIES)
def test_columns_of_very_different_scales(penalty):
    X, y = _toy()
    X = np.asfortranarray(X * 10.0 ** np.linspace(-150, 150, X.shape[1]))
    _check(X, y, sv.sparse_path(X, y, penalty=penalty, alphas=8, standardize=False))


def test_columns_too_large_to_square_are_refused():
    X, y = _toy()
    X[:, 3] *= 1e200
    with pytest.raises(ValueError, match=r"X: column 3 .* large .* divide it by a power of ten"):
        sv.sparse_path(X, y)


def test_columns_too_small_to_square_are_left_out_with_a_warning():
    X, y = _toy()
    X[:, 3] *= 1e-300
    with pytest.warns(UserWarning, match=r"1 column.s., first 3, .* small .* count as zero"):
        path = sv.sparse_path(X, y, alphas=8)
    assert path.converged.all()
    assert not any(path.coef_at(alpha)[3] for alpha in path.alphas)


@pytest.mark.parametrize("fit", [sv.sparse_path, sv.SparseRegressor().fit])
def test_the_warning_about_small_columns_names_the_line_of_the_call(fit):
    X, y = _toy()
    X[:, 3] *= 1e-300
    with pytest.warns(UserWarning, match="count as zero") as found:
        fit(X, y)
    assert found[0].filename == __file__


def test_a_small_column_that_would_matter_spoils_the_certificate():
    X, y = _toy()
    X[:, 3] *= 1e-300
    with (
        pytest.warns(UserWarning, match="count as zero"),
        pytest.warns(ConvergenceWarning, match="did not reach"),
    ):
        path = sv.sparse_path(X, y, alphas=[1e-160], max_iter=5)
    assert not path.converged.any()


def test_designs_too_small_to_square_are_refused():
    X, y = _toy()
    with pytest.raises(ValueError, match=r"X: column 0 and every other .* multiply X by a power"):
        sv.sparse_path(X * 1e-250, y)


def test_the_kernel_refuses_what_it_cannot_square():
    X, y = _toy()
    with pytest.raises(ValueError, match=r"X: column 0 .* large"):
        sv.proximal_weighted_lasso(X * 1e200, y, np.ones(80))


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_responses_that_cannot_be_squared_are_refused(scale):
    X, y = _toy()
    with pytest.raises(ValueError, match=r"y: its largest entry .* rescale y by a power of ten"):
        sv.sparse_path(X, y * scale)


def test_denormal_entries_among_normal_ones():
    X, y = _toy()
    X[::3] *= 1e-310
    X = np.asfortranarray(X)
    _check(X, y, sv.sparse_path(X, y, alphas=8))


@pytest.mark.parametrize("penalty", PENALTIES)
def test_nearly_duplicate_columns(penalty):
    X, y = _toy()
    rng = np.random.default_rng(1)
    near = X[:, :20] + 1e-12 * rng.standard_normal((40, 20))
    X = np.asfortranarray(np.hstack([X, near]))
    _check(X, y, sv.sparse_path(X, y, penalty=penalty, alphas=8))


@pytest.mark.parametrize("penalty", PENALTIES)
def test_two_samples(penalty):
    rng = np.random.default_rng(2)
    X, y = np.asfortranarray(rng.standard_normal((2, 30))), np.array([1.0, -0.5])
    _check(X, y, sv.sparse_path(X, y, penalty=penalty, alphas=8))


def test_a_million_sparse_columns():
    rng = np.random.default_rng(3)
    n, d, per_column = 2000, 1_000_000, 5
    rows = np.sort(rng.integers(0, n // per_column, (d, per_column)), axis=1)
    rows += np.arange(per_column) * (n // per_column)
    X = sparse.csc_array(
        (rng.standard_normal(d * per_column), rows.ravel(), np.arange(0, 5 * d + 1, 5)),
        shape=(n, d),
    )
    y = X[:, :10].sum(axis=1) * 3.0 + rng.standard_normal(n)
    path = sv.sparse_path(X, y, alphas=5, eps=0.3)
    assert path.converged.all()
    penalty = path.penalty
    for k, alpha in enumerate(path.alphas):
        point = path.points[k]
        r = y - X[:, point.columns] @ point.values - path.intercepts[k]
        c = np.asarray(X.T @ r) / n
        slope = penalty.slope(np.abs(point.values), np.full(point.values.size, alpha))
        inside = np.abs(c[point.columns] - slope * np.sign(point.values))
        c[point.columns] = 0.0
        slope0 = penalty.slope(np.zeros(1), np.array([alpha]))[0]
        worst = max(np.max(np.abs(c)) - slope0, np.max(inside, initial=0.0))
        assert worst <= DEFAULT_KKT * slope0


@pytest.mark.parametrize("penalty", PENALTIES)
def test_one_unit_in_the_last_place_below_alpha_max(penalty):
    X, y = _toy()
    X = np.asfortranarray(X)
    top = sv.alpha_max(X, y, penalty=penalty)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = sv.sparse_path(X, y, penalty=penalty, alphas=[np.nextafter(top, 0.0)])
    assert path.converged.all()
    coef = path.coef_at(path.alphas[0])
    assert _violation(X, y, coef, path.intercepts[0], path.penalty, path.alphas[0]) <= DEFAULT_KKT


@pytest.mark.parametrize("penalty", PENALTIES)
def test_thousands_of_ties(penalty):
    X, y = _toy()
    X = np.asfortranarray(np.tile(np.hstack([X, -X]), 20))  # every column 40 times, up to its sign
    _check(X, y, sv.sparse_path(X, y, penalty=penalty, alphas=8))


# Defects that were found by trying to break the library.


@pytest.fixture
def small():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 8))
    return X, 2 * X[:, 0] + X[:, 1] + 0.1 * rng.standard_normal(20)


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


def test_tiny_alpha_and_huge_sample_weights(small):
    X, y = small
    with pytest.warns(Warning, match="did not reach"):
        model = sv.SparseRegressor("l1", alpha=1e-320).fit(X, y)
    assert np.all(np.isfinite(model.coef_))
    heavy = sv.SparseRegressor("l1", alpha=0.1).fit(X, y, sample_weight=np.full(20, 1e308))
    plain = sv.SparseRegressor("l1", alpha=0.1).fit(X, y)
    np.testing.assert_allclose(heavy.coef_, plain.coef_, atol=1e-12)


# What the fuzzers found; each crashed, hung or spoke in riddles once.


def test_denormal_columns_are_refused_not_certified():
    X = 5e-324 * np.array([[600_000.0], [-34_000.0], [-760_000.0], [460_000.0]])
    y = np.array([-1.4e149, 6.5e149, 7.7e149, 2.3e150])
    with pytest.raises(ValueError, match="multiply X by a power of ten"):
        sv.sparse_path(X, y, "l1", alphas=4, fit_intercept=False)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of the first fit
@pytest.mark.parametrize("size", [1e10, 1e12, 1e14])
def test_rounding_errors_of_a_far_larger_start_are_remembered(size):
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((100, 20)))
    y = X[:, :3] @ [1.0, -2.0, 0.5] + 0.1 * rng.standard_normal(100)
    model = sv.SparseRegressor("l1", alpha=0.01, warm_start=True).fit(X, size * y).fit(X, y)
    judged = sv.kkt_violation(X, y, model.coef_, model.intercept_, penalty="l1", alpha=0.01)
    assert model.certificate_.converged
    assert judged <= model.certificate_.kkt + 1e-3 * DEFAULT_KKT
