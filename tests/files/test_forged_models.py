"""Models that somebody forged: every value is checked, and nothing is written later."""

import json
import os

import numpy as np
import pytest
from forged_files import forge
from problems import toy

import sparsieve as sv
from sparsieve.estimators.table_model import TableModel
from sparsieve.files.checks import _ATTRIBUTES, _CERTIFICATE, _POINT
from sparsieve.files.codec import _array_from_json, decode
from sparsieve.inspect.certificate import Certificate
from sparsieve.solve.points import Point
from sparsieve.tables.columns import make_design
from sparsieve.tables.table import Table


def models():
    X, y, _ = toy(n_samples=40, n_features=6, n_active=3, noise=0.5, seed=0)
    table = Table("t", [f"c{j}" for j in range(6)], np.asfortranarray(X), {}, y, "y")
    design = make_design(table, None, impute="mean")
    chosen = sv.SparseRegressorIC(["l1", "mcp"], alphas=4, standardize=True)
    chosen.fit(design.X, design.y)
    return {
        "plain": sv.SparseRegressor("mcp", alpha=0.3).fit(X, y),
        "cv": sv.SparseRegressorCV(["l1", "mcp"], alphas=4, cv=3).fit(X, y),
        "ic": sv.SparseRegressorIC("mcp", alphas=4).fit(X, y),
        "table": TableModel.of(chosen, design),
    }


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for name, model in models().items():
        model.save(folder / name)
        found[name] = json.loads((folder / name).read_text(encoding="utf-8"))["content"]
    return found


def state_of(content):
    model = content["model"]
    return model.get("regressor", model)["state"]


def loaded(content, tmp_path):
    return sv.load_model(forge(tmp_path / "m.json", content))


def copied(content):
    return json.loads(json.dumps(content))


def test_every_attribute_that_estimators_have_is_known(contents, tmp_path):
    for content in contents.values():
        assert set(state_of(content)) <= set(_ATTRIBUTES)
        loaded(content, tmp_path)


def test_every_field_of_the_records_is_checked():
    assert set(_CERTIFICATE) == set(Certificate.__dataclass_fields__) - {"direction"}
    assert set(_POINT) == set(Point.__dataclass_fields__) - {"counters", "direction"}


NONSENSE = [None, "text", -1, [], [1], {"$": "dict", "items": {}}, {"$": "float", "value": "nan"}]
NONSENSE += [{"$": "not stored", "text": "x"}]


@pytest.mark.parametrize("kind", ["plain", "cv", "ic", "table"])
def test_no_fitted_attribute_takes_nonsense(contents, tmp_path, kind):
    for name in state_of(contents[kind]):
        for value in NONSENSE:
            if name == "penalty_" and value in ("text", NONSENSE[-1]):  # a penalty of the user's
                continue
            content = copied(contents[kind])
            state_of(content)[name] = value
            if value == -1 and name in ("dual_gap_", "objective_", "intercept_"):
                loaded(content, tmp_path)  # numbers of any sign
                continue
            with pytest.raises(sv.ModelFileError, match=r"m\.json is not a valid model file"):
                loaded(content, tmp_path)


@pytest.mark.parametrize("field", sorted(_CERTIFICATE))
@pytest.mark.parametrize("value", ["\x1b[31mevil", [], {"$": "float", "value": "nan"}, -1])
def test_no_field_of_a_certificate_takes_nonsense(contents, tmp_path, field, value):
    content = copied(contents["plain"])
    state_of(content)["certificate_"]["fields"][field] = value
    if value == -1 and field in ("dual_gap", "objective", "lower_bound"):
        loaded(content, tmp_path)
        return
    with pytest.raises(sv.ModelFileError, match=f"certificate's {field} makes no sense"):
        loaded(content, tmp_path)


@pytest.mark.parametrize("field", sorted(_POINT))
@pytest.mark.parametrize("value", ["evil", [1], {"$": "dict", "items": {}}])
def test_no_field_of_a_point_takes_nonsense(contents, tmp_path, field, value):
    content = copied(contents["ic"])
    state_of(content)["path_"]["points"][1]["fields"][field] = value
    with pytest.raises(sv.ModelFileError, match="is not a valid model file"):
        loaded(content, tmp_path)


