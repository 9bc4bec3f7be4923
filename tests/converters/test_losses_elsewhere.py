"""Losses beyond squares in other packages' parameters: the same problem has the same solution."""

import shutil
import subprocess

import numpy as np
import pytest
from losses_under_test import data
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, PoissonRegressor
from tolerances import FITTED_GLM

import sparsieve as sv
from sparsieve import converters

X, LABELS = data(sv.Logistic(), n=100, d=8)
COUNTS = data(sv.Poisson(), n=100, d=8)[1]
# scikit-learn's saga and R's glmnet at the tolerances that the tests ask for.
ELSEWHERE = 1e-5


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_logistic_regression(ratio):
    ours = sv.SparseClassifier("l1", 0.02, l1_ratio=ratio, class_weight={0.0: 2.0}, tol=1e-9)
    ours.set_params(standardize=False).fit(X, LABELS)
    total = int(np.where(LABELS == 0.0, 2.0, 1.0).sum())
    theirs = converters.to_sklearn(ours, n_samples=total)
    theirs.set_params(tol=1e-10, max_iter=100_000).fit(X, LABELS)
    assert np.allclose(theirs.coef_, ours.coef_, atol=ELSEWHERE)
    back = converters.from_sklearn(theirs, n_samples=total)
    assert isinstance(back, sv.SparseClassifier)
    assert back.set_params(tol=1e-9).fit(X, LABELS).coef_ == pytest.approx(ours.coef_, abs=1e-7)


def test_logistic_regression_errors():
    with pytest.raises(ValueError, match=r"n_samples must be an integer .*pass n_samples=len"):
        converters.from_sklearn(LogisticRegression(l1_ratio=1.0))
    with pytest.raises(ValueError, match=r"n_samples must be an integer .*pass n_samples=len"):
        converters.to_sklearn(sv.SparseClassifier("l1"))
    with pytest.raises(TypeError, match="LogisticRegressionCV has no equivalent here"):
        converters.from_sklearn(LogisticRegressionCV(), n_samples=10)
    lib = LogisticRegression(l1_ratio=1.0, solver="liblinear")
    with pytest.raises(ValueError, match="solver='liblinear' penalises the intercept"):
        converters.from_sklearn(lib, n_samples=10)
    with pytest.raises(ValueError, match="a ridge alone selects nothing"):
        converters.from_sklearn(LogisticRegression(), n_samples=10)
    with pytest.raises(ValueError, match="without a penalty selects nothing"):
        converters.from_sklearn(LogisticRegression(C=np.inf), n_samples=10)
    three = LogisticRegression().fit(X, np.arange(100) % 3)
    with pytest.raises(ValueError, match="beyond two classes scikit-learn fits them together"):
        converters.from_sklearn(three, n_samples=10)
    with pytest.raises(ValueError, match="LogisticRegression has no bounds; use positive=False"):
        converters.to_sklearn(sv.SparseClassifier("l1", positive=True), n_samples=10)
    ours = sv.SparseClassifierCV("l1", alphas=5, eps=0.1).fit(X, np.arange(100) % 3)
    with pytest.raises(ValueError, match="has chosen an alpha for each of 3 classes; convert each"):
        converters.to_sklearn(ours, n_samples=100)
    assert converters.to_sklearn(ours.estimators_[0], n_samples=100).C > 0.0


def test_poisson_regressor():
    theirs = PoissonRegressor(alpha=0.3, tol=1e-10, max_iter=10_000).fit(X, COUNTS)
    ours = converters.from_sklearn(theirs).fit(X, COUNTS)
    assert np.allclose(ours.coef_, theirs.coef_, atol=ELSEWHERE)
    assert ours.predict(X) == pytest.approx(theirs.predict(X), rel=1e-4)
    assert converters.to_sklearn(ours).alpha == 0.3
    with pytest.raises(ValueError, match="this PoissonRegressor is not fitted"):
        converters.from_sklearn(PoissonRegressor())
    with pytest.raises(ValueError, match="PoissonRegressor has a ridge and no l1 penalty"):
        converters.to_sklearn(sv.SparseRegressor("l1", loss="poisson"))
    bounded = sv.SparseRegressor("l1", weights=np.zeros(8), loss="poisson", positive=True)
    with pytest.raises(ValueError, match="PoissonRegressor has no bounds"):
        converters.to_sklearn(bounded)


