"""Starts in everything that runs many paths: folds, criteria, surfaces, halves, and their files."""

import hashlib
import itertools
import json
from functools import partial

import numpy as np
import pytest
from problems import dictionary, toy
from tolerances import DEFAULT_KKT, JUDGED_KKT, REORDERED_SUM, TIE, TWO_SOLVES

import sparsieve as sv
from sparsieve.data.validation import check_X_y
from sparsieve.files.checkpoint import CheckpointError
from sparsieve.files.model_file import read_content, write_content
from sparsieve.selection import stability
from sparsieve.selection.grid import alpha_grids
from sparsieve.solve.limits import Limits
from sparsieve.solve.problem import Problem
from sparsieve.solve.solvers import Solver
from sparsieve.solve.starts import ABOVE, FRACTION, Start
from sparsieve.solve.tracing import fits_along

NAMES = ("lasso", "previous", "best")
TIGHT = 1e-10


@pytest.fixture(scope="module")
def easy():
    X, y, _ = toy(n_samples=60, n_features=30, n_active=4, noise=0.3, seed=0)
    return X, y


def starts_for(X):
    """Return every kind of start."""
    return (*NAMES, np.resize([1.0, 0.0, -0.5], X.shape[1]))


# ----------------------------------------------------------------------------- cross-validation


@pytest.mark.parametrize("kind", range(4))
def test_a_fold_is_a_path_on_its_rows(easy, kind):
    X, y = easy
    start = starts_for(X)[kind]
    train, test = np.arange(45), np.arange(45, 60)
    for penalty, alphas in itertools.product(("mcp", "logsum"), ([0.3], [0.5, 0.2, 0.05])):
        model = sv.SparseRegressorCV(
            penalty, alphas=alphas, cv=[(train, test)], start=start, tol=TIGHT
        ).fit(X, y)
        path = sv.sparse_path(X[train], y[train], penalty, alphas=alphas, start=start, tol=TIGHT)
        residual = y[test, np.newaxis] - X[test] @ path.coefs - path.intercepts
        np.testing.assert_allclose(
            model.mse_path_[:, 0], np.mean(residual**2, axis=0), rtol=TWO_SOLVES
        )


@pytest.mark.parametrize("kind", range(4))
def test_the_final_fit_follows_the_rule_of_the_folds(hard, kind):
    X, y = hard
    start = starts_for(X)[kind]
    model = sv.SparseRegressorCV(alphas=12, eps=0.05, cv=3, start=start).fit(X, y)
    path = sv.sparse_path(X, y, alphas=model.alphas_, start=start)
    at = model.best_index_
    assert model.alpha_ == path.alphas[at]
    assert len(model.path_) == np.isfinite(model.mse_path_.mean(axis=-1)).sum() > at
    np.testing.assert_array_equal(model.path_.start, path.start[: len(model.path_)])
    assert model.certificate_.start == model.path_.start[at]
    assert model.certificate_.converged
    if kind < 2:
        assert model.objective_ == pytest.approx(path.objective[at], rel=REORDERED_SUM)


@pytest.mark.parametrize("kind", range(4))
def test_jobs_change_no_bit_of_a_cross_validation(hard, kind):
    X, y = hard
    options = {"alphas": 8, "eps": 0.05, "cv": 3, "start": starts_for(X)[kind]}
    one, two = (
        sv.SparseRegressorCV(["mcp", "logsum"], n_jobs=n, **options).fit(X, y) for n in (1, 2)
    )
    np.testing.assert_array_equal(one.mse_path_, two.mse_path_)
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_folds_of_best_are_never_above_the_others(hard):
    X, y = hard
    alphas = np.geomspace(1.0, 0.05, 10)
    problem = Problem(check_X_y(X, y))
    weight = np.resize([1.0, 1.0, 0.0], len(y))
    fits = {
        name: fits_along(
            Solver(problem, sv.MCP(), weight), alphas, Limits(DEFAULT_KKT), Start(name)
        )[0]
        for name in NAMES
    }
    for name in NAMES:
        assert np.all(fits["best"].objective <= fits[name].objective * (1 + TIE))


