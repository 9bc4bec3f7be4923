"""Commands beside the comparison with peers: small work, and what a second thread is worth."""

import json

import numpy as np
import pytest
from benchmarks import small, threads
from benchmarks.judge import LEVELS, PENALTIES
from benchmarks.problems import PROBLEMS


@pytest.fixture
def results(monkeypatch, tmp_path):
    monkeypatch.setattr(small, "RESULTS", tmp_path)
    monkeypatch.setattr(threads, "RESULTS", tmp_path)
    monkeypatch.setattr(threads, "CACHE", tmp_path / "cache")
    return tmp_path


def test_small_work_is_timed_and_judged(results, capsys):
    (file,) = small.small(["mcp", "logsum"], repeat=1, bootstraps=3)
    rows = json.loads(file.read_text())["rows"]
    said = capsys.readouterr().out.splitlines()
    works = ["fit", "path of 50", "3 bootstrap fits"]
    assert [(row["work"], row["penalty"]) for row in rows] == [
        (work, penalty) for work in works for penalty in ("mcp(3)", "logsum(0.1)")
    ]
    for row, line in zip(rows, said, strict=True):
        assert line.startswith(f"{row['work']}, {row['penalty']}: sparsieve ")
        # By default both promise a tolerance relative to something smaller than the violation at 0.
        assert row["sparsieve"]["violation"] <= LEVELS["tight"]
        assert row["scikit-learn"]["violation"] <= 1e-2
        assert min(row[peer]["seconds"] for peer in ("sparsieve", "scikit-learn")) > 0.0


def test_the_judge_of_small_work_sees_a_wrong_answer(monkeypatch):
    X, y = PROBLEMS["toy_50x100"].data("raw")
    monkeypatch.setattr(small, "_their_fit", lambda X, y, alphas: np.zeros((X.shape[1], 1)))
    row = small.measure(small.Work("fit", [(X, y)], False, 1), PENALTIES["mcp"])
    # At a tenth of the smallest alpha with a zero solution w = 0 violates by nine tenths of it.
    assert row["scikit-learn"]["violation"] == pytest.approx(0.9)


def test_one_and_two_threads_are_timed_in_turns_and_judged(results, capsys):
    (file,) = threads.threads(["toy_50x100"], ["l1", "scad"], repeat=1)
    rows = json.loads(file.read_text())["rows"]
    said = capsys.readouterr().out.splitlines()
    for row, line, penalty in zip(rows, said, ("l1", "scad(3.7)"), strict=True):
        one, two = row["seconds, 1"], row["seconds, 2"]
        assert line.startswith(f"toy_50x100 {penalty}: ")
        assert line.endswith(f"ratio {one / two:.2f}")
        assert max(row["violation, 1"], row["violation, 2"]) <= LEVELS["tight"]


def test_problems_without_data_are_skipped_with_a_note(results, monkeypatch, capsys):
    monkeypatch.delenv("SPARSIEVE_DATA", raising=False)
    (file,) = threads.threads(["leukemia"], ["l1"], 1)
    assert json.loads(file.read_text())["rows"] == []
    assert capsys.readouterr().out.startswith("leukemia skipped: set SPARSIEVE_DATA")


def test_a_path_that_fails_is_not_timed(results, monkeypatch):
    class Broken:
        threads = 1

        def __init__(self, peer, count):
            pass

        def use(self, folder):
            pass

        def close(self):
            pass

        def solve(self, *arguments):
            return {"ok": False, "error": "no memory"}

    monkeypatch.setattr(threads, "Client", Broken)
    with pytest.raises(RuntimeError, match=r"toy_50x100, mcp\(3\): no memory"):
        threads.threads(["toy_50x100"], ["mcp"], 1)
