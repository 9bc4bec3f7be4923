"""Choosing with losses beyond squares: held-out deviance, folds, scores, criteria."""

import numpy as np
import pytest
from losses_under_test import data
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss, mean_poisson_deviance, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold
from tolerances import FITTED_GLM, REORDERED_SUM

import sparsieve as sv
from sparsieve.losses import resolve_loss

X, COUNTS = data(sv.Poisson(), n=90, d=20)
LABELS = data(sv.Logistic(), n=90, d=20)[1]
ALPHAS = np.geomspace(0.3, 0.03, 5)
RNG = np.random.default_rng(0)
OFFSET, OMEGA = 0.5 * RNG.normal(size=90), RNG.integers(1, 4, 90).astype(float)


def by_hand(y, loss, folds, judge, **options):
    """Return one number per alpha and fold from paths on the training rows alone."""
    table = np.empty((ALPHAS.size, len(folds)))
    for k, (train, test) in enumerate(folds):
        path = sv.sparse_path(
            X[train], y[train], "l1", loss=loss, alphas=ALPHAS, tol=1e-9,
            sample_weight=OMEGA[train], offset=OFFSET[train], **options,
        )  # fmt: skip
        for at, alpha in enumerate(ALPHAS):
            eta = X[test] @ path.coef_at(alpha) + path.intercepts[at] + OFFSET[test]
            table[at, k] = judge(y[test], eta, OMEGA[test])
    return table


def test_counts_are_judged_by_their_deviance():
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    model = sv.SparseRegressorCV("l1", alphas=ALPHAS, cv=folds, loss="poisson", tol=1e-9)
    model.fit(X, COUNTS, OMEGA, offset=OFFSET)

    def judge(y, eta, weight):
        return mean_poisson_deviance(y, np.exp(eta), sample_weight=weight)

    table = by_hand(COUNTS, "poisson", folds, judge)
    assert np.allclose(model.mse_path_, table, rtol=1e-6)
    assert model.alpha_ == ALPHAS[np.argmin(table.mean(axis=1))]
    assert np.array_equal(model.cv_results_["mean_test_score"], -model.mse_path_.mean(axis=1))
    scored = sv.SparseRegressorCV(
        "l1", alphas=ALPHAS, cv=folds, loss="poisson", tol=1e-9,
        scoring="neg_mean_poisson_deviance",
    ).fit(X, COUNTS, OMEGA, offset=OFFSET)  # fmt: skip
    assert np.allclose(scored.cv_results_["mean_test_score"], -table.mean(axis=1), rtol=1e-6)


def test_labels_have_stratified_folds_and_twice_the_log_loss():
    folds = list(StratifiedKFold(5).split(X, LABELS))

    def judge(y, eta, weight):
        p = 1.0 / (1.0 + np.exp(-eta))
        return 2.0 * log_loss(y, np.column_stack([1.0 - p, p]), sample_weight=weight)

    table = by_hand(LABELS, "logistic", folds, judge)
    names = np.array(["a", "b"])[LABELS.astype(int)]
    for model, y in (
        (sv.SparseClassifierCV("l1", alphas=ALPHAS, tol=1e-9), names),
        (sv.SparseRegressorCV("l1", alphas=ALPHAS, loss="logistic", tol=1e-9), LABELS),
    ):
        model.fit(X, y, OMEGA, offset=OFFSET)
        assert np.allclose(model.mse_path_, table, rtol=1e-6)
        assert model.alpha_ == ALPHAS[np.argmin(table.mean(axis=1))]
    mean, error = table.mean(axis=1), table.std(axis=1, ddof=1) / np.sqrt(5)
    at = int(np.argmin(mean))
    one_se = sv.SparseClassifierCV("l1", alphas=ALPHAS, rule="1se", tol=1e-9)
    one_se.fit(X, names, OMEGA, offset=OFFSET)
    assert one_se.alpha_ == ALPHAS[np.argmax(mean <= mean[at] + error[at])]


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "neg_log_loss", "f1_macro"])
def test_scores_of_scikit_learn_see_labels(scoring):
    names = np.array(["a", "b"])[LABELS.astype(int)]
    model = sv.SparseClassifierCV("l1", alphas=ALPHAS, scoring=scoring).fit(X, names, offset=OFFSET)
    assert np.all(np.isfinite(model.cv_results_["mean_test_score"]))
    if scoring != "roc_auc":
        return
    for k, (train, test) in enumerate(StratifiedKFold(5).split(X, names)):
        alone = sv.SparseClassifier("l1", alpha=ALPHAS[2])
        alone.fit(X[train], names[train], offset=OFFSET[train])
        area = roc_auc_score(names[test] == "b", alone.decision_function(X[test], OFFSET[test]))
        assert model.cv_results_[f"split{k}_test_score"][2] == pytest.approx(area)


