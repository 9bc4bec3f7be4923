"""The kernel: nothing wrongly screened, gaps that bound, in exact arithmetic and on odd data."""

import warnings

import numpy as np
import pytest
from exact import ExactPwl
from fuzz import paths as random_paths
from fuzz import pwl as random_pwls
from hypothesis import given
from hypothesis import strategies as st
from problems import ar_design, response, toy
from scipy import sparse
from tolerances import EPS64, EQUICORRELATED, GENERIC, TWO_SOLVES

import sparsieve as sv
from sparsieve import _core
from sparsieve.reference.screening import dual_point, gap_scores

KINDS = ["plain", "plain", "zero", "tiny", "huge", "copy", "negated", "combination"]
SHARES = st.one_of(st.sampled_from([0.0, 1e-12, np.inf]), st.floats(1e-3, 2.0))
# 2^27 = 1.3e8: as far as the 1e8 users meet, and exact, so that collinear columns stay collinear.
FAR = 2.0**27


@st.composite
def designs(draw, max_features=4):
    """Draw columns of every kind from small integers: exact in float32 and float64."""
    d, n = draw(st.integers(1, max_features)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(-32, 33, (n, d)) / 8.0
    scale = np.ones(d)
    for j in range(d):
        kind = draw(st.sampled_from(KINDS))
        if kind == "zero":
            X[:, j] = 0.0
        elif kind == "copy" and j > 0:
            X[:, j] = X[:, j - 1]
        elif kind == "negated" and j > 0:
            X[:, j] = -X[:, 0]
        elif kind == "combination" and j > 1:
            X[:, j] = X[:, j - 1] - 2.0 * X[:, j - 2]
        elif kind in ("tiny", "huge"):
            scale[j] = FAR if kind == "huge" else 1.0 / FAR
    y = rng.standard_normal(n) * 10.0 ** draw(st.integers(-2, 2))
    return X * scale, y, rng


@st.composite
def problems(draw):
    """Draw a design and everything else of a PWL; return arguments and how to store X."""
    X, y, rng = draw(designs())
    n, d = X.shape
    shares = np.array([draw(SHARES) for _ in range(d)])
    correlation = np.abs(X.T @ y)
    odd = (shares == 0.0) | (shares == 1e-12) | np.isinf(shares)
    l1 = np.where(odd, shares, shares * np.where(odd | (correlation == 0.0), 1.0, correlation))
    keywords = dict(prox_weight=draw(st.sampled_from([0.0, 0.0, 1e-9, 1e-3, 1.0, 1e3])))
    if draw(st.booleans()):
        keywords["prox_center"] = rng.standard_normal(d) * 10.0 ** draw(st.integers(-2, 2))
    if draw(st.booleans()):
        keywords["sample_weight"] = rng.uniform(0.1, 3.0, n) * (rng.random(n) < 0.8) + 0.01
    X = np.asfortranarray(X, dtype=draw(st.sampled_from([np.float64, np.float32])))
    store = draw(st.sampled_from([np.asfortranarray, sparse.csc_array]))
    return X, y, l1, keywords, store


def solve(X, y, l1, **keywords):
    """Solve, without the warning that an early stop or rounding brings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sv.proximal_weighted_lasso(X, y, l1, **keywords)


def rounding(X, y, l1, keywords, w):
    """Return what double precision may do to P(w), as the fuzzer allows."""
    mu, centre = keywords["prox_weight"], keywords.get("prox_center")
    problem = random_pwls.Problem(X, y, l1, mu, centre, keywords.get("sample_weight"))
    return float(random_pwls.rounding(problem, w))


@given(problems())
def test_against_the_exact_solution(problem):
    X, y, l1, keywords, store = problem
    exact = ExactPwl(X, y, l1, **keywords)
    best = exact.solve()
    proven = np.array([abs(c) < lam for c, lam in zip(best.c, exact.l1, strict=True)])
    proven |= np.isinf(l1)
    nothing = rounding(X, y, l1, keywords, np.zeros(X.shape[1]))
    for stop in (dict(screen=False), *(dict(max_epochs=k) for k in (5, 10, 25, 100_000))):
        result = solve(store(X), y, l1, **keywords, **stop)
        noise = rounding(X, y, l1, keywords, result.coef) + nothing
        # screened, at any iteration: zero in every solution, without any tolerance
        assert not np.any(result.screened & ~proven)
        assert not np.any(result.coef[result.screened])
        # the gap is not negative, and bounds the true suboptimality
        value = exact.value(result.coef)
        assert result.gap >= -noise
        assert float(value - best.value) <= max(result.gap, 0.0) + noise
        assert abs(result.primal - float(value)) <= noise
        assert result.primal - result.dual == pytest.approx(result.gap, abs=noise)
        np.testing.assert_allclose(
            result.residual, y - X.astype(float) @ result.coef, rtol=0, atol=np.sqrt(EPS64 * noise)
        )


@given(problems())
def test_screening_changes_nothing(problem):
    X, y, l1, keywords, store = problem
    fast = solve(store(X), y, l1, **keywords)
    slow = solve(store(X), y, l1, screen=False, **keywords)
    noise = rounding(X, y, l1, keywords, fast.coef) + rounding(X, y, l1, keywords, slow.coef)
    allowed = max(fast.gap, 0.0) + max(slow.gap, 0.0) + noise
    assert abs(fast.primal - slow.primal) <= allowed
    # only features that cannot be anything but zero are marked without screening
    assert np.all(fast.screened | ~slow.screened)


@given(problems())
def test_prox_term_is_extra_rows(problem):
    X, y, l1, keywords, _ = problem
    d, mu, centre = X.shape[1], keywords["prox_weight"], keywords.get("prox_center", 0.0)
    X = X.astype(np.float64)
    direct = solve(X, y, l1, **keywords)
    rows = np.vstack([X, np.eye(d)])
    target = np.r_[y, np.broadcast_to(centre, d)]
    omega = np.r_[keywords.get("sample_weight", np.ones(len(y))), np.full(d, mu)]
    stacked = solve(rows, target, l1, sample_weight=omega)
    noise = rounding(X, y, l1, keywords, direct.coef) + rounding(X, y, l1, keywords, stacked.coef)
    allowed = max(direct.gap, 0.0) + max(stacked.gap, 0.0) + noise
    assert abs(direct.primal - stacked.primal) <= allowed


@given(problems())
def test_sample_weight_is_a_scaled_row(problem):
    X, y, l1, keywords, store = problem
    quarter = np.random.default_rng(X.shape).choice([0.25, 1.0, 4.0], len(y))  # exact roots
    X = X.astype(np.float64)
    weighted = solve(store(X), y, l1, **(keywords | dict(sample_weight=quarter)))
    root = np.sqrt(quarter)
    keywords.pop("sample_weight", None)
    scaled = solve(X * root[:, None], y * root, l1, **keywords)
    noise = rounding(4 * X, 4 * y, l1, keywords, weighted.coef)
    noise += rounding(4 * X, 4 * y, l1, keywords, scaled.coef)
    allowed = max(weighted.gap, 0.0) + max(scaled.gap, 0.0) + noise
    assert abs(weighted.primal - scaled.primal) <= allowed


def test_counter_example_of_the_printed_rule():
    """The one of docs/paper.md: x = 0.01, y = 0, alpha = 10, lambda = 1, w' = w = 20."""
    X, y, l1, centre = np.array([[0.01]]), np.array([0.0]), np.array([1.0]), np.array([20.0])
    optimum = float(ExactPwl(X, y, l1, prox_weight=0.1, prox_center=centre).solve().w[0])
    assert optimum == pytest.approx(9.99, abs=1e-3)
    norms2, r = np.array([1e-4]), y - X @ centre
    scores = {}
    for rule in ("printed", "corrected"):
        point = dual_point(y, r, centre, X.T @ r, centre, l1, norms2, 0.1, rule)
        scores[rule] = gap_scores(point, norms2, 0.1, rule)[0]
    assert scores["printed"] < l1[0] < scores["corrected"]
    for epochs in (1, 5, 100):
        ours = solve(X, y, l1, prox_weight=0.1, prox_center=centre, max_epochs=epochs)
        assert not ours.screened[0]
        assert ours.coef[0] == pytest.approx(optimum, rel=TWO_SOLVES)


def test_the_printed_rule_discards_what_ours_keeps():
    """Small columns, far from the prox centre: [RGS19] Algorithm 1 with both rules, and us."""
    prox_weight, wrong, kept = 1e-5, {"printed": 0, "corrected": 0, "ours": 0}, 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = 0.01 * rng.standard_normal((2, 2))
        X[:, 1] = X[:, 0] * (1 + 0.1 * rng.standard_normal(2))
        y, centre = np.zeros(2), 20.0 * rng.standard_normal(2)
        l1 = 1e-4 * rng.uniform(0.1, 2.0, 2)
        keywords = dict(prox_weight=prox_weight, prox_center=centre)
        exact = ExactPwl(X, y, l1, **keywords).solve()
        nonzero = np.array([value != 0 for value in exact.w])
        kept += nonzero.sum()
        wrong["ours"] += np.sum(solve(X, y, l1, **keywords).screened & nonzero)
        for rule in ("printed", "corrected"):
            twin = sv.reference.pwl(
                X, y, l1, w0=centre, prox_center=centre, alpha=1 / prox_weight,
                screen_every=1, tol=1e-12, rule=rule,
            )  # fmt: skip
            wrong[rule] += np.sum(twin.screened & nonzero)
    assert kept > 10
    assert wrong["printed"] > 0
    assert wrong["corrected"] == wrong["ours"] == 0


@pytest.mark.parametrize("prox_weight", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("seed", range(10))
def test_finite_identification(seed, prox_weight):
    """After convergence: screened = complement of the equicorrelation set ([RGS19] Property 1)."""
    rng = np.random.default_rng(seed)
    X, y, _ = toy(40, 120, 5, 0.5, seed)
    if seed % 2:
        X = ar_design(40, 120, 0.6, seed)
        y = response(X, 5, 0.5, seed)
    centre = rng.standard_normal(120)
    l1 = np.abs(X.T @ y).max() * 10.0 ** rng.uniform(-1.5, -0.3) * rng.uniform(0.5, 2.0, 120)
    result = sv.proximal_weighted_lasso(
        X, y, l1, prox_weight=prox_weight, prox_center=centre, tol=1e-15
    )
    c = X.T @ (y - X @ result.coef) - prox_weight * (result.coef - centre)
    equicorrelation = np.abs(c) >= l1 * (1 - EQUICORRELATED)
    assert np.abs(c / l1)[~equicorrelation].max() < 1 - GENERIC
    np.testing.assert_array_equal(result.screened, ~equicorrelation)
    np.testing.assert_array_equal(result.coef != 0.0, equicorrelation)
    assert 0 < equicorrelation.sum() < 60


# Problems on which earlier versions failed: gaps of unpenalised, nearly collinear or huge columns.
PWL_SEEDS = [2819, 2416, 2780, 2777, 3060, 3783, 4934, 3525, 51030, 63120]
PATH_SEEDS = [858, 900, 1327, 1631, 1881, 1930, 2053, 2294, 378, 9664, 9894, 16712, 27057, 31301]


@pytest.mark.parametrize("seed", PWL_SEEDS)
def test_random_pwls_that_failed_once(seed):
    assert random_pwls.check(seed) == []


@pytest.mark.parametrize("seed", PATH_SEEDS)
def test_random_paths_that_failed_once(seed):
    complaints, _ = random_paths.check(seed)
    assert complaints == []


@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_random_pwls(first):
    for seed in range(first, first + 100):
        assert random_pwls.check(10**6 + seed) == []


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_random_paths(first):
    for seed in range(first, first + 20):
        complaints, _ = random_paths.check(10**6 + seed)
        assert complaints == []


# Defects that were found by trying to break the library.


@pytest.fixture
def small():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 8))
    return X, 2 * X[:, 0] + X[:, 1] + 0.1 * rng.standard_normal(20)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("l1", [[2.4, 0.0, 4.7], [2.4, 0.0, 2.4], [2.4, 1.0, 4.7]])
