"""One test for each formula of [RGS19]: the functions of `reference` against the text, by loops.

`docs/paper_table.md` says which test belongs to which equation, line, property and remark. The
solvers that the paper compares with have theirs in `test_paper_competitors.py`.
"""

import numpy as np
import pytest
from reference_judge import solve_pwl
from reference_tolerances import FEW_OPS

import sparsieve as sv
from sparsieve import reference
from sparsieve.reference import problem
from sparsieve.reference.design import as_design
from sparsieve.reference.pwl import descend, solve_free_block
from sparsieve.reference.screening import dual_point, gap_scores, propagated_scores

# Sums of a dozen products of numbers of size up to ten, in another order.
SUMS = 1e3 * FEW_OPS


class Problem:
    """A small Proximal Weighted Lasso with everything that its formulas name."""

    def __init__(self, seed=0, prox=0.3, free=False):
        rng = np.random.default_rng(seed)
        self.n, self.d, self.prox, self.alpha = 6, 5, prox, 1.0 / prox
        self.X, self.y = rng.standard_normal((6, 5)), 3.0 * rng.standard_normal(6)
        self.w, self.center = rng.standard_normal(5), rng.standard_normal(5)
        self.w[1] = 0.0
        self.weights = rng.uniform(0.5, 2.0, 5)
        if free:
            self.weights[2] = 0.0
        self.norms2 = np.sum(self.X**2, axis=0)

    def primal(self, w):
        """Eq. (weighted)."""
        fit = 0.5 * np.sum((self.y - self.X @ w) ** 2)
        near = np.sum((w - self.center) ** 2) / (2 * self.alpha)
        return fit + near + np.sum(self.weights * np.abs(w))

    def dual(self, s, v):
        """Eq. (dual)."""
        quadratic = 0.5 * s @ s + 0.5 * self.alpha * v @ v
        return -quadratic + s @ self.y - v @ self.center

    def point(self, rule, w=None):
        w = self.w if w is None else w
        r = self.y - self.X @ w
        return dual_point(
            self.y, r, w, self.X.T @ r, self.center, self.weights, self.norms2, self.prox, rule
        )


def test_the_problem():
    """Eq. (generalprob)."""
    p = Problem()
    for penalty in (sv.LogSum(0.1), sv.MCP(3.0), sv.SCAD(3.7)):
        value = sum((yi - xi @ p.w) ** 2 for xi, yi in zip(p.X, p.y, strict=True)) / 2
        value += sum(float(penalty.value(abs(t), 0.7)) for t in p.w)
        assert reference.objective(p.X, p.y, p.w, penalty, 0.7) == pytest.approx(value, rel=SUMS)


def table_1(name, w, lam, theta):
    """Value and derivative of Table 1, at |w|, as printed."""
    w = abs(w)
    if name == "log-sum":
        return lam * np.log(1 + w / theta), lam / (theta + w)
    if name == "mcp":
        if w <= lam * theta:
            return lam * w - w**2 / (2 * theta), lam - w / theta
        return theta * lam**2 / 2, 0.0
    if w <= lam:
        return lam * w, lam
    if w <= lam * theta:
        value = (-(w**2) + 2 * theta * lam * w - lam**2) / (2 * (theta - 1))
        return value, (theta * lam - w) / (theta - 1)
    return lam**2 * (1 + theta) / 2, 0.0


@pytest.mark.parametrize(
    ("name", "penalty", "theta"),
    [("log-sum", sv.LogSum(0.1), 0.1), ("mcp", sv.MCP(3.0), 3.0), ("scad", sv.SCAD(3.7), 3.7)],
)
def test_table_1(name, penalty, theta):
    for lam in (0.3, 2.0):
        for w in (0.0, 0.1, 0.29, 0.31, 0.8, 1.2, 5.0, 9.0):
            value, slope = table_1(name, w, lam, theta)
            assert float(penalty.value(w, lam)) == pytest.approx(value, abs=SUMS)
            assert float(penalty.slope(w, lam)) == pytest.approx(slope, abs=SUMS)


