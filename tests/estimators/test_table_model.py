"""A model of a table refuses rows that it was not made for, and parts of another."""

import sys

import numpy as np
import pandas as pd
import pytest

import sparsieve as sv
from sparsieve.estimators.table_model import TableModel
from sparsieve.tables.columns import make_design
from sparsieve.tables.frames import table_of_frame
from sparsieve.tables.table import Selection, TableError
from sparsieve.tables.table_files import read_table


@pytest.fixture
def houses(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"area": rng.normal(size=30), "city": ["Paris", "Lyon", "Nice"] * 10})
    frame["price"] = 3 * frame["area"] + (frame["city"] == "Lyon") + 0.1 * rng.normal(size=30)
    frame.to_csv(tmp_path / "houses.csv", index=False)
    return frame


def fitted(folder, *, drop=(), **options):
    design = make_design(read_table(folder / "houses.csv", drop=drop), "price", **options)
    regressor = sv.SparseRegressor("l1", 1e-3, standardize=True).fit(design.X, design.y)
    return TableModel.of(regressor, design)


@pytest.fixture
def model(houses, tmp_path):
    return fitted(tmp_path, one_hot=True)


def test_rows_with_missing_text(model, houses):
    houses.loc[[3, 4], "city"] = None
    with pytest.raises(TableError, match="X: 2 missing values in column 'city'; fill them, or fit"):
        model.predict(houses)


def test_columns_that_do_not_hold_numbers(model, houses):
    houses["area"] = "large"
    with pytest.raises(TableError, match="X: column 'area' does not hold numbers; convert it"):
        model.predict(houses)


def test_an_array_has_no_names_to_go_by(model, houses, tmp_path):
    words = r"shape \(30, 2\) does not match the columns 'area', 'city'; pass a data frame"
    with pytest.raises(TableError, match=words):
        model.predict(np.ones((30, 2)))
    plain = fitted(tmp_path, drop=["city"])
    with pytest.raises(TableError, match=r"shape \(30, 2\) does not match the columns 'area';"):
        plain.predict(np.ones((30, 2)))
    area = houses[["area"]]
    np.testing.assert_array_equal(plain.predict(area.to_numpy()), plain.predict(area))


def test_a_schema_and_a_regressor_of_another_table(model, tmp_path):
    plain = fitted(tmp_path, drop=["city"])
    with pytest.raises(ValueError, match="makes 3 columns, the regressor has 1; pass the two that"):
        TableModel(plain.regressor, model.schema)


def test_a_pipeline_needs_pandas(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_pipeline needs pandas: pip install pandas"):
        model.to_pipeline()


def test_counts_are_predicted_as_means(houses, tmp_path):
    houses["price"] = np.random.default_rng(1).poisson(np.exp(0.3 * houses["area"] + 1.0))
    houses.to_csv(tmp_path / "houses.csv", index=False)
    design = make_design(read_table(tmp_path / "houses.csv"), "price", one_hot=True)
    regressor = sv.SparseRegressor("l1", 1e-2, loss="poisson", standardize=True)
    table = TableModel.of(regressor.fit(design.X, design.y), design)
    expected = regressor.predict(design.X)
    assert np.allclose(table.predict(houses), expected, rtol=1e-12)
    assert np.allclose(table.to_pipeline().predict(houses), expected, rtol=1e-12)
    table.save(tmp_path / "m.json")
    assert np.array_equal(sv.load_model(tmp_path / "m.json").predict(houses), table.predict(houses))
    assert '"loss": "Poisson()"' in table.to_json()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_classifier_predicts_labels_and_probabilities(houses, tmp_path, n_classes):
    frame = houses.assign(price=np.array(["high", "low", "mid"])[np.arange(30) // 2 % n_classes])
    model = sv.fit_table(frame, "price", sv.SparseClassifier("l1", 0.01), one_hot=True)
    X = make_design(table_of_frame(frame, Selection()), "price", one_hot=True).X
    regressor = sv.SparseClassifier("l1", 0.01).fit(X, frame["price"])
    assert model.coef_.shape == ((1 if n_classes == 2 else 3), 3)
    assert np.array_equal(model.predict(frame), regressor.predict(X))
    assert np.allclose(model.predict_proba(frame), regressor.predict_proba(X), rtol=1e-12)
    pipeline = model.to_pipeline()
    assert np.array_equal(pipeline.predict(frame), model.predict(frame))
    assert np.allclose(pipeline.predict_proba(frame), model.predict_proba(frame), rtol=1e-12)
    model.save(tmp_path / "m.json")
    again = sv.load_model(tmp_path / "m.json")
    assert np.array_equal(again.predict_proba(frame), model.predict_proba(frame))
    assert [name for name, _ in again.each()] == [name for name, _ in model.each()]
    assert len(again.each()) == (1 if n_classes == 2 else 3)
    assert all(name in again.summary() for name, _ in again.each())
    assert again.to_frame().index.isin(model.feature_names_in_).all()
    assert '"classes"' in again.to_json()
    assert len(np.atleast_1d(again.alpha_)) == len(again.each())


def test_a_regressor_has_no_probabilities(houses):
    model = sv.fit_table(houses, "price", sv.SparseRegressor("l1", 0.1), drop=["city"])
    with pytest.raises(AttributeError, match="there are no probabilities; use predict, or fit wit"):
        model.predict_proba(houses)
    assert not hasattr(model, "classes_")


def test_an_offset_is_part_of_the_model(houses, tmp_path):
    frame = houses.assign(n=np.arange(30) % 4, log_t=np.linspace(0.0, 1.0, 30))
    columns = {"loss": "poisson", "offset": "log_t", "drop": ["city"]}
    model = sv.fit_table(frame, "n", **columns)
    without = frame.assign(log_t=0.0)
    ratio = model.predict(frame) / model.predict(without)
    assert np.allclose(ratio, np.exp(frame["log_t"]), rtol=1e-12)
    with pytest.raises(TableError, match="X lacks 'log_t', the offset that the model was fitted"):
        model.predict(frame.drop(columns="log_t"))
    with pytest.raises(TableError, match="does not match the columns 'area', 'price', 'log_t'"):
        model.predict(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="the model adds the offset 'log_t' to each row, which no"):
        model.to_pipeline()
    with pytest.raises(ValueError, match="loss: the estimator that you pass has a loss of its own"):
        sv.fit_table(frame, "n", sv.SparseRegressor(), **columns)
    with pytest.raises(TableError, match="'log_t' is missing or infinite in 1 of 30 rows"):
        model.predict(frame.assign(log_t=[np.inf, *frame["log_t"][1:]]))
