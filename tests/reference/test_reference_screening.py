"""Safety of the screening tests, and the unsafe radius the paper prints."""

import numpy as np
import pytest
from reference_judge import solve_pwl
from reference_tolerances import EXACT_GAP, FEW_OPS

from sparsieve.reference import pwl
from sparsieve.reference.screening import dual_point, gap_scores, propagated_scores


def random_problems(few, many):
    """Run a test on a few random problems, and as a slow one on many: the few are the first."""
    return pytest.mark.parametrize("count", [few, pytest.param(many, marks=pytest.mark.slow)])


def point_at(X, y, w, center, l1_weights, prox, rule):
    r = y - X @ w
    norms2 = np.einsum("ij,ij->j", X, X)
    return dual_point(y, r, w, X.T @ r, center, l1_weights, norms2, prox, rule), norms2


def test_counter_example_of_the_printed_radius():
    """One feature x = 0.01, y = 0, alpha = 10, lambda = 1, w' = what = 20: the optimum is 9.99."""
    X, y, prox, lam = np.array([[0.01]]), np.array([0.0]), 0.1, np.array([1.0])
    center = np.array([20.0])
    printed, norms2 = point_at(X, y, center, center, lam, prox, "printed")
    assert gap_scores(printed, norms2, prox, "printed")[0] == pytest.approx(0.698, abs=5e-4)
    corrected, norms2 = point_at(X, y, center, center, lam, prox, "corrected")
    assert gap_scores(corrected, norms2, prox, "corrected")[0] > lam[0]

    optimum = (prox * 20.0 - 1.0) / (0.01**2 + prox)
    assert optimum == pytest.approx(9.99, abs=1e-2)
    result = pwl(X, y, lam, w0=center, alpha=10.0, tol=EXACT_GAP)
    assert not result.screened[0]
    assert result.w[0] == pytest.approx(optimum)


def random_problem(rng):
    """Columns of mixed norm, some repeated, weights that may vanish, any proximal strength."""
    n, d = rng.integers(1, 8), rng.integers(1, 12)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-3, 1, d)
    if d > 2 and rng.random() < 0.3:
        X[:, 1] = X[:, 0]
    y = rng.standard_normal(n) * 10.0 ** rng.uniform(-1, 1)
    prox = 10.0 ** rng.uniform(-2, 1)
    center = rng.standard_normal(d) * (rng.random(d) < 0.7) * 10.0 ** rng.uniform(-1, 1.3)
    scale = np.max(np.abs(X.T @ y) + prox * np.abs(center))
    l1_weights = scale * 10.0 ** rng.uniform(-2, 0.3, d) * (rng.random(d) < 0.9)
    return X, y, l1_weights, prox, center


@random_problems(300, 1500)
def test_nothing_screened_is_non_zero_and_the_printed_radius_does_fail(count):
    rng = np.random.default_rng(0)
    wrong = {"corrected": 0, "printed": 0}
    discarded = {"corrected": 0, "printed": 0}
    for _ in range(count):
        X, y, l1_weights, prox, center = random_problem(rng)
        optimum = solve_pwl(X, y, l1_weights, prox, center)
        w = optimum + rng.standard_normal(optimum.size) * 10.0 ** rng.uniform(-9, 0.5)
        free = l1_weights == 0
        for rule in wrong:
            if rule == "corrected" and free.any():
                continue  # its dual point is formed after the exact solve of the block: next test
            point, norms2 = point_at(X, y, w, center, l1_weights, prox, rule)
            screened = gap_scores(point, norms2, prox, rule) < l1_weights
            discarded[rule] += int(screened.sum())
            wrong[rule] += int(np.sum(screened & (optimum != 0)))
    assert wrong["corrected"] == 0
    assert discarded["corrected"] > count // 5  # the test is not empty
    assert wrong["printed"] > 0


