"""The judges of strength against brute force: every penalty, weights, signs, storages."""

import subprocess
import sys
import time
import tracemalloc

import numpy as np
import pytest
from penalties_under_test import Geman
from problems import toy
from scipy import sparse
from scipy.optimize import minimize_scalar
from sklearn.linear_model import Lasso
from tolerances import BRUTE_FORCE, FINITE_DIFFERENCE, REORDERED_SUM

import sparsieve as sv
from sparsieve.data import centred

JUDGES = (sv.coordinatewise_violation, sv.swap_violation)
PENALTIES = [
    *(sv.L1(), sv.LogSum(), sv.LogSum(0.01), sv.MCP(), sv.MCP(0.5), sv.SCAD(2.1)),
    *(sv.CappedL1(0.5), sv.Lq(), Geman()),
]
ids = [repr(p) if hasattr(p, "get_params") else type(p).__name__ for p in PENALTIES]
every_penalty = pytest.mark.parametrize("penalty", PENALTIES, ids=ids)


class Problem:
    """A small problem whose objective is written down once more, in the plainest way."""

    def __init__(self, seed, penalty, n=14, d=5, optioned=False):
        rng = np.random.default_rng(seed)
        self.penalty = penalty
        self.X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.3 * rng.standard_normal((d, d)))
        self.X *= rng.uniform(0.2, 1.5, d)
        self.X += rng.standard_normal(d) * (seed % 3)
        self.y = self.X @ np.where(rng.random(d) < 0.5, 0.0, 1.5) + rng.standard_normal(n) + 0.5
        self.omega = rng.uniform(0.0, 3.0, n) if seed % 2 else np.ones(n)
        self.pi = np.ones(d)
        if seed % 4 > 1:
            self.pi = rng.permutation(np.r_[0.0, np.inf, rng.uniform(0.3, 2.0, d - 2)])
        self.positive = seed % 5 == 1
        self.fit_intercept = seed % 3 != 2
        r0 = float(penalty.slope(np.zeros(1), np.ones(1))[0])
        self.alpha = rng.uniform(0.05, 0.7) / r0
        self.w = np.where(rng.random(d) < 0.5, 0.0, rng.standard_normal(d))
        self.w[np.isinf(self.pi)] = 0.0
        if self.positive:
            self.w = np.abs(self.w)
        self.b = 0.3
        self.scales, self.options = np.ones(d), {}
        self.lower, self.upper = np.full(d, 0.0 if self.positive else -np.inf), np.full(d, np.inf)
        if optioned:
            self.draw_options(np.random.default_rng([seed, 1]))

    def draw_options(self, rng):
        """Draw units, ridges and bounds; some coefficients are at their bounds."""
        d = self.w.size
        self.options = dict(standardize=True, l1_ratio=0.7, ridge=float(rng.choice([0.0, 0.1])))
        share = self.omega / self.omega.sum()
        self.scales = np.sqrt(share @ (self.X - share @ self.X) ** 2)
        room = rng.choice([0.0, 0.3, 1.0, np.inf], (2, d))
        self.options["bounds"] = (-room[0], room[1])
        self.lower, self.upper = np.maximum(self.lower, -room[0]), room[1]
        self.w = np.clip(self.w, self.lower, self.upper)

    def objective(self, W, b=None):
        """Return the objective of each column of W, at its best intercept unless it is given."""
        omega = self.omega / self.omega.sum()
        R = self.y[:, None] - self.X @ W
        if b is None:
            b = omega @ R if self.fit_intercept else self.b
        R = R - b
        level = np.where(np.isinf(self.pi), 0.0, self.alpha * self.pi)[:, None]
        ratio, ridge = self.options.get("l1_ratio", 1.0), self.options.get("ridge", 0.0)
        V = np.abs(W) * self.scales[:, None]
        cost = np.where(level > 0, self.penalty.value(V, ratio * level + 0 * V), 0.0)
        cost = cost + ((1.0 - ratio) * level + ridge) / 2.0 * V**2
        return 0.5 * omega @ R**2 + cost.sum(axis=0)

    def lowest(self, w, j):
        """Return the best value of coefficient j, others as in w, and the objective there."""

        def along(t):
            W = np.repeat(w[:, None], np.size(t), axis=1)
            W[j] = t
            return self.objective(W)

        reach = 3 + 3 * np.abs(w[j]) + 10 * np.max(np.abs(self.y))
        grid = np.sort(np.r_[0.0, w[j], np.linspace(-reach, reach, 3001)])
        grid = np.unique(np.clip(grid, self.lower[j], self.upper[j]))
        F = along(grid)
        best = (grid[np.argmin(F)], F.min())
        valleys = 1 + np.flatnonzero((F[1:-1] <= F[:-2]) & (F[1:-1] <= F[2:]))
        for k in valleys[np.argsort(F[valleys])][:6]:
            around = (grid[k - 1], grid[k + 1])
            found = minimize_scalar(lambda t: along(t)[0], bounds=around, options={"xatol": 1e-12})
            best = min(best, (found.x, found.fun), key=lambda pair: pair[1])
        return best

    def start(self):
        return self.objective(self.w[:, None], self.b)[0]

    def best_single(self):
        moving = np.flatnonzero(np.isfinite(self.pi))
        return max(self.start() - self.lowest(self.w, j)[1] for j in moving)

    def best_swap(self):
        gains = [0.0]
        for i in np.flatnonzero((self.w != 0) & (self.pi > 0)):
            without = self.w.copy()
            without[i] = 0.0
            for j in np.flatnonzero((self.w == 0) & np.isfinite(self.pi)):
                gains.append(self.start() - self.lowest(without, j)[1])
        return max(gains)

    def descend(self):
        """Go to a fixed point of exact coordinate descent, and to the best intercept there."""
        for _ in range(400):
            before = self.objective(self.w[:, None])[0]
            for j in np.flatnonzero(np.isfinite(self.pi)):
                t, F = self.lowest(self.w, j)
                if self.objective(self.w[:, None])[0] - 1e-15 > F:
                    self.w[j] = t
            if before - self.objective(self.w[:, None])[0] < 1e-13:
                break
        if self.fit_intercept:
            self.b = np.average(self.y - self.X @ self.w, weights=self.omega)

    def judge(self, judge, X=None, **change):
        arguments = dict(
            penalty=self.penalty,
            alpha=self.alpha,
            sample_weight=self.omega,
            weights=self.pi,
            positive=self.positive,
            fit_intercept=self.fit_intercept,
            **self.options,
        )
        X = self.X if X is None else X
        return judge(X, self.y, self.w, self.b, **(arguments | change))


