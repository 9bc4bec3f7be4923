"""A model of a table refuses rows that it was not made for, and parts of another."""

import sys

import numpy as np
import pandas as pd
import pytest

import sparsieve as sv
from sparsieve.estimators.table_model import TableModel
from sparsieve.tables.columns import make_design
from sparsieve.tables.table import TableError
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


def test_a_classifier_is_no_regressor(houses, tmp_path):
    design = make_design(read_table(tmp_path / "houses.csv"), "price", one_hot=True)
    model = sv.SparseClassifier("l1", 0.05).fit(design.X, design.y > 0.0)
    with pytest.raises(
        TypeError, match=r"holds a regressor, not a classifier; pass its estimators_"
    ):
        TableModel(model, design.schema)
    table = TableModel.of(model.estimators_[0], design)
    assert np.allclose(table.predict(houses), model.predict_proba(design.X)[:, 1], rtol=1e-12)
