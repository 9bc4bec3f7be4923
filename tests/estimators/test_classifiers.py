"""Classifiers: scikit-learn's contract, labels, classes beyond two, weights, offsets, files."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score, cross_validate
from sklearn.utils.estimator_checks import parametrize_with_checks
from tolerances import DEFAULT_KKT, FEW_OPS, FITTED_GLM, REORDERED_SUM

import sparsieve as sv

KINDS = [
    sv.SparseClassifier(),
    sv.SparseClassifier("logsum", class_weight="balanced"),
    sv.SparseClassifierCV(alphas=10, eps=0.05, cv=3),
    sv.SparseClassifierIC(alphas=10, eps=0.05),
    sv.SparseRegressor("l1", loss=sv.Huber()),
    sv.SparseRegressor(loss="poisson"),
]


@parametrize_with_checks(KINDS)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_no_tag_asks_for_mercy():
    for model in KINDS[:4]:
        assert not sklearn.utils.get_tags(model).classifier_tags.poor_score
        assert is_classifier(model)


RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 10))
ETA = 2.0 * (X[:, 0] - X[:, 1])
TWO = (ETA + RNG.logistic(size=120) > 0.0).astype(int)
THREE = np.digitize(ETA + RNG.normal(size=120), [-1.0, 1.0])
KINDS_OF_LABELS = [
    np.array(["no", "yes"]),
    np.array(["no", "yes"], dtype=object),
    np.array([-1, 1]),
    np.array([2.0, 5.0]),
    np.array([False, True]),
]


@pytest.mark.parametrize("labels", KINDS_OF_LABELS, ids=lambda labels: str(labels.dtype))
def test_labels_of_any_kind(labels):
    model = sv.SparseClassifier("mcp", alpha=0.1).fit(X, labels[TWO])
    number = sv.SparseRegressor("mcp", alpha=0.1, loss="logistic").fit(X, TWO)
    assert list(model.classes_) == list(labels)
    assert np.array_equal(model.coef_, [number.coef_])
    assert np.array_equal(model.intercept_, [number.intercept_])
    eta = model.decision_function(X)
    assert np.array_equal(model.predict(X), labels[(eta > 0.0).astype(int)])
    assert np.array_equal(model.predict_proba(X), np.column_stack([expit(-eta), expit(eta)]))
    assert np.array_equal(model.predict_proba(X)[:, 1], number.predict(X))
    assert np.array_equal(model.predict_log_proba(X), np.log(model.predict_proba(X)))
    assert model.score(X, labels[TWO]) == np.mean(model.predict(X) == labels[TWO])
    assert model.sparse_coef_.shape == (1, 10)
    assert np.array_equal(model.sparse_coef_.toarray(), model.coef_)
    # The proof is that of the two-class model, and the judge agrees.
    judged = dict(penalty="mcp", alpha=0.1, loss="logistic")
    kkt = sv.kkt_violation(X, TWO, model.coef_, model.intercept_, fit_intercept=True, **judged)
    assert max(kkt, model.kkt_) <= DEFAULT_KKT
    value = sv.objective(X, TWO, model.coef_, model.intercept_, **judged)
    assert value == pytest.approx(model.objective_, rel=REORDERED_SUM)
    assert model.certificate_.converged
    assert model.certificate_.loss == "Logistic()"
    assert model.n_iter_ >= 1
    assert model.dual_gap_ >= 0.0


def test_lasso_is_that_of_scikit_learn():
    model = sv.SparseClassifier("l1", alpha=0.02, tol=1e-9).fit(X, TWO)
    theirs = LogisticRegression(
        C=1.0 / (0.02 * 120), l1_ratio=1.0, solver="saga", tol=1e-10, max_iter=100_000
    )
    theirs.fit(X, TWO)
    assert np.allclose(model.coef_, theirs.coef_, atol=100 * FITTED_GLM)


def test_beyond_two_classes_it_is_each_against_the_rest():
    names = np.array(["a", "b", "c"])
    model = sv.SparseClassifier("l1", alpha=0.02).fit(X, names[THREE])
    assert model.coef_.shape == (3, 10)
    assert model.decision_function(X).shape == (120, 3)
    assert len(model.certificate_) == len(model.objective_) == 3
    for k in range(3):
        alone = sv.SparseClassifier("l1", alpha=0.02).fit(X, names[THREE] == names[k])
        assert np.array_equal(alone.coef_[0], model.coef_[k])
        assert np.array_equal(alone.decision_function(X), model.decision_function(X)[:, k])
    each = expit(model.decision_function(X))
    assert np.allclose(model.predict_proba(X), each / each.sum(axis=1, keepdims=True), rtol=FEW_OPS)
    assert np.array_equal(model.predict(X), names[np.argmax(each, axis=1)])
    assert model.kkt_ == max(certificate.kkt for certificate in model.certificate_)
    assert all(f"{name} against the rest" in model.to_html() for name in names)
    # Probabilities that are all zero in doubles are even ones.
    assert np.allclose(model.predict_proba(np.full((1, 10), 1e6)).sum(), 1.0)


def test_class_weight():
    by_hand = np.where(TWO == 1, 3.0, 1.0)
    model = sv.SparseClassifier("l1", alpha=0.02, class_weight={1: 3.0}).fit(X, TWO)
    same = sv.SparseClassifier("l1", alpha=0.02).fit(X, TWO, sample_weight=by_hand)
    assert np.array_equal(model.coef_, same.coef_)
    omega = np.random.default_rng(1).uniform(size=120)
    both = sv.SparseClassifier("l1", alpha=0.02, class_weight={1: 3.0})
    both.fit(X, TWO, sample_weight=omega)
    same.fit(X, TWO, sample_weight=omega * by_hand)
    assert np.array_equal(both.coef_, same.coef_)
    balanced = sv.SparseClassifier("l1", alpha=0.02, class_weight="balanced").fit(X, THREE)
    counts = np.bincount(THREE)
    same.fit(X, THREE, sample_weight=(120 / (3 * counts))[THREE])
    assert np.allclose(balanced.coef_, same.coef_, atol=FITTED_GLM)
    with pytest.raises(ValueError, match="class_weight='even' is not known; use 'balanced'"):
        sv.SparseClassifier(class_weight="even").fit(X, TWO)
    with pytest.raises(ValueError, match="class_weight has a weight for 'x', which is not in y"):
        sv.SparseClassifier(class_weight={"x": 1.0}).fit(X, TWO)


def test_classes_that_are_not_there():
    with pytest.raises(ValueError, match=r"y has one class only \('a'\); a classifier needs at"):
        sv.SparseClassifier().fit(X, ["a"] * 120)
    with pytest.raises(ValueError, match="the class 1 has no row of positive weight"):
        sv.SparseClassifier().fit(X, TWO, sample_weight=1.0 - TWO)
    with pytest.raises(ValueError, match="the class 1 has no row of positive weight"):
        sv.SparseClassifier(class_weight={1: 0.0}).fit(X, TWO)


def test_offset_in_fit_and_in_predictions():
    offset = np.random.default_rng(2).normal(size=120)
    for y in (TWO, THREE):
        model = sv.SparseClassifier("l1", alpha=0.02).fit(X, y, offset=offset)
        shift = offset if y is TWO else offset[:, None]
        moved = model.decision_function(X, offset)
        assert np.allclose(moved, model.decision_function(X) + shift, rtol=FEW_OPS, atol=FEW_OPS)
        assert model.predict_proba(X, offset).shape[0] == 120
        assert model.predict_log_proba(X, offset).shape[0] == 120
        hits = np.mean(model.predict(X, offset) == y)
        assert model.score(X, y, offset=offset) == pytest.approx(hits, rel=FEW_OPS)


def test_frames_sparse_matrices_and_names():
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(10)])
    options = {"weights": {"x3": 0.0}, "bounds": ({"x0": -0.1}, None)}
    model = sv.SparseClassifier("l1", 0.02, **options).fit(
        frame, pd.Series(THREE, dtype="category")
    )
    assert list(model.feature_names_in_) == list(frame.columns)
    assert model.coef_[:, 3].all()
    assert model.coef_[:, 0].min() >= -0.1
    assert np.array_equal(model.predict(frame), model.predict(frame))
    dense = sv.SparseClassifier("l1", 0.02).fit(X, THREE)
    for store in (sparse.csr_array, sparse.csc_matrix):
        other = sv.SparseClassifier("l1", 0.02).fit(store(X), THREE)
        assert np.allclose(other.coef_, dense.coef_, atol=FITTED_GLM * 10)
        assert other.predict(store(X)).shape == (120,)


def test_parameters_that_reach_in():
    model = sv.SparseClassifier("mcp").set_params(penalty__gamma=2.0)
    assert model.penalty.gamma == 2.0
    counts = sv.SparseRegressor(loss="negative_binomial").set_params(loss__theta=3.0)
    assert counts.loss.theta == 3.0
    assert clone(counts).loss.theta == 3.0
    search = GridSearchCV(sv.SparseClassifier("l1"), {"alpha": [0.3, 0.02]}, scoring="roc_auc")
    assert search.fit(X, TWO).best_params_ == {"alpha": 0.02}


def test_warm_starts():
    for y in (TWO, THREE):
        model = sv.SparseClassifier("mcp", 0.1, warm_start=True).fit(X, y)
        first = model.coef_.copy()
        model.set_params(alpha=0.09).fit(X, y)
        again = model.set_params(alpha=0.1).fit(X, y)
        assert model.certificate_ is not None
        assert again.coef_.shape == first.shape
        starts = [each.certificate_.start for each in model.estimators_]
        assert starts == ["given"] * len(model.estimators_)


@pytest.mark.parametrize(
    "kind", [sv.SparseClassifier, sv.SparseClassifierCV, sv.SparseClassifierIC]
)
@pytest.mark.parametrize("y", [TWO, THREE, np.array(["no", "yes"])[TWO], TWO == 1])
def test_model_files(kind, y, tmp_path):
    more = {} if kind is sv.SparseClassifier else {"alphas": 8, "eps": 0.1}
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(10)])
    model = kind("l1", class_weight="balanced", **more).fit(frame, y)
    model.save(tmp_path / "m.json")
    loaded = sv.load_model(tmp_path / "m.json")
    assert type(loaded) is kind
    assert np.array_equal(loaded.classes_, model.classes_)
    assert loaded.classes_.dtype.kind == model.classes_.dtype.kind
    assert np.array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    assert np.array_equal(loaded.predict(frame), model.predict(frame))
    assert repr(loaded.get_params()) == repr(model.get_params())
    assert np.array_equal(pickle.loads(pickle.dumps(model)).coef_, model.coef_)
    loaded.fit(frame, y)
    assert np.array_equal(loaded.coef_, model.coef_)


def test_routing_of_metadata():
    omega = np.random.default_rng(3).integers(1, 3, 120).astype(float)
    offset = np.random.default_rng(4).normal(size=120)
    with sklearn.config_context(enable_metadata_routing=True):
        model = sv.SparseClassifier("l1", alpha=0.02)
        model.set_fit_request(sample_weight=True, offset=True)
        model.set_score_request(sample_weight=True, offset=True)
        found = cross_validate(
            model, X, TWO, cv=3, params={"sample_weight": omega, "offset": offset},
            return_estimator=True, return_indices=True,
        )  # fmt: skip
        counts = sv.SparseRegressor("l1", 0.02, loss="poisson")
        counts.set_fit_request(offset=True, sample_weight=False)
        counts.set_score_request(offset=True, sample_weight=False)
        scores = cross_val_score(counts, X, THREE, cv=3, params={"offset": offset})
    for k, train in enumerate(found["indices"]["train"]):
        test = found["indices"]["test"][k]
        alone = sv.SparseClassifier("l1", alpha=0.02)
        alone.fit(X[train], TWO[train], omega[train], offset[train])
        assert np.array_equal(alone.coef_, found["estimator"][k].coef_)
        score = alone.score(X[test], TWO[test], omega[test], offset[test])
        assert score == found["test_score"][k]
    assert np.all(np.isfinite(scores))


class Twice(sv.Logistic):
    """A loss of the user's with a mean."""

    def value(self, eta, y):
        return 2.0 * super().value(eta, y)

    def gradient(self, eta, y):
        return 2.0 * super().gradient(eta, y)

    def curvature(self, eta, y):
        return 2.0 * super().curvature(eta, y)


