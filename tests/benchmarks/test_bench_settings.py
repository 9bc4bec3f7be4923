"""Settings of earlier runs: used where they answer the same question, judged, never for ours."""

import json
import sys

import numpy as np
import pytest
from benchmarks import __main__ as command_line
from benchmarks.judge import LEVELS, PENALTIES, alpha_grid, correlation_scale
from benchmarks.problems import PROBLEMS
from benchmarks.report import markdown
from benchmarks.runner import Cell, Plan, run_cell
from benchmarks.settings import Settings
from scipy import sparse

MACHINE = "a machine"
META = {"levels": LEVELS, "generation": 1, "machine": MACHINE, "date": "2026-01-02T03:04:05"}


def cell(threads=1):
    """L1 on orthogonal columns, where soft thresholding is the solution."""
    rng = np.random.default_rng(0)
    X = np.sqrt(20) * np.linalg.qr(rng.standard_normal((20, 5)))[0]
    y = 20 * rng.standard_normal(20)
    scale = correlation_scale(X, y)
    penalty = PENALTIES["l1"]
    alphas = alpha_grid(penalty, scale, 4, 0.1)
    return Cell(PROBLEMS["toy_50x100"], "raw", penalty, threads, X, y, scale, alphas)


class Peer:
    """A client whose path is wrong by `error` times its tolerance; none is stricter than `reach`.

    On orthogonal columns of norm sqrt(n) a wrong coefficient violates by as much as it is wrong.
    """

    version = "1.0"

    def __init__(self, name="celer", error=1.0, reach=0.0, seconds=1.0):
        self.name = self.peer = name
        self.seconds = seconds
        self.error, self.reach, self.asked = error, reach, []
        self.cell = cell()

    def solve(self, penalty, alphas, tol, limit):
        self.asked.append(tol)
        if tol < self.reach:
            return {"ok": False, "error": f"no answer within {limit:g} CPU s"}
        X, y, scale = self.cell.X, self.cell.y, self.cell.scale
        c = X.T @ y / len(y)
        coefs = np.sign(c)[:, None] * np.maximum(np.abs(c)[:, None] - alphas, 0.0)
        coefs[np.argmax(np.abs(c)), -1] += self.error * tol * scale
        measured = {"seconds": self.seconds, "cpu": self.seconds, "peak": 0, "passes": None}
        return {"ok": True, "coefs": sparse.csc_matrix(coefs), **measured}


def plan(settings=None, **more):
    usual = {"limit": 10.0, "repeat": 0, "per_decade": 2, "patience": 2} | more
    levels = usual.pop("levels", ["loose"])
    kept = {} if settings is None else {"settings": settings}
    return Plan([], [], [], [], [], levels=levels, **usual, **kept)


def searched(peer, **more):
    """The records of a run without settings, as the settings of the next one."""
    records = run_cell(cell(), [peer], plan(**more))
    peer.asked.clear()
    return records


def settings(records, tmp_path, machine=MACHINE, **meta):
    file = tmp_path / "before.json"
    file.write_text(json.dumps({"meta": META | meta, "records": records}))
    return Settings.read([file], machine)


def test_a_tolerance_found_before_is_run_and_judged_without_a_search(tmp_path):
    peer = Peer()
    before = searched(peer, levels=["loose", "tight"])
    again = run_cell(cell(), [peer], plan(settings(before, tmp_path), levels=["loose", "tight"]))
    assert peer.asked == [r["tol"] for r in before]
    assert [r["tol"] for r in again] == [r["tol"] for r in before]
    assert all(r["violation"] <= LEVELS[r["level"]] for r in again)
    assert {r["settled"] for r in again} == {"before.json of 2026-01-02"}
    assert "settled" not in before[0]


def test_the_number_of_threads_is_no_part_of_the_question(tmp_path):
    peer = Peer()
    (before,) = searched(peer)
    (again,) = run_cell(cell(threads=2), [peer], plan(settings([before], tmp_path)))
    assert peer.asked == [before["tol"]]
    assert again["threads"] == 2


def test_a_tolerance_that_no_longer_passes_is_searched_for(tmp_path):
    (before,) = searched(Peer())
    worse = Peer(error=100.0)
    (again,) = run_cell(cell(), [worse], plan(settings([before], tmp_path)))
    assert worse.asked[0] == before["tol"]
    assert again["status"] == "ok"
    assert again["tol"] < before["tol"]
    assert "settled" not in again


def test_never_is_carried_over_with_its_reason_and_limit(tmp_path):
    peer = Peer(reach=1.0)
    (before,) = searched(peer, limit=10.0)
    (again,) = run_cell(cell(), [peer], plan(settings([before], tmp_path), limit=5.0))
    assert peer.asked == []
    assert again["status"] == "never"
    assert again["reason"] == "no answer within 10 CPU s"
    assert again["limit"] == 10.0
    assert again["settled"] == "before.json of 2026-01-02"
    # Carried over twice, it still names the run that made the search.
    (third,) = run_cell(
        cell(), [peer], plan(settings([again], tmp_path, date="2027-01-01"), limit=5.0)
    )
    assert third["settled"] == "before.json of 2026-01-02"


