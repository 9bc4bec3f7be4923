"""Surfaces, shape grids, and warm starts from shape to shape."""

import itertools

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from problems import sparse_design, toy
from sklearn.exceptions import ConvergenceWarning
from tolerances import DEFAULT_KKT, FEW_OPS, REORDERED_SUM

import sparsieve as sv


@pytest.fixture
def problem():
    X, y, _ = toy(n_samples=60, n_features=100, n_active=5, noise=0.5, seed=4)
    return X, y


@pytest.mark.parametrize("name", ["mcp", "scad", "logsum", "capped_l1", "lq"])
def test_default_grid_goes_from_convex_to_concave(name):
    grid = sv.shape_grid(name)
    assert len(grid) >= 4
    t = np.linspace(0.0, 5.0, 200)
    # Relative to the slope at zero, each shape's slope falls at least as fast as the one before.
    slopes = [p.slope(t, 1.0) / p.slope(np.zeros(1), 1.0) for p in grid]
    for flatter, steeper in itertools.pairwise(slopes):
        assert np.sum(steeper) < np.sum(flatter)


def test_default_grid_follows_the_scale_of_the_data():
    X, y, _ = toy(n_samples=50, n_features=20, n_active=3, noise=0.3, seed=0)
    options = {"alphas": 10, "eps": 0.05, "tol": 1e-9}
    for name in ("mcp", "logsum", "capped_l1"):
        one = sv.sparse_surface(X, y, name, **options)
        # X in other units: coefficients scale, and so do the shapes, so the supports are the same.
        other = sv.sparse_surface(X * 8.0, y, name, **options)
        np.testing.assert_array_equal(one.grid("support_size"), other.grid("support_size"))
        np.testing.assert_allclose(one.grid("r2"), other.grid("r2"), atol=1e-6)  # tol of the solves


def test_l1_and_own_penalties_have_one_shape():
    class Own:
        def value(self, abs_w, alpha):
            return alpha * np.log1p(np.asarray(abs_w, dtype=float))

        def slope(self, abs_w, alpha):
            return alpha / (1.0 + np.asarray(abs_w, dtype=float))

    assert len(sv.shape_grid("l1")) == 1
    own = Own()
    assert sv.shape_grid(own) == [own]


def test_points_are_certified_and_equal_to_paths(problem):
    X, y = problem
    shapes = [10.0, 3.0, 1.5]
    surface = sv.sparse_surface(X, y, "mcp", shapes=shapes, alphas=15, eps=0.05)
    assert [p.gamma for p in surface.penalties] == shapes
    assert len(surface) == 3
    assert surface.grid("kkt").max() <= DEFAULT_KKT
    for path, gamma in zip(surface, shapes, strict=True):
        alone = sv.sparse_path(X, y, sv.MCP(gamma), alphas=15, eps=0.05)
        np.testing.assert_allclose(path.objective, alone.objective, rtol=REORDERED_SUM)
        np.testing.assert_allclose(path.alphas, alone.alphas, rtol=FEW_OPS)


@pytest.mark.parametrize("warm", ["shape", "both"])
def test_warm_starts_give_critical_points(problem, warm):
    X, y = problem
    surface = sv.sparse_surface(
        X, y, "logsum", shapes=[3.0, 1.0, 0.3], alphas=12, eps=0.05, warm=warm
    )
    for path in surface:
        for k, alpha in enumerate(path.alphas):
            judged = sv.kkt_violation(
                X, y, path.coef_at(alpha), path.intercepts[k], penalty=path.penalty, alpha=alpha
            )
            assert judged <= DEFAULT_KKT * (1 + 1e-3)  # the judge sums in another order


def test_both_is_never_above_either_start_at_its_first_shape(problem):
    X, y = problem
    options = {"shapes": [10.0, 2.0], "alphas": 12, "eps": 0.05}
    alone = sv.sparse_surface(X, y, "mcp", **options)
    both = sv.sparse_surface(X, y, "mcp", warm="both", **options)
    np.testing.assert_array_equal(both[0].objective, alone[0].objective)
    assert both[1].objective[0] <= alone[1].objective[0] * (1 + REORDERED_SUM)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_n_jobs_does_not_change_a_bit(problem, backend):
    X, y = problem
    options = {"shapes": [10.0, 3.0, 1.5], "alphas": 10, "eps": 0.05}
    serial = sv.sparse_surface(X, y, "mcp", **options)
    with parallel_config(backend=backend, n_jobs=2):
        parallel = sv.sparse_surface(X, y, "mcp", **options)
    for one, other in zip(serial, parallel, strict=True):
        np.testing.assert_array_equal(one.objective, other.objective)
        np.testing.assert_array_equal(one.coef_at(one.alphas[-1]), other.coef_at(one.alphas[-1]))