def test_scores_that_cannot_judge():
    with pytest.raises(
        ValueError, match=r"cannot judge a classifier on these data.*score for clas"
    ):
        sv.SparseClassifierCV("l1", alphas=ALPHAS, scoring="r2").fit(
            X, np.array(["a", "b"])[LABELS.astype(int)]
        )
    with pytest.raises(ValueError, match=r"cannot judge a regressor on these data.*score for regr"):
        sv.SparseRegressorCV("l1", alphas=ALPHAS, loss="poisson", scoring="roc_auc").fit(X, COUNTS)


def test_each_class_chooses_for_itself():
    three = np.digitize(COUNTS, [1, 3])
    model = sv.SparseClassifierCV("l1", alphas=10, eps=0.05, cv=3).fit(X, three)
    assert len(model.alpha_) == 3
    for k in range(3):
        alone = sv.SparseClassifierCV("l1", alphas=10, eps=0.05, cv=3).fit(X, three == k)
        assert alone.alpha_ == model.alpha_[k]
        assert np.array_equal(alone.mse_path_, model.mse_path_[k])
    ic = sv.SparseClassifierIC("l1", alphas=10, eps=0.05).fit(X, three)
    assert [len(c) for c in ic.criterion_] == [10, 10, 10]


def test_criteria_are_deviance_and_price():
    for loss, y in (("poisson", COUNTS), ("logistic", LABELS), (sv.NegativeBinomial(2.0), COUNTS)):
        model = sv.SparseRegressorIC("l1", criterion="bic", alphas=ALPHAS, loss=loss)
        model.fit(X, y, offset=OFFSET)
        path = sv.sparse_path(X, y, "l1", alphas=ALPHAS, loss=loss, offset=OFFSET)
        eta = X @ np.asarray(path.coefs.toarray() if hasattr(path.coefs, "toarray") else path.coefs)
        eta += path.intercepts + OFFSET[:, None]
        deviance = resolve_loss(loss).deviance(eta, y[:, None]).sum(axis=0)
        expected = deviance + path.support_size * np.log(90) + 90 * np.log(2.0 * np.pi)
        assert np.allclose(model.criterion_, expected, rtol=1e-6)
        assert model.noise_variance_ == 1.0
    given = sv.SparseRegressorIC("l1", alphas=ALPHAS, loss="poisson", noise_variance=3.0)
    assert given.fit(X, COUNTS).noise_variance_ == 3.0


def test_criteria_of_losses_with_a_scale_do_not_mind_units():
    """Huber's dispersion is in the units of y, and so is what is chosen: the same features."""
    X, y = data(sv.Huber(), n=100, d=30)
    one = sv.SparseRegressorIC("mcp", loss=sv.Huber(delta=0.8), alphas=40, eps=0.02).fit(X, y)
    two = sv.SparseRegressorIC("mcp", loss=sv.Huber(delta=8.0), alphas=40, eps=0.02).fit(X, 10 * y)
    assert np.array_equal(np.flatnonzero(one.coef_), np.flatnonzero(two.coef_))
    assert {0, 1} <= set(np.flatnonzero(one.coef_))
    assert two.noise_variance_ == pytest.approx(100 * one.noise_variance_, rel=1e-4)


def test_weights_that_count_are_repeated_rows():
    counts = OMEGA.astype(int)
    rows = np.repeat(np.arange(90), counts)
    one = sv.SparseRegressorIC("l1", alphas=ALPHAS, loss="poisson", tol=1e-9)
    two = sv.SparseRegressorIC("l1", alphas=ALPHAS, loss="poisson", tol=1e-9)
    one.fit(X, COUNTS, OMEGA, offset=OFFSET)
    two.fit(X[rows], COUNTS[rows], offset=OFFSET[rows])
    assert np.allclose(one.criterion_, two.criterion_, rtol=1e-8)
    assert np.allclose(one.coef_, two.coef_, atol=FITTED_GLM)


