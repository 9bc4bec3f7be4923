"""The commands do what they say, through the real command."""

import csv
import json
import os
import pty
import re
import subprocess
import sys
import termios
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli_tables import dirty_columns, house_columns, write_csv
from sklearn.base import clone
from sklearn.datasets import dump_svmlight_file

import sparsieve as sv
from sparsieve._words import terms_in_words
from sparsieve.penalties.resolve import BY_NAME


def read_predictions(file):
    rows = file.read_text().splitlines()
    assert rows[0] == "prediction"
    return np.array([float(row) for row in rows[1:]])


def test_fit_predict_info_report_end_to_end(command, houses, tmp_path):
    done = command("fit", houses, "--target", "price")
    assert done.code == 0, done
    assert "area" in done.out
    assert re.search(r"^model +houses.model.json$", done.out, re.MULTILINE)
    model = sv.load_model(tmp_path / "houses.model.json")
    assert model.certificate_.converged
    assert abs(dict(zip(model.feature_names_in_, model.coef_, strict=True))["area"] - 2.5) < 0.1
    page = (tmp_path / "houses.report.html").read_text(encoding="utf-8")
    assert "rooms" in page
    assert page.lower().startswith("<!doctype html")

    exact = ("--score", "--digits", "17")
    done = command("predict", "houses.model.json", houses, "-o", "p.csv", *exact)
    assert done.code == 0, done
    assert re.search(r"R2 0\.9\d+ on 60 rows", done.err)
    predicted = read_predictions(tmp_path / "p.csv")
    assert np.array_equal(predicted, model.predict(pd.read_csv(houses)))

    assert "rooms" in model.to_html()
    done = command("info", "houses.model.json")
    assert done.code == 0
    assert "target    price" in done.out
    assert "sparsieve fit" in done.out

    os.remove(tmp_path / "houses.report.html")
    assert command("report", "houses.model.json").code == 0
    assert "rooms" in (tmp_path / "houses.report.html").read_text(encoding="utf-8")


def test_json_export_predicts_with_nothing_but_arithmetic(run, houses, tmp_path):
    assert run("fit", houses, "-t", "price", "--no-report").code == 0
    document = json.loads(run("info", "houses.model.json", "--json").out)
    frame = pd.read_csv(houses)
    by_hand = document["intercept"] + sum(
        coefficient * frame[name] for name, coefficient in document["coefficients"].items()
    )
    model = sv.load_model(tmp_path / "houses.model.json")
    # The same few products and sums, in another order.
    np.testing.assert_allclose(by_hand, model.predict(frame), rtol=1e-13)


def test_provenance_names_data_command_and_software(run, houses, tmp_path):
    assert run("fit", houses, "-t", "price", "--no-report", "-q").code == 0
    made = sv.load_model(tmp_path / "houses.model.json").provenance_
    assert made["data"]["rows"] == 60
    assert made["data"]["target"] == "price"
    assert len(made["data"]["sha256"]) == 64
    assert made["command"].startswith("sparsieve fit ")
    assert {"sparsieve", "numpy", "python", "created"} <= made.keys()


@pytest.mark.parametrize("select", ["cv", "ebic", "alpha"])
def test_every_way_to_choose(run, houses, tmp_path, select):
    way = ["--alpha", "0.5"] if select == "alpha" else ["--select", select]
    done = run("fit", houses, "-t", "price", "-p", "mcp:gamma=2.5", *way, "--rule", "1se")
    assert done.code == 0, done
    model = sv.load_model(tmp_path / "houses.model.json")
    penalty = model.penalty_
    assert penalty.gamma == 2.5
    names = {"cv": "SparseRegressorCV", "ebic": "SparseRegressorIC", "alpha": "SparseRegressor"}
    assert type(model.regressor).__name__ == names[select]
    assert ("R2 on rows left out" in done.out) == (select == "cv")