def test_limits_end_each_path(problem):
    X, y = problem
    surface = sv.sparse_surface(X, y, ["l1", "mcp"], alphas=40, max_support=6)
    assert [path.ended for path in surface] == ["max_support", "max_support"]
    assert np.isnan(surface.grid("objective")).any()
    for warm in ("shape", "both"):
        chained = sv.sparse_surface(X, y, ["l1", "mcp"], alphas=40, max_support=6, warm=warm)
        assert all(path.ended == "max_support" for path in chained)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_max_time_leaves_a_surface(problem):
    X, y = problem
    surface = sv.sparse_surface(X, y, "mcp", alphas=20_000, max_time=1e-9)
    assert all(path.ended == "max_time" for path in surface)
    assert all(len(path) >= 1 for path in surface)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("warm", ["shape", "both"])
def test_max_time_is_for_the_whole_of_a_chain(problem, warm, monkeypatch):
    X, y = problem
    # A clock that moves by a second whenever it is read: no path gets far in twenty.
    clock = itertools.count()
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    surface = sv.sparse_surface(X, y, "mcp", alphas=50, max_time=20.0, warm=warm)
    assert all(path.ended == "max_time" for path in surface)
    assert sum(len(path) for path in surface) < 50
    assert sum(path.status.count("INTERRUPTED") for path in surface) <= len(surface)


def test_summary_and_names(problem):
    X, y = problem
    frame = pd.DataFrame(X, columns=[f"v{j}" for j in range(100)])
    surface = sv.sparse_surface(frame, y, [sv.L1(), sv.SCAD()], alphas=10)
    lines = surface.summary().splitlines()
    assert lines[0] == "2 shapes of L1, SCAD, 20 certified points"
    assert repr(surface) == f"<Surface: {lines[0]}>"
    assert lines[1].split()[:3] == ["penalty", "alphas", "first"]
    assert lines[3].startswith("SCAD(gamma=3.7)")
    assert list(surface.feature_names) == list(frame.columns)


def test_progress_of_a_chain(problem, capsys):
    sv.sparse_surface(*problem, "mcp", alphas=3, warm="both", progress=True)
    assert "shapes: 100%" in capsys.readouterr().err


def test_sparse_data():
    X = sparse_design(60, 20, density=0.4, seed=1)
    y = X @ np.r_[2.0, -1.5, np.zeros(18)] + 0.1 * np.random.default_rng(0).normal(size=60)
    one = sv.sparse_surface(X, y, "mcp", alphas=8, tol=1e-9)
    other = sv.sparse_surface(X.toarray(), y, "mcp", alphas=8, tol=1e-9)
    np.testing.assert_array_equal(one.grid("support_size"), other.grid("support_size"))


@pytest.mark.parametrize(
    ("penalties", "options", "words"),
    [
        (
            "l1",
            {"shapes": [1.0, 2.0]},
            r"shapes=\[1.0, 2.0\] was given, but L1 has no shape parameter",
        ),
        (["mcp"], {"shapes": [1.0]}, "shapes were given together with a list of penalties"),
        ("mcp", {"shapes": []}, "shapes must be a non-empty list"),
        ("mcp", {"shapes": "steep"}, "shapes must be a non-empty list of numbers, got 'steep'"),
        ("mcp", {"shapes": [3.0, 3.0]}, r"penalty\[1\] = MCP\(gamma=3\) repeats penalty\[0\]"),
        ("scad", {"shapes": [1.5]}, "SCAD: gamma must be"),
        ([], {}, "penalty is an empty list"),
        ("mcp", {"warm": "gamma"}, "warm='gamma' is not known"),
        ("mcp", {"warm": "both", "checkpoint": "x"}, "checkpoint needs warm='alpha'"),
        ("mcp", {"alphas": []}, "non-empty"),
        ("mcp", {"max_support": 0}, "max_support must be"),
    ],
)
def test_errors_name_the_cause_and_the_remedy(problem, penalties, options, words):
    X, y = problem
    with pytest.raises(ValueError, match=words):
        sv.sparse_surface(X, y, penalties, **options)


@pytest.mark.parametrize("name", ["nothing", "penalty", "points", "coefs", "summary"])
def test_grid_of_something_else(problem, name):
    surface = sv.sparse_surface(*problem, "mcp", alphas=3)
    with pytest.raises(ValueError, match=rf"no numbers called '{name}'; use one of alphas, interc"):
        surface.grid(name)


def test_scales_are_checked():
    with pytest.raises(ValueError, match="column_scale must be"):
        sv.shape_grid("mcp", column_scale=0.0)
    with pytest.raises(ValueError, match="coef_scale must be"):
        sv.shape_grid("logsum", coef_scale=-1.0)


@pytest.mark.parametrize("warm", ["alpha", "shape"])
def test_max_time_counts_the_fit_of_unpenalised_features(warm):
    X, y, _ = toy(n_samples=50, n_features=40, n_active=4, noise=0.5, seed=0)
    free = np.r_[np.zeros(20), np.ones(20)]
    # No time at all, so that no clock decides.
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        surface = sv.sparse_surface(X, y, alphas=5, weights=free, warm=warm, max_time=1e-9)
    assert {path.ended for path in surface} == {"max_time"}


# What the fuzzers found; each crashed, hung or spoke in riddles once.


def test_a_surface_of_columns_beyond_the_range_is_refused_in_words():
    X = np.eye(5)[:, :1] * 1e300
    with pytest.raises(ValueError, match="power of ten"):
        sv.sparse_surface(X, np.arange(5.0), "mcp", alphas=3)
