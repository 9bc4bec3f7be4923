"""Folds of a tall table are solved and scored by sums of rows, of which every one is read once."""

import numpy as np
import pytest
import tolerances
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, ShuffleSplit

import sparsieve as sv
from sparsieve.selection import fold_runs, given_folds
from sparsieve.selection.given_folds import GivenFold

GRID = {"alphas": 12, "eps": 1e-3}
PENALTIES = [sv.L1(), sv.MCP(), sv.LogSum(0.1)]
NAMES = [type(penalty).__name__ for penalty in PENALTIES]


def tall(n=2000, d=12, *, offset=0.0, noise=1.0, dtype=np.float64):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, d)) @ np.linalg.cholesky(0.5 * np.eye(d) + 0.5)
    X = np.asfortranarray(X + offset, dtype=dtype)
    y = X[:, :4] @ np.array([3.0, -2.0, 1.5, 1.0]) + noise * rng.standard_normal(n)
    return X, y, rng.exponential(size=n)


@pytest.fixture(autouse=True)
def small_tables(monkeypatch):
    monkeypatch.setattr(given_folds, "_FEWEST", 0)


@pytest.fixture
def ways(monkeypatch):
    """Record how folds are solved: by their sums, or by rows."""
    seen = []
    for name in ("_RowsJudge", "_StatisticsJudge"):

        class Judge(getattr(fold_runs, name)):
            word = "rows" if name == "_RowsJudge" else "sums"

            def __init__(self, plan, fold):
                seen.append(self.word)
                super().__init__(plan, fold)

        monkeypatch.setattr(fold_runs, name, Judge)
    return seen


def by_rows(monkeypatch):
    monkeypatch.setattr(given_folds, "keeps_all", lambda problem, n_alphas: False)


def check_same(found, expected):
    assert found.best_index_ == expected.best_index_
    np.testing.assert_array_equal(found.alphas_, expected.alphas_)
    rtol = tolerances.TWO_FOLDS
    np.testing.assert_allclose(found.mse_path_, expected.mse_path_, rtol=rtol)
    atol = rtol * np.abs(expected.coef_).max()
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=0, atol=atol)
    # With means of 1e6 the intercept moves by as much for each coefficient.
    assert found.intercept_ == pytest.approx(expected.intercept_, abs=1e6 * atol)
    np.testing.assert_array_equal(found.ended_, expected.ended_)


SPLITS = {
    "in order": KFold(4),
    "shuffled": KFold(4, shuffle=True, random_state=1),
    "some rows never left out": PredefinedSplit(np.arange(2000) % 5 - 1),
}
OPTIONS = {
    "plain": {},
    "no intercept": {"fit_intercept": False},
    "standardised": {"standardize": True},
    "relaxed": {"relax": True},
    "ridge and bounds": {"l1_ratio": 0.9, "bounds": (-2.0, 2.5)},
    "weights of features": {"weights": [0.0, 1.0, 2.0] * 4},
}


@pytest.mark.parametrize("cv", SPLITS.values(), ids=SPLITS)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_same_is_chosen_as_by_rows(cv, options, ways, monkeypatch):
    X, y, weight = tall()
    model = sv.SparseRegressorCV("mcp", cv=cv, tol=1e-8, **GRID, **options)
    found = model.fit(X, y, sample_weight=weight)
    assert ways == ["sums"] * 4
    by_rows(monkeypatch)
    check_same(found, clone(model).fit(X, y, sample_weight=weight))
    assert ways[4:] == ["rows"] * 4


@pytest.mark.parametrize("penalty", PENALTIES, ids=NAMES)
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_penalties_and_means_far_from_zero(penalty, offset, ways, monkeypatch):
    X, y, _ = tall(offset=offset)
    model = sv.SparseRegressorCV(penalty, cv=4, tol=1e-8, **GRID)
    found = model.fit(X, y)
    assert ways == ["sums"] * 4
    by_rows(monkeypatch)
    check_same(found, clone(model).fit(X, y))


def test_groups_float32_and_c_order(ways, monkeypatch):
    X, y, _ = tall(dtype=np.float32)
    groups = np.arange(y.size) // 50
    model = sv.SparseRegressorCV("scad", cv=GroupKFold(4), tol=1e-8, **GRID)
    found = model.fit(np.ascontiguousarray(X), y, groups=groups)
    assert ways == ["sums"] * 4
    by_rows(monkeypatch)
    check_same(found, clone(model).fit(X, y, groups=groups))


def test_mean_squared_errors_are_those_of_a_fit_on_the_other_rows():
    X, y, weight = tall()
    found = sv.SparseRegressorCV("l1", cv=4, **GRID).fit(X, y, sample_weight=weight)
    for k, (train, test) in enumerate(KFold(4).split(X)):
        path = sv.sparse_path(
            X[train], y[train], "l1", alphas=found.alphas_, sample_weight=weight[train]
        )
        predicted = X[test] @ path.coefs + path.intercepts
        expected = np.average((y[test, None] - predicted) ** 2, axis=0, weights=weight[test])
        np.testing.assert_allclose(found.mse_path_[:, k], expected, rtol=tolerances.DEFAULT_KKT)


