"""The true objective never rises from one iteration to the next, with and without proximal term."""

import numpy as np
import pytest
from penalties_under_test import PENALTIES
from problems import ar_design, nasty_design, response, sparse_design, toy
from tolerances import REORDERED_SUM

import sparsieve as sv
from sparsieve import _core
from sparsieve.data.terms import check_terms
from sparsieve.data.validation import check_X_y
from sparsieve.solve.problem import Problem
from sparsieve.solve.solvers import Solver

every_penalty = pytest.mark.parametrize("name", PENALTIES)
ITERATIONS = 40  # with a large prox weight every one of them still moves


def after(k, X, y, penalty, share=0.05, prox_weight=0.0, positive=False, **weights):
    """Stop a fresh solve after k iterations; return F of its point, F(0) and the core's result.

    A solve has no memory of where it will be stopped, so k = 1, 2, ... walk along one sequence.
    """
    problem = Problem(check_X_y(X, y, **weights), terms=check_terms(X.shape[1], positive=positive))
    solver = Solver(problem, penalty, prox_weight=prox_weight)
    alpha = share * solver.alpha_max()
    points = []
    one = np.array([alpha]), np.array([1e-10]), k, [_core.Start()]
    solver._core.follow(*one, points.append, record=True)
    point = points[0]
    w = np.zeros(X.shape[1])
    w[point.columns] = point.values
    where = dict(penalty=penalty, alpha=alpha, **weights)
    mean = np.average(y, weights=weights.get("sample_weight"))
    null = sv.objective(X, y, np.zeros(X.shape[1]), mean, **where)
    return sv.objective(X, y, w, point.intercept, **where), null, point


def assert_descent(X, y, penalty, steps=ITERATIONS, **keywords):
    values = []
    for k in range(1, steps + 1):
        value, null, result = after(k, X, y, penalty, **keywords)
        values.append(value)
        if result.status.name != "ITERATIONS":
            break
    rounding = REORDERED_SUM * null
    assert len(values) > 3
    assert values[-1] < 0.9 * null
    assert np.all(np.diff(values) <= rounding)
    # The core's own record of the same run, which knows F between two rounds as well.
    recorded = np.array(result.objectives)
    assert recorded.size > len(values)
    assert np.all(np.diff(recorded) <= rounding)
    # A round of the safeguard (coordinate descent) is not recorded: F may lie below the record.
    assert result.objective <= recorded[-1] + rounding
    assert abs(result.objective - values[-1]) <= rounding


@every_penalty
@pytest.mark.parametrize("prox_weight", [0.0, 1e-9, 1e-3, 1.0, 1e3])
def test_with_correlated_columns(name, prox_weight):
    X = ar_design(40, 80, 0.95)
    assert_descent(X, response(X, 5, 0.5), PENALTIES[name], prox_weight=prox_weight)


@every_penalty
@pytest.mark.parametrize("seed", range(3))
def test_far_down_the_path(name, seed):
    """Supports of almost n, where Newton steps on a non-convex objective are at their worst."""
    X, y, _ = toy(50, 100, 5, 0.5, seed)
    assert_descent(X, y, PENALTIES[name], share=1e-3)


@every_penalty
def test_with_weights_and_signs(name):
    X, y, _ = toy(50, 100, 5, 0.5)
    rng = np.random.default_rng(1)
    weights = rng.uniform(0.5, 2.0, 100)
    weights[:2], weights[2:6] = 0.0, np.inf
    keywords = dict(sample_weight=rng.uniform(0.0, 2.0, 50), weights=weights)
    assert_descent(X, y, PENALTIES[name], **keywords)
    assert_descent(X, y, PENALTIES[name], positive=True, **keywords)


@every_penalty
def test_on_designs_that_break_solvers(name):
    for X in (nasty_design(30, 24, seed=2), sparse_design(60, 80, 0.1, seed=3)):
        y = response(X, 5, 0.5)
        values = [after(k, X, y, PENALTIES[name])[:2] for k in range(1, 20)]
        assert np.all(np.diff([value for value, _ in values]) <= REORDERED_SUM * values[0][1])


@every_penalty
def test_each_alpha_of_a_path_ends_below_where_it_started(name):
    """The last point of one alpha is the first of the next: its objective there may only fall."""
    X, y, _ = toy(50, 100, 5, 0.5)
    penalty = PENALTIES[name]
    path = sv.sparse_path(X, y, penalty, alphas=30, start="previous")
    before, at = path.coef_at(path.alphas[0]), path.intercepts[0]
    null = sv.objective(X, y, before, at, penalty=penalty, alpha=path.alphas[0])
    for k, alpha in enumerate(path.alphas):
        start = sv.objective(X, y, before, at, penalty=penalty, alpha=alpha)
        assert path.objective[k] <= start + REORDERED_SUM * null
        before, at = path.coef_at(alpha), path.intercepts[k]