@pytest.mark.parametrize(
    ("select", "minimum"),
    [("cv", "swap"), ("ebic", "coordinatewise"), ("alpha", "swap"), ("alpha", "stationary")],
)
def test_fits_look_for_the_minimum_that_is_asked_for(run, houses, tmp_path, select, minimum):
    way = ["--alpha", "20"] if select == "alpha" else ["--select", select, "--alphas", "10"]
    options = ["-p", "mcp", *way, "--minimum", minimum, "--no-report"]
    done = run("fit", houses, "-t", "price", *options)
    assert done.code == 0, done
    model = sv.load_model(tmp_path / "houses.model.json")
    assert model.regressor.minimum == minimum
    assert model.certificate_.minimum == minimum
    assert f"--minimum {minimum}" in model.provenance_["command"]


def test_paths_look_for_the_minimum_that_is_asked_for(run, houses):
    done = run("path", houses, "-t", "price", "-p", "mcp", "--alphas", "10", "--minimum", "swap")
    assert done.code == 0, done
    done = run("path", houses, "-t", "price", "--minimum", "global")
    assert done.code == 2
    assert "'global' is not one of 'stationary', 'coordinatewise', 'swap'" in done.err


def test_standardising_changes_the_fit_but_not_the_scale_of_coefficients(run, tmp_path):
    columns = house_columns()
    write_csv(tmp_path / "a.csv", columns)
    columns["area"] = [1e4 * value for value in columns["area"]]
    write_csv(tmp_path / "b.csv", columns)
    for name in "ab":
        assert run("fit", f"{name}.csv", "-t", "price", "-p", "l1", "--no-report").code == 0
    a, b = (sv.load_model(tmp_path / f"{name}.model.json") for name in "ab")
    # Standardised columns are equal up to rounding, so are fits at tol = 1e-6.
    np.testing.assert_allclose(a.coef_[0], 1e4 * b.coef_[0], rtol=1e-5)
    np.testing.assert_allclose(a.coef_[1:], b.coef_[1:], rtol=1e-5, atol=1e-8)
    assert run("fit", "b.csv", "-t", "price", "--no-standardize", "--no-report").code == 0
    assert sv.load_model(tmp_path / "b.model.json").schema.scale is None


TERMS = ["--l1-ratio", "0.5", "--ridge", "0.1", "--lower", "-2", "--upper", "3"]


@pytest.mark.parametrize("units", ["--standardize", "--no-standardize"])
def test_ridge_and_bounds_reach_the_fit_and_are_told(run, houses, tmp_path, units):
    options = ["-t", "price", "-p", "mcp", "--alpha", "5", units]
    assert run("fit", houses, *options, "-q", "-o", "plain.json", "--no-report").code == 0
    done = run("fit", houses, *options, *TERMS, "-o", "m.json", "--report", "m.html")
    assert done.code == 0, done
    model, plain = (sv.load_model(tmp_path / name) for name in ("m.json", "plain.json"))
    frame = pd.read_csv(houses)
    direct = sv.SparseRegressor(
        "mcp",
        5.0,
        standardize=units == "--standardize",
        l1_ratio=0.5,
        ridge=0.1,
        bounds=(-2, 3),
    ).fit(frame.drop(columns="price"), frame["price"])
    np.testing.assert_array_equal(model.coef_, direct.coef_)
    assert not np.array_equal(model.coef_, plain.coef_)
    told = "l1 ratio 0.5\nridge 0.1\nbounds -2 to 3\n"
    assert told in done.out
    assert told in run("info", "m.json").out
    assert "\nridge" not in run("info", "plain.json").out
    assert '"bounds": "-2 to 3"' in run("info", "m.json", "--json").out
    assert '"bounds":"-2 to 3"' in (tmp_path / "m.html").read_text(encoding="utf-8")
    again = model.to_pipeline()
    np.testing.assert_allclose(again.predict(frame), model.predict(frame), rtol=1e-10)
    again = clone(again).fit(frame.drop(columns="price"), frame["price"])
    # The same solve, of columns that the pipeline copied.
    np.testing.assert_allclose(again.predict(frame), model.predict(frame), rtol=1e-6)