def test_the_kernel_exchanges_duplicate_columns(seed, l1):
    g = np.random.default_rng(seed)
    X = g.standard_normal((10, 3))
    X[:, 2] = X[:, 0]
    y = 1000 * g.standard_normal(10)
    result = sv.proximal_weighted_lasso(X, y, np.array(l1))
    # The default tol asks for a gap of 1e-12 of the objective at zero; a decade for rounding.
    assert result.gap <= 1e-11 * 0.5 * (y @ y)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_what_will_be_refused_is_not_solved_first(small, bad):
    X, y = small
    X = np.asfortranarray(X)
    X[3, 5] = bad
    design = _core.Design(_core.dense(X), np.ones(20), False)
    out = _core.solve_pwl(design, y, np.full(8, 0.1), 0.0, None, 1e-12, 1000, True)
    assert out["n_epochs"] == 0
    with pytest.raises(ValueError, match="column 5"):
        sv.proximal_weighted_lasso(X, y, np.full(8, 0.1))


@pytest.mark.parametrize(("epochs", "remedy"), [(255, "rounding error"), (300, "raise max_epochs")])
def test_the_remedy_fits_why_the_kernel_stopped(monkeypatch, epochs, remedy):
    X, y, _ = toy(n_samples=20, n_features=5, n_active=2, noise=0.1, seed=0)
    solved = _core.solve_pwl

    def give_up(*arguments):
        return solved(*arguments) | {"converged": False, "n_epochs": epochs}

    monkeypatch.setattr(_core, "solve_pwl", give_up)
    with pytest.warns(UserWarning, match=remedy):
        sv.proximal_weighted_lasso(X, y, np.full(5, 0.1), max_epochs=300)
