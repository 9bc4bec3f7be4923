"""A table to a model in one call, with the defaults of the command line."""

import logging

import numpy as np
import pandas as pd
import pytest

import sparsieve as sv
from sparsieve.cli import main
from sparsieve.tables.table import TableError


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n = 60
    frame = pd.DataFrame(
        {
            "house": [f"H{k}" for k in range(n)],
            "area": rng.uniform(40, 200, n).round(2),
            "rooms": rng.integers(1, 7, n),
            "city": rng.choice(["Paris", "Lyon", None], n),
            "sold": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
            "noise": rng.normal(size=n).round(6),
        }
    )
    noise = rng.normal(0.0, 8.0, n)
    frame["price"] = (50 + 2.5 * frame["area"] + 30.0 * (frame["city"] == "Lyon") + noise).round(3)
    frame.loc[[7, 9], "price"] = np.nan
    return frame


OPTIONS = {"one_hot": True, "impute": "mean", "dates": "auto", "drop_rows_without_target": True}


def test_the_same_model_from_a_frame_a_file_and_a_shell(frame, tmp_path, monkeypatch):
    frame.to_csv(tmp_path / "t.csv", index=False)
    from_frame = sv.fit_table(frame, "price", id="house", **OPTIONS)
    from_file = sv.fit_table(tmp_path / "t.csv", "price", id=["house"], **OPTIONS)
    monkeypatch.chdir(tmp_path)
    options = ["--one-hot", "--impute", "mean", "--dates", "auto", "--drop-rows-without-target"]
    with pytest.raises(SystemExit) as ended:
        main(["fit", "t.csv", "-t", "price", "--id", "house", *options, "--no-report", "-q"])
    assert ended.value.code == 0
    from_shell = sv.load_model(tmp_path / "t.model.json")
    for other in (from_file, from_shell):
        assert list(other.feature_names_in_) == list(from_frame.feature_names_in_)
        np.testing.assert_array_equal(other.coef_, from_frame.coef_)
    assert "city=(missing)" in from_frame.feature_names_in_
    expected = from_frame.predict(frame)
    np.testing.assert_array_equal(from_file.predict(tmp_path / "t.csv"), expected)
    assert from_file.provenance_["data"] == {"file": "t.csv", "rows": 58, "target": "price"}


def test_one_message_lists_all_that_a_frame_needs(frame):
    with pytest.raises(TableError) as raised:
        sv.fit_table(frame, "price")
    said = str(raised.value)
    for words in (
        "looks like an identifier",
        "dates in 'sold'",
        "text in column 'city'",
        "the target 'price' is missing in 2 of 60 rows",
        "missing values in 'city'",
    ):
        assert words in said
    assert "All at once: `drop=['house']`" in said.replace("`dates='auto'` ", "")


def test_names_and_options_that_do_not_exist(frame):
    with pytest.raises(TableError, match="X has no column 'aera'; did you mean 'area'"):
        sv.fit_table(frame, "price", drop=["aera"])
    with pytest.raises(TypeError, match="fit_table has no argument 'sep'; files are read with"):
        sv.fit_table("t.csv", "price", sep=";")
    with pytest.raises(TableError, match="impute must be one of mean, median, zero or None"):
        sv.fit_table(frame, "price", impute="mode")
    with pytest.raises(TableError, match="columns of a data frame need text for names"):
        sv.fit_table(pd.DataFrame(np.ones((3, 2))), "price")


def test_any_estimator_and_marks_of_missing_values(tmp_path):
    (tmp_path / "t.csv").write_text("a;b;y\n1,5;2;3,5\n2,5;?;5,1\n4,0;1;7,9\n3,0;4;6,2\n")
    model = sv.fit_table(
        tmp_path / "t.csv", "y", sv.SparseRegressor("l1", 0.1), missing="?", impute="median"
    )
    assert model.schema.reading == {"decimal": ",", "thousands": ".", "missing": ["?"]}
    again = model.predict({"a": [1.5, 2.5], "b": [2.0, np.nan]})
    np.testing.assert_array_equal(model.predict(tmp_path / "t.csv")[:2], again)


def test_the_logger_tells_what_was_found_and_fitted(frame, caplog):
    with caplog.at_level(logging.INFO, logger="sparsieve"):
        sv.fit_table(frame, "price", sv.SparseRegressor("l1", 0.1), drop="house", **OPTIONS)
    said = [record.getMessage() for record in caplog.records]
    assert any("2 rows without 'price' left out" in text for text in said)
    assert any(text.startswith("SparseRegressor: a critical point") for text in said)


def test_what_a_target_is_taken_for_is_logged(frame, caplog):
    plain = frame.drop(columns=["house", "sold", "city"]).dropna()
    dear = np.where(plain["price"] > plain["price"].median(), "dear", "cheap")
    rng = np.random.default_rng(1)
    with caplog.at_level(logging.INFO, logger="sparsieve"):
        model = sv.fit_table(plain.assign(price=dear), "price")
        assert "taken for two labels, 'cheap' (29 rows) and 'dear' (29 rows)" in caplog.text
        assert isinstance(model.regressor, sv.SparseClassifierCV)
        visits = rng.poisson(1.5, len(plain))
        model = sv.fit_table(plain.assign(price=visits), "price")
        assert "taken for counts (whole numbers from 0 to" in caplog.text
        assert model.regressor.loss.name == "poisson"
        model = sv.fit_table(plain.assign(price=visits), "price", loss="squared")
        assert model.regressor.loss == "squared"
    with pytest.raises(TableError, match=r"the target 'price' is negative .* `loss='poisson'`"):
        sv.fit_table(plain.assign(price=-plain["price"]), "price", loss="poisson")
    with pytest.raises(TableError, match="holds text, for instance 'dear', and `loss='squared'`"):
        sv.fit_table(plain.assign(price=dear), "price", sv.SparseRegressor())
