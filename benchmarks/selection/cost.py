"""What does a cross-validation cost, in paths of the same size?

``python -m benchmarks.selection.cost`` times a 10-fold cross-validation on two threads against one
path plus the refit, on leukemia (when SPARSIEVE_DATA names a folder that has it) and on the paper's
toy 500 x 5000, and measures the memory it needs on top of X (on Linux). On a busy machine look at
the CPU seconds: a cross-validation on two free cores takes half of its CPU seconds. With
``--loss logistic`` y says on which side of its mean it is, with ``--loss poisson`` counts have a
mean that rises with y.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import math
import os
import sys
import time

import numpy as np

import sparsieve as sv
from sparsieve import SparseRegressorCV, sparse_path  # now, not inside what is timed


def timed(work):
    """Return result, wall seconds and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - wall, time.process_time() - cpu


def resident(name):
    """Return VmRSS (now) or VmHWM (the peak since it was reset) in bytes."""
    with open("/proc/self/status", encoding="ascii") as status:
        return 1024 * next(int(line.split()[1]) for line in status if line.startswith(name))


def growth(work):
    """Return by how many bytes the memory of this process grows at most during some work."""
    if not sys.platform.startswith("linux"):
        return math.nan
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)  # memory that earlier runs freed but still hold would hide the growth
    with open("/proc/self/clear_refs", "w", encoding="ascii") as reset:
        reset.write("5")
    before = resident("VmRSS")
    work()
    return resident("VmHWM") - before


def once(X, y, penalty, options, folds):
    """Return seconds of the cross-validation, of a path and of the refit, and the extra memory."""
    path, *path_time = timed(lambda: sparse_path(X, y, penalty, **options))
    estimator = SparseRegressorCV(penalty, cv=folds, n_jobs=2, **options)
    model, *cv_time = timed(lambda: estimator.fit(X, y))
    refit = path.alphas[path.alphas >= model.alpha_ * (1 - 1e-9)]
    _, *refit_time = timed(lambda: sparse_path(X, y, penalty, alphas=refit, loss=options["loss"]))
    return cv_time, path_time, refit_time, growth(lambda: estimator.fit(X, y))


def measure(name, X, y, penalty, options, folds, repeats):
    rows = [once(X, y, penalty, options, folds) for _ in range(repeats)]
    best = [np.min([row[k] for row in rows], axis=0) for k in range(3)]
    (wall, cpu), (path_wall, path_cpu), (refit_wall, refit_cpu) = best
    extra = max(row[3] for row in rows)
    print(
        f"| {name} | {X.shape[0]} x {X.shape[1]} | {penalty} | {path_wall:.2f} / {path_cpu:.2f} "
        f"| {wall:.2f} / {cpu:.2f} | {(wall - refit_wall) / path_wall:.2f} "
        f"| {(cpu - refit_cpu) / 2 / path_cpu:.2f} | {extra / X.nbytes:.2f} |",
        flush=True,
    )


def response(y, loss):
    """Return y as the loss takes it."""
    if loss == "logistic":
        return (y > y.mean()).astype(float)
    if loss == "poisson":
        mean = np.exp(0.5 * (y - y.mean()) / y.std())
        return np.random.default_rng(0).poisson(mean).astype(float)
    return y


def problems():
    if (folder := os.environ.get("SPARSIEVE_DATA")) and os.path.exists(f"{folder}/leukemia.npz"):
        X, y = sv.datasets.load_leukemia()
        yield "leukemia", np.asfortranarray((X - X.mean(0)) / X.std(0)), y
    X, y, _ = sv.datasets.make_toy(500, 5000, 20, noise=2.0, random_state=0)
    yield "toy", X, y


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--eps", type=float, default=1e-2)
    parser.add_argument("--penalties", nargs="+", default=["l1", "mcp"])
    parser.add_argument("--loss", default="squared", choices=["squared", "logistic", "poisson"])
    arguments = parser.parse_args()
    print(
        "| data | size | penalty | path, wall / CPU s | CV with refit, wall / CPU s "
        "| (CV - refit) / path, wall | the same by CPU / 2 | extra memory / X |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, X, y in problems():
        for penalty in arguments.penalties:
            options = {"alphas": 100, "eps": arguments.eps, "loss": arguments.loss}
            measure(
                name,
                X,
                response(y, arguments.loss),
                penalty,
                options,
                arguments.folds,
                arguments.repeats,
            )


if __name__ == "__main__":
    main()