def test_the_certificate_of_the_model_is_true():
    X, y, weight = tall(offset=1e4)
    found = sv.SparseRegressorCV("mcp", cv=4, **GRID).fit(X, y, sample_weight=weight)
    at = {"penalty": found.penalty_, "alpha": found.alpha_, "sample_weight": weight}
    point = (X, y, found.coef_, found.intercept_)
    judged = sv.kkt_violation(*point, fit_intercept=True, **at)
    assert judged <= found.kkt_ <= found.tol
    by_judge = sv.objective(*point, **at)
    assert found.objective_ == pytest.approx(by_judge, rel=tolerances.FIT_BY_PRODUCTS)


def test_any_number_of_jobs_gives_the_same_bits():
    X, y, _ = tall()
    one, two = (sv.SparseRegressorCV("mcp", cv=4, n_jobs=n, **GRID).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.mse_path_, two.mse_path_)
    np.testing.assert_array_equal(one.coef_, two.coef_)


@pytest.mark.parametrize(
    "options",
    [
        {"cv": ShuffleSplit(3, random_state=0)},
        {"cv": [(np.arange(1000), np.arange(1000, 2000)), (np.arange(900), np.arange(900, 1000))]},
        {"cv": [(np.r_[np.arange(1000), 0], np.arange(1001, 2000))]},
        {"cv": 3, "scoring": "r2"},
        {"cv": 100},
    ],
    ids=["overlapping", "rows left out altogether", "a row twice", "another score", "many folds"],
)
def test_other_folds_are_solved_by_rows(options, ways):
    X, y, _ = tall()
    sv.SparseRegressorCV("l1", **GRID, **options).fit(X, y)
    assert set(ways) == {"rows"}


def test_small_tables_are_solved_by_rows(monkeypatch):
    monkeypatch.undo()
    X, y, _ = tall()
    problem = sv.SparseRegressorCV("l1")._problem(X, y, None, None, 1.0, None)
    folds = [fold_runs.Fold(*rows) for rows in KFold(4).split(X)]
    assert given_folds.summed_folds(problem, folds, 12) is folds
    X, y, _ = tall(10_000)
    problem = sv.SparseRegressorCV("l1")._problem(X, y, None, None, 1.0, None)
    folds = [fold_runs.Fold(*rows) for rows in KFold(4).split(X)]
    assert given_folds.summed_folds(problem, folds, 12) is not folds


def test_rows_decide_where_sums_are_not_exact_enough(ways, monkeypatch):
    X, y, _ = tall(noise=0.0)  # errors are far below what sums of squares can tell
    grid = {"alphas": 12, "eps": 1e-8}
    found = sv.SparseRegressorCV("mcp", cv=4, **grid).fit(X, y)
    assert ways == ["sums", "rows"] * 4
    by_rows(monkeypatch)
    expected = sv.SparseRegressorCV("mcp", cv=4, **grid).fit(X, y)
    np.testing.assert_array_equal(found.mse_path_, expected.mse_path_)


def test_columns_that_are_constant_in_a_fold():
    X, y, _ = tall()
    X[:, 5], X[:, 6] = 0.1, 0.0
    X[:500, 6] = 1e-3  # constant in every fold, but not in all of them together
    y = y + 1e3 * X[:, 6]
    found = sv.SparseRegressorCV("l1", cv=4, **GRID).fit(X, y)
    assert found.coef_[5] == 0.0
    judged = sv.kkt_violation(
        X, y, found.coef_, found.intercept_, penalty="l1", alpha=found.alpha_, fit_intercept=True
    )
    assert judged <= tolerances.DEFAULT_KKT


def test_numbers_whose_squares_leave_the_range_of_doubles_are_told_as_before():
    X, y, _ = tall()
    X[7, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        sv.SparseRegressorCV("l1", alphas=np.geomspace(1, 0.1, 12), cv=4).fit(X, y)


def test_a_part_without_weight_is_solved_by_rows():
    X, y, weight = tall()
    weight[:300] = 0.0
    fold = (np.arange(300, 2000), np.arange(300))
    problem = sv.SparseRegressorCV("l1")._problem(X, y, weight, None, 1.0, None)
    folds = [fold_runs.Fold(*fold), fold_runs.Fold(*fold[::-1])]
    assert given_folds.summed_folds(problem, folds, 12) is folds
    weight[0] = 1.0
    problem = sv.SparseRegressorCV("l1")._problem(X, y, weight, None, 1.0, None)
    summed = given_folds.summed_folds(problem, folds, 12)
    assert all(isinstance(each, GivenFold) for each in summed)
