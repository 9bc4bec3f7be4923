"""Memory that runs out: MemoryError with words or an answer, at every limit; never a crash."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib.parallel import Parallel

import sparsieve as sv
from sparsieve.selection import runs

HERE = Path(__file__).parent


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS as Linux has it")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="ASan maps terabytes")
def test_calls_in_ever_less_memory_end_with_an_answer_or_a_memory_error():
    command = [sys.executable, "-W", "ignore", str(HERE / "starved_runs.py")]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE, env=environment)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    allowed = {"answer", "MemoryError with words"}
    # Python's threads ask for memory. One that gets none, not even for the exception that would say
    # so, is ended by the C library, and the process with it (127), or returns without an exception.
    # The core's own threads ask for none.
    in_threads = counts["cv in threads"]
    without_words = ("death: status 32512", "SystemError: error return without exception set")
    unlucky = sum(in_threads.pop(outcome, 0) for outcome in without_words)
    assert unlucky < sum(in_threads.values()), counts
    assert set().union(*counts.values()) == allowed, counts  # the limits cover both


@pytest.mark.parametrize(
    "error",
    [RuntimeError("can't start new thread"), OSError(12, "Cannot allocate memory")],
)
def test_workers_that_cannot_start_are_a_lack_of_memory(monkeypatch, error):
    X, y, _ = sv.datasets.make_toy(30, 5, 2, noise=0.5, random_state=0)

    def fail(self, tasks):
        try:
            raise error
        except (RuntimeError, OSError):
            self.terminate_what_never_was()  # as multiprocessing does: the cause hides behind it

    monkeypatch.setattr(Parallel, "__call__", fail)
    model = sv.SparseRegressorCV(alphas=3, cv=3, n_jobs=2)
    with joblib.parallel_backend("loky"):
        with pytest.raises(MemoryError, match="cannot start 2 workers; use n_jobs=1"):
            model.fit(X, y)
        monkeypatch.setattr(Parallel, "__call__", lambda self, tasks: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            model.fit(X, y)
    assert not runs._starved(RuntimeError("another one"))


def test_threads_that_cannot_start_are_only_missed(monkeypatch):
    X, y, _ = sv.datasets.make_toy(30, 5, 2, noise=0.5, random_state=0)
    expected = sv.SparseRegressorCV(alphas=3, cv=3).fit(X, y).mse_path_

    def fail(function, arguments):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(runs._thread, "start_new_thread", fail)
    found = sv.SparseRegressorCV(alphas=3, cv=3, n_jobs=2).fit(X, y).mse_path_
    np.testing.assert_array_equal(found, expected)


def test_an_error_in_another_thread_is_raised_here():
    X, y, _ = sv.datasets.make_toy(30, 5, 2, noise=0.5, random_state=0)
    here = threading.get_ident()
    both = threading.Barrier(2, timeout=60)

    def score(estimator, X, y):
        both.wait()  # one fold in each thread
        if threading.get_ident() != here:
            raise OverflowError("not in this thread")
        return 1.0

    model = sv.SparseRegressorCV(alphas=1, cv=2, n_jobs=2, scoring=score)
    with pytest.raises(OverflowError, match="not in this thread"):
        model.fit(X, y)
