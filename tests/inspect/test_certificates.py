"""What a result says about itself: its certificate, its warning, and what does not change it."""

import dataclasses
import re

import numpy as np
import pytest
from penalties_under_test import PENALTIES
from problems import ar_design, response, sparse_design, toy
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from tolerances import DEFAULT_KKT, REORDERED_SUM, SINGULAR, TWO_SOLVES

import sparsieve as sv
from sparsieve import _core
from sparsieve.data.core_columns import core_columns
from sparsieve.data.validation import check_X_y
from sparsieve.solve.problem import Problem
from sparsieve.solve.solvers import Solver, core_penalty

every_penalty = pytest.mark.parametrize("name", PENALTIES)


def generic(seed=0, n_samples=40, n_features=60):
    X, y, _ = toy(n_samples, n_features, 5, 0.5, seed)
    return np.asfortranarray(X + 0.3), y + 2.0


def part_of_alpha_max(X, y, penalty, share=0.1):
    return share * sv.alpha_max(X, y, penalty)


@every_penalty
def test_fields_of_an_estimator(name):
    X, y = generic()
    penalty = PENALTIES[name]
    alpha = part_of_alpha_max(X, y, penalty)
    model = sv.SparseRegressor(penalty, alpha).fit(X, y)
    certificate = model.certificate_
    assert certificate.converged
    assert certificate.reason == "converged"
    assert certificate.alpha == alpha
    assert certificate.tol == DEFAULT_KKT
    assert certificate.kkt == model.kkt_ <= DEFAULT_KKT
    assert certificate.dual_gap == model.dual_gap_
    assert certificate.objective == model.objective_
    assert certificate.n_features == X.shape[1]
    assert certificate.support_size == np.count_nonzero(model.coef_) > 0
    assert max(certificate.n_iter, 1) == model.n_iter_  # scikit-learn asks for at least 1
    assert certificate.passes > 0
    judge = dict(penalty=penalty, alpha=alpha)
    value = sv.objective(X, y, model.coef_, model.intercept_, **judge)
    assert model.objective_ == pytest.approx(value, rel=REORDERED_SUM)
    violation = sv.kkt_violation(X, y, model.coef_, model.intercept_, **judge)
    assert violation <= certificate.kkt + 0.01 * DEFAULT_KKT
    assert "a critical point" in str(certificate)
    assert f"{certificate.support_size} features selected" in str(certificate)
    with pytest.raises(dataclasses.FrozenInstanceError):
        certificate.kkt = 0.0


@every_penalty
def test_fields_of_a_path(name):
    X, y = generic()
    path = sv.sparse_path(X, y, PENALTIES[name], alphas=12)
    for field in ("kkt", "dual_gap", "objective", "converged", "convex", "n_iter", "passes"):
        assert getattr(path, field).shape == (12,), field
    assert path.status == ["CONVERGED"] * 12
    assert np.all(np.isfinite(path.kkt) & (path.kkt >= 0.0))


# ------------------------------------------------------------------------ the surrogate's gap


def surrogate(X, y, w, penalty, alpha):
    """Return centred data in the kernel's scale and the l1 weights of the surrogate at w."""
    n = len(y)
    X, z = (X - X.mean(axis=0)) / np.sqrt(n), (y - y.mean()) / np.sqrt(n)
    return X, z, penalty.slope(np.abs(w), np.full(w.size, alpha))


def gap_of(X, z, lam, w):
    """Return P - D with the best multiple of the residual as dual point; lambda > 0 only."""
    r = z - X @ w
    limit = np.min(lam / np.maximum(np.abs(X.T @ r), np.finfo(float).tiny))
    kappa = min(z @ r / (r @ r), limit)
    return r @ r / 2 + lam @ np.abs(w) - (kappa * (z @ r) - kappa**2 * (r @ r) / 2)


