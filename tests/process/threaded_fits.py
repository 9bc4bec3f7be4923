"""Many fits at once on one X: the same bits as one after the other.

``python threaded_fits.py FITS`` prints one JSON object. Run as a program, because it forks, spawns
and limits thread pools, which a test process should not.
"""

import json
import multiprocessing
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed, parallel_backend

import sparsieve as sv

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the problems are
from penalties_under_test import Arctan
from problems import sparse_design, toy

X, Y, _ = toy(n_samples=60, n_features=200, n_active=5, noise=0.5, seed=0)
X32 = np.asfortranarray(X, dtype=np.float32)
SPARSE = sparse_design(60, 200, density=0.2, seed=1)
PENALTIES = ("l1", "mcp", "scad", "logsum", "capped_l1", "lq")


def fit(k):
    """Return the bits of fit number k: data, penalty, weights and threads vary with k."""
    data = (X, X32, SPARSE)[k % 3]
    penalty = Arctan() if k % 11 == 0 else PENALTIES[k % 6]
    weight = np.random.default_rng(k).uniform(0.5, 2.0, 60) if k % 5 == 0 else None
    path = sv.sparse_path(
        data, Y, penalty, alphas=6, eps=0.05, sample_weight=weight, n_jobs=1 + k % 2
    )
    coefs = np.concatenate([path.coef_at(alpha) for alpha in path.alphas])
    return coefs.tobytes() + path.intercepts.tobytes() + path.kkt.tobytes()


def different(found, expected):
    return sum(one != other for one, other in zip(found, expected, strict=True))


def in_threads(count, expected):
    """Fit from eight threads that start together."""
    gate = threading.Barrier(8)

    def work(first):
        gate.wait()
        return [fit(k % len(expected)) for k in range(first, count, 8)]

    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(work, range(8)))
    return sum(
        different(part, [expected[k % len(expected)] for k in range(first, count, 8)])
        for first, part in enumerate(parts)
    )


def in_processes(method, expected):
    """Fit in two child processes; with fork, after this process has used threads."""
    with multiprocessing.get_context(method).Pool(2) as pool:
        return different(pool.map(fit, range(len(expected))), expected)


def nested(expected):
    """Fit inside joblib's threads and processes, each of which asks for threads again."""
    count = 0
    for backend in ("threading", "loky"):
        with parallel_backend(backend, n_jobs=2):
            count += different(Parallel()(delayed(fit)(k) for k in range(len(expected))), expected)
    return count


def main():
    fits = int(sys.argv[1])
    expected = [fit(k) for k in range(66)]
    report = {
        "again": different([fit(k) for k in range(66)], expected),
        "threads": in_threads(fits, expected),
        "spawn": in_processes("spawn", expected[:12]),
        "nested": nested(expected[:12]),
    }
    if hasattr(os, "fork"):
        report["fork"] = in_processes("fork", expected[:24])
    print(json.dumps(report))


if __name__ == "__main__":
    main()
