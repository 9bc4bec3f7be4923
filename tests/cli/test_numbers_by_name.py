"""Options that give numbers to columns by name, and several l1 ratios: what they do and refuse."""

import numpy as np
import pandas as pd
import pytest
from cli_tables import dirty_columns, write_csv

import sparsieve as sv


@pytest.mark.parametrize("way", ["options", "file"])
def test_bounds_and_weights_by_name(run, houses, tmp_path, way):
    frame = pd.read_csv(houses)
    (tmp_path / "low.csv").write_text('area,-0.5\n\n"rooms",0\n', encoding="utf-8")
    low = ["area=-0.5", "--lower", "rooms=0"] if way == "options" else ["@low.csv"]
    given = ["--lower", -2, "--lower", *low, "--upper", "age=0.25", "--upper", "area=2"]
    given += ["--weights", "age=0", "--weights", "noise=inf"]
    options = ["-t", "price", "-p", "mcp", "--alpha", "0.5"]
    done = run("fit", houses, *options, *given, "-o", "m.json", "--no-report")
    assert done.code == 0, done
    direct = sv.SparseRegressor(
        "mcp",
        0.5,
        standardize=True,
        weights={"age": 0.0, "noise": np.inf},
        bounds=([-0.5, 0.0, -2.0, -2.0], {"area": 2.0, "age": 0.25}),
    ).fit(frame.drop(columns="price"), frame["price"])
    model = sv.load_model(tmp_path / "m.json")
    np.testing.assert_array_equal(model.coef_, direct.coef_)
    assert direct.coef_[0] == 2.0  # its bound
    assert "\nbounds one number per column to one number per column\n" in done.out
    assert "\nweights age 0, noise inf\n" in done.out
    assert "\nweights age 0, noise inf\n" in run("info", "m.json").out
    done = run("path", houses, "-t", "price", *given, "--alphas", "4", "-o", "path.csv")
    found = pd.read_csv(tmp_path / "path.csv")
    assert "noise" not in set(found["feature"])
    assert found.loc[found["feature"] == "area", "coefficient"].between(0, 2).all()


def test_a_column_of_text_gets_one_number_for_all_its_values(run, tmp_path):
    file = write_csv(tmp_path / "dirty.csv", dirty_columns())
    options = ["-t", "price", "--one-hot", "--impute", "mean", "--alpha", "1", "-p", "l1"]
    options += ["--drop", "fixed", "--no-report"]
    given = ["--weights", "city=0", "--upper", "city=1.5", "--upper", "city=Lyon=20"]
    done = run("fit", file, *options, *given)
    assert done.code == 0, done
    model = sv.load_model(tmp_path / "dirty.model.json")
    names = list(model.feature_names_in_)
    cities = [j for j, name in enumerate(names) if name.startswith("city=")]
    weights, (lower, upper) = model.regressor.weights, model.regressor.bounds
    assert lower is None
    assert np.all(weights[cities] == 0)
    assert weights.sum() == len(names) - len(cities)
    assert upper[names.index("city=Lyon")] == 20
    assert min(upper[cities]) == 1.5
    assert np.sum(np.isinf(upper)) == len(names) - len(cities)


def test_cross_validation_chooses_among_ratios(run, houses, tmp_path):
    options = ["-t", "price", "-p", "l1", "--alphas", "8", "--folds", "3", "--no-report"]
    done = run("fit", houses, *options, "--l1-ratio", "0.2,0.9,1", "-o", "m.json")
    assert done.code == 0, done
    model = sv.load_model(tmp_path / "m.json")
    chosen = model.regressor.l1_ratio_
    assert chosen in (0.2, 0.9, 1.0)
    assert f"\nl1 ratio {chosen:g}, one of 0.2, 0.9, 1\n" in done.out


def test_several_ratios_where_nothing_chooses(refused, houses):
    ratios = ["-t", "price", "--l1-ratio", "0.5,1"]
    for verb, more, who in [
        ("fit", ["--alpha", "1"], "--alpha chooses none"),
        ("fit", ["--select", "ebic"], "--select ebic chooses none"),
        ("path", [], "a path chooses none"),
    ]:
        assert who in refused(verb, houses, *ratios, *more, code=2)


def test_names_and_files_of_numbers_that_do_not_fit(refused, houses, tmp_path):
    start = ["fit", houses, "-t", "price"]
    error = refused(*start, "--weights", "agge=0", code=3)
    assert error == "--weights names 'agge', which is no column that is fitted; did you mean 'age'?"
    assert "is no column that is fitted" in refused(*start, "--lower", "price=0", code=3)
    assert "'age' has two numbers" in refused(
        *start, "--lower", "age=0", "--lower", "age=-1", code=2
    )
    assert "there are two numbers" in refused(*start, "--lower", "0", "--lower", "-1", code=2)
    assert "absent.csv" in refused(*start, "--lower", "@absent.csv", code=4)
    for text, words in [
        (b"age,0\nrooms\n", "low.csv: entry 2 is 'rooms'; each line must be NAME,NUMBER"),
        (b"age,1,2\n", "entry 1 is 'age,1,2'"),
        (b"\xff\xfe", "low.csv is no CSV text in UTF-8"),
    ]:
        (tmp_path / "low.csv").write_bytes(text)
        assert words in refused(*start, "--lower", "@low.csv", code=3)
    (tmp_path / "low.csv").write_text("age,1\n")
    assert "1 for 'age' excludes zero" in refused(*start, "--lower", "@low.csv", code=2)
