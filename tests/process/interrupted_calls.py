"""Ctrl-C in the middle of every long call: does it end, how soon, and does the library still work?

``python tests/process/interrupted_calls.py [NAME ...]`` measures the answer to a real SIGINT
and prints the longest of several; the tests only ask whether there is one, because a busy machine
is slow.
"""

import signal
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]  # where the programs find the penalties

CALLS = {
    "dense path": 'sv.sparse_path(X, y, "mcp", alphas=200, eps=1e-4)',
    "dense fit, long tail": 'sv.SparseRegressor("logsum", 1e-3, tol=1e-12).fit(X, y)',
    "lasso path": 'sv.sparse_path(X, y, "l1", alphas=200, eps=1e-4)',
    "path with threads": 'sv.sparse_path(X, y, "mcp", alphas=200, eps=1e-4, n_jobs=2)',
    "sparse path": 'sv.sparse_path(S, y, "mcp", alphas=200, eps=1e-4)',
    "own penalty": "sv.sparse_path(X, y, Arctan(), alphas=200, eps=1e-4)",
    "walk down": 'sv.sparse_path(X, y, "mcp", alphas=200, eps=1e-4, start="previous")',
    "lowest of several": 'sv.sparse_path(X, y, "mcp", alphas=200, eps=1e-4, start="best")',
    "folds, lowest of several": (
        'sv.SparseRegressorCV(alphas=200, eps=1e-4, start="best", n_jobs=2).fit(X, y)'
    ),
    "cross-validation": "sv.SparseRegressorCV(alphas=200, eps=1e-4).fit(X, y)",
    "cross-validation in threads": "sv.SparseRegressorCV(alphas=200, eps=1e-4, n_jobs=2).fit(X, y)",
    "criteria": "sv.SparseRegressorIC(['mcp', 'scad'], alphas=200, eps=1e-4).fit(X, y)",
    "surface": "sv.sparse_surface(X, y, alphas=200, eps=1e-4, n_jobs=2)",
    "stability selection": (
        "sv.stability_selection(X, y, alphas=200, eps=1e-4, q=150, n_jobs=2, random_state=0)"
    ),
    "proximal weighted lasso": "sv.proximal_weighted_lasso(X, y, lam, tol=1e-15)",
    "local minima": 'sv.local_minima(X, y, "mcp", alpha=0.05, n_random=50, random_state=0)',
    "wide matrix": 'sv.sparse_path(W, y, "mcp", alphas=200, eps=1e-4)',
}

PROGRAM = """
import numpy as np, sparsieve as sv
from scipy import sparse
from penalties_under_test import Arctan

X, y, w = sv.datasets.make_toy(200, 4000, 20, noise=2.0, random_state=0)
if "S," in {call!r}:
    S = sparse.csc_array(X * (np.random.default_rng(0).random(X.shape) < 0.2))
if "W," in {call!r}:
    W = np.asfortranarray(np.tile(X, 25) + np.random.default_rng(0).random((200, 100_000)))
lam = np.full(4000, 1e-3)
# Modules are imported at first use, and Python cannot repeat an import that was cut in two.
sv.SparseRegressorCV(alphas=3, cv=3).fit(X[:, :50], y)
print("started", flush=True)
try:
    while True:
        result = {call}
        if getattr(result, "ended", "") == "interrupted":
            raise KeyboardInterrupt
except KeyboardInterrupt:
    print("interrupted", flush=True)
small = sv.SparseRegressorCV(alphas=5, cv=3).fit(X[:, :50], y)
print(small.certificate_.converged, flush=True)
"""


def interrupt(name, delay):
    """Send SIGINT so many seconds into the call; return the seconds until it ended, and the rest.

    The rest is what the program printed afterwards and its exit code.
    """
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM.format(call=CALLS[name])]
    with subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout.readline() != "started\n":
            raise RuntimeError("the program did not start")
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        answer = process.stdout.readline()
        seconds = time.monotonic() - sent
        return seconds, answer + process.stdout.read(), process.wait()


def main():
    for name in sys.argv[1:] or CALLS:
        times = []
        for delay in (0.2, 0.7, 1.3, 2.1):
            seconds, printed, code = interrupt(name, delay)
            if (printed, code) != ("interrupted\nTrue\n", 0):
                print(f"{name}: {printed!r}, exit code {code}")
            times.append(seconds)
        print(f"{name:30s} longest of {len(times)}: {max(times):.3f} s", flush=True)


if __name__ == "__main__":
    main()