@every_penalty
@pytest.mark.parametrize("seed", range(6))
def test_against_brute_force(penalty, seed):
    problem = Problem(seed, penalty)
    slack = BRUTE_FORCE * problem.start()
    single, swap = problem.best_single(), problem.best_swap()
    for X in (problem.X, np.asfortranarray(problem.X), sparse.csc_array(problem.X)):
        got = problem.judge(sv.coordinatewise_violation, X)
        assert got == pytest.approx(single, abs=slack)
        assert problem.judge(sv.swap_violation, X) == pytest.approx(swap, abs=slack)


@every_penalty
@pytest.mark.parametrize("seed", range(8))
def test_standardised_with_ridge_and_bounds_against_brute_force(penalty, seed):
    problem = Problem(seed, penalty, optioned=True)
    slack = BRUTE_FORCE * problem.start()
    single, swap = problem.best_single(), problem.best_swap()
    for X in (problem.X, sparse.csc_array(problem.X)):
        got = problem.judge(sv.coordinatewise_violation, X)
        assert got == pytest.approx(single, abs=slack)
        assert problem.judge(sv.swap_violation, X) == pytest.approx(swap, abs=slack)


@every_penalty
@pytest.mark.parametrize("seed", range(8))
def test_violations_with_all_options_are_the_falls_of_difference_quotients(penalty, seed):
    problem = Problem(seed, penalty, optioned=True)
    w, omega = problem.w, problem.omega / problem.omega.sum()
    if problem.fit_intercept:
        problem.b = omega @ (problem.y - problem.X @ w)
    slope = penalty.slope(np.zeros(1), np.full(1, problem.options["l1_ratio"] * problem.alpha))[0]
    # Columns that are not centred are as curved as they are far from zero.
    steepest = np.max(omega @ problem.X**2 / problem.scales**2)
    allowed = (FINITE_DIFFERENCE + 1e-6 * steepest) * max(1.0, 1.0 / slope)
    falls = [0.0]
    for j in np.flatnonzero(np.isfinite(problem.pi)):
        for way, bound in ((1e-6, problem.upper[j]), (-1e-6, problem.lower[j])):
            if w[j] == bound:
                continue
            moved = w.copy()
            moved[j] += way / problem.scales[j]
            F = problem.objective(np.stack([w, moved], axis=1))
            falls.append((F[0] - F[1]) / 1e-6 / slope)
    for X in (problem.X, sparse.csc_array(problem.X)):
        assert problem.judge(sv.kkt_violation, X) == pytest.approx(max(falls), abs=allowed)