def test_losses_that_are_not_there():
    huber = sv.SparseRegressor("l1", loss="huber")
    for convert in (converters.to_sklearn, converters.to_glmnet, converters.to_ncvreg):
        with pytest.raises(ValueError, match=r"has no equivalent of the loss Huber\(delta=1.35\)"):
            convert(huber)
    with pytest.raises(ValueError, match="family='cox' has no equivalent here; use one of"):
        converters.from_glmnet(0.1, family="cox")
    with pytest.raises(ValueError, match="leave y_scale out"):
        converters.from_glmnet(0.1, family="poisson", y_scale=2.0)
    with pytest.raises(ValueError, match="leave y_scale out"):
        converters.to_glmnet(converters.from_glmnet(0.1, family="poisson"), y_scale=2.0)
    with pytest.raises(ValueError, match="which is not for classes; use regressor"):
        converters.from_glmnet(0.1, family="poisson").classifier()


@pytest.mark.parametrize(("family", "y"), [("binomial", LABELS), ("poisson", COUNTS)])
def test_glmnet(family, y, tmp_path):
    settings = converters.from_glmnet(0.05, alpha=0.8, family=family, penalty_factor=np.arange(8.0))
    assert converters.to_glmnet(settings)["family"] == family
    assert converters.to_glmnet(settings)["lambda"] == pytest.approx(0.05)
    model = settings.classifier() if family == "binomial" else settings.regressor()
    model.set_params(tol=1e-9).fit(X, y)
    if shutil.which("Rscript") is None:
        pytest.skip("needs R with glmnet")
    np.savetxt(tmp_path / "X.txt", X, fmt="%.17g")
    np.savetxt(tmp_path / "y.txt", y)
    program = f"""
    suppressPackageStartupMessages(library(glmnet))
    X <- as.matrix(read.table("{tmp_path}/X.txt")); y <- scan("{tmp_path}/y.txt", quiet=TRUE)
    fit <- glmnet(X, y, family="{family}", alpha=0.8, lambda=0.05, penalty.factor=0:7,
                  thresh=1e-14, maxit=1e7)
    cat(format(c(as.numeric(fit$a0), as.numeric(fit$beta)), digits=15))
    """
    done = subprocess.run(["Rscript", "-e", program], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("needs R with glmnet")
    theirs = np.array(done.stdout.split(), dtype=float)
    assert np.allclose(
        [*np.atleast_1d(model.intercept_), *np.ravel(model.coef_)], theirs, atol=1e-5
    )


class Source:
    """Something of skglm's, as far as the converter looks at it: a class name and attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def theirs(kind, **attributes):
    return type(kind, (Source,), {})(**attributes)


def test_skglm_by_names():
    penalty = theirs("L1", alpha=0.1)
    solver = theirs("AndersonCD", fit_intercept=False)
    for name, kind, loss in (
        ("Logistic", sv.SparseClassifier, "logistic"),
        ("Poisson", sv.SparseRegressor, sv.Poisson()),
    ):
        model = converters.from_skglm(
            theirs(
                "GeneralizedLinearEstimator", datafit=theirs(name), penalty=penalty, solver=solver
            )
        )
        assert type(model) is kind
        assert repr(model.loss) == repr(loss)
        assert not model.fit_intercept
    huber = theirs("Huber", delta=2.0)
    made = theirs("GeneralizedLinearEstimator", datafit=huber, penalty=penalty, solver=solver)
    assert repr(converters.from_skglm(made).loss) == "Huber(delta=2.0)"
    sparse = theirs("SparseLogisticRegression", alpha=0.2, fit_intercept=True)
    assert converters.from_skglm(sparse).alpha == 0.2


@pytest.mark.filterwarnings("ignore")  # numba and skglm warn about themselves
def test_skglm_solves_the_same_problem():
    pytest.importorskip("skglm")
    for model, y in (
        (sv.SparseClassifier("l1", 0.05, standardize=False), LABELS),
        (sv.SparseRegressor("l1", 0.1, loss="poisson", standardize=False), COUNTS),
        (sv.SparseRegressor("l1", 0.1, loss=sv.Huber(0.5), standardize=False), COUNTS),
    ):
        ours = model.fit(X, y)
        made = converters.to_skglm(ours)
        found = made.fit(X, 2.0 * y - 1.0 if y is LABELS else y)
        assert np.allclose(np.ravel(found.coef_), np.ravel(ours.coef_), atol=1e-4)
        back = converters.from_skglm(made)
        assert np.allclose(back.fit(X, y).coef_, ours.coef_, atol=FITTED_GLM * 10)
