"""Every mistake a user can make: one line, the remedy in it, the right exit code, no traceback."""

import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from cli_tables import house_columns, write_csv
from scipy import sparse

import sparsieve as sv

USAGE, DATA, FILE, NOT_CONVERGED, INTERRUPTED = 2, 3, 4, 5, 130


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["fit", "houses.csv", "-t", "pric"], DATA),
        pytest.param(["fit", "houses.csv", "--targt", "price"], USAGE, marks=pytest.mark.slow),
        pytest.param(["fit", "absent.csv", "-t", "price"], FILE, marks=pytest.mark.slow),
    ],
)
def test_the_command_says_and_ends_as_in_this_process(command, refused, houses, arguments, code):
    done = command(*arguments)
    assert (done.code, done.out) == (code, "")
    assert done.error == refused(*arguments, code=code)


def test_truncated_csv(refused, houses):
    data = houses.read_bytes()
    houses.write_bytes(data[: data.rindex(b",")])  # the last row loses its last field
    error = refused("fit", houses, "-t", "price", code=DATA)
    assert "line 61 has 4 fields, the first line has 5" in error
    assert "cut short" in error


def test_csv_truncated_inside_its_last_number_is_noted(run, houses):
    houses.write_bytes(houses.read_bytes()[:-3])
    done = run("fit", houses, "-t", "price", "--no-report")
    assert done.code == 0
    assert "note: the last line has no line end" in done.err


def test_csv_truncated_inside_quotes(refused, tmp_path):
    file = tmp_path / "quoted.csv"
    file.write_text('a,b,c\n1,"2",3\n4,5,"6')
    assert "quoted field is never closed" in refused("fit", file, "-t", "a", code=DATA)


def test_row_with_too_many_fields(refused, houses):
    houses.write_text(houses.read_text().replace("\n", "\n1,2,3,4,5,6\n", 2))
    error = refused("fit", houses, "-t", "price", code=DATA)
    assert "line 2 has 6 fields" in error
    assert "--delimiter" in error


def test_truncated_parquet_npz_and_gzip(refused, houses, tmp_path):
    frame = pd.read_csv(houses)
    frame.to_parquet(tmp_path / "t.parquet")
    np.savez(tmp_path / "t.npz", X=frame.to_numpy(), y=frame["price"].to_numpy())
    frame.to_csv(tmp_path / "t.csv.gz", index=False)
    for name, word in [("t.parquet", "Parquet"), ("t.npz", "NumPy archive"), ("t.csv.gz", "read")]:
        file = tmp_path / name
        file.write_bytes(file.read_bytes()[:-20])
        assert word in refused("fit", file, "-t", "price", code=DATA)


def test_files_from_windows_are_read_as_they_are(run, refused, tmp_path):
    columns = house_columns()
    columns["qualité"] = columns.pop("rooms")
    file = write_csv(tmp_path / "latin.csv", columns)
    file.write_bytes(file.read_text(encoding="utf-8").encode("latin-1"))
    error = refused("fit", file, "-t", "price", "--encoding", "utf-8", code=DATA)
    assert "not utf-8 text (byte 0xe9" in error
    assert "--encoding cp1252" in error
    done = run("fit", file, "-t", "price", "--no-report")
    assert done.code == 0, done
    assert "read as that of Windows (cp1252); if letters look wrong add --encoding" in done.err
    assert "qualité" in sv.load_model(tmp_path / "latin.model.json").feature_names_in_


def test_wrong_and_unknown_encodings(refused, houses):
    error = refused("fit", houses, "-t", "price", "--encoding", "utf-16", code=DATA)
    assert "is not utf-16 text" in error
    error = refused("fit", houses, "-t", "price", "--encoding", "klingon", code=DATA)
    assert "'klingon' is not known" in error


def test_binary_file(refused, tmp_path):
    (tmp_path / "b.csv").write_bytes(bytes(128) + b"\n" + bytes(128))
    assert "NUL bytes" in refused("fit", "b.csv", "-t", "a", code=DATA)


def test_target_that_is_also_a_feature(refused, houses, tmp_path):
    error = refused("fit", houses, "-t", "price", "--features", "price", code=USAGE)
    assert "both the target and a feature" in error
    columns = house_columns()
    columns["price in euro"] = columns["price"]
    write_csv(tmp_path / "copy.csv", columns)
    error = refused("fit", "copy.csv", "-t", "price", code=DATA)
    assert "'price in euro' is a copy of the target 'price'" in error
    assert "--drop 'price in euro'" in error


