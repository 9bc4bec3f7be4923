"""Resident memory over many small fits: it must not grow.

``python tests/process/leak_soak.py 100000`` prints the resident size every tenth of the way and a
verdict; the exit code says. Every kind of object the core makes is made and dropped.
"""

import contextlib
import gc
import resource
import sys
from pathlib import Path

import numpy as np

import sparsieve as sv

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the problems are
from penalties_under_test import Arctan
from problems import sparse_design, toy

X, Y, _ = toy(n_samples=20, n_features=30, n_active=3, noise=0.5, seed=0)
SPARSE = sparse_design(20, 30, density=0.3, seed=1)
C_ORDER = np.ascontiguousarray(X)


def fit(k):
    """Fit once, another way for each k; errors on the way must not leak either."""
    way = k % 9
    if way == 0:
        sv.SparseRegressor("mcp", 0.3).fit(X, Y)
    elif way == 1:
        sv.SparseRegressor("scad", 0.3, positive=True).fit(SPARSE, Y)
    elif way == 2:
        sv.SparseRegressor(Arctan(), 0.3).fit(C_ORDER, Y)
    elif way == 3:
        sv.sparse_path(X, Y, "l1", alphas=2, n_jobs=2)
    elif way == 4:
        sv.proximal_weighted_lasso(X, Y, np.full(30, 2.0))
    elif way == 5:
        model = sv.SparseRegressor("logsum", 0.3, warm_start=True).fit(X, Y)
        model.set_params(alpha=0.2).fit(X, Y)
    elif way == 6:
        sv.alpha_max(SPARSE, Y, "mcp")
    elif way == 7:
        sv.SparseRegressorCV(alphas=2, cv=2, n_jobs=2).fit(X, Y)
    else:
        with contextlib.suppress(ValueError):
            sv.SparseRegressor("mcp", 0.3).fit(X, np.full(20, np.nan))


def resident():
    gc.collect()
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * resource.getpagesize()


def growth(fits):
    """Return the bytes gained after a tenth of the fits has warmed everything up, and the sizes."""
    sizes = []
    for tenth in range(10):
        for k in range(tenth * fits // 10, (tenth + 1) * fits // 10):
            fit(k)
        sizes.append(resident())
    return sizes[-1] - sizes[0], sizes


def main():
    fits = int(sys.argv[1])
    gained, sizes = growth(fits)
    print("resident MiB after each tenth:", " ".join(f"{size / 2**20:.1f}" for size in sizes))
    print(f"{fits} fits, {gained / 2**10:.0f} KiB gained, {gained / fits:.1f} bytes per fit")
    # A leaked array of one fit would be some hundred bytes each; the allocator itself wanders.
    raise SystemExit(gained > max(4 * 2**20, 16 * fits))


if __name__ == "__main__":
    main()
