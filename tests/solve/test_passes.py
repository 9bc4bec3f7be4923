"""How much of X a path reads: counted by the design, so it does not jitter.

The bounds are those the library promises (docs: benchmarks), averaged over the path, everything
included: norms, first correlations, building the 8-bit shadow, Gram columns and residuals.
"""

import numpy as np
import pytest
import real_data
import tolerances
from problems import ar_design, response

import sparsieve as sv
from sparsieve.solve import designs

# Noise that leaves a signal-to-noise ratio of 10, as in the benchmark.
SNR_10 = 10**-0.5

PENALTIES = [sv.L1(), sv.LogSum(0.1), sv.MCP(3.0), sv.SCAD(3.7)]
NAMES = [type(penalty).__name__ for penalty in PENALTIES]


def unit_columns(X):
    X = X - X.mean(axis=0)
    return np.asfortranarray(X / np.linalg.norm(X, axis=0))


def columns_of(X, scale):
    """Return centred columns of norm 1 ("unit") or of unit variance ("standardised")."""
    return unit_columns(X) * (np.sqrt(len(X)) if scale == "standardised" else 1.0)


SCALES = pytest.mark.parametrize("scale", ["unit", "standardised"])


def assert_reads_at_most(bound, X, y, penalty, start="previous", **grid):
    path = sv.sparse_path(
        X, y - y.mean(), penalty, fit_intercept=False, start=start, minimum="stationary", **grid
    )
    assert np.all(path.converged)
    assert path.passes.mean() <= bound
    return path


@SCALES
@pytest.mark.parametrize("penalty", PENALTIES, ids=NAMES)
def test_toy(penalty, scale):
    X, y, _ = sv.datasets.make_toy(500, 5000, 5, 2.0, random_state=0)
    assert_reads_at_most(0.35, columns_of(X, scale), y, penalty, alphas=50, eps=1e-3)


# 800 of the 2,000 features of the tall problem are selected at the end of the path, and what enters
# reads as much of X: the bounds are wider than on problems with small supports.
@SCALES
@pytest.mark.parametrize("penalty", PENALTIES, ids=NAMES)
@pytest.mark.parametrize(
    ("shape", "correlation", "bounds"),
    [
        pytest.param((1000, 10_000), 0.95, (0.3, 0.3), id="very correlated"),
        pytest.param((500, 50_000), 0.5, (0.15, 0.15), id="wide", marks=pytest.mark.slow),
        pytest.param((20_000, 2_000), 0.5, (0.26, 0.18), id="tall", marks=pytest.mark.slow),
    ],
)
def test_correlated(shape, correlation, bounds, penalty, scale):
    X = ar_design(*shape, correlation)
    y = response(X, n_active=50, noise=SNR_10)
    bound = bounds[0] if scale == "unit" else bounds[1]
    assert_reads_at_most(bound, columns_of(X, scale), y, penalty, alphas=100, eps=1e-2)


@pytest.mark.parametrize("penalty", PENALTIES, ids=NAMES)
@pytest.mark.parametrize("name", ["leukemia", "rat_eye", "climate_sst"])
@pytest.mark.parametrize("standardise", [False, True], ids=["raw", "standardised"])
def test_real_dense_data(name, standardise, penalty):
    X, y = real_data.load(name, standardise)
    options = {"start": "previous", "minimum": "stationary", "standardize": False}
    path = sv.sparse_path(X, y, penalty, **options)
    assert path.passes.mean() <= 0.5


@pytest.mark.parametrize("penalty", PENALTIES[1:], ids=NAMES[1:])
@pytest.mark.parametrize("name", ["leukemia", "rat_eye", "climate_sst"])
def test_real_dense_data_from_a_lasso(name, penalty):
    """Two solves at each alpha, the second from afar; columns of climate_sst nearly agree."""
    X, y = real_data.load(name, True)
    path = sv.sparse_path(X, y, penalty, start="lasso")
    assert np.all(path.minimum == "coordinatewise")
    assert path.passes.mean() <= (2.0 if name == "climate_sst" else 0.6)