@every_penalty
def test_dual_gap_is_the_gap_of_the_last_surrogate(name):
    """At the default tolerance: our gap, NumPy's gap and the kernel's optimum tell one story."""
    X, y = generic()
    penalty = PENALTIES[name]
    path = sv.sparse_path(X, y, penalty, alphas=10, eps=0.01, tol=1e-4)
    for k, alpha in enumerate(path.alphas):
        w = path.coef_at(alpha)
        Xs, z, lam = surrogate(X, y, w, penalty, alpha)
        rounding = REORDERED_SUM * (z @ z)
        kernel = sv.proximal_weighted_lasso(Xs, z, lam)
        r = z - Xs @ w
        suboptimal = r @ r / 2 + lam @ np.abs(w) - kernel.primal
        assert path.dual_gap[k] >= suboptimal - max(kernel.gap, 0.0) - rounding
        assert path.dual_gap[k] >= 0.0
        if np.all(lam > 0.0):
            gap = gap_of(Xs, z, lam, w)
            assert path.dual_gap[k] >= gap - rounding
            # Ours has a bound of its rounding in it: worst cases of all terms, not what they do.
            assert path.dual_gap[k] <= gap * (1 + 1e-6) + 10 * rounding


# --------------------------------------------------------------------------- strict minima


def curvature(penalty, t, alpha):
    """Return r''(t), by hand."""
    if isinstance(penalty, sv.LogSum):
        return -alpha / (penalty.theta + t) ** 2
    if isinstance(penalty, sv.MCP):
        return np.where(t < penalty.gamma * alpha, -1 / penalty.gamma, 0.0)
    middle = (t > alpha) & (t < penalty.gamma * alpha)
    return np.where(middle, -1 / (penalty.gamma - 1), 0.0)


@pytest.mark.parametrize(
    "penalty",
    [sv.LogSum(0.01), sv.LogSum(0.1), sv.LogSum(1.0), sv.MCP(0.2), sv.MCP(1.0), sv.MCP(3.0),
     sv.SCAD(2.1), sv.SCAD(3.7)],
    ids=repr,
)  # fmt: skip
def test_strict_minimum_is_a_positive_definite_hessian(penalty):
    verdicts = []
    for seed in range(6):
        X, y = generic(seed)
        if seed % 2:
            X = ar_design(40, 60, 0.95, seed)
            y = response(X, 5, 0.5, seed)
        path = sv.sparse_path(X, y, penalty, alphas=30, eps=1e-3)
        Xc = X - X.mean(axis=0)
        for k, alpha in enumerate(path.alphas):
            w = path.coef_at(alpha)
            on = np.flatnonzero(w)
            if on.size == 0:
                continue
            gram = Xc[:, on].T @ Xc[:, on] / len(y)
            eigenvalues = np.linalg.eigvalsh(gram + np.diag(curvature(penalty, abs(w[on]), alpha)))
            if abs(eigenvalues[0]) < SINGULAR * gram.max():
                continue  # neither verdict would be wrong
            assert path.convex[k] == (eigenvalues[0] > 0)
            verdicts.append(bool(path.convex[k]))
    assert len(verdicts) > 100
    assert any(verdicts)


@pytest.mark.parametrize("penalty", [sv.LogSum(0.5), sv.MCP(0.8), sv.SCAD(2.5)], ids=repr)
def test_saddles_and_maxima_are_not_called_strict_minima(penalty):
    """Solves end in minima, so the other verdict needs a start on another critical point.

    With y = X (w + inv(G) slope(w) sign(w)), G = X'X/n, the chosen w is critical.
    """
    verdicts = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, k, alpha = 12, int(rng.integers(1, 5)), 1.0
        X = np.asfortranarray(rng.standard_normal((n, k)) * rng.uniform(0.5, 1.5))
        w = rng.choice([-1.0, 1.0], k) * rng.uniform(0.3, 2.0, k)
        gram = X.T @ X / n
        slope = penalty.slope(np.abs(w), np.full(k, alpha)) * np.sign(w)
        y = X @ (w + np.linalg.solve(gram, slope))
        solver = Solver(Problem(check_X_y(X, y), fit_intercept=False), penalty)
        solver.warm_start(np.arange(k), w)
        point = solver.solve(alpha, DEFAULT_KKT, 10_000)
        assert point.converged
        on, t = point.columns, np.abs(point.values)
        hessian = gram[np.ix_(on, on)] + np.diag(curvature(penalty, t, alpha))
        smallest = np.linalg.eigvalsh(hessian)[0] if on.size else 1.0
        assert point.convex == (smallest > 0.0)
        verdicts.append(point.convex)
    assert min(sum(verdicts), len(verdicts) - sum(verdicts)) >= 5


