"""Early stopping, interruption, summaries, explanations and refits of a path."""

import pickle
import signal
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from problems import sparse_design, toy
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from tolerances import LASSO_CV, REORDERED_SUM

import sparsieve as sv


@pytest.fixture
def problem():
    X, y, w = toy(n_samples=60, n_features=80, n_active=4, noise=0.3, seed=5)
    return X, y, w


def test_r2_is_the_fraction_explained(problem):
    X, y, _ = problem
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 60)
    for penalty in ("l1", "mcp", sv.LogSum(0.5), "capped_l1", "lq", "scad"):
        for intercept in (True, False):
            path = sv.sparse_path(
                X, y, penalty, alphas=12, fit_intercept=intercept, sample_weight=weight
            )
            residual = y[:, None] - X @ path.coefs - path.intercepts
            centre = np.average(y, weights=weight) if intercept else 0.0
            expected = 1 - (weight @ residual**2) / (weight @ (y - centre) ** 2)
            np.testing.assert_allclose(path.r2, expected, atol=1000 * REORDERED_SUM)


def test_r2_of_a_constant_response_is_zero():
    X, _, _ = toy(seed=0)
    path = sv.sparse_path(X, np.full(50, 0.1), alphas=3)
    assert not np.any(path.r2)


def test_max_support_ends_the_path(problem):
    X, y, _ = problem
    full = sv.sparse_path(X, y, "l1")
    short = sv.sparse_path(X, y, "l1", max_support=10)
    assert full.ended == "complete"
    assert short.ended == "max_support"
    assert short.support_size[-1] >= 10
    assert np.all(short.support_size[:-1] < 10)
    np.testing.assert_array_equal(short.alphas, full.alphas[: len(short)])


def test_max_deviance_ends_the_path(problem):
    X, y, _ = problem
    path = sv.sparse_path(X, y, "mcp", max_deviance=0.9)
    assert path.ended == "max_deviance"
    assert path.r2[-1] >= 0.9
    assert np.all(path.r2[:-1] < 0.9)


def test_callback_sees_each_point_and_can_stop(problem):
    X, y, _ = problem
    seen = []

    def stop_at_five(point):
        seen.append(point.alpha)
        return len(seen) == 5

    path = sv.sparse_path(X, y, callback=stop_at_five)
    assert path.ended == "callback"
    np.testing.assert_array_equal(seen, path.alphas)
    assert len(sv.sparse_path(X, y, alphas=4, callback=lambda point: "truthy")) == 4


def test_callback_may_answer_with_a_numpy_bool(problem):
    X, y, _ = problem
    path = sv.sparse_path(X, y, callback=lambda point: np.int64(point.values.size) >= 3)
    assert path.ended == "callback"


@pytest.mark.parametrize("seconds", [1e9, 1e10, 1e300])
def test_max_time_may_be_longer_than_clocks_count(problem, seconds):
    X, y, _ = problem
    assert sv.sparse_path(X, y, alphas=3, max_time=seconds).ended == "complete"


def test_max_time_keeps_what_is_finished(problem):
    X, y, _ = problem
    path = sv.sparse_path(X, y, alphas=50, max_time=1e9)
    assert path.ended == "complete"
    stopped = threading.Event()

    def slow(point):
        stopped.wait(0.02)

    path = sv.sparse_path(X, y, alphas=2000, max_time=0.2, callback=slow)
    assert path.ended == "max_time"
    assert 0 < len(path) < 2000
    assert path.converged.all()


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("alphas", [3, [0.1]])
def test_max_time_counts_the_fit_of_unpenalised_features(problem, alphas, positive):
    X, y, _ = problem
    free = np.r_[np.zeros(20), np.ones(X.shape[1] - 20)]
    # No time at all, so that no clock decides: the unpenalised fit is broken off before its end.
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        path = sv.sparse_path(
            X, y, "l1", alphas=alphas, weights=free, positive=positive, max_time=1e-9
        )
    assert path.ended == "max_time"
    assert path.status == ["INTERRUPTED"]


