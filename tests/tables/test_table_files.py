"""Reading tables: the values are those that were written, whatever the shape of the file."""

import csv
import io
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import sparsieve as sv
import sparsieve.tables.row_table as row_table
from sparsieve.estimators.table_model import TableModel
from sparsieve.tables.columns import make_design
from sparsieve.tables.table import ReadOptions, Table, TableError
from sparsieve.tables.table_files import read_table

# What a field can hold: numbers as any program writes them, texts with every kind of mischief.
# Control characters are left out (a lone carriage return is a line end to some and not to others).
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]) | st.sampled_from(' ,;"\n'),
    min_size=1,
).map(lambda text: f"<{text}>")
KINDS = st.sampled_from(["number", "text", "holes"])


def table_file(folder, rows, **options):
    file = folder / "table.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, **options).writerows(rows)
    return file


def column_of(kind, count):
    entry = {"number": NUMBERS, "text": TEXTS, "holes": NUMBERS | st.sampled_from(["", "NA"])}[kind]
    return st.lists(entry, min_size=count, max_size=count)


@st.composite
def tables(draw):
    count = draw(st.integers(1, 12))
    kinds = draw(st.lists(KINDS, min_size=1, max_size=5))
    return kinds, [draw(column_of(kind, count)) for kind in kinds]


@given(tables(), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), st.integers(1, 12))
@settings(max_examples=150)
def test_what_was_written_is_read(tmp_path_factory, table, quoting, block):
    kinds, columns = table
    names = [f"c{j}" for j in range(len(kinds))]
    rows = [names, *zip(*columns, strict=True)]
    while columns[0] and all(column[-1] == "" for column in columns):
        columns = [column[:-1] for column in columns]  # empty rows at the end are no rows
    file = table_file(tmp_path_factory.mktemp("t"), rows, quoting=quoting)
    before, row_table._BLOCK = row_table._BLOCK, block  # so that small tables have many blocks
    try:
        read = read_table(file)
    finally:
        row_table._BLOCK = before
    assert read.names == names
    assert read.values.shape == (len(columns[0]), len(names))
    assert read.values.flags.f_contiguous
    for j, (kind, column) in enumerate(zip(kinds, columns, strict=True)):
        if kind == "text":
            values = read.categories[names[j]]
            back = [values[int(k)] for k in read.values[:, j]]
            assert back == [entry.strip() for entry in column]
        else:
            expected = [np.nan if isinstance(v, str) else v for v in column]
            assert np.array_equal(read.values[:, j], expected, equal_nan=True)


def test_text_that_comes_late_is_read_from_the_start(tmp_path, monkeypatch):
    monkeypatch.setattr(row_table, "_BLOCK", 4)
    rows = [["zip", "x"], *[[75001 + i % 3, i] for i in range(9)]]
    rows += [[f"2A{k:03d}", k] for k in range(10)]
    table = read_table(table_file(tmp_path, rows))
    assert table.categories["zip"][:4] == ["75001", "75002", "75003", "2A000"]
    assert table.values[:10, 0].tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 3]


def test_few_texts_among_numbers_may_mark_missing_values(tmp_path):
    rows = [["zip", "x"], *[[75001 + i % 3, i] for i in range(9)], ["2A004", 9]]
    file = table_file(tmp_path, rows)
    table = read_table(file)
    assert table.marks == {"zip": {"2A004": 1}}
    assert np.isnan(table.values[9, 0])
    assert table.categories == {}
    codes = read_table(file, codes=["zip"])
    assert codes.categories == {"zip": ["75001", "75002", "75003", "2A004"]}


def test_a_column_known_as_text_stays_text_when_it_looks_like_numbers(tmp_path):
    file = table_file(tmp_path, [["zip", "x"], [75001, 1], [75002, 2]])
    table = read_table(file, wanted=["zip"], text=["zip"])
    assert table.categories == {"zip": ["75001", "75002"]}
    assert table.file_names == ["zip", "x"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_blank_lines(tmp_path, end):
    (tmp_path / "t.csv").write_bytes(end.join(["a,b", "1,2", "", "3,4", ""]).encode())
    table = read_table(tmp_path / "t.csv")
    assert table.values.tolist() == [[1, 2], [3, 4]]
    assert table.notes == []


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (["True", "false", "1"], [1, 0, 1]),
        ([" 1.5 ", "2e3", "-.5"], [1.5, 2000, -0.5]),
        (["1", "null", "#N/A"], [1, np.nan, np.nan]),
    ],
)
def test_spellings_of_numbers(tmp_path, entries, expected):
    table = read_table(table_file(tmp_path, [["a"], *[[e] for e in entries]]))
    assert np.array_equal(table.values[:, 0], expected, equal_nan=True)


