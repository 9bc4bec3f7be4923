"""Tall tables: all features in the working set, every point proven by one Gram matrix."""

import numpy as np
import pytest
import tolerances
from scipy import sparse

import sparsieve as sv
from sparsieve.data.inputs import check_data
from sparsieve.data.validation import check_X_y
from sparsieve.solve import designs
from sparsieve.solve.designs import keeps_all
from sparsieve.solve.problem import Problem
from sparsieve.solve.solvers import Solver

PENALTIES = [sv.L1(), sv.MCP(), sv.SCAD(), sv.LogSum(0.1)]
NAMES = [type(penalty).__name__ for penalty in PENALTIES]


def tall(n=3000, d=30, *, offset=0.0, dtype=np.float64):
    rng = np.random.default_rng(7)
    X = rng.standard_normal((n, d)) @ np.linalg.cholesky(0.5 * np.eye(d) + 0.5)
    X = np.asfortranarray(X + offset, dtype=dtype)
    y = X[:, :6] @ np.array([3.0, -2.0, 1.5, 1.0, -0.5, 0.2]) + rng.standard_normal(n)
    return X, y, rng.exponential(size=n)


@pytest.mark.parametrize("penalty", PENALTIES, ids=NAMES)
@pytest.mark.parametrize("start", ["previous", "lasso"])
def test_points_are_those_of_a_path_that_reads_columns(penalty, start, monkeypatch):
    X, y, weight = tall()
    options = {"alphas": 30, "start": start, "minimum": "swap", "sample_weight": weight}
    path = sv.sparse_path(X, y, penalty, tol=1e-10, **options)
    monkeypatch.setattr(designs, "_MOST", 0)
    by_columns = sv.sparse_path(X, y, penalty, tol=1e-10, **options)
    assert path.converged.all()
    np.testing.assert_array_equal(path.alphas, by_columns.alphas)
    same = {"rtol": 0, "atol": tolerances.TWO_SOLVES * np.abs(by_columns.coefs).max()}
    np.testing.assert_allclose(path.coefs.toarray(), by_columns.coefs.toarray(), **same)
    np.testing.assert_array_equal(path.minimum, by_columns.minimum)


@pytest.mark.parametrize("penalty", PENALTIES, ids=NAMES)
@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_every_point_is_what_its_certificate_says(penalty, offset):
    X, y, weight = tall(offset=offset)
    where = {"penalty": penalty, "sample_weight": weight}
    path = sv.sparse_path(X, y, alphas=30, **where)
    assert path.converged.all()
    for k, alpha in enumerate(path.alphas):
        point = (X, y, path.coef_at(alpha), path.intercepts[k])
        judged = sv.kkt_violation(*point, alpha=alpha, fit_intercept=True, **where)
        assert judged <= tolerances.DEFAULT_KKT
        by_judge = sv.objective(*point, alpha=alpha, **where)
        assert path.objective[k] == pytest.approx(by_judge, rel=tolerances.FIT_BY_PRODUCTS)


def test_a_path_reads_the_table_a_few_times_only():
    X, y, _ = tall(20_000, 20)
    path = sv.sparse_path(X, y, "mcp", alphas=100)
    # One pass for the moments and one for the Gram matrix, however many alphas; residuals are read
    # where the products say too little of the fit.
    assert path.passes[0] == pytest.approx(2.0)
    assert path.passes[1:].mean() < 0.2


def test_any_number_of_threads_gives_the_same_bits():
    X, y, _ = tall(20_000, 40)
    one, two, three = (sv.sparse_path(X, y, "scad", alphas=20, n_jobs=n) for n in (1, 2, 3))
    for other in (two, three):
        assert (one.coefs != other.coefs).nnz == 0
        np.testing.assert_array_equal(one.objective, other.objective)


def test_float32_columns_are_summed_in_double_precision():
    X, y, _ = tall(dtype=np.float32)
    single = sv.sparse_path(X, y, "mcp", alphas=20)
    double = sv.sparse_path(X.astype(np.float64, order="F"), y, "mcp", alphas=single.alphas)
    np.testing.assert_allclose(single.objective, double.objective, rtol=1e-12)  # the same numbers


def test_the_decision_is_by_counts():
    def decides(n, d, alphas, storage=np.asfortranarray):
        X = storage(np.eye(n, d))
        return designs.keeps_all(Problem(check_X_y(X, np.arange(float(n)))), alphas)

    assert decides(1000, 100, 100)
    assert not decides(1000, 100, 5)  # too few alphas to pay
    assert not decides(300, 100, 100)  # not tall
    assert decides(1000, 200, 20)
    assert not decides(1000, 210, 20)  # more products than these alphas would read
    assert not decides(6000, 1500, 1000)  # too many columns
    assert not decides(1000, 100, 100, sparse.csc_array)


def test_points_proven_by_products_know_the_errors_of_sums_that_stand_for_rows():
    X, y, _ = tall(4000, 260)  # the rows that stand for these are summed by leaves as well
    problem = Problem(check_data(sv.Statistics().partial_fit(X, y), None))
    assert keeps_all(problem, 30)
    problem.uncertainty = 1e-11
    solver = Solver(problem, sv.L1(), n_alphas=30)
    alphas = solver.largest_alpha() * np.geomspace(1, 0.1, 30)
    fits, spread = solver.fits(alphas, 1e-6, 1000), X.std(axis=0)
    # A correlation is off by 1e-11 s_j (s_y + sum_l s_l |w_l|).
    for k, (columns, values, _) in enumerate(fits.each()):
        reach = y.std() + spread[columns] @ np.abs(values)
        least = 1e-11 * np.max(spread[columns], initial=0.0) * reach / alphas[k]
        assert fits.kkt[k] >= least
