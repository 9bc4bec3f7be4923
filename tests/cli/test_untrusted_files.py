"""Tables and models from anywhere: they command neither the terminal nor a spreadsheet."""

import csv
import gzip
import json

import numpy as np
import pytest
from forged_files import forge

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"


@pytest.fixture
def forged(model, tmp_path):
    """Return the file of a model whose every text has escape sequences, as far as they may."""
    content = json.loads(model.read_text(encoding="utf-8"))["content"]
    made = content["provenance"]["items"]
    made["command"] = made["created"] = made["sparsieve"] = f"sparsieve{ESCAPES}"
    made["data"]["items"]["file"] = f"t{ESCAPES}.csv"
    fields = content["model"]["schema"]["fields"]
    fields["target"] = f"price{ESCAPES}"
    fields["numbers"] = [f"{name}{ESCAPES}" for name in fields["numbers"]]
    state = content["model"]["regressor"]["state"]
    state["feature_names_in_"]["data"] = fields["numbers"]
    return forge(tmp_path / "forged.json", content)


def commands(text):
    """Return the characters that are not for reading."""
    return {c for c in text if not c.isprintable() and c != "\n"}


@pytest.mark.parametrize("arguments", [("info",), ("info", "--json")])
def test_info_prints_no_escape_sequences(run, forged, arguments):
    done = run(*arguments, forged)
    assert done.code == 0, done.err
    assert "price" in done.out
    assert not commands(done.out)
    if "--json" in arguments:
        assert json.loads(done.out)["target"] == f"price{ESCAPES}"


def test_other_commands_print_none_either(run, forged, houses):
    for arguments in (("predict", forged, houses), ("report", forged)):
        done = run(*arguments)
        assert not commands(done.out + done.err)
    text = houses.read_text(encoding="utf-8").replace("area", f"area{ESCAPES}", 1)
    houses.write_text(text, encoding="utf-8")
    for arguments in (
        ("fit", houses, "-t", "price", "--alphas", "5", "--folds", "3"),
        ("path", houses, "-t", "price", "--alphas", "5"),
        ("info", houses),
    ):
        done = run(*arguments)
        assert done.code == 0
        assert not commands(done.out + done.err)


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_names_are_no_formulas_in_a_spreadsheet(run, houses, tmp_path, start):
    name = f"{start}cmd|'/c calc'!A1"
    text = houses.read_text(encoding="utf-8").replace("area", name, 1)
    houses.write_text(text, encoding="utf-8")
    path = ("path", houses, "-t", "price", "--alphas", "5", "-o", "p.csv", "--report", "p.html")
    assert run(*path).code == 0
    with (tmp_path / "p.csv").open(newline="", encoding="utf-8") as stream:
        names = {row["feature"] for row in csv.DictReader(stream)}
    assert f"'{name}" in names
    assert not any(each.startswith(start) for each in names)


def test_max_bytes_is_an_option_wherever_files_are_read(run, model, houses, tmp_path):
    table = tmp_path / "t.csv.gz"
    table.write_bytes(gzip.compress(houses.read_bytes()))
    few = ("--max-bytes", "100")
    for arguments in (
        ("fit", table, "-t", "price", "--no-report"),
        ("path", table, "-t", "price"),
        ("info", table),
        ("info", model),
        ("predict", model, table),
        ("report", model),
    ):
        done = run(*arguments, *few)
        assert done.code == 3
        assert "max_bytes allows" in done.error
        assert "--max-bytes" in done.error
    assert run("info", table, "--max-bytes", 10**6).code == 0
    assert run("info", table, "--max-bytes", 0).code == 2


def test_an_archive_that_unpacks_to_gigabytes_is_refused(run, tmp_path):
    megabyte = gzip.compress(b"1,2\n" * 2**18)  # such files may be joined
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n") + 1025 * megabyte)
    done = run("info", "t.csv.gz")
    assert done.code == 3
    assert "1073741824 bytes that max_bytes allows" in done.error
    np.savez_compressed(tmp_path / "u.npz", X=np.zeros(2**30 + 1, dtype=np.uint8))
    assert "max_bytes" in run("info", "u.npz").error
