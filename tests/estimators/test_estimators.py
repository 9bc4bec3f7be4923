"""SparseRegressor as a scikit-learn estimator: checks, tools, attributes, certificates."""

import gc
import pickle
import tracemalloc
import weakref

import numpy as np
import pandas as pd
import pytest
import sklearn
from problems import sparse_design, toy
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from tolerances import DEFAULT_KKT, REORDERED_SUM, TWO_SOLVES

import sparsieve as sv


class Geman:
    """A user's own penalty: alpha t / (t + theta)."""

    def __init__(self, theta=1.0):
        self.theta = theta

    def get_params(self, deep=True):
        return {"theta": self.theta}

    def set_params(self, **parameters):
        self.theta = parameters.get("theta", self.theta)
        return self

    def value(self, abs_w, alpha):
        return alpha * abs_w / (abs_w + self.theta)

    def slope(self, abs_w, alpha):
        return alpha * self.theta / (abs_w + self.theta) ** 2


PENALTIES = [sv.L1(), sv.LogSum(), sv.MCP(), sv.SCAD(), sv.CappedL1(), sv.Lq(), Geman()]
ids = [type(p).__name__ for p in PENALTIES]


@parametrize_with_checks([sv.SparseRegressor(penalty=p) for p in PENALTIES])
def test_scikit_learns_checks(estimator, check):
    # The assertions are those of scikit-learn, inside each check.
    check(estimator)


def data(n_samples=60, n_features=20, seed=0):
    X, y, _ = toy(n_samples, n_features, 4, 0.1, seed)
    return X, y + 2.0


every_penalty = pytest.mark.parametrize("penalty", PENALTIES, ids=ids)


@every_penalty
@pytest.mark.parametrize("store", [np.asarray, np.float32, sparse.csc_array, sparse.csr_matrix])
def test_attributes_are_what_the_judge_finds(penalty, store):
    X, y = data()
    X = store(X)
    weights = np.ones(20)
    weights[[0, 1]] = [0.0, np.inf]
    omega = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    model = sv.SparseRegressor(penalty, alpha=0.05, weights=weights).fit(X, y, sample_weight=omega)
    judged = dict(penalty=penalty, alpha=0.05, sample_weight=omega, weights=weights)
    objective = sv.objective(X, y, model.coef_, model.intercept_, **judged)
    violation = sv.kkt_violation(X, y, model.coef_, model.intercept_, **judged)
    assert violation <= DEFAULT_KKT
    assert model.kkt_ <= DEFAULT_KKT
    assert model.objective_ == pytest.approx(objective, rel=REORDERED_SUM)
    assert model.coef_.dtype == np.float64
    assert model.coef_[1] == 0.0
    residual = y - np.asarray(X @ model.coef_) - model.intercept_
    assert abs(np.average(residual, weights=omega)) <= DEFAULT_KKT  # the intercept is optimal
    np.testing.assert_array_equal(model.sparse_coef_.toarray(), model.coef_[None])
    np.testing.assert_allclose(
        model.predict(X), y - residual, rtol=0, atol=REORDERED_SUM * np.max(np.abs(y))
    )
    assert model.n_features_in_ == 20
    assert not hasattr(model, "feature_names_in_")


def test_certificate_repeats_the_attributes():
    X, y = data()
    model = sv.SparseRegressor(alpha=0.1).fit(X, y)
    certificate = model.certificate_
    assert certificate.converged
    assert certificate.kkt == model.kkt_ <= certificate.tol == 1e-6
    assert certificate.dual_gap == model.dual_gap_ >= 0
    assert certificate.objective == model.objective_
    assert certificate.support_size == np.count_nonzero(model.coef_)
    assert certificate.strict_minimum
    assert "critical point" in str(certificate)


def test_not_converged_is_a_warning_with_alpha_violation_and_remedy():
    X, y = toy(40, 200, 20, 1.0)[:2]
    model = sv.SparseRegressor("logsum", alpha=1e-4, max_iter=1, tol=1e-12)
    message = r"alpha=0.0001 with a violation of [0-9.e+-]+ after 1 iter.*Remedy: raise max_iter"
    with pytest.warns(ConvergenceWarning, match=message):
        model.fit(X, y)
    assert not model.certificate_.converged
    assert model.kkt_ > 1e-12
    judged = sv.kkt_violation(X, y, model.coef_, model.intercept_, penalty="logsum", alpha=1e-4)
    assert judged > 1e-12


@every_penalty
def test_clones_and_pickles(penalty):
    X, y = data()
    model = sv.SparseRegressor(penalty, alpha=0.1).fit(X, y)
    again = clone(model)
    assert not hasattr(again, "coef_")
    np.testing.assert_array_equal(again.fit(X, y).coef_, model.coef_)
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.certificate_ == model.certificate_


