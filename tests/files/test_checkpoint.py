"""Checkpoints: resumed runs give the same bits; damaged and foreign files are refused by name."""

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from problems import sparse_design, toy

import sparsieve as sv
from sparsieve.data.terms import check_terms
from sparsieve.data.validation import check_X_y
from sparsieve.files import checkpoint as module
from sparsieve.files.checkpoint import Checkpoint, CheckpointError, pack_points, unpack_points
from sparsieve.solve.problem import Problem

HERE = Path(__file__).parent


@pytest.fixture
def problem():
    X, y, _ = toy(n_samples=40, n_features=60, n_active=4, noise=0.5, seed=0)
    return X, y


def cross_validation(X, y, file, **options):
    model = sv.SparseRegressorCV(**{"alphas": 10, "cv": 4, "checkpoint": file, **options})
    return model.fit(X, y)


class StopError(Exception):
    pass


def stop_after(monkeypatch, count):
    """Let the run die after some units are kept."""
    keep = Checkpoint.put
    kept = []

    def put(self, unit, arrays):
        keep(self, unit, arrays)
        kept.append(unit)
        if len(kept) == count:
            raise StopError

    monkeypatch.setattr(Checkpoint, "put", put)
    return kept


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_resumed_cross_validation_gives_the_same_bits(problem, tmp_path, monkeypatch, n_jobs):
    X, y = problem
    whole = cross_validation(X, y, None, penalty=["mcp", "scad"])
    file = tmp_path / "cv.checkpoint"
    with monkeypatch.context() as patch:
        stop_after(patch, 2)
        with pytest.raises(StopError):
            cross_validation(X, y, file, penalty=["mcp", "scad"], n_jobs=n_jobs)
    with monkeypatch.context() as patch:
        kept = stop_after(patch, 99)
        resumed = cross_validation(X, y, file, penalty=["mcp", "scad"], n_jobs=n_jobs)
    assert len(kept) == 2  # only what was missing
    np.testing.assert_array_equal(whole.mse_path_, resumed.mse_path_)
    np.testing.assert_array_equal(whole.coef_, resumed.coef_)
    for name, column in whole.cv_results_.items():
        if name != "penalty":
            np.testing.assert_array_equal(column, resumed.cv_results_[name])


def test_resumed_surface_gives_the_same_bits(problem, tmp_path, monkeypatch):
    X, y = problem
    options = {"alphas": 12, "max_support": 15}
    whole = sv.sparse_surface(X, y, "mcp", **options)
    file = tmp_path / "surface.checkpoint"
    with monkeypatch.context() as patch:
        stop_after(patch, 3)
        with pytest.raises(StopError):
            sv.sparse_surface(X, y, "mcp", checkpoint=file, **options)
    resumed = sv.sparse_surface(X, y, "mcp", checkpoint=file, **options)
    again = sv.sparse_surface(X, y, "mcp", checkpoint=file, **options)  # all of it from the file
    for one, *others in zip(whole, resumed, again, strict=True):
        for other in others:
            assert one.ended == other.ended
            assert one.status == other.status
            for name in ("alphas", "objective", "kkt", "dual_gap", "intercepts", "r2", "n_iter"):
                np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
            np.testing.assert_array_equal(one.convex, other.convex)
            np.testing.assert_array_equal(
                one.coef_at(one.alphas[-1]), other.coef_at(one.alphas[-1])
            )


def test_resumed_stability_gives_the_same_result(problem, tmp_path, monkeypatch):
    X, y = problem
    whole = sv.stability_selection(X, y, n_pairs=4, random_state=1)
    file = tmp_path / "stability.checkpoint"
    with monkeypatch.context() as patch:
        stop_after(patch, 5)
        with pytest.raises(StopError):
            sv.stability_selection(X, y, n_pairs=4, random_state=1, checkpoint=file)
    resumed = sv.stability_selection(X, y, n_pairs=4, random_state=1, checkpoint=file)
    np.testing.assert_array_equal(whole.frequencies, resumed.frequencies)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_runs_resume_to_the_same_bits():
    command = [sys.executable, str(HERE / "killed_runs.py"), "51"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE)
    report = json.loads(done.stdout)
    assert sum(report["kills"].values()) >= 50
    assert min(report["kills"].values()) >= 17
    assert report["resumed"] > 10  # many of them after some units were kept
    assert report["different"] == 0