@pytest.mark.parametrize("penalty", [sv.L1(), sv.MCP(0.5), sv.SCAD(3.7)], ids=repr)
def test_a_face_of_solutions_is_not_a_strict_minimum(penalty):
    """Two equal columns, both selected, share a coefficient in any proportion."""
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((40, 4)))
    X[:, 1] = X[:, 0]
    y = X[:, 0] + 0.1 * rng.standard_normal(40)
    solver = Solver(Problem(check_X_y(X, y)), penalty)
    solver.warm_start(np.array([0, 1]), np.array([0.3, 0.3]))
    point = solver.solve(0.5 * solver.alpha_max(), DEFAULT_KKT, 10_000)
    assert point.converged
    assert point.columns.tolist() == [0, 1]
    assert not point.convex


# ------------------------------------------------------------------------------ the warning


@every_penalty
def test_warning_names_alpha_violation_and_remedy(name):
    X, y = generic()
    with pytest.warns(ConvergenceWarning) as caught:
        path = sv.sparse_path(X, y, PENALTIES[name], alphas=10, max_iter=1)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    text = str(caught[0].message)
    worst = np.argmax(np.where(path.converged, -1.0, path.kkt))
    assert f"{np.sum(~path.converged)} of 10 alphas did not reach tol=1e-06" in text
    assert float(re.search(r"alpha=([0-9.e+-]+)", text)[1]) == pytest.approx(
        path.alphas[worst], rel=1e-5
    )
    assert float(re.search(r"violation of ([0-9.e+-]+)", text)[1]) == pytest.approx(
        path.kkt[worst], rel=1e-2
    )
    assert "Remedy: raise max_iter" in text
    # and the violation is the true one
    judged = sv.kkt_violation(
        X, y, path.coef_at(path.alphas[worst]), path.intercepts[worst],
        penalty=PENALTIES[name], alpha=path.alphas[worst],
    )  # fmt: skip
    assert path.kkt[worst] == pytest.approx(judged, rel=1e-6)


def test_an_estimator_that_did_not_converge_says_so():
    X, y = generic()
    model = sv.SparseRegressor("l1", part_of_alpha_max(X, y, "l1", 0.01), max_iter=1)
    with pytest.warns(ConvergenceWarning, match=r"alpha=.*violation of .*Remedy: raise max_iter"):
        model.fit(X, y)
    assert not model.certificate_.converged
    assert model.certificate_.reason == "iterations"
    assert model.kkt_ > DEFAULT_KKT
    assert "NOT converged" in str(model.certificate_)


# ---------------------------------------------------------- passes, threads and the 8-bit copy


def test_passes_are_counted_and_few():
    X, y, _ = sv.datasets.make_toy(100, 3000, 5, 1.0, random_state=0)
    path = sv.sparse_path(X, y, "mcp")
    assert np.all(path.passes >= 0.0)
    assert path.passes[0] >= 1.0  # alpha_max needs every column once
    assert path.passes.sum() < len(path)  # below one pass over X per alpha
    assert path.passes[1:].sum() > 0.0


