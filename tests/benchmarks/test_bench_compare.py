"""The comparison of two commits, or of two starts: what is timed, told, stored and refused."""

import argparse
import json
import math
from pathlib import Path

import numpy as np
import pytest
from benchmarks.compare import cells, command, sides, summary
from benchmarks.judge import LEVELS, PENALTIES, alpha_grid, correlation_scale
from benchmarks.problems import PROBLEMS
from benchmarks.runner import Cell
from scipy import sparse

COMMITS = sides.Contest(sides.Side("base", "sparsieve-previous", ()), sides.Side("head", "x", ()))


def asked(*arguments):
    parser = argparse.ArgumentParser()
    command.add_options(parser)
    found = parser.parse_args(arguments)
    command.complete(found)
    return found


def cell(kind="l1"):
    """L1 on orthogonal columns, where soft thresholding is the solution."""
    rng = np.random.default_rng(0)
    X = np.sqrt(20) * np.linalg.qr(rng.standard_normal((20, 5)))[0]
    y = 20 * rng.standard_normal(20)
    scale = correlation_scale(X, y)
    penalty = PENALTIES[kind]
    alphas = alpha_grid(penalty, scale, 4, 0.1)
    return Cell(PROBLEMS["toy_50x100"], "raw", penalty, 1, X, y, scale, alphas)


class Worker:
    """A client whose path is wrong by `error` times its tolerance, and takes so many seconds."""

    version, threads, peer = "1.0", 1, "sparsieve"

    def __init__(self, name, error=1.0, seconds=20.0, fails=False):
        self.name, self.error, self.seconds, self.fails = name, error, seconds, fails
        self.cell, self.asked, self.lives = cell(), [], 1

    def use(self, folder):
        pass

    def close(self):
        pass

    def renew(self):
        self.lives += 1

    def solve(self, penalty, alphas, tol, limit):
        self.asked.append(tol)
        if self.fails:
            return {"ok": False, "error": "no memory"}
        X, y, scale = self.cell.X, self.cell.y, self.cell.scale
        c = X.T @ y / len(y)
        coefs = np.sign(c)[:, None] * np.maximum(np.abs(c)[:, None] - alphas, 0.0)
        coefs[np.argmax(np.abs(c)), -1] += self.error * tol * scale
        measured = {"seconds": self.seconds, "cpu": self.seconds / 2, "peak": 4 << 20, "passes": 2}
        return {"ok": True, "coefs": sparse.csc_matrix(coefs), **measured}


def measured(base, head, level="tight", contest=COMMITS, repeat=1):
    trials = cells.both(cell(), [base, head])
    row = cells.measure(contest, trials, level, repeat)
    return {"part": "paths", **row, **cells.by_clock(row, contest, "cpu")}


# ---------------------------------------------------------------- a cell


def test_two_commits_run_at_the_loosest_tolerance_of_the_base():
    base, head = Worker("base"), Worker("head", error=0.01, seconds=30.0)
    row = measured(base, head)
    assert row["base_tol"] == row["head_tol"] == pytest.approx(1e-6)
    assert head.asked == [row["base_tol"]] * 2  # judged once and timed once, never searched for
    assert max(row["base_violation"], row["head_violation"]) <= LEVELS["tight"]
    assert (row["base"], row["head"], row["ratio"]) == (10.0, 15.0, 1.5)
    assert row["note"] == ""


def test_a_head_that_misses_the_level_gets_its_own_tolerance_and_a_note():
    row = measured(Worker("base"), Worker("head", error=50.0))
    assert row["head_tol"] < row["base_tol"] / 40
    assert row["head_violation"] <= LEVELS["tight"]
    assert row["note"] == "head needs a tolerance of its own"


def test_two_starts_run_at_a_tolerance_each():
    sides_ = (sides.Side("previous", "a", ()), sides.Side("default", "b", ()))
    contest = sides.Contest(*sides_, own_tolerances=True)
    row = measured(Worker("p"), Worker("d", error=0.01, seconds=60.0), contest=contest)
    assert row["default_tol"] == pytest.approx(100 * row["previous_tol"])
    assert (row["previous"], row["default"], row["ratio"]) == (10.0, 30.0, 3.0)
    assert row["note"] == ""
    assert "default/previous 3" in summary.line(row, contest)


def test_a_fixed_tolerance_is_not_searched_for():
    base, head = Worker("base", error=300.0), Worker("head")
    row = measured(base, head, level="fixed")
    assert base.asked == head.asked == [1e-6, 1e-6]
    assert row["base_violation"] > LEVELS["loose"]


