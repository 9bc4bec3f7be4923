"""The report must not hide what a mean of ratios leaves out."""

import pytest
from benchmarks.page import PAGE, put
from benchmarks.report import compact, markdown, speedup


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


def short(*records):
    return compact({"meta": {}, "records": list(records)})


def test_the_short_form_names_the_fastest_peer_and_what_we_lose():
    won = [record("a", "sparsieve", 2.0), record("a", "slow", 9.0), record("a", "fast", 3.0)]
    slower = [record("b", "sparsieve", 2.0), record("b", "fast", 1.0)]
    unsolved = [record("c", "sparsieve"), record("c", "fast", 1.0)]
    alone = [record("d", "sparsieve", 4.0), record("d", "fast")]
    found = short(*won, *slower, *unsolved, *alone)
    assert "| a | mcp(3) | 2 | 3 (fast) | 1.50 |" in found
    assert "| c | mcp(3) | never | 1 (fast) | - |" in found
    assert "| d | mcp(3) | 4 | - | - |" in found
    assert "0.87, 0.50 (2)" in found  # the geometric mean of 1.5 and 0.5, and the least
    assert (
        "Slower than the fastest peer: b mcp(3) (1 thread, raw columns, tight): ours 0.50." in found
    )
    assert "Solved by peers only: c mcp(3) (1 thread, raw columns, tight)." in found


def test_the_short_form_shows_ratios_of_every_other_setting():
    first = [record("a", "sparsieve", 1.0), record("a", "fast", 3.0)]
    second = [r | {"threads": 2, "seconds": 2.0} for r in first]
    found = short(*first, *second)
    assert "2 threads, raw columns: tight" in found
    assert "| a | mcp(3) | 1.00 (fast) |" in found


def test_a_part_of_the_page_is_replaced_and_the_rest_is_kept(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Results\n<!-- begin a -->\nold\n<!-- end a -->\nby hand\n")
    put("a", "# New\n\nNote: a caveat\n", page)
    put("a", "# Newer\n\nNote: a caveat\n", page)
    kept = "# Results\n<!-- begin a -->\n\n## Newer\n\n- a caveat\n\n<!-- end a -->\nby hand\n"
    assert page.read_text() == kept
    with pytest.raises(ValueError, match="begin b"):
        put("b", "text", page)


def test_the_page_of_results_has_a_part_for_each_command():
    if not PAGE.is_file():
        pytest.skip("tests run without the documentation beside them")
    text = PAGE.read_text(encoding="utf-8")
    for part in ("solvers", "starts", "minima"):
        assert f"<!-- begin {part} -->" in text
        assert f"<!-- end {part} -->" in text