@pytest.mark.parametrize(
    "change",
    [
        {"y": 1},
        {"alphas": 11},
        {"tol": 1e-5},
        {"cv": 5},
        {"penalty": "scad"},
        {"fit_intercept": False},
        {"scoring": "r2"},
        {"relax": True},
        {"X": 1},
        {"weight": 1},
    ],
)
def test_another_run_s_checkpoint_is_refused(problem, tmp_path, change):
    X, y = problem
    file = tmp_path / "cv.checkpoint"
    cross_validation(X, y, file)
    before = file.read_bytes()
    X, y = X.copy(order="F"), y.copy()
    weight = np.linspace(1.0, 2.0, 40) if change.pop("weight", 0) else None
    X[0, 0] += change.pop("X", 0)
    y[0] += change.pop("y", 0)
    model = sv.SparseRegressorCV(**{"alphas": 10, "cv": 4, "checkpoint": file, **change})
    words = "was made with 10 alphas" if "alphas" in change else "belongs to another run"
    with pytest.raises(CheckpointError, match=rf"cv\.checkpoint {words}"):
        model.fit(X, y, sample_weight=weight)
    assert file.read_bytes() == before  # refused, and left alone


def test_another_kind_of_run_is_refused(problem, tmp_path):
    X, y = problem
    file = tmp_path / "run.checkpoint"
    cross_validation(X, y, file)
    with pytest.raises(CheckpointError, match="belongs to another run"):
        sv.sparse_surface(X, y, "mcp", alphas=10, checkpoint=file)


def small_file(tmp_path):
    file = tmp_path / "small.checkpoint"
    kept = Checkpoint(file, "test", lambda: "id")
    kept.put(3, {"numbers": np.array([[1.0, np.nan], [np.inf, -0.0]]), "counts": np.arange(3)})
    return file


def test_arrays_come_back_to_the_bit(tmp_path):
    file = small_file(tmp_path)
    arrays = Checkpoint(file, "test", lambda: "id").units[3]
    expected = np.array([[1.0, np.nan], [np.inf, -0.0]])
    assert arrays["numbers"].tobytes() == expected.tobytes()
    np.testing.assert_array_equal(arrays["counts"], [0, 1, 2])
    assert os.listdir(tmp_path) == ["small.checkpoint"]  # no temporary file is left


def test_truncation_at_every_byte_is_noticed(tmp_path):
    file = small_file(tmp_path)
    content = file.read_bytes()
    for length in range(len(content)):
        file.write_bytes(content[:length])
        with pytest.raises(CheckpointError, match=r"small\.checkpoint is (not a|damaged)"):
            Checkpoint(file, "test", lambda: "id")


