"""Every start: what ends a path early, and what is kept then."""

import itertools
import re
import signal

import numpy as np
import pytest
from problems import toy
from sklearn.exceptions import ConvergenceWarning
from starts_under_test import (
    NAMES,
    dense,
)
from tolerances import (
    DEFAULT_KKT,
)

import sparsieve as sv

# ------------------------------------------------------------------------------ ends of a path


@pytest.mark.parametrize("start", NAMES)
def test_limits_end_a_path(hard, start):
    X, y = hard
    path = sv.sparse_path(X, y, alphas=40, eps=0.01, start=start, max_support=6)
    assert path.ended == "max_support"
    assert path.support_size[-1] >= 6
    assert np.all(path.support_size[:-1] < 6)
    path = sv.sparse_path(X, y, alphas=40, eps=0.01, start=start, max_deviance=0.8)
    assert path.ended == "max_deviance"
    assert path.r2[-1] >= 0.8
    assert np.all(path.r2[:-1] < 0.8)


@pytest.mark.parametrize("start", NAMES)
def test_the_callback_sees_what_is_kept(hard, start):
    X, y = hard
    seen = []

    def stop_at_five(point):
        seen.append((point.alpha, point.objective, point.start))
        return len(seen) == 5

    path = sv.sparse_path(X, y, alphas=12, start=start, callback=stop_at_five)
    assert path.ended == "callback"
    kept = zip(path.alphas, path.objective, path.start.tolist(), strict=True)
    assert seen == list(kept)


@pytest.mark.parametrize("start", NAMES)
def test_ctrl_c_returns_the_finished_part(hard, start):
    def interrupt(point):
        if point.values.size >= 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(UserWarning, match="interrupted after [0-9]+ of 30 alphas"):
        path = sv.sparse_path(*hard, alphas=30, eps=0.01, start=start, callback=interrupt)
    assert path.ended == "interrupted"
    assert 0 < len(path) < 30
    whole = sv.sparse_path(*hard, alphas=30, eps=0.01, start=start)
    np.testing.assert_array_equal(path.objective, whole.objective[: len(path)])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("start", NAMES)
@pytest.mark.parametrize("alphas", [10, np.geomspace(1.0, 0.05, 10)], ids=["own grid", "given"])
def test_whenever_time_is_up_there_is_a_path(hard, monkeypatch, start, alphas):
    X, y = hard
    whole = sv.sparse_path(X, y, alphas=alphas, eps=0.05, start=start)
    ended = set()
    for budget in [1, 2, 3, 5, 8, 12, 16, 20, 24, 28, 32, 36, 40, 45, 50, 60, 80, 500]:
        # A clock that moves by a second whenever it is read.
        clock = itertools.count()
        with monkeypatch.context() as patch:
            patch.setattr("time.monotonic", lambda clock=clock: float(next(clock)))
            path = sv.sparse_path(X, y, alphas=alphas, eps=0.05, start=start, max_time=budget)
        ended.add(path.ended)
        assert 1 <= len(path) <= len(whole)
        # A solve that was broken off is kept only where there is nothing else.
        assert path.status in (["INTERRUPTED"], ["CONVERGED"] * len(path))
        for k, point in enumerate(path.points):
            if point.converged:
                where = {"penalty": "mcp", "alpha": point.alpha}
                judged = sv.kkt_violation(X, y, dense(path)[:, k], point.intercept, **where)
                assert judged <= DEFAULT_KKT
    assert ended == {"max_time", "complete"}


@pytest.mark.parametrize("start", NAMES)
def test_no_time_at_all(easy, start):
    X, y = easy
    free = np.r_[np.zeros(20), np.ones(20)]
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        path = sv.sparse_path(X, y, alphas=5, weights=free, start=start, max_time=1e-9)
    assert path.ended == "max_time"
    assert path.status == ["INTERRUPTED"]


@pytest.mark.parametrize("start", NAMES)
def test_progress_counts_every_walk(hard, start, capsys):
    sv.sparse_path(*hard, alphas=4, start=start, progress=True)
    total = 20 if start == "best" else 4  # three walks, a pass down, a pass up
    assert re.search(rf"alphas: 100%.* {total}/{total} ", capsys.readouterr().err)


def test_the_callback_sees_the_point_that_reaches_a_limit():
    X, y, _ = toy(60, 40, 5, 0.5)
    seen = []
    path = sv.sparse_path(X, y, "mcp", alphas=30, max_support=4, callback=seen.append)
    assert path.ended == "max_support"
    assert len(seen) == len(path)