# ------------------------------------------------------------------------ criteria and surfaces


@pytest.mark.parametrize("kind", range(4))
def test_the_path_of_a_criterion_is_a_path(hard, kind):
    X, y = hard
    start = starts_for(X)[kind]
    model = sv.SparseRegressorIC("mcp", alphas=12, eps=0.05, start=start).fit(X, y)
    path = sv.sparse_path(X, y, "mcp", alphas=12, eps=0.05, start=start, tol=1e-6)
    np.testing.assert_allclose(model.alphas_, path.alphas, rtol=REORDERED_SUM)
    assert len(model.path_) == 12
    expected = ({"lasso"}, {"previous"}, {"lasso", "previous", "upwards"}, {"given"})[kind]
    assert set(model.path_.start) <= expected
    assert model.certificate_.start in expected
    if kind == 1:
        np.testing.assert_array_equal(model.path_.objective, path.objective)


@pytest.mark.parametrize("warm", ["alpha", "shape", "both"])
def test_surfaces_from_every_start(hard, warm):
    X, y = hard
    options = {"shapes": [10.0, 2.0], "alphas": 10, "eps": 0.05, "warm": warm}
    for kind, start in enumerate(starts_for(X)):
        if kind == 2 and warm != "alpha":
            with pytest.raises(
                ValueError, match=f"start='best' needs warm='alpha', got warm='{warm}'"
            ):
                sv.sparse_surface(X, y, start=start, **options)
            continue
        surface = sv.sparse_surface(X, y, start=start, **options)
        name = ("lasso", "previous", "best", "given")[kind]
        first = {"lasso", "previous", "upwards"} if name == "best" else {name}
        assert set(surface[0].start) <= first
        allowed = first if warm == "alpha" else first | {"previous"}  # the shape's neighbour
        assert set(surface[1].start) <= allowed
        assert surface.grid("converged").all()
        for path in surface:
            where = {"penalty": path.penalty, "alpha": path.alphas[-1]}
            coef = path.coef_at(path.alphas[-1])
            assert sv.kkt_violation(X, y, coef, path.intercepts[-1], **where) <= JUDGED_KKT


def test_both_sides_of_a_surface_are_never_above_its_start_at_one_alpha(hard):
    X, y = hard
    options = {"shapes": [10.0, 2.0], "alphas": [0.3]}
    for start in ("lasso", "previous"):
        alone = sv.sparse_surface(X, y, start=start, **options)
        both = sv.sparse_surface(X, y, start=start, warm="both", **options)
        assert both[1].objective[0] <= alone[1].objective[0] * (1 + REORDERED_SUM)


def test_the_grids_of_a_surface_begin_where_each_shape_is_empty(hard):
    X, y = hard
    family = [sv.L1(), sv.LogSum(0.3), sv.LogSum(0.03)]
    surface = sv.sparse_surface(X, y, family, alphas=20, eps=0.05)
    for path in surface:
        largest = sv.alpha_max(X, y, path.penalty)
        unmoved = sv.alpha_max(X, y, path.penalty, minimum="coordinatewise")
        most = max(largest / FRACTION, ABOVE * unmoved) * (1 + REORDERED_SUM)
        assert largest <= path.alphas[0] <= most
        assert path.support_size[0] == 0
        assert path.alphas[-1] == pytest.approx(0.05 * largest, rel=REORDERED_SUM)
    assert surface[0].alphas[0] == pytest.approx(sv.alpha_max(X, y, "l1"), rel=REORDERED_SUM)


def test_looking_for_the_first_alphas_has_one_time_for_all_shapes(hard, monkeypatch):
    # A clock that moves by a second whenever it is read.
    clock = itertools.count()
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    family = [sv.LogSum(theta) for theta in np.geomspace(1.0, 0.01, 40)]
    problem = Problem(check_X_y(*hard))
    alpha_grids(problem, family, 100, 1e-3, start=Start("lasso"), max_time=30.0)
    assert next(clock) < 30 + 4 * len(family)  # a few looks at the clock for each, no more time


