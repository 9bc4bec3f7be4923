"""Where solves start: names, given coefficients, the lowest of several, the grid, bad input."""

import dataclasses
import itertools
import re
import signal

import numpy as np
import pandas as pd
import pytest
import real_data
from penalties_under_test import Geman
from problems import ar_design, dictionary, response, toy
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso
from tolerances import (
    AGREEMENT,
    DEFAULT_KKT,
    FEW_OPS,
    FLOAT32_DATA,
    ONE_BASIN,
    TIE,
    TWO_SOLVES,
)

import sparsieve as sv
from sparsieve.data.validation import check_X_y
from sparsieve.inspect.certificate import STARTED
from sparsieve.paths.grid import grid_from
from sparsieve.penalties import resolve_penalty
from sparsieve.solve.solvers import Begin, Problem, Solver
from sparsieve.solve.starts import ABOVE, FRACTION, Start, check_start, lowest
from sparsieve.solve.tracing import check_limits, fits_along, trace

NAMES = ("lasso", "previous", "best")
CONCAVE = [sv.LogSum(0.1), sv.MCP(), sv.SCAD(), sv.CappedL1(), sv.Lq(), Geman()]
every_concave = pytest.mark.parametrize(
    "penalty", CONCAVE, ids=[type(penalty).__name__ for penalty in CONCAVE]
)
TIGHT = 1e-10  # tol where two solves are compared: see TWO_SOLVES


class Halved:
    """A user's own convex penalty: half the lasso."""

    def value(self, abs_w, alpha):
        return 0.5 * alpha * np.asarray(abs_w)

    def slope(self, abs_w, alpha):
        return 0.5 * alpha * np.ones_like(np.asarray(abs_w, dtype=float))


@pytest.fixture(scope="module")
def hard():
    """Return a small dictionary, where the starts lead to different points."""
    X, y, _ = dictionary(48, 10, seed=1)
    return X, y


@pytest.fixture(scope="module")
def easy():
    X, y, _ = toy(n_samples=50, n_features=40, n_active=4, noise=0.1, seed=0)
    return np.asfortranarray(X + 0.3), y + 2.0


def dense(path):
    return path.coefs.toarray() if sparse.issparse(path.coefs) else path.coefs


def bits(path):
    return [getattr(path, name) for name in ("alphas", "objective", "kkt", "intercepts")] + [
        dense(path)
    ]


def assert_same_bits(path, other):
    for one, two in zip(bits(path), bits(other), strict=True):
        np.testing.assert_array_equal(one, two)


def assert_close(path, other, tolerance=TWO_SOLVES):
    expected = dense(path)
    assert np.count_nonzero(expected) > 0
    atol = tolerance * np.abs(expected).max()
    np.testing.assert_allclose(dense(other), expected, rtol=0, atol=atol)


def slope_at_zero(penalty, alpha):
    return float(np.asarray(penalty.slope(np.zeros(1), np.full(1, alpha)))[0])


# ---------------------------------------------------------------------------------------- names


@every_concave
@pytest.mark.parametrize("start", NAMES)
def test_every_point_says_where_it_began(easy, penalty, start):
    X, y = easy
    path = sv.sparse_path(X, y, penalty, alphas=8, eps=0.05, start=start)
    assert path.start.shape == (8,)
    expected = {"previous", "lasso", "upwards"} if start == "best" else {start}
    assert set(path.start) <= expected
    assert [point.start for point in path.points] == path.start.tolist()
    given = sv.sparse_path(X, y, penalty, alphas=8, eps=0.05, start=np.ones(40))
    assert set(given.start) == {"given"}


def test_the_lasso_is_the_default(hard):
    assert_same_bits(
        sv.sparse_path(*hard, alphas=8), sv.sparse_path(*hard, alphas=8, start="lasso")
    )
    for estimator in (sv.SparseRegressor, sv.SparseRegressorCV, sv.SparseRegressorIC):
        assert estimator().start == "lasso"
        assert clone(estimator(start="best")).start == "best"


def test_the_lowest_of_several_uses_more_than_one_of_them(hard):
    path = sv.sparse_path(*hard, alphas=20, eps=0.02, start="best")
    assert len(set(path.start)) > 1


@pytest.mark.parametrize("penalty", [sv.L1(), Halved()], ids=["L1", "own"])
def test_a_convex_penalty_has_no_choice_and_pays_nothing(hard, penalty):
    X, y = hard
    path = sv.sparse_path(X, y, penalty, alphas=8, eps=0.05, start="previous")
    assert set(path.start) == {"none"}
    for start in ("lasso", "best", np.ones(X.shape[1])):
        other = sv.sparse_path(X, y, penalty, alphas=8, eps=0.05, start=start)
        assert set(other.start) == {"none"}
        assert_same_bits(path, other)
        np.testing.assert_array_equal(path.passes, other.passes)
    models = [sv.SparseRegressor(penalty, path.alphas[4], start=start) for start in NAMES]
    coefs = [model.fit(X, y).coef_ for model in models]
    assert {model.certificate_.start for model in models} == {"none"}
    np.testing.assert_array_equal(coefs[0], coefs[1])
    np.testing.assert_array_equal(coefs[0], coefs[2])