def test_interrupt_returns_the_finished_part(problem):
    X, y, _ = problem

    def interrupt(point):
        if point.values.size >= 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(UserWarning, match="interrupted after [0-9]+ of 100 alphas"):
        path = sv.sparse_path(X, y, "l1", callback=interrupt)
    assert path.ended == "interrupted"
    assert path.support_size[-1] >= 3
    again = sv.sparse_path(X, y, "l1", alphas=path.alphas)  # the library is still usable
    np.testing.assert_array_equal(again.support_size, path.support_size)


def test_interrupt_before_the_first_alpha_is_an_interrupt(problem):
    X, y, _ = problem

    class Impatient(sv.MCP):
        def slope(self, abs_w, alpha):
            if armed:
                raise KeyboardInterrupt
            return super().slope(abs_w, alpha)

    armed = []
    penalty = Impatient()
    sv.sparse_path(X, y, penalty, alphas=[1.0])
    armed.append(True)
    with pytest.raises(KeyboardInterrupt):
        sv.sparse_path(X, y, penalty, alphas=[1.0])


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"max_support": 0}, "max_support must be an integer >= 1"),
        ({"max_deviance": 1.5}, "max_deviance must be"),
        ({"max_time": -1}, "max_time must be"),
    ],
)
def test_bad_limits(problem, option, words):
    X, y, _ = problem
    with pytest.raises(ValueError, match=words):
        sv.sparse_path(X, y, **option)


def test_bad_callback(problem):
    X, y, _ = problem
    with pytest.raises(TypeError, match="callback=3 cannot be called"):
        sv.sparse_path(X, y, callback=3)


def test_summary(problem):
    X, y, _ = problem
    path = sv.sparse_path(X, y, "mcp", alphas=30, max_support=20)
    lines = path.summary(rows=5).splitlines()
    assert lines[0] == (
        f"MCP(gamma=3), {len(path)} alphas from {path.alphas[0]:.4g} to {path.alphas[-1]:.4g}, "
        f"{path.support_size[-1]} features at the end, ended by max_support"
    )
    columns = ["alpha", "support", "R2", "kkt", "start", "minimum", "convex", "converged"]
    assert lines[1].split() == columns
    assert len(lines) == 7
    assert float(lines[2].split()[0]) == pytest.approx(path.alphas[0], rel=1e-5)  # six digits
    assert int(lines[-1].split()[1]) == path.support_size[-1]
    with pytest.raises(ValueError, match="rows must be an integer"):
        path.summary(rows=0)
    assert str(path) == path.summary()
    assert repr(path) == f"<Path: {lines[0]}>"


def test_summary_has_no_negative_zero(problem):
    X, y, _ = problem
    path = sv.sparse_path(X, y, alphas=2)
    object.__setattr__(path, "r2", np.array([-4e-16, 0.5]))
    assert "-0.0000" not in path.summary()


def test_path_remembers_how_it_was_made(problem):
    X, y, _ = problem
    path = sv.sparse_path(X, y, alphas=3, n_jobs=2, shadow=False, positive=True)
    assert (path.problem.n_jobs, path.problem.shadow, path.problem.terms.positive) == (
        2,
        False,
        True,
    )
    assert path.problem._columns is None  # nothing the core derived from X lives on
    chain = sv.sparse_surface(X, y, "mcp", alphas=3, n_jobs=2, warm="both")
    assert chain[0].problem.n_jobs == 2


