"""SparseRegressorCV: agreement with scikit-learn, rules, folds, backends, and every error."""

import os
import pickle
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from problems import sparse_design, toy
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, PredefinedSplit, ShuffleSplit
from sklearn.utils.estimator_checks import parametrize_with_checks
from tolerances import DEFAULT_KKT, LASSO_CV, REORDERED_SUM, SAME_ALPHA

import sparsieve as sv

# Before scikit-learn 1.7 the number of alphas had a name of its own.
HOW_MANY = "n_alphas" if LassoCV().get_params().get("n_alphas") == 100 else "alphas"


@pytest.fixture
def problem():
    X, y, _ = toy(n_samples=60, n_features=30, n_active=4, noise=0.5, seed=3)
    return X, y


@parametrize_with_checks(
    [
        sv.SparseRegressorCV(alphas=10),
        sv.SparseRegressorCV([sv.L1(), sv.MCP(2.0)], alphas=8, rule="1se", cv=3),
        sv.SparseRegressorCV("logsum", alphas=8, scoring="r2", cv=3, n_jobs=2),
    ]
)
@pytest.mark.filterwarnings("ignore:the chosen alpha")  # of data with hardly any noise
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def real_data(name):
    folder = os.environ.get("SPARSIEVE_DATA")
    if folder is None or not (Path(folder) / f"{name}.npz").exists():
        pytest.skip(f"needs {name}.npz in the folder named by SPARSIEVE_DATA")
    with np.load(Path(folder) / f"{name}.npz", allow_pickle=False) as arrays:
        X, y = arrays["X"].astype(float), arrays["y"].astype(float)
    return (X - X.mean(0)) / X.std(0), y


@pytest.mark.parametrize(
    "name",
    [
        "diabetes",
        pytest.param("riboflavin", marks=pytest.mark.slow),  # most of it spent in LassoCV
        pytest.param("leukemia", marks=pytest.mark.slow),
    ],
)
def test_agrees_with_lasso_cv(name):
    X, y = load_diabetes(return_X_y=True) if name == "diabetes" else real_data(name)
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    # To alpha_max / 100: scikit-learn's coordinate descent needs minutes beyond that on d >> n.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # its gap tolerance is beyond reach
        theirs = LassoCV(**{HOW_MANY: 30}, eps=1e-2, cv=folds, tol=1e-8, max_iter=50_000).fit(X, y)
    ours = sv.SparseRegressorCV("l1", alphas=30, eps=1e-2, cv=folds).fit(X, y)
    assert ours.alpha_ == pytest.approx(theirs.alpha_, rel=SAME_ALPHA)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_, rtol=SAME_ALPHA)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=LASSO_CV)
    scale = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=LASSO_CV * scale)


def test_agrees_with_lasso_cv_with_sample_weights():
    X, y = load_diabetes(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, y.size)
    theirs = LassoCV(**{HOW_MANY: 20}, cv=4, tol=1e-10, max_iter=50_000).fit(
        X, y, sample_weight=weight
    )
    ours = sv.SparseRegressorCV("l1", alphas=theirs.alphas_, cv=4).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=LASSO_CV)
    assert ours.alpha_ == pytest.approx(theirs.alpha_, rel=SAME_ALPHA)


def test_equal_sample_weights_are_no_weights(problem):
    """Also where folds differ in size: each fold counts once in the mean, as its spread says."""
    X, y = problem
    plain = sv.SparseRegressorCV("l1", alphas=12, cv=3).fit(X[:40], y[:40])
    equal = sv.SparseRegressorCV("l1", alphas=12, cv=3).fit(X[:40], y[:40], np.full(40, 3.0))
    for name in ("mean_test_score", "std_test_score"):
        np.testing.assert_allclose(equal.cv_results_[name], plain.cv_results_[name], rtol=LASSO_CV)
    assert equal.best_index_ == plain.best_index_