def test_attempts_of_one_level_serve_the_next():
    base, head = Worker("base"), Worker("head")
    trials = cells.both(cell(), [base, head])
    for level in ("loose", "tight"):
        row = cells.measure(COMMITS, trials, level, repeat=1)
        assert row["base_violation"] <= LEVELS[level]
    assert len(set(base.asked)) == len(base.asked) - 2  # nothing twice but the round of each level


def test_both_sides_get_as_many_rounds():
    row = measured(Worker("base", seconds=0.09), Worker("head", seconds=0.11))
    assert row["base_rounds"] == row["head_rounds"] == 1


@pytest.mark.parametrize(
    ("seconds", "lives", "rounds"),
    [(0.01, 3, 3 * 5 * 7), (0.05, 3, 5 * 9), (1.0, 3, 9), (2.0, 1, 7), (20.0, 1, 1)],
)
def test_the_rounds_are_spread_over_several_lives(seconds, lives, rounds):
    base, head = Worker("base", seconds=seconds), Worker("head", seconds=seconds)
    row = measured(base, head, repeat=7)
    assert base.lives == head.lives == lives
    assert row["base_rounds"] == row["head_rounds"] == rounds


@pytest.mark.parametrize("level", ["tight", "fixed"])
def test_a_side_that_fails_has_no_ratio_and_a_reason(level):
    row = measured(Worker("base"), Worker("head", fails=True), level)
    assert row["head"] is row["ratio"] is row["head_tol"] is None
    assert "head: no memory" in row["note"]
    (told,) = summary.complaints([row], COMMITS, asked("main"))
    assert told == "failed: toy_50x100 raw l1 " + level
    row = measured(Worker("base", fails=True), Worker("head"), level)
    assert row["base"] is row["ratio"] is None
    assert row["head"] == 10.0
    assert summary.complaints([row], COMMITS, asked("main")) == []


# ---------------------------------------------------------------- what is told


def rows(*ratios, part="paths", **more):
    keys = {"part": part, "variant": "raw", "penalty": "l1", "level": "tight", "clock": "cpu"}
    return [
        {**keys, "problem": f"p{k}", "base": 1.0, "head": r, "ratio": r, **more}
        for k, r in enumerate(ratios)
    ]


def test_the_table_has_the_mean_and_names_the_worst():
    loose = [row | {"level": "loose"} for row in rows(1.0, 1.1)]
    passes = {"base_passes": 2.0, "head_passes": 3.0, "base_peak": 4 << 20, "head_peak": 2 << 20}
    told = summary.table([*loose, *rows(0.5, 2.0, **passes)], COMMITS)
    head, *parts = (" ".join(line.split()) for line in told)
    assert head == "head/base cells mean worst"
    assert parts[0] == "paths, loose, raw 2 1.049 1.100 p1 raw l1 loose"
    assert parts[1] == "paths, tight, raw 2 1.000 2.000 p1 raw l1 tight"
    assert parts[2].startswith("paths, all 4 1.024 2.000 ")
    assert parts[3].startswith("passes per alpha 2 1.500 1.500 ")
    assert parts[4].startswith("peak memory beyond X, from 1 MB 2 0.500 ")


def test_small_peaks_are_not_compared():
    (row,) = rows(1.0, base_peak=8192, head_peak=81920)
    assert not any("memory" in told for told in summary.table([row], COMMITS))


def test_a_cell_and_a_mean_that_are_too_slow_are_named():
    assert summary.complaints(rows(1.0, 1.14, 0.9), COMMITS, asked("main")) == []
    told = summary.complaints(rows(1.0, 1.2, 0.8), COMMITS, asked("main"))
    assert told == ["above 1.15: p1 raw l1 tight, 1.200"]
    told = summary.complaints(rows(1.04, 1.04), COMMITS, asked("main"))
    assert told == ["mean of all paths above 1.03: 1.040"]
    allowed = asked("main", "--fail-above", "1.3", "--fail-mean-above", "1.2")
    assert summary.complaints(rows(1.0, 1.29), COMMITS, allowed) == []


def test_another_clock_is_told_only():
    (row,) = rows(2.0, part="two threads, seconds", clock="seconds")
    assert summary.complaints([row], COMMITS, asked("main")) == []
    assert len(summary.complaints([row], COMMITS, asked("main", "--clock", "seconds"))) == 1


# ---------------------------------------------------------------- what can be asked


