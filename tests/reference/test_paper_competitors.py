"""The solvers that [RGS19] compares with, ncvxCD and GIST of section 5.1: their steps by loops.

`docs/paper_table.md` says which test belongs to which line.
"""

import numpy as np
import pytest

import sparsieve as sv
from sparsieve import reference


@pytest.mark.parametrize("theta", [0.01, 0.1, 1.0])
def test_ncvxcd_by_roots_takes_the_same_steps(theta):
    """The coordinate step of section 5.1, by closed form and as the authors' program has it."""
    X, y, _ = sv.datasets.make_toy(20, 30, 4, 0.5, 0)
    penalty = sv.LogSum(theta)
    lam = 0.05 * theta * np.max(np.abs(X.T @ y))
    closed, roots = (
        reference.ncvxcd(X, y, penalty, lam, tol=1e-6, check_every=1, numeric_roots=numeric)
        for numeric in (False, True)
    )
    np.testing.assert_allclose(roots.w, closed.w, atol=1e-6)  # numpy.roots: half the digits
    assert roots.n_outer == closed.n_outer
    assert roots.work.visits == closed.work.visits
    with pytest.raises(TypeError, match="LogSum"):
        reference.ncvxcd(X, y, sv.MCP(3.0), lam, numeric_roots=True)


def test_one_step_of_coordinate_descent_is_the_best_along_its_coordinate():
    X, y, _ = sv.datasets.make_toy(10, 4, 2, 0.5, 0)
    penalty, lam = sv.LogSum(0.1), 3.0
    result = reference.ncvxcd(X, y, penalty, lam, tol=0.0, check_every=1, max_iter=1)
    assert result.work.visits == 4
    w = np.zeros(4)
    grid = np.linspace(-3, 3, 60_001)
    for j in range(4):
        r = y - X @ w + X[:, j] * w[j]
        costs = 0.5 * (r @ r - 2 * (X[:, j] @ r) * grid + (X[:, j] @ X[:, j]) * grid**2)
        w[j] = grid[np.argmin(costs + penalty.value(np.abs(grid), lam))]
        np.testing.assert_allclose(result.w[j], w[j], atol=2e-3)  # of the grid, and what follows
    assert np.any(w != 0)


def test_one_step_of_gist():
    """A proximal gradient step, with the first curvature 1 raised by 1.5 until it descends."""
    X, y, _ = sv.datasets.make_toy(10, 4, 2, 0.5, 0)
    penalty, lam = sv.LogSum(0.1), 3.0
    result = reference.gist(X, y, penalty, lam, tol=0.0, max_iter=1, monotone=True, step="unit")
    grid = np.linspace(0, 5, 50_001)
    before, curvature, pull = 0.5 * y @ y, 1.0, X.T @ y
    while True:
        w = np.array(
            [
                np.sign(u) * grid[np.argmin(0.5 * curvature * (grid - abs(u) / curvature) ** 2
                                            + penalty.value(grid, lam))]
                for u in pull
            ]
        )  # fmt: skip
        after = reference.objective(X, y, w, penalty, lam)
        if after <= before - 0.5 * 0.1 * curvature * (w @ w):
            break
        curvature *= 1.5
    np.testing.assert_allclose(result.w, w, atol=2e-4)  # the spacing of the grid
    assert result.work.visits == 4 * round(1 + np.log(curvature) / np.log(1.5))
    with pytest.raises(ValueError, match="barzilai-borwein"):
        reference.gist(X, y, penalty, lam, step="two")


@pytest.mark.parametrize(
    ("step", "growth", "sufficient"), [("unit", 1.5, 0.1), ("barzilai-borwein", 2.0, 1e-5)]
)
def test_the_line_search(step, growth, sufficient):
    """One column, ||x||^2 = a, no penalty: curvature t is taken where a/t <= 2 - sufficient."""
    for most in (1.0, growth, growth**2):
        for short, tries in ((-1e-6, 0), (1e-6, 1)):
            X = np.array([[np.sqrt(most * (2.0 - sufficient) * (1.0 + short))]])
            result = reference.gist(
                X, np.ones(1), sv.L1(), 1e-12, tol=0.0, max_iter=1, monotone=True, step=step
            )
            before = round(np.log(most) / np.log(growth))
            assert result.work.visits == 1 + before + tries


def test_the_first_step_of_barzilai_and_borwein():
    """||X dw||^2 / ||dw||^2 of the last step is the next first curvature."""
    X, y, _ = sv.datasets.make_toy(10, 4, 2, 0.5, 0)
    lam = 0.01
    first, second = (
        reference.gist(X, y, sv.L1(), lam, tol=0.0, max_iter=k, monotone=True) for k in (1, 2)
    )
    moved = X @ first.w
    curvature = (moved @ moved) / (first.w @ first.w)
    while True:
        pull = X.T @ (y - X @ first.w) + curvature * first.w
        w = np.sign(pull) * np.maximum(np.abs(pull) - lam, 0.0) / curvature
        step = w - first.w
        bar = first.objective - 0.5 * 1e-5 * curvature * (step @ step)
        if reference.objective(X, y, w, sv.L1(), lam) <= bar:
            break
        curvature *= 2.0
    np.testing.assert_allclose(second.w, w, rtol=1e-9)
