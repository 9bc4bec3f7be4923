"""Every start: where its grid begins, and the same point by every way to it."""

import numpy as np
import pytest
from problems import ar_design, response, toy
from scipy import sparse
from sklearn.linear_model import Lasso
from starts_under_test import (
    CONCAVE,
    NAMES,
    TIGHT,
    assert_close,
    assert_same_bits,
    dense,
    every_concave,
    slope_at_zero,
)
from tolerances import (
    AGREEMENT,
    DEFAULT_KKT,
    FEW_OPS,
    FLOAT32_DATA,
    ONE_BASIN,
    TWO_SOLVES,
)

import sparsieve as sv
from sparsieve.data.validation import check_X_y
from sparsieve.paths.grid import grid_from
from sparsieve.penalties import resolve_penalty
from sparsieve.solve.problem import Problem
from sparsieve.solve.solvers import Solver
from sparsieve.solve.starts import ABOVE, FRACTION, Start

# ------------------------------------------------------------------------------------- the grid


@every_concave
@pytest.mark.parametrize("start", [*NAMES, "given"])
@pytest.mark.parametrize("count", [1, 2, 30])
def test_a_grid_begins_at_an_empty_point_and_ends_where_it_always_did(hard, penalty, start, count):
    X, y = hard
    start = np.full(X.shape[1], 0.1) if start == "given" else start
    largest = sv.alpha_max(X, y, penalty)
    path = sv.sparse_path(X, y, penalty, alphas=count, eps=0.02, start=start, max_support=30)
    unmoved = sv.alpha_max(X, y, penalty, minimum="coordinatewise")
    limit = max(largest / FRACTION, ABOVE * unmoved)
    assert largest <= path.alphas[0] <= limit * (1 + FEW_OPS)
    if not isinstance(start, str):
        return  # given coefficients need not vanish anywhere
    assert path.support_size[0] == 0 or path.alphas[0] == pytest.approx(limit, rel=FEW_OPS)
    if start == "previous":
        assert path.alphas[0] == (ABOVE * unmoved if unmoved > largest else largest)
    solver = Solver(Problem(check_X_y(X, y), minimum="coordinatewise"), resolve_penalty(penalty))
    grid = grid_from(solver, Start(start), count, 0.02)
    assert len(grid) == count
    np.testing.assert_array_equal(grid[: len(path)], path.alphas)
    if count > 1:
        assert grid[-1] == pytest.approx(0.02 * largest, rel=FEW_OPS)


def test_features_may_be_there_at_alpha_max_from_a_lasso(hard):
    X, y = hard
    largest = sv.alpha_max(X, y, "logsum")
    path = sv.sparse_path(X, y, "logsum", alphas=20, eps=0.05)
    assert path.alphas[0] > largest
    assert path.support_size[0] == 0
    given = sv.sparse_path(X, y, "logsum", alphas=[largest, 0.1 * largest])
    np.testing.assert_array_equal(given.alphas, [largest, 0.1 * largest])
    assert given.support_size[0] > 0
    down = sv.sparse_path(X, y, "logsum", alphas=[largest], start="previous", minimum="stationary")
    assert down.support_size[0] == 0


@pytest.mark.parametrize("eps", [1 - 2.0**-53, 0.9999])
def test_a_grid_finer_than_rounding_ends(hard, eps):
    path = sv.sparse_path(*hard, "logsum", alphas=3, eps=eps)
    assert path.support_size[0] == 0
    assert path.alphas[-1] == pytest.approx(sv.alpha_max(*hard, "logsum") * eps, rel=FEW_OPS)


def test_unpenalised_features_do_not_keep_a_grid_from_beginning(hard):
    X, y = hard
    weights = np.r_[1.0, 0.0, np.ones(X.shape[1] - 2)]
    path = sv.sparse_path(X, y, "logsum", alphas=20, eps=0.05, weights=weights)
    assert path.points[0].columns.tolist() == [1]


# ----------------------------------------------------------------- the same point by every way


def random_problems(count):
    for seed in range(count):
        rng = np.random.default_rng(seed)
        X = ar_design(40, 60, rng.uniform(0.0, 0.9), seed)
        yield X, response(X, int(rng.integers(1, 10)), rng.uniform(0.1, 1.0), seed)


def agreement(count, penalties):
    """Return how often one alpha by itself ends where a path ends, each way, and the number."""
    agreed, total = np.zeros(2), 0
    for k, (X, y) in enumerate(random_problems(count)):
        penalty = penalties[k % len(penalties)]
        path = sv.sparse_path(X, y, penalty, alphas=8, eps=0.05)
        for alpha, objective in zip(path.alphas[1:], path.objective[1:], strict=True):
            short = sv.sparse_path(X, y, penalty, alphas=[alpha]).objective[0]
            single = sv.SparseRegressor(penalty, alpha).fit(X, y).objective_
            apart = np.abs(np.array([short, single]) - objective)
            agreed += apart <= ONE_BASIN * objective
            total += 1
    return agreed, total


def test_one_alpha_by_itself_ends_where_a_path_does():
    agreed, total = agreement(60, CONCAVE)
    assert total >= 400
    assert np.all(agreed >= AGREEMENT * total)


@pytest.mark.slow
def test_one_alpha_by_itself_ends_where_a_path_does_on_thousands():
    agreed, total = agreement(900, CONCAVE)
    assert total >= 6000
    assert np.all(agreed >= AGREEMENT * total)