@pytest.mark.parametrize("intercept", [False, True])
@every_penalty
def test_bounds_of_columns_with_few_entries_cover_every_feature(name, intercept):
    # Every alpha is looked at: a bound that is too short would hide violators at some of them.
    rng = np.random.default_rng(7)
    n, d = 300, 2000
    X = sparse_design(n, d, density=0.02, seed=1)
    X.data += 3.0  # means that matter
    y = X[:, :40] @ rng.standard_normal(40) + rng.standard_normal(n)
    judge = dict(penalty=PENALTIES[name], sample_weight=rng.uniform(0.0, 2.0, n))
    path = sv.sparse_path(X, y, alphas=20, eps=0.05, fit_intercept=intercept, tol=1e-3, **judge)
    assert path.converged.all()
    for point in path.points:
        coef = np.zeros(d)
        coef[point.columns] = point.values
        violation = sv.kkt_violation(X, y, coef, point.intercept, alpha=point.alpha, **judge)
        assert violation <= point.kkt + 0.01 * DEFAULT_KKT


def core_path(X, y, penalty, alphas, threads=1, shadow=True):
    """Return the coefficients of a path, straight from the core."""
    n, d = X.shape
    design = _core.Design(core_columns(X), np.full(n, 1.0 / n), True, threads, shadow)
    solver = _core.solver(design, y, core_penalty(penalty), None, 0.0)
    coefs = np.zeros((d, len(alphas)))
    looked = 0
    points = []
    tolerances = np.full(len(alphas), 1e-10)
    start = [_core.Start()]
    solver.follow(alphas, tolerances, 10_000, start, points.append)
    for k, point in enumerate(points):
        assert point.status == _core.Status.CONVERGED
        coefs[point.columns, k] = point.values
        looked += point.by_shadow
    return coefs, looked


@every_penalty
def test_the_8_bit_copy_changes_no_result(name):
    X, y = generic(1, 60, 1200)  # larger than the cache that makes the copy pointless
    penalty = PENALTIES[name]
    alphas = part_of_alpha_max(X, y, penalty, 1.0) * np.geomspace(0.9, 0.05, 15)
    with_copy, looked = core_path(X, y, penalty, alphas)
    without, none = core_path(X, y, penalty, alphas, shadow=False)
    assert looked > 0 == none
    np.testing.assert_allclose(with_copy, without, rtol=0, atol=TWO_SOLVES * np.abs(without).max())