def test_the_remedy_for_a_copy_of_the_target_works(run, tmp_path):
    columns = house_columns()
    columns["price in euro"] = columns["price"]
    write_csv(tmp_path / "copy.csv", columns)
    done = run("fit", "copy.csv", "-t", "price", "--drop", "price in euro", "--no-report")
    assert done.code == 0, done


@pytest.mark.parametrize("rows", [0, 1])
def test_hardly_any_rows(refused, tmp_path, rows):
    columns = {name: values[:rows] for name, values in house_columns().items()}
    write_csv(tmp_path / "few.csv", columns)
    error = refused("fit", "few.csv", "-t", "price", code=DATA)
    assert f"{rows} row" in error
    assert "at least two" in error


def test_fewer_rows_than_folds(refused, tmp_path):
    columns = {name: values[:4] for name, values in house_columns().items()}
    write_csv(tmp_path / "four.csv", columns)
    assert "--folds between 2 and 4" in refused("fit", "four.csv", "-t", "price", code=DATA)


def test_two_identical_column_names(refused, houses):
    houses.write_text(houses.read_text().replace("rooms", "area", 1))
    error = refused("fit", houses, "-t", "price", code=DATA)
    assert "more than one column is called 'area'; rename" in error


def test_a_folder_instead_of_a_file(refused, tmp_path, model):
    (tmp_path / "folder.csv").mkdir()
    assert "is a folder" in refused("fit", "folder.csv", "-t", "price", code=FILE)
    assert "is a folder" in refused("predict", "folder.csv", "houses.csv", code=FILE)
    assert "is a folder" in refused("predict", model, "folder.csv", code=FILE)
    arguments = ["-t", "price", "-o", "folder.csv"]
    assert "is a folder" in refused("fit", "houses.csv", *arguments, code=FILE)


def test_files_that_do_not_exist(refused, houses):
    assert "does not exist" in refused("fit", "absent.csv", "-t", "price", code=FILE)
    assert "absent.json" in refused("predict", "absent.json", houses, code=FILE)
    assert "absent.json" in refused("report", "absent.json", code=FILE)


def test_outputs_that_cannot_be_written_are_refused_before_the_work(refused, houses):
    # A path below a file: not writable for anybody, root included.
    error = refused("fit", houses, "-t", "price", "-o", houses / "m.json", code=FILE)
    assert "is a file, not a folder" in error
    error = refused("fit", houses, "-t", "price", "-o", "no/such/m.json", code=FILE)
    assert "is not a folder that exists" in error
    error = refused("fit", houses, "-t", "price", "--report", "no/such/r.html", code=FILE)
    assert "choose another place" in error


def test_inputs_and_foreign_files_are_not_overwritten(run, refused, houses, model, tmp_path):
    before = houses.read_bytes()
    assert "is the input" in refused("fit", houses, "-t", "price", "-o", houses, code=FILE)
    assert "is the input" in refused("predict", model, houses, "-o", model, code=FILE)
    assert houses.read_bytes() == before
    thesis = tmp_path / "thesis.json"
    thesis.write_text('{"years": 4}')
    error = refused("fit", houses, "-t", "price", "-o", thesis, code=FILE)
    assert "--force" in error
    assert thesis.read_text() == '{"years": 4}'
    assert run("fit", houses, "-t", "price", "-o", thesis, "--force", "--no-report").code == 0
    sv.load_model(thesis)


def test_text_columns_are_named(refused, tmp_path):
    columns = house_columns()
    columns["city"] = ["Paris", "Lyon"] * 30
    columns["age"] = ["?" if i == 50 else value for i, value in enumerate(columns["age"])]
    write_csv(tmp_path / "text.csv", columns)
    error = refused("fit", "text.csv", "-t", "price", code=DATA)
    assert "'city' ('Paris')" in error
    assert "'age'" in error
    assert "--one-hot" in error
    assert "--missing" in error
    assert "missing values in 'age' (1)" in error
    assert error.endswith("All at once: --missing '?' --one-hot --impute median.")
    error = refused("fit", "text.csv", "-t", "price", "--drop", "city", "--missing", "?", code=DATA)
    assert "missing values in 'age' (1)" in error


def test_identifiers_are_not_one_hot_encoded(refused, tmp_path):
    columns = house_columns()
    columns["name"] = [f"house {i}" for i in range(60)]
    write_csv(tmp_path / "ids.csv", columns)
    error = refused("fit", "ids.csv", "-t", "price", "--one-hot", code=DATA)
    assert "'name' has 60 different texts in 60 rows" in error


