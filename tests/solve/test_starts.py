"""Where solves start: names, bad input, given coefficients, what a start is for."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
import real_data
from problems import dictionary, toy
from sklearn.base import clone
from starts_under_test import (
    NAMES,
    TIGHT,
    Halved,
    assert_close,
    assert_same_bits,
    dense,
    every_concave,
)
from tolerances import (
    ONE_BASIN,
    TWO_SOLVES,
)

import sparsieve as sv
from sparsieve.data.terms import check_terms
from sparsieve.data.validation import check_X_y
from sparsieve.inspect.certificate import STARTED
from sparsieve.solve.problem import Problem
from sparsieve.solve.solvers import Begin, Solver
from sparsieve.solve.starts import check_start

# ---------------------------------------------------------------------------------------- names


@every_concave
@pytest.mark.parametrize("start", NAMES)
def test_every_point_says_where_it_began(easy, penalty, start):
    X, y = easy
    path = sv.sparse_path(X, y, penalty, alphas=8, eps=0.05, start=start)
    assert path.start.shape == (8,)
    expected = {"previous", "lasso", "upwards"} if start == "best" else {start}
    assert set(path.start) <= expected
    assert [point.start for point in path.points] == path.start.tolist()
    given = sv.sparse_path(X, y, penalty, alphas=8, eps=0.05, start=np.ones(40))
    assert set(given.start) == {"given"}


def test_the_lasso_is_the_default(hard):
    assert_same_bits(
        sv.sparse_path(*hard, alphas=8), sv.sparse_path(*hard, alphas=8, start="lasso")
    )
    for estimator in (sv.SparseRegressor, sv.SparseRegressorCV, sv.SparseRegressorIC):
        assert estimator().start == "lasso"
        assert clone(estimator(start="best")).start == "best"


def test_the_lowest_of_several_uses_more_than_one_of_them(hard):
    path = sv.sparse_path(*hard, alphas=20, eps=0.02, start="best")
    assert len(set(path.start)) > 1


@pytest.mark.parametrize("penalty", [sv.L1(), Halved()], ids=["L1", "own"])
def test_a_convex_penalty_has_no_choice_and_pays_nothing(hard, penalty):
    X, y = hard
    path = sv.sparse_path(X, y, penalty, alphas=8, eps=0.05, start="previous")
    assert set(path.start) == {"none"}
    for start in ("lasso", "best", np.ones(X.shape[1])):
        other = sv.sparse_path(X, y, penalty, alphas=8, eps=0.05, start=start)
        assert set(other.start) == {"none"}
        assert_same_bits(path, other)
        np.testing.assert_array_equal(path.passes, other.passes)
    models = [sv.SparseRegressor(penalty, path.alphas[4], start=start) for start in NAMES]
    coefs = [model.fit(X, y).coef_ for model in models]
    assert {model.certificate_.start for model in models} == {"none"}
    np.testing.assert_array_equal(coefs[0], coefs[1])
    np.testing.assert_array_equal(coefs[0], coefs[2])


def test_certificate_and_summary_show_the_start(easy):
    X, y = easy
    for start, name in [("lasso", "lasso"), ("previous", "previous"), (np.ones(40), "given")]:
        path = sv.sparse_path(X, y, alphas=4, start=start)
        head, *rows = path.summary().splitlines()[1:]
        at = head.split().index("start")
        assert [row.split()[at] for row in rows] == [name] * 4
        model = sv.SparseRegressor(alpha=path.alphas[2], start=start).fit(X, y)
        assert model.certificate_.start == name
        assert STARTED[name] in str(model.certificate_)
    for name, words in STARTED.items():
        assert words in str(dataclasses.replace(model.certificate_, start=name))


# ------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("start", "error", "words"),
    [
        ("laso", ValueError, r"start='laso' is not known; use 'lasso', 'previous', 'best', or an"),
        (np.ones(39), ValueError, r"start has shape \(39,\).*one coefficient per feature"),
        (np.ones((40, 1)), ValueError, r"start has shape \(40, 1\).*one coefficient per feature"),
        (None, ValueError, r"start=None is not known; use 'lasso'"),
        (True, TypeError, r"start is neither a name nor numbers"),
        (np.r_[0.0, np.nan, np.zeros(38)], ValueError, r"start\[1\] is nan; replace it by a fin"),
        (np.r_[np.zeros(39), -np.inf], ValueError, r"start\[39\] is -inf; replace it by a finite"),
        ({}, TypeError, "start is neither a name nor numbers.*dict.*use 'lasso', 'previous'"),
        (["a"] * 40, TypeError, "start is neither a name nor numbers"),
        (np.ones(40, dtype=complex), TypeError, "start is neither a name nor numbers"),
        ([10**400] * 40, TypeError, "start is neither a name nor numbers"),
        ([[1.0], [2.0, 3.0]], TypeError, "start is neither a name nor numbers"),
        (np.full(40, 1e200), ValueError, "start: the coefficients are so large.*power of ten"),
    ],
)
def test_a_wrong_start_is_named_with_its_remedy(easy, start, error, words):
    X, y = easy
    calls = [
        lambda: sv.sparse_path(X, y, alphas=3, start=start),
        lambda: sv.SparseRegressor(alpha=0.1, start=start).fit(X, y),
        lambda: sv.SparseRegressorCV(alphas=3, cv=2, start=start).fit(X, y),
        lambda: sv.SparseRegressorIC(alphas=3, start=start).fit(X, y),
        lambda: sv.sparse_surface(X, y, shapes=[3.0], alphas=3, start=start),
        lambda: sv.stability_selection(X, y, n_pairs=1, alphas=3, start=start),
    ]
    for call in calls:
        with pytest.raises(error, match=words):
            call()


# --------------------------------------------------------------------------- given coefficients


def test_given_coefficients_are_made_to_obey_the_constraints(easy):
    X, y = easy
    weights = np.ones(40)
    weights[[1, 3]] = np.inf
    given = np.random.default_rng(0).standard_normal(40)
    before = given.copy()
    problem = Problem(
        check_X_y(X, y, weights=weights), terms=check_terms(X.shape[1], positive=True)
    )
    kept = check_start(given, problem).coef
    expected = np.maximum(given, 0.0)
    expected[[1, 3]] = 0.0
    np.testing.assert_array_equal(kept, expected)
    options = {"weights": weights, "positive": True, "alphas": [0.5, 0.1]}
    path = sv.sparse_path(X, y, start=given, **options)
    assert_same_bits(path, sv.sparse_path(X, y, start=expected, **options))
    assert np.all(dense(path) >= 0.0)
    assert not np.any(dense(path)[[1, 3]])
    np.testing.assert_array_equal(given, before)


def test_given_coefficients_start_every_fold_and_shape(easy, monkeypatch):
    X, y = easy
    given = np.random.default_rng(0).standard_normal(40)
    alphas = [0.5, 0.2, 0.1]
    placed = []
    real = Begin.given

    def record(columns, values, *rest):
        coef = np.zeros(40)
        coef[columns] = values
        placed.append(coef)
        return real(columns, values, *rest)

    monkeypatch.setattr(Begin, "given", record)
    sv.sparse_path(X, y, alphas=alphas, start=given)
    assert len(placed) == 1
    sv.sparse_surface(X, y, shapes=[9.0, 3.0], alphas=alphas, start=given)
    assert len(placed) == 1 + 2
    sv.SparseRegressorIC(["mcp", "scad"], alphas=alphas, start=given).fit(X, y)
    assert len(placed) == 3 + 2
    sv.SparseRegressorCV(alphas=alphas, cv=4, start=given).fit(X, y)
    assert len(placed) == 5 + 4 + 1
    np.testing.assert_array_equal(placed, [given] * len(placed))


def test_given_coefficients_start_every_alpha(easy):
    X, y = easy
    given = np.random.default_rng(0).standard_normal(40)
    solver = Solver(Problem(check_X_y(X, y)), sv.MCP())
    alphas, begin = np.array([0.5, 0.2, 0.1]), Begin.given(np.arange(40), given)
    loose = 1e9  # every point will do, so a solve ends where it begins
    points = []
    solver.follow(alphas, np.full(3, loose), 10, [begin], lambda p: bool(points.append(p)))
    values = [point.values for point in points]
    np.testing.assert_array_equal(values, [given] * 3)
    np.testing.assert_array_equal(solver.fits(alphas, loose, 10, begin).values, np.tile(given, 3))


def test_a_path_from_given_coefficients_is_its_alphas_one_by_one(easy):
    X, y = easy
    given = np.random.default_rng(0).standard_normal(40)
    path = sv.sparse_path(X, y, alphas=[0.5, 0.2, 0.1], start=given, tol=TIGHT)
    for k, alpha in enumerate(path.alphas):
        alone = sv.sparse_path(X, y, alphas=[alpha], start=given, tol=TIGHT)
        model = sv.SparseRegressor(alpha=alpha, start=given, tol=TIGHT).fit(X, y)
        for objective in (alone.objective[0], model.objective_):
            assert objective == pytest.approx(path.objective[k], rel=TWO_SOLVES)


def test_a_list_and_integers_are_coefficients_too(easy):
    X, y = easy
    given = np.arange(40) % 3
    path = sv.sparse_path(X, y, alphas=[0.2], start=given)
    assert_same_bits(path, sv.sparse_path(X, y, alphas=[0.2], start=given.tolist()))


def test_a_solution_is_where_a_solve_from_it_ends(hard):
    X, y = hard
    path = sv.sparse_path(X, y, alphas=10, eps=0.05)
    for k in (3, 6, 9):
        given = path.coef_at(path.alphas[k])
        again = sv.sparse_path(X, y, alphas=path.alphas[[k]], start=given)
        assert_close(
            sv.sparse_path(X, y, alphas=path.alphas[[k]], start=given, tol=TIGHT), again, ONE_BASIN
        )
        assert again.objective[0] == pytest.approx(path.objective[k], rel=ONE_BASIN)


def test_warm_start_wins_from_the_second_fit_on(hard):
    X, y = hard
    given = np.ones(X.shape[1])
    for start in (*NAMES, given):
        model = sv.SparseRegressor(alpha=0.3, warm_start=True, start=start).fit(X, y)
        cold = sv.SparseRegressor(alpha=0.3, start=start).fit(X, y)
        np.testing.assert_array_equal(model.coef_, cold.coef_)
        before = model.coef_
        model.set_params(alpha=0.25).fit(X, y)
        assert model.certificate_.start == "given"
        told = sv.SparseRegressor(alpha=0.25, start=before).fit(X, y)
        np.testing.assert_array_equal(model.coef_, told.coef_)


def test_labelled_coefficients_are_put_into_the_order_of_the_columns():
    X, y, w = toy(60, 12, 3, 0.5)
    names = [f"x{j}" for j in range(12)]
    frame = pd.DataFrame(X, columns=names)
    start = pd.Series(w + 1.0, index=names)
    shuffled = start.sample(frac=1.0, random_state=0)
    paths = [sv.sparse_path(frame, y, "mcp", alphas=5, start=s) for s in (start, shuffled)]
    np.testing.assert_array_equal(paths[0].objective, paths[1].objective)
    with pytest.raises(ValueError, match=r"start is labelled .* none for 'x0'"):
        sv.sparse_path(frame, y, "mcp", start=start.rename(index={"x0": "z"}))
    by_position = pd.Series(w, index=range(12))
    assert (sv.sparse_path(frame, y, "mcp", alphas=3, start=by_position).start == "given").all()


def test_a_mask_is_no_start():
    X, y, w = toy(60, 12, 3, 0.5)
    with pytest.raises(TypeError, match="start is neither a name nor numbers"):
        sv.sparse_path(X, y, "mcp", start=w != 0)


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("lasso", "5))"),
        ("previous", "start='previous')"),
        ("best", ""),
        (np.ones(12), "start=start"),
    ],
    ids=["lasso", "previous", "best", "given"],
)
def test_a_report_can_be_made_again_from_the_same_start(start, said):
    X, y, _ = toy(60, 12, 3, 0.5)
    assert said in sv.sparse_path(X, y, "mcp", alphas=5, start=start).to_html()
    model = sv.SparseRegressor("mcp", alpha=0.1, start=start).fit(X, y)
    page = model.to_html()
    assert "start=start" in page if not isinstance(start, str) else "array([" not in page


# ------------------------------------------------------------------------------ what it is for


def error_at_the_bics_choice(seed, start):
    X, y, w = dictionary(128, 22, seed)
    n = len(y)
    path = sv.sparse_path(X, y, "mcp", alphas=25, eps=0.02, fit_intercept=False, start=start)
    coefs = dense(path)
    rss = np.sum((y[:, np.newaxis] - X @ coefs) ** 2, axis=0)
    bic = n * np.log(rss / n) + path.support_size * np.log(n)
    chosen = coefs[:, np.argmin(np.where(path.support_size <= n / 2, bic, np.inf))]
    return np.linalg.norm(chosen - w) / np.linalg.norm(w)


def test_a_dictionary_is_decoded_from_the_lasso_and_not_walking_down():
    error = {
        start: np.median([error_at_the_bics_choice(seed, start) for seed in range(20)])
        for start in NAMES
    }
    assert error["lasso"] <= 0.02
    assert error["best"] <= 0.02
    assert error["previous"] > 0.1


@pytest.mark.slow
def test_a_start_with_nearly_as_many_features_as_rows_is_no_trap():
    """Coordinate descent filled the support beyond the rank, and nothing led back from there."""
    X, y = real_data.load("diabetes_interactions_poly2", True)
    path = sv.sparse_path(X, y, "scad", max_time=300)
    assert path.converged.all()
    assert path.support_size.max() < len(y)
