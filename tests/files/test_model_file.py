"""Model files: exact, plain, safe, and refused with our own error when anything is wrong."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from forged_files import forge
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import sparsieve as sv
from sparsieve.estimators.table_model import TableModel
from sparsieve.files.codec import NotStored, decode, encode
from sparsieve.files.model_file import ModelFileError, read_content, write_content
from sparsieve.tables.columns import make_design
from sparsieve.tables.table import Table


class Halved:
    """A user's own penalty: half the lasso."""

    def value(self, abs_w, alpha):
        return 0.5 * alpha * np.asarray(abs_w)

    def slope(self, abs_w, alpha):
        return 0.5 * alpha * np.ones_like(np.asarray(abs_w, dtype=float))


def problem(names=False):
    X, y, _ = sv.datasets.make_toy(40, 12, 3, noise=0.3, random_state=1)
    return (pd.DataFrame(X, columns=[f"gène {j}" for j in range(12)]) if names else X), y


def fitted(penalty="mcp", names=False, **params):
    return sv.SparseRegressor(penalty, 0.3, **params).fit(*problem(names))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    file = tmp_path_factory.mktemp("saved") / "model.json"
    fitted(names=True).save(file)
    return file


@pytest.mark.parametrize("penalty", ["l1", sv.MCP(gamma=2.5), sv.LogSum(theta=0.3), sv.Lq(q=0.7)])
@pytest.mark.parametrize("names", [False, True])
def test_a_loaded_model_is_the_saved_one_to_the_last_bit(penalty, names, tmp_path):
    model = fitted(penalty, names)
    model.save(tmp_path / "m.json")
    loaded = sv.load_model(tmp_path / "m.json")
    X, _ = problem(names)
    assert type(loaded) is sv.SparseRegressor
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert np.array_equal(loaded.coef_, model.coef_)
    assert loaded.certificate_ == model.certificate_
    assert repr(loaded.get_params()) == repr(model.get_params())
    assert hasattr(loaded, "feature_names_in_") == names


@pytest.mark.parametrize("names", [False, True])
@pytest.mark.parametrize("choice", ["cv", "ic"])
def test_a_model_that_was_chosen_comes_back_with_what_it_was_chosen_by(choice, names, tmp_path):
    make = sv.SparseRegressorCV if choice == "cv" else sv.SparseRegressorIC
    X, y = problem(names)
    model = make(["l1", sv.MCP(gamma=2.0)], alphas=12, eps=0.01).fit(X, y)
    model.save(tmp_path / "m.json")
    loaded = sv.load_model(tmp_path / "m.json")
    assert type(loaded) is make
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert vars(loaded).keys() >= {name for name in vars(model) if name.endswith("_")}
    assert np.array_equal(loaded.alphas_, model.alphas_)
    assert np.array_equal(loaded.path_.kkt, model.path_.kkt)
    assert loaded.path_.problem is None
    if choice == "cv":
        assert np.array_equal(loaded.mse_path_, model.mse_path_)
        table, expected = loaded.cv_results_, model.cv_results_
        assert [repr(p) for p in table["penalty"]] == [repr(p) for p in expected["penalty"]]
        assert np.array_equal(table["split2_test_score"], expected["split2_test_score"])
    assert "NotStored" not in repr([type(v).__name__ for v in vars(loaded).values()])
    assert "MCP" in loaded.to_html()


def table_model():
    X, y = problem()
    table = Table("t", [f"x{j}" for j in range(11)], np.asfortranarray(X[:, :11]), {}, y, "y")
    design = make_design(table, None, impute="mean")
    regressor = sv.SparseRegressorCV("mcp", alphas=8, standardize=True).fit(design.X, design.y)
    return TableModel.of(regressor, design)