def test_an_own_loss_for_labels(tmp_path):
    model = sv.SparseClassifier("l1", alpha=0.04, loss=Twice(), tol=1e-9).fit(X, TWO)
    same = sv.SparseClassifier("l1", alpha=0.02, tol=1e-9).fit(X, TWO)
    assert np.allclose(model.coef_, same.coef_, atol=FITTED_GLM)
    assert np.allclose(model.predict_proba(X), same.predict_proba(X), atol=1e-6)
    model.save(tmp_path / "m.json")
    loaded = sv.load_model(tmp_path / "m.json")
    with pytest.raises(ValueError, match=r"the loss of this model, .*Twice.*set it again"):
        loaded.estimators_[0].predict(X)
    loaded.estimators_[0].set_params(loss=Twice())
    assert np.allclose(loaded.estimators_[0].predict(X), model.predict_proba(X)[:, 1])


def test_the_same_as_models_of_scikit_learn():
    names = np.array(["no", "yes"])[TWO]
    for model in (
        sv.SparseClassifier("mcp", alpha=0.1),
        sv.SparseClassifierCV("l1", alphas=8, eps=0.1, cv=3),
    ):
        plain = model.fit(X, names).to_sklearn()
        assert np.allclose(plain.predict_proba(X), model.predict_proba(X), rtol=1e-12)
        assert np.array_equal(plain.predict(X), model.predict(X))
    for loss in ("poisson", sv.NegativeBinomial(2.0), "huber"):
        counts = sv.SparseRegressor("l1", 0.05, loss=loss).fit(X, THREE)
        assert np.allclose(counts.to_sklearn().predict(X), counts.predict(X), rtol=1e-12)
    share = sv.SparseRegressor("l1", 0.05, loss="logistic").fit(X, TWO)
    with pytest.raises(ValueError, match=r"predicts as one fitted with the loss Logistic\(\)"):
        share.to_sklearn()
    three = sv.SparseClassifier("l1", 0.05).fit(X, np.array(["a", "b", "c"])[THREE])
    plain = three.to_sklearn()
    assert np.allclose(plain.predict_proba(X), three.predict_proba(X), rtol=1e-12)
    assert np.array_equal(plain.predict(X), three.predict(X))
    assert np.allclose(plain.decision_function(X), three.decision_function(X), rtol=1e-12)
    own = sv.SparseClassifier("l1", 0.05, loss=Twice()).fit(X, TWO)
    with pytest.raises(ValueError, match="predicts as this one, with a loss of yours; keep it"):
        own.to_sklearn()


def test_summaries_and_frames():
    model = sv.SparseClassifier("l1", 0.05).fit(X, TWO)
    assert "with the loss Logistic()" in str(model.summary())
    assert set(model.to_frame().index) == {f"feature {j}" for j in np.flatnonzero(model.coef_[0])}
    chosen = sv.SparseClassifierCV("l1", alphas=8, eps=0.1, cv=3, max_support=3).fit(X, TWO)
    assert "enters" in chosen.to_frame()
    assert chosen.ended_.shape == (3,)


def test_groups_reach_the_splitter():
    groups = np.arange(120) // 10
    with sklearn.config_context(enable_metadata_routing=True):
        model = sv.SparseClassifierCV("l1", alphas=5, eps=0.1, cv=GroupKFold(3))
        assert "groups" in model.get_metadata_routing().consumes("fit", ["groups"])
    assert model.fit(X, TWO, groups=groups).mse_path_.shape == (5, 3)