def test_shapes_that_do_not_fit_together_are_refused(contents, tmp_path):
    numbers = {"$": "array", "dtype": "float64", "shape": [3], "data": [3.0, 2.0, 1.0]}
    for kind, name in (("ic", "alphas_"), ("ic", "criterion_"), ("cv", "mse_path_")):
        content = copied(contents[kind])
        state_of(content)[name] = numbers
        with pytest.raises(sv.ModelFileError):
            loaded(content, tmp_path)
    for name in ("best_index_", "min_index_"):
        content = copied(contents["cv"])
        state_of(content)[name] = 8
        with pytest.raises(sv.ModelFileError, match="chosen alpha is not one of the alphas"):
            loaded(content, tmp_path)


def test_a_model_that_was_loaded_writes_nowhere_the_file_says(contents, tmp_path):
    target = tmp_path / "owned"
    content = copied(contents["cv"])
    content["model"]["params"]["checkpoint"] = str(target)
    model = loaded(content, tmp_path)
    assert model.checkpoint is None
    X, y, _ = toy(n_samples=40, n_features=6, n_active=3, noise=0.5, seed=0)
    model.fit(X, y)
    assert not target.exists()


@pytest.mark.parametrize(
    "made", [3, [], {"$": "dict", "items": {"data": [1]}}, {"$": "dict", "items": {"command": 1}}]
)
def test_a_provenance_that_is_none_is_refused(contents, tmp_path, made):
    with pytest.raises(sv.ModelFileError, match="provenance"):
        loaded(copied(contents["plain"]) | {"provenance": made}, tmp_path)


@pytest.mark.parametrize(
    ("dtype", "data"),
    [("int8", [128]), ("int64", [2**63]), ("uint8", [-1]), ("int64", [1.5]), ("int32", [True])],
)
def test_integers_neither_wrap_around_nor_lose_their_fraction(dtype, data):
    with pytest.raises(ValueError, match="array of"):
        _array_from_json({"dtype": dtype, "shape": [1], "data": data})


def test_one_long_name_does_not_make_room_for_all():
    names = ["x" * 100_000] + ["y"] * 100_000
    array = decode({"$": "array", "dtype": "str", "shape": [100_001], "data": names})
    assert array.nbytes < 10 * 2**20  # 40 GB with the room of the longest for each
    assert array.tolist() == names


def test_a_file_larger_than_max_bytes_is_refused_by_that_name(contents, tmp_path):
    file = forge(tmp_path / "m.json", contents["plain"])
    with pytest.raises(sv.ModelFileError, match=r"max_bytes allows 100; .*`max_bytes=\.\.\.`"):
        sv.load_model(file, max_bytes=100)
    sv.load_model(file, max_bytes=os.path.getsize(file))
    sv.load_model(file, max_bytes=None)
    with pytest.raises(ValueError, match="max_bytes must be an integer >= 1"):
        sv.load_model(file, max_bytes=0)


def test_a_file_of_brackets_is_refused_before_it_takes_memory(tmp_path):
    with pytest.raises(sv.ModelFileError, match="made of brackets"):
        sv.load_model(forge(tmp_path / "m.json", b"[" + b"{}," * 100_000 + b"{}]"))


NAN = {"$": "float", "value": "nan"}
COLUMN = {"$": "array", "dtype": "float64", "shape": [6], "data": [0.0] * 5 + [1.0]}
FORGED_TERMS = [
    *(("standardize", value) for value in ("yes", -1, [], NAN, {"$": "dict", "items": {}})),
    *(("l1_ratio", value) for value in (0, 1.5, -1, "half", None, [0.5, 1.0], [], NAN, True)),
    *(("ridge", value) for value in (-1, "none", None, [], NAN, {"$": "float", "value": "inf"})),
    *(("bounds", value) for value in (3, "ab", [], [1], [1, 2, 3], [NAN, None], [None, "x"])),
    ("bounds", [1.0, 2.0]),
    ("bounds", [None, -1.0]),
    ("bounds", [COLUMN, None]),
    ("bounds", [None, COLUMN | {"shape": [5], "data": [1.0] * 5}]),
    ("bounds", [{"$": "dict", "items": {"no such column": -1.0}}, None]),
]


@pytest.mark.parametrize("kind", ["plain", "cv", "ic", "table"])
@pytest.mark.parametrize(("name", "value"), FORGED_TERMS)
def test_no_unit_ridge_or_bound_takes_nonsense(contents, tmp_path, kind, name, value):
    content = copied(contents[kind])
    model = content["model"]
    model.get("regressor", model)["params"][name] = value
    with pytest.raises(sv.ModelFileError, match=r"m\.json is not a valid model file"):
        loaded(content, tmp_path)