def test_ridge_and_bounds_reach_paths(run, houses, tmp_path):
    options = ["-t", "price", "-p", "l1", "--alphas", "5", "-o", "path.csv", "--force"]
    assert run("path", houses, *options, *TERMS).code == 0
    found = pd.read_csv(tmp_path / "path.csv")
    found = found[found["feature"] != "(intercept)"]
    assert found["coefficient"].between(-2, 3).all()
    frame = pd.read_csv(houses)
    path = sv.sparse_path(
        frame.drop(columns="price"),
        frame["price"],
        "l1",
        alphas=5,
        standardize=True,
        l1_ratio=0.5,
        ridge=0.1,
        bounds=(-2, 3),
    )
    values = np.concatenate([point.values for point in path.points])
    np.testing.assert_array_equal(found["coefficient"], values)


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--l1-ratio", "0", "'--l1-ratio': 0 is not above 0 and at most 1; use 1 for no ridge"),
        ("--l1-ratio", "1.5", "1.5 is not above 0 and at most 1"),
        ("--l1-ratio", "nan", "nan is not above 0 and at most 1"),
        ("--ridge", "-1", "'--ridge': -1 is not a finite number >= 0; use 0 for no ridge"),
        ("--ridge", "inf", "inf is not a finite number >= 0"),
        ("--lower", "1", "'--lower': 1 excludes zero; use 0 or less"),
        ("--upper", "-1", "'--upper': -1 excludes zero; use 0 or more"),
        ("--upper", "nan", "'nan' is not a number, NAME=NUMBER or @FILE"),
        ("--upper", "much", "'much' is not a number, NAME=NUMBER or @FILE"),
        ("--upper", "age=much", "'much' is not a number; write for instance --upper age=0"),
        ("--upper", "age=-1", "-1 for 'age' excludes zero; use 0 or more"),
        ("--weights", "2", "'2' is not NAME=NUMBER or @FILE"),
        ("--weights", "age=-1", "-1 for 'age' is below 0; use 0 for no penalty, inf to leave"),
        ("--l1-ratio", "0.5,much", "'much' is not a number; write for instance 0.5,0.9,1"),
        ("--l1-ratio", "0.5,", "'' is not a number"),
        ("--l1-ratio", "0.5,2", "2 is not above 0 and at most 1"),
    ],
)
@pytest.mark.parametrize("verb", ["fit", "path"])
def test_ridges_and_bounds_that_cannot_be(run, houses, verb, option, value, words):
    done = run(verb, houses, "-t", "price", option, value)
    assert done.code == 2
    assert words in done.err


@pytest.mark.parametrize("kind", ["parquet", "npz", "svm", "csv.gz", "tsv"])
def test_the_same_table_in_other_formats_gives_the_same_model(run, houses, tmp_path, kind):
    frame = pd.read_csv(houses)
    file = tmp_path / f"other.{kind}"
    X, y = frame.drop(columns="price"), frame["price"].to_numpy()
    target = ["-t", "price"]
    if kind == "parquet":
        frame.to_parquet(file)
    elif kind == "npz":
        np.savez(file, X=X.to_numpy(), y=y, feature_names=X.columns.to_numpy(dtype=str))
        target = []
    elif kind == "svm":
        dump_svmlight_file(X.to_numpy(), y, str(file), zero_based=False)
        target = []
    else:
        frame.to_csv(file, index=False, sep="\t" if kind == "tsv" else ",")
    assert run("fit", houses, "-t", "price", "--no-report", "-q").code == 0
    done = run("fit", file, *target, "--no-report", "-o", "other.json")
    assert done.code == 0, done
    plain, other = (sv.load_model(tmp_path / f) for f in ("houses.model.json", "other.json"))
    # svmlight keeps 16 digits; sparse and dense sums differ in their order; fits have tol = 1e-6.
    np.testing.assert_allclose(other.coef_, plain.coef_, rtol=1e-5, atol=1e-8)
    done = run("predict", "other.json", file, "--score")
    assert done.code == 0, done
    assert len(done.out.splitlines()) == 61


