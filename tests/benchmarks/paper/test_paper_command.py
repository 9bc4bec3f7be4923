"""`sparsieve paper` in unlucky hands: wrong options, wrong folders, torn files, Ctrl-C."""

import json
import shutil

import pytest
from benchmarks.paper import command, main
from benchmarks.paper.plan import TINY, plan
from benchmarks.paper.problems import load
from benchmarks.paper.runner import run

import sparsieve as sv

pytest.importorskip("matplotlib")
figures = pytest.importorskip("benchmarks.paper.figures")

TOY = ["toy", "--profile", "tiny"]
NO_PROBLEMS = {"problems": 0, "screened": 0, "printed": 0, "corrected": 0}


def no_path(task, shared):
    pytest.fail("a path was run")


@pytest.fixture
def short(monkeypatch):
    """Three paths instead of an experiment, no figures, and no numbers on the printed radius."""
    monkeypatch.setattr(command, "plan", lambda *args: plan(*args)[:3])
    monkeypatch.setattr(command, "facts", lambda: {"short": NO_PROBLEMS, "radii": {}})
    monkeypatch.setattr(figures, "draw_all", lambda records, folder: {})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["figure9"], "invalid choice"),
        (["toy", "--seeds", "0"], "--seeds: must be at least 1"),
        (["toy", "--minutes", "-3"], "--minutes: must be above 0"),
        (["toy", "--minutes", "nan"], "--minutes: must be above 0"),
        (["toy", "--caps", "0"], "--caps: must be above 0"),
    ],
)
def test_bad_options_are_wrong_use(options, said, tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        main([*options, "--out", str(tmp_path)])
    assert stop.value.code == 2
    assert said in capsys.readouterr().err


def test_the_help_tells_what_is_run_written_and_where_data_are_looked_for(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = " ".join(capsys.readouterr().out.split())
    for word in ("figure 1", "MCP", "figure 2", "figure 3", "SPARSIEVE_DATA", "paper.json"):
        assert word in text
    assert "default paper-results" in text.replace("- ", "-")  # a line may end at a hyphen


def test_without_matplotlib_nothing_is_run_and_the_remedy_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    assert main(["toy", "--out", str(tmp_path)]) == 2
    assert "needs matplotlib: pip install '.[plots]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_missing_data_set_is_told_before_anything_is_run(tmp_path, monkeypatch, capsys):
    def nowhere():
        raise FileNotFoundError("Three ways to provide it")

    load.cache_clear()
    monkeypatch.setattr(sv.datasets, "load_newsgroups", nowhere)
    monkeypatch.setattr(command, "run", no_path)
    assert main(["newsgroup", "--profile", "tiny", "--out", str(tmp_path)]) == 4
    assert capsys.readouterr().err == "sparsieve paper: error: Three ways to provide it\n"


@pytest.mark.skipif(shutil.which("g++") is None, reason="the compiled twin needs g++")
def test_all_skips_what_has_no_data_and_says_so(short, tmp_path, monkeypatch, capsys):
    def nowhere():
        raise FileNotFoundError("Three ways to provide it")

    load.cache_clear()
    monkeypatch.setattr(sv.datasets, "load_newsgroups", nowhere)
    monkeypatch.setattr(sv.datasets, "load_leukemia", nowhere)
    assert main(["all", "--profile", "tiny", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    report = (tmp_path / "report.md").read_text()
    for name in ("leukemia", "newsgroup"):
        assert f"{name} is skipped: Three ways to provide it" in said
        assert f"* {name} is skipped: Three ways to provide it" in report
        assert f"| figure3-{name} | text | compiled | 3 | 3 |" in report
    paths = json.loads((tmp_path / "paper.json").read_text())["paths"]
    assert {record["panel"] for record in paths.values()} == {
        "figure1-small",
        "figure2-features",
        "why",
    }


def test_without_a_compiler_a_run_says_so_and_uses_numpy(short, tmp_path, monkeypatch, capsys):
    def nothing():
        raise command.twin.TwinError("the compiled twin needs g++")

    monkeypatch.setattr(command.twin, "library", nothing)
    assert main([*TOY, "--out", str(tmp_path)]) == 0
    assert "everything is run in NumPy: the compiled twin needs g++" in capsys.readouterr().out
    paths = json.loads((tmp_path / "paper.json").read_text())["paths"]
    assert {record["language"] for record in paths.values()} == {"NumPy"}


def test_a_damaged_data_set_is_named(tmp_path, monkeypatch, capsys):
    load.cache_clear()
    monkeypatch.setenv("SPARSIEVE_DATA", str(tmp_path))
    (tmp_path / "leukemia.npz").write_text("no archive")
    assert main(["leukemia", "--profile", "tiny", "--out", str(tmp_path / "out")]) == 3
    assert "leukemia.npz cannot be read" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_run(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(command, "run", no_path)
    file = tmp_path / "file"
    file.write_text("mine")
    for place in (file, file / "below"):
        assert main([*TOY, "--out", str(place)]) == 4
        assert f"cannot write into {place}" in capsys.readouterr().err
    assert file.read_text() == "mine"


def test_a_second_run_sets_the_first_aside(short, tmp_path, capsys):
    options = [*TOY, "--out", str(tmp_path)]
    assert main(options) == 0
    first = (tmp_path / "paper.json").read_text()
    capsys.readouterr()
    assert main(options) == 0
    assert "--resume" in capsys.readouterr().out
    assert (tmp_path / "paper.1.json").read_text() == first
    assert main(options) == 0
    assert (tmp_path / "paper.1.json").read_text() == first
    assert (tmp_path / "paper.2.json").exists()


def test_two_runs_at_once_do_not_share_a_folder(short, tmp_path, monkeypatch, capsys):
    pytest.importorskip("fcntl")
    said = []

    def meddling(task, shared):
        if not said:
            said.append(main([*TOY, "--out", str(tmp_path), "--resume"]))
        return run(task, shared)

    monkeypatch.setattr(command, "run", meddling)
    assert main([*TOY, "--out", str(tmp_path)]) == 0
    assert said == [4]
    assert "another run" in capsys.readouterr().err


@pytest.mark.parametrize("torn", ["", "{}", "[1]", '{"profile": "tiny", "paths": {', "half"])
def test_a_torn_file_is_refused_by_name_and_left_alone(torn, short, tmp_path, capsys):
    file = tmp_path / "paper.json"
    if torn == "half":
        assert main([*TOY, "--out", str(tmp_path)]) == 0
        stored = json.loads(file.read_text())
        del next(iter(stored["paths"].values()))["points"]
        torn = json.dumps(stored)
    file.write_text(torn)
    for option in ("--resume", "--report-only"):
        assert main([*TOY, "--out", str(tmp_path), option]) == 3
        assert f"{file} is not a whole file of a run" in capsys.readouterr().err
    assert file.read_text() == torn


def test_timings_of_two_machines_are_not_mixed(short, tmp_path, monkeypatch, capsys):
    assert main([*TOY, "--out", str(tmp_path)]) == 0
    file = tmp_path / "paper.json"
    stored = json.loads(file.read_text())
    stored["machine"]["sparsieve"] = "0.0.9"
    file.write_text(json.dumps(stored))
    monkeypatch.setattr(command, "run", no_path)
    capsys.readouterr()
    assert main([*TOY, "--out", str(tmp_path), "--resume"]) == 3
    assert f"sparsieve 0.0.9, now {sv.__version__}" in capsys.readouterr().err
    assert main([*TOY, "--out", str(tmp_path), "--report-only"]) == 0


def test_a_resumed_run_has_the_size_of_the_first(short, tmp_path, capsys):
    assert main([*TOY, "--out", str(tmp_path)]) == 0
    assert main(["toy", "--quick", "--out", str(tmp_path), "--resume"]) == 3
    assert "holds a 'tiny' run, not a 'quick' one" in capsys.readouterr().err
    # what is drawn again has the size it has
    assert main(["toy", "--out", str(tmp_path), "--report-only"]) == 0


def test_there_is_nothing_to_draw_where_nothing_was_run(tmp_path, capsys):
    nowhere = tmp_path / "nowhere"
    assert main(["toy", "--out", str(nowhere), "--report-only"]) == 4
    assert "there is no" in capsys.readouterr().err
    assert not nowhere.exists()


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(short, tmp_path, monkeypatch, capsys):
    done = []

    def interrupted(task, shared):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(task.key())
        return run(task, shared)

    options = [*TOY, "--out", str(tmp_path)]
    with monkeypatch.context() as patch:
        patch.setattr(command, "run", interrupted)
        assert main(options) == 130
    said = capsys.readouterr().err
    assert f"interrupted; 2 paths are in {tmp_path / 'paper.json'}" in said
    assert "--resume" in said
    assert main([*options, "--resume"]) == 0
    stored = json.loads((tmp_path / "paper.json").read_text())
    assert list(stored["paths"]) == [task.key() for task in plan("toy", TINY)[:3]]


def test_a_log_file_gets_no_line_per_path(short, tmp_path, capsys):
    pytest.importorskip("tqdm")
    assert main([*TOY, "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().err.count("\r") <= 3  # at the beginning, at the end