@pytest.mark.parametrize("judge", [*JUDGES, sv.kkt_violation, sv.objective])
@pytest.mark.parametrize(("w", "bounds"), [(0.5, (None, 0.4)), (-0.5, (0, None)), (-0.5, (0, 1))])
def test_out_of_bounds_is_inf(judge, w, bounds):
    X, y = np.array([[1.0, 0.0], [-1.0, 1.0], [0.5, 1.0]]), np.array([1.0, 0.0, 2.0])
    where = dict(penalty="mcp", alpha=0.1)
    assert judge(X, y, [w, 0.1], bounds=bounds, **where) == np.inf
    assert judge(X, y, [w, 0.1], **where) < np.inf


@every_penalty
@pytest.mark.parametrize("seed", [3, 4, *(pytest.param(s, marks=pytest.mark.slow) for s in (5, 6))])
def test_fixed_point_of_exact_descent(penalty, seed):
    problem = Problem(seed, penalty)
    problem.descend()
    slack = BRUTE_FORCE * problem.start()
    assert problem.judge(sv.coordinatewise_violation) <= slack
    swap = problem.best_swap()
    assert problem.judge(sv.swap_violation) == pytest.approx(swap, abs=slack)


@pytest.mark.parametrize("penalty", [sv.MCP(0.5), sv.SCAD(2.1), sv.CappedL1(0.5), Geman()])
def test_swaps_at_fixed_points_that_have_them(penalty):
    """Descent begins at the neighbour of the column that made y, and mostly stays there."""
    found = 0
    for seed in (4, 6, 12, 16, 18):
        problem = Problem(seed, penalty)
        problem.pi[:] = 1.0
        rng = np.random.default_rng(seed)
        problem.X[:, 1] = problem.X[:, 0] + 0.4 * np.std(problem.X[:, 0]) * rng.standard_normal(14)
        problem.y = 3.0 * problem.X[:, 0] + 0.1 * rng.standard_normal(14)
        problem.alpha *= 2.0
        problem.w = np.array([0.0, 3.0, 0.0, 0.0, 0.0])
        problem.descend()
        swap = problem.judge(sv.swap_violation)
        assert swap == pytest.approx(problem.best_swap(), abs=BRUTE_FORCE * problem.start())
        found += swap > 1e-3
    assert found >= 2


@pytest.mark.parametrize("positive", [False, True])
def test_planted_jump(positive):
    """MCP with gamma h < 1: between T and alpha zero is critical, and z / h is lower."""
    X, y, _ = toy(40, 6, 0, 0.0)
    X -= X.mean(axis=0)
    y = 3.0 * X[:, 2]
    penalty, h = sv.MCP(0.5 / np.mean(X[:, 2] ** 2)), np.mean(X[:, 2] ** 2)
    z = 3.0 * h
    where = dict(penalty=penalty, alpha=z / 0.9, positive=positive)
    expected = z**2 / (2 * h) - penalty.gamma * where["alpha"] ** 2 / 2
    assert expected > 0
    assert sv.kkt_violation(X, y, np.zeros(6), **where) == 0.0
    got = sv.coordinatewise_violation(X, y, np.zeros(6), **where)
    assert got == pytest.approx(expected, rel=REORDERED_SUM)
    w = np.zeros(6)
    w[2] = 3.0
    assert sv.coordinatewise_violation(X, y, w, **where) <= REORDERED_SUM * z
    if positive:
        assert sv.coordinatewise_violation(X, -y, np.zeros(6), **where) <= REORDERED_SUM * z


