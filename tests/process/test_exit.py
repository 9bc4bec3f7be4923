"""The interpreter may end while other threads compute: no abort, no word on the terminal."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import threading
import sparsieve as sv

X, y, w = sv.datasets.make_toy(200, 4000, 20, noise=2.0, random_state=0)
inside = threading.Event()

def work():
    while True:
        sv.sparse_path(X, y, {penalty}, alphas=60, eps=1e-3, tol=1e-10, callback=reached, n_jobs=2)

def reached(point):
    inside.set()

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
inside.wait()
print("leaving", flush=True)
"""


@pytest.mark.parametrize("penalty", ['"mcp"', pytest.param('"l1"', marks=pytest.mark.slow)])
def test_python_ends_while_threads_solve(penalty):
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM.format(penalty=penalty)]
    for _ in range(3):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        assert (done.returncode, done.stdout, done.stderr) == (0, "leaving\n", "")


STOPPED = """
import sparsieve as sv
from penalties_under_test import Arctan

def stop(point):
    raise RuntimeError("stop")

X, y, w = sv.datasets.make_toy(40, 20, 3, noise=0.5, random_state=0)
sv.sparse_path(X, y, Arctan(), callback=stop)  # the traceback holds the solver until the very end
"""

LAST = """
import atexit

def last():
    print(sv.SparseRegressor("mcp", alpha=0.5).fit(X, y).certificate_.converged, flush=True)

atexit.register(last)  # before the library's own: called after it
import sparsieve as sv

X, y, w = sv.datasets.make_toy(40, 20, 3, noise=0.5, random_state=0)
sv.SparseRegressor("mcp", alpha=0.5).fit(X, y)
"""


@pytest.mark.parametrize(("program", "code", "word"), [(STOPPED, 1, "stop"), (LAST, 0, "True")])
def test_the_thread_that_ends_python_is_not_stopped(program, code, word):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=Path(__file__).parents[1],  # where the penalties are
    )
    assert done.returncode == code
    assert word in done.stdout + done.stderr