def test_penalty_without_get_params_clones():
    class Plain:
        value = Geman().value
        slope = Geman().slope

    X, y = data()
    model = clone(sv.SparseRegressor(Plain(), alpha=0.1)).fit(X, y)
    np.testing.assert_array_equal(model.coef_, sv.SparseRegressor(Geman(), 0.1).fit(X, y).coef_)


def test_fit_does_not_change_parameters_or_data():
    X, y = data()
    design, response = X.copy(order="F"), y.copy()
    penalty, weights = sv.MCP(gamma=5.0), np.full(20, 2.0)
    model = sv.SparseRegressor(penalty, alpha=0.1, weights=weights).fit(design, response)
    assert model.penalty is penalty
    assert model.weights is weights
    np.testing.assert_array_equal(design, X)
    np.testing.assert_array_equal(response, y)


def test_pipeline_and_grid_search_over_the_shape():
    X, y = data(80)
    pipeline = make_pipeline(StandardScaler(), sv.SparseRegressor(penalty=sv.MCP()))
    grid = {
        "sparseregressor__penalty__gamma": [1.5, 3.0, 10.0],
        "sparseregressor__alpha": [0.01, 0.1, 1.0],
    }
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert len(search.cv_results_["params"]) == 9
    chosen = search.best_estimator_[-1]
    assert chosen.penalty.gamma == search.best_params_["sparseregressor__penalty__gamma"]
    scores = search.cv_results_["mean_test_score"].reshape(3, 3)  # alpha x gamma
    assert np.any(np.ptp(scores, axis=1) > 0)  # gamma reached the solver


def test_grid_search_over_penalties_and_cross_validation():
    X, y = data(80)
    search = GridSearchCV(
        sv.SparseRegressor(alpha=0.1), {"penalty": ["l1", "mcp", sv.SCAD(), Geman()]}, cv=3
    ).fit(X, y)
    assert search.best_score_ > 0.9
    assert np.all(cross_val_score(sv.SparseRegressor(alpha=0.1), sparse.csr_array(X), y) > 0.5)


def test_sample_weight_is_routed():
    X, y = data(60)
    y[::2] += 100.0 * X[::2, 5]  # every other row is spoilt, and has weight zero
    weight = np.where(np.arange(60) % 2 == 0, 0.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = sv.SparseRegressor(alpha=0.05).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=True), model)
        routed = pipeline.fit(X, y, sample_weight=weight)[-1]
        search = GridSearchCV(
            model.set_score_request(sample_weight=True), {"alpha": [0.05, 0.1]}, cv=3
        ).fit(X, y, sample_weight=weight)
    direct = sv.SparseRegressor(alpha=0.05).fit(X[1::2], y[1::2])
    assert np.flatnonzero(routed.coef_).tolist() == np.flatnonzero(direct.coef_).tolist()
    assert search.best_score_ > 0.9


def test_frames_give_names_and_are_checked_at_predict():
    X, y = data(60, 5)
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = sv.SparseRegressor(alpha=0.1).fit(frame, pd.Series(y))
    np.testing.assert_array_equal(model.feature_names_in_, list("abcde"))
    np.testing.assert_array_equal(model.coef_, sv.SparseRegressor(alpha=0.1).fit(X, y).coef_)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))
    np.testing.assert_array_equal(sv.sparse_path(frame, y, alphas=3).feature_names, list("abcde"))


def test_warm_start_continues_from_the_last_fit():
    X, y = data(60, 200)
    model = sv.SparseRegressor("l1", alpha=0.01, warm_start=True).fit(X, y)
    cold = model.coef_.copy()
    model.fit(X, y)
    assert model.n_iter_ <= 1
    np.testing.assert_allclose(model.coef_, cold, rtol=0, atol=TWO_SOLVES)


def test_warm_start_finds_the_other_minimum():
    """Two minima of one MCP problem: where a fit ends depends on where it starts."""
    X = np.array([[1.0, 0.9], [0.0, np.sqrt(1 - 0.81)]]) * np.sqrt(2)
    y = X @ [1.0, 1.0]
    model = sv.SparseRegressor(
        sv.MCP(gamma=1.2), alpha=0.9, fit_intercept=False, warm_start=True, start="previous"
    ).fit(X, y)
    from_zero = model.coef_
    model.coef_ = np.array([0.0, 1.9])
    model.fit(X, y)
    for coef in (from_zero, model.coef_):
        violation = sv.kkt_violation(X, y, coef, penalty=sv.MCP(1.2), alpha=0.9)
        assert violation <= DEFAULT_KKT
    assert np.max(np.abs(from_zero - model.coef_)) > 0.1


def test_warm_start_with_another_number_of_features_is_refused():
    X, y = data()
    model = sv.SparseRegressor(alpha=0.1, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="last fit had 20 features and X has 19"):
        model.fit(X[:, :-1], y)


def test_predict_before_fit():
    with pytest.raises(NotFittedError):
        sv.SparseRegressor().predict(np.ones((2, 2)))


