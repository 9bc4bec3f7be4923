"""Random small problems: what is called the global minimum is not beaten by anything found.

Where a certificate has a lower bound, starts from random coefficients and a random search that
knows nothing but the objective try to get below it.
``python -m tests.fuzz.global_minima --first SEED --problems 1`` reproduces a failure.
"""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
from scipy import sparse
from tests.fuzz.paths import Arctan
from tests.fuzz.seeds import run_seeds

import sparsieve as sv

STARTS = 12
# Points of a cloud, and how often a new one is drawn around its best, each time closer.
CLOUD, ROUNDS = 200, 30
# The judge adds up in another order than the engine: roundings of the half mean square of y.
ROUNDING = 1e-12


def draw_penalty(g, curvature):
    """Draw a penalty whose concavity is of the order of the curvature of the data."""
    least = 1.0 / (curvature * 10 ** g.uniform(-1.0, 0.3))  # of gamma, for convexity: 1 / curvature
    alpha = float(10 ** g.uniform(-2, 0.3))
    theta = float(np.sqrt(alpha * least))
    q, chosen = float(g.uniform(0.2, 0.9)), int(g.integers(0, 9))
    eps = float((alpha * q * (1.0 - q) * least) ** (1.0 / (2.0 - q)))
    if chosen < 2:
        return sv.MCP(least), alpha
    if chosen < 4:
        return sv.SCAD(max(2.05, 1.01 + least)), alpha
    if chosen < 6:
        return sv.LogSum(theta), alpha
    if chosen < 8:
        return sv.Lq(q, eps), alpha
    return (sv.CappedL1(theta), Arctan(), sv.L1())[int(g.integers(0, 3))], alpha


def draw(seed):
    """Draw a problem with more rows than columns, and its options."""
    g = np.random.default_rng([seed, 7])
    d = int(g.integers(1, 7))
    n = d + int(g.integers(1, 40))
    X = g.standard_normal((n, d)) * 10 ** g.uniform(-0.5, 0.5, d) + g.choice([0.0, 3.0])
    for j in range(1, d):
        kind = g.integers(0, 12)
        if kind == 0:
            X[:, j] = X[:, j - 1] + 10.0 ** g.uniform(-3, 0) * X[:, j]
        elif kind == 1:
            X[:, j] = 2.0  # constant: it has nothing to say next to an intercept
    X = np.asfortranarray(X, dtype=np.float32 if g.random() < 0.1 else np.float64)
    y = X @ (g.standard_normal(d) * (g.random(d) < 0.6)) + g.standard_normal(n) + g.choice([0, 5])
    weight = g.uniform(0, 2, n) + 1e-3 if g.random() < 0.3 else None
    options = {
        "fit_intercept": bool(g.random() < 0.6),
        "positive": bool(g.random() < 0.25),
        "tol": float(10 ** g.uniform(-8, -3)),
        "minimum": str(g.choice(["stationary", "coordinatewise", "swap"])),
        "weights": None,
    }
    if g.random() < 0.3:
        options["weights"] = np.where(g.random(d) < 0.15, 0.0, g.uniform(0.3, 1.5, d))
        options["weights"][g.random(d) < 0.1] = np.inf
    omega = np.ones(n) if weight is None else weight
    omega = omega / omega.sum()
    centred = X - omega @ X if options["fit_intercept"] else X
    gram = (omega[:, None] * centred).T @ centred
    moving = np.diag(gram) > 1e-9
    least = np.linalg.eigvalsh(gram[np.ix_(moving, moving)])[0] if moving.any() else 1.0
    penalty, alpha = draw_penalty(g, max(float(least), 1e-3))
    if g.random() < 0.2:
        X = sparse.csc_array(X)
    return g, X, y, penalty, alpha, weight, options


