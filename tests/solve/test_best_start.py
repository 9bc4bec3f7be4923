"""The start "best": the lowest of several walks, points beside it, exchanges."""

import dataclasses
import itertools
import signal

import numpy as np
import pytest
from problems import ar_design, response
from starts_under_test import (
    NAMES,
    TIGHT,
    assert_same_bits,
    every_concave,
)
from tolerances import (
    FEW_OPS,
    ONE_BASIN,
    TIE,
)

import sparsieve as sv
from sparsieve.data.validation import check_X_y
from sparsieve.penalties import resolve_penalty
from sparsieve.solve.limits import Limits, check_limits
from sparsieve.solve.problem import Problem
from sparsieve.solve.solvers import Begin, Solver
from sparsieve.solve.starts import FRACTION, Start, lowest
from sparsieve.solve.tracing import fits_along, trace

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
        solver = Solver(problem, resolve_penalty(penalty), n_alphas=12)
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
    solver = Solver(Problem(check_X_y(X, y)), resolve_penalty(penalty))
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
    solver = Solver(Problem(check_X_y(X, y), minimum=minimum), resolve_penalty("mcp"))
    fits, ended = fits_along(solver, path.alphas, Limits(), Start("best"))
    assert ended == "complete"
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
        solver = Solver(Problem(check_X_y(X, y), minimum="swap"), resolve_penalty("mcp"))
        for point in path.points:
            found = []
            begin = Begin.given(point.columns, point.values)
            solver.follow([point.alpha], [1e-6], 10_000, [begin], found.append, exchange=True)
            assert found[0].objective >= point.objective * (1 - ONE_BASIN)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "sparsieve.solve.tracing.walks_of_a_round", lambda minimum: ("previous", "upwards")
            )
            without = sv.sparse_path(X, y, alphas=path.alphas, start="best", minimum="swap")
        lower += np.sum(path.objective < without.objective * (1 - ONE_BASIN))
    assert lower >= 5
