"""The map of shapes: which cells it has, what is kept of a run, and what its page says."""

import csv
import json

import numpy as np
import pytest
from benchmarks.adapters import EVERY, OURS, PREVIOUS
from benchmarks.judge import PENALTIES
from benchmarks.map import report
from benchmarks.map.cells import (
    CONCAVE,
    CONVEX,
    DENSE,
    LAYOUTS,
    MOST_ENTRIES,
    NAMED,
    SPARSE,
    Shape,
    penalties_of,
    shapes,
)
from benchmarks.map.run import run
from benchmarks.problems import layout_of
from benchmarks.runner import Plan

META = {"commit": "abc", "date": "2026-11-18T00:00:00", "machine": "a machine"}


def record(peer, cpu, problem="1000x10", penalty="l1", level="loose", **more):
    told = {"problem": problem, "variant": "standardised", "penalty": penalty, "threads": 1}
    told |= {"level": level, "peer": peer, "version": "1", "limit": 60.0}
    if cpu is None:
        return told | {"status": "never", "reason": "no answer within 60 CPU s"} | more
    return (
        told | {"status": "ok", "tol": 1e-5, "violation": 1e-6, "cpu": cpu, "seconds": cpu} | more
    )


def test_every_shape_up_to_the_limit_is_a_cell():
    dense = list(shapes([DENSE], MOST_ENTRIES, quick=False))
    assert len(dense) == 38
    assert max(shape.entries for shape in dense) == MOST_ENTRIES
    assert [shape.entries for shape in dense] == sorted(shape.entries for shape in dense)
    assert len(NAMED) == len(SPARSE) == 10
    assert {shape.layout for shape in shapes(list(LAYOUTS), MOST_ENTRIES, quick=True)} == set(
        LAYOUTS
    )
    assert penalties_of(dense[0], list(PENALTIES)) == list(PENALTIES)
    assert set(CONVEX) | set(CONCAVE) <= set(EVERY)


@pytest.mark.parametrize(
    ("layout", "density", "stored"),
    [
        ("F", None, "F float64"),
        ("C", None, "C float64"),
        ("float32", None, "F float32"),
        ("sparse", 0.1, "csc float64"),
        ("cv", None, "F float64"),
    ],
)
def test_designs_are_stored_as_their_layout_says(layout, density, stored):
    shape = Shape(40, 30, layout, density)
    X, y = shape.problem().data("standardised")
    assert layout_of(X) == stored
    assert X.shape == (40, 30)
    assert abs(y.mean()) < 1e-12
    if density is None:
        np.testing.assert_allclose(np.asarray(X, float).std(axis=0), 1.0, rtol=1e-5)


def test_no_peer_is_asked_for_a_table_of_products_that_does_not_fit():
    assert Shape(50, 20_000).refuses("glmnet-covariance")
    assert Shape(50, 20_000).refuses("glmnet-naive") is None
    assert Shape(100, 50).refuses("scikit-learn-gram")  # its default
    assert Shape(50, 100).refuses("scikit-learn-gram") is None
    assert Shape(100, 50, "C").refuses("glmnet-naive")
    assert Shape(100, 50, "cv").refuses("adelie")


def test_ours_walks_down_where_the_penalty_is_not_convex():
    mcp = {"penalty": "mcp(3)"}
    records = [record(OURS, 1.0), record("celer", 3.0), record("skglm", 2.0)]
    records += [
        record(OURS, 4.0, **mcp),
        record(PREVIOUS, 1.0, **mcp),
        record("skglm", None, **mcp),
    ]
    convex, capped = report.cells_of(records)
    assert (convex.ours, convex.peer, convex.ratio, convex.capped) == (1.0, "skglm", 2.0, False)
    assert (capped.ours, capped.default, capped.ratio, capped.capped) == (1.0, 4.0, 60.0, True)


def test_page_figure_and_table_name_the_worst_cell(tmp_path):
    records = [record(OURS, 2.0), record("glmnet-naive", 1.0)]
    records += [record(OURS, 1.0, "50x10"), record("celer", 9.0, "50x10")]
    records += [record(OURS, 1.0, "1000x10 cv"), record("celer", None, "1000x10 cv")]
    results = tmp_path / "map.json"
    results.write_text(json.dumps({"meta": META, "records": records}))
    table, text, image = report.write(results)
    said = text.read_text()
    assert "0.50 (1000x10, glmnet-naive)" in said
    assert "| 50x10 | L1 | loose | 1 | 1 | 9 (celer) | 9.00 |" in said
    assert "| > 60.00 |" in said
    assert image.stat().st_size > 10_000
    with table.open() as file:
        assert [row["peer"] for row in csv.DictReader(file)][:2] == [OURS, "glmnet-naive"]


def test_a_run_keeps_finished_cells_and_repeats_them_on_request(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.map.run.shapes", lambda *_: iter([Shape(60, 12, "cv")]))
    monkeypatch.setattr("benchmarks.map.run.CACHE", tmp_path)
    plan = Plan([], ["l1"], [OURS], ["standardised"], [1], levels=["loose"], repeat=1, patience=1)
    out = tmp_path / "map.json"
    (first,) = run(plan, ["cv"], 1000, out)["records"]
    assert first["status"] == "ok"
    assert first["cpu"] > 0.0
    assert run(plan, ["cv"], 1000, out)["records"] == [first]  # nothing is run again
    (again,) = run(plan, ["cv"], 1000, out, again=True)["records"]
    assert again["tol"] == first["tol"]
    assert not list(tmp_path.glob("*-v*"))  # designs are not kept