@pytest.mark.parametrize("impute", ["mean", "median", "zero"])
@pytest.mark.filterwarnings("ignore:X. 1 column.*are constant:UserWarning")  # filled
def test_text_and_missing_values_when_asked_for(run, tmp_path, impute):
    file = write_csv(tmp_path / "dirty.csv", dirty_columns())
    done = run("fit", file, "-t", "price", "--one-hot", "--impute", impute, "--no-report")
    assert done.code == 0, done
    assert "note: constant, hence without effect: 'fixed'" in done.err
    assert "'rooms again' = 'rooms'" in done.err
    assert "  city is relative to 'Paris'\n" in done.out
    model = sv.load_model(tmp_path / "dirty.model.json")
    coef = dict(zip(model.feature_names_in_, model.coef_, strict=True))
    assert model.schema.categories["city"][0] == "Paris"
    assert 20 < coef["city=Lyon"] < 60
    assert 70 < coef["city=Nice, Côte d'Azur"] < 110
    done = run("predict", "dirty.model.json", file, "-o", "p.csv", "--digits", "17")
    assert done.code == 0, done
    frame = pd.read_csv(file)
    predicted = read_predictions(tmp_path / "p.csv")
    assert np.array_equal(predicted, model.predict(frame))
    # Products are added up in another order.
    pipeline = model.to_pipeline()
    np.testing.assert_allclose(pipeline.predict(frame), predicted, rtol=1e-10)
    again = clone(pipeline).fit(frame.drop(columns="price"), frame["price"])
    if type(model.penalty_) is sv.L1:  # convex, so the minimum is one: tol = 1e-6 apart
        np.testing.assert_allclose(again.predict(frame), predicted, rtol=1e-4)


def test_the_pipeline_of_a_lasso_can_be_fitted_again(run, houses, tmp_path):
    assert run("fit", houses, "-t", "price", "-p", "l1", "--no-report", "-q").code == 0
    model = sv.load_model(tmp_path / "houses.model.json")
    frame = pd.read_csv(houses)
    again = clone(model.to_pipeline()).fit(frame.drop(columns="price"), frame["price"])
    # Both within tol = 1e-6 of the one minimum; y is of the order of 300.
    np.testing.assert_allclose(again.predict(frame), model.predict(frame), rtol=1e-5)


def test_columns_are_found_by_name_in_any_order_and_others_ignored(run, houses, tmp_path):
    assert run("fit", houses, "-t", "price", "--no-report", "-q").code == 0
    columns = house_columns()
    turned = {name: columns[name] for name in reversed(columns)} | {"extra": columns["age"]}
    write_csv(tmp_path / "turned.csv", turned)
    straight = run("predict", "houses.model.json", houses)
    done = run("predict", "houses.model.json", "turned.csv")
    assert done.code == 0
    assert "note: not in the model, ignored: 'extra'" in done.err
    assert done.out == straight.out


def test_predictions_alone_go_to_standard_output(run, houses, tmp_path):
    assert run("fit", houses, "-t", "price", "--no-report", "-q").code == 0
    done = run("predict", "houses.model.json", houses, "--score")
    assert re.search(r"^note: R2 0\.9\d+ on 60 rows$", done.err, re.MULTILINE)
    head, *rows = done.out.splitlines()
    assert head == "prediction"
    assert max(len(row.replace(".", "").lstrip("0-")) for row in rows) <= 10
    exact = sv.load_model(tmp_path / "houses.model.json").predict(pd.read_csv(houses))
    # Ten significant digits: half a unit of the tenth.
    np.testing.assert_allclose([float(row) for row in rows], exact, rtol=5e-10)
    short = run("predict", "houses.model.json", houses, "--digits", "3").out.splitlines()[1:]
    np.testing.assert_allclose([float(row) for row in short], exact, rtol=5e-3)


def test_penalties_by_the_names_people_use(run, houses, tmp_path):
    arguments = ["-p", "Lasso, log-sum:theta=0.5", "--alphas", "5", "-o", "path.csv"]
    done = run("path", houses, "-t", "price", *arguments)
    assert done.code == 0, done
    assert "L1(): 5 alphas" in done.out
    assert "LogSum(theta=0.5): 5 alphas" in done.out


