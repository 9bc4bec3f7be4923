"""Random Proximal Weighted Lassos, judged by code that shares nothing with the engine.

Each problem is made from a seed alone, so a failure is reproduced by its number:
``python -m tests.fuzz.pwl --first SEED --problems 1``.
"""

from __future__ import annotations

import argparse
import itertools
import time
import warnings
from dataclasses import dataclass

import numpy as np

import sparsieve as sv

LONG = np.longdouble


@dataclass
class Problem:
    X: np.ndarray
    y: np.ndarray
    l1: np.ndarray
    mu: float
    centre: np.ndarray | None
    omega: np.ndarray | None

    def long(self):
        """Everything in extended precision, with the defaults filled in."""
        n, d = self.X.shape
        omega = np.ones(n) if self.omega is None else self.omega
        centre = np.zeros(d) if self.centre is None else self.centre
        arrays = (self.X, self.y, self.l1, centre, omega)
        X, y, l1, centre, omega = (np.asarray(a, dtype=LONG) for a in arrays)
        return X, y, l1, LONG(self.mu), centre, omega


def make(seed):
    """Make a problem with zero, tiny, huge, duplicate and collinear columns and odd weights."""
    g = np.random.default_rng(seed)
    n, d = int(g.integers(1, 9)), int(g.integers(1, 11))
    X = g.standard_normal((n, d))
    for j in range(d):
        kind = g.integers(0, 9)
        if kind == 0:
            X[:, j] = 0.0
        elif kind == 1:
            X[:, j] *= 1e-8
        elif kind == 2:
            X[:, j] *= 1e8
        elif kind == 3 and j > 0:
            X[:, j] = X[:, g.integers(0, j)]
        elif kind == 4 and j > 1:
            X[:, j] = X[:, 0] - 2.0 * X[:, 1]
        elif kind == 5:
            X[:, j] *= 10.0 ** g.uniform(-4, 4)
    X = np.asfortranarray(X, dtype=np.float32 if g.random() < 0.2 else np.float64)
    y = g.standard_normal(n) * 10.0 ** g.integers(-3, 4)
    scale = np.abs(X.astype(float).T @ y)
    l1 = np.maximum(scale, 1e-300) * 10.0 ** g.uniform(-4, 0.5, size=d)
    odd = g.random(d)
    l1[odd < 0.10] = 0.0
    l1[(odd >= 0.10) & (odd < 0.15)] = 1e-12
    l1[(odd >= 0.15) & (odd < 0.20)] = np.inf
    mu = float(g.choice([0.0, 0.0, 1e-9, 1e-3, 1.0, 1e3]))
    centre = g.standard_normal(d) * 10.0 ** g.integers(-2, 3) if g.random() < 0.7 else None
    omega = g.uniform(0.0, 3.0, n) * (g.random(n) < 0.9) if g.random() < 0.3 else None
    return Problem(X, y, l1, mu, centre, omega)


def primal(p, w):
    """Return P(w) in extended precision."""
    X, y, l1, mu, centre, omega = p.long()
    r = y - X @ w
    finite = np.isfinite(l1)
    return (
        (omega * r * r).sum() / 2
        + mu / 2 * ((w - centre) ** 2).sum()
        + (l1[finite] * np.abs(w[finite])).sum()
    )


def rounding(p, w):
    """Return what double precision may do to P(w): unit round-off times the sizes involved."""
    X, y, l1, mu, centre, omega = p.long()
    reach = np.abs(y) + np.abs(X) @ np.abs(w)
    finite = np.isfinite(l1)
    size = (omega * reach * reach).sum() + mu * ((np.abs(w) + np.abs(centre)) ** 2).sum()
    return 64 * np.finfo(float).eps * (size + (l1[finite] * np.abs(w[finite])).sum())