def test_planted_swap():
    """A coefficient in the flat part of MCP, on a column at an angle to the one that made y."""
    X, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((30, 4)))
    X = np.linalg.qr(np.c_[np.ones(30), X])[0][:, 1:] * np.sqrt(30)  # centred, h = 1
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    y = 5.0 * X[:, 0]
    where = dict(penalty=sv.MCP(2.0), alpha=1.9)
    w = np.array([0.0, 4.0, 0.0, 0.0])  # beyond 3.8; the first has 5 - 0.8 * 4 = 1.8 < alpha
    assert sv.coordinatewise_violation(X, y, w, **where) <= 12.5 * REORDERED_SUM
    got = sv.swap_violation(X, y, w, **where)
    assert got == pytest.approx(0.6**2 * 12.5, rel=REORDERED_SUM)  # the angle's share of y
    # Twins: a swap of equal columns gains nothing.
    twin = np.c_[X, X[:, 1]][:, 1:]
    assert sv.swap_violation(twin, y, np.r_[w[1:], 0.0], **where) <= 12.5 * REORDERED_SUM


def test_lasso_solution_has_neither():
    X, y, _ = toy(50, 100, 5, 0.1)
    for alpha in (0.5, 0.05):
        model = Lasso(alpha=alpha, tol=1e-14, max_iter=100_000).fit(X, y)
        point = (X, y, model.coef_, model.intercept_)
        F = sv.objective(*point, penalty="l1", alpha=alpha)
        # The duality gap it stops at, 1e-14 ||y||^2 / n, is more than any move can gain.
        assert sv.coordinatewise_violation(*point, penalty="l1", alpha=alpha) <= 1e-13 * F
        assert sv.swap_violation(*point, penalty="l1", alpha=alpha) <= 1e-13 * F


@every_penalty
def test_storage_and_blocks_make_no_difference(penalty, monkeypatch):
    problem = Problem(3, penalty, n=20, d=9)
    X = problem.X = problem.X.astype(np.float32)
    X[np.abs(X) < 0.3] = 0.0
    expected = [problem.judge(judge, X.astype(np.float64)) for judge in JUDGES]
    assert min(expected) > 0
    coo = sparse.coo_array(X)
    halves = np.r_[coo.data, coo.data] / np.float32(2.0)
    repeated = sparse.coo_array((halves, (np.r_[coo.row, coo.row], np.r_[coo.col, coo.col])))
    kinds = [X, sparse.csc_array(X), sparse.csr_array(X), sparse.csr_matrix(X), coo, repeated]
    kinds += [sparse.lil_array(X), sparse.bsr_array(X), sparse.csc_array(X.astype(np.float64))]
    for room in (centred._ROOM, 60):
        monkeypatch.setattr(centred, "_ROOM", room)
        for kind in kinds:
            got = [problem.judge(judge, kind) for judge in JUDGES]
            assert got == pytest.approx(expected, rel=1e-11)  # the gap asked of a minimum, and sums


@pytest.mark.parametrize("judge", JUDGES)
def test_repeated_row_is_weight_two(judge):
    X, y, w = toy(10, 4, 2, 0.1)
    twice = np.r_[0, np.arange(10)]
    weight = np.r_[2.0, np.ones(9)]
    got = judge(X[twice], y[twice], w + 0.1 * (w != 0), 0.2, penalty="scad", alpha=0.2)
    expected = judge(X, y, w + 0.1 * (w != 0), 0.2, penalty="scad", alpha=0.2, sample_weight=weight)
    assert got == pytest.approx(expected, rel=REORDERED_SUM)


def test_intercept_that_is_not_the_best_counts():
    X, y, _ = toy(20, 3, 2, 0.1)
    where = dict(penalty="l1", alpha=1e6)
    point = (X, y, np.zeros(3))
    assert sv.coordinatewise_violation(*point, y.mean(), **where) == pytest.approx(0, abs=1e-30)
    off = sv.coordinatewise_violation(*point, y.mean() + 0.5, **where)
    assert off == pytest.approx(0.125, rel=REORDERED_SUM)
    assert sv.coordinatewise_violation(*point, 0.5, **where, fit_intercept=False) == 0.0
    # A swap that loses less than the intercept gains is reported as what is left.
    w = np.array([1e-3, 0.0, 0.0])
    where = dict(penalty="l1", alpha=1e-9)
    b = np.mean(y - X @ w)
    best, off = (sv.swap_violation(X, y, w, b + shift, **where) for shift in (0.0, 0.5))
    assert off == pytest.approx(best + 0.125, rel=REORDERED_SUM)