def test_a_long_path_builds_the_shadow_in_its_first_pass():
    X, y, _ = sv.datasets.make_toy(200, 2000, 5, 1.0, random_state=0)
    path = sv.sparse_path(X, y, "l1", alphas=40)
    # One pass for norms, first correlations and shadow; what the first alpha adds is a few columns.
    assert path.passes[0] == pytest.approx(1.0, abs=0.05)
    assert path.passes[1:].max() < 1.0
    assert sum(point.settled_by_shadow for point in path.points) > 0


def test_short_columns_have_no_shadow_before_x_was_read_twice():
    X, y, _ = sv.datasets.make_toy(60, 2000, 5, 1.0, random_state=0)
    path = sv.sparse_path(X, y, "l1", alphas=100, eps=1e-2)
    looked = np.array([point.settled_by_shadow > 0 for point in path.points])
    # Three passes: norms and first correlations, which are no looks, and two that looked.
    assert looked.any()
    assert np.cumsum(path.passes)[np.argmax(looked)] > 3.0


@pytest.mark.parametrize(
    ("dtype", "weighted"),
    [
        (np.float64, True),
        (np.float32, False),
        pytest.param(np.float64, False, marks=pytest.mark.slow),
        pytest.param(np.float32, True, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("penalty", PENALTIES, ids=NAMES)
def test_many_rows_are_certified_from_sixteen_bits(penalty, dtype, weighted, monkeypatch):
    monkeypatch.setattr(designs, "_MOST", 0)  # not by a Gram matrix of all columns
    # From 4,096 rows on columns that eight bits leave open are looked at with eight more.
    rng = np.random.default_rng(5)
    X = np.asfortranarray(ar_design(5000, 150, 0.5) + rng.normal(0.0, 3.0, 150), dtype=dtype)
    y = X[:, ::15].sum(axis=1) + 3.0 * rng.standard_normal(5000)
    omega = rng.exponential(size=5000) * (rng.random(5000) < 0.8) if weighted else None
    path = sv.sparse_path(X, y, penalty, alphas=40, eps=1e-3, sample_weight=omega)
    assert np.all(path.converged)
    assert sum(point.settled_by_shadow for point in path.points) > 0
    for alpha, intercept, reported in zip(
        path.alphas, path.intercepts, path.objective, strict=True
    ):
        point = (X, y, path.coef_at(alpha), intercept)
        where = {"penalty": penalty, "alpha": alpha, "sample_weight": omega}
        assert sv.kkt_violation(*point, **where) <= tolerances.DEFAULT_KKT
        # Most of these points are certified without their residual: its length comes from products.
        by_judge = sv.objective(*point, **where)
        assert reported == pytest.approx(by_judge, rel=tolerances.FIT_BY_PRODUCTS)


def test_every_read_is_counted():
    # Without the shadow the first alpha reads X exactly once: norms and correlations share a pass.
    X, y, _ = sv.datasets.make_toy(200, 400, 5, 1.0, random_state=0)
    path = sv.sparse_path(X, y, "l1", alphas=1, shadow=False)
    assert path.passes[0] == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("penalty", PENALTIES, ids=NAMES)
def test_paths_with_and_without_the_shadow_converge_to_the_same_minima_here(penalty):
    X, y, _ = sv.datasets.make_toy(200, 2000, 5, 1.0, random_state=1)
    with_shadow = sv.sparse_path(X, y, penalty, alphas=40, eps=0.01, start="previous")
    without = sv.sparse_path(X, y, penalty, alphas=40, eps=0.01, start="previous", shadow=False)
    assert with_shadow.passes.sum() < without.passes.sum()
    assert np.all(with_shadow.converged)
    assert np.all(without.converged)
    # Both are stationary to 1e-6 of the slope; on this problem they end in the same minima as
    # long as few of the features that only fit noise are selected.
    np.testing.assert_allclose(with_shadow.objective, without.objective, rtol=1e-9)
