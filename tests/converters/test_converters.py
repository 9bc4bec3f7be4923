"""Converters: the same problem has the same solution, checked against the other libraries."""

import sys
from types import ModuleType

import numpy as np
import pytest
from problems import toy
from sklearn.linear_model import ElasticNet, ElasticNetCV, Lasso, LassoCV, MultiTaskLasso, Ridge
from tolerances import FEW_OPS, SKGLM

import sparsieve as sv
from sparsieve import converters
from sparsieve.converters import Settings
from sparsieve.penalties import resolve_penalty


@pytest.fixture
def problem():
    X, y, _ = toy(n_samples=80, n_features=30, n_active=4, noise=0.3, seed=0)
    return X, y + 1.0


@pytest.mark.parametrize("penalty", [sv.L1(), sv.MCP(3.0), sv.LogSum(0.2), sv.CappedL1(0.5)])
def test_paper_objective_is_n_times_ours(problem, penalty):
    X, y = problem
    theirs = converters.to_paper(penalty, 0.3, n_samples=80)
    w = np.random.default_rng(0).normal(size=30)
    lam, theta, t = theirs["lam"], theirs["theta"], np.abs(w)
    # [RGS19] Table 1, written out.
    value = {
        "l1": lambda: lam * t,
        "logsum": lambda: lam * np.log(1 + t / theta),
        "mcp": lambda: np.where(t <= lam * theta, lam * t - t**2 / (2 * theta), lam**2 * theta / 2),
        "capped_l1": lambda: lam * np.minimum(t, theta),
    }[theirs["penalty"]]()
    paper = 0.5 * np.sum((y - X @ w) ** 2) + value.sum()
    ours = sv.objective(X, y, w, penalty=penalty, alpha=0.3)
    assert paper == pytest.approx(80 * ours, rel=100 * FEW_OPS)
    back = converters.from_paper(**theirs, n_samples=80)
    assert type(back.penalty) is type(penalty)
    assert back.alpha == pytest.approx(0.3, rel=FEW_OPS)
    for name, number in penalty.get_params().items():
        assert getattr(back.penalty, name) == pytest.approx(number, rel=FEW_OPS)


def test_scad_is_the_paper_s_on_scaled_data(problem):
    X, y = problem
    w = np.random.default_rng(0).normal(size=30)
    scaled = 0.5 * np.sum((y - X @ w) ** 2 / 80) + np.sum(sv.SCAD(3.7).value(np.abs(w), 0.3))
    ours = sv.objective(X, y, w, penalty=sv.SCAD(3.7), alpha=0.3)
    assert scaled == pytest.approx(ours, rel=100 * FEW_OPS)
    with pytest.raises(ValueError, match="divide X and y by sqrt"):
        converters.from_paper("scad", 1.0, 3.7, n_samples=80)
    with pytest.raises(ValueError, match="SCAD has no equivalent"):
        converters.to_paper("scad", 1.0, n_samples=80)


@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"positive": True}])
def test_scikit_learn_lasso(problem, options):
    X, y = problem
    theirs = Lasso(alpha=0.1, tol=1e-10, **options).fit(X, y)
    ours = converters.from_sklearn(theirs).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=SKGLM)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=SKGLM)
    back = converters.to_sklearn(ours)
    assert back.get_params()["alpha"] == 0.1
    np.testing.assert_allclose(back.set_params(tol=1e-10).fit(X, y).coef_, ours.coef_, atol=SKGLM)


def test_scikit_learn_others(problem):
    X, y = problem
    fitted = LassoCV(cv=3).fit(X, y)
    assert converters.from_sklearn(fitted).alpha == fitted.alpha_
    assert converters.from_sklearn(ElasticNet(alpha=0.2, l1_ratio=1.0)).alpha == 0.2
    with pytest.raises(ValueError, match=r"l1_ratio must be .*a ridge alone selects nothing"):
        converters.from_sklearn(ElasticNet(l1_ratio=0.0))
    for chooses in (LassoCV(), ElasticNetCV()):
        with pytest.raises(ValueError, match=f"{type(chooses).__name__} is not fitted"):
            converters.from_sklearn(chooses)
    for other in (Ridge(), MultiTaskLasso()):
        with pytest.raises(TypeError, match=f"{type(other).__name__} has no equivalent"):
            converters.from_sklearn(other)
    with pytest.raises(ValueError, match="only the lasso"):
        converters.to_sklearn(sv.SparseRegressor("mcp"))


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("chosen", [False, True])
def test_elastic_nets(problem, positive, chosen):
    X, y = problem
    options = {"positive": positive, "tol": 1e-10}
    theirs = (
        ElasticNetCV(l1_ratio=[0.3, 0.7], cv=3, **options)
        if chosen
        else ElasticNet(alpha=0.2, l1_ratio=0.3, **options)
    ).fit(X, y)
    ours = converters.from_sklearn(theirs).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=SKGLM)
    back = converters.to_sklearn(ours)
    assert type(back) is ElasticNet
    assert back.positive == positive
    np.testing.assert_allclose(back.set_params(tol=1e-10).fit(X, y).coef_, ours.coef_, atol=SKGLM)


