"""The one loop over alphas: what it hands out, and how it ends."""

from dataclasses import replace

import numpy as np
import pytest
from problems import toy
from tolerances import REORDERED_SUM

import sparsieve as sv
from sparsieve import _core
from sparsieve.data.validation import check_X_y
from sparsieve.solve.problem import Problem
from sparsieve.solve.solvers import Begin, Solver
from sparsieve.solve.starts import lowest

ALPHAS = np.array([0.5, 0.2, 0.1])
TIGHT = 1e-10
ANY = 1e9  # every point will do, so a solve ends where it begins
HERE = [Begin.here("previous")]


@pytest.fixture
def solver():
    X, y, _ = toy(60, 40, 5)
    return Solver(Problem(check_X_y(X, y)), sv.MCP())


def collect(solver, alphas=ALPHAS, tol=TIGHT, begins=HERE, **options):
    points = []
    tolerances = np.broadcast_to(tol, alphas.shape)
    end = solver.follow(
        alphas, tolerances, 1000, begins, lambda p: bool(points.append(p)), **options
    )
    return points, end


def test_points_one_by_one_and_end_to_end_are_the_same(solver):
    points, end = collect(solver)
    assert end == "COMPLETE"
    assert [point.alpha for point in points] == ALPHAS.tolist()
    fits = solver.again().fits(ALPHAS, TIGHT, 1000)
    for point, fit in zip(points, fits.single(), strict=True):
        np.testing.assert_array_equal(point.columns, fit.columns)
        np.testing.assert_array_equal(point.values, fit.values)
        assert point.intercept == fit.intercepts[0]
        assert (point.objective, point.kkt) == (fit.objective[0], fit.kkt[0])


def test_a_path_is_its_solves(solver):
    points, _ = collect(solver)
    other = solver.again()
    for point in points:
        alone = other.solve(point.alpha, TIGHT, 1000)
        np.testing.assert_array_equal(point.values, alone.values)
        assert point.passes == alone.passes


def test_counters_account_for_every_byte(solver):
    points, _ = collect(solver)
    size = 60 * 40 * 8
    assert points[0].counters.x_bytes >= size  # the set-up reads X once
    for point in points:
        assert point.counters.x_bytes / size == pytest.approx(point.passes, rel=REORDERED_SUM)
        assert point.counters.rounds >= 0


def test_a_point_that_is_the_lowest_of_several_has_the_counters_of_all(solver):
    one, two = (solver.solve(alpha, TIGHT, 1000) for alpha in ALPHAS[:2])
    both = lowest([one, two])
    assert both.counters == tuple(np.add(one.counters, two.counters))
    assert lowest([one, replace(two, counters=None)]).counters is None


def test_every_alpha_has_its_tolerance(solver):
    points, _ = collect(solver, tol=np.array([ANY, TIGHT, ANY]))
    assert points[0].values.size == 0
    assert points[1].kkt <= TIGHT
    np.testing.assert_array_equal(points[2].values, points[1].values)


def test_every_alpha_may_have_its_start(solver):
    coef = np.arange(1.0, 41.0)
    given = Begin.given(np.arange(40), coef, "upwards")
    points, _ = collect(solver, tol=ANY, begins=[HERE[0], given, Begin.lasso(0.3)])
    assert [point.start for point in points] == ["previous", "upwards", "lasso"]
    np.testing.assert_array_equal(points[1].values, coef)


def test_the_caller_may_end_it(solver):
    seen = []
    end = solver.follow(
        ALPHAS, np.full(3, TIGHT), 1000, HERE, lambda p: seen.append(p) or len(seen) == 2
    )
    assert (end, len(seen)) == ("ENOUGH", 2)


def test_what_the_caller_raises_is_raised_and_the_solver_goes_on(solver):
    def refuse(point):
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        solver.follow(ALPHAS, np.full(3, TIGHT), 1000, HERE, refuse)
    assert collect(solver)[1] == "COMPLETE"


def test_without_a_caller_the_solver_is_where_the_last_solve_ended(solver):
    points, _ = collect(solver)
    other = solver.again()
    assert other.follow(ALPHAS, np.full(3, TIGHT), 1000, HERE, None) == "COMPLETE"
    here = other.solve(ALPHAS[-1], ANY, 1000)
    np.testing.assert_array_equal(here.values, points[-1].values)


def test_no_time_hands_out_one_interrupted_point(solver):
    points, end = collect(solver, max_time=0.0)
    assert (end, [point.status for point in points]) == ("INTERRUPTED", ["INTERRUPTED"])


def test_a_raised_flag_hands_out_no_finished_point(solver):
    flag = _core.Flag()
    solver.watch(flag)
    flag.set()
    assert solver.fits(ALPHAS, TIGHT, 1000).sizes.size == 0


def test_no_alphas_are_no_points(solver):
    assert collect(solver, alphas=np.empty(0)) == ([], "COMPLETE")


def test_coefficients_that_are_too_large_are_refused(solver):
    begin = Begin.given(np.array([0]), np.array([1e200]))
    with pytest.raises(ValueError, match="start: the coefficients are so large"):
        collect(solver, begins=[begin])
    with pytest.raises(ValueError, match="start: the coefficients are so large"):
        solver.fits(ALPHAS, TIGHT, 1000, begin)


def test_lengths_must_agree(solver):
    with pytest.raises(ValueError, match="one tolerance per alpha"):
        solver.follow(ALPHAS, np.full(2, TIGHT), 1000, HERE, None)
    with pytest.raises(ValueError, match="one start for all alphas, or one per alpha"):
        solver.follow(ALPHAS, np.full(3, TIGHT), 1000, HERE * 2, None)