def test_a_table_model_comes_back_and_forged_schemas_do_not(tmp_path):
    model = table_model()
    model.save(tmp_path / "m.json")
    loaded = sv.load_model(tmp_path / "m.json")
    X = problem()[0][:, :11]
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert loaded.schema.numbers == model.schema.numbers
    assert np.array_equal(loaded.schema.scale, model.schema.scale)
    document = json.loads((tmp_path / "m.json").read_text())["content"]
    for key, value in [
        ("numbers", ["a"]),
        ("numbers", [1] * 11),
        ("categories", {"$": "dict", "items": {"city": []}}),
        ("categories", None),
        ("fills", [0.0] * 11),
        ("scale", {"$": "array", "dtype": "float64", "shape": [1], "data": [1.0]}),
        ("impute", "magic"),
        ("target", 3),
        ("evil", 1),
    ]:
        forged = json.loads(json.dumps(document))
        forged["model"]["schema"]["fields"][key] = value
        with pytest.raises(ModelFileError):
            sv.load_model(forge(tmp_path / "forged.json", forged))
    forged = json.loads(json.dumps(document))
    forged["model"]["schema"] = {"$": "dict", "items": {}}
    with pytest.raises(ModelFileError):
        sv.load_model(forge(tmp_path / "forged.json", forged))


def test_a_loaded_model_can_be_fitted_again_and_saved_again(saved, tmp_path):
    loaded = sv.load_model(saved)
    loaded.save(tmp_path / "again.json")
    again = sv.load_model(tmp_path / "again.json")
    assert again.provenance_ == loaded.provenance_
    X, y = problem(names=True)
    assert np.array_equal(clone(loaded).fit(X, y).coef_, again.coef_)


def test_weights_that_are_infinite_survive(tmp_path):
    weights = [np.inf, 0.0] + [1.0] * 10
    fitted(weights=weights).save(tmp_path / "m.json")
    assert sv.load_model(tmp_path / "m.json").get_params()["weights"] == weights


def test_the_file_is_plain_json_with_the_coefficients_by_name(saved):
    document = json.loads(saved.read_text(encoding="utf-8"))
    model = sv.load_model(saved)
    summary = document["content"]["summary"]
    expected = {n: c for n, c in zip(model.feature_names_in_, model.coef_, strict=True) if c != 0}
    assert summary["coefficients"] == expected
    assert summary["intercept"] == model.intercept_
    assert document["content"]["provenance"]["items"]["numpy"] == np.__version__


def test_a_penalty_of_ones_own_is_recorded_as_text_and_predictions_stay(tmp_path):
    model = fitted(Halved())
    model.save(tmp_path / "m.json")
    loaded = sv.load_model(tmp_path / "m.json")
    X, y = problem()
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert "Halved" in repr(loaded.penalty)
    with pytest.raises((TypeError, ValueError), match="value"):
        loaded.fit(X, y)


def test_an_estimator_that_is_not_fitted_is_not_saved(tmp_path):
    with pytest.raises(NotFittedError):
        sv.SparseRegressor().save(tmp_path / "m.json")
    assert not list(tmp_path.iterdir())


def test_cut_at_every_byte_it_is_refused(saved, tmp_path):
    data, file = saved.read_bytes(), tmp_path / "cut.json"
    for length in range(len(data)):
        file.write_bytes(data[:length])
        with pytest.raises(ModelFileError, match=r"cut short|not a sparsieve model|header"):
            sv.load_model(file)


@pytest.mark.parametrize(
    "masks",
    [
        (0x01, 0xFF),
        pytest.param((0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80), marks=pytest.mark.slow),
    ],
    ids=["last bit or all bits", "other bits"],
)
def test_with_any_byte_changed_it_is_refused(saved, tmp_path, masks):
    data, file = bytearray(saved.read_bytes()), tmp_path / "changed.json"
    for position in range(len(data)):
        for mask in masks:
            data[position] ^= mask
            file.write_bytes(data)
            with pytest.raises(ModelFileError):
                sv.load_model(file)
            data[position] ^= mask
    file.write_bytes(data)
    sv.load_model(file)


@pytest.mark.parametrize("extra", [b"\n", b"}", b"\x00" * 100])
def test_with_bytes_added_at_the_end_it_is_refused(saved, tmp_path, extra):
    file = tmp_path / "long.json"
    file.write_bytes(saved.read_bytes() + extra)
    with pytest.raises(ModelFileError, match="damaged"):
        sv.load_model(file)


def test_a_header_that_announces_terabytes_asks_for_no_memory(tmp_path):
    file = tmp_path / "huge.json"
    file.write_text(
        f'{{"format":"sparsieve-model","version":1,"sha256":"{"0" * 64}",'
        '"bytes":999999999999999,"content":\n{}\n}\n'
    )
    with pytest.raises(ModelFileError, match="cut short"):
        sv.load_model(file)
    file.write_bytes(b'{"format":"sparsieve-model","version":1' + b"1" * 10_000_000)
    with pytest.raises(ModelFileError, match="header"):
        sv.load_model(file)


