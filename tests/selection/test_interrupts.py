"""A real Ctrl-C in the middle of long runs: they end, and the library stays usable."""

import os
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import sparsieve as sv
from sparsieve import *  # imported at first use otherwise: not what is to be interrupted here
X, y, w = sv.datasets.make_toy(200, 4000, 20, noise=2.0, random_state=0)
print("started", flush=True)
try:
    while True:
        {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(sv.SparseRegressorCV(alphas=5, cv=3).fit(X[:, :50], y).certificate_.converged, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(
            "sv.SparseRegressorCV(alphas=200, eps=1e-4).fit(X, y)", marks=pytest.mark.slow
        ),
        "sv.SparseRegressorCV(alphas=200, eps=1e-4, n_jobs=2).fit(X, y)",
        "sv.sparse_surface(X, y, alphas=200, eps=1e-4, n_jobs=2)",
        "sv.stability_selection(X, y, alphas=200, eps=1e-4, q=150, n_jobs=2)",
        "sv.SparseRegressorIC(['mcp', 'scad'], alphas=200, eps=1e-4).fit(X, y)",
    ],
)
def test_ctrl_c_ends_the_run_and_nothing_else(call):
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM.format(call=call)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "started\n"
        # Wherever the signal finds it, the answer must be the same.
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1.0)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert process.stdout.readline() == "True\n"
        assert process.wait() == 0
