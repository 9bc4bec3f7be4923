"""What a comparison measures beside paths: small work, cold starts, threads, cross-validation."""

import argparse
import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.adapters import adapter
from benchmarks.adapters.ours import known_options
from benchmarks.client import Client
from benchmarks.compare import beyond, cells, chores, command, sides, summary
from benchmarks.judge import PENALTIES
from benchmarks.problems import PROBLEMS, store
from benchmarks.worker import Worker

CONTEST = sides.Contest(sides.Side("base", "p", ()), sides.Side("head", "p", ()))


def asked(*arguments):
    parser = argparse.ArgumentParser()
    command.add_options(parser)
    found = parser.parse_args(["main", "--cv-on", "toy_50x100", *arguments])
    command.complete(found)
    return found


class Clock:
    """A client whose work takes the seconds it is given, one after the other."""

    threads = 1

    def __init__(self, name, *seconds, fails_at=None, log=None):
        self.name, self.seconds, self.fails_at = name, list(seconds) or [2.0] * 999, fails_at
        self.log = [] if log is None else log
        self.runs = 0

    def work(self, *what):
        self.log.append(self.name)
        self.runs += 1
        if self.runs == self.fails_at:
            return {"ok": False, "error": "no such work"}
        seconds = self.seconds.pop(0)
        return {"ok": True, "seconds": 2 * seconds, "cpu": seconds, "peak": 3 << 20}

    def cold_clocks(self, penalty, alphas, tol, limit):
        answer = self.work()
        return {k: answer[k] for k in ("seconds", "cpu")} if answer["ok"] else None

    def use(self, folder):
        self.folder = folder

    def renew(self):
        self.log.append(f"{self.name} renewed")

    def close(self):
        self.log.append(f"{self.name} closed")


def in_turns(base, head, rounds=3):
    run = beyond._worker("fit", PENALTIES["l1"], 1)
    return beyond.in_turns(CONTEST, [base, head], run, rounds, {"part": "small work"}, "cpu")


def test_the_best_of_each_side_counts_and_nobody_is_always_first():
    log = []
    row = in_turns(Clock("a", 3.0, 2.0, 4.0, log=log), Clock("b", 5.0, 6.0, 3.0, log=log))
    assert log == ["a", "b", "b", "a", "a", "b"]
    assert (row["base"], row["head"], row["ratio"]) == (2.0, 3.0, 1.5)
    assert row["base_seconds"] == 4.0
    assert row["base_rounds"] == row["head_rounds"] == 3


def test_short_work_is_done_in_several_lives():
    log = []
    clients = [Clock("a", log=log), Clock("b")]
    run = beyond._worker("fit", PENALTIES["l1"], 1)
    beyond.in_turns(CONTEST, clients, run, 7, {}, "cpu", lives=3)
    assert log == [*"aaa", "a renewed", *"aaa", "a renewed", "a"]


def test_work_a_side_does_not_know_has_no_ratio():
    head = Clock("b")
    row = in_turns(Clock("a", fails_at=1), head)
    assert row["base"] is row["ratio"] is None
    assert row["note"] == "base: no such work"
    assert head.runs == 3
    assert summary.complaints([row], CONTEST, asked()) == []
    row = in_turns(Clock("a"), Clock("b", fails_at=2))
    assert len(summary.complaints([row], CONTEST, asked())) == 1


def test_every_part_has_its_rows(monkeypatch, tmp_path):
    monkeypatch.setattr(cells, "CACHE", tmp_path)
    monkeypatch.setattr(sides, "Client", lambda name, threads, start: Clock(name))
    path = {"problem": "wide", "base_cpu": 1.0, "base_seconds": 2.0}
    monkeypatch.setattr(
        beyond, "measure", lambda *what: {**path, "head_cpu": 3.0, "head_seconds": 3.0}
    )
    options = asked("--penalties", "mcp", "scad", "--repeat", "4", "--threads-on", "toy_50x100")
    rows = list(beyond.beyond(CONTEST, [Clock("a"), Clock("b")], options))
    names = [summary.name(row) for row in rows]
    assert names[:2] == ["small work fit mcp(3)", "small work fit scad(3.7)"]
    assert names[5:] == [
        "small work 1000 bootstrap fits scad(3.7)",
        "cold start toy_50x100 mcp(3)",
        "two threads, CPU wide",
        "two threads, wall wide",
        "cross-validation toy_50x100 mcp(3)",
    ]
    assert [row["ratio"] for row in rows[-3:]] == [3.0, 1.5, 1.0]
    told = [" ".join(line.split()) for line in summary.table(rows, CONTEST)]
    assert "small work 6 1.000 1.000 small work fit mcp(3)" in told
    assert len(summary.complaints(rows, CONTEST, options)) == 1  # the clock that was asked for