def test_by_default_everything_is_compared_by_the_clock_of_the_processor():
    found = asked("main")
    assert found.levels == ["loose", "tight"]
    assert found.variants == ["standardised", "raw"]
    assert found.penalties == list(PENALTIES)
    assert (found.clock, found.start) == ("cpu", "previous")
    assert len(set(found.problems)) == 8
    assert (found.fail_above, found.fail_mean_above) == (1.15, 1.03)
    assert found.out.name == "compare.json"


def test_the_cost_of_the_start_needs_no_base_and_fails_no_one():
    found = asked("--cost-of-start")
    assert found.penalties == ["mcp", "scad", "logsum"]
    assert found.fail_above == found.fail_mean_above == math.inf
    assert found.out.name == "cost-of-start.json"
    assert asked("--cost-of-start", "--fail-above", "4").fail_above == 4.0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "name a commit"),
        (["--cost-of-start", "--penalties", "l1"], "l1 is convex"),
        (["main", "--repeat", "0"], "--repeat is 0"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_remedy(arguments, told):
    with pytest.raises(SystemExit, match=told):
        asked(*arguments)


# ---------------------------------------------------------------- a whole comparison


@pytest.fixture
def built(monkeypatch, tmp_path):
    """Nothing is built, workers are stand-ins; returns the options of a small comparison."""
    monkeypatch.setattr(sides.envs, "install_tree", lambda tree, folder: f"{folder.name}: ready")
    monkeypatch.setattr(sides, "export", lambda commit, tree: None)
    monkeypatch.setattr(sides, "name_of", lambda commit: "abc1234")
    monkeypatch.setattr(sides, "Client", lambda name, threads, start: Worker(name))
    monkeypatch.setattr(cells, "stored", lambda name, variant: Path("nowhere"))
    monkeypatch.setattr(cells, "cells", lambda *arguments: [cell()])
    few = ["--problems", "toy_50x100", "--variants", "raw", "--repeat", "1", "--no-beyond"]
    return [*few, "--out", str(tmp_path / "rows.json")]


def run(*arguments):
    parser = argparse.ArgumentParser()
    command.add_options(parser)
    return command.compare(parser.parse_args(arguments))


@pytest.mark.parametrize(
    ("clock", "seconds"), [("seconds", "wall-clock"), ("cpu", "of the processor")]
)
def test_a_comparison_says_what_it_does_and_what_its_seconds_are(built, capsys, clock, seconds):
    assert run("main", *built, "--clock", clock) == 0
    base, head, measuring, *found = capsys.readouterr().out.splitlines()
    assert base.startswith("building base: main (abc1234)")
    assert head.startswith("building head: the files as they are")
    assert measuring.startswith("measuring 1 problem, 4 penalties, 2 levels, raw, best of 1 rounds")
    assert seconds in measuring
    assert "noise" in measuring
    assert found[0].endswith("head/base 1")
    assert "paths, all" in found[-3]


def test_one_build_serves_both_starts(built, capsys):
    assert run("--cost-of-start", *built) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said if "building" in line] == ["building head"]
    rows = json.loads(Path(built[-1]).read_text())["rows"]
    assert [row["level"] for row in rows] == ["loose", "tight"]
    assert {row["previous"] for row in rows} == {row["default"] for row in rows} == {10.0}


def test_a_slow_head_fails_the_comparison(built, monkeypatch, capsys):
    def slower(name, threads, start):
        return Worker(name, seconds=40.0 if name.endswith("@head") else 20.0)

    monkeypatch.setattr(sides, "Client", slower)
    assert run("main", *built) == 1
    assert "above 1.15: toy_50x100 raw l1 loose, 2.000" in capsys.readouterr().out


def test_an_interruption_leaves_and_tells_the_finished_cells(built, monkeypatch, capsys):
    real = cells.measure

    def interrupted(contest, trials, level, repeat):
        if level == "tight":
            raise KeyboardInterrupt
        return real(contest, trials, level, repeat)

    monkeypatch.setattr(cells, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt, match=r"1 finished cell is in rows\.json"):
        run("main", *built)
    (row,) = json.loads(Path(built[-1]).read_text())["rows"]
    assert row["level"] == "loose"
    assert "paths, loose, raw" in capsys.readouterr().out


def test_a_base_that_is_no_commit_is_told_before_anything_is_built():
    with pytest.raises(SystemExit, match=r"'no-such-commit' is no commit here; .*BASE"):
        sides.name_of("no-such-commit")