def test_sample_weights_count_as_repeated_rows(problem):
    """Where copies of a row stay in one fold, and the folds differ in the sum of their weights."""
    X, y = problem
    fold = np.arange(60) % 3
    counts = 1 + 3 * (fold == 0) + np.arange(60) % 2
    grid = {"alphas": np.geomspace(1.0, 0.02, 12), "tol": 1e-9}
    weighted = sv.SparseRegressorCV("l1", cv=PredefinedSplit(fold), **grid).fit(X, y, counts)
    rows = np.repeat(np.arange(60), counts)
    repeated = sv.SparseRegressorCV("l1", cv=PredefinedSplit(fold[rows]), **grid)
    repeated.fit(X[rows], y[rows])
    for name in ("mean_test_score", "std_test_score"):
        np.testing.assert_allclose(
            weighted.cv_results_[name], repeated.cv_results_[name], rtol=LASSO_CV
        )
    assert weighted.best_index_ == repeated.best_index_


def test_each_fold_is_the_path_on_its_training_rows(problem):
    X, y = problem
    folds = list(KFold(3, shuffle=True, random_state=1).split(X))
    penalties = [sv.MCP(5.0), sv.MCP(2.0)]
    model = sv.SparseRegressorCV(penalties, alphas=[1.0, 0.3, 0.1], cv=folds).fit(X, y)
    assert model.mse_path_.shape == (2, 3, 3)
    for s, penalty in enumerate(penalties):
        for k, (train, test) in enumerate(folds):
            path = sv.sparse_path(X[train], y[train], penalty, alphas=model.alphas_[s])
            errors = (X[test] @ path.coefs + path.intercepts - y[test][:, None]) ** 2
            # Both solved to the default tolerance, on a well-conditioned problem.
            np.testing.assert_allclose(model.mse_path_[s, :, k], errors.mean(0), rtol=LASSO_CV)


