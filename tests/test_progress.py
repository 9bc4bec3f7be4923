"""Progress: when it is shown, what it says, and what it never disturbs."""

import io
import sys
import threading
import time

import pytest

import sparsieve as sv
from sparsieve import _progress
from sparsieve._progress import NoBar, counter


class Terminal(io.StringIO):
    """A standard error that says it is a terminal."""

    def isatty(self):
        return True


def open_terminal(monkeypatch):
    """Put a terminal in the place of standard error: in the test, as pytest has its own before."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    return stream


@pytest.fixture
def problem():
    X, y, _ = sv.datasets.make_toy(30, 10, 2, noise=0.5, random_state=0)
    return X, y


def wait_for(condition):
    """Wait until a thread has done something, a minute at most."""
    end = time.monotonic() + 60.0
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


def test_long_work_shows_itself_on_a_terminal(monkeypatch):
    """Also before its first unit is done."""
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(_progress, "_PATIENCE", 0.01)
    bar = counter(4, 0, None, "folds")
    wait_for(lambda: "folds: 0/4" in terminal.getvalue())
    bar.update(2.5)
    wait_for(lambda: "folds: 2.5/4" in terminal.getvalue())
    bar.reach(4)
    bar.close()
    assert "folds: 4/4" in terminal.getvalue()
    assert terminal.getvalue().endswith("\n")


def test_short_work_shows_nothing(monkeypatch, problem):
    terminal = open_terminal(monkeypatch)
    sv.sparse_path(*problem, alphas=3)
    bar = counter(4, 0, None, "folds")
    bar.update()
    bar.close()
    assert terminal.getvalue() == ""


def test_nothing_is_shown_where_nobody_looks(monkeypatch):
    open_terminal(monkeypatch)
    bar = counter(4, 0, None, "folds")
    assert not isinstance(bar, NoBar)
    bar.close()
    found = []
    worker = threading.Thread(target=lambda: found.append(counter(4, 0, None, "folds")))
    worker.start()
    worker.join()
    assert isinstance(found[0], NoBar)
    assert isinstance(counter(4, 0, False, "folds"), NoBar)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert isinstance(counter(4, 0, None, "folds"), NoBar)
    monkeypatch.setattr(sys, "stderr", None)
    assert isinstance(counter(4, 0, None, "folds"), NoBar)


def test_what_is_asked_for_is_shown_at_once(capsys, problem, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    sv.sparse_path(*problem, alphas=3, progress=True)
    shown = capsys.readouterr().err
    assert "alphas: 0/3" in shown
    assert "alphas: 3/3" in shown


def test_a_stream_that_is_closed_does_not_end_the_work(problem, monkeypatch):
    stream = Terminal()
    stream.close()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert len(sv.sparse_path(*problem, alphas=3, progress=True)) == 3


def test_a_terminal_that_takes_nothing_does_not_hold_up_the_work(monkeypatch):
    """As after Ctrl-S."""
    terminal, moves_on = open_terminal(monkeypatch), threading.Event()
    reached = threading.Event()

    def write(text):
        reached.set()
        moves_on.wait(60.0)
        return len(text)

    monkeypatch.setattr(terminal, "write", write)
    monkeypatch.setattr(_progress, "_PATIENCE", 0.01)
    bar = counter(4, 0, None, "folds")
    assert reached.wait(60.0)
    bar.update(3)
    assert not moves_on.is_set()
    moves_on.set()
    bar.close()


def test_criteria_count_their_paths(capsys, problem):
    sv.SparseRegressorIC(["l1", "mcp"], alphas=3, progress=True).fit(*problem)
    assert "paths: 100%" in capsys.readouterr().err


def test_folds_are_counted_in_parts(problem, monkeypatch):
    """A bar that only counts whole folds stands still for most of the time."""
    counted = []

    class Spy(NoBar):
        def update(self, count=1):
            counted.append(count)

    monkeypatch.setattr("sparsieve.selection.runs.counter", lambda *_: Spy())
    sv.SparseRegressorCV(["l1", "mcp"], alphas=30, eps=0.1, cv=3).fit(*problem)
    assert len(counted) >= 3 * 2 * 3  # folds, penalties, and steps of ten alphas
    # Each part is a fraction of a fold: sums of some dozen of them are rounded.
    assert sum(counted) == pytest.approx(3.0, rel=1e-12)


def test_other_answers_are_refused(problem):
    with pytest.raises(ValueError, match="progress must be True or False, got 1"):
        sv.sparse_path(*problem, progress=1)
