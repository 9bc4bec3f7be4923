"""The order of the rooms is kept, and what breaks it is found."""

import pytest
from ci import rooms


def make(tmp_path, **sources):
    for name, source in sources.items():
        file = tmp_path.joinpath(*name.split("__in__"))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_suffix(".py").write_text(source)
    return tmp_path


def test_every_import_of_the_package_is_allowed():
    assert rooms.wrong_imports() == []


def test_an_import_against_the_order_is_found(tmp_path):
    package = make(
        tmp_path, data__in__a="def f():\n    from ..solve.b import c\n", solve__in__b="c = 1"
    )
    assert rooms.wrong_imports(package) == ["data.a:2: data must not import solve"]


def test_a_circle_inside_a_room_is_found(tmp_path):
    package = make(
        tmp_path, data__in__a="from .b import x", data__in__b="import sys\nfrom . import a"
    )
    assert rooms.wrong_imports(package) == ["a circle: data.a -> data.b -> data.a"]


def test_a_room_without_a_place_is_found(tmp_path):
    package = make(tmp_path, data__in__a="from ..attic.b import x", attic__in__b="x = 1")
    found = rooms.wrong_imports(package)
    assert any("attic has no place in ORDER" in line for line in found)


def test_only_data_takes_X_apart():
    assert rooms.wrong_access() == []


@pytest.mark.parametrize(
    "source",
    [
        "sparse.issparse(X)",
        "from scipy.sparse import issparse",
        "starts = matrix.indptr",
        "X[:, 0]",
        "problem.data.X[rows]",
        "self._X[0]",
        "X @ w",
        "w @ data.X",
        "X.T",
        "data.X.toarray()",
    ],
)
def test_taking_X_apart_is_found(tmp_path, source):
    package = make(tmp_path, solve__in__b=f"def f():\n    {source}\n")
    found = rooms.wrong_access(package)
    assert found
    assert all(line.startswith("solve.b:2: ") for line in found)


@pytest.mark.parametrize("source", ["design.product(w)", "check(data.X)", "X.shape[1]", "Z @ w"])
def test_handing_X_on_is_allowed(tmp_path, source):
    assert rooms.wrong_access(make(tmp_path, solve__in__b=source)) == []


def test_an_exception_that_nothing_needs_is_found(tmp_path):
    package = make(tmp_path, data__in__a="X[0]", tables__in__b="1")
    assert rooms.wrong_access(package) == ["tables takes no X apart, strike it from KNOWS_STORAGE"]