def test_missing_values_are_counted_per_column(refused, tmp_path):
    columns = house_columns()
    for name, count in [("area", 3), ("age", 1)]:
        columns[name] = [""] * count + columns[name][count:]
    write_csv(tmp_path / "holes.csv", columns)
    error = refused("fit", "holes.csv", "-t", "price", code=DATA)
    assert "missing values in 'area' (3), 'age' (1); add --impute" in error


def test_columns_without_any_value(refused, tmp_path):
    write_csv(tmp_path / "void.csv", house_columns() | {"age": [""] * 60, "noise": ["NA"] * 60})
    error = refused("fit", "void.csv", "-t", "price", "--impute", "mean", code=DATA)
    assert "no value at all in 'age', 'noise'; leave them out with --drop" in error


@pytest.mark.parametrize(
    ("entry", "message"),
    [("inf", "infinite values in 'area' (1)"), ("", "missing values in 'area' (1)")],
)
def test_values_that_are_not_numbers(refused, tmp_path, entry, message):
    columns = house_columns()
    columns["area"][5] = entry
    write_csv(tmp_path / "odd.csv", columns)
    assert message in refused("fit", "odd.csv", "-t", "price", code=DATA)


def test_targets_that_cannot_be_explained(refused, houses, tmp_path):
    error = refused("fit", houses, "-t", "pric", code=DATA)
    assert "did you mean 'price'?" in error
    assert "--target NAME" in refused("fit", houses, code=DATA)
    columns = house_columns()
    columns |= {"same": [1] * 60, "hole": ["", *range(59)]}
    columns["word"] = [f"house {i}" for i in range(60)]
    write_csv(tmp_path / "t.csv", columns)
    assert "is 1 in every row" in refused(
        "fit", "t.csv", "-t", "same", "--drop", "word", "--drop", "hole", code=DATA
    )
    assert "holds 60 different texts in 60 rows" in refused("fit", "t.csv", "-t", "word", code=DATA)
    error = refused("fit", "t.csv", "-t", "hole", "--drop", "word", code=DATA)
    assert "missing in 1 of 60 rows; add --drop-rows-without-target" in error


def test_headers_that_are_none(run, refused, tmp_path, houses):
    lines = houses.read_text().splitlines(keepends=True)
    (tmp_path / "bare.csv").write_text("".join(lines[1:]))
    assert "--no-header" in refused("fit", "bare.csv", "-t", "price", code=DATA)
    done = run("fit", "bare.csv", "--no-header", "-t", "x5", "--no-report")
    assert done.code == 0, done
    (tmp_path / "gap.csv").write_text("a,,c\n1,2,3\n2,3,5\n4,1,1\n5,5,2\n8,1,0\n")
    done = run("fit", "gap.csv", "-t", "a", "--no-report", "--folds", "2")
    assert done.code == 0, done
    assert "columns without a name, called by their place: 'column 2'" in done.err
    (tmp_path / "empty.csv").write_text("")
    assert "is empty" in refused("fit", "empty.csv", "-t", "a", code=DATA)
    (tmp_path / "lonely.csv").write_text("a\n1\n2\n")
    assert "no column besides the target" in refused("fit", "lonely.csv", "-t", "a", code=DATA)


def test_endings_that_do_not_tell_the_format(refused, tmp_path):
    (tmp_path / "data.table").write_bytes(b"a,b")
    error = refused("fit", "data.table", "-t", "a", code=DATA)
    assert "--format" in error
    (tmp_path / "data.xls").write_bytes(b"\xd0\xcf")
    error = refused("fit", "data.xls", "-t", "a", code=DATA)
    assert "files of the kind .xls cannot be read; save the table as .xlsx" in error
    (tmp_path / "data.xlsx").write_bytes(b"PK\x03\x04")
    error = refused("fit", "data.xlsx", "-t", "a", code=DATA)
    assert "cannot be read as an Excel file" in error