def test_a_ridge_of_its_own_becomes_part_of_an_elastic_net(problem):
    X, y = problem
    ours = sv.SparseRegressor("l1", 0.2, l1_ratio=0.8, ridge=0.1, standardize=False).fit(X, y)
    theirs = converters.to_sklearn(ours).set_params(tol=1e-10)
    assert theirs.alpha * theirs.l1_ratio == pytest.approx(0.16, rel=FEW_OPS)
    np.testing.assert_allclose(theirs.fit(X, y).coef_, ours.coef_, atol=SKGLM)


def test_what_was_chosen_is_converted(problem):
    X, y = problem
    model = sv.SparseRegressorCV(["l1", "mcp"], alphas=5, cv=3).fit(X, y)
    assert converters.to_ncvreg(model)["lambda"] == model.alpha_
    assert converters.to_ncvreg(model)["penalty"] in ("lasso", "MCP")
    lasso = sv.SparseRegressorIC("l1", alphas=5).fit(X, y)
    assert converters.to_sklearn(lasso).alpha == lasso.alpha_
    assert converters.to_glmnet(lasso)["lambda"] == lasso.alpha_
    with pytest.raises(ValueError, match="SparseRegressorCV is not fitted, so it has chosen no"):
        converters.to_sklearn(sv.SparseRegressorCV("l1"))


@pytest.mark.parametrize(
    "model",
    [
        sv.SparseRegressor("l1", alpha=0.1),
        sv.SparseRegressor("l1", alpha=0.1, positive=True),
        sv.SparseRegressor("l1", alpha=0.1, weights=np.r_[np.full(15, 0.5), np.full(15, 2.0)]),
        sv.SparseRegressor("l1", alpha=0.1, l1_ratio=0.4),
        sv.SparseRegressor("l1", alpha=0.1, ridge=0.2, bounds=(0, None)),
        sv.SparseRegressor(sv.MCP(4.0), alpha=0.2),
        sv.SparseRegressor(sv.SCAD(3.7), alpha=0.2, fit_intercept=False),
        sv.SparseRegressor(sv.LogSum(1.0), alpha=0.1),
    ],
)
@pytest.mark.filterwarnings("ignore")  # numba and skglm warn about themselves
def test_skglm_solves_the_same_problem(problem, model):
    pytest.importorskip("skglm")
    X, y = problem
    ours = model.fit(X, y)
    theirs = converters.to_skglm(model).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=SKGLM)
    assert ours.intercept_ == pytest.approx(float(np.ravel(theirs.intercept_)[0]), abs=SKGLM)
    back = converters.from_skglm(theirs)
    strengths = [m.alpha * m.l1_ratio for m in (back, model)]
    assert strengths[0] == pytest.approx(strengths[1], rel=FEW_OPS)
    assert type(back.penalty) is type(resolve_penalty(model.penalty))
    assert back.positive == (model.positive or model.bounds is not None)
    assert back.fit_intercept == model.fit_intercept


@pytest.mark.filterwarnings("ignore")
def test_skglm_estimators(problem):
    skglm = pytest.importorskip("skglm")
    X, y = problem
    for theirs in (
        skglm.Lasso(alpha=0.1, tol=1e-8),
        skglm.WeightedLasso(alpha=0.1, weights=np.linspace(0.5, 2.0, 30), tol=1e-8),
        skglm.ElasticNet(alpha=0.1, l1_ratio=0.4, tol=1e-8),
        skglm.MCPRegression(alpha=0.2, gamma=4.0, tol=1e-8),
        skglm.MCPRegression(alpha=0.2, gamma=4.0, weights=np.full(30, 0.5), tol=1e-8),
    ):
        ours = converters.from_skglm(theirs).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.fit(X, y).coef_, atol=SKGLM)
    with pytest.raises(ValueError, match="multiplies the whole MCP"):
        converters.from_skglm(skglm.MCPRegression(weights=np.linspace(1.0, 2.0, 30)))
    from skglm.datafits import Gamma
    from skglm.penalties import L0_5

    with pytest.raises(ValueError, match="datafit Gamma is not supported"):
        converters.from_skglm(skglm.GeneralizedLinearEstimator(Gamma(), skglm.penalties.L1(0.1)))
    with pytest.raises(ValueError, match="penalty L0_5 has no equivalent"):
        converters.from_skglm(skglm.GeneralizedLinearEstimator(None, L0_5(1.0)))