def brute_force(p):
    """Return a minimiser by trying every sign pattern (for at most three features)."""
    X, y, _, mu, centre, omega = p.long()
    d = X.shape[1]
    best, best_value = np.zeros(d), primal(p, np.zeros(d, dtype=LONG))
    gram = np.asarray((X * omega[:, None]).T @ X + mu * np.eye(d), dtype=float)
    pull = np.asarray(X.T @ (omega * y) + mu * centre, dtype=float)
    for signs in itertools.product((-1.0, 0.0, 1.0), repeat=d):
        s = np.array(signs)
        on = np.flatnonzero(s)
        if on.size == 0 or np.any(np.isinf(p.l1[on])):
            continue
        rhs = pull[on] - p.l1[on] * s[on]
        root = np.sqrt(np.diag(gram)[on])
        root[root == 0] = 1.0
        scaled = gram[np.ix_(on, on)] / np.outer(root, root)
        w = np.zeros(d)
        w[on] = np.linalg.lstsq(scaled, rhs / root, rcond=1e-14)[0] / root
        keep = (np.sign(w) == s) | (p.l1 == 0.0)
        w[~keep] = 0.0
        value = primal(p, w.astype(LONG))
        if value < best_value:
            best, best_value = w, value
    return best, best_value


def check(seed):
    """Solve one problem with and without screening; return a list of complaints."""
    p = make(seed)
    options = dict(prox_weight=p.mu, prox_center=p.centre, sample_weight=p.omega)
    if p.omega is not None and not p.omega.any():
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fast = sv.proximal_weighted_lasso(p.X, p.y, p.l1, screen=True, **options)
        slow = sv.proximal_weighted_lasso(p.X, p.y, p.l1, screen=False, **options)
    complaints = []
    p_fast, p_slow = primal(p, fast.coef.astype(LONG)), primal(p, slow.coef.astype(LONG))
    noise = rounding(p, fast.coef) + rounding(p, slow.coef)
    best, best_value = slow.coef, min(p_fast, p_slow)
    if p.X.shape[1] <= 3:
        exact, exact_value = brute_force(p)
        noise += rounding(p, exact)
        if exact_value < best_value:
            best, best_value = exact, exact_value
    if not (np.all(np.isfinite(fast.coef)) and np.all(np.isfinite(slow.coef))):
        complaints.append("not finite")
    for name, result, value in (("fast", fast, p_fast), ("slow", slow, p_slow)):
        if abs(result.primal - value) > noise:
            complaints.append(f"{name}: primal {result.primal} is not {value}")
        if result.gap < -noise:
            complaints.append(f"{name}: negative gap {result.gap}")
        if value - best_value > max(result.gap, 0) + noise:
            complaints.append(f"{name}: gap {result.gap} < suboptimality {value - best_value}")
    if abs(p_fast - p_slow) > max(fast.gap, 0) + max(slow.gap, 0) + noise:
        complaints.append(f"screened and unscreened disagree by {p_fast - p_slow}")
    X, _, _, mu, _, omega = p.long()
    curvature = np.asarray((omega[:, None] * X * X).sum(0) + mu, dtype=float)
    # A point within g of the optimum can be off by sqrt(2 g) in the norm of P.
    reach = np.sqrt(2 * float(max(slow.gap, 0) + noise)) + 1e-13 * np.linalg.norm(p.y)
    unsafe = fast.screened & (np.abs(best) * np.sqrt(curvature) > 3 * reach)
    if np.any(unsafe & (best != 0)):
        complaints.append(f"screened but non-zero: {np.flatnonzero(unsafe)} {best[unsafe]}")
    if np.any(fast.screened & (p.l1 == 0.0)):
        complaints.append("screened an unpenalised feature")
    return complaints


def complaints_of(seed):
    """Return what is wrong with the answer to one problem."""
    return check(seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=np.inf)
    args = parser.parse_args()
    start, failures, done = time.time(), 0, 0
    for seed in range(args.first, args.first + args.problems):
        complaints = check(seed)
        done += 1
        if complaints:
            failures += 1
            print(f"seed {seed}: " + "; ".join(complaints), flush=True)
        if time.time() - start > 60 * args.minutes:
            break
    print(f"{done} problems, {failures} failures, {time.time() - start:.0f} s")
    raise SystemExit(failures > 0)


if __name__ == "__main__":
    main()