def test_every_flipped_bit_is_noticed(tmp_path):
    file = small_file(tmp_path)
    content = file.read_bytes()
    for k in range(8 * len(content)):
        broken = bytearray(content)
        broken[k // 8] ^= 1 << (k % 8)
        file.write_bytes(bytes(broken))
        with pytest.raises(CheckpointError, match=r"small\.checkpoint is (not a|damaged)"):
            Checkpoint(file, "test", lambda: "id")


def forged(header, payload=b""):
    """Return a file with a right checksum and any content."""
    body = json.dumps(header).encode() + b"\n" + payload
    digest = hashlib.sha256(body).hexdigest().encode()
    return b"sparsieve-checkpoint 1\n" + digest + b"\n" + body


@pytest.mark.parametrize(
    ("units", "payload", "words"),
    [
        ({"0": [["a", "float64", [10**15]]]}, b"", "is shorter than its arrays"),
        ({"0": [["a", "float64", [-1]]]}, b"", "impossible shape"),
        ({"0": [["a", "float64", ["1"]]]}, b"", "impossible shape"),
        ({"0": [["a", "float64", [1]]]}, b"12345678x", "is longer than its arrays"),
        ({"0": [["a", "object", [1]]]}, b"12345678", "is not a valid checkpoint"),
        ({"x": []}, b"", "is not a valid checkpoint"),
        ([1], b"", "is not a valid checkpoint"),
        ({"0": 3}, b"", "is not a valid checkpoint"),
    ],
)
def test_forged_files_are_refused(tmp_path, units, payload, words):
    file = tmp_path / "forged"
    file.write_bytes(forged({"what": "test", "fingerprint": "id", "units": units}, payload))
    with pytest.raises(CheckpointError, match=words):
        Checkpoint(file, "test", lambda: "id")


def test_what_is_not_a_checkpoint(tmp_path):
    with pytest.raises(CheckpointError, match="is a folder; name a file"):
        Checkpoint(tmp_path, "test", lambda: "id")
    other = tmp_path / "notes.txt"
    other.write_text("my notes")
    with pytest.raises(CheckpointError, match=r"notes\.txt is not a checkpoint"):
        Checkpoint(other, "test", lambda: "id")
    assert other.read_text() == "my notes"
    (tmp_path / "list").write_bytes(forged([1, 2]))
    with pytest.raises(CheckpointError, match="is not a valid checkpoint"):
        Checkpoint(tmp_path / "list", "test", lambda: "id")


def test_a_full_disk_leaves_the_last_complete_file(problem, tmp_path, monkeypatch):
    file = small_file(tmp_path)
    before = file.read_bytes()
    kept = Checkpoint(file, "test", lambda: "id")

    def no_space(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space left"):
        kept.put(4, {"a": np.zeros(3)})
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["small.checkpoint"]


def test_no_file_keeps_nothing():
    kept = Checkpoint(None, "test", lambda: pytest.fail("needs no fingerprint"))
    assert not kept.active
    kept.put(0, {"a": np.zeros(1)})
    assert kept.units == {}


def test_points_come_back_to_the_bit(problem):
    path = sv.sparse_path(*problem, alphas=6)
    points = []
    for k, point in enumerate(path.points):  # every number another one, so that none is mixed up
        numbers = {
            field.name: type(getattr(point, field.name))(10 * k + place)
            for place, field in enumerate(fields(point))
            if type(getattr(point, field.name)) in (int, float)
        }
        points.append(replace(point, **numbers))
    for before, after in zip(points, unpack_points(pack_points(points)), strict=True):
        for name in before.__slots__:
            one, other = getattr(before, name), getattr(after, name)
            assert type(one) is type(other)
            np.testing.assert_array_equal(one, other)


def test_fingerprint_of_sparse_data_and_own_penalties():
    X = sparse_design(20, 5, seed=0)
    y = np.arange(20.0)
    problem = module.Problem(check_X_y(X, y))

    class Own:
        def __init__(self, size):
            self.size = size

    first = module.fingerprint(problem, Own(1.0), len)
    assert first == module.fingerprint(problem, Own(1.0), len)
    assert first != module.fingerprint(problem, Own(2.0), len)
    assert first != module.fingerprint(problem, Own(1.0), max)


RUNS = {
    "cross-validation": lambda X, y, file: sv.SparseRegressorCV(checkpoint=file).fit(X, y),
    "surface": lambda X, y, file: sv.sparse_surface(X, y, "mcp", checkpoint=file),
    "stability": lambda X, y, file: sv.stability_selection(X, y, checkpoint=file, random_state=0),
}


@pytest.mark.parametrize("kind", RUNS)
def test_a_missing_folder_is_told_before_any_work(kind, tmp_path, monkeypatch):
    X, y, _ = sv.datasets.make_toy(40, 12, 3, noise=0.3, random_state=1)

    def work(*_, **__):
        raise AssertionError("a problem was set up")

    for name in ("surface", "stability"):
        monkeypatch.setattr(f"sparsieve.selection.{name}.Problem", work)
    monkeypatch.setattr("sparsieve.estimators.regressor.Problem", work)
    with pytest.raises(FileNotFoundError, match=r"folder .*nowhere.* does not exist; make it"):
        RUNS[kind](X, y, tmp_path / "nowhere" / "run")
    with pytest.raises(CheckpointError, match="is a folder; name a file"):
        RUNS[kind](X, y, tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_private_checkpoint_stays_private(tmp_path):
    file = tmp_path / "run"
    kept = Checkpoint(file, "test", lambda: "id")
    kept.put(0, {"a": np.zeros(2)})
    file.chmod(0o600)
    kept.put(1, {"a": np.zeros(2)})
    assert file.stat().st_mode & 0o777 == 0o600


def change_units(file, change):
    """Change the arrays of a checkpoint's units and give it a right checksum again."""
    head = json.loads(file.read_bytes().split(b"\n", 3)[2])
    units = module.parse_units(file, file.read_bytes(), head)
    for arrays in units.values():
        change(arrays)
    module._write(file, {k: v for k, v in head.items() if k != "units"}, units)


def first_array(new):
    """Return a change of the first array of a unit."""

    def change(arrays):
        name = next(iter(arrays))
        arrays[name] = new(arrays[name])

    return change


CHANGES = {
    "cut": first_array(lambda a: a[:0]),
    "reshaped": first_array(lambda a: a.reshape(1, -1, 1)),
    "negative": first_array(lambda a: -a - 5),
    "another name": lambda arrays: arrays.update(evil=arrays.pop(next(iter(arrays)))),
    "nothing": lambda arrays: arrays.clear(),
    "huge": first_array(lambda a: np.full(a.shape, 2**40, dtype=a.dtype)),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", ["surface", "stability", "cross-validation"])
def test_forged_arrays_are_refused_by_name(problem, tmp_path, kind, change):
    # A large error is an error like others, and a half may select nothing.
    if (kind, change) in {("cross-validation", "huge"), ("stability", "cut")}:
        return
    file = tmp_path / "run"
    options = {"alphas": 4, "checkpoint": file}
    runs = {
        "cross-validation": lambda: sv.SparseRegressorCV(cv=3, **options).fit(*problem),
        "surface": lambda: sv.sparse_surface(*problem, "mcp", shapes=[3.0], **options),
        "stability": lambda: sv.stability_selection(*problem, random_state=0, n_pairs=2, **options),
    }
    runs[kind]()
    change_units(file, CHANGES[change])
    with pytest.raises(CheckpointError, match=r"run is not a valid checkpoint.*remove it"):
        runs[kind]()


def cut_short(arrays):
    arrays["support_size"][:, -1] = np.nan


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda arrays: arrays.update(ended=np.zeros(3, dtype=np.int64)), "one end per penalty"),
        (lambda arrays: arrays.update(ended=arrays["ended"] + 99), "an end that no fold has"),
        (cut_short, "a fold without all its alphas"),
        (lambda arrays: arrays.update(kkt=-1.0 - arrays["kkt"]), "a number that no fold gives"),
        (lambda arrays: arrays.update(kept=np.zeros(3)), "coefficients, which no checkpoint keeps"),
    ],
)
def test_forged_ends_of_folds_are_refused(problem, tmp_path, change, words):
    file = tmp_path / "run"
    model = sv.SparseRegressorCV(cv=3, alphas=4, eps=0.1, checkpoint=file).fit(*problem)
    change_units(file, change)
    with pytest.raises(CheckpointError, match=words):
        model.fit(*problem)


def test_a_unit_that_the_run_does_not_have_is_refused(problem, tmp_path):
    kept = Checkpoint(tmp_path / "run", "test", lambda: "id")
    kept.put(-1, {"a": np.zeros(2)})
    with pytest.raises(CheckpointError, match="there are 3 units"):
        kept.results(dict, 3)


def points_of(problem):
    return sv.sparse_path(*problem, "mcp", alphas=5, start="best").points


def test_words_are_kept_by_name(problem, monkeypatch):
    points = points_of(problem)
    arrays = pack_points(points)
    turned = {field: words[::-1] for field, words in module._WORDS.items()}
    monkeypatch.setattr(module, "_WORDS", turned)  # as a version with other lists would have
    again = unpack_points(arrays)
    for field in turned:
        assert [getattr(p, field) for p in again] == [getattr(p, field) for p in points]


def test_points_kept_by_position_still_load(problem):
    points = points_of(problem)
    arrays = pack_points(points)
    older = {k: v for k, v in arrays.items() if not k.endswith("_words") and k != "statuses"}
    starts = ("previous", "lasso", "upwards", "given", "none")
    older["starts"] = np.array([starts.index(p.start) for p in points])
    older["minima"] = np.array([("stationary", "coordinatewise").index(p.minimum) for p in points])
    older["counts"] = np.column_stack([arrays["counts"], np.zeros(len(points), dtype=np.int64)])
    again = unpack_points(older)
    assert [(p.start, p.minimum, p.status) for p in again] == [
        (p.start, p.minimum, p.status) for p in points
    ]


def test_checkpoints_of_an_earlier_search_are_refused_by_name(problem, tmp_path):
    file = tmp_path / "run"
    sv.SparseRegressorCV(alphas=4, cv=3, start="best", checkpoint=file).fit(*problem)
    sv.SparseRegressorCV(alphas=4, cv=3, start="best", checkpoint=file).fit(*problem)
    head = json.loads(file.read_bytes().split(b"\n", 3)[2])
    units = module.parse_units(file, file.read_bytes(), head)
    older = {k: v for k, v in head.items() if k not in ("units", "search")}
    module._write(file, older, units)
    with pytest.raises(CheckpointError, match="start='best' searched in another way"):
        sv.SparseRegressorCV(alphas=4, cv=3, start="best", checkpoint=file).fit(*problem)


@pytest.mark.parametrize("start", ["lasso", "previous"])
def test_other_starts_know_no_search(problem, tmp_path, start):
    file = tmp_path / "run"
    sv.SparseRegressorCV(alphas=4, cv=3, start=start, checkpoint=file).fit(*problem)
    assert "search" not in json.loads(file.read_bytes().split(b"\n", 3)[2])


def identities(X, y, **options):
    data = check_X_y(X, y)
    terms = check_terms(X.shape[1], **options)
    return module.fingerprint(Problem(data, terms=terms))


def test_runs_of_plain_problems_are_known_as_they_were_before_there_were_ridges(problem):
    X, y = problem
    # What was fed, in this order, when a problem had a sign constraint and nothing else.
    for positive in (False, True):
        fed = hashlib.sha256(module.version("sparsieve").encode())
        for part in (*(X[:, j] for j in range(60)), y, None, None, True, positive, 40, 60):
            module._feed(fed, part)
        assert identities(X, y, positive=positive) == fed.hexdigest()


def test_runs_with_other_units_ridges_or_bounds_are_other_runs(problem):
    upper = np.r_[1.0, np.full(59, np.inf)]
    options = [
        {},
        {"positive": True},
        {"standardize": True},
        {"l1_ratio": 0.5},
        {"ridge": 0.5},
        {"bounds": (None, upper)},
        {"bounds": (-upper, None)},
        {"bounds": (0, upper)},
    ]
    assert len({identities(*problem, **option) for option in options}) == len(options)
    same = ({"positive": True}, {"bounds": (0, None)})
    assert len({identities(*problem, **option) for option in same}) == 1


def test_a_checkpoint_of_other_units_is_refused(problem, tmp_path):
    file = tmp_path / "run"
    cross_validation(*problem, file, standardize=True)
    with pytest.raises(CheckpointError, match="belongs to another run"):
        cross_validation(*problem, file, standardize=False)
