"""The search for the loosest tolerance, on solvers that are plain functions."""

import math

import pytest
from benchmarks.search import Attempt, ladder, loosest

STEPS = ladder(1e-1, 1e-12)


class Solver:
    """A violation as a function of the tolerance; anything stricter than `reach` times out."""

    def __init__(self, violation, reach=0.0):
        self.violation, self.reach, self.asked = violation, reach, []

    def __call__(self, tol):
        self.asked.append(tol)
        if tol < self.reach:
            return Attempt(tol, None, 9.0, "no answer")
        return Attempt(tol, self.violation(tol), 1.0)


def exhaustive(solver, target):
    """The first step that passes, by asking for all of them."""
    for tol in STEPS:
        if tol >= solver.reach and solver.violation(tol) <= target:
            return tol
    return None


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("factor", [1e-3, 0.7, 30.0])
@pytest.mark.parametrize("target", [1e-4, 1e-6])
@pytest.mark.parametrize("reach", [0.0, 1e-5, 1e-8])
def test_search_agrees_with_asking_for_everything(power, factor, target, reach):
    solver = Solver(lambda tol: factor * tol**power, reach)
    expected = exhaustive(solver, target)
    found = loosest(solver, STEPS, target)
    if expected is None:
        assert found.attempt is None
    else:
        assert found.attempt.tol == expected
        assert found.attempt.violation <= target
    assert len(solver.asked) == len(set(solver.asked)) < len(STEPS)


def test_a_solver_that_stalls_is_reported_and_soon_given_up():
    solver = Solver(lambda tol: 0.2)
    found = loosest(solver, STEPS, 1e-6)
    assert found.attempt is None
    assert "never reached" in found.reason
    assert len(solver.asked) < len(STEPS) / 2


def test_a_solver_that_is_too_slow_is_reported_with_its_note():
    found = loosest(Solver(lambda tol: tol, reach=1.0), STEPS, 1e-6)
    assert found.attempt is None
    assert found.reason == "no answer"


@pytest.mark.parametrize("patience", [1, 2])
def test_patience_bounds_the_unfinished_runs(patience):
    solver = Solver(lambda tol: tol, reach=1e-5)
    found = loosest(solver, STEPS, 1e-6, patience)
    assert found.attempt is None
    assert sum(tol < solver.reach for tol in solver.asked) <= patience


def test_ladder_runs_from_loose_to_strict():
    steps = ladder(1e-2, 1e-4)
    assert steps == pytest.approx([1e-2, 10**-2.5, 1e-3, 10**-3.5, 1e-4])


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("reach", [0.0, 1e-5])
def test_attempts_made_for_a_looser_target_are_not_made_again(power, reach):
    solver = Solver(lambda tol: 3.0 * tol**power, reach)
    known = {}

    def run(tol):
        return known.setdefault(tol, solver(tol))

    for target in (1e-4, 1e-6):
        found = loosest(run, STEPS, target, known=known)
        assert (found.attempt and found.attempt.tol) == exhaustive(solver, target)
    assert len(solver.asked) == len(set(solver.asked))


def test_proportional_violations_need_few_attempts():
    """One at the loose end, one where the excess points, one beside it to close the bracket."""
    solver = Solver(lambda tol: 0.8 * tol)
    assert loosest(solver, STEPS, 1e-6).attempt.tol == exhaustive(solver, 1e-6)
    assert len(solver.asked) <= 4


def test_a_violation_that_falls_in_one_step_is_found_by_halving():
    solver = Solver(lambda tol: 1.0 if tol > 3e-8 else 1e-9)
    assert loosest(solver, STEPS, 1e-6).attempt.tol == exhaustive(solver, 1e-6)
    assert len(solver.asked) < len(STEPS) / 2


def test_a_violation_of_zero_or_infinity_does_not_stop_the_search():
    solver = Solver(lambda tol: math.inf if tol > 1e-5 else 0.0)
    assert loosest(solver, STEPS, 1e-6).attempt.tol == exhaustive(solver, 1e-6)
