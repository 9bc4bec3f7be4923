"""A real Ctrl-C during every kind of call: it ends, and the library stays usable."""

import os
import signal

import numpy as np
import pytest
from interrupted_calls import CALLS, interrupt
from penalties_under_test import Arctan

from sparsieve.data.validation import check_X_y
from sparsieve.penalties import resolve_penalty
from sparsieve.solve.problem import Problem
from sparsieve.solve.solvers import Solver

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
# These take another route through the library; the others vary the data.
ROUTES = (
    "dense fit, long tail",
    "path with threads",
    "sparse path",
    "own penalty",
    "proximal weighted lasso",
    "local minima",
    "lowest of several",
)


@pytest.mark.parametrize("name", ROUTES)
def test_ctrl_c_ends_the_call_and_nothing_else(name):
    _, printed, code = interrupt(name, 0.5)
    assert (printed, code) == ("interrupted\nTrue\n", 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(CALLS) - set(ROUTES)))
def test_ctrl_c_ends_every_other_call_too(name):
    for delay in (0.1, 1.0):
        _, printed, code = interrupt(name, delay)
        assert (printed, code) == ("interrupted\nTrue\n", 0)


def follow_and_wait(solver, alphas, seconds):
    """Solve until the alarm, or wait for it on a machine that is faster."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    solver.fits(alphas, 1e-15, 10_000)
    signal.pause()


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (6, 12, 18, 24))]
)
def test_ctrl_c_between_two_calls_of_a_penalty_of_python(first):
    """What the signal raised is not in the way of the calls that the solver's end still needs."""

    def ring(number, frame):
        raise KeyboardInterrupt

    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 1200))  # mostly factors of large supports, which are compiled
    problem = Problem(check_X_y(X, X[:, :20].sum(1) + rng.standard_normal(1500)))
    before = signal.signal(signal.SIGALRM, ring)
    try:
        for k in range(first, first + 6):
            solver = Solver(problem, resolve_penalty(Arctan()))
            alphas = solver.alpha_max() * np.geomspace(1e-3, 1e-6, 30)
            with pytest.raises(KeyboardInterrupt):
                follow_and_wait(solver, alphas, 0.051 + 0.011 * k)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