def test_skglm_errors(monkeypatch):
    with pytest.raises(TypeError, match="Ridge has no equivalent"):
        converters.from_skglm(Ridge())
    monkeypatch.setitem(sys.modules, "skglm", None)
    with pytest.raises(ImportError, match="pip install skglm"):
        converters.to_skglm(sv.SparseRegressor())


class MCPRegression:
    """skglm's, as far as the converter looks at it: by the name of its class and attributes."""

    alpha, gamma, weights, positive, fit_intercept = 0.1, 3.0, (1.0, 2.0), False, True


class GeneralizedLinearEstimator:
    """Likewise."""

    solver = None

    def __init__(self, datafit, penalty):
        self.datafit, self.penalty = datafit, penalty


class Gamma:
    """A loss that is not ours."""


class L1:
    """A penalty that is."""

    alpha = 0.1


class L0_5:  # noqa: N801  # its name there
    """A penalty that is not ours."""


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (MCPRegression(), "multiplies the whole MCP .* use weights=None"),
        (GeneralizedLinearEstimator(Gamma(), L1()), "datafit Gamma is not supported; use skglm's"),
        (GeneralizedLinearEstimator(None, L0_5()), "penalty L0_5 has no equivalent here; use L1"),
    ],
)
def test_what_only_skglm_has(estimator, words):
    with pytest.raises(ValueError, match=words):
        converters.from_skglm(estimator)


def test_what_skglm_lacks(monkeypatch):
    # Found before anything of skglm is called, so empty names will do where it is not installed.
    for name, members in {
        "skglm": ("GeneralizedLinearEstimator", "penalties"),
        "skglm.datafits": ("Quadratic",),
        "skglm.solvers": ("AndersonCD",),
    }.items():
        module = ModuleType(name)
        module.__dict__.update(dict.fromkeys(members))
        monkeypatch.setitem(sys.modules, name, module)
    with pytest.raises(ValueError, match="skglm has no CappedL1"):
        converters.to_skglm(sv.SparseRegressor("capped_l1"))


@pytest.mark.parametrize("penalty", ["MCP", "SCAD", "lasso"])
def test_ncvreg_round_trip(penalty):
    settings = converters.from_ncvreg(penalty, lam=0.1, penalty_factor=[1.0, 0.0, 2.0])
    arguments = converters.to_ncvreg(settings)
    assert arguments["penalty"] == penalty
    assert arguments["lambda"] == 0.1
    assert arguments.get("gamma") == {"MCP": 3.0, "SCAD": 3.7, "lasso": None}[penalty]
    np.testing.assert_array_equal(arguments["penalty.factor"], [1.0, 0.0, 2.0])


def test_ncvreg_objective():
    # ncvreg's documented MCP at lambda = 1, gamma = 3: l t - t^2/(2 g) up to g l, then g l^2 / 2.
    penalty, alpha, _ = converters.from_ncvreg(lam=1.0)
    np.testing.assert_allclose(penalty.value([1.0, 3.0, 9.0], alpha), [1 - 1 / 6, 1.5, 1.5])


def test_elastic_nets_of_ncvreg_and_what_settings_say_beside():
    settings = converters.from_ncvreg("MCP", lam=0.2, alpha=0.6, penalty_factor=[1.0, 0.0, 2.0])
    assert settings.options == {"standardize": True, "l1_ratio": 0.6}
    assert len(settings) == 3
    regressor = settings.regressor(tol=1e-8)
    stated = (regressor.alpha, regressor.l1_ratio, regressor.standardize, regressor.tol)
    assert stated == (0.2, 0.6, True, 1e-8)
    for source in (settings, regressor):
        arguments = converters.to_ncvreg(source)
        assert arguments["lambda"] == pytest.approx(0.2, rel=FEW_OPS)
        assert arguments["alpha"] == pytest.approx(0.6, rel=FEW_OPS)
        np.testing.assert_array_equal(arguments["penalty.factor"], [1.0, 0.0, 2.0])