# --------------------------------------------------------------------------- stability selection


@pytest.fixture
def selected(monkeypatch):
    """Return what each half of the next stability selection selects."""
    seen = []
    collect = stability._collect

    def record(problem, supports, *rest):
        seen[:] = supports
        return collect(problem, supports, *rest)

    monkeypatch.setattr(stability, "_collect", record)
    return seen


@pytest.mark.parametrize("penalty", ["mcp", sv.LogSum(0.1), sv.LogSum(0.01)])
@pytest.mark.parametrize("start", NAMES)
def test_no_half_selects_nothing_or_more_than_q(selected, penalty, start):
    X, y, _ = dictionary(64, 12, seed=2)
    for q, alphas in itertools.product((1, 3, 10), (3, 40)):
        result = sv.stability_selection(
            X, y, penalty, q=q, n_pairs=3, alphas=alphas, eps=0.05, random_state=0, start=start
        )
        sizes = [support.size for support in selected]
        assert len(sizes) == 6
        assert min(sizes) >= 1
        assert max(sizes) <= q
        assert result.mean_size == np.mean(sizes)


def test_where_more_than_q_enter_at_once_the_strongest_count(selected):
    X, y, _ = dictionary(64, 12, seed=2)
    options = {"q": 2, "n_pairs": 1, "alphas": 2, "eps": 0.05, "random_state": 0}
    sv.stability_selection(X, y, sv.LogSum(0.1), **options)
    for rows, support in zip(
        stability._draw_halves(np.random.default_rng(0), len(y), 1), selected, strict=True
    ):
        path = sv.sparse_path(X[rows], y[rows], sv.LogSum(0.1), alphas=2, eps=0.05, tol=1e-4)
        assert path.support_size[0] == 0
        assert path.support_size[1] > 2  # none, and then more than q
        assert support.size == 2
        assert set(support) <= set(path.points[1].columns)
        share = np.abs(path.coef_at(path.alphas[1])) * X[rows].std(axis=0)
        assert set(support) == set(np.argsort(-share)[:2])


def test_given_coefficients_in_halves(selected, easy):
    X, y = easy
    options = {"q": 3, "n_pairs": 2, "alphas": 20, "random_state": 0}
    sv.stability_selection(X, y, start=np.ones(30), **options)
    assert 1 <= min(s.size for s in selected) <= max(s.size for s in selected) <= 3


def test_local_minima_have_the_low_lasso(hard):
    X, y = hard
    alpha = 0.2 * sv.alpha_max(X, y)
    found = sv.local_minima(X, y, alpha=alpha)
    assert "low lasso" in found.starts
    at = found.starts.index("low lasso")
    assert found.points[at].start == "lasso"
    model = sv.SparseRegressor(alpha=alpha, tol=1e-8).fit(X, y)
    assert model.objective_ == pytest.approx(found.objective[at], rel=REORDERED_SUM)
    with pytest.raises(ValueError, match=r"use one or more of .*'low lasso'"):
        sv.local_minima(X, y, alpha=alpha, starts=["lower lasso"])


# ---------------------------------------------------------------------------------------- files


# Their alphas are given where possible: a grid of their own would depend on the start.
RUNS = {
    "cross-validation": lambda X, y, **options: sv.SparseRegressorCV(
        alphas=[0.3, 0.1], cv=3, **options
    ).fit(X, y),
    "surface": lambda X, y, **options: sv.sparse_surface(
        X, y, shapes=[9.0, 3.0], alphas=[0.3, 0.1], **options
    ),
    "stability": lambda X, y, **options: sv.stability_selection(
        X, y, n_pairs=2, alphas=6, random_state=0, **options
    ),
}