@pytest.mark.parametrize("storage", [np.asarray, "csc"])
@pytest.mark.parametrize("intercept", [True, False])
def test_explain_agrees_with_the_definition(storage, intercept):
    X = sparse_design(50, 30, density=0.5, seed=2)
    y = X @ np.r_[3.0, -2.0, np.zeros(28)] + 0.2 * np.random.default_rng(1).normal(size=50) + 1.0
    pi = np.ones(30)
    pi[5] = 2.0
    dense = X.toarray()
    path = sv.sparse_path(
        X if storage == "csc" else dense, y, "mcp", alphas=25, fit_intercept=intercept, weights=pi
    )
    coefs = path.coefs.toarray() if hasattr(path.coefs, "toarray") else path.coefs
    residual = y[:, None] - dense @ coefs - path.intercepts
    for column in (0, 1, 5, 9, 15):
        answer = path.explain(column)
        np.testing.assert_allclose(
            answer.correlation, dense[:, column] @ residual / 50, atol=LASSO_CV * 1e-6
        )
        np.testing.assert_array_equal(answer.threshold, path.alphas * pi[column])
        np.testing.assert_array_equal(answer.coef, coefs[column])
        # The bound holds at every alpha, and what it discards is below its threshold.
        assert np.all(answer.bound[1:] + REORDERED_SUM >= np.abs(answer.correlation[1:]))
        for k, rule in enumerate(answer.rule):
            assert (rule == "selected") == (coefs[column, k] != 0)
            if rule == "bound":
                assert answer.bound[k] <= answer.threshold[k]
        if answer.entered is not None:
            assert coefs[column, answer.entered] != 0
            assert not np.any(coefs[column, : answer.entered])


def test_explain_in_words(problem):
    X, y, w = problem
    frame = pd.DataFrame(X, columns=[f"gene_{j}" for j in range(80)])
    path = sv.sparse_path(frame, y, "mcp", alphas=30, eps=0.05)
    active = int(np.flatnonzero(w)[0])
    text = str(path.explain(f"gene_{active}"))
    assert f"gene_{active} (column {active}) enters at alpha=" in text
    assert "Just before" in text
    never = int(np.flatnonzero(path.coef_at(path.alphas[-1]) == 0)[0])
    text = str(path.explain(never))
    assert "never enters on these 30 alphas; it comes closest at" in text
    assert "by a bound, without reading" in text


def test_explain_columns_that_cannot_enter(problem):
    X, y, _ = problem
    X = X.copy(order="F")
    X[:, 3] = 2.0
    pi = np.ones(80)
    pi[4] = np.inf
    path = sv.sparse_path(X, y, alphas=5, weights=pi)
    assert "can never enter: its column is constant" in str(path.explain(3))
    assert "can never enter: its weight is inf" in str(path.explain(4))
    assert path.explain(-1).column == 79


def test_explain_errors(problem):
    X, y, _ = problem
    plain = sv.sparse_path(X, y, alphas=3)
    with pytest.raises(IndexError, match="there is no feature 80: X has columns 0 to 79"):
        plain.explain(80)
    with pytest.raises(KeyError, match="X had no column names"):
        plain.explain("gene_1")
    names = [f"gene_{j}" for j in range(80)]
    named = sv.sparse_path(pd.DataFrame(X, columns=names), y, alphas=3)
    with pytest.raises(KeyError, match="did you mean 'gene_77'"):
        named.explain("gen_77")
    with pytest.raises(KeyError, match="did you mean 'gene_5'"):
        named.explain("GENE_5")
    with pytest.raises(KeyError, match="no column is called 'zzz'"):
        named.explain("zzz")
    names[7] = "gene_3"
    twice = pd.DataFrame(X, columns=names)
    words = r"more than one column called 'gene_3' \(columns 3, 7\); give each column a name"
    for call in (sv.sparse_path, sv.SparseRegressorCV().fit, sv.SparseRegressorIC().fit):
        with pytest.raises(ValueError, match=words):
            call(twice, y)
    without = pickle.loads(pickle.dumps(plain))
    with pytest.raises(ValueError, match="loaded without the data"):
        without.explain(0)
    with pytest.raises(ValueError, match="loaded without the data"):
        without.relax()