def test_fermat_for_log_sum():
    """Eqs. (fermat) and (optcond): one condition per coordinate."""
    p, lam, theta = Problem(), 0.7, 0.4
    worst = 0.0
    for j in range(p.d):
        c = p.X[:, j] @ (p.y - p.X @ p.w)
        if p.w[j] != 0:
            here = abs(-c + lam * np.sign(p.w[j]) / (theta + abs(p.w[j])))
        else:
            here = max(abs(c) - lam / theta, 0.0)
        worst = max(worst, here)
        ours = problem.violations(p.X.T @ (p.y - p.X @ p.w), p.w, sv.LogSum(theta), lam)
        assert ours[j] == pytest.approx(here, abs=SUMS)
    assert reference.violation(p.X, p.y, p.w, sv.LogSum(theta), lam) == pytest.approx(worst)


def test_fermat_for_mcp():
    """Eq. (optcondmcp)."""
    p, lam, theta = Problem(), 0.4, 1.2
    p.w[3] = 0.2
    c = p.X.T @ (p.y - p.X @ p.w)
    ours = problem.violations(c, p.w, sv.MCP(theta), lam)
    kinds = set()
    for j, w in enumerate(p.w):
        if abs(w) > lam * theta:
            here, kind = abs(-c[j]), "beyond"
        elif w == 0:
            here, kind = max(abs(c[j]) - lam, 0.0), "zero"
        else:
            here, kind = abs(-c[j] + lam * np.sign(w) - w / theta), "between"
        kinds.add(kind)
        assert ours[j] == pytest.approx(here, abs=SUMS)
    assert kinds == {"beyond", "zero", "between"}


@pytest.mark.parametrize("w", [-0.5, -1e-5, 0.0, 1e-5, 0.5])
def test_coefficients_below_a_threshold_count_as_zero_in_the_stopping_test_only(w):
    X, y, lam, penalty = np.array([[1.0], [2.0]]), np.array([3.0, 1.0]), 0.7, sv.LogSum(0.4)
    w = np.array([w])
    r, work = y - X @ w, reference.Work(1)
    correlations, found = problem.look(as_design(X), r, w, penalty, lam, work, 1e-4)
    np.testing.assert_array_equal(correlations, X.T @ r)
    taken = np.where(np.abs(w) < 1e-4, 0.0, w)
    assert found == problem.violations(correlations, taken, penalty, lam)[0]
    assert work.correlations == 1.0
    assert problem.look(as_design(X), r, w, penalty, lam, work)[1] == pytest.approx(
        problem.violations(correlations, w, penalty, lam)[0]
    )


@pytest.mark.parametrize(
    ("penalty", "largest"), [(sv.LogSum(0.1), 0.1), (sv.LogSum(1.0), 1.0), (sv.MCP(3.0), 1.0)]
)
def test_lambda_max(penalty, largest):
    """The remark of section 2.1: zero is critical from lambda_max on and not below."""
    p = Problem()
    lam = largest * np.max(np.abs(p.X.T @ p.y))
    assert reference.violation(p.X, p.y, np.zeros(5), penalty, lam) <= SUMS
    assert reference.violation(p.X, p.y, np.zeros(5), penalty, 0.99 * lam) > 1e-3


def test_the_majorisation():
    """Section 2.2: the tangent lies above the penalty, and touches it at |w^k|."""
    grid = np.linspace(0.0, 5.0, 101)
    for penalty in (sv.LogSum(0.1), sv.MCP(3.0), sv.SCAD(3.7)):
        for at in (0.0, 0.2, 1.0, 4.0):
            value, slope = float(penalty.value(at, 0.7)), float(penalty.slope(at, 0.7))
            assert np.all(penalty.value(grid, 0.7) <= value + slope * (grid - at) + SUMS)