def test_options_that_do_not_exist(refused, houses):
    error = refused("fit", houses, "--targt", "price", code=USAGE)
    assert "--target" in error
    assert "see `sparsieve fit --help`" in error
    assert "'mcpp' is not known" in refused("fit", houses, "-t", "price", "-p", "mcpp", code=USAGE)
    error = refused("fit", houses, "-t", "price", "-p", "mcp:gama=2", code=USAGE)
    assert "no parameter 'gama', only gamma; write" in error
    assert "theta" in refused("fit", houses, "-t", "price", "-p", "logsum:theta=-1", code=USAGE)
    assert "'fat'" in refused("fat", houses, code=USAGE)
    error = refused("fit", houses, "-t", "price", "--drop", "rooom", code=DATA)
    assert "did you mean 'rooms'?" in error
    assert "--folds" in refused("fit", houses, "-t", "price", "--folds", "1", code=DATA)
    assert "alpha must be" in refused("fit", houses, "-t", "price", "--alpha", "-1", code=DATA)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-t", "price", "--drop", "price"], "'price' is the target and cannot be dropped"),
        (["-t", "price", "--features", "price"], "'price' is both the target and a feature"),
        (["-t", "price", "-p", " , "], "it is empty; write for instance l1,mcp"),
        (["-t", "price", "-p", "mcp:gamma=three"], "'mcp:gamma=three': 'three' is not a number"),
        (["-t", "price", "--delimiter", "::"], "--delimiter '::' is not one character"),
    ],
)
def test_options_that_contradict_themselves(refused, houses, options, words):
    assert words in refused("fit", houses, *options, code=USAGE)