@every_concave
def test_the_lasso_start_is_the_lasso(penalty):
    """Given to a solve, scikit-learn's lasso at 0.3 of slope(0) leads to the same point."""
    X, y, _ = toy(n_samples=60, n_features=80, n_active=6, noise=0.5, seed=4)
    for part in (0.8, 0.4, 0.2):
        alpha = part * sv.alpha_max(X, y, penalty)
        level = FRACTION * slope_at_zero(penalty, alpha)
        lasso = Lasso(alpha=level, tol=1e-10, max_iter=10**5).fit(X, y)
        ours = sv.sparse_path(X, y, penalty, alphas=[alpha], tol=TIGHT)
        theirs = sv.sparse_path(X, y, penalty, alphas=[alpha], start=lasso.coef_, tol=TIGHT)
        assert_close(theirs, ours)


@pytest.mark.parametrize("start", NAMES)
@every_concave
def test_storage_and_threads_do_not_matter(easy, penalty, start):
    X, y = easy
    options = {"alphas": 10, "eps": 0.05, "start": start, "tol": TIGHT}
    path = sv.sparse_path(X, y, penalty, **options)
    options["alphas"] = path.alphas
    assert_close(path, sv.sparse_path(sparse.csc_array(X), y, penalty, **options))
    single = X.astype(np.float32)
    assert_close(path, sv.sparse_path(single, y, penalty, **options), FLOAT32_DATA)
    exact = sv.sparse_path(single.astype(np.float64), y, penalty, **options)
    assert_close(exact, sv.sparse_path(single, y, penalty, **options))


@pytest.mark.parametrize("start", [*NAMES, "given"])
@pytest.mark.parametrize("store", [np.asfortranarray, sparse.csc_array], ids=["dense", "csc"])
def test_the_number_of_threads_changes_no_bit(start, store):
    X, y, _ = toy(n_samples=150, n_features=1500, n_active=20, noise=1.0, seed=0)
    start = np.resize([1.0, 0.0, 0.0, -1.0, 0.0], 1500) if start == "given" else start
    options = {"alphas": 12, "eps": 0.05, "start": start}
    one, two = (sv.sparse_path(store(X), y, n_jobs=n, **options) for n in (1, 2))
    assert_same_bits(one, two)
    assert one.start.tolist() == two.start.tolist()
    models = [sv.SparseRegressor(alpha=0.2, n_jobs=n, start=start).fit(store(X), y) for n in (1, 2)]
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)


@pytest.mark.parametrize("start", NAMES)
def test_sample_weight_two_is_a_repeated_row(easy, start):
    X, y = easy
    rows = np.r_[np.arange(50), np.arange(10)]
    weight = np.r_[np.full(10, 2.0), np.ones(40)]
    options = {"eps": 0.05, "start": start, "tol": TIGHT}
    for penalty in ("mcp", "logsum"):
        path = sv.sparse_path(X[rows], y[rows], penalty, alphas=10, **options)
        options["sample_weight"] = weight
        assert_close(path, sv.sparse_path(X, y, penalty, alphas=path.alphas, **options))
        del options["sample_weight"]


@pytest.mark.parametrize("start", NAMES)
def test_weights_signs_and_the_intercept(easy, start):
    X, y = easy
    options = {"start": start, "tol": TIGHT}
    weights = np.ones(40)
    weights[::3] = np.inf
    kept = np.isfinite(weights)
    path = sv.sparse_path(X, y, "mcp", alphas=10, eps=0.05, weights=weights, **options)
    fewer = sv.sparse_path(X[:, kept], y, "mcp", alphas=path.alphas, **options)
    np.testing.assert_allclose(dense(path)[kept], dense(fewer), rtol=0, atol=TWO_SOLVES)
    assert not np.any(dense(path)[~kept])

    free = np.r_[0.0, 0.0, np.ones(38)]
    path = sv.sparse_path(X, y, "mcp", alphas=10, eps=0.05, weights=free, **options)
    assert np.all(dense(path)[:2] != 0.0)
    basis = np.column_stack([np.ones(50), X[:, :2]])
    away = np.eye(50) - basis @ np.linalg.pinv(basis)
    rest = sv.sparse_path(
        away @ X[:, 2:], away @ y, "mcp", alphas=path.alphas, fit_intercept=False, **options
    )
    np.testing.assert_allclose(dense(path)[2:], dense(rest), rtol=0, atol=TWO_SOLVES)

    path = sv.sparse_path(X, y, "mcp", alphas=10, eps=0.05, **options)
    centred = sv.sparse_path(
        X - X.mean(axis=0), y - y.mean(), alphas=path.alphas, fit_intercept=False, **options
    )
    assert_close(path, centred)


@every_concave
@pytest.mark.parametrize("start", NAMES)
def test_positive_points_are_certified_by_the_judge(hard, penalty, start):
    X, y = hard
    path = sv.sparse_path(X, y, penalty, alphas=8, eps=0.1, start=start, positive=True)
    assert np.all(dense(path) >= 0.0)
    for alpha, intercept in zip(path.alphas, path.intercepts, strict=True):
        where = {"penalty": penalty, "alpha": alpha, "positive": True}
        assert sv.kkt_violation(X, y, path.coef_at(alpha), intercept, **where) <= DEFAULT_KKT