@pytest.mark.parametrize("entry", ["1_000", "0x10", "1 00", "12 apples", "1,5,2"])
def test_what_only_looks_like_a_number_is_none(tmp_path, entry):
    table = read_table(table_file(tmp_path, [["a", "b"], [1, 1], [entry, 1]]))
    assert table.marks["a"] == {entry: 1}


def test_extreme_numbers_keep_every_bit(tmp_path):
    values = [5e-324, 1.7976931348623157e308, 0.1 + 0.2, -0.0, 1e22]
    table = read_table(table_file(tmp_path, [["a"], *[[repr(v)] for v in values]]))
    assert table.values[:, 0].tobytes() == np.array(values).tobytes()


def test_parquet_types(tmp_path):
    frame = pd.DataFrame(
        {
            "i": np.array([1, 2, 3], dtype=np.int8),
            "b": [True, False, True],
            "f": np.array([0.5, np.nan, 2], dtype=np.float32),
            "n": pd.array([1, None, 3], dtype="Int64"),
            "s": ["x", None, "y"],
            "c": pd.Categorical(["p", "q", "p"], categories=["q", "p"]),
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert np.array_equal(table.values[:, 0], [1, 2, 3])
    assert np.array_equal(table.values[:, 1], [1, 0, 1])
    assert np.array_equal(table.values[:, 2], [0.5, np.nan, 2], equal_nan=True)
    assert np.array_equal(table.values[:, 3], [1, np.nan, 3], equal_nan=True)
    assert np.array_equal(table.values[:, 4], [0, np.nan, 1], equal_nan=True)
    assert [table.categories["c"][int(k)] for k in table.values[:, 5]] == ["p", "q", "p"]
    frame["when"] = pd.Timestamp("2020-01-01")
    frame.to_parquet(tmp_path / "t.parquet")
    frame["how long"] = pd.Timedelta("1 day")
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(TableError, match="'how long' holds duration"):
        read_table(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", drop=["how long"])
    assert table.dates == {"when": "ymd"}
    assert table.values[:, -1].tolist() == [18262.0] * 3  # days from 1970 to 2020
    frame = frame.drop(columns="how long")
    frame.to_parquet(tmp_path / "t.parquet")
    assert len(read_table(tmp_path / "t.parquet", drop=["when"]).names) == 6


def test_sparse_archives(tmp_path):
    X = sparse.csr_array(sparse.random(20, 30, density=0.2, random_state=0))
    sparse.save_npz(tmp_path / "t.npz", X)
    table = read_table(tmp_path / "t.npz")
    assert (table.values != X).nnz == 0
    assert table.names[:2] == ["x1", "x2"]
    assert table.target is None
    np.savez(tmp_path / "bad.npz", data=[1.0], indices=[50], indptr=[0, 1], shape=[2, 1])
    with pytest.raises(TableError, match="broken sparse matrix"):
        read_table(tmp_path / "bad.npz")
    np.savez(tmp_path / "objects.npz", X=np.array([[None]], dtype=object))
    with pytest.raises(TableError, match="without Python objects"):
        read_table(tmp_path / "objects.npz")
    np.savez(tmp_path / "other.npz", features=np.eye(3))
    with pytest.raises(TableError, match="name the columns' array X"):
        read_table(tmp_path / "other.npz")


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        (
            {"X": np.eye(3), "feature_names": ["a", "b"]},
            "2 feature_names for 3 columns; give one each",
        ),
        ({"X": np.ones(3)}, r"X has shape \(3,\) and type float64; save numbers"),
        (
            {"X": np.eye(3), "y": ["a", "b", "c"]},
            r"y has shape \(3, 1\) and type <U1; save numbers",
        ),
        (
            {"data": [1.0], "indices": [0], "indptr": [0, 1], "shape": [1, 1], "format": b"coo"},
            r"broken sparse matrix \(its format is coo; CSC and CSR can be read\); save it again",
        ),
    ],
)
def test_archives_that_are_not_a_table(tmp_path, arrays, words):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(TableError, match=words):
        read_table(tmp_path / "t.npz")


@pytest.mark.parametrize(("text", "line"), [('"a"b,c\n1,2\n', 1), ('a,b\n1,2\n"3"x,4\n', 3)])
def test_quotation_marks_in_the_middle_of_a_field(tmp_path, text, line):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(
        TableError, match=rf"t\.csv, line {line}: .* check the quotation marks there"
    ):
        read_table(tmp_path / "t.csv")


def test_parquet_columns_that_do_not_fit(tmp_path):
    file = tmp_path / "t.parquet"
    pd.DataFrame({"city": ["x", "y"], "area": [1.0, 2.0]}).to_parquet(file)
    with pytest.raises(TableError, match=r"'city' holds .*string where the model needs numbers"):
        read_table(file, text=[])
    assert read_table(file, text=["city", "area"]).categories["area"] == ["1", "2"]
    twice = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])
    pq.write_table(twice, file)
    with pytest.raises(TableError, match="more than one column is called 'a'; rename or remove"):
        read_table(file)


