"""What stands where numbers or flags are expected: the message names it and a remedy that works."""

import inspect

import numpy as np
import pandas as pd
import pytest
from scipy.sparse.linalg import aslinearoperator

import sparsieve as sv
from sparsieve.data.kinds import check_flag
from sparsieve.tables.columns import Schema, make_design
from sparsieve.tables.table import ReadOptions, Table

RNG = np.random.default_rng(0)
X = RNG.standard_normal((20, 3))
Y = X[:, 0] + 0.1 * RNG.standard_normal(20)


def test_complex_y_is_told_a_remedy_that_is_accepted():
    with pytest.raises(ValueError, match=r"y has dtype complex128; fit y\.real and y\.imag each"):
        sv.SparseRegressor().fit(X, Y + 1j)
    sv.SparseRegressor(alpha=0.1).fit(X, (Y + 1j * Y).imag)


def test_complex_weights_are_not_told_about_columns():
    with pytest.raises(ValueError, match=r"pass real numbers, for instance sample_weight\.real"):
        sv.SparseRegressor().fit(X, Y, sample_weight=np.ones(20) + 0j)


def test_an_operator_is_not_told_to_encode_text():
    with pytest.raises(TypeError, match="entries cannot be read") as caught:
        sv.sparse_path(aslinearoperator(X), Y)
    assert "text" not in str(caught.value)
    sv.sparse_path(aslinearoperator(X) @ np.eye(3), Y, alphas=3)  # the remedy


def frames():
    yield pd.DataFrame({"age": X[:, 0], "town": ["Oslo"] * 20, "pay": X[:, 1]})
    yield pd.DataFrame({"age": X[:, 0], "town": pd.Categorical(["Oslo"] * 20)})
    polars = pytest.importorskip("polars")
    yield polars.DataFrame({"age": X[:, 0], "town": ["Oslo"] * 20})


def test_text_in_a_frame_is_named_by_its_column():
    for frame in frames():
        with pytest.raises(ValueError, match=r"'town' \(for instance 'Oslo'\)") as caught:
            sv.SparseRegressor().fit(frame, Y)
        assert "age" not in str(caught.value)
        assert "OneHotEncoder" in str(caught.value)


def test_dates_in_a_frame_are_named_by_their_column():
    frame = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=20), "a": X[:, 0]})
    with pytest.raises((ValueError, TypeError), match="'day'"):
        sv.SparseRegressor().fit(frame, Y)


NO_FLAGS = ["no", "False", "", 0, 1, None, 1.0, [True]]


@pytest.mark.parametrize("value", NO_FLAGS)
def test_what_is_not_a_flag_is_refused(value):
    with pytest.raises(ValueError, match=r"positive must be True or False, got .*positive=False"):
        check_flag("positive", value)


@pytest.mark.parametrize("value", [True, np.True_])
def test_flags_of_python_and_numpy_are_accepted(value):
    assert check_flag("positive", value) is True


def flagged(call):
    """Return the names of the parameters of a callable that are flags by default."""
    parameters = inspect.signature(call).parameters.values()
    return [each.name for each in parameters if isinstance(each.default, bool)]


FITS = [
    (cls, name)
    for cls in (sv.SparseRegressor, sv.SparseRegressorCV, sv.SparseRegressorIC)
    for name in flagged(cls)
]


@pytest.mark.parametrize(("estimator", "name"), FITS)
def test_every_flag_of_an_estimator_must_be_one(estimator, name):
    with pytest.raises(ValueError, match=f"^{name} must be True or False, got 'no'"):
        estimator(**{name: "no"}).fit(X, Y)


CALLS = [
    (sv.sparse_path, (X, Y)),
    (sv.alpha_max, (X, Y)),
    (sv.sparse_surface, (X, Y, ["mcp"])),
    (sv.stability_selection, (X, Y)),
    (sv.local_minima, (X, Y)),
    (sv.objective, (X, Y, np.zeros(3))),
    (sv.kkt_violation, (X, Y, np.zeros(3))),
    (sv.coordinatewise_violation, (X, Y, np.zeros(3))),
    (sv.swap_violation, (X, Y, np.zeros(3))),
    (sv.proximal_weighted_lasso, (X, Y, np.ones(3))),
]


@pytest.mark.parametrize(
    ("function", "given", "name"),
    [(function, given, name) for function, given in CALLS for name in flagged(function)],
)
def test_every_flag_of_a_function_must_be_one(function, given, name):
    rest = {
        each.name: "mcp" if each.name == "penalty" else 0.5
        for each in list(inspect.signature(function).parameters.values())[len(given) :]
        if each.default is inspect.Parameter.empty and each.kind is not each.VAR_KEYWORD
    }
    with pytest.raises(ValueError, match=f"^{name} must be True or False, got 'no'"):
        function(*given, **(rest | {name: "no"}))


def test_flags_of_tables_must_be_flags():
    table = Table("t", ["a", "b", "c"], np.asfortranarray(X), {}, Y, "y")
    with pytest.raises(ValueError, match=r"^one_hot must be True or False"):
        make_design(table, None, one_hot="no")
    model = sv.TableModel(sv.SparseRegressor(alpha=0.1).fit(X, Y), Schema(["a", "b", "c"]))
    with pytest.raises(ValueError, match=r"^only_selected must be True or False"):
        model.predict(X, only_selected="no")
    with pytest.raises(ValueError, match=r"^header must be True or False"):
        ReadOptions(header="no")