@pytest.mark.parametrize(
    ("harder", "threads"),
    [({"limit": 11.0}, 1), ({"patience": 3}, 1), ({"per_decade": 3}, 1), ({}, 2)],
)
def test_never_counts_no_further_than_its_search_went(tmp_path, harder, threads):
    """Two threads have twice the CPU seconds, so their limit is another one."""
    peer = Peer(reach=1.0)
    (before,) = searched(peer)
    (again,) = run_cell(cell(threads), [peer], plan(settings([before], tmp_path), **harder))
    assert peer.asked
    assert "settled" not in again


def test_never_of_another_machine_does_not_count(tmp_path):
    peer = Peer(reach=1.0)
    kept = settings(searched(peer), tmp_path, machine="a faster one")
    run_cell(cell(), [peer], plan(kept))
    assert peer.asked


@pytest.mark.parametrize(
    "other", [{"version": "1.1"}, {"level": "tight"}, {"penalty": "mcp(3)"}, {"per_decade": 1}]
)
def test_another_question_is_no_answer(tmp_path, other):
    peer = Peer()
    (before,) = searched(peer)
    (again,) = run_cell(cell(), [peer], plan(settings([before | other], tmp_path)))
    assert len(peer.asked) > 1
    assert "settled" not in again


def test_the_loosest_of_several_tolerances_is_tried(tmp_path):
    (before,) = searched(Peer())
    stricter = before | {"tol": before["tol"] / 100}
    peer = Peer()
    run_cell(cell(), [peer], plan(settings([stricter, before, stricter], tmp_path)))
    assert peer.asked == [before["tol"]]


def test_ours_is_always_searched_for(tmp_path):
    ours = Peer("sparsieve")
    before = searched(ours)
    (again,) = run_cell(cell(), [ours], plan(settings(before, tmp_path)))
    assert len(ours.asked) > 1
    assert "settled" not in again


def test_a_level_is_not_tried_for_when_an_easier_one_was_missed():
    peer = Peer(reach=1e-3)
    loose, tight = run_cell(cell(), [peer], plan(levels=["loose", "tight"], patience=1))
    asked = list(peer.asked)
    assert (loose["status"], tight["status"]) == ("never", "never")
    assert loose["attempts"] == tight["attempts"]
    peer.asked.clear()
    run_cell(cell(), [peer], plan(levels=["loose"], patience=1))
    assert peer.asked == asked


def test_rounds_are_for_ours_and_the_peers_near_the_fastest():
    peers = [Peer("sparsieve", seconds=9.0), Peer("celer", seconds=0.5), Peer("skglm", seconds=2.0)]
    records = run_cell(cell(), peers, plan(repeat=3, rounds_within=3.0))
    assert [r["rounds"] for r in records] == [3, 3, 0]
    records = run_cell(cell(), peers, plan(repeat=3))
    assert [r["rounds"] for r in records] == [3, 3, 3]


def test_without_rounds_the_time_of_the_search_is_kept_and_reported():
    (record,) = searched(Peer())
    assert record["rounds"] == 0
    assert record["seconds"] == 1.0
    text = markdown({"meta": META, "records": [record]})
    assert "1 of 1 times are those of the search, without rounds." in text


def test_the_report_says_what_came_from_an_earlier_run(tmp_path):
    peers = [Peer("celer"), Peer("skglm", reach=1.0)]
    kept = settings(run_cell(cell(), peers, plan()), tmp_path)
    text = markdown({"meta": META, "records": run_cell(cell(), peers, plan(kept))})
    assert "Settled in the earlier run before.json of 2026-01-02: 1 tolerances" in text
    assert "and 1 times `never`" in text
    assert "fails (earlier)" in text
    assert "(earlier: before.json of 2026-01-02)" in text


def test_files_of_other_problems_or_levels_are_refused(tmp_path):
    with pytest.raises(ValueError, match="leave it out"):
        settings([], tmp_path, generation=0)
    with pytest.raises(ValueError, match="leave it out"):
        settings([], tmp_path, levels={"loose": 1e-3})


@pytest.fixture
def call(monkeypatch):
    """Call the command line without leaving its handler of signals behind."""
    monkeypatch.setattr(command_line.signal, "signal", lambda *_: None)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["benchmarks", "run", *arguments])
        command_line.main()

    return run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--repeat", "-1"], "take 0 or more"),
        (["--per-decade", "0"], "take 1 or more"),
        (["--patience", "0"], "take 1 or more"),
        (["--rounds-within", "0.5"], "take 1 or more"),
        (["--settings", "absent.json"], "takes result files of earlier runs"),
    ],
)
def test_senseless_options_are_refused_with_a_remedy(call, arguments, message):
    with pytest.raises(SystemExit, match=message):
        call(*arguments)


def test_options_of_the_search_reach_the_plan(call, monkeypatch):
    plans = []
    monkeypatch.setattr(command_line, "run", lambda plan, out, notes: plans.append(plan))
    monkeypatch.setattr(command_line, "_write_report", lambda results: None)
    call("--quick", "--repeat", "0", "--per-decade", "3", "--patience", "4")
    (made,) = plans
    assert (made.repeat, made.per_decade, made.patience, made.cold) == (0, 3, 4, [])