def test_predict_on_sparse_and_on_the_wrong_number_of_features():
    X, y = data()
    model = sv.SparseRegressor(alpha=0.1).fit(sparse_design(60, 20, 0.5), y)
    np.testing.assert_allclose(
        model.predict(sparse.coo_array(X)), model.predict(X), rtol=0, atol=REORDERED_SUM * 10
    )
    with pytest.raises(ValueError, match="X has 19 features"):
        model.predict(X[:, :-1])


@pytest.mark.parametrize("name", ["mcp", "scad"])
def test_a_grid_search_reaches_into_a_penalty_given_by_name(name):
    X, y, _ = toy(n_samples=40, n_features=10, n_active=3, noise=0.5, seed=0)
    grid = {"penalty__gamma": [2.5, 3.5, 10.0]}
    by_name = GridSearchCV(sv.SparseRegressor(name, alpha=0.3), grid, cv=3).fit(X, y)
    penalty = sv.penalties.resolve_penalty(name)
    by_object = GridSearchCV(sv.SparseRegressor(penalty, alpha=0.3), grid, cv=3).fit(X, y)
    assert by_name.best_params_ == by_object.best_params_
    np.testing.assert_array_equal(by_name.best_estimator_.coef_, by_object.best_estimator_.coef_)


def test_parameters_of_a_penalty_by_name_can_be_set_with_the_penalty():
    for estimator in (sv.SparseRegressor, sv.SparseRegressorCV, sv.SparseRegressorIC):
        model = estimator("l1").set_params(penalty="mcp", penalty__gamma=7.0)
        assert (type(model.penalty), model.penalty.gamma) == (sv.MCP, 7.0)
        assert estimator("mcp").set_params(tol=1e-3).penalty == "mcp"  # a name stays one otherwise
        with pytest.raises(ValueError, match="Invalid parameter 'beta'"):
            estimator("mcp").set_params(penalty__beta=7.0)
        with pytest.raises(ValueError, match="list of 2 penalties"):
            estimator(["mcp", "l1"]).set_params(penalty__gamma=7.0)


@pytest.mark.parametrize("penalty", ["lasso", "L1", sv.L1()])
def test_a_selector_keeps_the_same_features_whatever_the_lasso_is_called(penalty):
    X, y, _ = toy(n_samples=60, n_features=20, n_active=5, noise=0.5, seed=0)
    selected = SelectFromModel(sv.SparseRegressor("l1", alpha=0.2)).fit(X, y)
    same = SelectFromModel(sv.SparseRegressor(penalty, alpha=0.2)).fit(X, y)
    np.testing.assert_array_equal(selected.get_support(), selected.estimator_.coef_ != 0)
    np.testing.assert_array_equal(same.get_support(), selected.get_support())
    renamed = sv.SparseRegressor("mcp", alpha=0.2).set_params(penalty=penalty)
    np.testing.assert_array_equal(
        SelectFromModel(clone(renamed)).fit(X, y).get_support(), selected.get_support()
    )


def test_names_of_the_lasso_stay_what_they_were():
    model = sv.SparseRegressor("lasso", alpha=0.2)
    assert model.penalty == "lasso"
    assert repr(model.penalty) == "'lasso'"
    assert clone(model).penalty == "lasso"
    assert pickle.loads(pickle.dumps(model)).penalty == "l1"
    assert model.penalty != "mcp"
    assert sv.SparseRegressor("mcp").penalty != "l1"
    assert sv.L1() != "mcp"


@pytest.mark.parametrize("order", ["F", "C"])
@pytest.mark.parametrize(
    "model",
    [
        sv.SparseRegressor("mcp", alpha=0.3),
        sv.SparseRegressorCV("mcp", alphas=5, cv=3),
        sv.SparseRegressorCV(["mcp", "l1"], alphas=5, cv=3, relax=True, n_jobs=2),
        sv.SparseRegressorIC("mcp", alphas=5),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_fitted_model_does_not_keep_the_data_alive(model, order):
    X, y, _ = toy(n_samples=100, n_features=1000, n_active=3, noise=0.5, seed=0)
    X = np.array(X, order=order)
    gone = weakref.ref(X)
    size = X.nbytes
    tracemalloc.start()
    model = clone(model).fit(X, y)
    del X
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert gone() is None
    assert kept < size / 4  # neither X nor a copy of it in another order


def test_the_path_of_an_estimator_says_how_to_get_what_needs_data():
    X, y, _ = toy(n_samples=40, n_features=10, n_active=3, noise=0.5, seed=0)
    path = sv.SparseRegressorIC("mcp", alphas=5).fit(X, y).path_
    for ask in (path.relax, lambda: path.explain(0)):
        with pytest.raises(ValueError, match=r"keep no data.*sparse_path\(X, y, path\.pen"):
            ask()
    again = sv.sparse_path(X, y, path.penalty, alphas=path.alphas)  # the remedy
    np.testing.assert_array_equal(again.support_size, path.support_size)
    again.explain(0)