@pytest.mark.parametrize("loss", ["poisson", sv.Huber(delta=2.0)])
def test_relaxed_folds_are_judged_by_their_refits(loss):
    model = sv.SparseRegressorCV("mcp", alphas=8, eps=0.05, loss=loss, relax=True, cv=3)
    model.fit(X, COUNTS, offset=OFFSET)
    support = np.flatnonzero(model.coef_)
    alone = sv.SparseRegressor("l1", alpha=1e-9, loss=loss, tol=1e-2)
    alone.fit(X[:, support], COUNTS, offset=OFFSET)
    assert np.allclose(model.coef_[support], alone.coef_, atol=1e-5)


def test_checkpoints_know_loss_and_offset(tmp_path):
    asked = dict(alphas=ALPHAS, checkpoint=tmp_path / "c", cv=3)
    one = sv.SparseRegressorCV("l1", loss="poisson", **asked).fit(X, COUNTS, offset=OFFSET)
    two = sv.SparseRegressorCV("l1", loss="poisson", **asked).fit(X, COUNTS, offset=OFFSET)
    assert np.array_equal(one.mse_path_, two.mse_path_)
    for loss, offset in (("poisson", None), (sv.NegativeBinomial(), OFFSET), ("squared", None)):
        with pytest.raises(ValueError, match="belongs to another run"):
            sv.SparseRegressorCV("l1", loss=loss, **asked).fit(X, COUNTS, offset=offset)


def test_surfaces_stability_and_minima():
    surface = sv.sparse_surface(X, COUNTS, "mcp", loss="poisson", offset=OFFSET, alphas=5, eps=0.1)
    assert surface.grid("kkt").max() <= 1e-6
    for warm in ("shape", "both"):
        sv.sparse_surface(X, LABELS, "mcp", loss="logistic", alphas=5, eps=0.1, warm=warm)
    stable = sv.stability_selection(
        X, COUNTS, "l1", loss="poisson", offset=OFFSET, sample_weight=OMEGA, n_pairs=5,
        random_state=0,
    )  # fmt: skip
    assert {0, 1} <= set(stable.selected)
    found = sv.local_minima(
        X, LABELS, "mcp", alpha=0.1, loss="logistic", offset=OFFSET, n_random=2, random_state=0
    )
    assert found.best.objective == min(point.objective for point in found.points)
    assert all(point.converged for point in found.points)
    one = sv.local_minima(X, COUNTS, "l1", alpha=0.1, loss="poisson")
    assert one.n_distinct == 1
    assert one.spread == pytest.approx(0.0, abs=1e-7)


def test_explanations():
    path = sv.sparse_path(X, COUNTS, "mcp", loss="poisson", offset=OFFSET, alphas=10, eps=0.1)
    answer = path.explain(0)
    for k, point in enumerate(path.points):
        eta = X @ path.coef_at(point.alpha) + point.intercept + OFFSET
        centred = X[:, 0] - X[:, 0].mean()
        assert answer.correlation[k] == pytest.approx(
            centred @ (COUNTS - np.exp(eta)) / 90, abs=1e-10
        )
    assert answer.entered is not None
    assert np.all(answer.bound[1:] >= np.abs(answer.correlation[1:]) * (1.0 - REORDERED_SUM))


def test_criteria_end_where_classes_can_be_separated():
    rng = np.random.default_rng(0)
    wide, side = rng.normal(size=(20, 50)), rng.random(20) > 0.5
    # The grid is ours: it ends, as a path does, and nobody is warned.
    model = sv.SparseClassifierIC(["l1", "mcp"], alphas=30, eps=0.01).fit(wide, side)
    assert list(model.ended_) == ["complete", "separated"]
    assert np.isfinite(model.criterion_[0]).all()
    assert np.isnan(model.criterion_[1, -1])
    assert np.isfinite(model.coef_).all()
    # The alphas are the user's: they stay, with a warning.
    with pytest.warns(ConvergenceWarning, match="have no solution"):
        sv.SparseClassifierIC("mcp", alphas=model.alphas_[1]).fit(wide, side)