@pytest.mark.parametrize("run", RUNS)
def test_a_checkpoint_of_another_start_is_refused_by_name(easy, tmp_path, run):
    file = tmp_path / "run.checkpoint"
    call = partial(RUNS[run], *easy, checkpoint=file)
    call(start="previous")
    before = file.read_bytes()
    for start, name in [("lasso", "lasso"), ("best", "best"), (np.ones(30), "given coefficients")]:
        words = f"made with start='previous', this run has start='{name}"
        with pytest.raises(CheckpointError, match=words):
            call(start=start)
    assert file.read_bytes() == before
    call(start="previous")
    file.unlink()
    call(start=np.ones(30))
    call(start=np.ones(30))
    words = r"made with start='given coefficients \w+', this run has start='given coefficients \w+'"
    with pytest.raises(CheckpointError, match=words):
        call(start=2.0 * np.ones(30))


def as_before(file):
    """Take from a checkpoint what it has of starts."""
    magic, _, rest = file.read_bytes().split(b"\n", 2)
    line, _, payload = rest.partition(b"\n")
    head = json.loads(line)
    del head["start"]
    kept, at = [], 0
    for entries in head["units"].values():
        for entry in list(entries):
            end = at + 8 * int(np.prod(entry[2]))
            if entry[0] in ("starts", "start_words"):
                entries.remove(entry)
            else:
                kept.append(payload[at:end])
            at = end
    body = json.dumps(head).encode() + b"\n" + b"".join(kept)
    digest = hashlib.sha256(body).hexdigest().encode()
    file.write_bytes(magic + b"\n" + digest + b"\n" + body)


@pytest.mark.parametrize("run", RUNS)
def test_a_checkpoint_from_before_there_were_starts(easy, tmp_path, run):
    file = tmp_path / "old.checkpoint"
    call = partial(RUNS[run], *easy, checkpoint=file)
    whole = call(start="previous")
    as_before(file)
    again = call(start="previous")
    if run == "cross-validation":
        np.testing.assert_array_equal(whole.mse_path_, again.mse_path_)
    elif run == "surface":
        np.testing.assert_array_equal(whole.grid("objective"), again.grid("objective"))
        assert set(again[0].start) == {"previous"}
    else:
        np.testing.assert_array_equal(whole.frequencies, again.frequencies)
    with pytest.raises(CheckpointError, match=r"made with start='previous'.*start='lasso'"):
        call()


@pytest.mark.parametrize("kind", range(4))
def test_a_resumed_surface_remembers_where_points_began(hard, tmp_path, kind):
    X, y = hard
    options = {"shapes": [9.0, 2.0], "alphas": 8, "start": starts_for(X)[kind]}
    whole = sv.sparse_surface(X, y, checkpoint=tmp_path / "file", **options)
    again = sv.sparse_surface(X, y, checkpoint=tmp_path / "file", **options)
    for one, two in zip(whole, again, strict=True):
        assert one.start.tolist() == two.start.tolist()
        np.testing.assert_array_equal(one.objective, two.objective)


def without_starts(content):
    """Return a model file's content as it was before there were starts."""
    if isinstance(content, dict):
        return {key: without_starts(value) for key, value in content.items() if key != "start"}
    return [without_starts(value) for value in content] if isinstance(content, list) else content


@pytest.mark.parametrize(
    "estimator", [sv.SparseRegressor, sv.SparseRegressorCV, sv.SparseRegressorIC]
)
def test_model_files_keep_the_start(easy, tmp_path, estimator):
    X, y = easy
    file = tmp_path / "model.json"
    shared = {} if estimator is sv.SparseRegressor else {"alphas": 5}
    for kind, start in enumerate(starts_for(X)):
        model = estimator(start=start, **shared).fit(X, y)
        model.save(file)
        loaded = sv.load_model(file)
        np.testing.assert_array_equal(loaded.start, start)
        assert loaded.certificate_ == model.certificate_
        np.testing.assert_array_equal(loaded.coef_, model.coef_)
        if kind == 0:
            write_content(tmp_path / "old.json", without_starts(read_content(file)))
            old = sv.load_model(tmp_path / "old.json")
            assert old.start == "previous"
            assert old.certificate_.start == "previous"
            np.testing.assert_array_equal(old.coef_, model.coef_)
