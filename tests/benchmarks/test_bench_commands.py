"""What the command line of the benchmark says while it works and when it is interrupted."""

import json
import os
import signal
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path

import pytest
from benchmarks import __main__ as command_line
from benchmarks import runner
from benchmarks.compare import command as comparison

ROOT = Path(__file__).resolve().parents[2]
RECORD = {"problem": "toy", "variant": "raw", "penalty": "l1", "threads": 1, "level": "loose"}


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["benchmarks", *arguments])
    with pytest.raises(SystemExit) as ended:
        command_line.main()
    return ended.value.code


def interrupted_after(cells):
    """Stand in for a run that Ctrl-C ends after so many finished cells."""

    def fake(plan, out, notes):
        if cells:
            records = [
                RECORD | {"penalty": f"l{k}", "level": s} for k in range(cells) for s in "ab"
            ]
            out.write_text(json.dumps({"meta": {}, "records": records}))
        raise KeyboardInterrupt

    return fake


def test_an_interrupted_run_says_where_its_cells_are_and_how_to_go_on(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(command_line, "run", interrupted_after(3))
    monkeypatch.setattr(command_line, "RESULTS", tmp_path)
    assert run(monkeypatch, "run", "--quick", "--note", "two words") == 130
    (file,) = tmp_path.iterdir()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"interrupted; 3 finished cells are in {file}: ")
    assert f"-m benchmarks report {file}" in line
    assert f"-m benchmarks run --quick --note 'two words' --out {file}" in line


def test_an_interrupted_run_that_was_told_its_file_is_not_told_twice(monkeypatch, tmp_path, capsys):
    file = tmp_path / "mine.json"
    monkeypatch.setattr(command_line, "run", interrupted_after(1))
    assert run(monkeypatch, "run", f"--out={file}") == 130
    (line,) = capsys.readouterr().err.splitlines()
    assert f"interrupted; 1 finished cell is in {file}: " in line
    assert line.count("--out") == 1


def test_a_run_interrupted_before_its_first_cell_says_so(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(command_line, "run", interrupted_after(0))
    assert run(monkeypatch, "run", "--out", str(tmp_path / "none.json")) == 130
    (line,) = capsys.readouterr().err.splitlines()
    assert "before the first cell was finished; nothing is saved" in line


@pytest.mark.parametrize("content", [None, "{}", "no json"])
def test_a_report_of_something_else_says_so(monkeypatch, tmp_path, content):
    file = tmp_path / "other.json"
    if content is not None:
        file.write_text(content)
    assert str(run(monkeypatch, "report", str(file))).startswith(f"{file} is no result file of")


def test_other_commands_end_without_a_traceback_too(monkeypatch, capsys):
    def interrupted(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(comparison, "compare", interrupted)
    assert run(monkeypatch, "compare", "main") == 130
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("interrupted; ")


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process group")
def test_a_real_ctrl_c_ends_the_run_and_its_workers(tmp_path):
    out = tmp_path / "part.json"
    what = ["--problems", "toy_50x100", "--penalties", "l1", "mcp", "--peers", "sparsieve"]
    command = [sys.executable, "-m", "benchmarks", "run", *what, "--repeat", "3000", "--limit", "9"]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(
        [*command, "--cold", "--out", str(out)], cwd=ROOT, start_new_session=True, **options
    ) as process:
        assert process.stdout.readline()  # it is at work
        time.sleep(1.0)
        os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to the workers as well
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    (line,) = said.splitlines()
    assert line.startswith("interrupted")
    with pytest.raises(ProcessLookupError):  # nobody of its group is left
        os.killpg(process.pid, 0)


def test_an_interruption_while_cells_are_saved_leaves_the_ones_before(monkeypatch, tmp_path):
    out = tmp_path / "cells.json"
    runner.save({"meta": {}, "records": [RECORD]}, out)
    real = Path.write_text

    def cut(self, text, *args, **more):
        real(self, text[: len(text) // 2], *args, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_text", cut)
    with pytest.raises(KeyboardInterrupt):
        runner.save({"meta": {}, "records": [RECORD, RECORD]}, out)
    assert json.loads(out.read_text())["records"] == [RECORD]


def test_progress_lines_label_the_threads(capsys):
    key = {name: RECORD[name] for name in ("problem", "variant", "penalty", "threads")}
    done = {"level": "loose", "peer": "celer", "status": "ok", "seconds": 0.5}
    for threads in (1, 2):
        runner.say(Namespace(key=key | {"threads": threads}), [done])
    assert capsys.readouterr().out.splitlines() == [
        "toy raw l1 1 thread loose celer 0.5 s",
        "toy raw l1 2 threads loose celer 0.5 s",
    ]