def test_free_and_excluded_features():
    """A free one may come in and is never taken out; an excluded one stays zero."""
    X, _, _ = toy(30, 3, 0, 0.0)
    X = np.linalg.qr(np.c_[np.ones(30), X])[0][:, 1:] * np.sqrt(30)
    y = 2.0 * X[:, 0] + 1.0 * X[:, 1]
    where = dict(penalty="l1", alpha=0.5)
    zero, first = np.zeros(3), np.array([1.5, 0.0, 0.0])

    def judged(judge, w, weights):
        return judge(X, y, w, weights=weights, **where)

    assert judged(sv.coordinatewise_violation, zero, [1, 1, 1]) == pytest.approx(1.125)
    assert judged(sv.coordinatewise_violation, zero, [0, 1, 1]) == pytest.approx(2.0)
    assert judged(sv.coordinatewise_violation, zero, [np.inf, 0, 1]) == pytest.approx(0.5)
    # Out goes 1.5 at a loss of 1.875 - 0.75 = 1.125; the second gains 0.125, free 0.5.
    assert judged(sv.swap_violation, first, [1, 1, 1]) == 0.0
    assert judged(sv.swap_violation, first, [2, 0, 1]) == pytest.approx(0.5 + 1.5 - 1.875)
    assert judged(sv.swap_violation, first, [2, np.inf, np.inf]) == 0.0
    assert judged(sv.swap_violation, first, [0, 0, 0]) == 0.0
    for judge in JUDGES:
        assert judged(judge, first, [np.inf, 1, 1]) == np.inf
        assert judge(X, y, -first, positive=True, **where) == np.inf


def test_constant_columns_only_become_zero():
    X = np.c_[np.full(7, 0.1), np.arange(7.0), np.full(7, 1e8)]
    y = np.arange(7.0) ** 2
    for kind in (X, sparse.csc_array(X), sparse.csr_array(X)):
        for weight in (None, [1.0, 2.0, 3.0, 0.1, 5.0, 0.3, 0.7]):
            where = dict(penalty="l1", alpha=1e3, sample_weight=weight)
            b = np.average(y, weights=weight)
            zero = sv.coordinatewise_violation(kind, y, np.zeros(3), b, **where)
            assert zero == pytest.approx(0.0, abs=1e-24)
            cost = sv.coordinatewise_violation(kind, y, [2.0, 0, 0], b - 0.2, **where)
            assert cost == pytest.approx(2e3, rel=REORDERED_SUM)
            assert sv.swap_violation(kind, y, [0, 1.0, 0], b, **where) == 0.0
    # Without an intercept, a constant column is a column like any other; zeros say nothing.
    X[:, 2] = 0.0
    where = dict(penalty="l1", alpha=0.01, fit_intercept=False)
    got = sv.coordinatewise_violation(X[:, [0, 2]], np.ones(7), np.zeros(2), **where)
    assert got == pytest.approx((0.1 - 0.01) ** 2 / 0.02)


def test_rows_without_weight_do_not_exist():
    X = np.array([[1.0, 0.0], [1.0, 2.0], [5.0, 1.0], [1.0, 0.0]])
    where = dict(penalty="l1", alpha=1e-3, weights=[1.0, np.inf])
    for kind in (X, sparse.csc_array(X), sparse.csr_array(X)):
        got = sv.coordinatewise_violation(
            kind, [1.0, 2.0, 9.0, 3.0], [0, 0], 2.0, sample_weight=[1, 1, 0, 1], **where
        )
        assert got == 0.0  # constant where it counts


def test_a_penalty_that_costs_something_at_zero_is_refused():
    """The engine would leave out what zeros cost, the objective would not."""

    class Shifted(Geman):
        def value(self, abs_w, alpha):
            return super().value(abs_w, alpha) + 7.0 + alpha

    for judge in JUDGES:
        problem = Problem(4, Geman())
        assert problem.judge(judge) > 0
        with pytest.raises(ValueError, match=r"penalty Shifted: value\(0"):
            problem.judge(judge, penalty=Shifted())