def test_a_file_from_a_newer_version_says_so(tmp_path):
    file = tmp_path / "new.json"
    header = '{"format":"sparsieve-model","version":2,"sha256":"%s","bytes":2,"content":\n{}\n}\n'
    file.write_text(header % ("0" * 64))
    with pytest.raises(ModelFileError, match="install a newer sparsieve"):
        sv.load_model(file)


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\x80\x04\x95 pickle", b"{}"])
def test_other_files_are_named_as_such(tmp_path, content):
    file = tmp_path / "other"
    file.write_bytes(content)
    with pytest.raises(ModelFileError, match="not a sparsieve model"):
        sv.load_model(file)


def edits(document):
    """Yield content that the library would never write, one fault at a time."""
    model = document["content"]["model"]
    state, params = model["state"], model["params"]

    def change(part, key, value):
        before = dict(part)
        part[key] = value
        yield json.loads(json.dumps(document["content"]))
        part.clear()
        part.update(before)

    yield []
    yield {}
    for value in ("os.system", "BaseEstimator", "load_model", None, 3, ["SparseRegressor"]):
        yield from change(model, "class", value)
    for value in (None, [], {"penalty": "mcp", "evil": 1}, {"penalty": {"$": "nonsense"}}):
        yield from change(model, "params", value)
    for value in ("a", None, {"$": "array"}, {"$": "float", "value": "nan"}, [1.0]):
        yield from change(state, "coef_", value)
    for value in (None, "0.0", {"$": "float", "value": "inf"}, {"$": "float", "value": "x"}):
        yield from change(state, "intercept_", value)
    for value in (0, -1, 10**30, 2.0, True, "12"):
        yield from change(state, "n_features_in_", value)
    array = {"$": "array", "dtype": "float64", "shape": [12], "data": [0.0] * 12}
    for key, value in [
        ("shape", [10**12]),
        ("shape", [-1, -1]),
        ("data", [0.0] * 11),
        ("data", ["inf"] * 12),
        ("data", [[0.0]] * 12),
        ("dtype", "object_"),
        ("dtype", "object"),
        ("dtype", "V8"),
        ("data", [10**400] * 12),
    ]:
        yield from change(state, "coef_", {**array, key: value})
    for name in ("__class__", "predict", "_x_", "__dict__", "sparse_coef_", "a.b_"):
        content = json.loads(json.dumps(document["content"]))
        content["model"]["state"][name] = 1
        yield content
    names = {"$": "array", "dtype": "str", "shape": [12], "data": ["a"] * 12}
    for key, value in [("data", ["a"] * 11 + [1]), ("shape", [3, 4]), ("dtype", "float64")]:
        yield from change(state, "feature_names_in_", {**names, key: value})
    record = state["certificate_"]
    yield from change(state, "certificate_", None)
    yield from change(state, "certificate_", {**record, "class": "Popen"})
    yield from change(record["fields"], "evil", 1)
    penalty = {"$": "penalty", "name": "mcp", "params": {"$": "dict", "items": {}}}
    for value in ({**penalty, "name": "eval"}, {**penalty, "params": 3}):
        yield from change(params, "penalty", value)
    items = {"gamma": -1.0}
    yield from change(params, "penalty", {**penalty, "params": {"$": "dict", "items": items}})


def test_forged_content_with_a_right_checksum_is_refused(saved, tmp_path):
    document = json.loads(saved.read_text(encoding="utf-8"))
    count = 0
    for content in edits(document):
        count += 1
        with pytest.raises(ModelFileError):
            sv.load_model(forge(tmp_path / "forged.json", content))
    assert count > 40
    sv.load_model(forge(tmp_path / "forged.json", document["content"]))


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":NaN}',
        b'{"a":1,"a":2}',
        b'"text"',
        b'{"model":' + b"1" * 5000 + b"}",
        b'{"a":"\xff"}',
        b"\xef\xbb\xbf{}",
    ],
)
def test_json_that_is_not_ours_is_refused(tmp_path, body):
    with pytest.raises(ModelFileError):
        sv.load_model(forge(tmp_path / "forged.json", body))


