"""Options that say how a table is read, and what a model remembers of it."""

import io
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from cli_tables import house_columns, write_csv

import sparsieve as sv

DATA, USAGE = 3, 2


def piped(monkeypatch, data):
    """Let standard input hold some bytes."""
    stream = SimpleNamespace(buffer=io.BytesIO(data), isatty=lambda: False)
    monkeypatch.setattr(sys, "stdin", stream)


def test_patterns_and_lists_of_columns(in_this_process, tmp_path):
    columns = house_columns()
    columns = {"mean area": columns["area"], "mean age": columns["age"], "a,b": columns["noise"],
               "rooms": columns["rooms"], "price": columns["price"]}  # fmt: skip
    write_csv(tmp_path / "t.csv", columns)
    fit = ["fit", "t.csv", "-t", "price", "--no-report", "--alphas", "5", "--force"]
    assert in_this_process(*fit, "--features", "mean*,rooms").code == 0
    model = sv.load_model(tmp_path / "t.model.json")
    assert model.schema.numbers == ["mean area", "mean age", "rooms"]
    assert in_this_process(*fit, "--drop", "mean age,rooms", "--drop", "a,b").code == 0
    assert sv.load_model(tmp_path / "t.model.json").schema.numbers == ["mean area"]
    error = in_this_process(*fit, "--drop", "median*").error
    assert "no column 'median*'" in error


def test_ids_go_along_with_predictions(in_this_process, tmp_path):
    columns = {"house": [f"H{k:02d}" for k in range(60)]} | house_columns()
    write_csv(tmp_path / "t.csv", columns)
    fit = ["fit", "t.csv", "-t", "price", "--no-report", "--alphas", "5"]
    assert "add --id house to have it beside the predictions" in in_this_process(*fit).error
    assert in_this_process(*fit, "--id", "house").code == 0
    model = sv.load_model(tmp_path / "t.model.json")
    assert model.schema.ids == ["house"]
    out = in_this_process("predict", "t.model.json", "t.csv", "--digits", "17").out
    read = pd.read_csv(io.StringIO(out))
    assert list(read.columns) == ["house", "prediction"]
    assert read["house"].tolist() == columns["house"]
    np.testing.assert_array_equal(read["prediction"], model.predict(tmp_path / "t.csv"))
    del columns["house"]
    write_csv(tmp_path / "new.csv", columns)
    assert in_this_process("predict", "t.model.json", "new.csv").out.startswith("prediction\n")
    error = in_this_process("predict", "t.model.json", "new.csv", "--id", "hous").error
    assert "has no column 'hous'" in error


def test_tables_are_piped_in(in_this_process, houses, tmp_path, monkeypatch):
    data = houses.read_bytes()
    piped(monkeypatch, data)
    done = in_this_process(
        "fit", "-", "-t", "price", "--no-report", "--alphas", "5", "-o", "m.json"
    )
    assert done.code == 0, done
    assert "standard input: 60 rows" in done.out
    piped(monkeypatch, data)
    from_pipe = in_this_process("predict", "m.json", "-", "-o", "-")
    assert from_pipe.out == in_this_process("predict", "m.json", houses).out
    piped(monkeypatch, data)
    assert "--max-bytes" in in_this_process("info", "-", "--max-bytes", "10").error
    fit = ["fit", houses, "-t", "price", "--no-report", "--alphas", "5"]
    done = in_this_process(*fit, "-o", "-")
    assert "60 rows" in done.err
    (tmp_path / "piped.json").write_text(done.out)
    assert in_this_process("predict", "piped.json", houses).out == from_pipe.out
    done = in_this_process("path", houses, "-t", "price", "--alphas", "5", "-o", "-")
    assert done.out.startswith("penalty,alpha,feature,coefficient\n")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    assert "nothing is piped in" in in_this_process("info", "-").error