@random_problems(80, 400)
@pytest.mark.parametrize("every", [1, 5])
def test_pwl_screens_safely_with_unpenalised_coordinates(every, count):
    rng = np.random.default_rng(every)
    discarded = 0
    for _ in range(count):
        X, y, l1_weights, prox, center = random_problem(rng)
        optimum = solve_pwl(X, y, l1_weights, prox, center)
        result = pwl(
            X, y, l1_weights, prox_center=center, alpha=1 / prox, tol=EXACT_GAP,
            screen_every=every, max_epochs=5000,
        )  # fmt: skip
        assert not np.any(result.screened & (optimum != 0))
        assert not np.any(result.w[result.screened])
        discarded += int(result.screened.sum())
    assert discarded > 3 * count // 4


@random_problems(100, 500)
def test_safe_at_the_optimum_itself(count):
    """There c_j = lambda_j up to rounding on the support, and the gap is rounding noise."""
    rng = np.random.default_rng(3)
    for _ in range(count):
        X, y, l1_weights, prox, center = random_problem(rng)
        l1_weights = np.maximum(l1_weights, 1e-3 * l1_weights.max())
        optimum = solve_pwl(X, y, l1_weights, prox, center)
        point, norms2 = point_at(X, y, optimum, center, l1_weights, prox, "corrected")
        screened = gap_scores(point, norms2, prox, "corrected") < l1_weights
        assert not np.any(screened & (optimum != 0))


@random_problems(200, 1000)
def test_propagation_is_safe_from_any_reference(count):
    rng = np.random.default_rng(4)
    discarded = 0
    for _ in range(count):
        X, y, l1_weights, prox, center = random_problem(rng)
        l1_weights = np.maximum(l1_weights, 1e-3 * l1_weights.max())
        near = solve_pwl(X, y, l1_weights, prox, center)
        reference, _ = point_at(X, y, near, center, l1_weights, prox, "corrected")
        # the next problem: other weights, another centre
        new_weights = l1_weights * 10.0 ** rng.uniform(-0.1, 0.1, l1_weights.size)
        new_center = center + 1e-2 * rng.standard_normal(center.size)
        optimum = solve_pwl(X, y, new_weights, prox, new_center)
        point, norms2 = point_at(X, y, near, new_center, new_weights, prox, "corrected")
        scores = propagated_scores(reference, point, norms2, prox, "corrected")
        discarded += int(np.sum(scores < new_weights))
        assert not np.any((scores < new_weights) & (optimum != 0))
        # and sharper than the paper's form built on the same, safe, radius
        a = np.linalg.norm(point.s - reference.s)
        root_2b = np.sqrt(2 * abs(point.gap - reference.gap))
        papers = gap_scores(reference, norms2, prox, "corrected") + point.c_error
        papers = papers + np.sqrt(norms2) * a + np.abs(point.v - reference.v)
        papers = papers + np.sqrt(norms2 + prox) * (root_2b + np.sqrt(2 * point.gap_error))
        assert np.all(scores <= papers * (1 + FEW_OPS))
    assert discarded > count // 5


def test_unpenalised_block_keeps_the_gap_useful_at_huge_alpha():
    """The paper's v_j = x_j's costs alpha/2 (x_j's)^2 in the dual; the exact solve nothing."""
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((30, 20)), rng.standard_normal(30)
    l1_weights = np.full(20, 3.0)
    l1_weights[:4] = 0.0
    corrected = pwl(X, y, l1_weights, alpha=1e9, max_epochs=5)
    printed = pwl(X, y, l1_weights, alpha=1e9, max_epochs=5, rule="printed")
    assert corrected.gap < 1.0
    assert printed.gap > 1e2 * corrected.gap


def test_bad_rule_is_refused():
    with pytest.raises(ValueError, match="corrected"):
        pwl(np.eye(2), np.ones(2), np.ones(2), rule="wrong")


def test_result_is_certified_and_bounded():
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((20, 50)), rng.standard_normal(20)
    lam = np.full(50, 0.3 * np.max(np.abs(X.T @ y)))
    result = pwl(X, y, lam, tol=EXACT_GAP)
    assert result.converged
    assert 0 <= result.primal - result.dual <= EXACT_GAP
    np.testing.assert_allclose(result.residual, y - X @ result.w)
    assert result.screened.sum() > 0
    short = pwl(X, y, lam, tol=0.0, max_epochs=7)
    assert short.n_epochs == 7
    assert not short.converged
