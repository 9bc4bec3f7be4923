"""Streams made to break sums: every certificate is judged on the rows, in extended precision.

    python -m tests.fuzz.statistics --runs 3000

Means up to 1e8 standard deviations, conditions up to 1e12, fits with R2 = 1 - 1e-12, scales over
forty decades, sorted and drifting rows, weights, constant and repeated columns, any cutting.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from typing import Any

import numpy as np

import sparsieve as sv

LONG = np.longdouble
PENALTIES = ("l1", "mcp", "scad", "logsum")


def stream(seed: int) -> tuple[Any, Any, Any, dict[str, Any], Any]:
    """Return X, y, sample_weight, options of a path and the ends of batches."""
    g = np.random.default_rng(seed)
    n = int(g.choice([2, 3, 5, 30, 300, 3000, 9000], p=[0.03, 0.03, 0.04, 0.2, 0.4, 0.2, 0.1]))
    d = int(g.integers(1, 25))
    X = g.standard_normal((n, d))
    kind = g.integers(0, 5)
    if kind == 0:  # nearly collinear, up to a condition of 1e12
        direction = g.standard_normal((n, 1))
        X = direction + X * 10.0 ** g.uniform(-12, 0)
    elif kind == 1 and d > 1:  # a column that is the sum of others
        X[:, -1] = X[:, :-1].sum(axis=1)
    elif kind == 2:  # columns of few values
        X = np.round(X)
    if g.random() < 0.3:  # rows that drift
        X += np.linspace(0.0, 10.0 ** g.uniform(0, 4), n)[:, np.newaxis]
    if g.random() < 0.2:
        X[:, g.integers(d)] = g.standard_normal()
    w = np.where(g.random(d) < 0.4, g.standard_normal(d), 0.0)
    noise = 10.0 ** g.uniform(-6, 0) if g.random() < 0.5 else 1e-6
    y = X @ w + noise * max(np.std(X @ w), 1e-3) * g.standard_normal(n)
    if g.random() < 0.5:
        X = X + 10.0 ** g.uniform(0, 8, d) * np.std(X, axis=0)
    y = y + 10.0 ** g.uniform(0, 8) * np.std(y) * g.integers(0, 2)
    scales = 10.0 ** g.uniform(-20, 20, d) if g.random() < 0.2 else np.ones(d)
    X = X * scales
    if g.random() < 0.15:
        X = X.astype(np.float32)
    weight = None
    if g.random() < 0.4:
        weight = 10.0 ** g.uniform(-6, 6, n) if g.random() < 0.5 else g.integers(0, 4, n) * 1.0
        if not np.count_nonzero(weight) > 1:
            weight = None
    cuts = np.unique(np.r_[0, n, g.integers(0, n + 1, g.integers(0, 6))])
    options = {
        "penalty": str(g.choice(PENALTIES)),
        "fit_intercept": bool(g.random() < 0.8),
        "standardize": bool(g.random() < 0.5),
        "alphas": 8,
        "tol": float(10.0 ** g.uniform(-13, -6)),
        "eps": float(10.0 ** g.uniform(-5, -1)),
    }
    return X, y, weight, options, cuts


def summed(X: Any, y: Any, weight: Any, cuts: Any, ways: int) -> sv.Statistics:
    """Return the statistics, as one stream or as a sum of several."""
    parts = [
        sv.Statistics().partial_fit(X[a:b], y[a:b], None if weight is None else weight[a:b])
        for a, b in itertools.pairwise(cuts)
    ]
    if ways:
        return sum(parts)
    whole = sv.Statistics()
    for a, b in itertools.pairwise(cuts):
        whole.partial_fit(X[a:b], y[a:b], None if weight is None else weight[a:b])
    return whole


def true_violations(X: Any, y: Any, weight: Any, path: Any, options: dict[str, Any]) -> Any:
    """Return kkt of each point on the rows, in extended precision."""
    Z, t = X.astype(LONG), y.astype(LONG)
    omega = np.ones(len(t), LONG) if weight is None else weight.astype(LONG)
    omega = omega / omega.sum()
    scales = np.ones(Z.shape[1], LONG)
    for _ in range(2):
        centred = Z - omega @ Z
        Z, t = (centred, t - omega @ t) if options["fit_intercept"] else (Z, t)
    spread = np.sqrt(omega @ (centred - omega @ centred) ** 2)
    if options["standardize"]:
        constant = np.ptp(X[omega > 0], axis=0) == 0
        scales = np.where(constant, LONG(1), spread)
    penalty = path.penalty
    found = []
    for k, alpha in enumerate(path.alphas):
        point = path.points[k]
        coef = np.zeros(Z.shape[1], LONG)
        coef[point.columns] = point.values
        c = (Z.T @ (omega * (t - Z @ coef))) / scales
        v = np.asarray(np.abs(coef * scales), dtype=np.float64)
        slope = penalty.slope(v, np.full(v.size, alpha))
        violation = np.where(
            coef == 0, np.maximum(np.abs(c) - slope, 0), np.abs(c - slope * np.sign(coef))
        )
        found.append(float(violation.max() / penalty.slope(np.zeros(1), np.array([alpha]))[0]))
    return np.array(found)


def judged(seed: int) -> tuple[int, int, int, int, str]:
    """Return how many points there are, certified, certified after a pass, wrong; and in words."""
    X, y, weight, options, cuts = stream(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            statistics = summed(X, y, weight, cuts, seed % 2)
            path = sv.sparse_path(statistics, **options)
        except ValueError as error:
            return 0, 0, 0, 0, f"{seed}: refused, {error}"
        again = path.certify(X, y, weight, tol=options["tol"])
    wrong, words = 0, ""
    for found in (path, again):
        true = true_violations(X, y, weight, found, options)
        # The judge's own rounding, relative to a violation of that size.
        bad = found.converged & (true > found.kkt * (1.0 + 1e-6) + 1e-13)
        wrong += int(bad.sum())
        if bad.any():
            at = int(np.argmax(np.where(bad, true - found.kkt, 0.0)))
            words = f"{seed}: {options}, said {found.kkt[at]:.3g}, is {true[at]:.3g}"
    return len(path), int(path.converged.sum()), int(again.converged.sum()), wrong, words


def main() -> None:
    """Run many and count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    totals, refused = np.zeros(4, dtype=int), 0
    for seed in range(args.seed, args.seed + args.runs):
        *counts, words = judged(seed)
        totals += counts
        refused += counts[0] == 0
        if words:
            print(words)
    points, certified, again, wrong = totals
    print(
        f"{args.runs} streams, {refused} refused; {points} points, {certified} certified from "
        f"sums, {again} after the second pass, {wrong} wrong certificates"
    )
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
