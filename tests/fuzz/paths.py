"""Random paths through the public API, judged by code that shares nothing with the engine.

``python -m tests.fuzz.paths --first SEED --problems 1`` reproduces a failure.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from scipy import sparse

import sparsieve as sv


class Arctan:
    """A user's penalty: value and slope, nothing else."""

    def value(self, abs_w, alpha):
        return alpha * np.arctan(abs_w)

    def slope(self, abs_w, alpha):
        return alpha / (1.0 + abs_w * abs_w)


def make_penalty(g):
    """Draw a penalty, its shape over several decades."""
    wide = float(10.0 ** g.uniform(-2, 1))
    return [
        sv.L1(),
        sv.LogSum(wide),
        sv.MCP(1.1 + wide),
        sv.SCAD(2.1 + wide),
        sv.CappedL1(wide),
        sv.Lq(float(g.uniform(0.2, 0.9)), 0.1 * wide),
        Arctan(),
    ][g.integers(0, 7)]


def make(seed):
    """Make data with columns of all kinds, and options."""
    g = np.random.default_rng(seed)
    n, d = int(g.integers(2, 25)), int(g.integers(1, 40))
    X = g.standard_normal((n, d))
    for j in range(d):
        kind = g.integers(0, 12)
        if kind == 0:
            X[:, j] = 0.0
        elif kind == 1:
            X[:, j] = 3.0
        elif kind == 2:
            X[:, j] *= 10.0 ** g.uniform(-3, 3)
        elif kind == 3 and j > 0:
            X[:, j] = X[:, g.integers(0, j)]
        elif kind == 4 and j > 1:
            X[:, j] = X[:, j - 1] + 10.0 ** g.uniform(-7, -1) * X[:, j]
        elif kind == 5:
            X[:, j] += 100.0
        elif kind == 6:
            X[:, j] *= g.random(n) < 0.2
    y = g.standard_normal(n) * 10.0 ** g.integers(-2, 3) + 10.0 * (g.random() < 0.3)
    options = {
        "fit_intercept": bool(g.random() < 0.6),
        "positive": bool(g.random() < 0.2),
        "sample_weight": g.uniform(0, 2, n) * (g.random(n) < 0.8) + 1e-3
        if g.random() < 0.3
        else None,
    }
    loose = np.random.default_rng([seed, 1])  # a stream of its own: old seeds keep their problems
    if loose.random() < 0.5:
        options["tol"] = float(10 ** loose.uniform(-4, -1))
        options["tol_relative_to"] = str(loose.choice(["alpha", "path"]))
    if g.random() < 0.3:
        pi = g.uniform(0.3, 3.0, d)
        odd = g.random(d)
        pi[odd < 0.1] = 0.0
        pi[odd > 0.9] = np.inf
        options["weights"] = pi
    X = np.asfortranarray(X, dtype=np.float32 if g.random() < 0.2 else np.float64)
    if g.random() < 0.3:
        X = sparse.csc_array(X)
    return X, y, make_penalty(g), options, float(10.0 ** g.uniform(-3, -0.5))


def make_large(seed):
    """Make sparse data with supports in the hundreds: solved on the columns, without Gram."""
    g = np.random.default_rng(seed)
    n, d, k = (int(g.integers(*span)) for span in ((200, 700), (600, 4000), (5, 300)))
    X = sparse.random_array((n, d), density=g.uniform(1, 8) / n, rng=g, format="csc")
    if g.random() < 0.3:
        X = sparse.csc_array(X @ sparse.diags_array(10 ** g.uniform(-2, 2, d)))
    y = X[:, :k] @ g.standard_normal(k) + g.choice([0.0, 0.01, 1.0]) * g.standard_normal(n)
    options = {
        "fit_intercept": bool(g.random() < 0.7),
        "positive": bool(g.random() < 0.2),
        "sample_weight": g.uniform(0, 2, n) if g.random() < 0.3 else None,
        "tol": float(10 ** g.uniform(-8, -1)),
        "max_iter": int(g.choice([10_000, 10_000, 10_000, 1, 3, 9, 17, 40])),
        "tol_relative_to": ("alpha", "path")[seed % 2],
    }
    if g.random() < 0.3:
        pi, odd = g.uniform(0.2, 2.0, d), g.random(d)
        pi[odd < 0.01] = 0.0
        pi[odd > 0.98] = np.inf
        options["weights"] = pi
    return X, y, make_penalty(g), options, float(10 ** g.uniform(-3, -1))


def check(seed, large=False):
    """Solve one path; return complaints, and how many points did not converge (said so)."""
    X, y, penalty, options, eps = make_large(seed) if large else make(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = sv.sparse_path(X, y, penalty, alphas=6, eps=eps, **options)
    complaints = []
    judge = {k: options.get(k) for k in ("sample_weight", "weights")}
    for k, point in enumerate(path.points):
        w = path.coefs[:, [k]]
        w = (w.toarray() if sparse.issparse(w) else w).ravel()
        where = dict(penalty=penalty, alpha=point.alpha, **judge)
        if not np.all(np.isfinite(w)):
            complaints.append(f"alpha {k}: not finite")
            continue
        if options["positive"] and np.any(w < 0):
            complaints.append(f"alpha {k}: negative coefficient")
        value = sv.objective(X, y, w, point.intercept, **where)
        # Rounding of the fit itself, when large coefficients of collinear columns cancel.
        reach = np.abs(y) + abs(X) @ np.abs(w)
        noise = 64 * np.finfo(float).eps * np.max(reach) ** 2
        if abs(value - point.objective) > 1e-9 * (abs(value) + np.mean(y * y)) + noise:
            complaints.append(f"alpha {k}: objective {point.objective} is not {value}")
        kkt = sv.kkt_violation(X, y, w, point.intercept, positive=options["positive"], **where)
        said = 1.000001 * point.kkt + 1e-9 if large else point.kkt + 1e-6
        if not (large or point.converged):
            said = np.inf
        if kkt > said:
            complaints.append(f"alpha {k}: certificate {point.kkt:.1e}, judge {kkt:.1e}")
    return complaints, int(np.sum(~path.converged))


def complaints_of(seed):
    """Return what is wrong with the answer to one problem."""
    return check(seed)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=np.inf)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--large", action="store_true", help="sparse data, large supports")
    args = parser.parse_args()
    start, failures, short, done = time.time(), 0, 0, 0
    for seed in range(args.first, args.first + args.problems):
        complaints, missed = check(seed, args.large)
        done += 1
        short += missed
        if missed and args.verbose:
            print(f"seed {seed}: {missed} points did not converge", flush=True)
        if complaints:
            failures += 1
            print(f"seed {seed}: " + "; ".join(complaints), flush=True)
        if time.time() - start > 60 * args.minutes:
            break
    print(
        f"{done} paths, {failures} failures, {short} points that said they did not converge, "
        f"{time.time() - start:.0f} s"
    )
    raise SystemExit(failures > 0)


if __name__ == "__main__":
    main()
