"""Sparse codes of a thousand signals beside scikit-learn's ``sparse_encode``: ``make bench-codes``.

L1 and concave penalties on random dictionaries of unit columns, alpha a tenth of the median
alpha_max. scikit-learn is given its Gram matrix, which it does not have to pay for; ours is part of
the time. Violations are those of the L1 problem, as fractions of alpha.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.decomposition import sparse_encode

import sparsieve as sv

SIZES = ((64, 256), (256, 1024), (1024, 4096))


def best_of(repeats: int, call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the least CPU seconds of some calls, and what the last one returned."""
    seconds, found = np.inf, None
    for _ in range(repeats):
        begin = time.process_time()
        found = call()
        seconds = min(seconds, time.process_time() - begin)
    return seconds, found


def violation(D: Any, Y: Any, codes: Any, alpha: float) -> Any:
    """Return the violation of each code, over alpha."""
    c = (Y - codes @ D) @ D.T
    off = np.abs(c - alpha * np.sign(codes))
    return np.where(codes == 0, np.maximum(np.abs(c) - alpha, 0), off).max(axis=1) / alpha


def measure(n: int, d: int, signals: int, repeats: int) -> None:
    """Measure one size."""
    g = np.random.default_rng(0)
    D = g.standard_normal((d, n))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    W, k = np.zeros((signals, d)), max(4, n // 16)
    for row in W:
        row[g.choice(d, k, replace=False)] = g.standard_normal(k)
    Y = W @ D + 0.05 * np.sqrt(k / n) * g.standard_normal((signals, n))
    alpha = 0.1 * float(np.median(np.abs(Y @ D.T).max(axis=1)))
    gram, X, responses = D @ D.T, np.asfortranarray(D.T), np.ascontiguousarray(Y.T)
    options = {"fit_intercept": False, "standardize": False, "alpha": alpha / n}
    selected = k

    def report(name: str, seconds: float, codes: Any, judged: bool) -> None:
        off = violation(D, Y, codes, alpha) if judged else np.array([np.nan])
        print(
            f"{n} x {d}  {name:10s} {1e6 * seconds / signals:9.0f} microseconds per signal, "
            f"{np.median((codes != 0).sum(axis=1)):.0f} selected, violation {np.median(off):.1e} "
            f"(largest {off.max():.1e})",
            flush=True,
        )

    for penalty in ("l1", "mcp", "scad"):
        seconds, found = best_of(
            repeats, lambda penalty=penalty: sv.sparse_codes(X, responses, penalty, **options)
        )
        codes = found.coefs.T.toarray()
        if penalty == "l1":
            selected = int(np.median((codes != 0).sum(axis=1)))
        report(penalty, seconds, codes, penalty == "l1")
    for algorithm in ("lasso_cd", "lasso_lars", "omp"):
        extra = {"n_nonzero_coefs": selected} if algorithm == "omp" else {"alpha": alpha}
        seconds, codes = best_of(
            1 if d > 1000 else repeats,
            lambda algorithm=algorithm, extra=extra: sparse_encode(
                Y, D, gram=gram, algorithm=algorithm, **extra
            ),
        )
        report(algorithm, seconds, codes, algorithm != "omp")


def main() -> None:
    """Measure all sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--signals", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sizes", type=int, default=len(SIZES), help="how many of the sizes")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for n, d in SIZES[: args.sizes]:
        measure(n, d, args.signals, args.repeats)


if __name__ == "__main__":
    main()
