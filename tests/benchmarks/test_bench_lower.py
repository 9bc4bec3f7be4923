"""The comparison of objectives on something tiny: draws, rivals, records, tables, remedies."""

import json

import numpy as np
import pytest
from benchmarks.adapters.ours import penalty_of
from benchmarks.judge import PENALTIES, Penalty, alpha_grid, correlation_scale, judge
from benchmarks.lower import report, study, why
from benchmarks.lower.descent import exact_path, minimiser, threshold
from benchmarks.lower.draws import draw
from benchmarks.lower.solvers import EXACT, MM, mm_path, our_solvers
from benchmarks.lower.study import FIRST, Plan

import sparsieve as sv

KINDS = ("mcp", "scad", "logsum")


@pytest.fixture(scope="module")
def small():
    """Return a problem that MM can solve in no time, with its number."""
    for number in range(100):
        made = draw(number)
        if made.X.size <= 1500 and made.rho > 0:
            return made
    raise AssertionError


def grid(made, kind, count=4):
    return alpha_grid(PENALTIES[kind], correlation_scale(made.X, made.y), count, 0.1)


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_draws_come_again_by_their_number(number):
    first, again = draw(number), draw(number)
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y)
    n, d = first.X.shape
    assert 20 <= n <= 200
    assert 20 <= d <= 1000
    norms = np.sqrt((first.X**2).mean(axis=0))
    assert np.allclose(norms, 1.0) == (first.variant == "standardised")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("h", [0.01, 0.2, 0.4, 1.0, 5.0])
def test_the_minimiser_of_a_coordinate_is_the_lowest_of_a_grid(kind, h):
    penalty, alpha = PENALTIES[kind], 0.05
    t = np.linspace(0.0, 60.0, 600_001)
    jump = threshold(penalty, h, alpha)
    for z in jump * np.array([0.5, 0.99, 1.01, 1.3, 2.0, 4.0]):
        found = minimiser(penalty, float(z), h, alpha, jump)
        values = h * t**2 / 2 - z * t + penalty.value(t, alpha)
        at = h * found**2 / 2 - z * found + penalty.value(np.array([found]), alpha)[0]
        assert at <= values.min() + 1e-12


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", [exact_path, mm_path])
def test_plain_rivals_end_in_stationary_points(small, kind, path):
    alphas = grid(small, kind)
    coefs = path(small.X, small.y, PENALTIES[kind], alphas)
    verdict = judge(small.X, small.y, coefs, PENALTIES[kind], alphas)
    assert verdict.violation.max() <= 1e-5 * correlation_scale(small.X, small.y)


@pytest.mark.parametrize("kind", KINDS)
def test_the_library_and_the_judge_agree_on_objectives(small, kind):
    alphas = grid(small, kind)
    coefs, _ = our_solvers()[0].solve(small.X, small.y, PENALTIES[kind], alphas)
    verdict = judge(small.X, small.y, coefs, PENALTIES[kind], alphas)
    penalty = penalty_of(kind, PENALTIES[kind].shape)
    for k, alpha in enumerate(alphas):
        w = coefs[:, [k]].toarray().ravel()
        own = sv.objective(small.X, small.y, w, penalty=penalty, alpha=float(alpha))
        assert own == pytest.approx(verdict.objective[k], rel=1e-12)


def test_a_tiny_study_is_recorded_told_and_not_run_again(tmp_path, monkeypatch):
    out = tmp_path / "lower.json"
    plan = Plan(draws=1, cells=[], penalties=["mcp"], peers=[], n_alphas=3)
    document = study.study(plan, out)
    (record,) = document["records"]
    assert set(record["objective"]) == {s.name for s in our_solvers()} | {EXACT, MM}
    assert all(len(values) == 3 for values in record["objective"].values())
    (table,) = report.write(document, out)
    assert "## Random problems: 1 paths" in table.read_text()
    monkeypatch.setattr(study, "compare", None)
    assert study.study(plan, out)["records"] == document["records"]


def test_data_and_peers_that_are_not_here_are_told(tmp_path, monkeypatch):
    monkeypatch.delenv("SPARSIEVE_DATA", raising=False)
    monkeypatch.setattr(study, "CACHE", tmp_path)
    monkeypatch.setattr("benchmarks.envs.command", lambda name: None)
    plan = Plan(draws=0, cells=["rat_eye"], penalties=["mcp"])
    document = study.study(plan, tmp_path / "lower.json")
    assert set(document["absent"]) == set(plan.peers)
    assert "Skipped: rat_eye: set SPARSIEVE_DATA" in report.markdown(document)


def _record(ours, theirs):
    return {
        "part": "cells",
        "case": "c",
        "variant": "raw",
        "penalty": "mcp(3)",
        "objective": {FIRST: ours, "skglm": theirs},
        "seconds": {FIRST: 1.0, "skglm": 1.0},
        "failed": {"pycasso": "no answer within 1 CPU s"},
    }


def test_shares_count_points_and_bars_are_told():
    record = _record([1.0, 1.0, 1.02, 1.0], [1.0, 1.0 - 1e-7, 1.0, 2.0])
    assert report.entry(report.excesses([record], FIRST, "skglm")) == "75.0%; 2.0%, 2.0%"
    text = report.markdown({"meta": {}, "records": [record]})
    assert "At most the lowest of all on 75.0%: (missed) (95%)" in text
    assert "pycasso: no answer within 1 CPU s" in text
    assert "| -19.60% |" in text
    above = report.markdown({"meta": {}, "records": [_record([1.01, 1.0], [1.0, 1.0])]})
    assert "**skglm**" not in above  # half a per cent is allowed
    above = report.markdown({"meta": {}, "records": [_record([1.02, 1.0], [1.0, 1.0])]})
    assert "+1.00% **skglm**" in above


@pytest.mark.parametrize("kind", KINDS)
def test_remedies_never_raise_the_objective_and_a_better_rival_is_found(small, kind, tmp_path):
    """We hold a poor point (zero); a rival the library's own."""
    penalty, alphas = PENALTIES[kind], grid(small, kind)
    better = our_solvers()[0].solve(small.X, small.y, penalty, alphas)[0]
    out = tmp_path / "lower.json"
    record = {
        "part": "draws",
        "case": small.name,
        "variant": small.variant,
        "penalty": penalty.label,
        "alphas": alphas.tolist(),
        "objective": {
            name: judge(small.X, small.y, w, penalty, alphas).objective.tolist()
            for name, w in ((FIRST, 0 * better), ("rival", better))
        },
    }
    study.keep(record, {FIRST: 0 * better, "rival": better}, out)
    out.write_text(json.dumps({"records": [record]}))
    (row,) = why.why(out, 5)
    assert row["excess"] > study.WORTH_A_LOOK
    assert row["our swap would lower"] > 0
    assert row["their swap would lower"] <= 1e-7
    assert all(left <= row["excess"] + 1e-12 for left in row["left"].values())
    assert row["left"]["rival's neighbour"] <= 0.5 * row["excess"]
    assert "| none | 0 of 1 |" in why.table([row])


def test_kept_coefficients_are_read_back(small, tmp_path):
    coefs = {
        "a": our_solvers()[0].solve(small.X, small.y, Penalty("mcp", 3.0), grid(small, "mcp"))[0]
    }
    record = {"case": "x", "variant": "raw", "penalty": "mcp(3)"}
    study.keep(record, coefs, tmp_path / "r.json")
    again = study.recall(record, tmp_path / "r.json")
    assert (again["a"] != coefs["a"]).nnz == 0