def test_workers_of_two_threads_are_ended_with_the_part(monkeypatch, tmp_path):
    monkeypatch.setattr(cells, "CACHE", tmp_path)
    log = []
    monkeypatch.setattr(sides, "Client", lambda name, threads, start: Clock(name, log=log))

    def interrupted(*what):
        raise KeyboardInterrupt

    monkeypatch.setattr(beyond, "measure", interrupted)
    options = asked("--penalties", "l1", "--threads-on", "toy_50x100")
    with pytest.raises(KeyboardInterrupt):
        list(beyond.beyond(CONTEST, [Clock("a"), Clock("b")], options))
    assert log[-2:] == ["p@base closed", "p@head closed"]


def test_a_problem_without_data_is_left_out(monkeypatch, capsys):
    monkeypatch.delenv("SPARSIEVE_DATA", raising=False)
    monkeypatch.setattr(cells, "CACHE", Path("nowhere"))
    options = asked("--threads-on", "leukemia")
    assert list(beyond.two_threads(CONTEST, [Clock("a"), Clock("b")], options)) == []
    assert capsys.readouterr().out.startswith("leukemia: absent")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [([], True), (["--no-beyond"], False), (["--cost-of-start"], False), (["--beyond"], True)],
)
def test_it_is_measured_unless_it_is_not_wanted(arguments, expected):
    assert asked(*arguments).beyond is expected


def test_nothing_but_it_can_be_asked_for(monkeypatch, tmp_path):
    monkeypatch.setattr(sides, "commits", lambda *what: CONTEST)
    monkeypatch.setattr(sides, "Client", lambda name, threads, start: Clock(name))
    row = {"part": "cold start", "base": 1.0, "head": 1.0, "ratio": 1.0, "clock": "cpu"}
    monkeypatch.setattr(command, "beyond", lambda *what: [row])
    options = asked("--problems", "--beyond", "--out", str(tmp_path / "rows.json"))
    assert command.compare(options) == 0
    assert json.loads(options.out.read_text())["rows"] == [row]


# ---------------------------------------------------------------- the worker's side


def test_options_that_a_commit_does_not_know_are_left_out():
    def old(X, y, tol=1e-6):
        pass

    assert known_options(old, {"tol": 1e-3, "start": "previous"}) == {"tol": 1e-3}


def test_small_work_is_done_with_the_start_of_the_side(monkeypatch):
    import sparsieve

    seen = []

    class Regressor:
        coef_ = np.zeros(100)

        def __init__(self, penalty, alpha, start="lasso"):
            seen.append(start)

        def fit(self, X, y):
            return self

    monkeypatch.setattr(sparsieve, "SparseRegressor", Regressor)
    message = {"name": "fit", "kind": "mcp", "shape": 3.0, "threads": 1}
    for peer in ("sparsieve", "sparsieve-previous"):
        chores.chore(message, adapter(peer), None, None)()
    assert seen == ["lasso", "previous"]


def test_a_worker_times_work_by_both_clocks_and_its_memory():
    worker = Worker("sparsieve-previous")
    worker.X, worker.y = PROBLEMS["toy_50x100"].data("standardised")
    message = {"do": "work", "kind": "mcp", "shape": 3.0, "threads": 1, "rounds": 2}
    for name in ("fit", "path of 50", chores.CROSS_VALIDATION):
        answer = worker.answer({**message, "name": name})
        assert answer["ok"], answer
        assert set(answer) == {"ok", "seconds", "cpu", "peak"}
        assert min(answer["seconds"], answer["cpu"]) > 0.0
    assert not worker.answer({**message, "name": "knitting"})["ok"]


def test_a_real_worker_starts_cold_by_both_clocks(tmp_path):
    (cell,) = cells.cells(
        store(PROBLEMS["toy_50x100"], "raw", tmp_path), "toy_50x100", "raw", ["l1"], 1
    )
    client = Client("sparsieve", 1)
    try:
        client.use(tmp_path / "toy_50x100-raw-v1")
        clocks = client.cold_clocks(cell.penalty, cell.alphas, 1e-3, 60.0)
        answer = client.work("fit", cell.penalty, 2, 60.0)
    finally:
        client.close()
    assert 0.0 < clocks["cpu"] < 60.0
    assert clocks["seconds"] > 0.0
    assert answer["ok"]