@pytest.mark.parametrize("storage", ["dense", "float32", "csc"])
def test_any_number_of_threads_gives_the_same_bits(storage):
    """Wide enough that the work is split: each thread takes at least some thousand columns."""
    if storage == "csc":
        X = sparse_design(60, 20_000, 0.05)
        y = np.asarray(X @ np.r_[np.ones(5), np.zeros(19_995)])
    else:
        X, y = generic(2, 60, 20_000)
        X = X.astype(np.float32 if storage == "float32" else np.float64, order="F")
    paths = [
        sv.sparse_path(X, y, "mcp", alphas=20, n_jobs=jobs, standardize=False)
        for jobs in (None, 1, 2, 3, -1)
    ]
    for path in paths[1:]:
        np.testing.assert_array_equal((path.coefs != paths[0].coefs).sum(), 0)
        for field in ("alphas", "intercepts", "objective", "kkt", "dual_gap", "passes"):
            np.testing.assert_array_equal(getattr(path, field), getattr(paths[0], field))
    alpha = float(paths[0].alphas[10])
    one, two = (
        sv.SparseRegressor("mcp", alpha, n_jobs=jobs, standardize=False).fit(X, y)
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_n_jobs_reaches_the_core(monkeypatch):
    seen = []
    real = _core.Design

    def design(columns, omega, centre, threads=1, *more):
        seen.append(threads)
        return real(columns, omega, centre, threads, *more)

    monkeypatch.setattr("sparsieve.solve.solvers._core.Design", design)
    X, y = generic()
    sv.sparse_path(X, y, alphas=3, n_jobs=3)
    sv.SparseRegressor(n_jobs=2).fit(X, y)
    sv.SparseRegressor().fit(X, y)
    sv.SparseRegressorIC(alphas=3, n_jobs=2).fit(X, y)
    assert seen[:3] == [3, 2, 1]
    assert seen[3] == 2
    with pytest.raises(ValueError, match="n_jobs"):
        sv.sparse_path(X, y, alphas=3, n_jobs=0)


@pytest.mark.parametrize("options", [{}, {"positive": True}, {"fit_intercept": False}], ids=str)
def test_the_gap_of_a_lasso_bounds_its_distance_to_the_global_minimum(options):
    X, y, _ = toy(n_samples=40, n_features=120, n_active=6, noise=0.5, seed=3)
    alpha = 0.05 * sv.alpha_max(X, y, "l1")
    lowest = sv.SparseRegressor("l1", alpha, tol=1e-9, **options).fit(X, y).objective_
    for tol in (0.5, 0.1, 1e-3):
        model = sv.SparseRegressor("l1", alpha, tol=tol, **options).fit(X, y)
        certificate = model.certificate_
        assert certificate.convex_problem
        assert model.objective_ - lowest <= certificate.dual_gap + REORDERED_SUM * lowest
        assert "above the global minimum" in str(certificate)


def test_only_the_lasso_speaks_of_a_global_minimum():
    X, y, _ = toy(n_samples=40, n_features=120, n_active=6, noise=0.5, seed=3)
    certificate = sv.SparseRegressor("mcp", 0.3).fit(X, y).certificate_
    assert not certificate.convex_problem
    assert "global" not in str(certificate)


def test_a_gap_below_zero_by_rounding_is_told_as_zero():
    X, y, _ = toy(n_samples=40, n_features=20, n_active=3, noise=0.5, seed=3)
    for penalty in ("l1", "mcp"):
        certificate = sv.SparseRegressor(penalty, 0.3).fit(X, y).certificate_
        assert "-1e-18" not in str(dataclasses.replace(certificate, dual_gap=-1e-18))
        assert " 0" in str(dataclasses.replace(certificate, dual_gap=-1e-18))


# Defects that were found by trying to break the library.


@pytest.fixture
def small():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 8))
    return X, 2 * X[:, 0] + X[:, 1] + 0.1 * rng.standard_normal(20)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_iter", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("penalty", ["l1", "mcp"])
