"""What is finished stays: files are written before anything is printed, and never over others."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cli_tables import slow

import sparsieve as sv
from sparsieve.cli.outputs import check_output

COMMAND = f"{sys.executable} -m sparsieve"
FIT = f"{COMMAND} fit houses.csv -t price --alphas 5 --folds 3"
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


def shell(command, folder):
    """Run a command line; the exit code is that of its first part."""
    line = f"{command}; exit ${{PIPESTATUS[0]}}"
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True)


def made(folder):
    return sorted(name for name in os.listdir(folder) if name != "houses.csv")


BOTH = ["houses.model.json", "houses.report.html"]


@pytest.mark.parametrize("reader", ["| head -1", *slow("| true", "2>&1 | true", "2>&1 | head -1")])
def test_a_fit_whose_reader_leaves_is_finished(houses, tmp_path, reader):
    done = shell(f"{FIT} {reader}", tmp_path)
    assert (done.returncode, made(tmp_path)) == (0, BOTH), done.stderr
    assert "error" not in done.stderr
    assert "bug" not in done.stderr
    sv.load_model(tmp_path / BOTH[0])


@needs_full
@pytest.mark.parametrize(
    "where", ["> /dev/full", *slow(">&- 2>&-", "> /dev/full 2> /dev/full", ">&-")]
)
def test_a_fit_that_cannot_print_is_written_and_says_so_by_its_code(houses, tmp_path, where):
    done = shell(f"{FIT} {where}", tmp_path)
    assert (done.returncode, made(tmp_path)) == (4, BOTH)
    assert "Traceback" not in done.stderr
    if "2>" not in where:
        assert "standard output" in done.stderr
        assert "houses.model.json, houses.report.html was written" in done.stderr


@needs_full
@pytest.mark.parametrize("where", ["2> /dev/full", *slow("2>&-")])
def test_notes_that_cannot_be_printed_are_no_error(houses, tmp_path, where):
    done = shell(f"{FIT} {where}", tmp_path)
    assert (done.returncode, made(tmp_path)) == (0, BOTH)
    assert "certificate" in done.stdout


@needs_full
@pytest.mark.parametrize("where", ["> /dev/full", *slow("| true")])
def test_a_path_is_written_before_it_is_printed(houses, tmp_path, where):
    options = "-t price --alphas 5 -o p.csv --report p.html"
    done = shell(f"{COMMAND} path houses.csv {options} {where}", tmp_path)
    assert (done.returncode, made(tmp_path)) == (0 if "true" in where else 4, ["p.csv", "p.html"])


@needs_full
@pytest.mark.parametrize("where", ["> /dev/full", *slow(">&-")])
def test_predictions_that_are_lost_are_an_error(model, houses, tmp_path, where):
    done = shell(f"{COMMAND} predict {model} houses.csv {where}", tmp_path)
    assert done.returncode == 4
    assert "standard output" in done.stderr


@needs_full
def test_one_output_that_fails_does_not_stop_the_other(houses, tmp_path):
    done = shell(f"{FIT} -o /dev/full --report r.html", tmp_path)
    assert (done.returncode, made(tmp_path)) == (4, ["r.html"])
    assert "/dev/full: no space left" in done.stderr
    assert "r.html" in done.stdout


def test_text_that_the_terminal_cannot_encode_is_no_error(command, houses):
    text = houses.read_text(encoding="utf-8").replace("area", "größe", 1)
    houses.write_text(text, encoding="utf-8")
    arguments = ("fit", houses, "-t", "price", "--alphas", "5", "--folds", "3")
    done = command(*arguments, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert done.code == 0
    assert "gr\\xf6\\xdfe" in done.out


def test_model_and_report_need_two_names(refused, houses, tmp_path):
    fit = ("fit", houses, "-t", "price")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for other in ("a", "./a", tmp_path / "a", "link"):
        assert "two names" in refused(*fit, "-o", "a", "--report", other, code=2)
    assert "two names" in refused(*fit, "--report", "houses.model.json", code=2)
    path = ("path", houses, "-t", "price")
    assert "two names" in refused(*path, "-o", "a", "--report", "a", code=2)
    assert made(tmp_path) == ["link"]


FOREIGN = "<!DOCTYPE html>\n<html><body>My thesis</body></html>\n"


@pytest.mark.parametrize("option", ["-o", "--report"])
def test_a_page_of_somebody_else_is_not_replaced(refused, run, houses, tmp_path, option):
    (tmp_path / "index.html").write_text(FOREIGN)
    fit = ("fit", houses, "-t", "price", "--alphas", "5", "--folds", "3")
    assert "--force" in refused(*fit, option, "index.html", code=4)
    assert (tmp_path / "index.html").read_text() == FOREIGN
    assert run(*fit, option, "index.html", "--force").code == 0
    assert (tmp_path / "index.html").read_text(encoding="utf-8") != FOREIGN


def test_only_a_file_of_the_same_kind_is_replaced(refused, run, houses, model, tmp_path):
    report = tmp_path / "r.html"
    assert run("report", model, "-o", report).code == 0
    assert run("report", model, "-o", report).code == 0  # its own kind
    for kind in ("model", "predictions", "coefficients"):
        with pytest.raises(Exception, match="--force"):
            check_output(kind, report, [], force=False)
    before = model.read_bytes()
    assert "--force" in refused("predict", model, houses, "-o", "r.html", code=4)
    assert model.read_bytes() == before


def test_private_files_stay_private(run, houses, tmp_path):
    fit = ("fit", houses, "-t", "price", "--alphas", "5", "--folds", "3")
    assert run(*fit).code == 0
    for name in BOTH:
        (tmp_path / name).chmod(0o600)
    assert run(*fit).code == 0
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in BOTH] == [0o600] * 2
