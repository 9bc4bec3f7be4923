"""Losses beyond squares: the judge, outside solvers as alpha goes to zero, the slow twins."""

import numpy as np
import pytest
from losses_under_test import LOSSES, LogCosh, Silent, data, ids, options
from scipy import sparse
from sklearn.linear_model import HuberRegressor, LogisticRegression, PoissonRegressor
from tolerances import DEFAULT_KKT, FITTED_GLM, REORDERED_SUM, TWO_OBJECTIVES

import sparsieve as sv
from sparsieve.losses import resolve_loss
from sparsieve.reference import GlmProblem, glm_lasso, glm_mm, loss_twin

every = pytest.mark.parametrize("loss", LOSSES, ids=ids)


class Geman:
    """A user's own penalty."""

    def value(self, abs_w, alpha):
        return alpha * abs_w / (abs_w + 0.5)

    def slope(self, abs_w, alpha):
        return alpha * 0.5 / (abs_w + 0.5) ** 2


@every
@pytest.mark.parametrize("penalty", ["l1", "mcp", "scad", "logsum", "capped_l1", "lq", Geman()])
@pytest.mark.parametrize("store", [np.asarray, sparse.csc_array, np.float32])
def test_every_point_is_certified_with_all_options_together(loss, penalty, store):
    X, y = data(loss)
    X = store(X)
    given = options(*X.shape)
    bounds = (-1.0, 2.0)
    path = sv.sparse_path(
        X, y, penalty, loss=loss, alphas=8, eps=0.05, ridge=0.01, l1_ratio=0.9, bounds=bounds,
        standardize=True, **given,
    )  # fmt: skip
    judged = dict(penalty=penalty, loss=loss, ridge=0.01, l1_ratio=0.9, standardize=True, **given)
    assert path.converged.all()
    for k, point in enumerate(path.points):
        w, b = path.coef_at(point.alpha), point.intercept
        judge = dict(alpha=point.alpha, bounds=bounds, **judged)
        assert sv.kkt_violation(X, y, w, b, fit_intercept=True, **judge) <= DEFAULT_KKT
        assert sv.objective(X, y, w, b, **judge) == pytest.approx(point.objective, rel=1e-10)
        assert w[-2] == 0.0
        assert -1.0 <= w.min() <= w.max() <= 2.0
        assert point.dual_gap >= 0.0
        assert path.minimum[k] in ("stationary", "coordinatewise")


@every
@pytest.mark.parametrize("intercept", [True, False])
def test_lasso_is_that_of_the_twin(loss, intercept):
    X, y = data(loss, n=40, d=8, seed=1)
    given = options(40, 8)
    pi = given.pop("weights")
    known = resolve_loss(loss)
    alpha = 0.05
    model = sv.SparseRegressor(
        "l1", alpha, loss=loss, weights=pi, fit_intercept=intercept, tol=1e-9
    )
    model.fit(X, y, **given)
    if isinstance(loss, LogCosh):
        twin = loss_twin("squared")._replace(
            value=loss.value,
            residual=lambda eta, y: -loss.gradient(eta, y),
            curvature=loss.curvature,
        )
    else:
        twin = loss_twin(known.name, **known.get_params())
    made = GlmProblem.of(X, y, twin, fit_intercept=intercept, **given)
    found = glm_lasso(made, alpha * pi)
    assert found.converged
    scale = 1.0 + abs(found.objective)
    assert abs(model.objective_ - found.objective) <= TWO_OBJECTIVES * scale
    # The gap bounds how far the objective is from the minimum.
    assert model.objective_ - model.dual_gap_ <= found.objective + TWO_OBJECTIVES * scale
    assert model.certificate_.convex_problem
    assert np.allclose(model.coef_, found.w, atol=FITTED_GLM)


