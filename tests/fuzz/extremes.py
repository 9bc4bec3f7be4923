"""Random problems at the edge of double precision, judged in extended precision.

Columns and responses scaled by 1e-150 to 1e150, denormals, nearly equal columns, ties by the
dozen, alpha one unit in the last place below alpha_max. The judge computes in ``numpy.longdouble``,
whose exponents reach 1e4932, and shares nothing with the engine: a point is finite and either truly
stationary or announced by a ConvergenceWarning.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse

import sparsieve as sv

LONG = np.longdouble


def make(seed):
    """Return X, y, penalty, alphas (a number or a word) and options."""
    g = np.random.default_rng(seed)
    n, d = int(g.integers(2, 15)), int(g.integers(1, 20))
    X = g.standard_normal((n, d))
    if g.random() < 0.2:  # ties: a handful of values only
        X = g.integers(-1, 2, (n, d)).astype(float)
    for j in range(d):
        kind = g.integers(0, 8)
        if kind == 0:
            X[:, j] *= 10.0 ** g.uniform(-150, 150)
        elif kind == 1 and j:
            X[:, j] = X[:, j - 1] * (1 - 1e-12) + 1e-12 * X[:, j] * np.max(np.abs(X[:, j - 1]))
        elif kind == 2 and j:
            X[:, j] = X[:, g.integers(0, j)]
        elif kind == 3:
            X[:, j] *= 5e-324 * g.integers(1, 2**20)
        elif kind == 4:
            X[:, j] = 10.0 ** g.uniform(-10, 10)
    y = g.standard_normal(n) * 10.0 ** g.choice([-150, -10, 0, 0, 10, 150])
    penalty = [sv.L1(), sv.MCP(3.0), sv.SCAD(3.7), sv.LogSum(0.5), sv.CappedL1(1.0), sv.Lq(0.5)]
    options = {"fit_intercept": bool(g.random() < 0.5), "positive": bool(g.random() < 0.1)}
    X = np.asfortranarray(X)
    if g.random() < 0.3:
        X = sparse.csc_array(X)
    alphas = ("ulp", 4, 4)[g.integers(0, 3)]
    return X, y, penalty[g.integers(0, 6)], alphas, options


def violation(X, y, w, intercept, penalty, alpha, positive):
    """Return the stationarity violation of w over slope(0), and what rounding may add to it."""
    A = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=LONG)
    w, b = np.asarray(w, dtype=LONG), LONG(intercept)
    r = np.asarray(y, dtype=LONG) - b - A @ w
    c = A.T @ r / LONG(len(y))
    # The core's residual is known to this accuracy only: the terms of the fit cancel.
    size = np.abs(np.asarray(y, dtype=LONG)) + abs(b) + np.abs(A) @ np.abs(w)
    noise = 64 * np.finfo(float).eps * (np.abs(A).T @ size) / LONG(len(y))
    slope = np.asarray(penalty.slope(np.abs(w).astype(float), alpha), dtype=LONG)
    outward = c if positive else np.abs(c)
    zero = np.maximum(outward - slope, 0)
    apart = np.where(w == 0, zero, np.abs(c - slope * np.sign(w)))
    level = LONG(penalty.slope(np.zeros(1), alpha)[0])
    worst = np.argmax(apart - noise)
    return apart[worst] / level, noise[worst] / level


def complaints_of(seed):
    """Solve one path; return what is wrong with it."""
    X, y, penalty, alphas, options = make(seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if alphas == "ulp":
                largest = sv.alpha_max(X, y, penalty, **options)
                if not largest > 0 or not np.isfinite(largest):
                    return [] if largest == 0 else [f"alpha_max is {largest}"]
                below = float(np.nextafter(largest, 0.0))
                alphas = [below] if below > 0 else [largest]
            path = sv.sparse_path(X, y, penalty, alphas=alphas, eps=0.01, max_iter=500, **options)
        except ValueError as error:
            # A refusal is an answer too, if it says what to do.
            return [] if "power of ten" in str(error) else [f"refused: {error}"]
    said = any("did not reach" in str(w.message) for w in caught)
    complaints = [f"warned {w.message}" for w in caught if w.category is RuntimeWarning]
    for k, point in enumerate(path.points):
        w = np.zeros(X.shape[1])
        w[point.columns] = point.values
        if not (np.all(np.isfinite(w)) and np.isfinite(point.intercept)):
            complaints.append(f"alpha {k}: not finite")
            continue
        if options["positive"] and np.any(w < 0):
            complaints.append(f"alpha {k}: negative coefficient")
        if not point.converged:
            complaints += [] if said else [f"alpha {k}: missed its tolerance without a word"]
            continue
        positive = options["positive"]
        kkt, noise = violation(X, y, w, point.intercept, penalty, point.alpha, positive)
        if not kkt <= 2e-6 + noise:
            complaints.append(f"alpha {k}: certificate {point.kkt:.1e}, judge {float(kkt):.1e}")
    return complaints