def test_certificate_and_summary_show_the_start(easy):
    X, y = easy
    for start, name in [("lasso", "lasso"), ("previous", "previous"), (np.ones(40), "given")]:
        path = sv.sparse_path(X, y, alphas=4, start=start)
        head, *rows = path.summary().splitlines()[1:]
        at = head.split().index("start")
        assert [row.split()[at] for row in rows] == [name] * 4
        model = sv.SparseRegressor(alpha=path.alphas[2], start=start).fit(X, y)
        assert model.certificate_.start == name
        assert STARTED[name] in str(model.certificate_)
    for name, words in STARTED.items():
        assert words in str(dataclasses.replace(model.certificate_, start=name))


# ------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("start", "error", "words"),
    [
        ("laso", ValueError, r"start='laso' is not known; use 'lasso', 'previous', 'best', or an"),
        (np.ones(39), ValueError, r"start has shape \(39,\).*one coefficient per feature"),
        (np.ones((40, 1)), ValueError, r"start has shape \(40, 1\).*one coefficient per feature"),
        (None, ValueError, r"start=None is not known; use 'lasso'"),
        (True, TypeError, r"start is neither a name nor numbers"),
        (np.r_[0.0, np.nan, np.zeros(38)], ValueError, r"start\[1\] is nan; replace it by a fin"),
        (np.r_[np.zeros(39), -np.inf], ValueError, r"start\[39\] is -inf; replace it by a finite"),
        ({}, TypeError, "start is neither a name nor numbers.*dict.*use 'lasso', 'previous'"),
        (["a"] * 40, TypeError, "start is neither a name nor numbers"),
        (np.ones(40, dtype=complex), TypeError, "start is neither a name nor numbers"),
        ([10**400] * 40, TypeError, "start is neither a name nor numbers"),
        ([[1.0], [2.0, 3.0]], TypeError, "start is neither a name nor numbers"),
        (np.full(40, 1e200), ValueError, "start: the coefficients are so large.*power of ten"),
    ],
)
def test_a_wrong_start_is_named_with_its_remedy(easy, start, error, words):
    X, y = easy
    calls = [
        lambda: sv.sparse_path(X, y, alphas=3, start=start),
        lambda: sv.SparseRegressor(alpha=0.1, start=start).fit(X, y),
        lambda: sv.SparseRegressorCV(alphas=3, cv=2, start=start).fit(X, y),
        lambda: sv.SparseRegressorIC(alphas=3, start=start).fit(X, y),
        lambda: sv.sparse_surface(X, y, shapes=[3.0], alphas=3, start=start),
        lambda: sv.stability_selection(X, y, n_pairs=1, alphas=3, start=start),
    ]
    for call in calls:
        with pytest.raises(error, match=words):
            call()


# --------------------------------------------------------------------------- given coefficients


def test_given_coefficients_are_made_to_obey_the_constraints(easy):
    X, y = easy
    weights = np.ones(40)
    weights[[1, 3]] = np.inf
    given = np.random.default_rng(0).standard_normal(40)
    before = given.copy()
    problem = Problem(check_X_y(X, y, weights=weights), positive=True)
    kept = check_start(given, problem).coef
    expected = np.maximum(given, 0.0)
    expected[[1, 3]] = 0.0
    np.testing.assert_array_equal(kept, expected)
    options = {"weights": weights, "positive": True, "alphas": [0.5, 0.1]}
    path = sv.sparse_path(X, y, start=given, **options)
    assert_same_bits(path, sv.sparse_path(X, y, start=expected, **options))
    assert np.all(dense(path) >= 0.0)
    assert not np.any(dense(path)[[1, 3]])
    np.testing.assert_array_equal(given, before)


def test_given_coefficients_start_every_fold_and_shape(easy, monkeypatch):
    X, y = easy
    given = np.random.default_rng(0).standard_normal(40)
    alphas = [0.5, 0.2, 0.1]
    placed = []
    real = Begin.given

    def record(columns, values, *rest):
        coef = np.zeros(40)
        coef[columns] = values
        placed.append(coef)
        return real(columns, values, *rest)

    monkeypatch.setattr(Begin, "given", record)
    sv.sparse_path(X, y, alphas=alphas, start=given)
    assert len(placed) == 1
    sv.sparse_surface(X, y, shapes=[9.0, 3.0], alphas=alphas, start=given)
    assert len(placed) == 1 + 2
    sv.SparseRegressorIC(["mcp", "scad"], alphas=alphas, start=given).fit(X, y)
    assert len(placed) == 3 + 2
    sv.SparseRegressorCV(alphas=alphas, cv=4, start=given).fit(X, y)
    assert len(placed) == 5 + 4 + 1
    np.testing.assert_array_equal(placed, [given] * len(placed))


