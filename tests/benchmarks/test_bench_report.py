"""The report must not hide what a mean of ratios leaves out."""

import pytest
from benchmarks.report import markdown, speedup


def record(problem, peer, seconds=None, penalty="mcp(3)"):
    key = {"problem": problem, "variant": "raw", "penalty": penalty, "threads": 1}
    key |= {"level": "tight", "peer": peer, "version": "1"}
    if seconds is None:
        return key | {"status": "never", "reason": "too slow", "violation": 0.1}
    measured = {"seconds": seconds, "cpu": seconds, "peak": 0, "passes": None}
    judged = {"tol": 1e-6, "violation": 1e-7, "objective": 1.0, "support": 3}
    return key | {"status": "ok"} | measured | judged


def text(*records, **meta):
    return markdown({"meta": meta, "records": list(records)})


def test_the_fastest_peer_is_held_against_ours():
    cell = [record("a", "sparsieve", 2.0), record("a", "slow", 9.0), record("a", "fast", 3.0)]
    assert speedup(cell) == pytest.approx(1.5)
    assert "1.50 in geometric mean, at least 1.50, over 1 cells" in text(*cell)


def test_a_cell_that_only_peers_solved_is_named_as_lost():
    won = [record("a", "sparsieve", 1.0), record("a", "peer", 8.0)]
    lost = [record("b", "sparsieve"), record("b", "peer", 1.0)]
    found = text(*won, *lost)
    assert "over 1 cells that both solved" in found
    assert "lost: only peers solved b mcp(3)" in found


def test_a_cell_that_only_ours_solved_is_named_and_not_averaged():
    found = text(record("a", "sparsieve", 1.0), record("a", "peer"))
    assert "won: only ours solved a mcp(3)" in found
    assert "geometric mean" not in found


def test_a_run_of_ours_alone_wins_nothing():
    assert "won" not in text(record("a", "sparsieve", 1.0))


def test_a_run_of_peers_alone_loses_nothing():
    assert "lost" not in text(record("a", "peer", 1.0), record("a", "other", 2.0))


def test_notes_and_absent_peers_head_the_report():
    found = text(record("a", "peer", 1.0), notes=["a caveat"], absent={"other": "not installed"})
    assert "Note: a caveat" in found
    assert "Absent: other (not installed)." in found


def test_a_peer_that_ends_in_lower_minima_is_named():
    pairs = {"a": (1.0, 2.0), "b": (1.00001, 1.0), "c": (1.03, 1.0)}  # ours, theirs
    records = []
    for name, objectives in pairs.items():
        for peer, objective in zip(("sparsieve", "peer"), objectives, strict=True):
            records.append(record(name, peer, 1.0) | {"objective": objective})
    found = text(*records)
    assert "ours is lower in 1 cells, level (within 0.01 %) in 1, higher in 1: c mcp(3)" in found
    assert "(peer) 3.00 %" in found
    convex = [r | {"penalty": "l1"} for r in records]
    assert "Local minima" not in text(*convex)
    assert "Local minima" not in text(*records[::2])  # nobody to compare with


def test_the_order_of_a_run_is_not_that_of_its_report():
    """A run made in pieces still lists a problem's penalties, and the solvers, side by side."""
    found = text(
        record("tall_20000x2000", "skglm", 1.0),
        record("toy_50x100", "skglm", 1.0, "scad(3.7)"),
        record("another", "skglm", 1.0),
        record("toy_50x100", "sparsieve", 1.0, "l1"),
        record("tall_20000x2000", "sparsieve", 1.0, "l1"),
    )
    assert "| problem | penalty | sparsieve | skglm | fastest peer / ours |" in found
    times = found.split("everything else")[0].splitlines()
    cells = [
        line.split(" | ")[:2] for line in times if line.startswith(("| toy", "| tall", "| an"))
    ]
    assert cells == [
        ["| toy_50x100", "l1"],
        ["| toy_50x100", "scad(3.7)"],
        ["| tall_20000x2000", "l1"],
        ["| tall_20000x2000", "mcp(3)"],
        ["| another", "mcp(3)"],
    ]
