"""scikit-learn's contract for regressors with losses other than squares, and what is routed."""

import numpy as np
import pytest
import sklearn
from losses_under_test import data
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import sparsieve as sv

X, COUNTS = data(sv.Poisson(), n=90, d=12)
LABELS = np.array(["no", "yes"])[data(sv.Logistic(), n=90, d=12)[1].astype(int)]
RNG = np.random.default_rng(0)
OFFSET, OMEGA = 0.5 * RNG.normal(size=90), RNG.uniform(0.5, 2.0, 90)
ONE = [
    sv.SparseRegressor("l1", alpha=0.01, loss=loss)
    for loss in ("poisson", "huber", sv.NegativeBinomial(theta=5.0))
]
CHOOSING = [
    sv.SparseRegressorCV("l1", alphas=4, eps=0.1, cv=3, loss="poisson"),
    sv.SparseRegressorIC("l1", alphas=4, eps=0.1, loss="poisson"),
]


@parametrize_with_checks([*ONE, *CHOOSING])
def test_contract(estimator, check):
    check(estimator)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def asked(model):
    names = {"sample_weight": True, "offset": True}
    return model.set_fit_request(**names).set_score_request(**names)


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (sv.SparseRegressor("l1", alpha=0.1, loss="poisson"), COUNTS),
        (sv.SparseClassifier("l1", alpha=0.05), LABELS),
        (sv.SparseRegressorCV("l1", alphas=3, eps=0.2, cv=3, loss="poisson"), COUNTS),
        (sv.SparseClassifierCV("l1", alphas=3, eps=0.2, cv=3), LABELS),
        (sv.SparseClassifierIC("l1", alphas=3, eps=0.2), LABELS),
    ],
    ids=lambda value: type(value).__name__,
)
def test_weights_and_offsets_are_routed(routing, model, y):
    half = slice(0, 45), slice(45, 90)
    params = {"sample_weight": OMEGA, "offset": OFFSET}
    folds = [(np.arange(90)[half[0]], np.arange(90)[half[1]])]
    (score,) = cross_val_score(asked(model), X, y, cv=folds, params=params)
    fitted = model.fit(X[half[0]], y[half[0]], OMEGA[half[0]], offset=OFFSET[half[0]])
    by_hand = fitted.score(X[half[1]], y[half[1]], OMEGA[half[1]], OFFSET[half[1]])
    assert score == by_hand
    # Through a pipeline, whose scaler takes no weights here.
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    pipeline = make_pipeline(scaler, asked(model)).fit(X, y, **params)
    direct = model.fit(StandardScaler().fit_transform(X), y, OMEGA, offset=OFFSET)
    assert np.array_equal(pipeline[-1].coef_, direct.coef_)


def test_grids_reach_into_losses_and_penalties(routing):
    model = asked(sv.SparseRegressor("mcp", alpha=0.1, loss="negative_binomial"))
    grid = {"loss__theta": [0.5, 5.0], "penalty__gamma": [3.0, 10.0]}
    search = GridSearchCV(model, grid, cv=3).fit(X, COUNTS, sample_weight=OMEGA, offset=OFFSET)
    assert search.best_params_.keys() == grid.keys()
    assert search.best_estimator_.loss.theta == search.best_params_["loss__theta"]
