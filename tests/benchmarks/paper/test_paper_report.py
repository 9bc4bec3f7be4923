"""The report of a run: its sentences come from the records, and the published one from its JSON."""

import csv
from pathlib import Path

import pytest
from benchmarks.paper.findings import findings, gains, in_panel, span
from benchmarks.paper.plan import BEST, ENGINE, ENGINES
from benchmarks.paper.store import Store
from benchmarks.paper.summary import totals

pytest.importorskip("matplotlib")
from benchmarks.paper.report import CAPTIONS, write_report

PUBLISHED = Path(__file__).parents[3] / "docs" / "figures" / "paper"


def record(method, cpu, objectives, *, panel="figure1-small", seed=0, converged=True, tol=1e-3):
    """A path of one point per objective, each at the same cost; visits are ten times the time."""
    cost = {"cpu": cpu, "wall": cpu, "visits": 10 * cpu, "columns": 100 * cpu, "n_outer": 2}
    screened = {"gap_before": 3, "propagation": 5, "gap_inside": 1}
    points = [
        {"lam": 1.0 / k, "objective": v, "converged": converged, "violation": 0.0, "support": 1}
        | cost
        | {"screened": screened}
        for k, v in enumerate(objectives, 1)
    ]
    whole = {
        "panel": panel,
        "cell": f"{panel}|{seed}|{tol}",
        "problem": {"name": "toy", "n": 5, "d": 7, "noise": 2.0, "seed": seed},
        "penalty": "logsum",
        "shape": 0.1,
        "n_lambdas": len(points),
        "tol": tol,
        "method": method,
        "cap": 1.0,
        "points": points,
        "finished": True,
        "arm": "text",
        "language": "NumPy",
    }
    if method in ENGINES:
        whole["shared"] = {"points": len(points), "cpu": cpu, "wall": cpu}
    return whole


@pytest.fixture
def small_run():
    """MM-screen twice as fast as ncvxCD on one seed, four times on the other, which ends lower."""
    return [
        record("ncvxCD", 2.0, [1.0, 2.0]),
        record("MM-screen", 1.0, [1.0, 3.0]),
        record(ENGINE, 0.01, [1.0, 3.0]),
        record("ncvxCD", 4.0, [1.0, 2.0], seed=1),
        record("MM-screen", 1.0, [1.0, 3.0], seed=1),
        record(ENGINE, 0.01, [1.0, 2.0], seed=1),
    ]


def test_sentences_say_what_the_records_say(small_run):
    text = findings(totals(small_run), small_run)
    assert "1 log-sum settings. 3 in time, 3 in visits" in text  # the mean of 2 and 4
    assert "MM-screen is the faster in 1 of them" in text
    assert "ncvxCD ends lower than MM-screen at 50 %, level with it at 50 %" in text
    assert "of 4 grid points" in text
    assert "engine" not in text  # it is compared data set by data set, never pooled
    assert "by the judge: none" in text
    assert "MCP" not in text  # nothing in this run


def test_a_missed_tolerance_is_named_and_gives_no_ratio(small_run):
    small_run[0] = record("ncvxCD", 0.001, [1.0, 2.0], converged=False)
    groups = totals(small_run)
    assert gains(groups, "ncvxCD", "MM-screen", "cpu", in_panel("figure1-small")) == []
    text = findings(groups, small_run)
    assert "ncvxCD 2 of 4" in text
    assert "Against coordinate descent" not in text


def test_gains_compare_the_same_seeds(small_run):
    once = [*small_run, record("MM", 8.0, [1.0, 3.0])]
    assert gains(totals(once), "MM", "MM-screen", "cpu", in_panel("figure1-small")) == [8.0]


def test_spans():
    assert span([1.0, 2.84, 1.5]) == "1 to 2.8"
    assert span([1.001, 0.999]) == "1"
    assert span([31.9, 2083.0]) == "32 to 2100"


def test_the_tables_tell_end_points_of_a_setting_apart(small_run, tmp_path):
    """Records of another problem of the same panel must not be counted in."""
    other = [record(r["method"], 1.0, [9.0, 9.0]) for r in small_run[:3]]
    for r in other:
        r["problem"] = {**r["problem"], "d": 8}
        r["cell"] = "another"
    best = [record(BEST, 0.5, [1.0, 2.0], seed=seed) for seed in (0, 1)]
    records = {str(i): r for i, r in enumerate([*best, *small_run, *other])}
    content = {"profile": "tiny", "machine": {}, "seconds": 60.0, "paths": records}
    report = write_report(content, {}, tmp_path).read_text()
    assert "5 x 7, noise 2, logsum, 1e-03 | ncvxCD | 3 | 4 | 50 % | 50 % | 0 % |" in report
    assert "5 x 8, noise 2, logsum, 1e-03 | ncvxCD | 18 | 18 | 0 % | 100 % | 0 % |" in report
    assert "| MM-screen | 8 | 1.5 | 2.5 | 0.5 |" in report  # who screens, per outer iteration
    # time, columns, objectives and points not above MM-screen: by default (one seed of two lower),
    # then with the best start (both)
    engine = (
        "| 0.01 s | 2 | -12 % | 100.0 % | 0.5 s | 100 | -25 % | 100.0 % | 4 of 4, 1 of 3 thetas |"
    )
    assert f"| 5 x 7, noise 2, 1e-03 (figure1-small) | 2 s | 200 {engine}" in report
    assert "The latter is below 95 % on: none." in report
    records["0"] = record(BEST, 0.5, [1.0, 9.0])
    report = write_report(content, {}, tmp_path).read_text()
    assert "The latter is below 95 % on: 5 x 7, noise 2, 1e-03 (figure1-small) 75.0 %." in report
    rows = list(csv.DictReader((tmp_path / "objectives.csv").read_text().splitlines()))
    assert [row["ncvxCD"] for row in rows].count("2") == 2  # one for each seed