@pytest.mark.parametrize("solver", ["mm", "mm_genuine", "mm_screen"])
@pytest.mark.parametrize("rule", ["corrected", "printed"])
def test_one_iteration_of_mm_minimises_the_surrogate(solver, rule):
    """Eq. (mmalgo): w^1 = argmin of the problem with lambda_j = r'(|w_j^0|) and centre w^0."""
    p, lam, theta = Problem(), 1.5, 0.5
    result = getattr(reference, solver)(
        p.X, p.y, sv.LogSum(theta), lam, w0=p.w, alpha=p.alpha, tol=0.0, inner_tol=1e-13,
        max_iter=1, max_epochs=20_000, rule=rule,
    )  # fmt: skip
    weights = np.array([lam / (theta + abs(t)) for t in p.w])
    expected = solve_pwl(p.X, p.y, weights, p.prox, p.w)
    # a gap of 1e-13 leaves sqrt(2e-13 / prox) of distance
    np.testing.assert_allclose(result.w, expected, atol=1e-6)


def test_without_proximal_term_it_is_reweighted_l1_and_from_zero_the_elastic_net():
    """The limits named after eq. (mmalgo)."""
    p, lam = Problem(), 0.6
    weights = np.full(5, lam / 0.5)
    result = reference.pwl(p.X, p.y, weights, alpha=np.inf, tol=1e-13, max_epochs=20_000)
    np.testing.assert_allclose(result.w, solve_pwl(p.X, p.y, weights, 0.0, np.zeros(5)), atol=1e-6)
    net = reference.pwl(p.X, p.y, weights, alpha=p.alpha, tol=1e-13, max_epochs=20_000)
    c = p.X.T @ net.residual - net.w / p.alpha  # of 1/2||y-Xw||^2 + ||w||^2/(2 alpha) + lam||w||_1
    active = net.w != 0
    np.testing.assert_allclose(c[active], (weights * np.sign(net.w))[active], atol=1e-5)
    assert np.all(np.abs(c[~active]) <= weights[~active] + 1e-5)


def test_the_update_of_a_coordinate():
    """Eq. (cdupdate), Algorithm 1 lines 3 to 5: each coordinate once, in order."""
    p = Problem()
    w, r, work = p.w.copy(), p.y - p.X @ p.w, reference.Work(5)
    expected = p.w.copy()
    for j in range(p.d):
        x = p.X[:, j]
        t = x @ (p.y - p.X @ expected + x * expected[j]) + p.center[j] / p.alpha
        size = max(0.0, abs(t) - p.weights[j]) / (x @ x + 1 / p.alpha)
        expected[j] = np.sign(t) * size
    descend(as_design(p.X), w, r, np.arange(5), p.center, p.weights, p.prox, 1, work)
    np.testing.assert_allclose(w, expected, atol=SUMS)
    np.testing.assert_allclose(r, p.y - p.X @ expected, atol=SUMS)
    assert work.visits == 5
    assert work.updates == np.count_nonzero(expected != p.w)


@pytest.mark.parametrize("rule", ["corrected", "printed", "published"])
def test_primal_dual_and_feasibility(rule):
    """Eqs. (weighted), (dual) and (dualconstraint)."""
    for seed in range(20):
        p = Problem(seed)
        point = p.point(rule)
        assert point.primal == pytest.approx(p.primal(p.w), rel=SUMS)
        assert point.dual == pytest.approx(p.dual(point.s, point.v), rel=SUMS)
        assert np.all(np.abs(p.X.T @ point.s - point.v) <= p.weights * (1 + SUMS))
        np.testing.assert_allclose(point.c, p.X.T @ point.s - point.v, atol=SUMS)
        assert point.primal >= point.dual
        assert point.gap == pytest.approx(p.primal(p.w) - p.dual(point.s, point.v), rel=1e-9)


def test_the_dual_is_that_of_the_problem_with_extra_rows():
    """The supplement: X-tilde, y-tilde, and eta = (-s, sqrt(alpha) v)."""
    p = Problem()
    rows = np.vstack([p.X, np.eye(5) / np.sqrt(p.alpha)])
    target = np.concatenate([p.y, p.center / np.sqrt(p.alpha)])
    lasso = 0.5 * np.sum((target - rows @ p.w) ** 2) + p.weights @ np.abs(p.w)
    point = p.point("printed")
    assert point.primal == pytest.approx(lasso, rel=SUMS)
    eta = np.concatenate([-point.s, np.sqrt(p.alpha) * point.v])
    assert point.dual == pytest.approx(-0.5 * eta @ eta - eta @ target, rel=SUMS)
    np.testing.assert_allclose(rows.T @ eta, -point.c, atol=SUMS)