def test_relax_is_least_squares_on_the_support(problem):
    X, y, _ = problem
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 60)
    path = sv.sparse_path(X, y, "l1", alphas=8, eps=0.1, sample_weight=weight)
    refit = path.relax()
    for k in range(len(path)):
        support = path.points[k].columns
        if support.size == 0:
            continue
        expected = LinearRegression().fit(X[:, support], y, sample_weight=weight)
        np.testing.assert_allclose(refit.points[k].values, expected.coef_, rtol=LASSO_CV)
        assert refit.intercepts[k] == pytest.approx(expected.intercept_, abs=LASSO_CV)
        score = expected.score(X[:, support], y, sample_weight=weight)
        assert refit.r2[k] == pytest.approx(score, abs=LASSO_CV)
    assert np.all(refit.r2 >= path.r2 - REORDERED_SUM)
    np.testing.assert_array_equal(refit.kkt, path.kkt)


def test_relax_respects_the_sign(problem):
    X, y, _ = problem
    model = sv.SparseRegressor("l1", alpha=0.05, positive=True, relax=True).fit(X, y)
    assert np.all(model.coef_ >= 0)
    plain = sv.SparseRegressor("l1", alpha=0.05, positive=True).fit(X, y)
    errors = [np.sum((y - m.predict(X)) ** 2) for m in (model, plain)]
    assert errors[0] < errors[1]


@pytest.mark.parametrize(
    "model",
    [
        sv.SparseRegressor("l1", alpha=0.3, relax=True),
        sv.SparseRegressorCV("l1", alphas=10, eps=0.05, cv=3, relax=True),
        sv.SparseRegressorIC("l1", alphas=10, eps=0.05, relax=True),
    ],
)
def test_relaxed_estimators_keep_least_squares(problem, model):
    X, y, _ = problem
    model.fit(X, y)
    support = np.flatnonzero(model.coef_)
    expected = LinearRegression().fit(X[:, support], y)
    np.testing.assert_allclose(model.coef_[support], expected.coef_, rtol=LASSO_CV)
    assert model.certificate_.converged
    assert model.certificate_.support_size == support.size


def test_summary_says_when_the_tolerance_is_path_wide(problem):
    X, y, _ = problem
    options = {"alphas": 10, "eps": 0.01, "tol": 1e-3}
    each = sv.sparse_path(X, y, "mcp", **options)
    path = sv.sparse_path(X, y, "mcp", tol_relative_to="path", **options)
    told = "; tol is relative to the slope at the first alpha, kkt to that at each\n"
    assert path.converged.all()
    assert path.kkt.max() > options["tol"]
    assert told in path.summary()
    assert told in path.relax().summary()
    assert "relative" not in each.summary()


def test_unknown_reference_of_the_tolerance():
    X, y, _ = toy(20, 10, 2)
    with pytest.raises(ValueError, match="tol_relative_to='slope' is unknown; use 'alpha'"):
        sv.sparse_path(X, y, tol_relative_to="slope")


@pytest.mark.parametrize("alpha", [1e9, 1e-9])
def test_coefficients_outside_the_path_come_with_a_warning_that_names_its_range(alpha):
    X, y, _ = toy(n_samples=40, n_features=10, n_active=3, noise=0.5, seed=0)
    path = sv.sparse_path(X, y, "mcp", alphas=[1.5, 0.5, 0.1])
    end = 0 if alpha > 1 else 2
    with pytest.warns(UserWarning, match=r"alphas go from 1\.5 to 0\.1") as caught:
        coef = path.coef_at(alpha)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(
        coef,
        path.coefs[:, [end]].toarray().ravel()
        if sparse.issparse(path.coefs)
        else path.coefs[:, end],
    )
    with pytest.warns(UserWarning, match="outside the path"):
        path.to_html(alpha=alpha)


@pytest.mark.parametrize("alpha", [1.5, 1.5049, 0.5, 0.3, 0.1, 0.0991])
def test_coefficients_inside_the_path_come_without_a_word(alpha):
    X, y, _ = toy(n_samples=40, n_features=10, n_active=3, noise=0.5, seed=0)
    path = sv.sparse_path(X, y, "mcp", alphas=[1.5, 0.5, 0.1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        coef = path.coef_at(alpha)
    nearest = int(np.argmin(np.abs(np.log(path.alphas / alpha))))
    np.testing.assert_array_equal(coef, np.ravel(path.coefs[:, [nearest]].toarray()))
