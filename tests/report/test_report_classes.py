"""What reports say of labels and counts: the numbers behind the charts, words, and which rows."""

import json
import re

import numpy as np
import pytest
from losses_under_test import LOSSES, LogCosh, data, ids
from sklearn.metrics import log_loss, roc_auc_score, roc_curve
from sklearn.model_selection import KFold
from tolerances import REORDERED_SUM

import sparsieve as sv
from sparsieve.inspect.assessment import assess, is_assessment

X, LABELS = data(sv.Logistic(), n=90, d=12)
COUNTS = data(sv.Poisson(), n=90, d=12)[1]


def embedded(page):
    """Return the data that the scripts of a page read."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


def test_the_roc_curve_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    eta, weight = rng.integers(-3, 4, 90).astype(float), rng.uniform(0.0, 2.0, 90)
    weight[:4] = 0.0
    found = assess(sv.Logistic(), eta, LABELS, weight, "in sample")
    fpr, tpr, _ = roc_curve(LABELS, eta, sample_weight=weight, drop_intermediate=False)
    assert np.allclose(found["fpr"], fpr, atol=REORDERED_SUM)
    assert np.allclose(found["tpr"], tpr, atol=REORDERED_SUM)
    area = roc_auc_score(LABELS, eta, sample_weight=weight)
    assert np.isclose(found["auc"], area, atol=REORDERED_SUM)
    p = 1.0 / (1.0 + np.exp(-eta))
    loss = log_loss(LABELS, p, sample_weight=weight)
    assert np.isclose(found["deviance"], 2.0 * loss, rtol=REORDERED_SUM)
    right = np.average((eta > 0.0) == (LABELS == 1.0), weights=weight)
    assert np.isclose(found["accuracy"], right, rtol=REORDERED_SUM)
    assert found["n_rows"] == 86
    # Seven different predictors are at most seven groups.
    assert found["mean"].size <= 7
    assert found["rows"].sum() == 86
    # Shares of weights that add up to one only up to rounding are none above one.
    sure = assess(sv.Logistic(), 9.0 * LABELS + 0.1 * X[:, 0], LABELS, weight, "in sample")
    for values in (found, sure):
        assert np.all(values["low"] >= 0.0)
        assert np.all(values["low"] <= values["share"])
        assert np.all(values["share"] <= values["high"])
        assert np.all(values["high"] <= 1.0)
    assert is_assessment(found)


def test_counts_have_deviance_residuals_and_a_dispersion():
    rng = np.random.default_rng(1)
    eta = rng.normal(size=700)
    y = rng.poisson(np.exp(eta)).astype(float)
    omega = np.ones(700)
    found = assess(sv.Poisson(), eta, y, omega, "in sample")
    assert found["fitted"].size == 400  # a part is drawn
    mu = np.exp(eta)
    at = [int(np.flatnonzero(mu == value)[0]) for value in found["fitted"]]
    assert np.array_equal(np.sign(found["residual"]), np.sign((y - mu)[at]))
    assert np.allclose(found["residual"] ** 2, sv.Poisson().deviance(eta, y)[at], rtol=1e-12)
    assert np.isclose(found["dispersion"], np.mean((y - mu) ** 2 / mu), rtol=1e-12)
    wide = assess(sv.NegativeBinomial(2.0), eta, y, omega, "in sample")
    assert np.isclose(wide["dispersion"], np.mean((y - mu) ** 2 / (mu + mu**2 / 2)), rtol=1e-12)
    guess = np.sum(mu**2) / np.sum((y - mu) ** 2 - mu)
    assert found["theta"] == (None if guess < 0 else pytest.approx(guess))
    varied = rng.poisson(mu * rng.gamma(1.0, 1.0, 700)).astype(float)  # theta is 1
    assert 0.5 < assess(sv.Poisson(), eta, varied, omega, "in sample")["theta"] < 2.0
    assert wide["theta"] is None
    # The offset is no merit of the model.
    none = assess(sv.Poisson(), eta, y, omega, "in sample", offset=eta)
    assert none["d2"] < found["d2"]


def test_numbers_have_none():
    for loss in (sv.Squared(), sv.Huber()):
        assert assess(loss, LABELS, LABELS, np.ones(90), "in sample") is None
    far = np.full(90, 800.0)  # exp of it is no double
    assert assess(sv.Poisson(), far, COUNTS, np.ones(90), "in sample") is None
    assert assess(sv.Logistic(), np.nan * far, LABELS, np.ones(90), "in sample") is None
    model = sv.SparseRegressor("l1", 0.1).fit(X, LABELS)
    assert not hasattr(model, "assessment_")


@pytest.mark.parametrize("relax", [False, True])
def test_rows_left_out_are_those_that_the_folds_have_not_seen(relax):
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    rng = np.random.default_rng(2)
    omega, offset = rng.uniform(0.5, 2.0, 90), 0.3 * rng.normal(size=90)
    options = {"loss": "poisson", "tol": 1e-9, "relax": relax, "ridge": 1e-3}
    model = sv.SparseRegressorCV("l1", alphas=[0.3, 0.1], cv=folds, **options)
    found = model.fit(X, COUNTS, omega, offset=offset).assessment_
    eta = np.empty(90)
    for train, test in folds:
        one = sv.SparseRegressor("l1", model.alpha_, **options)
        one.fit(X[train], COUNTS[train], omega[train], offset=offset[train])
        eta[test] = np.log(one.predict(X[test], offset=offset[test]))
    by_hand = assess(sv.Poisson(), eta, COUNTS, omega, "left out", offset)
    assert found["source"] == "left out"
    assert found["n_rows"] == 90
    for name in ("deviance", "d2", "dispersion", "mean", "share"):
        assert np.allclose(found[name], by_hand[name], rtol=1e-5), name


def test_a_checkpoint_keeps_no_coefficients_so_the_rows_are_those_of_the_fit(tmp_path):
    model = sv.SparseClassifierCV(alphas=4, eps=0.2, cv=3, checkpoint=tmp_path / "c")
    assert model.fit(X, LABELS).estimators_[0].assessment_["source"] == "left out"
    resumed = model.fit(X, LABELS).estimators_[0].assessment_
    assert resumed["source"] in ("left out", "in sample")


@pytest.mark.parametrize("loss", LOSSES, ids=ids)
def test_pages_of_every_loss(loss, tmp_path):
    X, y = data(loss)
    path = sv.sparse_path(X, y, "mcp", alphas=6, eps=0.2, loss=loss)
    page = path.to_html()
    (track,) = embedded(page)["tracks"]
    assert track["loss"] is not None
    assert track["explained"] == "deviance"
    kind = {"Logistic": "classes", "Poisson": "counts", "NegativeBinomial": "counts"}
    expected = kind.get(type(loss).__name__)
    found = track["assessment"]
    assert (found is None) == (expected is None)
    if expected is not None:
        assert (found["kind"], found["source"]) == (expected, "in sample")
    # The code that makes the path again names the loss.
    code = embedded(page)["reproduce"]
    assert ("loss=loss" if isinstance(loss, LogCosh) else f"loss=sv.{loss!r}") in code
    model = sv.SparseRegressorCV("mcp", alphas=4, eps=0.2, cv=3, loss=loss).fit(X, y)
    model.save(tmp_path / "m.json")
    for each in (model, sv.load_model(tmp_path / "m.json")):
        shown = embedded(each.to_html())
        assert shown["curves"][0]["label"] == "mean deviance"
        assert "Sparse" in shown["title"]


def test_a_classifier_has_a_track_for_each_class_beyond_two():
    three = np.where(X[:, 3] > 0.4, "c", np.array(["a", "b"])[LABELS.astype(int)])
    model = sv.SparseClassifierCV("l1", alphas=5, eps=0.1, cv=3).fit(X, three)
    shown = embedded(model.to_html())
    names = [track["penalty"] for track in shown["tracks"]]
    assert names == [f"{label} against the rest" for label in "abc"]
    assert [choice["track"] for choice in shown["choices"]] == [0, 1, 2]
    assert [track["curve"] for track in shown["tracks"]] == [0, 1, 2]
    assert "a model for each against the rest" in shown["settings"]["classes"]
    assert "SparseClassifierCV" in shown["reproduce"]
    assert shown["nRows"] == len(X)
    two = embedded(sv.SparseClassifier("l1", 0.05).fit(X, three != "c").to_html())
    (track,) = two["tracks"]
    assert track["positive"] == "True"
    assert two["title"] == "Sparse classification"


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "numbers"}, {"source": "guessed"}, {"auc": "high"}, {"fpr": [0.0, 1.0]},
        {"tpr": np.array([np.nan])}, {"n_rows": 1.5}, {"d2": "all"},
    ],
)  # fmt: skip
def test_forged_assessments_are_refused(change):
    found = assess(sv.Logistic(), X[:, 0], LABELS, np.ones(90), "in sample")
    assert is_assessment(found)
    assert not is_assessment(found | change)
    assert not is_assessment([found])