def test_a_target_of_two_numbers_is_taken_for_labels_unless_told_otherwise(run, tmp_path):
    columns = house_columns()
    middle = sorted(columns["price"])[30]
    columns["price"] = [int(value > middle) for value in columns["price"]]
    table = write_csv(tmp_path / "two.csv", columns)
    done = run("fit", table, "-t", "price", "--no-report")
    assert done.code == 0, done
    assert "taken for two labels, 0 (31 rows) and 1 (29 rows): logistic loss" in done.err
    assert "--loss squared takes them for numbers" in done.err
    done = run("fit", table, "-t", "price", "--no-report", "--loss", "squared")
    assert "R2 on rows left out" in done.out


def test_path_writes_every_coefficient(run, houses, tmp_path):
    arguments = ["-t", "price", "-p", "l1,scad", "--alphas", "15", "-o", "path.csv"]
    done = run("path", houses, *arguments, "--report", "path.html")
    assert done.code == 0, done
    assert "SCAD(gamma=3.7): 15 alphas" in done.out
    with (tmp_path / "path.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["penalty"] for row in rows} == {"L1()", "SCAD(gamma=3.7)"}
    assert sum(row["feature"] == "(intercept)" for row in rows) == 30
    frame = pd.read_csv(houses)
    last = [row for row in rows if row["alpha"] == rows[-1]["alpha"] and row["penalty"] != "L1()"]
    effect = {row["feature"]: float(row["coefficient"]) for row in last}
    predicted = effect.pop("(intercept)") + sum(c * frame[name] for name, c in effect.items())
    assert np.corrcoef(predicted, frame["price"])[0, 1] > 0.99
    assert "<!doctype html" in (tmp_path / "path.html").read_text(encoding="utf-8").lower()


def test_a_model_saved_from_python_works_on_the_command_line(run, houses, tmp_path):
    frame = pd.read_csv(houses)
    X, y = frame.drop(columns="price"), frame["price"]
    model = sv.SparseRegressor("mcp", alpha=0.1).fit(X, y)
    model.save(tmp_path / "python.json")
    done = run("predict", "python.json", houses, "-o", "p.csv", "--digits", "17")
    assert done.code == 0, done
    # X @ coef against a sum column by column.
    np.testing.assert_allclose(read_predictions(tmp_path / "p.csv"), model.predict(X), rtol=1e-13)
    assert "SparseRegressor" in run("info", "python.json", "--json").out
    assert run("report", "python.json").code == 0


def test_unnamed_row_numbers_are_ignored_with_a_note(run, tmp_path):
    pd.DataFrame(house_columns()).to_csv(tmp_path / "indexed.csv")
    done = run("fit", "indexed.csv", "-t", "price", "--no-report")
    assert done.code == 0, done
    assert "note: the first column has no name and is ignored" in done.err
    assert sv.load_model(tmp_path / "indexed.model.json").n_features_in_ == 4


def test_european_csv_and_bom(run, tmp_path, houses):
    frame = pd.read_csv(houses)
    frame.to_csv(tmp_path / "euro.csv", index=False, sep=";", decimal=",", encoding="utf-8-sig")
    done = run("fit", "euro.csv", "-t", "price", "--decimal", ",", "--no-report")
    assert done.code == 0, done
    assert run("fit", houses, "-t", "price", "--no-report").code == 0
    euro, plain = (sv.load_model(tmp_path / f"{n}.model.json") for n in ("euro", "houses"))
    assert np.array_equal(euro.coef_, plain.coef_)
    assert euro.schema.numbers == plain.schema.numbers


def test_info_of_a_table(run, tmp_path):
    done = run("info", write_csv(tmp_path / "dirty.csv", dirty_columns()))
    assert done.code == 0
    assert re.search(r"area +2 +\d", done.out)
    assert re.search(r"city +1 +text, 3 different: ", done.out)
    assert re.search(r"fixed +0 +constant 1", done.out)


def test_plain_lines_without_a_terminal_and_a_bar_on_one(houses, tmp_path):
    # At once: the fit takes less than the two seconds after which progress is shown.
    program = (
        "import sys; from sparsieve import _progress; _progress._PATIENCE = 1e-3; "
        "from sparsieve.cli import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", program, "fit", houses, "-t", "price", "--no-report"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert re.search(r"^fit: \d+\.\d s$", done.stderr, re.MULTILINE)
    assert "\r" not in done.stderr
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))  # a new one has no columns to draw a bar in
    seen = b""
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=theirs) as child:
        os.close(theirs)
        try:
            while part := os.read(ours, 65536):
                seen += part
        except OSError:  # how Linux ends a terminal without writers
            pass
        os.close(ours)
    assert child.returncode == 0
    assert b"folds: 100%" in seen