def test_given_coefficients_start_every_alpha(easy):
    X, y = easy
    given = np.random.default_rng(0).standard_normal(40)
    solver = Problem(check_X_y(X, y)).solver(sv.MCP())
    alphas, begin = np.array([0.5, 0.2, 0.1]), Begin.given(np.arange(40), given)
    loose = 1e9  # every point will do, so a solve ends where it begins
    points = []
    solver.follow(alphas, np.full(3, loose), 10, [begin], lambda p: bool(points.append(p)))
    values = [point.values for point in points]
    np.testing.assert_array_equal(values, [given] * 3)
    np.testing.assert_array_equal(solver.fits(alphas, loose, 10, begin).values, np.tile(given, 3))


def test_a_path_from_given_coefficients_is_its_alphas_one_by_one(easy):
    X, y = easy
    given = np.random.default_rng(0).standard_normal(40)
    path = sv.sparse_path(X, y, alphas=[0.5, 0.2, 0.1], start=given, tol=TIGHT)
    for k, alpha in enumerate(path.alphas):
        alone = sv.sparse_path(X, y, alphas=[alpha], start=given, tol=TIGHT)
        model = sv.SparseRegressor(alpha=alpha, start=given, tol=TIGHT).fit(X, y)
        for objective in (alone.objective[0], model.objective_):
            assert objective == pytest.approx(path.objective[k], rel=TWO_SOLVES)


def test_a_list_and_integers_are_coefficients_too(easy):
    X, y = easy
    given = np.arange(40) % 3
    path = sv.sparse_path(X, y, alphas=[0.2], start=given)
    assert_same_bits(path, sv.sparse_path(X, y, alphas=[0.2], start=given.tolist()))


def test_a_solution_is_where_a_solve_from_it_ends(hard):
    X, y = hard
    path = sv.sparse_path(X, y, alphas=10, eps=0.05)
    for k in (3, 6, 9):
        given = path.coef_at(path.alphas[k])
        again = sv.sparse_path(X, y, alphas=path.alphas[[k]], start=given)
        assert_close(
            sv.sparse_path(X, y, alphas=path.alphas[[k]], start=given, tol=TIGHT), again, ONE_BASIN
        )
        assert again.objective[0] == pytest.approx(path.objective[k], rel=ONE_BASIN)


def test_warm_start_wins_from_the_second_fit_on(hard):
    X, y = hard
    given = np.ones(X.shape[1])
    for start in (*NAMES, given):
        model = sv.SparseRegressor(alpha=0.3, warm_start=True, start=start).fit(X, y)
        cold = sv.SparseRegressor(alpha=0.3, start=start).fit(X, y)
        np.testing.assert_array_equal(model.coef_, cold.coef_)
        before = model.coef_
        model.set_params(alpha=0.25).fit(X, y)
        assert model.certificate_.start == "given"
        told = sv.SparseRegressor(alpha=0.25, start=before).fit(X, y)
        np.testing.assert_array_equal(model.coef_, told.coef_)


# --------------------------------------------------------------------------- lowest of several


@every_concave
@pytest.mark.parametrize("alphas", [12, np.geomspace(1.0, 0.02, 12)], ids=["own grid", "given"])
def test_best_is_never_above_any_of_its_starts(penalty, alphas):
    for seed in range(4):
        X = ar_design(30, 60, 0.9, seed)
        y = response(X, 6, 0.3, seed)
        best = sv.sparse_path(X, y, penalty, alphas=alphas, eps=0.02, start="best")
        limits = check_limits(tol=1e-6, max_iter=10_000)
        problem = Problem(check_X_y(X, y), minimum="coordinatewise")
        solver = problem.solver(resolve_penalty(penalty), n_alphas=12)
        down, _ = trace(solver, best.alphas, limits)
        up = [solver.solve(a, 1e-6, 10_000) for a in best.alphas[::-1]][::-1]
        lasso = sv.sparse_path(X, y, penalty, alphas=alphas, eps=0.02, start="lasso")
        np.testing.assert_array_equal(lasso.alphas, best.alphas)
        for points in (down, up, lasso.points):
            level = np.array([point.objective for point in points])
            assert np.all(best.objective <= level * (1 + TIE))


def test_the_walk_down_of_best_begins_at_zero():
    """Not where the search for the first alpha ended: the walk is that of start="previous"."""
    for seed, penalty in itertools.product(range(15), (sv.LogSum(0.03), sv.MCP(1.2))):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((12, 20)), rng.standard_normal(12)
        best = sv.sparse_path(X, y, penalty, alphas=5, eps=0.05, start="best")
        down = sv.sparse_path(X, y, penalty, alphas=best.alphas, start="previous")
        assert np.all(best.objective <= down.objective * (1 + TIE))


def test_ties_go_the_same_way_every_time(hard):
    X, y = hard
    path = sv.sparse_path(X, y, alphas=6)
    point = path.points[4]
    close = [
        dataclasses.replace(point, start=name, objective=point.objective * (1 + shift), passes=1.0)
        for name, shift in [("upwards", 0.0), ("previous", FEW_OPS), ("lasso", 2 * FEW_OPS)]
    ]
    for order in itertools.permutations(close):
        kept = lowest(order)
        assert (kept.start, kept.passes) == ("lasso", 3.0)
    lower = dataclasses.replace(close[0], objective=0.5 * point.objective)
    assert lowest([*close, lower]).start == "upwards"
    one, other = (sv.sparse_path(X, y, alphas=12, start="best") for _ in range(2))
    assert_same_bits(one, other)
    assert one.start.tolist() == other.start.tolist()