def test_the_link_between_primal_and_dual_solutions():
    """Section 3.2 and the supplement: s* = y - Xw*, alpha v* = w* - w', and no gap."""
    p = Problem()
    optimum = solve_pwl(p.X, p.y, p.weights, p.prox, p.center)
    for rule in ("corrected", "printed"):
        point = p.point(rule, optimum)
        np.testing.assert_allclose(point.s, p.y - p.X @ optimum, atol=1e-9)
        np.testing.assert_allclose(p.alpha * point.v, optimum - p.center, atol=1e-9)
        assert point.gap <= 1e-12
        inside = np.abs(point.c) < p.weights * (1 - 1e-9)
        assert inside.any()
        assert not np.any(optimum[inside])  # |x_j's* - v_j*| < lambda_j implies w_j* = 0


def test_the_bound_on_the_dual_solution():
    """Strong concavity: 2G >= ||s - s*||^2 + alpha ||v - v*||^2."""
    for seed in range(20):
        p = Problem(seed)
        best = p.point("printed", solve_pwl(p.X, p.y, p.weights, p.prox, p.center))
        for rule in ("corrected", "printed"):
            point = p.point(rule)
            s, v = point.s - best.s, point.v - best.v
            assert s @ s + p.alpha * (v @ v) <= 2 * point.gap * (1 + 1e-9)


def test_the_screening_test():
    """Eq. (test), as printed and with the radius that its proof gives."""
    p = Problem()
    for rule in ("printed", "published"):
        point = p.point(rule)
        printed = [
            abs(p.X[:, j] @ point.s - point.v[j])
            + np.sqrt(2 * point.gap) * (np.linalg.norm(p.X[:, j]) + 1 / p.alpha)
            for j in range(5)
        ]
        np.testing.assert_allclose(gap_scores(point, p.norms2, p.prox, rule), printed, rtol=SUMS)
    point = p.point("corrected")
    for j, score in enumerate(gap_scores(point, p.norms2, p.prox, "corrected")):
        radius = np.sqrt(2 * point.gap) * np.sqrt(p.X[:, j] @ p.X[:, j] + 1 / p.alpha)
        plain = abs(p.X[:, j] @ point.s - point.v[j]) + radius
        assert plain < score <= plain * (1 + 1e-10)  # the margin for rounding, and no more


@pytest.mark.parametrize("seed", range(5))
def test_the_dual_scaling(seed):
    """Eq. (jdagger): (y - Xw, (w - w')/alpha) over max(1, rho)."""
    for scale in (1.0, 100.0):  # weights so large that nothing is to be scaled
        p = Problem(seed)
        p.weights = p.weights * scale
        r = p.y - p.X @ p.w
        rho = max(
            abs(p.X[:, j] @ r - (p.w[j] - p.center[j]) / p.alpha) / p.weights[j] for j in range(5)
        )
        assert (rho > 1) == (scale == 1.0)
        for rule in ("printed", "published"):
            point = p.point(rule)
            np.testing.assert_allclose(point.s, r / max(1, rho), rtol=SUMS)
            np.testing.assert_allclose(
                point.v, (p.w - p.center) / (p.alpha * max(1, rho)), rtol=SUMS
            )
        best = p.point("corrected")  # no multiple of (r, v) that is feasible has a larger dual
        kappas = np.linspace(-1 / rho, 1 / rho, 2001)
        shift = (p.w - p.center) / p.alpha
        assert best.dual >= max(p.dual(k * r, k * shift) for k in kappas) - SUMS