@pytest.mark.parametrize("index", [2, 5, -1])
def test_parquet_whose_texts_are_referred_to_wrongly(tmp_path, monkeypatch, index):
    """A damaged file: 5 was an IndexError, and -1 and 2 were read as missing values."""
    file = tmp_path / "t.parquet"
    pd.DataFrame({"city": ["x", "y"]}).to_parquet(file)
    indices = pa.array([0, index], pa.int32())
    forged = pa.DictionaryArray.from_arrays(indices, pa.array(["x", "y"]), safe=False)
    batches = [pa.record_batch([forged], names=["city"])]
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", lambda *_, **__: batches)
    with pytest.raises(TableError, match=r"refers to texts that it does not hold.*complete"):
        read_table(file)


def test_parquet_without_its_reader(tmp_path, monkeypatch):
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "sparsieve.tables.parquet_table", None)  # as without pyarrow
    with pytest.raises(TableError, match=r"needs pyarrow; .* pip install pyarrow"):
        read_table(tmp_path / "t.parquet")


def test_svmlight_of_a_known_width(tmp_path):
    (tmp_path / "t.svm").write_text("1.5 1:2 3:4\n-1 2:1\n")
    table = read_table(tmp_path / "t.svm", ReadOptions(n_features=5))
    assert table.values.shape == (2, 5)
    assert table.target.tolist() == [1.5, -1.0]
    (tmp_path / "bad.svm").write_text("one two three\n")
    with pytest.raises(TableError, match="svmlight"):
        read_table(tmp_path / "bad.svm")


def regression_table(storage):
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.normal(3.0, [1.0, 50.0, 0.02, 1.0], size=(80, 4)))
    X[rng.random(X.shape) < 0.3] = 0.0
    y = X @ [1.0, 0.1, -20.0, 0.0] + rng.normal(0, 0.1, 80)
    values = sparse.csc_array(X) if storage == "sparse" else X.copy(order="F")
    return Table("t", list("abcd"), values, {}, y, "y"), X


@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_standardising_divides_by_the_standard_deviation(storage):
    table, X = regression_table(storage)
    design = make_design(table, None)
    as_it_was = design.X.toarray() if storage == "sparse" else design.X
    np.testing.assert_array_equal(as_it_was, X)
    options = {"alpha": 0.05, "tol": 1e-12}
    regressor = sv.SparseRegressor("l1", standardize=True, **options).fit(design.X, design.y)
    model = TableModel.of(regressor, design)
    # Two ways to add up 80 squares.
    np.testing.assert_allclose(model.schema.scale, X.std(axis=0), rtol=1e-12)
    by_hand = sv.SparseRegressor("l1", standardize=False, **options).fit(
        X / X.std(axis=0), design.y
    )
    # Two solves of one convex problem at tol = 1e-12, of a condition below 1e3.
    np.testing.assert_allclose(model.coef_, by_hand.coef_ / X.std(axis=0), rtol=1e-8)
    raw = TableModel.of(sv.SparseRegressor("l1", standardize=False).fit(X, design.y), design)
    assert raw.schema.scale is None


@pytest.mark.parametrize("stored", [np.asfortranarray, sparse.csc_array])
def test_a_column_far_from_zero_is_no_constant(stored):
    values = np.column_stack([1e15 + np.arange(80.0) % 4, np.full(80, 1e15), np.arange(80.0)])
    table = Table("t", list("abc"), stored(values), {}, np.arange(80.0) ** 2, "y")
    design = make_design(table, None)
    with pytest.warns(UserWarning, match="1 column.*constant"):
        model = sv.SparseRegressor("l1", 0.01, standardize=True).fit(design.X, design.y)
    scale = TableModel.of(model, design).schema.scale
    # The deviations of 0, 1, 2, 3 and of nothing; the entries are exact in double precision.
    np.testing.assert_allclose(scale[:2], [np.sqrt(1.25), 1.0], rtol=1e-12)