def test_a_solve_that_max_iter_ends_hands_out_the_point_it_certifies(penalty, max_iter):
    # Thousands of features violate at once at a small alpha without a path before it, and the
    # solver works on the columns themselves.
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((30, 9000)))
    y = X[:, :3].sum(axis=1)
    path = sv.sparse_path(X, y, penalty, alphas=[0.01], max_iter=max_iter)
    coef, intercept = path.coef_at(0.01), path.intercepts[0]
    violation = sv.kkt_violation(X, y, coef, intercept, penalty=penalty, alpha=0.01)
    assert violation == pytest.approx(path.kkt[0], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("penalty", [sv.MCP(3.0), sv.CappedL1(1.0), sv.LogSum(1.0)])
@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_the_gap_of_a_stopped_solve_is_not_negative(penalty, max_iter):
    X, y, _ = toy(40, 60, 5, 0.5)
    with pytest.warns(Warning, match="did not reach"):
        path = sv.sparse_path(X + 0.3, y + 2, penalty, alphas=10, eps=0.01, max_iter=max_iter)
    # Rounding of the two objectives that are subtracted.
    assert np.all(path.dual_gap >= -1e-12 * path.objective[0])


def test_a_point_that_did_not_converge_claims_nothing(small):
    X, y = small
    with pytest.warns(Warning, match="did not reach"):
        model = sv.SparseRegressor("mcp", alpha=1e-9, max_iter=1).fit(X, y)
    assert "no claim" in str(model.certificate_)


@pytest.mark.skipif(not hasattr(sparse, "random_array"), reason="needs SciPy 1.12")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_iter", [1, 3, 10, 10_000])
@pytest.mark.parametrize("penalty", ["l1", "mcp", "logsum"])
def test_large_sparse_supports_are_certified_as_they_are(penalty, max_iter):
    # Columns of five entries and supports in the hundreds: solved on the columns, without Gram.
    rng = np.random.default_rng(1)
    X = sparse.random_array((400, 3000), density=5 / 400, rng=rng, format="csc")
    y = X[:, :200] @ rng.standard_normal(200) + 0.1 * rng.standard_normal(400)
    path = sv.sparse_path(X, y, penalty, alphas=15, max_iter=max_iter, standardize=False)
    assert path.support_size.max() > 100
    for k, alpha in enumerate(path.alphas):
        violation = sv.kkt_violation(
            X, y, path.coef_at(alpha), path.intercepts[k], penalty=penalty, alpha=alpha
        )
        assert violation <= path.kkt[k] + 1e-9
    if max_iter == 10_000:
        assert path.converged.all()


# What the fuzzers found; each crashed, hung or spoke in riddles once.


def test_a_violator_within_the_tolerance_does_not_hide_one_that_is_not():
    # The third column violates by 0.75 tol: enough to be found, not enough to deny the certificate.
    # The second one looked unlikely before the first was fitted, and violates by 1.83.
    n, alpha, tol = 300, 0.15, 1e-6
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((n, 3)))[0] * np.sqrt(n)
    a, t, u = Q.T
    rho = (alpha * (1 + 0.75 * tol) - 0.75 * alpha) / 2 / (1 - alpha)
    q = np.sqrt(1 - rho**2)
    X = np.asfortranarray(np.c_[a, -0.5 * a + np.sqrt(0.75) * t, 2 * (-rho * a + q * u)])
    y = a + 0.5 / np.sqrt(0.75) * t + (0.75 * alpha / 2 + rho) / q * u
    path = sv.sparse_path(X, y, "l1", alphas=[alpha], tol=tol, fit_intercept=False)
    assert path.converged.all()
    assert sv.kkt_violation(X, y, path.coef_at(alpha), penalty="l1", alpha=alpha) <= tol


@pytest.mark.parametrize("bound", [1.0, 1e3, 1e9])
@pytest.mark.parametrize("standardize", [False, True])
def test_a_bound_that_nobody_reaches_costs_the_gap_nothing(bound, standardize):
    """Found once: the rounding of a correlation times a wide bound was all of the gap."""
    X, y, _ = sv.datasets.make_toy(40, 10, 3, noise=0.5, random_state=1)
    X *= 10.0 ** np.linspace(-3, 3, 10)
    options = {"alpha": 0.2, "standardize": standardize, "tol": 1e-10}
    free = sv.SparseRegressor("l1", **options).fit(X, y)
    reach = bound * np.abs(free.coef_).max() * 1.001
    within = sv.SparseRegressor("l1", bounds=(-reach, reach), **options).fit(X, y)
    np.testing.assert_allclose(within.coef_, free.coef_, rtol=1e-9)
    # Both proofs end within what the tolerance leaves, and the bound adds nothing to that.
    assert within.dual_gap_ <= 2.0 * free.dual_gap_ + 1e-12 * free.objective_


def test_a_bound_that_is_reached_is_proven_too():
    X, y, _ = sv.datasets.make_toy(40, 10, 3, noise=0.5, random_state=1)
    free = sv.SparseRegressor("l1", alpha=0.1).fit(X, y)
    cap = 0.5 * np.abs(free.coef_).max()
    held = sv.SparseRegressor("l1", alpha=0.1, bounds=(-cap, cap), tol=1e-10).fit(X, y)
    assert np.any(np.abs(held.coef_) == cap)
    assert 0.0 <= held.dual_gap_ <= 1e-8 * held.objective_