def test_best_of_a_single_fit_is_never_above_the_others(hard):
    X, y = hard
    for penalty, part in itertools.product(("mcp", "logsum"), (0.5, 0.1, 0.03)):
        alpha = part * sv.alpha_max(X, y, penalty)
        level = {
            start: sv.SparseRegressor(penalty, alpha, start=start).fit(X, y).objective_
            for start in NAMES
        }
        assert level["best"] <= min(level["previous"], level["lasso"]) * (1 + TIE)


# --------------------------------------------------------------------------- points beside it


@pytest.fixture(scope="module")
def alike():
    """Return columns that resemble their neighbours, where luck decides which walk is lowest."""
    X = ar_design(30, 60, 0.9, 3)
    return X, response(X, 6, 0.3, 3)


def three_walks(X, y, alphas, penalty="mcp"):
    """Return the objective of each walk of "best" by itself."""
    solver = Problem(check_X_y(X, y)).solver(resolve_penalty(penalty))
    down = solver.fits(alphas, 1e-6, 10_000).objective
    up = solver.fits(alphas[::-1], 1e-6, 10_000).objective[::-1]
    lasso = solver.again().fits(alphas, 1e-6, 10_000, Begin.lasso(FRACTION)).objective
    return np.stack([down, up, lasso])


def test_best_is_lower_than_its_walks_where_a_neighbour_leads_there():
    lower = 0
    for seed in range(8):
        X = ar_design(30, 60, 0.9, seed)
        y = response(X, 6, 0.3, seed)
        best = sv.sparse_path(X, y, alphas=15, eps=0.02, start="best")
        level = three_walks(X, y, best.alphas).min(axis=0)
        assert np.all(best.objective <= level * (1 + TIE))
        won = best.objective < level * (1 - ONE_BASIN)
        assert set(best.start[won]) <= {"previous", "upwards"}
        lower += won.sum()
    assert lower >= 5


@pytest.mark.parametrize("penalty", ["mcp", "scad", "logsum"])
def test_no_point_beside_it_leads_below_a_point_of_best(alike, penalty):
    X, y = alike
    path = sv.sparse_path(X, y, penalty, alphas=15, eps=0.02, start="best")
    for k, beside in itertools.product(range(15), (-1, 1)):
        if not 0 <= k + beside < 15:
            continue
        given = path.coef_at(path.alphas[k + beside])
        other = sv.sparse_path(X, y, penalty, alphas=path.alphas[[k]], start=given)
        assert other.objective[0] >= path.objective[k] * (1 - ONE_BASIN)


def solves_beside(monkeypatch):
    """Count the solves that begin from a neighbour's point."""
    begun = []
    real = Begin.given

    def record(columns, values, name="given"):
        begun.append(name)
        return real(columns, values, name)

    monkeypatch.setattr(Begin, "given", record)
    return begun


def test_where_the_walks_agree_nothing_is_solved_again(easy, monkeypatch):
    X, y = easy
    begun = solves_beside(monkeypatch)
    path = sv.sparse_path(X, y, "mcp", alphas=8, eps=0.2, start="best", tol=TIGHT)
    walks = three_walks(X, y, path.alphas)
    np.testing.assert_allclose(walks, walks[[0, 0, 0]], rtol=ONE_BASIN)  # or the test says nothing
    assert begun == []


def test_a_start_that_was_tried_is_not_tried_again(alike, monkeypatch):
    begun = solves_beside(monkeypatch)
    sv.sparse_path(*alike, alphas=15, eps=0.02, start="best")
    assert 0 < len(begun) <= 3 * 2 * 14
    assert set(begun) == {"previous", "upwards"}


def test_a_lower_point_that_did_not_converge_is_not_kept_beside_one_that_did(hard):
    point = sv.sparse_path(*hard, alphas=6).points[4]
    short = dataclasses.replace(point, status="ITERATIONS", objective=0.5 * point.objective)
    assert lowest([point, short], only_converged=True).converged
    assert lowest([short, short], only_converged=True).objective == short.objective


def test_ctrl_c_between_the_walks_and_the_end_keeps_every_alpha(alike, monkeypatch):
    alphas = sv.alpha_max(*alike) * np.geomspace(1.0, 0.02, 15)
    level = three_walks(*alike, alphas).min(axis=0)
    real = Begin.given

    def interrupt(*given):
        signal.raise_signal(signal.SIGINT)
        return real(*given)

    monkeypatch.setattr(Begin, "given", interrupt)
    with pytest.warns(UserWarning, match="interrupted after 15 of 15 alphas; the finished part"):
        path = sv.sparse_path(*alike, alphas=alphas, start="best")
    assert path.ended == "interrupted"
    np.testing.assert_allclose(path.objective, level, rtol=TIE)