def test_refit_is_certified_and_equals_the_path(problem):
    X, y = problem
    model = sv.SparseRegressorCV(alphas=20, cv=4).fit(X, y)
    assert model.certificate_.converged
    assert model.certificate_.alpha == model.alpha_ == model.path_.alphas[model.best_index_]
    # The path goes on past the choice, as far as all folds have scores.
    scored = np.isfinite(model.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(model.path_.alphas, model.alphas_[scored])
    assert len(model.path_) > model.best_index_ + 1
    judged = sv.kkt_violation(
        X, y, model.coef_, model.intercept_, penalty=model.penalty_, alpha=model.alpha_
    )
    assert judged <= DEFAULT_KKT * (1 + REORDERED_SUM) + REORDERED_SUM
    np.testing.assert_array_equal(model.coef_, model.path_.coef_at(model.alpha_))


@pytest.mark.parametrize("penalty", ["l1", "mcp", [sv.MCP(10.0), sv.MCP(2.0), sv.LogSum(0.5)]])
@pytest.mark.parametrize("seed", range(5))
def test_one_se_never_picks_a_smaller_alpha(penalty, seed):
    X, y, _ = toy(n_samples=40, n_features=30, n_active=3, noise=2.0, seed=seed)
    least = sv.SparseRegressorCV(penalty, alphas=15, eps=0.05, cv=4).fit(X, y)
    sparse_ = sv.SparseRegressorCV(penalty, alphas=15, eps=0.05, cv=4, rule="1se").fit(X, y)
    assert sparse_.alpha_ >= least.alpha_
    assert sparse_.penalty_ is least.penalty_ or repr(sparse_.penalty_) == repr(least.penalty_)
    results = sparse_.cv_results_
    mean, se = results["mean_test_score"], results["se_test_score"]
    assert mean[sparse_.best_index_] >= mean[least.best_index_] - se[least.best_index_]
    assert least.best_index_ == least.min_index_ == sparse_.min_index_


def test_one_se_takes_the_largest_alpha_within_reach(problem):
    X, y = problem
    model = sv.SparseRegressorCV("l1", alphas=25, cv=5, rule="1se").fit(X, y)
    mean, se = model.cv_results_["mean_test_score"], model.cv_results_["se_test_score"]
    enough = mean[model.min_index_] - se[model.min_index_]
    assert np.all(mean[: model.best_index_] < enough)
    assert model.best_index_ < model.min_index_  # the rule had something to do


def test_cv_results_is_a_table(problem):
    X, y = problem
    model = sv.SparseRegressorCV([sv.L1(), sv.SCAD()], alphas=7, cv=3).fit(X, y)
    table = pd.DataFrame(model.cv_results_)
    assert len(table) == 14
    assert table["rank_test_score"].min() == 1
    assert table.loc[model.best_index_, "alpha"] == model.alpha_
    assert table.loc[model.best_index_, "penalty"] is model.penalty_
    splits = table[[f"split{k}_test_score" for k in range(3)]].to_numpy()
    np.testing.assert_allclose(splits.mean(1), table["mean_test_score"], rtol=REORDERED_SUM)
    np.testing.assert_allclose(-splits, model.mse_path_.reshape(14, 3), rtol=0)
    assert (table["n_converged"] == 3).all()


def test_scorers(problem):
    X, y = problem
    mae = make_scorer(mean_absolute_error, greater_is_better=False)
    named = sv.SparseRegressorCV(alphas=12, scoring="neg_mean_absolute_error", cv=4).fit(X, y)
    own = sv.SparseRegressorCV(alphas=12, scoring=mae, cv=4).fit(X, y)
    np.testing.assert_array_equal(
        named.cv_results_["mean_test_score"], own.cv_results_["mean_test_score"]
    )
    squared = sv.SparseRegressorCV(alphas=12, scoring="neg_mean_squared_error", cv=4).fit(X, y)
    # With eps no fold ends where its squared errors rise.
    default = sv.SparseRegressorCV(alphas=12, eps=1e-3, cv=4).fit(X, y)
    np.testing.assert_allclose(
        squared.cv_results_["mean_test_score"],
        default.cv_results_["mean_test_score"],
        rtol=REORDERED_SUM,
    )
    weight = np.linspace(0.5, 1.5, y.size)
    weighted = sv.SparseRegressorCV(alphas=12, scoring="neg_mean_squared_error", cv=4)
    plain = sv.SparseRegressorCV(alphas=12, eps=1e-3, cv=4).fit(X, y, sample_weight=weight)
    weighted.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(
        weighted.cv_results_["mean_test_score"],
        plain.cv_results_["mean_test_score"],
        rtol=REORDERED_SUM,
    )


def test_splitters_and_groups(problem):
    X, y = problem
    groups = np.arange(y.size) // 10
    grouped = sv.SparseRegressorCV(alphas=6, cv=GroupKFold(3)).fit(X, y, groups=groups)
    assert grouped.mse_path_.shape == (6, 3)
    assert sv.SparseRegressorCV(alphas=4, cv=LeaveOneOut()).fit(X, y).mse_path_.shape == (4, 60)
    random = ShuffleSplit(4, test_size=0.3, random_state=0)
    assert sv.SparseRegressorCV(alphas=4, cv=random).fit(X, y).mse_path_.shape == (4, 4)
    masks = [(np.arange(60) % 2 == 0, np.arange(60) % 2 == 1)]
    assert sv.SparseRegressorCV(alphas=4, cv=masks).fit(X, y).mse_path_.shape == (4, 1)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_backends_give_the_same_bits(problem, backend):
    X, y = problem
    serial = sv.SparseRegressorCV(["mcp", "scad"], alphas=8, cv=4).fit(X, y)
    with parallel_config(backend=backend, n_jobs=2):
        parallel = sv.SparseRegressorCV(["mcp", "scad"], alphas=8, cv=4).fit(X, y)
    np.testing.assert_array_equal(serial.mse_path_, parallel.mse_path_)
    np.testing.assert_array_equal(serial.coef_, parallel.coef_)


def test_storage_does_not_matter():
    X = sparse_design(50, 20, density=0.4, seed=1)
    y = X @ np.r_[2.0, -1.5, 1.0, np.zeros(17)] + 0.1 * np.random.default_rng(0).normal(size=50)
    options = {"alphas": 10, "cv": 3, "tol": 1e-9}
    dense = sv.SparseRegressorCV(**options).fit(X.toarray(), y)
    csc = sv.SparseRegressorCV(**options).fit(X, y)
    assert dense.alpha_ == pytest.approx(csc.alpha_, rel=SAME_ALPHA)
    np.testing.assert_allclose(dense.mse_path_, csc.mse_path_, rtol=LASSO_CV)
    scored = sv.SparseRegressorCV(scoring="r2", **options).fit(X, y)
    assert np.isfinite(scored.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_feature_names(problem, frame):
    X, y = problem
    names = [f"gene_{j}" for j in range(X.shape[1])]
    data = frame(dict(zip(names, X.T, strict=True)))
    model = sv.SparseRegressorCV(alphas=6, cv=3).fit(data, y)
    assert list(model.feature_names_in_) == names
    assert list(model.path_.feature_names) == names
    assert np.all(np.isfinite(model.predict(data)))


def test_pickle_leaves_the_data_behind(problem):
    X, y = problem
    model = sv.SparseRegressorCV(alphas=6, cv=3).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.path_.problem is None


def test_fold_that_does_not_converge_is_named():
    X, y, _ = toy(n_samples=40, n_features=60, n_active=5, noise=0.5, seed=0)
    model = sv.SparseRegressorCV("mcp", alphas=10, cv=3, max_iter=1)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, y)
    message = str(caught[0].message)
    assert message.startswith("folds 0, 1, 2 did not reach tol=1e-06")
    assert "MCP(gamma=3)" in message
    assert "Remedy" in message
    assert model.cv_results_["n_converged"].min() < 3


def test_progress_bar(problem, capsys):
    X, y = problem
    sv.SparseRegressorCV(alphas=5, cv=3, progress=True).fit(X, y)
    assert "folds: 100%" in capsys.readouterr().err


def test_progress_bar_counts_folds_not_waves(problem, capsys, tmp_path):
    X, y = problem
    options = {"alphas": 5, "cv": 5, "n_jobs": 2, "progress": True, "checkpoint": tmp_path / "run"}
    sv.SparseRegressorCV(**options).fit(X, y)
    assert "5/5" in capsys.readouterr().err
    sv.SparseRegressorCV(**options).fit(X, y)  # all of them in the checkpoint
    assert "5/5" in capsys.readouterr().err


CLASSES = np.r_[np.ones(30), -np.ones(30)]


@pytest.mark.parametrize(
    ("options", "change", "words"),
    [
        ({"alphas": []}, {}, "alphas must be an integer or a non-empty"),
        ({"alphas": 0}, {}, "alphas must be an integer >= 1"),
        ({"alphas": [0.1, -1.0]}, {}, r"alphas\[1\] = -1.0 is not a finite number > 0"),
        ({"eps": 2.0}, {}, "eps must be"),
        ({"rule": "2se"}, {}, "rule='2se' is not known; use 'min' or '1se'"),
        ({"penalty": []}, {}, "penalty is an empty list"),
        (
            {"penalty": ["mcp", sv.MCP(3.0)]},
            {},
            r"penalty\[1\] = MCP\(gamma=3\) repeats penalty\[0\]",
        ),
        ({"penalty": ["mcp", "ridge"]}, {}, "penalty='ridge' is not known"),
        ({"scoring": "accuracy"}, {"y": CLASSES}, "scoring='accuracy' cannot judge a regressor"),
        ({"scoring": "no_such_score"}, {}, "no_such_score"),
        ({"scoring": 3}, {}, "scoring=3 is neither a name nor a callable"),
        ({"scoring": "r2", "cv": LeaveOneOut()}, {}, "scoring='r2' gave nan on fold 0"),
        ({"cv": 2}, {"y": CLASSES}, r"y is constant \(-1\) on the training rows of fold 0"),
        ({}, {"y": np.full(60, 0.1)}, r"y is constant \(0.1\), so there is nothing to explain"),
        ({"scoring": "max_error"}, {}, "is not a score .* use for instance 'neg_max_error'"),
        ({"cv": []}, {}, "makes no folds"),
        ({"cv": 1}, {}, "cv=1 cannot split these 60 rows: .* use e.g. cv=5"),
        ({"cv": "5"}, {}, "cv='5' cannot split these 60 rows"),
        ({"cv": GroupKFold(3)}, {}, r"cv=GroupKFold.* pass groups=\.\.\. to fit"),
        ({"cv": [[0, 1, 2]]}, {}, r"fold 0 is not a pair \(train, test\)"),
        ({"cv": [(range(9), [60])]}, {}, "fold 0 asks for row 60, but the rows of X are 0 to 59"),
        ({"cv": [(range(9), [-1])]}, {}, "fold 0 asks for row -1"),
        ({"cv": [(range(9), [0.5])]}, {}, "fold 0 are neither a list of row numbers nor a mask"),
        ({"cv": [(np.ones(9, bool), [1])]}, {}, "a mask of 60 booleans"),
        ({"penalty": {"mcp": 3.0}}, {}, "penalty of type dict is not a penalty"),
        ({"cv": [(np.arange(10), np.arange(0))]}, {}, "fold 0 has no test rows"),
        ({"cv": 61}, {}, "Cannot have number of splits"),
        ({"tol": 0.0}, {}, "tol must be"),
        ({"max_iter": 0}, {}, "max_iter must be an integer >= 1"),
    ],
)
@pytest.mark.filterwarnings("ignore:Scoring failed")
def test_errors_name_the_cause_and_the_remedy(problem, options, change, words):
    X, y = problem
    model = sv.SparseRegressorCV(**{"alphas": 5, "cv": KFold(3), **options})
    with pytest.raises((ValueError, TypeError), match=words):
        model.fit(X, change.get("y", y))


def test_class_of_splitters_is_not_a_splitter(problem):
    with pytest.raises(TypeError, match=r"cv is the class KFold; pass an instance: KFold\(\)"):
        sv.SparseRegressorCV(cv=KFold).fit(*problem)


def test_few_rows_want_few_folds():
    with pytest.raises(ValueError, match=r"cv=None cannot split these 4 rows: .*use e.g. cv=2\."):
        sv.SparseRegressorCV().fit(np.eye(4), np.arange(4.0))


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_choice_does_not_depend_on_the_units_of_y(problem, scale):
    X, y = problem
    options = {"penalty": "l1", "alphas": 15, "rule": "1se"}
    plain = sv.SparseRegressorCV(**options).fit(X, y)
    scaled = sv.SparseRegressorCV(**options).fit(X, y * scale)
    assert scaled.best_index_ == plain.best_index_ < plain.min_index_


def test_groups_of_another_length(problem):
    X, y = problem
    with pytest.raises(ValueError, match=r"cannot split these 60 rows: .*inconsistent numbers"):
        sv.SparseRegressorCV(cv=GroupKFold(3)).fit(X, y, groups=[1, 2])


def test_splitters_see_the_data_frame(problem):
    class ByIndex:
        def split(self, X, y=None, groups=None):
            late = X.index >= "2020-02-01"
            return [(np.flatnonzero(~late), np.flatnonzero(late))]

        def get_n_splits(self, X=None, y=None, groups=None):
            return 1

    X, y = problem
    frame = pd.DataFrame(X, index=pd.date_range("2020-01-01", periods=60))
    model = sv.SparseRegressorCV(alphas=5, cv=ByIndex()).fit(frame, y)
    path = sv.sparse_path(X[:31], y[:31], alphas=model.alphas_)
    errors = (X[31:] @ path.coefs + path.intercepts - y[31:][:, None]) ** 2
    np.testing.assert_allclose(model.mse_path_[:, 0], errors.mean(0), rtol=LASSO_CV)


def test_fold_without_weight_is_named(problem):
    X, y = problem
    weight = np.r_[np.zeros(20), np.ones(40)]
    with pytest.raises(ValueError, match="fold 0 has no test rows"):
        sv.SparseRegressorCV(alphas=5, cv=3).fit(X, y, sample_weight=weight)