def test_the_model_reads_the_next_file_as_the_first(in_this_process, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(1000, 9000, (60, 2))
    y = X @ [2.0, -1.0] + 0.1 * rng.normal(size=60)

    def german(numbers):
        return [f"{v:,.3f}".translate(str.maketrans(",.", ".,")) for v in numbers]

    rows = ["a;b;y", *(";".join(german([*x, t])) for x, t in zip(X, y, strict=True))]
    (tmp_path / "t.csv").write_text("\n".join([*rows, ""]))
    done = in_this_process("fit", "t.csv", "-t", "y", "--no-report", "--alphas", "20")
    assert done.code == 0, done
    assert "note: numbers have a decimal comma, and '.' between thousands" in done.err
    model = sv.load_model(tmp_path / "t.model.json")
    assert model.schema.reading == {"decimal": ",", "thousands": "."}
    # Numbers that alone could be read in two ways.
    (tmp_path / "new.csv").write_text("a;b\n2.000;3.000\n4.000;1.000\n")
    expected = model.predict({"a": [2000.0, 4000.0], "b": [3000.0, 1000.0]})
    np.testing.assert_array_equal(model.predict(tmp_path / "new.csv"), expected)
    (tmp_path / "new.csv").write_text("a;b\n2000.5;3.000\n")
    error = in_this_process("predict", "t.model.json", "new.csv").error
    assert "'a' holds text, for instance '2000.5'" in error
    assert "--decimal" in error


def test_what_can_be_read_in_two_ways_is_asked(in_this_process, tmp_path):
    rows = ["a,y", *(f'"{k},500",{(7 * k) % 50}' for k in range(1, 40))]
    (tmp_path / "t.csv").write_text("\n".join([*rows, ""]))
    fit = ["fit", "t.csv", "-t", "y", "--no-report", "--alphas", "5", "--force"]
    error = in_this_process(*fit).error
    assert "'1,500' may be a number above a thousand" in error
    assert "say which with --thousands , or --decimal ,." in error
    for option, largest in (("--thousands", 39_500.0), ("--decimal", 39.5)):
        done = in_this_process("info", "t.csv", option, ",")
        assert f"to {largest:g}," in done.out
    assert in_this_process(*fit, "--thousands", ",").code == 0
    error = in_this_process(*fit, "--thousands", ",", "--decimal", ",").error
    assert "cannot be both the decimal mark and the mark between thousands" in error
    assert "not one of" in in_this_process(*fit, "--thousands", "#").error


def test_mixed_spellings_units_and_orders_are_listed(in_this_process, tmp_path):
    rows = ["a;b;when;y"]
    rows += [
        f"{k},5;{'$' if k % 2 else '€'}{k};{1 + k % 9}/{1 + k % 5}/2024;{k % 7}" for k in range(40)
    ]
    rows[3] = "1,234.5;$3;1/2/2024;9"
    (tmp_path / "t.csv").write_text("\n".join([*rows, ""]))
    error = in_this_process("fit", "t.csv", "-t", "y").error
    assert "numbers with a decimal comma" in error
    assert "column 'b' has numbers with different units ($ and €)" in error
    assert "in column 'when' may begin with the day or the month" in error
    assert "whichever is right, --decimal , or --decimal . and --dates dmy or --dates mdy" in error


def test_numbers_that_are_codes(in_this_process, tmp_path):
    write_csv(tmp_path / "t.csv", house_columns())
    fit = ["fit", "t.csv", "-t", "price", "--no-report", "--alphas", "5", "--text", "rooms"]
    assert "text in column 'rooms'" in in_this_process(*fit).error
    assert in_this_process(*fit, "--one-hot").code == 0
    model = sv.load_model(tmp_path / "t.model.json")
    assert set(model.schema.categories["rooms"]) == set("123456")
    assert in_this_process("predict", "t.model.json", "t.csv").code == 0


@pytest.mark.parametrize("text", ["sep=;\na;b\n1,5;2\n2,5;3\n", "\ufeffa;b\n1,5;2\n2,5;3\n;;\n"])
def test_marks_of_spreadsheets(in_this_process, tmp_path, text):
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    out = in_this_process("info", "t.csv").out
    assert "2 rows, 2 columns" in out
    assert "1.5 to 2.5" in out


def test_a_table_without_a_usable_row_or_target(in_this_process, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,\n3,5,\n2,2,7\n")
    fit = ["fit", "t.csv", "-t", "y", "--drop-rows-without-target"]
    assert "there is 1 row of data; a model needs at least two" in in_this_process(*fit).error
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,\n3,5,\n2,2,\n")
    error = in_this_process("fit", "t.csv", "-t", "y").error
    assert "the target 'y' has no value; choose another --target" in error
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,3\n3,5,inf\n2,2,4\n")
    error = in_this_process("fit", "t.csv", "-t", "y").error
    assert "the target 'y' is infinite in 1 of 3 rows" in error