def test_time_that_is_up_between_the_walks_and_the_end_is_said(alike, monkeypatch):
    monkeypatch.setattr("sparsieve.solve.lowering.Lowering.run", lambda *given: False)
    path = sv.sparse_path(*alike, alphas=15, eps=0.02, start="best", max_time=100.0)
    assert (path.ended, len(path)) == ("max_time", 15)


@pytest.mark.parametrize("minimum", ["stationary", "swap"])
def test_folds_and_paths_lower_their_points_alike(alike, minimum):
    X, y = alike
    alphas = sv.alpha_max(X, y) * np.geomspace(1.0, 0.02, 15)
    path = sv.sparse_path(X, y, alphas=alphas, start="best", minimum=minimum)
    solver = Problem(check_X_y(X, y), minimum=minimum).solver(resolve_penalty("mcp"))
    fits = fits_along(solver, path.alphas, 1e-6, 10_000, Start("best"))
    np.testing.assert_array_equal(fits.objective, path.objective)
    np.testing.assert_array_equal(fits.sizes, path.support_size)


# ------------------------------------------------------------------------------------ exchanges


def exchanged(monkeypatch):
    """Note for every path that is followed whether exchanges are asked for."""
    asked = []
    real = Solver.follow

    def record(self, *given, exchange=False, **options):
        asked.append(exchange)
        return real(self, *given, exchange=exchange, **options)

    monkeypatch.setattr(Solver, "follow", record)
    return asked


@pytest.mark.parametrize("start", NAMES)
@pytest.mark.parametrize("minimum", ["stationary", "coordinatewise", "swap"])
def test_only_the_best_swap_exchanges_features(alike, monkeypatch, start, minimum):
    asked = exchanged(monkeypatch)
    sv.sparse_path(*alike, alphas=8, eps=0.05, start=start, minimum=minimum)
    assert any(asked) == (start == "best" and minimum == "swap")
    asked.clear()
    sv.SparseRegressor(alpha=0.1, start=start, minimum=minimum).fit(*alike)
    assert any(asked) == (start == "best" and minimum == "swap")


def test_exchanges_lower_points_and_leave_none_that_an_exchange_would_lower():
    lower = 0
    for seed in range(8):
        X = ar_design(40, 120, 0.9, seed)
        y = response(X, 8, 0.5, seed)
        path = sv.sparse_path(X, y, alphas=12, eps=0.02, start="best", minimum="swap")
        assert set(path.minimum) == {"swap"}
        solver = Problem(check_X_y(X, y), minimum="swap").solver(resolve_penalty("mcp"))
        for point in path.points:
            found = []
            begin = Begin.given(point.columns, point.values)
            solver.follow([point.alpha], [1e-6], 10_000, [begin], found.append, exchange=True)
            assert found[0].objective >= point.objective * (1 - ONE_BASIN)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sparsieve.solve.tracing.passes", lambda minimum: ("previous", "upwards"))
            without = sv.sparse_path(X, y, alphas=path.alphas, start="best", minimum="swap")
        lower += np.sum(path.objective < without.objective * (1 - ONE_BASIN))
    assert lower >= 5


# ------------------------------------------------------------------------------------- the grid


@every_concave
@pytest.mark.parametrize("start", [*NAMES, "given"])
@pytest.mark.parametrize("count", [1, 2, 30])
def test_a_grid_begins_at_an_empty_point_and_ends_where_it_always_did(hard, penalty, start, count):
    X, y = hard
    start = np.full(X.shape[1], 0.1) if start == "given" else start
    largest = sv.alpha_max(X, y, penalty)
    path = sv.sparse_path(X, y, penalty, alphas=count, eps=0.02, start=start, max_support=30)
    unmoved = sv.alpha_max(X, y, penalty, minimum="coordinatewise")
    limit = max(largest / FRACTION, ABOVE * unmoved)
    assert largest <= path.alphas[0] <= limit * (1 + FEW_OPS)
    if not isinstance(start, str):
        return  # given coefficients need not vanish anywhere
    assert path.support_size[0] == 0 or path.alphas[0] == pytest.approx(limit, rel=FEW_OPS)
    if start == "previous":
        assert path.alphas[0] == (ABOVE * unmoved if unmoved > largest else largest)
    solver = Problem(check_X_y(X, y), minimum="coordinatewise").solver(resolve_penalty(penalty))
    grid = grid_from(solver, Start(start), count, 0.02)
    assert len(grid) == count
    np.testing.assert_array_equal(grid[: len(path)], path.alphas)
    if count > 1:
        assert grid[-1] == pytest.approx(0.02 * largest, rel=FEW_OPS)


def test_features_may_be_there_at_alpha_max_from_a_lasso(hard):
    X, y = hard
    largest = sv.alpha_max(X, y, "logsum")
    path = sv.sparse_path(X, y, "logsum", alphas=20, eps=0.05)
    assert path.alphas[0] > largest
    assert path.support_size[0] == 0
    given = sv.sparse_path(X, y, "logsum", alphas=[largest, 0.1 * largest])
    np.testing.assert_array_equal(given.alphas, [largest, 0.1 * largest])
    assert given.support_size[0] > 0
    down = sv.sparse_path(X, y, "logsum", alphas=[largest], start="previous", minimum="stationary")
    assert down.support_size[0] == 0


