"""Fits in ever less memory, each in a forked child: an answer or MemoryError, never a crash.

``python starved_runs.py`` prints one JSON object: call -> outcome -> how often.
"""

import collections
import json
import os
import resource
import sys
from pathlib import Path

import numpy as np

import sparsieve as sv

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the problems are
from problems import sparse_design, toy

X, Y, _ = toy(n_samples=300, n_features=3000, n_active=10, noise=1.0, seed=0)
C_ORDER = np.ascontiguousarray(X)
SPARSE = sparse_design(300, 3000, density=0.2, seed=0)
CALLS = {
    "path": lambda: sv.sparse_path(X, Y, "mcp", alphas=20),
    "copy": lambda: sv.sparse_path(C_ORDER, Y, "l1", alphas=10),
    "threads": lambda: sv.sparse_path(X, Y, "mcp", alphas=10, n_jobs=2),
    "sparse": lambda: sv.sparse_path(SPARSE, Y, "scad", alphas=10),
    "cv": lambda: sv.SparseRegressorCV(alphas=8, cv=3).fit(X, Y),
    "cv in threads": lambda: sv.SparseRegressorCV(alphas=8, cv=3, n_jobs=2).fit(X, Y),
    "kernel": lambda: sv.proximal_weighted_lasso(X, Y, np.full(3000, 50.0)),
    "frequencies": lambda: sv.stability_selection(X, Y, n_pairs=2, alphas=6, random_state=0),
}
LIMITS = [k * 2**18 for k in (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)]


def outcome(call):
    """Return how a call ended, in a word or two."""
    try:
        call()
    except MemoryError as error:
        return "MemoryError with words" if str(error) else "MemoryError"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "answer"


def in_child(limit, call):
    """Run a call in a child that may use so many bytes more than now."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with open("/proc/self/statm") as pages:
            size = int(pages.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + limit, size + limit))
        os.write(writer, outcome(call).encode()[:1000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        text = stream.read().decode()
    _, status = os.waitpid(child, 0)
    return text if status == 0 else f"death: status {status}"


def main():
    sv.SparseRegressorCV(alphas=3, cv=3).fit(X[:, :20], Y)  # import what is imported late
    counts = {
        name: collections.Counter(in_child(limit, call) for limit in LIMITS)
        for name, call in CALLS.items()
    }
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