def test_limits_end_paths_and_are_told(run, houses):
    done = run("path", houses, "-t", "price", "--max-support", "2")
    assert done.code == 0
    assert "ended by max_support" in done.out
    for choose in ("cv", "ebic"):
        done = run("fit", houses, "-t", "price", "--select", choose, "--max-support", "2")
        assert done.code == 0
        assert re.search(r"^ended early: \d+ of \d+ paths: \d+ by max_support$", done.out, re.M)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (["--max-support", "0"], "0 is not in the range x>=1"),
        (["--max-deviance", "2"], "2 is not above 0 and at most 1; use e.g. 0.99"),
        (["--max-time", "-1"], "-1 is not above 0; use e.g. 60"),
        (["--max-time", "9", "--alpha", "1"], "--max-time ends paths, and --alpha fits one alpha"),
    ],
)
def test_limits_that_cannot_be(refused, houses, option, words):
    assert words in refused("fit", houses, "-t", "price", *option, code=2)


def test_quiet_says_nothing(run, houses, tmp_path):
    done = run("fit", houses, "-t", "price", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (tmp_path / "houses.model.json").exists()


@pytest.mark.parametrize("asked", ["", "fit", "predict", "path", "report", "info"])
def test_help_has_examples_and_exit_codes(run, asked):
    done = run(*asked.split(), "--help")
    assert done.code == 0
    assert "Example" in done.out
    assert "Exit codes:" in done.out
    assert "\b" not in done.out


def test_names_cannot_command_the_terminal(run, tmp_path):
    columns = house_columns()
    columns["\x1b[31mred"] = columns.pop("area")
    write_csv(tmp_path / "odd.csv", columns)
    for arguments in (["fit", "odd.csv", "-t", "price", "--no-report"], ["info", "odd.csv"]):
        done = run(*arguments)
        assert done.code == 0
        assert "[31mred" in done.out
        assert "\x1b" not in done.out + done.err


def test_version_and_no_arguments(run):
    assert run("--version").out.startswith("sparsieve, version ")
    done = run()
    assert done.code == 2
    assert "Usage: sparsieve" in done.err


def test_choices_of_the_options_are_those_of_the_library():
    from sparsieve.cli import options
    from sparsieve.solve import problem
    from sparsieve.tables import columns, table

    assert options.MINIMA == problem.MINIMA
    assert options.FORMATS == table.FORMATS
    assert options.IMPUTATIONS == columns.IMPUTATIONS


def test_exit_codes_are_those_that_are_documented(run):
    from sparsieve.cli.console import Exit

    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| ", page.split("## Exit codes")[1], re.MULTILINE)
    told = re.findall(r"^ +(\d+)  ", run("fit", "--help").out.split("Exit codes:")[1], re.MULTILINE)
    assert [int(code) for code in rows] == [int(code) for code in told] == sorted(Exit)


@pytest.mark.parametrize("asked", ["fit", "path"])
def test_help_names_every_penalty(run, asked):
    # The help has a copy of the names.
    option = run(asked, "--help").out.split("--penalty")[1]
    assert all(re.search(rf"\b{name}\b", option) for name in BY_NAME)


def test_words_about_bounds_know_that_coefficients_are_positive():
    assert terms_in_words({"positive": True}) == {"bounds": "0 to inf"}
    assert terms_in_words({"positive": True, "bounds": (-1, None)}) == {"bounds": "0 to inf"}
    assert terms_in_words({"positive": False, "bounds": (-1, 2)}) == {"bounds": "-1 to 2"}
    assert terms_in_words({"positive": False}) == {}