@pytest.mark.parametrize("eps", [1 - 2.0**-53, 0.9999])
def test_a_grid_finer_than_rounding_ends(hard, eps):
    path = sv.sparse_path(*hard, "logsum", alphas=3, eps=eps)
    assert path.support_size[0] == 0
    assert path.alphas[-1] == pytest.approx(sv.alpha_max(*hard, "logsum") * eps, rel=FEW_OPS)


def test_unpenalised_features_do_not_keep_a_grid_from_beginning(hard):
    X, y = hard
    weights = np.r_[1.0, 0.0, np.ones(X.shape[1] - 2)]
    path = sv.sparse_path(X, y, "logsum", alphas=20, eps=0.05, weights=weights)
    assert path.points[0].columns.tolist() == [1]


# ----------------------------------------------------------------- the same point by every way


def random_problems(count):
    for seed in range(count):
        rng = np.random.default_rng(seed)
        X = ar_design(40, 60, rng.uniform(0.0, 0.9), seed)
        yield X, response(X, int(rng.integers(1, 10)), rng.uniform(0.1, 1.0), seed)


def agreement(count, penalties):
    """Return how often one alpha by itself ends where a path ends, each way, and the number."""
    agreed, total = np.zeros(2), 0
    for k, (X, y) in enumerate(random_problems(count)):
        penalty = penalties[k % len(penalties)]
        path = sv.sparse_path(X, y, penalty, alphas=8, eps=0.05)
        for alpha, objective in zip(path.alphas[1:], path.objective[1:], strict=True):
            short = sv.sparse_path(X, y, penalty, alphas=[alpha]).objective[0]
            single = sv.SparseRegressor(penalty, alpha).fit(X, y).objective_
            apart = np.abs(np.array([short, single]) - objective)
            agreed += apart <= ONE_BASIN * objective
            total += 1
    return agreed, total


def test_one_alpha_by_itself_ends_where_a_path_does():
    agreed, total = agreement(60, CONCAVE)
    assert total >= 400
    assert np.all(agreed >= AGREEMENT * total)


@pytest.mark.slow
def test_one_alpha_by_itself_ends_where_a_path_does_on_thousands():
    agreed, total = agreement(900, CONCAVE)
    assert total >= 6000
    assert np.all(agreed >= AGREEMENT * total)


@every_concave
def test_the_lasso_start_is_the_lasso(penalty):
    """Given to a solve, scikit-learn's lasso at 0.3 of slope(0) leads to the same point."""
    X, y, _ = toy(n_samples=60, n_features=80, n_active=6, noise=0.5, seed=4)
    for part in (0.8, 0.4, 0.2):
        alpha = part * sv.alpha_max(X, y, penalty)
        level = FRACTION * slope_at_zero(penalty, alpha)
        lasso = Lasso(alpha=level, tol=1e-10, max_iter=10**5).fit(X, y)
        ours = sv.sparse_path(X, y, penalty, alphas=[alpha], tol=TIGHT)
        theirs = sv.sparse_path(X, y, penalty, alphas=[alpha], start=lasso.coef_, tol=TIGHT)
        assert_close(theirs, ours)


@pytest.mark.parametrize("start", NAMES)
@every_concave
def test_storage_and_threads_do_not_matter(easy, penalty, start):
    X, y = easy
    options = {"alphas": 10, "eps": 0.05, "start": start, "tol": TIGHT}
    path = sv.sparse_path(X, y, penalty, **options)
    options["alphas"] = path.alphas
    assert_close(path, sv.sparse_path(sparse.csc_array(X), y, penalty, **options))
    single = X.astype(np.float32)
    assert_close(path, sv.sparse_path(single, y, penalty, **options), FLOAT32_DATA)
    exact = sv.sparse_path(single.astype(np.float64), y, penalty, **options)
    assert_close(exact, sv.sparse_path(single, y, penalty, **options))


@pytest.mark.parametrize("start", [*NAMES, "given"])
@pytest.mark.parametrize("store", [np.asfortranarray, sparse.csc_array], ids=["dense", "csc"])
def test_the_number_of_threads_changes_no_bit(start, store):
    X, y, _ = toy(n_samples=150, n_features=1500, n_active=20, noise=1.0, seed=0)
    start = np.resize([1.0, 0.0, 0.0, -1.0, 0.0], 1500) if start == "given" else start
    options = {"alphas": 12, "eps": 0.05, "start": start}
    one, two = (sv.sparse_path(store(X), y, n_jobs=n, **options) for n in (1, 2))
    assert_same_bits(one, two)
    assert one.start.tolist() == two.start.tolist()
    models = [sv.SparseRegressor(alpha=0.2, n_jobs=n, start=start).fit(store(X), y) for n in (1, 2)]
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)


