"""The study of starts on something tiny: what it records, and what its table says."""

import numpy as np
import pytest
from benchmarks.judge import Penalty
from benchmarks.starts import families, markup, minima, report, study
from benchmarks.starts.choosing import by_bic, by_cv, folds, support_f1
from benchmarks.starts.families import FAMILIES, Family
from benchmarks.starts.real import Scale
from benchmarks.starts.rivals import rivals, support_sizes
from benchmarks.starts.summary import Summary
from benchmarks.starts.ways import (
    DEFAULT,
    STRENGTHS,
    Candidates,
    Lasso,
    Ours,
    grid_of,
    our_ways,
    starts,
    strength_ways,
)
from scipy import sparse


@pytest.fixture
def tiny(monkeypatch):
    family = Family("tiny", lambda seed: families.autoregressive(seed, (40, 20), 0.5, 3, 20.0))
    monkeypatch.setitem(FAMILIES, "tiny", family)
    return family


def test_a_tiny_study_is_recorded_and_told(tiny, tmp_path, capsys):
    out = tmp_path / "starts.json"
    plan = study.Plan(draws=1, families=[tiny], sets=[], rivals=[])
    document = study.study(plan, out)
    assert capsys.readouterr().out.splitlines() == ["tiny, draw 1"]
    records = document["records"]
    assert len(records) == 4 * len(starts()) + 2
    assert all(0.0 <= r["error"] < 1.0 and 0.0 < r["f1"] <= 1.0 for r in records)
    assert min(r["excess"] for r in records if "excess" in r) == pytest.approx(0.0, abs=1e-12)

    table, figure = report.write(document, out)
    text = table.read_text()
    ours = Summary(records).mean(("tiny", "mcp(3)", DEFAULT))
    assert f"| **{DEFAULT}** | {ours:.3f}, " in text
    assert "## Where the default loses" in text
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_draws_that_the_file_holds_are_not_run_again(tiny, tmp_path, monkeypatch):
    out = tmp_path / "starts.json"
    plan = study.Plan(draws=1, families=[tiny], sets=[], rivals=[])
    first = study.study(plan, out)
    monkeypatch.setattr(study, "on_family", None)
    assert study.study(plan, out)["records"] == first["records"]


def test_data_that_are_not_here_are_skipped_with_a_reason(tmp_path, monkeypatch):
    monkeypatch.delenv("SPARSIEVE_DATA", raising=False)
    plan = study.Plan(draws=1, families=[], sets=[study.REAL[0]], rivals=[])
    document = study.study(plan, tmp_path / "starts.json")
    assert "set SPARSIEVE_DATA" in document["skipped"]["riboflavin"]
    assert "riboflavin: set SPARSIEVE_DATA" in report.markdown(document)


def test_losses_name_the_case_and_what_chance_could_explain(tiny):
    def record(way, draw, error):
        return {"case": "tiny", "part": "family", "penalty": "mcp(3)", "way": way} | {
            "draw": draw,
            "error": error,
        }

    clear = [record(DEFAULT, k, 2.0 + 0.01 * k) for k in range(5)]
    clear += [record("previous", k, 1.0) for k in range(5)]
    (loss,) = Summary(clear).losses(["mcp(3)"], lambda penalty: (penalty, "previous"))
    assert loss.percent == pytest.approx(102.0)
    assert loss.is_clear
    (once,) = Summary(clear[0::5]).losses(["mcp(3)"], lambda penalty: (penalty, "previous"))
    assert not once.is_clear


@pytest.mark.parametrize("name", list(FAMILIES))
def test_families_are_drawn_again_by_their_seed(name):
    if "5000" in name:
        pytest.skip("large")
    first, again, other = (FAMILIES[name].make(seed) for seed in (1, 1, 2))
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y)
    assert not np.array_equal(first.y, other.y)
    assert np.mean(first.X**2) == pytest.approx(1.0, rel=0.1)


class Fixed:
    """A way whose candidates are known: multiples of the truth."""

    name, penalty = "fixed", ""

    def __init__(self, truth):
        self.truth = truth

    def fit(self, X, y, alphas, intercept):
        return Candidates(np.outer(self.truth, alphas), np.zeros(len(alphas)))


def test_the_right_candidate_is_chosen():
    sample = families.autoregressive(0, (60, 10), 0.0, 3, 1e6)
    way, data, shares = Fixed(sample.truth), (sample.X, sample.y), np.array([0.0, 0.5, 1.0, 1.5])
    parts = folds(60, 0)
    assert sorted(np.concatenate(parts)) == list(range(60))
    for chosen in (by_cv(way, data, parts, shares, False), by_bic(way, data, shares)):
        assert np.array_equal(chosen.coef, sample.truth)
    assert support_f1(sample.truth, sample.truth) == 1.0


def test_columns_come_to_one_scale():
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.normal(3.0, 5.0, (50, 4)))
    X[:, 2] = 7.0
    scaled = Scale.of(X).apply(X)
    assert np.allclose(scaled.std(axis=0), [1.0, 1.0, 0.0, 1.0])
    columns = Scale.of(sparse.csc_matrix(X)).apply(sparse.csc_matrix(X))
    assert np.allclose(columns.multiply(columns).mean(axis=0), 1.0)