@pytest.mark.parametrize("loss", LOSSES[:4], ids=ids[:4])
def test_a_concave_penalty_from_the_twins_point_stays_there(loss):
    X, y = data(loss, n=40, d=8, seed=2)
    twin = loss_twin(loss.name, **loss.get_params())
    found = glm_mm(GlmProblem.of(X, y, twin), sv.LogSum(theta=0.5), 0.04)
    path = sv.sparse_path(
        X, y, sv.LogSum(theta=0.5), loss=loss, alphas=[0.04], start=found.w, tol=1e-9
    )
    assert path.objective[0] <= found.objective + TWO_OBJECTIVES * (1.0 + abs(found.objective))
    assert np.allclose(path.coef_at(0.04), found.w, atol=FITTED_GLM)


def nearly_unpenalised(X, y, loss, **given):
    path = sv.sparse_path(X, y, "l1", loss=loss, alphas=[1e-2, 1e-8], tol=1e-4, **given)
    return path.coef_at(1e-8), path.intercepts[-1]


def test_logistic_regression_of_scikit_learn():
    X, y = data(sv.Logistic(), n=300, d=5, size=1.0)
    w, b = nearly_unpenalised(X, y, "logistic")
    theirs = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(X, y)
    assert np.allclose(w, theirs.coef_[0], atol=FITTED_GLM * 100)
    assert b == pytest.approx(theirs.intercept_[0], abs=FITTED_GLM * 100)


def test_poisson_regression_of_scikit_learn():
    X, y = data(sv.Poisson(), n=300, d=5)
    omega = np.random.default_rng(0).uniform(0.5, 2.0, 300)
    w, b = nearly_unpenalised(X, y, "poisson", sample_weight=omega)
    theirs = PoissonRegressor(alpha=0.0, tol=1e-10, max_iter=10_000).fit(X, y, sample_weight=omega)
    assert np.allclose(w, theirs.coef_, atol=FITTED_GLM * 100)
    assert b == pytest.approx(theirs.intercept_, abs=FITTED_GLM * 100)


def test_huber_regression_of_scikit_learn():
    """It fits the scale too: at that scale, ours has the lower objective, or the same."""
    X, y = data(sv.Huber(), n=200, d=5)
    theirs = HuberRegressor(epsilon=1.35, alpha=0.0, tol=1e-10, max_iter=10_000).fit(X, y)
    loss = sv.Huber(delta=1.35 * theirs.scale_)
    w, b = nearly_unpenalised(X, y, loss)
    judged = dict(penalty="l1", alpha=1e-8, loss=loss)
    best = sv.objective(X, y, theirs.coef_, theirs.intercept_, **judged)
    assert sv.objective(X, y, w, b, **judged) <= best * (1.0 + 1e-9)
    assert np.allclose(w, theirs.coef_, atol=1e-4)


@pytest.mark.parametrize("family", ["logistic", "poisson", "negative_binomial"])
def test_glm_of_statsmodels_with_offset_and_weights(family):
    sm = pytest.importorskip("statsmodels.api")
    loss = {"negative_binomial": sv.NegativeBinomial(theta=2.0)}.get(family, resolve_loss(family))
    X, y = data(loss, n=300, d=5, size=1.0)
    rng = np.random.default_rng(1)
    offset, counts = 0.5 * rng.normal(size=300), rng.integers(1, 4, 300)
    theirs = sm.GLM(
        y,
        sm.add_constant(X),
        family={
            "logistic": sm.families.Binomial(),
            "poisson": sm.families.Poisson(),
            "negative_binomial": sm.families.NegativeBinomial(alpha=0.5),
        }[family],
        offset=offset,
        freq_weights=counts,
    ).fit(tol=1e-12)
    w, b = nearly_unpenalised(X, y, loss, offset=offset, sample_weight=counts)
    assert np.allclose([b, *w], theirs.params, atol=FITTED_GLM * 10)
    path = sv.sparse_path(X, y, "l1", loss=loss, alphas=[1e-8], tol=1e-4, offset=offset,
                          sample_weight=counts)  # fmt: skip
    model = sv.SparseRegressor("l1", 1e-8, loss=loss, tol=1e-4)
    model.fit(X, y, sample_weight=counts, offset=offset)
    explained = 1.0 - theirs.deviance / theirs.null_deviance
    assert path.r2[0] == pytest.approx(explained, rel=1e-6)
    assert model.score(X, y, counts, offset) == pytest.approx(explained, rel=1e-6)
    assert np.allclose(model.predict(X, offset), theirs.fittedvalues, rtol=1e-6)