@pytest.mark.parametrize("start", NAMES)
def test_sample_weight_two_is_a_repeated_row(easy, start):
    X, y = easy
    rows = np.r_[np.arange(50), np.arange(10)]
    weight = np.r_[np.full(10, 2.0), np.ones(40)]
    options = {"eps": 0.05, "start": start, "tol": TIGHT}
    for penalty in ("mcp", "logsum"):
        path = sv.sparse_path(X[rows], y[rows], penalty, alphas=10, **options)
        options["sample_weight"] = weight
        assert_close(path, sv.sparse_path(X, y, penalty, alphas=path.alphas, **options))
        del options["sample_weight"]


@pytest.mark.parametrize("start", NAMES)
def test_weights_signs_and_the_intercept(easy, start):
    X, y = easy
    options = {"start": start, "tol": TIGHT}
    weights = np.ones(40)
    weights[::3] = np.inf
    kept = np.isfinite(weights)
    path = sv.sparse_path(X, y, "mcp", alphas=10, eps=0.05, weights=weights, **options)
    fewer = sv.sparse_path(X[:, kept], y, "mcp", alphas=path.alphas, **options)
    np.testing.assert_allclose(dense(path)[kept], dense(fewer), rtol=0, atol=TWO_SOLVES)
    assert not np.any(dense(path)[~kept])

    free = np.r_[0.0, 0.0, np.ones(38)]
    path = sv.sparse_path(X, y, "mcp", alphas=10, eps=0.05, weights=free, **options)
    assert np.all(dense(path)[:2] != 0.0)
    basis = np.column_stack([np.ones(50), X[:, :2]])
    away = np.eye(50) - basis @ np.linalg.pinv(basis)
    rest = sv.sparse_path(
        away @ X[:, 2:], away @ y, "mcp", alphas=path.alphas, fit_intercept=False, **options
    )
    np.testing.assert_allclose(dense(path)[2:], dense(rest), rtol=0, atol=TWO_SOLVES)

    path = sv.sparse_path(X, y, "mcp", alphas=10, eps=0.05, **options)
    centred = sv.sparse_path(
        X - X.mean(axis=0), y - y.mean(), alphas=path.alphas, fit_intercept=False, **options
    )
    assert_close(path, centred)


@every_concave
@pytest.mark.parametrize("start", NAMES)
def test_positive_points_are_certified_by_the_judge(hard, penalty, start):
    X, y = hard
    path = sv.sparse_path(X, y, penalty, alphas=8, eps=0.1, start=start, positive=True)
    assert np.all(dense(path) >= 0.0)
    for alpha, intercept in zip(path.alphas, path.intercepts, strict=True):
        where = {"penalty": penalty, "alpha": alpha, "positive": True}
        assert sv.kkt_violation(X, y, path.coef_at(alpha), intercept, **where) <= DEFAULT_KKT


# ------------------------------------------------------------------------------ ends of a path


@pytest.mark.parametrize("start", NAMES)
def test_limits_end_a_path(hard, start):
    X, y = hard
    path = sv.sparse_path(X, y, alphas=40, eps=0.01, start=start, max_support=6)
    assert path.ended == "max_support"
    assert path.support_size[-1] >= 6
    assert np.all(path.support_size[:-1] < 6)
    path = sv.sparse_path(X, y, alphas=40, eps=0.01, start=start, max_deviance=0.8)
    assert path.ended == "max_deviance"
    assert path.r2[-1] >= 0.8
    assert np.all(path.r2[:-1] < 0.8)


@pytest.mark.parametrize("start", NAMES)
def test_the_callback_sees_what_is_kept(hard, start):
    X, y = hard
    seen = []

    def stop_at_five(point):
        seen.append((point.alpha, point.objective, point.start))
        return len(seen) == 5

    path = sv.sparse_path(X, y, alphas=12, start=start, callback=stop_at_five)
    assert path.ended == "callback"
    kept = zip(path.alphas, path.objective, path.start.tolist(), strict=True)
    assert seen == list(kept)


@pytest.mark.parametrize("start", NAMES)
def test_ctrl_c_returns_the_finished_part(hard, start):
    def interrupt(point):
        if point.values.size >= 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(UserWarning, match="interrupted after [0-9]+ of 30 alphas"):
        path = sv.sparse_path(*hard, alphas=30, eps=0.01, start=start, callback=interrupt)
    assert path.ended == "interrupted"
    assert 0 < len(path) < 30
    whole = sv.sparse_path(*hard, alphas=30, eps=0.01, start=start)
    np.testing.assert_array_equal(path.objective, whole.objective[: len(path)])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("start", NAMES)
