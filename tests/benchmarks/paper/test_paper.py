"""The paper's experiments in their smallest form: plan, run, resume, figures, report."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks.paper import command, facts, main, twin
from benchmarks.paper.arms import CODE, TEXT, code_grid
from benchmarks.paper.claims import CLAIMS
from benchmarks.paper.plan import (
    BEST,
    ENGINE,
    ENGINES,
    EXPERIMENTS,
    FULL,
    NUMPY,
    PAPER_METHODS,
    PROFILES,
    TINY,
    TWIN,
    plan,
)
from benchmarks.paper.problems import Problem, grid, load
from benchmarks.paper.runner import first_start, lambdas_of, run
from benchmarks.paper.scale import to_library
from benchmarks.paper.schedule import Schedule
from benchmarks.paper.store import Store, pack, unpack
from benchmarks.paper.summary import (
    Group,
    Ratio,
    Total,
    end_points,
    ratio,
    reached,
    shared_points,
    totals,
    whole,
)
from tolerances import REORDERED_SUM

import sparsieve as sv
from sparsieve import reference

pytest.importorskip("matplotlib")
figures = pytest.importorskip("benchmarks.paper.figures")

# No run ends early on a busy machine.
ALL_THE_TIME = ["--minutes", "600"]

PENALTIES = [sv.LogSum(0.1), sv.MCP(0.5), sv.MCP(3.0), sv.SCAD(3.7), sv.CappedL1(0.5), sv.L1()]


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_the_judge_speaks_the_papers_scale(penalty):
    X, y, _ = sv.datasets.make_toy(20, 15, 3, 0.5, 0)
    w = np.random.default_rng(0).standard_normal(15) * (np.arange(15) % 2)
    for lam in (0.3, 30.0):
        value, violation = to_library(X, y, penalty).judge(w, lam)
        assert value == pytest.approx(reference.objective(X, y, w, penalty, lam), rel=REORDERED_SUM)
        assert violation == pytest.approx(
            reference.violation(X, y, w, penalty, lam), rel=1e3 * REORDERED_SUM
        )


def test_the_grid_is_the_papers():
    X, y, _ = sv.datasets.make_toy(20, 15, 3, 0.5, 0)
    theta = 0.1
    lambdas = grid(X, y, float(sv.LogSum(theta).slope(0.0, 1.0)), 50)
    assert lambdas[0] == pytest.approx(theta * np.max(np.abs(X.T @ y)))
    assert lambdas[-1] == pytest.approx(1e-3 * lambdas[0])
    np.testing.assert_allclose(np.diff(np.log10(lambdas)), -3 / 49)
    # zero is the solution at lambda_max and no longer just below
    assert reference.violation(X, y, np.zeros(15), sv.LogSum(theta), lambdas[0]) <= 1e-9
    assert reference.violation(X, y, np.zeros(15), sv.LogSum(theta), 0.99 * lambdas[0]) > 0


def test_the_full_plan_is_the_papers_set_up():
    tasks = [task for name in EXPERIMENTS for task in plan(name, FULL)]
    assert len({task.key() for task in tasks}) == len(tasks)
    figure1 = [task for task in tasks if task.panel.startswith("figure1")]
    assert {task.shape for task in figure1} == {0.01, 0.1, 1.0}
    assert {task.n_lambdas for task in figure1} == {50}
    assert {(t.problem.n, t.problem.d) for t in figure1} == {(50, 100), (500, 5000)}
    assert {t.n_lambdas for t in tasks if t.problem.name == "leukemia"} == {20}
    assert {1e-3, 1e-8} <= {task.tol for task in figure1}
    for wanted in (*PAPER_METHODS, "MM", "MM-genuine printed", "MM-screen printed", ENGINE):
        assert any(task.method == wanted for task in figure1)
    for arm in (TEXT, CODE):
        for language in (NUMPY, TWIN):
            for panel in ("figure1-small", "figure1-large", "figure3-leukemia"):
                here = [
                    t for t in tasks if (t.panel, t.arm, t.language) == (panel, arm.name, language)
                ]
                assert set(PAPER_METHODS) <= {task.method for task in here}
                assert {task.shape for task in here} == {0.01, 0.1, 1.0}
            for panel in ("figure2-noise", "figure2-tolerance"):  # both competitors at low noise
                low = [t for t in tasks if t.panel == panel and t.problem.noise == 0.01]
                here = {t.method for t in low if (t.arm, t.language) == (arm.name, language)}
                assert set(PAPER_METHODS) <= here
    best = [task for task in tasks if task.method == BEST]
    assert {task.problem.name for task in best} == {"toy", "leukemia", "newsgroup"}
    # drawing takes well under the rest of the five minutes
    assert PROFILES["quick"].minutes * 60 < 5 * 60 - 20


def test_without_a_compiler_everything_is_run_in_numpy():
    for name in EXPERIMENTS:
        tasks = plan(name, TINY, compiled=False)
        assert {task.language for task in tasks} == {NUMPY}
        assert {task.panel for task in tasks} == {task.panel for task in plan(name, TINY)}


def test_the_grid_of_the_program():
    """Its slope at zero, over that of the text at the same place: 1.44, 6.0 and 13."""
    correlations = np.array([3.0, -50.0])
    for theta, times in ((1.0, 1.44), (0.1, 6.02), (0.01, 13.0)):
        lambdas = code_grid(correlations, theta, 50)
        u = np.linspace(1, 49, 50)
        np.testing.assert_allclose(lambdas / theta / (50.0 * 10 ** (-3 * u / 49)), times, rtol=4e-3)


def test_the_program_starts_a_shape_at_the_first_lambda_of_the_last():
    task = replace(plan("toy", TINY)[0], arm=CODE.name, shape=0.1)
    asked = []

    def solve(penalty, lam, w0, seconds):
        asked.append((penalty.theta, lam, w0))
        return reference.Result(np.ones(12), 0.0, 0.0, 0, True, reference.Work(12)), {}

    assert first_start(replace(task, shape=1.0), solve) is None
    np.testing.assert_array_equal(first_start(task, solve), np.ones(12))
    assert asked == [(1.0, float(lambdas_of(replace(task, shape=1.0))[0]), None)]
    assert first_start(replace(task, arm=TEXT.name), solve) is None


def test_every_panel_gets_its_share_of_the_time(monkeypatch):
    from benchmarks.paper import schedule

    now = [0.0]
    monkeypatch.setattr(schedule, "perf_counter", lambda: now[0])
    tasks = [task for name in EXPERIMENTS for task in plan(name, TINY)]
    seen = []
    for task in Schedule(tasks):
        seen.append(task)
        now[0] += 100.0 if task.panel == "figure1-large" else 1.0  # one panel is slow
    assert sorted(task.key() for task in seen) == sorted(task.key() for task in tasks)
    panels = {task.panel for task in tasks}
    assert {task.panel for task in seen[: 4 * len(panels)]} == panels
    # a slow one had its turn once in each arm, and waits then until the others are done
    assert sum(task.panel == "figure1-large" for task in seen[:200]) == 2
    # earlier runs count
    queue = {"panel": "figure1-small", "arm": TEXT.name, "language": TWIN}
    last = list(Schedule(tasks, [{**queue, "points": [{"wall": 1e9}]}]))[-1]
    assert {"panel": last.panel, "arm": last.arm, "language": last.language} == queue


@pytest.mark.parametrize("profile", list(PROFILES.values()), ids=lambda p: p.name)
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_the_engine_comes_last_in_each_cell(profile, experiment):
    seen = set()
    for task in plan(experiment, profile):
        assert task.cell() not in seen
        if task.method == ENGINE:
            seen.add(task.cell())


def small_dense():
    X, y, _ = sv.datasets.make_toy(15, 25, 3, 0.5, 1)
    return X, np.sign(y)


def small_sparse():
    X, y, _ = sv.datasets.make_toy(15, 25, 3, 0.5, 2)
    return sp.csc_matrix(np.where(np.abs(X) > 1.5, X, 0.0)), np.sign(y)


@pytest.fixture
def small_data(monkeypatch):
    """Small stand-ins for the two real data sets."""
    load.cache_clear()
    monkeypatch.setattr(sv.datasets, "load_leukemia", small_dense)
    monkeypatch.setattr(sv.datasets, "load_newsgroups", small_sparse)
    yield
    load.cache_clear()


def needs_twin():
    """Skip where the compiled twin, a part of every plan, cannot be made."""
    try:
        twin.library()
    except twin.TwinError as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def tiny_run(tmp_path_factory):
    """One complete run in its smallest form, with stand-ins for the real data."""
    needs_twin()
    folder = tmp_path_factory.mktemp("paper")
    with pytest.MonkeyPatch.context() as patch:
        load.cache_clear()
        patch.setattr(sv.datasets, "load_leukemia", small_dense)
        patch.setattr(sv.datasets, "load_newsgroups", small_sparse)
        patch.setattr(facts, "SHORT_PROBLEMS", 100)  # each is a repetition
        assert main(["all", "--profile", "tiny", *ALL_THE_TIME, "--out", str(folder)]) == 0
        load.cache_clear()
    return folder


def records_of(folder):
    stored = json.loads((folder / "paper.json").read_text())
    return [unpack(record) for record in stored["paths"].values()]


def test_a_run_leaves_json_figures_and_report(tiny_run):
    for name in ("figure1", "figure1-numpy", "figure2", "figure3", "engine", "property1", "others",
                 "who-screens"):  # fmt: skip
        for suffix in ("png", "pdf"):
            assert (tiny_run / f"{name}.{suffix}").stat().st_size > 5000
    report = (tiny_run / "report.md").read_text()
    for claim in CLAIMS:
        assert claim.words in report
    assert "share of points at which the engine ends at most 1e-6" in report
    assert "Every planned path was run." in report
    rows = list(csv.DictReader((tiny_run / "objectives.csv").read_text().splitlines()))
    assert list(rows[0])[:4] == ["path", "shape", "lambda", "ncvxCD"]
    assert {method for row in rows for method in row if row[method]} >= {*PAPER_METHODS, *ENGINES}
    for row in rows:  # numbers, and one column that names who missed the tolerance
        assert all(float(row[name]) >= 0.0 for name in [*PAPER_METHODS, *ENGINES] if row[name])
        assert row["unconverged"] == ""
    planned = {task.key() for name in EXPERIMENTS for task in plan(name, TINY)}
    assert set(json.loads((tiny_run / "paper.json").read_text())["paths"]) == planned


def test_every_point_is_judged_and_converged_means_what_it_says(tiny_run):
    for record in records_of(tiny_run):
        for point in record["points"]:
            assert point["converged"] == (point["violation"] <= 1.01 * record["tol"])
        if record["method"] not in ENGINES:
            assert all(point["cpu"] >= 0 and point["visits"] >= 0 for point in record["points"])
        # nothing in a problem this small is beyond any of the methods
        assert all(reached(record, point) for point in record["points"])


def test_the_engine_ends_in_critical_points_of_the_same_problem(tiny_run):
    """At lambda_max zero is critical, and MM from zero stays; the engine may leave it for less."""
    by_cell = {}
    for record in records_of(tiny_run):
        if record["arm"] == TEXT.name:  # the program's grid may begin below lambda_max
            by_cell.setdefault(record["cell"], {})[record["method"]] = record["points"]
    compared = 0
    for methods in by_cell.values():
        if ENGINE in methods and "MM-screen" in methods:
            for ours, theirs in zip(methods[ENGINE], methods["MM-screen"], strict=False):
                assert ours["lam"] == pytest.approx(theirs["lam"])
            first, other = methods[ENGINE][0], methods["MM-screen"][0]
            assert first["objective"] <= other["objective"] * (1 + 1e-6)  # ten digits are kept
            compared += 1
    assert compared > 10


def test_resume_runs_only_what_is_missing(tiny_run, tmp_path, monkeypatch):
    stored = json.loads((tiny_run / "paper.json").read_text())
    dropped = next(key for key in stored["paths"] if key.startswith("figure1-small"))
    del stored["paths"][dropped]
    (tmp_path / "paper.json").write_text(json.dumps(stored))
    done = []

    def counting(task, shared):
        done.append(task.key())
        return run(task, shared)

    monkeypatch.setattr(command, "run", counting)
    monkeypatch.setattr(figures, "draw_all", lambda records, folder: {})  # drawn by another test
    options = ["toy", "--profile", "tiny", *ALL_THE_TIME, "--out", str(tmp_path)]
    main([*options, "--resume"])
    assert done == [dropped]
    main([*options, "--report-only"])
    assert done == [dropped]


def test_a_path_over_its_cap_is_broken_off_and_compared_on_the_shared_part():
    needs_twin()
    task = plan("toy", TINY)[0]
    short = replace(task, cap=-1.0)
    record = run(short, 0)
    assert record["points"] == []
    assert not record["finished"]
    whole = run(task, 0)
    cut = {**whole, "method": "GIST", "points": whole["points"][:2], "finished": False}
    assert shared_points([whole, cut]) == 2
    engine = run(replace(task, method=ENGINE), 2)
    assert engine["shared"]["points"] == 2
    (methods,) = totals([whole, cut, engine]).values()
    assert {name: [t.points for t in seeds] for name, seeds in methods.items()} == {
        task.method: [2],
        "GIST": [2],
        ENGINE: [2],
    }


def test_an_interrupted_run_compares_like_with_like():
    needs_twin()
    first = plan("toy", TINY)[0]
    second = next(t for t in plan("toy", TINY) if t.cell() != first.cell())
    done = [run(first, 0), run(replace(first, method=ENGINE), first.n_lambdas)]
    (methods,) = totals([*done, run(second, 0)]).values()
    assert {t.grid for seeds in methods.values() for t in seeds} == {first.n_lambdas}
    assert totals([run(second, 0)]) == {}


def test_settings_without_all_shapes_are_left_out():
    few, all_three = Total(shapes=1), Total(shapes=3)
    toy, large = (Group("figure2-noise", name, 1e-3, "logsum") for name in ("a", "b"))
    mcp = Group("others", "a", 1e-3, "mcp")
    groups = {toy: {"x": [all_three, few], "y": [few]}, large: {"x": [few]}, mcp: {"x": [few]}}
    assert whole(groups) == {toy: {"x": [all_three]}, mcp: {"x": [few]}}
    assert whole({large: groups[large]}) == {large: groups[large]}


def test_a_method_that_missed_a_point_gets_no_ratio():
    good, bad = Total(points=3, cpu=4.0), Total(points=3, cpu=1.0, missed=1)
    assert ratio({"a": [good], "b": [bad]}, "a", "b", "cpu") is None
    fine = Total(points=3, cpu=1.0)
    assert ratio({"a": [good], "b": [fine]}, "a", "b", "cpu") == Ratio(4.0, 4.0, 4.0)
    assert ratio({"a": [good]}, "a", "b", "cpu") is None


def test_small_coefficients_are_judged_by_the_arm_that_drops_them():
    point = {"converged": False, "stopped": True}
    assert reached({"arm": CODE.name}, point)
    assert not reached({"arm": TEXT.name}, point)
    assert not reached({"arm": CODE.name}, {**point, "stopped": False})


def test_end_points_counts_only_converged_pairs():
    def record(method, values, converged=True):
        points = [{"objective": v, "converged": converged} for v in values]
        return {"cell": "c", "method": method, "points": points}

    ends = end_points([record("a", [1.0, 2.0, 4.0]), record("b", [1.0, 3.0, 3.0])], "a", "b")
    assert (ends.lower, ends.level, ends.higher) == (1, 1, 1)
    assert end_points([record("a", [1.0], False), record("b", [2.0])], "a", "b").count == 0


def test_a_gain_says_how_much_of_the_grid_it_stands_on():
    group = Group("figure2-tolerance", "200 x 500, noise 0.01", 1e-4, "logsum")
    whole, half = Total(points=10, grid=10), Total(points=5, grid=10)
    for seeds, said in (([whole, whole], "\n100 % of"), ([whole, half], "\n50 to 100 % of")):
        assert said in figures._gain_title("figure2-tolerance", {group: {ENGINE: seeds}})


def test_verdicts():
    claim = CLAIMS[0]
    said = {m: claim.verdict(Ratio(m, m, m)) for m in (0.4, 1.0, 2.0, 5.0, 9.0)}
    assert list(said.values()) == ["the other way round", "no gain", "smaller", "agrees", "larger"]
    assert "not converged" in claim.verdict(None)


def test_records_survive_packing():
    record = {"method": "x", "points": [{"lam": 1.0, "cpu": 0.5}, {"lam": 0.1, "trace": [1]}]}
    assert unpack(json.loads(json.dumps(pack(record)))) == record


@pytest.mark.parametrize("name", ["leukemia", "newsgroup"])
def test_real_problems_are_loaded_by_name(name, small_data):
    X, y = load(Problem(name))
    if name == "leukemia":
        np.testing.assert_allclose(X.std(axis=0), 1.0)
        assert abs(y.mean()) <= REORDERED_SUM
    else:
        assert sp.issparse(X)


def test_a_run_that_is_out_of_time_says_so_and_resumes(tmp_path, capsys):
    """What is done is kept, and going on ends where an uninterrupted run ends."""
    needs_twin()
    options = ["toy", "--profile", "tiny", "--out", str(tmp_path)]
    assert main([*options, "--minutes", "1e-9"]) == 0
    planned = plan("toy", TINY)
    assert f"{len(planned)} paths are left" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []  # no report of nothing
    store = Store(tmp_path / "paper.json", "tiny", resume=False)
    assert command.execute(planned[:2], store, 60.0) == 0
    again = Store(tmp_path / "paper.json", "tiny", resume=True)
    assert again.content == {**store.content, "paths": again.paths}
    assert list(again.paths) == [task.key() for task in planned[:2]]
    assert again.content["seconds"] > 0
    assert command.execute(planned[:3], again, 60.0) == 0
    assert list(again.paths) == [task.key() for task in planned[:3]]