def test_loading_imports_and_executes_nothing(saved, tmp_path):
    code = (
        "import sys, sparsieve as sv\n"
        "def forbid(event, args):\n"
        "    if event in ('exec', 'compile', 'import', 'pickle.find_class', 'os.system'):\n"
        "        raise SystemExit(f'loading ran {event}')\n"
        "sv.load_model(sys.argv[1])\n"  # modules that loading itself imports are in by now
        "sys.addaudithook(forbid)\n"
        "sv.load_model(sys.argv[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, saved], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_failed_save_leaves_the_old_file_alone(saved, tmp_path, monkeypatch):
    file = tmp_path / "m.json"
    file.write_bytes(saved.read_bytes())

    def full_disk(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        fitted("l1").save(file)
    assert file.read_bytes() == saved.read_bytes()
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.json"]


def test_saving_follows_links_and_the_umask_and_refuses_folders(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    link.symlink_to(real)
    model = fitted()
    old = os.umask(0o027)
    try:
        model.save(link)
        model.save(tmp_path / "new.json")
    finally:
        os.umask(old)
    assert link.is_symlink()
    sv.load_model(real)
    assert (tmp_path / "new.json").stat().st_mode & 0o777 == 0o640
    with pytest.raises(IsADirectoryError, match="name of a file"):
        model.save(tmp_path)
    with pytest.raises(IsADirectoryError, match="model file"):
        sv.load_model(tmp_path)
    with pytest.raises(FileNotFoundError):
        sv.load_model(tmp_path / "absent.json")
    with pytest.raises(NotADirectoryError):
        model.save(real / "below.json")


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner) | st.tuples(inner) | st.dictionaries(st.sampled_from("a$é"), inner)
    ),
)


@given(PLAIN)
def test_plain_values_come_back_as_they_were(value):
    back = decode(json.loads(json.dumps(encode(value), allow_nan=False)))
    assert repr(back) == repr(value)


@pytest.mark.parametrize(
    "array",
    [
        np.array([1.0, -0.0, np.nan, np.inf, 5e-324, 0.1 + 0.2]),
        np.array([[1, 2], [3, 4]], dtype=np.int32),
        np.array([0.1, 3.4e38], dtype=np.float32),
        np.array([True, False]),
        np.array(["a", "\N{SNOWMAN}"]),
        np.array(["a", "bc"], dtype=object),
        np.zeros((0, 3)),
        np.array([2**63 + 1], dtype=np.uint64),
    ],
)
def test_arrays_come_back_as_they_were(array):
    back = decode(json.loads(json.dumps(encode(array), allow_nan=False)))
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.dtype.kind in "OU" or back.tobytes() == array.tobytes()
    assert back.dtype.kind not in "OU" or np.array_equal(back, array)


def test_paths_and_sparse_arrays_come_back():
    X, y = problem()
    path = sv.sparse_path(X, y, "scad", alphas=7)
    back = decode(json.loads(json.dumps(encode(path), allow_nan=False)))
    assert np.array_equal(back.kkt, path.kkt)
    assert np.array_equal(back.coef_at(path.alphas[3]), path.coef_at(path.alphas[3]))
    assert repr(back.penalty) == repr(path.penalty)
    coefs = sv.SparseRegressor(alpha=0.3).fit(X, y).sparse_coef_
    assert (decode(json.loads(json.dumps(encode(coefs)))) != coefs).nnz == 0


def test_what_is_not_data_is_recorded_as_text():
    back = decode(json.loads(json.dumps(encode({"cv": print, "masked": np.array([print])}))))
    assert isinstance(back["cv"], NotStored)
    assert "print" in repr(back["masked"])
    assert repr(decode(encode(back["cv"]))) == repr(back["cv"])


def test_content_is_read_as_it_was_written(tmp_path):
    content = {"a": [1, 2.5, None, "é"]}
    write_content(tmp_path / "c.json", content)
    assert read_content(tmp_path / "c.json") == content


BOUNDS = [
    None,
    (0, None),
    [-0.5, 0.5],
    (np.full(12, -1.0), np.r_[np.full(6, 0.5), np.full(6, np.inf)]),
    (None, {"gène 0": 0.1, "gène 3": 0.0}),
]


