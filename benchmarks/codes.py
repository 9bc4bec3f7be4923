"""Sparse codes of a thousand signals beside scikit-learn's ``sparse_encode``: ``make bench-codes``.

L1 and concave penalties on random dictionaries of unit columns, alpha a tenth of the median
alpha_max. scikit-learn is given its Gram matrix, which it does not have to pay for; ours is part of
the time. Violations are those of the L1 problem, as fractions of alpha. Concave penalties are
measured on standardised columns, with the same alpha in their units, and ("raw") on columns of unit
norm, whose standard deviation is far below the 1 that the default shapes are made for: such a
problem is much less convex, and its solution has several times as many atoms. All are run in turns.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
from sklearn.decomposition import sparse_encode

import sparsieve as sv

SIZES = ((64, 256), (256, 1024), (1024, 4096))


def violation(D: Any, Y: Any, codes: Any, alpha: float) -> Any:
    """Return the violation of each code, over alpha."""
    c = (Y - codes @ D) @ D.T
    off = np.abs(c - alpha * np.sign(codes))
    return np.where(codes == 0, np.maximum(np.abs(c) - alpha, 0), off).max(axis=1) / alpha


def measure(n: int, d: int, signals: int, repeats: int, only: str) -> None:
    """Measure one size, the named ones of ours and theirs or all."""
    g = np.random.default_rng(0)
    D = g.standard_normal((d, n))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    W, k = np.zeros((signals, d)), max(4, n // 16)
    for row in W:
        row[g.choice(d, k, replace=False)] = g.standard_normal(k)
    Y = W @ D + 0.05 * np.sqrt(k / n) * g.standard_normal((signals, n))
    alpha = 0.1 * float(np.median(np.abs(Y @ D.T).max(axis=1)))
    gram, X, responses = D @ D.T, np.asfortranarray(D.T), np.ascontiguousarray(Y.T)
    raw = {"fit_intercept": False, "standardize": False, "alpha": alpha / n}
    scaled = {"fit_intercept": False, "standardize": True, "alpha": alpha / np.sqrt(n)}
    ours = {"l1": ("l1", raw), "mcp": ("mcp", scaled), "scad": ("scad", scaled)}
    ours |= {"mcp raw": ("mcp", raw), "scad raw": ("scad", raw)}
    peers = ["lasso_cd", "lasso_lars", "omp"]
    chosen = only.split(",") if only else [*ours, *peers]
    selected = k

    def report(name: str, seconds: float, codes: Any, judged: bool) -> None:
        off = violation(D, Y, codes, alpha) if judged else np.array([np.nan])
        print(
            f"{n} x {d}  {name:10s} {1e6 * seconds / signals:9.0f} microseconds per signal, "
            f"{np.median((codes != 0).sum(axis=1)):.0f} selected, violation {np.median(off):.1e} "
            f"(largest {off.max():.1e})",
            flush=True,
        )

    best: dict[str, tuple[float, Any]] = {}
    for _ in range(repeats):
        for name in chosen:
            begin = time.process_time()
            if name in ours:
                penalty, options = ours[name]
                found = sv.sparse_codes(X, responses, penalty, **options)
            else:
                extra = {"n_nonzero_coefs": selected} if name == "omp" else {"alpha": alpha}
                found = sparse_encode(Y, D, gram=gram, algorithm=name, **extra)
            seconds = time.process_time() - begin
            codes = found.coefs.T.toarray() if name in ours else found
            if name == "l1":
                selected = int(np.median((codes != 0).sum(axis=1)))
            best[name] = (min(seconds, best.get(name, (np.inf,))[0]), codes)
    for name in chosen:
        report(name, *best[name], name in ("l1", "lasso_cd", "lasso_lars"))


def main() -> None:
    """Measure all sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--signals", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sizes", default="0,1,2", help="which of the sizes")
    parser.add_argument("--only", default="", help="names of what is measured, by commas")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for size in map(int, args.sizes.split(",")):
        measure(*SIZES[size], args.signals, args.repeats, args.only)


if __name__ == "__main__":
    main()