@pytest.mark.parametrize("alphas", [10, np.geomspace(1.0, 0.05, 10)], ids=["own grid", "given"])
def test_whenever_time_is_up_there_is_a_path(hard, monkeypatch, start, alphas):
    X, y = hard
    whole = sv.sparse_path(X, y, alphas=alphas, eps=0.05, start=start)
    ended = set()
    for budget in [1, 2, 3, 5, 8, 12, 16, 20, 24, 28, 32, 36, 40, 45, 50, 60, 80, 500]:
        # A clock that moves by a second whenever it is read.
        clock = itertools.count()
        with monkeypatch.context() as patch:
            patch.setattr("time.monotonic", lambda clock=clock: float(next(clock)))
            path = sv.sparse_path(X, y, alphas=alphas, eps=0.05, start=start, max_time=budget)
        ended.add(path.ended)
        assert 1 <= len(path) <= len(whole)
        # A solve that was broken off is kept only where there is nothing else.
        assert path.status in (["INTERRUPTED"], ["CONVERGED"] * len(path))
        for k, point in enumerate(path.points):
            if point.converged:
                where = {"penalty": "mcp", "alpha": point.alpha}
                judged = sv.kkt_violation(X, y, dense(path)[:, k], point.intercept, **where)
                assert judged <= DEFAULT_KKT
    assert ended == {"max_time", "complete"}


@pytest.mark.parametrize("start", NAMES)
def test_no_time_at_all(easy, start):
    X, y = easy
    free = np.r_[np.zeros(20), np.ones(20)]
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        path = sv.sparse_path(X, y, alphas=5, weights=free, start=start, max_time=1e-9)
    assert path.ended == "max_time"
    assert path.status == ["INTERRUPTED"]


@pytest.mark.parametrize("start", NAMES)
def test_progress_counts_every_walk(hard, start, capsys):
    sv.sparse_path(*hard, alphas=4, start=start, progress=True)
    total = 20 if start == "best" else 4  # three walks, a pass down, a pass up
    assert re.search(rf"alphas: 100%.* {total}/{total} ", capsys.readouterr().err)


# ------------------------------------------------------------------------------ what it is for


def error_at_the_bics_choice(seed, start):
    X, y, w = dictionary(128, 22, seed)
    n = len(y)
    path = sv.sparse_path(X, y, "mcp", alphas=25, eps=0.02, fit_intercept=False, start=start)
    coefs = dense(path)
    rss = np.sum((y[:, np.newaxis] - X @ coefs) ** 2, axis=0)
    bic = n * np.log(rss / n) + path.support_size * np.log(n)
    chosen = coefs[:, np.argmin(np.where(path.support_size <= n / 2, bic, np.inf))]
    return np.linalg.norm(chosen - w) / np.linalg.norm(w)


def test_a_dictionary_is_decoded_from_the_lasso_and_not_walking_down():
    error = {
        start: np.median([error_at_the_bics_choice(seed, start) for seed in range(20)])
        for start in NAMES
    }
    assert error["lasso"] <= 0.02
    assert error["best"] <= 0.02
    assert error["previous"] > 0.1


def test_labelled_coefficients_are_put_into_the_order_of_the_columns():
    X, y, w = toy(60, 12, 3, 0.5)
    names = [f"x{j}" for j in range(12)]
    frame = pd.DataFrame(X, columns=names)
    start = pd.Series(w + 1.0, index=names)
    shuffled = start.sample(frac=1.0, random_state=0)
    paths = [sv.sparse_path(frame, y, "mcp", alphas=5, start=s) for s in (start, shuffled)]
    np.testing.assert_array_equal(paths[0].objective, paths[1].objective)
    with pytest.raises(ValueError, match=r"start is labelled .* none for 'x0'"):
        sv.sparse_path(frame, y, "mcp", start=start.rename(index={"x0": "z"}))
    by_position = pd.Series(w, index=range(12))
    assert (sv.sparse_path(frame, y, "mcp", alphas=3, start=by_position).start == "given").all()


def test_a_mask_is_no_start():
    X, y, w = toy(60, 12, 3, 0.5)
    with pytest.raises(TypeError, match="start is neither a name nor numbers"):
        sv.sparse_path(X, y, "mcp", start=w != 0)


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("lasso", "5))"),
        ("previous", "start='previous')"),
        ("best", ""),
        (np.ones(12), "start=start"),
    ],
    ids=["lasso", "previous", "best", "given"],
)
def test_a_report_can_be_made_again_from_the_same_start(start, said):
    X, y, _ = toy(60, 12, 3, 0.5)
    assert said in sv.sparse_path(X, y, "mcp", alphas=5, start=start).to_html()
    model = sv.SparseRegressor("mcp", alpha=0.1, start=start).fit(X, y)
    page = model.to_html()
    assert "start=start" in page if not isinstance(start, str) else "array([" not in page


def test_the_callback_sees_the_point_that_reaches_a_limit():
    X, y, _ = toy(60, 40, 5, 0.5)
    seen = []
    path = sv.sparse_path(X, y, "mcp", alphas=30, max_support=4, callback=seen.append)
    assert path.ended == "max_support"
    assert len(seen) == len(path)


@pytest.mark.slow
def test_a_start_with_nearly_as_many_features_as_rows_is_no_trap():
    """Coordinate descent filled the support beyond the rank, and nothing led back from there."""
    X, y = real_data.load("diabetes_interactions_poly2", True)
    path = sv.sparse_path(X, y, "scad", max_time=300)
    assert path.converged.all()
    assert path.support_size.max() < len(y)