def test_what_was_planned_and_not_run_is_named(small_run, tmp_path):
    small_run[0]["finished"] = False
    content = {
        "profile": "tiny",
        "machine": {},
        "seconds": 60.0,
        "paths": {str(i): r for i, r in enumerate(small_run)},
        "planned": {"figure1-small|text|NumPy": 8, "figure2-noise|code|compiled": 5},
        "notes": {"newsgroup is skipped": "no such file"},
    }
    report = write_report(content, {}, tmp_path).read_text()
    assert "6 of 13 planned paths" in report
    assert "| figure1-small | text | NumPy | 2 | 8 |" in report
    assert "| figure2-noise | code | compiled | 5 | 5 |" in report
    assert "* newsgroup is skipped: no such file" in report
    assert "| figure1-small | 5 x 7, noise 2 | text | NumPy | ncvxCD | 1 |" in report


def test_why_5_times_shows_one_change_a_row(tmp_path):
    records = []
    for arm, cpu in (("text", 1.0), ("text, roots", 5.0)):
        for method, cost in (
            ("ncvxCD", cpu),
            ("MM-genuine", 2.0),
            ("MM-screen", 1.0),
            (ENGINE, 0.1),
        ):
            made = record(method, cost, [1.0, 2.0], panel="why")
            records.append({**made, "arm": arm, "cell": arm})
    content = {"profile": "tiny", "machine": {}, "seconds": 60.0}
    content["paths"] = {str(i): r for i, r in enumerate(records)}
    report = write_report(content, {}, tmp_path).read_text()
    assert "ncvxCD / MM-screen is 1 in time as printed. One change moves it most, " in report
    assert "ncvxCD by numpy.roots: 5." in report
    place = "| 5 x 7, noise 2, 1e-03 |"
    assert (
        f"{place} the text, corrected | 2 s | 2 s | 1 | 1 | 2 | 2 | 2 of 2, 1 of 3 thetas |"
        in report
    )
    assert (
        f"{place} ncvxCD by numpy.roots | 10 s | 2 s | 5 | 5 | 2 | 2 | 2 of 2, 1 of 3 thetas |"
        in report
    )


def test_a_run_and_its_file_have_the_same_numbers(tmp_path):
    """Rounded twice, 19.3612695 in the report of the run would be 19.361269 in that of its file."""
    store = Store(tmp_path / "paper.json", "quick", resume=False)
    store.add("key", record("MM", 1.0, [19.36126949999, 1.0 / 3.0]), 1.0)
    store.flush()
    again = Store(tmp_path / "paper.json", "quick", resume=True)
    assert again.content["paths"] == store.content["paths"]


def test_the_published_report_is_one_that_this_code_writes(small_run, tmp_path):
    """The run is too large to keep; its parts and its figures are those of today.

    A figure in NumPy may be missing where the run was cut short; the report then says so.
    """
    if not PUBLISHED.is_dir():
        pytest.skip("tests run without the documentation beside them")
    published = (PUBLISHED / "report.md").read_text()
    drawn = [name for name in CAPTIONS if f"![{name}](" in published]
    assert {"figure1", "figure2", "figure3", "engine", "property1", "who-screens"} <= set(drawn)
    figures = {name: PUBLISHED / f"{name}.png" for name in drawn}
    assert all(file.is_file() for file in figures.values())
    assert {file.stem for file in PUBLISHED.glob("*.png")} == set(drawn)
    records = {str(i): r for i, r in enumerate(small_run)}
    content = {"profile": "tiny", "machine": {}, "seconds": 60.0, "paths": records}
    made = write_report(content, figures, tmp_path).read_text()
    for text in (made, published):
        assert "`objectives.csv` that a run writes" in text
    assert parts(made) == parts(published)


def parts(text):
    """Return headings, figures and captions."""
    captions = tuple(CAPTIONS.values())
    return [line for line in text.splitlines() if line.startswith(("#", "![", "<!--", *captions))]