def test_glmnet_elastic_net_with_bounds_goes_there_and_back():
    given = dict(alpha=0.3, lower_limits=-1.0, upper_limits=[1.0, 2.0, np.inf], y_scale=5.0)
    settings = converters.from_glmnet(0.4, **given, standardize=False)
    assert settings.options["bounds"] == (-1.0, [1.0, 2.0, np.inf])
    # glmnet's objective for y / 5 and lambda / 5, times 25: its ridge is 0.4 * 0.7 / 5.
    alpha, ratio = settings.alpha, settings.options["l1_ratio"]
    assert alpha * ratio == pytest.approx(0.4 * 0.3, rel=FEW_OPS)
    assert alpha * (1.0 - ratio) == pytest.approx(0.4 * 0.7 / 5.0, rel=FEW_OPS)
    back = converters.to_glmnet(settings, y_scale=5.0)
    assert back["lambda"] == pytest.approx(0.4, rel=FEW_OPS)
    assert back["alpha"] == pytest.approx(0.3, rel=FEW_OPS)
    assert back["standardize"] is False
    np.testing.assert_array_equal(back["lower.limits"], [-1.0] * 3)
    np.testing.assert_array_equal(back["upper.limits"], given["upper_limits"])
    plain = converters.to_glmnet(converters.from_glmnet(0.4))
    assert plain == {"lambda": 0.4, "alpha": 1.0, "standardize": True}
    assert converters.to_glmnet(sv.SparseRegressor("l1", bounds=(0, None)))["lower.limits"] == 0.0


def test_glmnet_factors_sum_to_the_number_of_features():
    settings = converters.from_glmnet(0.1, penalty_factor=[1.0, 3.0, 0.0])
    np.testing.assert_allclose(settings.weights, [0.75, 2.25, 0.0], rtol=FEW_OPS)
    excluded = converters.from_glmnet(0.1, penalty_factor=[1.0, 3.0, np.inf])
    np.testing.assert_allclose(excluded.weights, [0.6, 1.8, np.inf], rtol=FEW_OPS)
    back = converters.to_glmnet(excluded)
    again = converters.from_glmnet(back["lambda"], penalty_factor=back["penalty.factor"])
    # The strength of each feature is what counts: alpha times weight.
    strengths = [s.alpha * s.weights[:2] for s in (excluded, again)]
    np.testing.assert_allclose(*strengths, rtol=FEW_OPS)
    assert converters.to_glmnet(converters.from_glmnet(0.2))["lambda"] == 0.2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: converters.from_glmnet(0.1, alpha=0.0), "alpha must be .*a ridge alone selects"),
        (lambda: converters.from_ncvreg(lam=0.1, alpha=2.0), "alpha must be .*use alpha=1 for no"),
        (lambda: converters.to_ncvreg(sv.SparseRegressor(positive=True)), "ncvreg has no bounds"),
        (
            lambda: converters.to_glmnet(sv.SparseRegressor("l1", ridge=1.0, weights=[1.0, 2.0])),
            "ridge= is not; use l1_ratio= instead, or weights=None",
        ),
        (
            lambda: converters.to_sklearn(sv.SparseRegressor("l1", standardize=True)),
            "scikit-learn does not standardise; use standardize=False",
        ),
        (
            lambda: converters.to_sklearn(sv.SparseRegressor("l1", bounds=(-1, 1))),
            "bounds no coefficients but their sign; use positive=True",
        ),
        (lambda: converters.from_glmnet(0.1, penalty_factor=[0.0, 0.0]), "every penalty factor is"),
        (lambda: converters.to_glmnet(Settings(sv.MCP(), 0.1)), "glmnet has only the lasso"),
        (lambda: converters.from_ncvreg("ridge", lam=0.1), "penalty='ridge' is not known"),
        (lambda: converters.from_ncvreg("SCAD", lam=0.1, gamma=1.0), "SCAD: gamma must be"),
        (lambda: converters.to_ncvreg(Settings(sv.LogSum(), 0.1)), "ncvreg has no LogSum"),
        (lambda: converters.from_paper("mcp", 1.0, n_samples=5), "theta must be a number"),
        (lambda: converters.from_paper("l1", -1.0, n_samples=5), "lam must be"),
        (lambda: converters.to_paper("l1", 1.0, n_samples=0), "n_samples must be"),
    ],
)
def test_errors_name_the_remedy(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_chosen_l1_ratio_is_converted():
    X, y, _ = sv.datasets.make_toy(40, 8, 2, noise=0.5, random_state=0)
    model = sv.SparseRegressorCV("l1", l1_ratio=[0.2, 0.9], alphas=5).fit(X, y)
    theirs = converters.to_sklearn(model)
    assert theirs.l1_ratio == pytest.approx(model.l1_ratio_)
