"""Where paths and folds of a choice end: by limits, by rising errors, by themselves."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import KFold

import sparsieve as sv
from sparsieve.files.checkpoint import CheckpointError
from sparsieve.inspect.choice import choose
from sparsieve.report.tracks import read_story
from sparsieve.selection import fold_runs
from sparsieve.selection.rising import has_risen, is_settled
from sparsieve.solve.limits import Limits
from sparsieve.solve.tracing import fits_along

LIMITS = [{"max_support": 4}, {"max_deviance": 0.5}]


@pytest.fixture
def wide():
    """Return data whose folds fit noise for long after the best model."""
    X, y, _ = sv.datasets.make_toy(300, 300, 3, noise=8.0, random_state=0)
    return X, y


def check_missing(model):
    """Assert that what was not computed is NaN everywhere, and never chosen."""
    mse = model.mse_path_.reshape(-1, model.mse_path_.shape[-1])
    table = model.cv_results_
    missing = np.isnan(mse)
    assert not missing[:, 0].all()
    some = missing.any(axis=1)
    np.testing.assert_array_equal(np.isnan(table["mean_test_score"]), some)
    np.testing.assert_array_equal(np.isnan(table["mean_support_size"]), some)
    np.testing.assert_array_equal(np.isnan(table["se_test_score"]), some)
    np.testing.assert_array_equal(table["n_converged"], (~missing).sum(axis=1))
    assert table["rank_test_score"][some].min(initial=some.size) >= (~some).sum()
    assert not some[model.best_index_]


@pytest.mark.parametrize("rule", ["min", "1se"])
@pytest.mark.parametrize("penalty", ["l1", "mcp", ["scad", "l1"]])
def test_folds_end_early_with_the_same_choice(wide, penalty, rule):
    options = {"alphas": 50, "cv": KFold(4, shuffle=True, random_state=0), "rule": rule}
    short = sv.SparseRegressorCV(penalty, **options).fit(*wide)
    whole = sv.SparseRegressorCV(penalty, eps=1e-2, **options).fit(*wide)
    assert set(np.ravel(whole.ended_)) == {"complete"}
    assert "rising" in short.ended_
    np.testing.assert_array_equal(short.alphas_, whole.alphas_)
    computed = ~np.isnan(short.mse_path_)
    np.testing.assert_array_equal(short.mse_path_[computed], whole.mse_path_[computed])
    check_missing(short)
    assert short.best_index_ == whole.best_index_
    np.testing.assert_array_equal(short.coef_, whole.coef_)


@pytest.mark.parametrize(
    "options",
    [
        {"alphas": 50, "eps": 1e-2},
        {"alphas": np.geomspace(3.0, 0.03, 30)},
        {"alphas": 50, "scoring": "neg_mean_absolute_error"},
        {"start": "best", "alphas": 20},
    ],
)
def test_what_is_given_is_done_in_full(wide, options):
    penalty = "mcp" if "start" in options else "l1"
    model = sv.SparseRegressorCV(penalty, cv=3, **options).fit(*wide)
    assert set(model.ended_) == {"complete"}
    assert not np.isnan(model.mse_path_).any()


def test_folds_do_not_depend_on_their_number_at_the_same_time(wide):
    one, two = (
        sv.SparseRegressorCV("l1", alphas=50, n_jobs=n_jobs).fit(*wide) for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.mse_path_, two.mse_path_)
    np.testing.assert_array_equal(one.ended_, two.ended_)


def test_an_unsettled_choice_sends_the_folds_on(wide, monkeypatch, tmp_path):
    whole = sv.SparseRegressorCV("l1", alphas=50, eps=1e-2).fit(*wide)
    monkeypatch.setattr(fold_runs, "is_settled", lambda errors, alphas: False)
    file = tmp_path / "run"
    asked = sv.SparseRegressorCV("l1", alphas=50, checkpoint=file).fit(*wide)
    assert set(asked.ended_) == {"complete"}
    np.testing.assert_array_equal(asked.mse_path_, whole.mse_path_)
    monkeypatch.undo()
    # An interruption between the folds that went on: the others do so too, whatever they say now.
    kept = sv.SparseRegressorCV("l1", alphas=50, checkpoint=file).fit(*wide)
    np.testing.assert_array_equal(kept.mse_path_, whole.mse_path_)


def test_what_rising_means():
    alphas = np.geomspace(1.0, 0.1, 11)
    errors = np.r_[2.0, 1.0, np.full(9, 1.2)]
    assert has_risen(errors, alphas, n_rows=10_000)
    assert not has_risen(errors, alphas, n_rows=100)  # 4 / sqrt(100) is more than a fifth
    assert not has_risen(errors[:6], alphas, n_rows=10_000)  # no factor of three yet
    huge = np.r_[2.0, 1.0, np.full(9, 100.0)]
    assert has_risen(huge, alphas, n_rows=10)
    assert not has_risen(huge, alphas, n_rows=9)  # leave-one-out: one row may be hit by chance
    falls = errors.copy()
    falls[9] = 1.05
    assert not has_risen(falls, alphas, n_rows=10_000)


def test_what_settled_means():
    alphas = np.geomspace(1.0, 0.1, 11)
    rising = np.r_[2.0, 1.0, np.full(9, 1.2)]
    assert is_settled(np.c_[rising, rising], alphas)
    ended = np.r_[rising[:8], np.full(3, np.nan)]
    assert is_settled(np.c_[ended, ended], alphas)
    falling = np.geomspace(3.0, 0.5, 11)
    assert not is_settled(np.c_[ended, falling], alphas)  # the mean may fall where one fold ended


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("penalty", ["l1", ["mcp", "l1"]])
def test_limits_of_folds_are_those_of_paths(wide, penalty, limit):
    X, y = wide
    folds = list(KFold(3).split(X))
    given = {"alphas": 15, "eps": 0.05}
    model = sv.SparseRegressorCV(penalty, cv=folds, **given, **limit).fit(X, y)
    grids, ended = np.atleast_2d(model.alphas_), np.atleast_2d(model.ended_)
    mse = np.atleast_3d(model.mse_path_.reshape(len(grids), 15, 3))
    for s, each in enumerate(penalty if isinstance(penalty, list) else [penalty]):
        for k, (train, _) in enumerate(folds):
            path = sv.sparse_path(X[train], y[train], each, alphas=grids[s], **limit)
            assert (~np.isnan(mse[s, :, k])).sum() == len(path)
            assert ended[s, k] == path.ended
    assert next(iter(limit)) in ended
    check_missing(model)


def test_a_limit_above_the_chosen_alpha_ends_the_fit(monkeypatch):
    """Folds may reach a limit later than all rows do; here they never do."""
    X, y, _ = sv.datasets.make_toy(100, 20, 6, noise=0.5, random_state=0)

    def without_limits(solver, alphas, limits, start, *, first):
        return fits_along(solver, alphas, Limits(limits.tol), start, first=first)

    monkeypatch.setattr(fold_runs, "fits_along", without_limits)
    model = sv.SparseRegressorCV("l1", alphas=20, eps=0.1, cv=2, max_support=2).fit(X, y)
    assert set(model.ended_) == {"complete"}
    assert model.path_.ended == "max_support"
    assert np.all(model.path_.support_size[:-1] < 2)
    assert model.path_.support_size[-1] >= 2
    assert model.alpha_ == model.certificate_.alpha == model.path_.alphas[-1]
    assert model.alphas_[model.best_index_] == model.alpha_
    assert model.best_index_ < model.min_index_
    assert read_story(model).settings["path on all rows"] == "ended by max_support"


def test_no_time_still_gives_a_model(wide):
    with pytest.warns(Warning, match="did not reach tol|raise max_time") as caught:
        model = sv.SparseRegressorCV(["mcp", "l1"], alphas=30, eps=0.01, max_time=1e-6).fit(*wide)
    assert caught
    assert set(np.ravel(model.ended_)) == {"max_time"}
    assert np.isfinite(model.predict(wide[0])).all()
    check_missing_first(model)


def check_missing_first(model):
    """Assert that every fold has its first alpha."""
    assert not np.isnan(model.mse_path_[..., 0, :]).any()


def test_time_is_shared(wide):
    model = sv.SparseRegressorCV(["l1", "mcp"], alphas=20, cv=3, max_time=1000.0).fit(*wide)
    assert model.certificate_.converged
    assert "max_time" not in model.ended_


@pytest.mark.parametrize("limit", LIMITS)
def test_limits_of_criteria(wide, limit):
    X, y = wide
    given = {"alphas": 15, "eps": 0.05}
    model = sv.SparseRegressorIC(["mcp", "l1"], noise_variance=9.0, **given, **limit).fit(X, y)
    for s, penalty in enumerate(["mcp", "l1"]):
        path = sv.sparse_path(X, y, penalty, **given, **limit)
        known = ~np.isnan(model.criterion_[s])
        assert known.sum() == len(path)
        assert model.ended_[s] == path.ended
        np.testing.assert_array_equal(model.degrees_of_freedom_[s][known], path.support_size)
    assert model.criterion_.ravel()[model.best_index_] == np.nanmin(model.criterion_)
    assert next(iter(limit)) in model.ended_
    page = sv.SparseRegressorIC("l1", **given, **limit).fit(X, y).to_html()
    assert next(iter(limit)) in page


@pytest.mark.parametrize("estimator", [sv.SparseRegressorCV, sv.SparseRegressorIC])
@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"max_support": 0}, "max_support must be an integer >= 1"),
        ({"max_deviance": 1.5}, "max_deviance must be"),
        ({"max_time": -1}, "max_time must be"),
        ({"eps": 2.0}, "eps must be"),
        ({"progress": "yes"}, "progress must be True or False"),
    ],
)
def test_bad_options(wide, estimator, option, words):
    with pytest.raises(ValueError, match=words):
        estimator(**option).fit(*wide)


def test_the_last_alpha_is_worth_a_warning_while_the_error_falls():
    X, y, _ = sv.datasets.make_toy(40, 60, 3, noise=1e-3, random_state=0)
    for estimator in (sv.SparseRegressorCV, sv.SparseRegressorIC):
        with pytest.warns(UserWarning, match="is the last of the path, where the error still"):
            estimator("l1", alphas=30).fit(X, y)
        estimator("l1", alphas=30, eps=1e-2).fit(X, y)  # an end that was asked for


def test_report_model_file_and_plot_know_of_ends(wide, tmp_path):
    mpl = pytest.importorskip("matplotlib")
    mpl.use("Agg")
    model = sv.SparseRegressorCV("l1", alphas=50).fit(*wide)
    settings = read_story(model).settings
    assert settings["ended early"].endswith("by rising errors")
    assert "rising errors" in model.to_html()
    model.save(tmp_path / "model.json")
    again = sv.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.mse_path_, model.mse_path_)
    np.testing.assert_array_equal(again.ended_, model.ended_)
    assert again.to_html() == model.to_html()
    sv.plots.plot_cv(model)


def test_a_model_file_with_an_unknown_end_is_refused(wide, tmp_path):
    model = sv.SparseRegressorCV("l1", alphas=5, eps=0.1).fit(*wide)
    model.ended_ = np.array(["complete", "tired"])
    model.save(tmp_path / "model.json")
    with pytest.raises(ValueError, match="the value of ended_ makes no sense"):
        sv.load_model(tmp_path / "model.json")


def test_a_checkpoint_of_another_grid_is_refused_by_name(wide, tmp_path):
    file = tmp_path / "run"
    sv.SparseRegressorCV("l1", alphas=10, checkpoint=file).fit(*wide)
    with pytest.raises(CheckpointError, match="was made with 10 alphas, eps=None, this run has"):
        sv.SparseRegressorCV("l1", alphas=10, eps=1e-3, checkpoint=file).fit(*wide)


def test_an_older_checkpoint_still_goes_on(wide, tmp_path):
    """Files of a time before folds ended early have no word for it, nor for the grid."""
    file = tmp_path / "run"
    given = {"alphas": 10, "eps": 1e-3, "checkpoint": file}
    model = sv.SparseRegressorCV("l1", **given).fit(*wide)
    make_older(file)
    again = sv.SparseRegressorCV("l1", **given).fit(*wide)
    np.testing.assert_array_equal(again.mse_path_, model.mse_path_)
    make_older(file)
    with pytest.raises(CheckpointError, match=r"other data, alphas \(eps=1e-3\?\), options"):
        sv.SparseRegressorCV("l1", alphas=10, checkpoint=file).fit(*wide)


def make_older(file):
    """Take out of a checkpoint what files once had not."""
    import hashlib

    magic, digest, rest = file.read_bytes().split(b"\n", 2)
    line, _, payload = rest.partition(b"\n")
    head = json.loads(line)
    head.pop("alphas", None)
    at, kept = 0, b""
    for name, entries in head["units"].items():
        for _field, _, shape in entries:
            size = 8 * int(np.prod(shape))
            kept += payload[at : at + size] if _field != "ended" else b""
            at += size
        head["units"][name] = [entry for entry in entries if entry[0] != "ended"]
    body = json.dumps(head, separators=(",", ":")).encode() + b"\n" + kept
    digest = hashlib.sha256(body).hexdigest().encode()
    file.write_bytes(magic + b"\n" + digest + b"\n" + body)


def test_a_fold_that_ran_out_of_time_is_not_kept(wide, tmp_path):
    file = tmp_path / "run"
    given = {"alphas": 10, "eps": 1e-2, "checkpoint": file}
    with pytest.warns(Warning, match="did not reach"):
        sv.SparseRegressorCV("l1", max_time=1e-6, **given).fit(*wide)
    model = sv.SparseRegressorCV("l1", **given).fit(*wide)
    assert set(model.ended_) == {"complete"}


def test_a_choice_among_missing_scores():
    scores = np.array([[np.nan, 1.0, 2.0, np.nan], [0.0, np.nan, np.nan, np.nan]])
    choice = choose(scores, 0.0, np.full_like(scores, 1.5))
    assert (choice.row, choice.at("min"), choice.at("1se")) == (0, 2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["min", "1se"])
@pytest.mark.parametrize("penalty", ["l1", "mcp", "logsum"])
@pytest.mark.parametrize(
    "name",
    ["riboflavin", "leukemia", "climate_sst", "diabetes_interactions", "communities_crime"],
)
def test_the_same_model_on_real_data(name, penalty, rule):
    folder = os.environ.get("SPARSIEVE_DATA")
    if folder is None or not (Path(folder) / f"{name}.npz").exists():
        pytest.skip(f"needs {name}.npz in the folder named by SPARSIEVE_DATA")
    content = np.load(Path(folder) / f"{name}.npz")
    X, y = content["X"].astype(float), content["y"]
    end = 1e-3 if len(X) > X.shape[1] else 1e-2
    given = {"standardize": True, "start": "previous", "minimum": "stationary", "rule": rule}
    folds = {"cv": KFold(5, shuffle=True, random_state=1)}
    short = sv.SparseRegressorCV(penalty, **given, **folds).fit(X, y)
    whole = sv.SparseRegressorCV(penalty, eps=end, **given, **folds).fit(X, y)
    assert short.best_index_ == whole.best_index_
    np.testing.assert_array_equal(short.coef_, whole.coef_)
