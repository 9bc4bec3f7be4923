"""Random paths with strong minima, judged by code that shares nothing with the engine.

What is called coordinate-wise or swap-optimal must be so: no change of one coefficient, no exchange
of two features lowers the objective by more than the tolerance times itself.
``python -m tests.fuzz.strengths --first SEED --problems 1`` reproduces a failure.
"""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
from scipy import sparse
from tests.fuzz.paths import make, make_penalty
from tests.fuzz.seeds import run_seeds

import sparsieve as sv

# What computing in double precision may add to a decrease, over the half mean square of y with the
# part of it that columns with large means bring in: the judge and the engine both round.
ROUNDING = 1e-10


def make_wide(seed):
    """Make correlated columns, far more than a working set holds: most are ruled out by bounds."""
    g = np.random.default_rng([seed, 4])
    n, d = int(g.integers(20, 80)), int(g.integers(100, 800))
    rho = float(g.choice([0.0, 0.5, 0.9, 0.99]))
    X = g.standard_normal((n, d))
    for j in range(1, d):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1.0 - rho * rho) * X[:, j]
    if g.random() < 0.4:
        X *= 10 ** g.uniform(-1, 1, d)
    active = g.choice(d, size=int(g.integers(1, 12)), replace=False)
    y = X[:, active] @ g.standard_normal(active.size) + g.uniform(0, 1) * g.standard_normal(n)
    if g.random() < 0.2:
        X = sparse.csc_array(np.where(g.random((n, d)) < 0.3, X, 0.0))
    weights = g.uniform(0.3, 3.0, d) if g.random() < 0.2 else None
    options = {
        "fit_intercept": bool(g.random() < 0.6),
        "positive": bool(g.random() < 0.2),
        "sample_weight": g.uniform(0, 2, n) if g.random() < 0.2 else None,
        "weights": weights,
    }
    return X, y, make_penalty(g), options, float(10.0 ** g.uniform(-1.5, -0.5))


def draw(seed):
    """Draw a problem and how its path is followed."""
    X, y, penalty, options, eps = make_wide(seed) if seed % 5 == 0 else make(seed)
    g = np.random.default_rng([seed, 3])  # a stream of its own
    if isinstance(penalty, sv.MCP) and g.random() < 0.5:
        penalty = sv.MCP(float(10 ** g.uniform(-1, 0.3)))  # jumps even with scaled columns
    options.pop("tol_relative_to", None)
    options["tol"] = float(10 ** g.uniform(-8, -3))
    options["start"] = str(g.choice(["lasso", "previous", "best"], p=[0.6, 0.3, 0.1]))
    options["minimum"] = str(g.choice(["coordinatewise", "swap"]))
    return X, y, penalty, options, eps


def check(seed, seen):
    """Return what is wrong with the path of one seed; count what it shows."""
    X, y, penalty, options, eps = draw(seed)
    judged = {k: options.get(k) for k in ("sample_weight", "weights")}
    bounded = {k: options[k] for k in ("positive", "fit_intercept")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = sv.sparse_path(X, y, penalty, alphas=5, eps=eps, **options)
    omega = np.ones(len(y)) if judged["sample_weight"] is None else judged["sample_weight"]
    unit = 0.5 * np.average(y * y, weights=omega)
    wrong = []
    for k, point in enumerate(path.points):
        seen[f"{point.minimum}{'' if point.converged else ', not converged'}"] += 1
        if point.minimum == "stationary" or not point.converged:
            continue
        coef = path.coef_at(path.alphas[k])
        allowed = options["tol"] * point.objective * (1.0 + 1e-3) + ROUNDING * unit
        strengths = {"coordinatewise": sv.coordinatewise_violation}
        if point.minimum == "swap":
            strengths["swap"] = sv.swap_violation
        for name, violation in strengths.items():
            left = violation(
                X, y, coef, point.intercept, penalty=penalty, alpha=point.alpha, **judged, **bounded
            )
            if not left <= allowed:
                wrong.append(
                    f"seed {seed}, alpha {point.alpha:.6g}, {penalty}: a {name} move lowers the "
                    f"objective {point.objective:.6g} by {left:.3g}, allowed {allowed:.3g}"
                )
    return wrong


def complaints_of(seed):
    """Return what is wrong with the path of one seed."""
    return check(seed, Counter())


def main() -> int:
    """Run, print failures and counts; 1 if there were failures."""
    seen: Counter[str] = Counter()
    run = run_seeds(__doc__.splitlines()[0], lambda seed: check(seed, seen))
    print(
        f"{run.problems} paths, {run.failures} failures, {run.seconds:.0f} s; points: {dict(seen)}"
    )
    return int(run.failures > 0)


if __name__ == "__main__":
    raise SystemExit(main())
