"""The benchmark of losses: one small run with ours alone, and what its report says."""

import argparse

import numpy as np
import pytest
from benchmarks import runner
from benchmarks.losses import cells, command, report
from benchmarks.problems import Problem
from scipy import sparse


def record(problem, peer, cpu, status="ok", reason=""):
    return {
        "problem": problem,
        "penalty": "l1",
        "level": "tight",
        "peer": peer,
        "status": status,
        "reason": reason,
        "cpu": cpu,
        "passes": 0.1,
    }


def options(*words):
    parser = argparse.ArgumentParser()
    command.add_options(parser)
    return parser.parse_args(words)


def counts():
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.normal(size=(40, 60)))
    return X, rng.poisson(np.exp(0.5 * X[:, 0])).astype(float)


@pytest.fixture
def small(monkeypatch, tmp_path):
    """One small problem, run with ours alone."""
    problem = Problem("poisson_small", counts, 8, 0.1, "", "poisson", (("mcp", 0.3),))
    monkeypatch.setattr(command, "PROBLEMS", {problem.name: problem})
    monkeypatch.setattr(runner, "CACHE", tmp_path / "cache")
    return tmp_path / "losses.json"


def test_a_run_judges_the_loss_of_the_data_and_goes_on_from_its_file(small, capsys):
    words = ("--peers", "--penalties", "l1", "mcp", "--out", str(small))
    command.command(options(*words))
    first = small.read_text()
    found = report.cells_of(runner.json.loads(first)["records"])
    assert [(c.penalty, c.level) for c in found] == [
        ("l1", "loose"), ("l1", "tight"), ("mcp(3)", "loose"), ("mcp(3)", "tight"),
    ]  # fmt: skip
    for done in runner.json.loads(first)["records"]:
        assert done["status"] == "ok"
        assert done["violation"] <= (1e-4 if done["level"] == "loose" else 1e-6)
    capsys.readouterr()
    command.command(options(*words))
    assert "poisson_small" not in capsys.readouterr().out.replace(str(small), "")
    assert "| poisson_small | l1 | tight |" in small.with_suffix(".md").read_text()


def test_the_page_names_the_cells_where_a_peer_is_faster():
    document = {
        "meta": {"commit": "c", "date": "2026-01-01", "machine": "m", "absent": {"celer": "no"}},
        "records": [
            record("a", "sparsieve", 2.0),
            record("a", "adelie", 1.0),
            record("a", "skglm", 0.0, "never", "no answer within 60 CPU s"),
            record("b", "sparsieve", 1.0),
            record("b", "adelie", 8.0),
            record("c", "sparsieve", 0.0, "never", "accuracy never reached"),
        ],
    }
    text = report.page(document)
    assert "Slower than the fastest peer: a l1 tight (adelie, 0.50)." in text
    assert "| l1 | tight | 2 | 2.0 | 0.50 (a) | 0.10 |" in text
    assert "| a | l1 | tight | 2 | 1 | slow | 0.50 |" in text
    assert "Not solved by ours: c l1 tight: accuracy never reached." in text
    assert "Absent: celer (no)." in text


def test_a_report_without_results_says_what_to_run(tmp_path):
    with pytest.raises(SystemExit, match="run `python -m benchmarks losses` first"):
        command.command(options("--report", "--out", str(tmp_path / "none.json")))


def test_quick_and_unsolved_cells_are_cells():
    assert set(cells.QUICK) < set(cells.PROBLEMS)
    for problem, kind in cells.UNSOLVED:
        assert problem in cells.PROBLEMS
        assert kind in ("mcp", "scad")


def test_a_path_that_diverged_is_an_attempt_that_failed():
    """A solution that is not finite has no support, and the search goes on."""
    X, y = counts()

    class Diverging:
        name = peer = "sparsieve"

        def solve(self, penalty, alphas, tol, limit):
            coefs = np.full((60, len(alphas)), np.nan if tol > 1e-3 else 0.0)
            spent = {"seconds": 1.0, "cpu": 1.0, "peak": 0, "passes": None}
            return {"ok": True, "coefs": sparse.csc_matrix(coefs), **spent}

    problem = Problem("poisson_small", counts, 1, 1.0, "", "poisson")
    scale = runner.correlation_scale(X, y, "poisson")
    cell = runner.Cell(
        problem, "raw", runner.PENALTIES["l1"], 1, X, y, scale, np.array([1.001 * scale])
    )
    trial = runner.Trial(Diverging(), cell, runner.Plan([], [], [], [], []), frugal=False)
    assert trial.attempt(1e-1).violation == np.inf
    assert trial.details[1e-1]["support"] is None
    assert trial.attempt(1e-4).violation <= 1e-12