def test_flat_valley_ends():
    """MCP with gamma h = 1 at z = alpha: every t up to gamma alpha is a minimiser."""
    X = np.sqrt(2.0) * np.eye(2)  # h = 1 without an intercept
    y = X @ [1.0, 1.0]
    where = dict(penalty=sv.MCP(1.0), alpha=1.0, fit_intercept=False)
    start = time.perf_counter()
    for t in (0.0, 0.3, 1.0):
        assert sv.coordinatewise_violation(X, y, [t, 0.0], **where) <= 1e-12
        assert sv.swap_violation(X, y, [t, 0.0], **where) <= 1e-12
    assert time.perf_counter() - start < 30.0


def test_thousands_of_columns_take_seconds():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5000))
    w = np.zeros(5000)
    w[::100] = 1.0
    y = X @ w + rng.standard_normal(200)
    start = time.perf_counter()
    for penalty in (sv.LogSum(0.01), sv.MCP(1.0)):
        for judge in JUDGES:
            assert judge(X, y, w, penalty=penalty, alpha=0.1) >= 0
    assert time.perf_counter() - start < 20.0


@pytest.mark.parametrize("judge", JUDGES)
def test_X_is_neither_copied_nor_changed(judge, monkeypatch):
    monkeypatch.setattr(centred, "_ROOM", 2**14)
    rng = np.random.default_rng(1)
    dense = rng.standard_normal((500, 2000))
    w = np.zeros(2000)
    w[:3] = 1.0
    entries = 200_000
    at = (rng.integers(0, 5000, entries), rng.integers(0, 2000, entries))
    csc = sparse.coo_array((rng.standard_normal(entries), at), shape=(5000, 2000)).tocsc()
    for X in (dense, dense.astype(np.float32), csc, csc.tocsr()):
        before = X.copy()
        tracemalloc.start()
        judge(X, np.ones(X.shape[0]), w, penalty="mcp", alpha=1e3)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < (X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes)
        assert (before != X).sum() == 0


@pytest.mark.parametrize("judge", JUDGES)
def test_beyond_the_range_is_never_certified(judge):
    X, y, w = toy(10, 4, 2, 0.1)
    assert judge(1e200 * X, y, w, penalty="mcp", alpha=0.2) == np.inf
    assert judge(X, 1e200 * y, w, penalty="mcp", alpha=0.2) == np.inf

    class Broken(Geman):
        def value(self, abs_w, alpha):  # right wherever the check of a user's penalty looks
            return np.where(abs_w < 1e6, super().value(abs_w, alpha), np.nan)

    assert judge(X, y, w, penalty=Broken(), alpha=0.2) < np.inf
    assert judge(X, 1e7 * y, w, penalty=Broken(), alpha=0.2) == np.inf


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(coef=[1.0, 2.0]), "one coefficient per column"),
        (dict(y=np.ones(9)), "one response per row"),
        (dict(alpha=0.0), "alpha must be"),
        (dict(intercept=np.nan), "intercept must be"),
        (dict(penalty=sv.MCP(gamma=-1)), "gamma"),
        (dict(penalty="nothing"), "penalty='nothing'"),
        (dict(sample_weight=-np.ones(10)), "sample_weight"),
        (dict(weights=[1.0, 1.0, np.nan, 1.0]), r"weights\[2\]"),
        (dict(X=np.full((10, 4), np.nan)), "X contains NaN"),
    ],
)
def test_errors_name_the_argument(judge, change, message):
    X, y, w = toy(10, 4, 2, 0.1)
    arguments = dict(X=X, y=y, coef=w, penalty="mcp", alpha=0.2) | change
    with pytest.raises(ValueError, match=message):
        judge(**arguments)


def test_the_judge_never_loads_the_core():
    code = """
import sys
import sparsieve as sv
for judge in (sv.coordinatewise_violation, sv.swap_violation):
    judge([[1.0, 0.5], [2.0, 1.0]], [1.0, 2.0], [0.0, 0.1], penalty="mcp", alpha=0.1)
ours = {name for name in sys.modules if name.startswith("sparsieve")}
assert not ours & {"sparsieve._core", "sparsieve.solve.solvers", "sparsieve.reference"}, ours
"""
    subprocess.run([sys.executable, "-c", code], check=True)