def test_a_read_only_folder_is_refused_before_the_work(refused, houses, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    error = refused("fit", houses, "-t", "price", "-o", "m.json", code=FILE)
    assert "cannot write m.json: . is read-only; choose another place." in error


def test_archives_whose_columns_cannot_be_used(refused, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    np.savez(tmp_path / "named.npz", X=X, y=y, feature_names=["x", "y"])
    error = refused("fit", "named.npz", code=DATA)
    assert "'y' is both the target and a column; rename the column" in error
    holes = sparse.csc_array(X)
    holes.data[-3] = np.nan
    sparse.save_npz(tmp_path / "holes.npz", holes)
    error = refused("fit", "holes.npz", "-t", "x1", "--impute", "mean", code=DATA)
    assert "is sparse: its missing values can only be filled with --impute zero" in error


def test_predicting_from_a_table_that_does_not_fit(run, refused, model, tmp_path):
    columns = house_columns()
    columns["surface"] = columns.pop("area")
    write_csv(tmp_path / "renamed.csv", columns)
    error = refused("predict", model, "renamed.csv", code=DATA)
    assert "lacks 'area', which the model was fitted on" in error

    columns = house_columns()
    columns["area"][3] = ""
    write_csv(tmp_path / "hole.csv", columns)
    error = refused("predict", model, "hole.csv", code=DATA)
    assert "1 missing or infinite values in column 'area'" in error

    columns["area"][3] = "large"
    write_csv(tmp_path / "word.csv", columns)
    error = refused("predict", model, "word.csv", code=DATA)
    assert "column 'area' holds text, for instance 'large'" in error

    del columns["price"]
    write_csv(tmp_path / "bare.csv", columns)
    columns["area"][3] = 100.0
    write_csv(tmp_path / "bare.csv", columns)
    error = refused("predict", model, "bare.csv", "--score", code=DATA)
    assert "has no column 'price' to compare with; leave out --score" in error

    write_csv(tmp_path / "same.csv", columns | {"price": [7.0] * 60})
    error = refused("predict", model, "same.csv", "--score", code=DATA)
    assert "the target 'price' has missing values or is constant; leave out --score" in error


def test_columns_with_zero_coefficients_can_be_left_out_on_request(run, refused, houses, tmp_path):
    arguments = ["-t", "price", "-p", "l1", "--alpha", "20", "--no-report", "-q"]
    assert run("fit", houses, *arguments).code == 0
    model = sv.load_model(tmp_path / "houses.model.json")
    assert model.used_columns() == ["area"]
    write_csv(tmp_path / "area.csv", {"area": house_columns()["area"]})
    error = refused("predict", "houses.model.json", "area.csv", code=DATA)
    assert "--only-selected" in error
    done = run("predict", "houses.model.json", "area.csv", "--only-selected")
    assert done.code == 0
    assert done.out == run("predict", "houses.model.json", houses).out


def test_categories_that_the_fit_has_not_seen(run, refused, tmp_path):
    columns = house_columns()
    city = ["Paris", "Lyon", "Paris"] * 20
    columns["price"] = [
        p + 200 * (c == "Lyon") for p, c in zip(columns["price"], city, strict=True)
    ]
    write_csv(tmp_path / "old.csv", columns | {"city": city})
    assert run("fit", "old.csv", "-t", "price", "--one-hot", "--no-report", "-q").code == 0
    write_csv(tmp_path / "new.csv", columns | {"city": ["Nice", *city[1:]]})
    error = refused("predict", "old.model.json", "new.csv", code=DATA)
    assert "not there in the fit: 'Nice'" in error
    done = run("predict", "old.model.json", "new.csv", "--unknown", "reference")
    assert done.code == 0
    assert done.out == run("predict", "old.model.json", "old.csv").out  # row 0 was Paris


def test_damaged_model_files(refused, model, houses):
    data = model.read_bytes()
    model.write_bytes(data[:-10])
    assert "cut short" in refused("predict", model, houses, code=DATA)
    model.write_bytes(data[:500] + bytes([data[500] ^ 1]) + data[501:])
    assert "checksum" in refused("info", model, code=DATA)
    assert "not a sparsieve model" in refused("predict", houses, houses, code=DATA)


def test_a_fit_that_does_not_converge_is_written_and_told(run, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 80))
    columns = {f"g{j}": X[:, j].tolist() for j in range(80)}
    write_csv(
        tmp_path / "wide.csv", columns | {"y": (X[:, :9].sum(1) + rng.normal(size=30)).tolist()}
    )
    arguments = ["-p", "logsum", "--alpha", "1e-4", "--max-iter", "1", "--tol", "1e-12"]
    done = run("fit", "wide.csv", "-t", "y", *arguments, "--no-report")
    assert done.code == NOT_CONVERGED, done
    assert "warning: 1 of 1 alphas did not reach tol=1e-12" in done.err
    assert not sv.load_model(tmp_path / "wide.model.json").certificate_.converged


def test_debug_shows_the_traceback(run):
    done = run("fit", "absent.csv", "-t", "price", "--debug")
    assert done.code == FILE
    assert "Traceback" in done.err
    assert "does not exist" in done.err.splitlines()[-1]


def test_interrupting_leaves_nothing_behind(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 50)).round(3)
    columns = {f"x{j}": X[:, j].tolist() for j in range(50)}
    write_csv(tmp_path / "long.csv", columns | {"y": X.sum(axis=1).tolist()})
    # Hours of work; the line that tells of the table comes before it.
    arguments = ["fit", "long.csv", "-t", "y", "--alphas", "1000000"]
    with subprocess.Popen(
        [sys.executable, "-m", "sparsieve", *arguments],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        first = child.stderr.readline()
        child.send_signal(signal.SIGINT)
        error = child.communicate()[1]
    assert first.startswith("read long.csv: ")
    # Python ends by the signal itself when that met code run by exec, as in an import; a shell
    # shows the same number for both.
    assert child.returncode in (INTERRUPTED, -signal.SIGINT)
    assert error.splitlines()[-1] == "sparsieve: error: interrupted; nothing was written."
    assert [entry.name for entry in tmp_path.iterdir()] == ["long.csv"]


def test_pipes_are_refused_instead_of_waited_for(refused, model, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    error = refused("fit", "pipe.csv", "-t", "y", code=DATA)
    assert "can be read only once; save it to a file" in error
    assert "only once" in refused("predict", model, "pipe.csv", code=DATA)
    assert "only once" in refused("info", "/dev/null", "--format", "csv", code=DATA)


def test_a_reader_that_leaves_early_is_no_error(model, houses, tmp_path):
    command = f"{sys.executable} -m sparsieve predict {model} {houses} | head -1"
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "prediction\n"
    assert "Traceback" not in done.stderr
    assert "error" not in done.stderr


@pytest.mark.parametrize("missing", ["click", "pyarrow"])
def test_without_the_extra_one_line_says_what_to_install(tmp_path, houses, missing):
    pd.read_csv(houses).to_parquet(tmp_path / "t.parquet")
    code = (
        f"import sys; sys.modules[{missing!r}] = None; sys.argv = ['sparsieve', *sys.argv[1:]]; "
        "from sparsieve.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "fit", "t.parquet", "-t", "price"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode in (1, DATA)
    assert done.stderr.count("\n") == 1
    assert f"pip install {missing.partition('.')[0]}" in done.stderr
    assert "pip install '" not in done.stderr  # a line that works wherever the package came from


@pytest.mark.slow
def test_a_csv_of_200_mb_takes_at_most_three_times_its_size(tmp_path):
    rng = np.random.default_rng(0)
    file = tmp_path / "big.csv"
    n_columns = 200
    with file.open("w") as stream:
        stream.write(",".join(f"v{j}" for j in range(n_columns)) + "\n")
        while stream.tell() < 200_000_000:
            for row in rng.standard_normal((200, n_columns)).round(6).tolist():
                stream.write(",".join(map(repr, row)) + "\n")
    command = [sys.executable, "-m", "sparsieve", "fit", file, "-t", "v0", "--alphas", "20"]
    with subprocess.Popen(command, cwd=tmp_path) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    assert usage.ru_maxrss * 1024 < 3 * file.stat().st_size