def test_unpenalised_coordinates():
    """The remark of section 3.2: v_j = x_j's where lambda_j = 0."""
    p = Problem(free=True)
    point = p.point("printed")
    assert point.v[2] == pytest.approx(p.X[:, 2] @ point.s, rel=SUMS)
    assert point.c[2] == 0.0
    assert np.all(np.abs(p.X.T @ point.s - point.v) <= p.weights + SUMS)
    published = p.point("published")  # the authors' program has no such case
    assert published.v[2] != pytest.approx(p.X[:, 2] @ published.s)
    # the corrected rule minimises over these coordinates first: then it holds by itself
    w, work = p.w.copy(), reference.Work(5)
    solve_free_block(as_design(p.X), p.y, w, p.center, np.array([2]), p.prox, work)
    gradient = p.X[:, 2] @ (p.y - p.X @ w) - (w[2] - p.center[2]) / p.alpha
    assert abs(gradient) <= SUMS
    np.testing.assert_array_equal(np.delete(w, 2), np.delete(p.w, 2))
    solved = p.point("corrected", w)
    assert solved.v[2] == pytest.approx(p.X[:, 2] @ solved.s, rel=SUMS)


def test_the_propagated_test():
    """Property 2, eq. (new), as printed, as published and corrected."""
    p, q = Problem(), Problem()
    q.weights = p.weights * 1.1
    q.center = p.center + 0.01
    norms = np.sqrt(p.norms2)
    for rule in ("printed", "published"):
        first, new = p.point(rule), q.point(rule)
        middle = p.point(rule, p.w + 0.1)
        scores = propagated_scores(first, new, p.norms2, p.prox, rule, middle)
        origin = middle if rule == "published" else first
        a = np.linalg.norm(new.s - origin.s)
        b = abs(new.gap - origin.gap)
        for j in range(5):
            c = abs(new.v[j] - origin.v[j])
            T = abs(first.c[j]) + np.sqrt(2 * first.gap) * (norms[j] + 1 / p.alpha)
            text = T + norms[j] * (a + np.sqrt(2 * b)) + c + np.sqrt(2 * b) / p.alpha
            assert scores[j] == pytest.approx(text, rel=SUMS)
    first, new = p.point("corrected"), q.point("corrected")
    scores = propagated_scores(first, new, p.norms2, p.prox, "corrected")
    a = np.linalg.norm(new.s - first.s)
    for j in range(5):
        radius = np.sqrt(2 * new.gap) * np.sqrt(p.norms2[j] + 1 / p.alpha)
        drift = norms[j] * a + abs(new.v[j] - first.v[j])
        plain = abs(first.c[j]) + drift + radius
        assert plain < scores[j] <= plain * (1 + 1e-10)


def test_the_printed_rule_is_literal():
    """What is screened is zero and stays zero, also where the printed radius is wrong."""
    X, y, lam, center = np.array([[0.01]]), np.array([0.0]), np.array([1.0]), np.array([20.0])
    options = {"w0": center, "alpha": 10.0, "tol": 1e-12, "screen_every": 1, "max_epochs": 50}
    right = reference.pwl(X, y, lam, **options)
    assert right.w[0] == pytest.approx(9.99, abs=1e-2)
    # told that the coordinate is zero, the literal rule sets it to zero; the corrected one only
    # goes on with its updates, which end at the optimum
    told = {**options, "screened": np.array([True])}
    literal = reference.pwl(X, y, lam, **told, rule="printed")
    assert literal.w[0] == 0.0
    np.testing.assert_array_equal(literal.residual, y)
    assert reference.pwl(X, y, lam, **told, rule="printed", screen=False).w[0] == 0.0
    assert reference.pwl(X, y, lam, **told).w[0] == pytest.approx(right.w[0])
    # and found by itself: the counter-example of the printed radius, before any sweep
    found = reference.pwl(X, y, lam, **{**options, "max_epochs": 0}, rule="printed")
    assert found.screened[0]
    assert found.w[0] == 0.0
    assert found.primal == pytest.approx(0.5 * 0.1 * 20.0**2)  # of the point that is returned


