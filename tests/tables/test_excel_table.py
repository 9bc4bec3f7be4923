"""Excel files: cells keep their numbers, and a hostile file asks for no memory or time."""

import io
import sys
import zipfile
from datetime import datetime

import numpy as np
import pytest

openpyxl = pytest.importorskip("openpyxl")

from sparsieve.tables.table import ReadOptions, TableError  # noqa: E402
from sparsieve.tables.table_files import read_table  # noqa: E402


def book(folder, rows, **sheets):
    made = openpyxl.Workbook()
    made.active.title = "first"
    for row in rows:
        made.active.append(row)
    for name, lines in sheets.items():
        sheet = made.create_sheet(name)
        for line in lines:
            sheet.append(line)
    made.save(folder / "t.xlsx")
    return folder / "t.xlsx"


def test_numbers_keep_every_bit_and_dates_are_days(tmp_path):
    values = [0.1, 1e-300, -5.0, 12345678901234.0]
    rows = [["x", "when", "yes"]]
    rows += [[v, datetime(1970, 1, 2 + k, 12), k % 2 == 0] for k, v in enumerate(values)]
    table = read_table(book(tmp_path, rows))
    assert table.values[:, 0].tobytes() == np.array(values).tobytes()
    assert table.values[:, 1].tolist() == [1.5, 2.5, 3.5, 4.5]
    assert table.dates == {"when": "ymd"}
    assert table.values[:, 2].tolist() == [1, 0, 1, 0]


def test_numbers_kept_as_text_do_not_change_the_others(tmp_path):
    rows = [["typed", "mixed", "c"], [1.234, "1,5", 1], [2.5, 2.25, 2], [3.5, "1.234,5", 3]]
    table = read_table(book(tmp_path, rows))
    assert table.values[:, 0].tolist() == [1.234, 2.5, 3.5]
    assert table.values[:, 1].tolist() == [1.5, 2.25, 1234.5]


def test_titles_sources_and_empty_columns_are_left_out_with_a_note(tmp_path):
    rows = [["Title"], [], ["a", None, "b", "c"], [1, None, 2, 3], [4, None, 5, 6], ["Source: us"]]
    table = read_table(book(tmp_path, rows))
    assert table.names == ["a", "b", "c"]
    assert table.values.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert table.notes == ["1 row above the names left out", "1 line below the table left out"]


def test_a_row_of_totals_is_no_row_of_the_table(tmp_path):
    """Taken for a row, the totals were imputed where empty and dominated the fit."""
    names = ["shop", "staff", "sales"]
    rows = [names, ["a", 1, 10], ["b", 2, 20], ["Total:", None, 30]]
    table = read_table(book(tmp_path, rows))
    assert table.values[:, 2].tolist() == [10, 20]
    assert "1 row of totals at the end left out ('Total:')" in table.notes
    # With rows below, or with every field filled, it is an observation like the others.
    assert read_table(book(tmp_path, [*rows, ["c", 3, 30]])).n_rows == 4
    assert read_table(book(tmp_path, [*rows[:3], ["Total", 4, 9]])).n_rows == 3
    file = tmp_path / "t.csv"
    file.write_text("shop;staff;sales\na;1;10\nb;2;20\n;;\nSumme;;30\n;;\n", encoding="utf-8")
    table = read_table(file)
    assert table.values[:, 2].tolist() == [10, 20]
    assert "1 row of totals at the end left out ('Summe')" in table.notes
    assert "2 empty rows at the end left out" in table.notes


def test_sheets_are_chosen_by_name(tmp_path):
    file = book(tmp_path, [["a", "b"], [1, 2], [3, 4]], second=[["x", "y"], [5, 6], [7, 8]])
    assert any("read the sheet 'first'" in note for note in read_table(file).notes)
    table = read_table(file, ReadOptions(sheet="second"))
    assert table.names == ["x", "y"]
    assert table.reading == {"sheet": "second"}
    with pytest.raises(TableError, match="has no sheet 'third'; it has 'first', 'second'"):
        read_table(file, ReadOptions(sheet="third"))
    noted = book(tmp_path, [["see the next sheet"]], data=[["x", "y"], [5, 6], [7, 8]])
    table = read_table(noted)
    assert table.names == ["x", "y"]
    assert "read the sheet 'data'; choose another with `sheet=...`" in table.notes
    empty = book(tmp_path, [], other=[["a"], [1]])
    with pytest.raises(TableError, match=r"the sheet 'first' is empty; .*'other'.*`sheet=...`"):
        read_table(empty)


def test_files_that_are_no_excel_files(tmp_path, monkeypatch):
    for content in (b"", b"PK\x03\x04", b"a,b\n1,2\n"):
        (tmp_path / "t.xlsx").write_bytes(content or b" ")
        with pytest.raises(TableError, match="cannot be read as an Excel file"):
            read_table(tmp_path / "t.xlsx")
    monkeypatch.setitem(sys.modules, "sparsieve.tables.excel_table", None)  # as without openpyxl
    with pytest.raises(TableError, match=r"needs openpyxl; .* pip install openpyxl"):
        read_table(tmp_path / "t.xlsx")


def with_sheet(file, xml):
    """Replace the first sheet of a file by other XML."""
    with zipfile.ZipFile(file) as old:
        parts = {info.filename: old.read(info) for info in old.infolist()}
    head = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    )
    parts["xl/worksheets/sheet1.xml"] = head + xml + b"</sheetData></worksheet>"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in parts.items():
            new.writestr(name, data)
    file.write_bytes(stream.getvalue())
    return file


def test_rows_and_columns_beyond_reason_ask_for_no_memory(tmp_path):
    file = book(tmp_path, [["a", "b"], [1, 2]])
    cells = (
        b'<row r="1"><c r="A1"><v>1</v></c></row><row r="99999999999"><c r="A2"><v>1</v></c></row>'
    )
    with pytest.raises(TableError, match=r"larger than Excel allows|cannot be read as an Excel"):
        read_table(with_sheet(file, cells))
    wide = b'<row r="1"><c r="ZZZ1"><v>1</v></c></row>'
    with pytest.raises(TableError, match="larger than Excel allows"):
        read_table(with_sheet(file, wide))


def test_what_a_file_unpacks_to_is_limited(tmp_path):
    file = book(tmp_path, [["a", "b"], *[[0, 0]] * 3000])
    with pytest.raises(TableError, match=r"the 10000 bytes that max_bytes allows"):
        read_table(file, ReadOptions(max_bytes=10_000))
    assert read_table(file).n_rows == 3000