def test_the_most_frequent_text_is_the_reference():
    rng = np.random.default_rng(0)
    codes = np.array([0, 1, 1, 2, 1, 2, 1, 1, 0, 2] * 3)
    values = np.asfortranarray(np.column_stack([rng.normal(size=30), codes]))
    table = Table("t", ["x", "city"], values, {"city": ["Nice", "Paris", "Lyon"]}, codes_y(), "y")
    design = make_design(table, None, one_hot=True)
    assert design.schema.categories == {"city": ["Paris", "Lyon", "Nice"]}
    assert design.schema.design_names == ["x", "city=Lyon", "city=Nice"]
    X = design.X.toarray() if sparse.issparse(design.X) else design.X
    assert X[:10, 1].tolist() == [0, 0, 0, 1, 0, 1, 0, 0, 0, 1]
    assert X[:10, 2].tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 1, 0]


def test_missing_text_is_a_value_of_its_own():
    rng = np.random.default_rng(0)
    codes = np.array([0.0, 1.0, np.nan, 1.0, np.nan] * 6)
    values = np.asfortranarray(np.column_stack([rng.normal(size=30), codes]))
    table = Table("t", ["x", "city"], values, {"city": ["Nice", "Paris"]}, codes_y(), "y")
    design = make_design(table, None, one_hot=True, impute="mean")
    assert design.schema.categories == {"city": ["Paris", "Nice", "(missing)"]}
    assert any("missing text is the value '(missing)'" in note for note in design.notes)
    X = design.X.toarray() if sparse.issparse(design.X) else design.X
    assert X[:5, 2].tolist() == [0, 0, 1, 0, 1]
    model = TableModel.of(sv.SparseRegressor("l1", 1e-3).fit(design.X, design.y), design)
    rows = pd.DataFrame({"x": [0.0, 0.0], "city": [None, "Paris"]})
    effect = np.diff(model.predict(rows))[0]
    np.testing.assert_allclose(effect, -model.coef_[2], rtol=1e-12)
    np.testing.assert_allclose(model.to_pipeline().predict(rows), model.predict(rows), rtol=1e-12)


def codes_y():
    return np.random.default_rng(1).normal(size=30)


def test_json_text_is_strict_json():
    table, X = regression_table("dense")
    design = make_design(table, None)
    model = TableModel.of(sv.SparseRegressor("mcp", 0.01).fit(design.X, design.y), design)
    frame = pd.DataFrame(X, columns=list("abcd"))
    assert np.array_equal(model.predict(frame), model.predict(X))
    assert pd.read_json(io.StringIO(model.to_json()), typ="series")["target"] == "y"
    with pytest.raises(TableError, match="lacks 'a'"):
        model.predict(frame.drop(columns="a"))


# What the fuzzers found; each crashed, hung or spoke in riddles once.


def write(folder, name, content):
    file = folder / name
    file.write_bytes(content)
    return file


def test_utf16_without_its_mark_is_a_table_error(tmp_path):
    file = write(tmp_path, "t.csv", b"a,b\n1,2\n")
    with pytest.raises(TableError, match=r"t\.csv is not utf-16 text.*`encoding='utf-8'`"):
        read_table(file, ReadOptions(encoding="utf-16"))


def test_line_ends_may_be_mixed(tmp_path):
    file = write(tmp_path, "t.csv", b"a,b\n1,2\r3,4\r5,6\r\n7,8\n")
    assert read_table(file).values.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_blank_lines_alone_are_not_a_table(tmp_path):
    for options in (ReadOptions(header=False), ReadOptions()):
        with pytest.raises(TableError, match="holds blank lines only"):
            read_table(write(tmp_path, "t.csv", b"\n\n\n"), options)


@pytest.mark.parametrize("index", [b"99999999999", b"9" * 30, b"2000000000"])
def test_svmlight_indices_beyond_reason_ask_for_no_memory(tmp_path, index):
    file = write(tmp_path, "t.svm", b"1 " + index + b":1\n2 1:1\n")
    with pytest.raises(TableError, match="cannot be read as svmlight"):
        read_table(file)


def test_a_width_the_user_gives_is_taken_as_it_is(tmp_path):
    file = write(tmp_path, "t.svm", b"1 3:1\n2 1:1\n")
    table = read_table(file, ReadOptions(n_features=1_200_000))
    assert table.values.shape == (2, 1_200_000)