class Objective:
    """The objective of many points at once, at their best intercepts, from ``penalty.value``."""

    def __init__(self, X, y, penalty, alpha, weight, options):
        X = X.toarray() if sparse.issparse(X) else X
        omega = np.ones(len(y)) if weight is None else weight
        self.omega = omega / omega.sum()
        self.X, self.y, self.penalty = np.asarray(X, dtype=np.float64), y, penalty
        pi = np.ones(X.shape[1]) if options["weights"] is None else options["weights"]
        self.free, self.positive = np.isfinite(pi), options["positive"]
        self.level = np.where(self.free, alpha * np.where(self.free, pi, 0.0), 0.0)
        self.fit_intercept = options["fit_intercept"]

    def allowed(self, W):
        """Return points moved to where they may be."""
        W = np.where(self.free, W, 0.0)
        return np.abs(W) if self.positive else W

    def __call__(self, W):
        residual = self.y - W @ self.X.T
        if self.fit_intercept:
            residual = residual - (residual @ self.omega)[:, None]
        value = 0.5 * (residual**2) @ self.omega
        for j in np.flatnonzero(self.level > 0.0):
            t = np.abs(W[:, j])
            value = value + self.penalty.value(t, np.full_like(t, self.level[j]))
        return value


def searched(g, objective, W):
    """Return the lowest value of a search from the given points, each round a closer one."""
    scale = np.max(np.abs(W), axis=0) + 0.1
    best, low = W[0], np.inf
    for round_ in range(ROUNDS):
        values = objective(W)
        at = int(np.argmin(values))
        if values[at] < low:
            best, low = W[at], float(values[at])
        near = best + 0.6**round_ * scale * g.standard_normal((CLOUD, best.size))
        near[g.random(near.shape) < 0.3] = 0.0  # points with exact zeros are never met by chance
        keep = g.random(near.shape) < 0.3
        W = objective.allowed(np.where(keep, best, near))
    return min(low, float(objective(W).min()))


def check(seed, seen):
    """Return what is wrong with the claim of one seed; count what was claimed."""
    g, X, y, penalty, alpha, weight, options = draw(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = sv.SparseRegressor(penalty, alpha, **options).fit(X, y, sample_weight=weight)
        certificate, bound = model.certificate_, model.certificate_.lower_bound
        claimed = "claimed" if bound is not None else "not claimed"
        seen[f"{type(penalty).__name__}, {claimed}"] += 1
        wrong = []
        if bound is None:
            return wrong
        if isinstance(penalty, sv.CappedL1 | Arctan) or not certificate.converged:
            wrong.append(f"seed {seed}: nothing can be claimed of {penalty}")
        if isinstance(penalty, sv.L1):
            return wrong
        seen["claimed"] += 1
        objective = Objective(X, y, penalty, alpha, weight, options)
        noise = ROUNDING * float(0.5 * objective.omega @ y**2)
        d = X.shape[1]
        size = 10 ** g.uniform(-1, 1, (STARTS, 1))
        starts = objective.allowed(size * g.standard_normal((STARTS, d)))
        starts = np.where(g.random((STARTS, d)) < 0.3, 0.0, starts)
        found = {"random search": searched(g, objective, np.vstack([starts, np.zeros((1, d))]))}
        others = options | {"minimum": "swap"}
        for k, start in enumerate(starts):
            other = sv.SparseRegressor(penalty, alpha, start=start, **others)
            found[f"start {k}"] = other.fit(X, y, sample_weight=weight).objective_
    around = searched(g, objective, model.coef_[None, :])
    found["search around the point"] = around
    for name, value in found.items():
        if value < bound - noise:
            wrong.append(
                f"seed {seed}, {penalty}, alpha {alpha:.6g}: {name} has {value!r}, below {bound!r}"
            )
    return wrong


def complaints_of(seed):
    """Return what is wrong with the claim of one seed."""
    return check(seed, Counter())


def main() -> int:
    """Run, print failures and counts; 1 if there were failures or too few claims."""
    seen: Counter[str] = Counter()
    run = run_seeds(__doc__.splitlines()[0], lambda seed: check(seed, seen))
    print(
        f"{run.problems} problems, {seen.pop('claimed', 0)} claims tried, {run.failures} failures, "
        f"{run.seconds:.0f} s: {dict(sorted(seen.items()))}"
    )
    return int(run.failures > 0)


if __name__ == "__main__":
    raise SystemExit(main())