@pytest.mark.parametrize("bounds", BOUNDS)
def test_units_ridge_and_bounds_come_back(bounds, tmp_path):
    options = {"standardize": True, "l1_ratio": 0.7, "ridge": 0.01, "bounds": bounds}
    model = fitted("mcp", names=True, **options)
    model.save(tmp_path / "m.json")
    loaded = sv.load_model(tmp_path / "m.json")
    assert repr(loaded.get_params()) == repr(model.get_params())
    assert np.array_equal(clone(loaded).fit(*problem(names=True)).coef_, model.coef_)


def test_bounds_that_are_not_plain_data_do_not_come_back_but_the_model_does(tmp_path):
    model = fitted(names=True, bounds=(None, pd.Series(np.ones(12))))
    model.save(tmp_path / "m.json")
    loaded = sv.load_model(tmp_path / "m.json")
    assert np.array_equal(loaded.coef_, model.coef_)
    assert isinstance(loaded.bounds[1], NotStored)


def test_files_made_before_there_were_units_mean_columns_as_they_were(tmp_path):
    new = ("standardize", "l1_ratio", "ridge", "bounds")
    for model, expected in ((fitted(), False), (table_model(), True)):
        model.save(tmp_path / "m.json")
        content = json.loads((tmp_path / "m.json").read_text())["content"]
        stored = content["model"].get("regressor", content["model"])
        for name in new:
            del stored["params"][name]
        old = sv.load_model(forge(tmp_path / "old.json", content))
        old = getattr(old, "regressor", old)
        assert [getattr(old, name) for name in new] == [expected, 1.0, 0.0, None]


@pytest.mark.parametrize("ratios", [[0.2, 1.0], (0.5,), np.array([0.3, 0.9])], ids=str)
def test_a_model_that_chose_among_l1_ratios_comes_back(tmp_path, ratios):
    X, y, _ = sv.datasets.make_toy(40, 8, 2, noise=0.5, random_state=0)
    model = sv.SparseRegressorCV("mcp", l1_ratio=ratios, alphas=5).fit(X, y)
    model.save(tmp_path / "m.json")
    loaded = sv.load_model(tmp_path / "m.json")
    assert loaded.l1_ratio_ == model.l1_ratio_
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    model.to_html(tmp_path / "report.html")


def classifier_content(folder):
    X, y = problem()
    labels = np.array(["low", "mid", "high"])[np.digitize(y, [-0.5, 0.5])]
    sv.SparseClassifier("l1", 0.05).fit(X, labels).save(folder / "c.json")
    return read_content(folder / "c.json")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda model: model["estimators"].pop(), "there is not one model per class"),
        (
            lambda model: model["state"]["classes_"].update(data=["low", "low", "mid"]),
            "there are not two different labels",
        ),
        (
            lambda model: model["state"].update(n_features_in_=5),
            "the model of a class is that of something else",
        ),
        (
            lambda model: model["state"].update(
                feature_names_in_={"$": "array", "dtype": "str", "shape": [2], "data": ["a", "b"]}
            ),
            "there is not one name per feature",
        ),
        (lambda model: model["params"].update(loss=3), "the loss is none"),
    ],
)
def test_a_classifier_that_does_not_fit_together(change, words, tmp_path):
    content = classifier_content(tmp_path)
    assert sv.load_model(tmp_path / "c.json").classes_.tolist() == ["high", "low", "mid"]
    change(content["model"])
    write_content(tmp_path / "c.json", content)
    with pytest.raises(ModelFileError, match=words):
        sv.load_model(tmp_path / "c.json")


def test_a_path_with_a_loss_that_is_none(tmp_path):
    X, y = problem()
    model = sv.SparseRegressorIC("l1", alphas=4, eps=0.1, loss=sv.Huber(2.0)).fit(X, y)
    model.save(tmp_path / "m.json")
    assert repr(sv.load_model(tmp_path / "m.json").path_.loss) == "Huber(delta=2.0)"
    content = read_content(tmp_path / "m.json")
    content["model"]["state"]["path_"]["loss"] = 3
    write_content(tmp_path / "m.json", content)
    with pytest.raises(ModelFileError, match="the path has no penalty or no loss"):
        sv.load_model(tmp_path / "m.json")