def test_alphas_of_log_sum_begin_above_alpha_max():
    sample = families.autoregressive(0, (40, 20), 0.5, 3, 20.0)
    data = (sample.X, sample.y, False)
    mcp, logsum = grid_of(Penalty("mcp", 3.0), *data), grid_of(Penalty("logsum", 0.1), *data)
    assert len(mcp) == 30
    assert mcp[-1] == pytest.approx(0.02 * mcp[0])
    assert logsum[0] >= 10 * logsum[-30]


def test_the_relaxed_lasso_holds_the_lasso_and_the_refits():
    sample = families.autoregressive(0, (40, 20), 0.5, 3, 20.0)
    plain, relaxed = Lasso("lasso"), Lasso("relaxed lasso", relaxed=True)
    alphas = plain.alphas(sample.X, sample.y, False)
    lasso = plain.fit(sample.X, sample.y, alphas, False).coefs
    blended = relaxed.fit(sample.X, sample.y, alphas, False).coefs
    assert blended.shape[1] == 5 * len(alphas)
    assert np.allclose(blended[:, -len(alphas) :], lasso)


def test_rivals_that_are_absent_say_how_to_get_them(monkeypatch):
    monkeypatch.setattr("benchmarks.envs.command", lambda name: None)
    with rivals(["abess", "ncvreg"]) as (ways, absent):
        assert ways == []
    assert "benchmarks envs abess" in absent["abess"]
    assert "Rscript" in absent["ncvreg"]
    assert support_sizes(50, 400)[-1] == 25


def test_every_start_of_every_penalty_is_tried():
    names = {(way.penalty, way.name) for way in our_ways()}
    assert {("mcp(3)", DEFAULT), ("logsum(0.01)", "best"), ("", "relaxed lasso")} <= names


def test_a_tiny_study_of_minima_is_recorded_and_told(tiny, tmp_path):
    out = tmp_path / "minima.json"
    plan = study.Plan(draws=2, families=[tiny], sets=[]).for_minima()
    document = study.study(plan, out)
    records = document["records"]
    assert len(records) == 2 * 3 * len(STRENGTHS)
    assert document["absent"] == {}

    (table,) = minima.write(document, out)
    text = table.read_text()
    summary = Summary(records)
    base, swap = ("tiny", "logsum(0.1)", "stationary"), ("tiny", "logsum(0.1)", "swap")
    ratio, scatter = summary.paired(swap, base, "error")
    assert ratio == pytest.approx(summary.mean(swap) / summary.mean(base))
    assert f"{ratio:.3f} +- {scatter:.3f}; " in text
    assert "- **coordinatewise**, worse, F1 lower: " in text
    assert "| stationary | " in text


def test_a_stronger_minimum_is_never_above_a_stationary_one_of_the_same_start():
    sample = families.autoregressive(3, (30, 60), 0.9, 6, 5.0)
    kind = Penalty("logsum", 0.1)
    alphas = grid_of(kind, sample.X, sample.y, False)
    ways = [way for way in strength_ways() if way.penalty == kind.label]
    assert [way.name for way in ways] == list(STRENGTHS)
    found = [way.fit(sample.X, sample.y, alphas, False).objectives for way in ways]
    stationary, coordinatewise, swap, _ = found
    for stronger in (coordinatewise, swap):
        assert np.all(stronger <= stationary * (1.0 + 1e-5))  # the tolerance of the fits
    assert np.any(swap < stationary * (1.0 - 1e-3))
    assert Ours(kind, "", "lasso").minimum == "stationary"


def test_differences_of_minima_go_by_what_is_better():
    def record(way, draw, error, f1):
        return {"case": "c", "part": "family", "penalty": "mcp(3)", "way": way, "draw": draw} | {
            "error": error,
            "f1": f1,
        }

    records = [record("stationary", k, 1.0, 0.5) for k in range(3)]
    records += [record("swap", k, 0.9 + 0.001 * k, 0.4) for k in range(3)]
    summary = Summary(records)

    def found(what, *, is_worse):
        return minima.differences(summary, "swap", what, is_worse=is_worse)

    (better,), (worse,) = found("error", is_worse=False), found("f1", is_worse=True)
    assert better.percent == pytest.approx(9.9)
    assert better.is_clear
    assert worse.percent == pytest.approx(20.0)
    assert found("error", is_worse=True) == found("f1", is_worse=False) == []


def test_the_plan_for_minima_draws_measured_responses_more_often():
    plan = study.Plan(draws=40).for_minima()
    before = {data.name: data for data in study.REAL}
    assert not any(data.large for data in plan.sets)
    assert plan.rivals == []
    for data in plan.sets:
        assert data.draws == before[data.name].draws * (1 + (data.kind == "measured"))


def test_real_data_are_told_without_an_f1():
    assert markup.two(0.25, 0.5) == "0.250, 0.50"
    assert markup.two(0.25, np.nan) == "0.250"
    assert markup.two(np.nan, np.nan) == "-"