def test_periods_of_gap_and_screening():
    """Section 5.1: the gap ends the inner solver, screening comes every 5 sweeps."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 30)), rng.standard_normal(20)
    lam = np.full(30, 0.2 * np.max(np.abs(X.T @ y)))
    for gap_every in (1, 3, 5):
        result = reference.pwl(X, y, lam, tol=1e-9, gap_every=gap_every)
        assert result.converged
        assert result.n_epochs % gap_every == 0 or result.n_epochs % 5 == 0
    each = reference.pwl(X, y, lam, tol=1e-9)
    assert each.n_epochs <= reference.pwl(X, y, lam, tol=1e-9, gap_every=5).n_epochs
    four = reference.pwl(X, y, lam, tol=0.0, max_epochs=4)
    assert not four.screened.any()
    assert four.work.correlations == 4.0
    assert reference.pwl(X, y, lam, tol=0.0, max_epochs=40).screened.any()
    plain = reference.pwl(X, y, lam, tol=0.0, max_epochs=7, gap_every=5, screen=False)
    assert plain.work.correlations == 2.0  # after 5 and after 7 sweeps
    assert plain.n_epochs == 7


def test_no_sweep_at_all_gives_the_gap_of_the_start():
    p = Problem()
    result = reference.pwl(
        p.X, p.y, p.weights, w0=p.w, prox_center=p.center, alpha=p.alpha, max_epochs=0
    )
    np.testing.assert_array_equal(result.w, p.w)
    assert result.gap == pytest.approx(p.point("corrected").gap)
    assert (result.n_epochs, result.converged) == (0, False)


def test_algorithm_2_screens_exactly_every_tenth_time():
    """Lines 5 to 11, with the period of section 4.3."""
    X, y, _ = sv.datasets.make_toy(30, 60, 5, 2.0, 0)
    lam = 0.02 * 0.1 * np.max(np.abs(X.T @ y))
    result = reference.mm_screen(X, y, sv.LogSum(0.1), lam, tol=0.0, max_iter=25)
    rules = [row.rule for row in result.history]
    assert rules == ["propagation" if k % 10 else "gap" for k in range(25)]
    # the surrogate's gap ends every inner solve at the paper's 1e-4, unless it gave up
    genuine = reference.mm_genuine(X, y, sv.LogSum(0.1), lam, tol=0.0, max_iter=5)
    for row in [*result.history, *genuine.history]:
        assert row.gap <= 1e-4 or row.epochs == 1000


def test_weights_fall_where_coefficients_grow():
    """The remark of section 4.1: from w_j^0 = 0 to a large w_j*, lambda_j decreases."""
    X, y, truth = sv.datasets.make_toy(60, 20, 3, 0.01, 0)
    penalty, lam = sv.LogSum(0.1), 5.0
    j = int(np.argmax(np.abs(truth)))
    seen = [
        float(penalty.slope(abs(w), lam))
        for k in range(4)
        for w in [reference.mm_screen(X, y, penalty, lam, tol=0.0, max_iter=k).w[j]]
    ]
    assert seen[0] == lam / 0.1
    assert np.all(np.array(seen[1:]) < 0.1 * seen[0])


def test_property_1():
    """After finitely many sweeps everything outside the equicorrelation set is screened."""
    pytest.importorskip("matplotlib")
    follow = pytest.importorskip("benchmarks.paper.property1").follow
    for noise, fraction in ((0.01, 0.1), (2.0, 0.1)):
        found = follow(30, 60, noise, fraction)
        left = ~found.screened
        assert np.all(left[1:] <= left[:-1])  # a screened coordinate stays screened
        assert np.all(left[:, found.equicorrelation])  # and nothing of the set ever is
        assert not left[-1, ~found.equicorrelation].any()
        assert left[0].sum() > found.equicorrelation.sum()


def test_the_toy_problem():
    """Section 5.2: entries of variance 4, coefficients N(0, 1) moved away from zero by 0.1."""
    X, y, w = sv.datasets.make_toy(400, 300, 5, 0.5, 3)
    assert np.count_nonzero(w) == 5
    assert np.min(np.abs(w[w != 0])) >= 0.1
    assert X.var() == pytest.approx(4.0, rel=0.02)  # 120,000 entries: 0.4 % of standard error
    assert np.std(y - X @ w) == pytest.approx(0.5, rel=0.15)  # 400 entries: 3.5 %