@every
def test_alpha_max_is_where_the_first_feature_enters(loss):
    X, y = data(loss)
    given = options(*X.shape)
    top = sv.alpha_max(X, y, "l1", loss=loss, **given)
    path = sv.sparse_path(X, y, "l1", loss=loss, alphas=[1.001 * top, 0.99 * top], **given)
    free = np.flatnonzero(given["weights"] == 0.0)
    assert set(path.points[0].columns) <= set(free)
    assert set(path.points[1].columns) - set(free)


def test_a_loss_that_does_not_say_its_minimum_has_no_gap():
    X, y = data(LogCosh())
    model = sv.SparseRegressor("l1", alpha=0.05, loss=Silent()).fit(X, y)
    assert np.isnan(model.dual_gap_)
    assert model.certificate_.lower_bound is None
    assert "no duality gap" in str(model.certificate_)
    assert "convex problem" in str(model.certificate_)
    concave = sv.SparseRegressor("mcp", alpha=0.05, loss=Silent()).fit(X, y)
    assert "no duality gap" in str(concave.certificate_)


def test_an_own_loss_that_is_poissons_has_its_solution():
    class Counts:
        def value(self, eta, y):
            return np.exp(eta) - y * eta

        def gradient(self, eta, y):
            return np.exp(eta) - y

        def curvature(self, eta, y):
            return np.exp(eta)

        def mean(self, eta):
            return np.exp(eta)

    X, y = data(sv.Poisson())
    own = sv.SparseRegressor("mcp", alpha=0.1, loss=Counts(), tol=1e-9).fit(X, y)
    built_in = sv.SparseRegressor("mcp", alpha=0.1, loss="poisson", tol=1e-9).fit(X, y)
    assert np.allclose(own.coef_, built_in.coef_, atol=FITTED_GLM)
    assert np.allclose(own.predict(X), built_in.predict(X), rtol=1e-6)
    assert own.objective_ == pytest.approx(built_in.objective_, rel=REORDERED_SUM)


def test_counts_of_a_million():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 20))
    y = rng.poisson(1e6 * np.exp(0.3 * X[:, 0])).astype(float)
    for loss in ("poisson", sv.NegativeBinomial(theta=5.0)):
        path = sv.sparse_path(X, y, "mcp", loss=loss, alphas=10, eps=0.01)
        for point in path.points:
            w = path.coef_at(point.alpha)
            kkt = sv.kkt_violation(
                X, y, w, point.intercept, penalty="mcp", alpha=point.alpha, loss=loss,
                fit_intercept=True,
            )  # fmt: skip
            assert kkt <= DEFAULT_KKT


def test_offsets_of_fifty():
    X, y = data(sv.Poisson(), n=60, d=20)
    offset = np.where(np.arange(60) % 2, 50.0, -50.0)
    path = sv.sparse_path(X, y, "l1", loss="poisson", offset=offset, alphas=10, eps=0.05)
    assert np.all(np.isfinite(path.objective))
    for point in path.points:
        kkt = sv.kkt_violation(
            X, y, path.coef_at(point.alpha), point.intercept, penalty="l1", alpha=point.alpha,
            loss="poisson", offset=offset, fit_intercept=True,
        )  # fmt: skip
        assert kkt <= DEFAULT_KKT


def test_many_rows_and_a_rare_label_converge():
    # The last steps lower the objective by less than a plain sum over so many rows loses.
    g = np.random.default_rng(1)
    X = sparse.csc_array((g.random((40_000, 20)) < 0.04).astype(float))
    eta = X[:, :6] @ np.array([1.5, -1.5, 3.0, -3.0, 1.5, 1.5]) - 4.0
    y = (g.random(40_000) < 1.0 / (1.0 + np.exp(-eta))).astype(float)
    path = sv.sparse_path(X, y, "l1", loss="logistic", alphas=15, eps=0.02, tol=1e-7)
    assert path.converged.all()
