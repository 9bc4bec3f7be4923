"""Random problems with all options together, judged by code that shares nothing with the engine.

Standardised columns, ridges and bounds next to sample weights, feature weights, signs, storages,
starts and strengths. What has converged must be stationary, have the objective that it says, obey
its bounds to the last bit, be as strong a minimum as it says, and no point may be below what
another one's certificate calls the lowest. ``python -m tests.fuzz.options --first SEED --problems
1`` reproduces a failure.
"""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from tests.fuzz.paths import Arctan, column
from tests.fuzz.seeds import run_seeds

import sparsieve as sv
from sparsieve.inspect.convexity import global_lower_bounds

# As in the fuzzer of strengths: what double precision may add to a decrease, over the half mean
# square of y.
ROUNDING = 1e-10
EPS = float(np.finfo(np.float64).eps)
JUDGED = ("sample_weight", "weights", "standardize", "l1_ratio", "ridge", "bounds")

# kFitShare in the engine.
_BY_PRODUCTS = 1e-10


class Case(NamedTuple):
    X: Any
    y: Any
    penalty: Any
    options: dict[str, Any]
    eps: float


def make_penalty(g):
    """Draw a penalty; shapes from nearly convex to concave even on unit columns."""
    wide = float(10.0 ** g.uniform(-1, 1))
    return [
        sv.L1(),
        sv.LogSum(wide),
        sv.MCP(0.5 + wide),
        sv.SCAD(2.1 + wide),
        sv.CappedL1(wide),
        sv.Lq(float(g.uniform(0.2, 0.9)), 0.1 * wide),
        Arctan(),
    ][g.integers(0, 7)]


def make_X(g, n, d):
    """Make columns of many kinds: other scales, large means, constants, repeats."""
    X = g.standard_normal((n, d))
    for j in range(d):
        kind = g.integers(0, 12)
        if kind == 0:
            X[:, j] = g.choice([0.0, 3.0, 0.1])
        elif kind in (1, 2):
            X[:, j] *= 10.0 ** g.uniform(-2, 2)
        elif kind == 3 and j > 0:
            X[:, j] = X[:, g.integers(0, j)] * g.choice([1.0, 2.0])
        elif kind == 4 and j > 0:
            X[:, j] = X[:, j - 1] + 10.0 ** g.uniform(-4, -1) * X[:, j]
        elif kind == 5:
            X[:, j] += 10.0 ** g.uniform(0, 3)
        elif kind == 6:
            X[:, j] *= g.random(n) < 0.3
    return X


def make_side(g, scale):
    """Draw one side of the bounds, as a distance from zero: None, a number, or one per feature."""
    kind = g.integers(0, 4)
    size = float(10.0 ** g.uniform(-2, 1))
    if kind == 0:
        return None
    if kind == 1:
        return size * float(np.median(scale))
    if kind == 2:
        return float(g.choice([0.0, np.inf, 1.0]))
    each = size * scale * g.uniform(0.2, 2.0, scale.size)
    odd = g.random(scale.size)
    each[odd < 0.2] = 0.0
    each[odd > 0.7] = np.inf
    return each


def make_bounds(g, scale):
    lower, upper = make_side(g, scale), make_side(g, scale)
    return (None if lower is None else -lower, upper)


def make_options(g, n, d, scale):
    """Draw every option there is; each is left alone often enough to be seen by itself."""
    options = {
        "fit_intercept": bool(g.random() < 0.6),
        "positive": bool(g.random() < 0.2),
        "standardize": bool(g.random() < 0.6),
        "l1_ratio": float(g.uniform(0.05, 1.0)) if g.random() < 0.5 else 1.0,
        "ridge": float(10.0 ** g.uniform(-4, 1)) if g.random() < 0.4 else 0.0,
        "bounds": make_bounds(g, scale) if g.random() < 0.6 else None,
        "sample_weight": g.uniform(0, 2, n) * (g.random(n) < 0.8) + 1e-3
        if g.random() < 0.4
        else None,
        "tol": float(10.0 ** g.uniform(-8, -4)),
        "minimum": str(g.choice(["stationary", "coordinatewise", "swap"])),
        "start": str(g.choice(["lasso", "previous", "best"], p=[0.6, 0.25, 0.15])),
    }
    if g.random() < 0.4:
        pi, odd = g.uniform(0.3, 3.0, d), g.random(d)
        pi[odd < 0.15] = 0.0
        pi[odd > 0.85] = np.inf
        options["weights"] = pi
    if g.random() < 0.2:
        far = float(10.0 ** g.uniform(-1, 2))
        options["start"] = far * scale * g.standard_normal(d) * (g.random(d) < 0.5)
    return options


def make(seed):
    """Make a problem."""
    g = np.random.default_rng([seed, 21])
    n, d = int(g.integers(2, 25)), int(g.integers(1, 15))
    X = make_X(g, n, d)
    active = g.standard_normal(d) * (g.random(d) < 0.4) / np.maximum(X.std(axis=0), 1e-3)
    y = (X - X.mean(axis=0)) @ active + g.uniform(0, 1) * g.standard_normal(n)
    y = y * 10.0 ** g.integers(-1, 3) + 10.0 * (g.random() < 0.3)
    spread = X.std(axis=0)
    scale = (y.std() or 1.0) / np.where(spread > 1e-6, spread, 1.0)  # of a column that fits y
    options = make_options(g, n, d, scale)
    X = np.asfortranarray(X, dtype=np.float32 if g.random() < 0.2 else np.float64)
    if g.random() < 0.3:
        X = sparse.csc_array(X)
    return Case(X, y, make_penalty(g), options, float(10.0 ** g.uniform(-3, -0.5)))


class Scene:
    """What rounding can do to a problem: sizes of the columns in the units of the penalty."""

    def __init__(self, case):
        X = case.X.toarray() if sparse.issparse(case.X) else case.X
        self.case, self.X = case, X.astype(np.float64)
        weight = case.options["sample_weight"]
        omega = np.ones(len(case.y)) if weight is None else weight
        self.omega = omega / omega.sum()
        spread = np.sqrt(self.omega @ (self.X - self.omega @ self.X) ** 2)
        varies = np.ptp(self.X, axis=0) > 0
        scales = np.where(varies, spread, 1.0) if case.options["standardize"] else 1.0
        self.sizes = np.sqrt(self.omega @ self.X**2) / scales
        pi = case.options.get("weights")
        self.heaviest = 1.0 if pi is None else np.max(pi, where=np.isfinite(pi), initial=1.0)
        self.unit = 0.5 * float(self.omega @ case.y**2)
        # A sum of n products has at most n roundings in a row; products, centring, scaling and
        # the rounding of coefficients and scales are some more, and core and judge both round.
        self.roundings = 4.0 * (len(case.y) + 16) * EPS

    def reach(self, w):
        """Return the root mean square of the numbers that a residual is the sum of."""
        parts = np.abs(self.case.y) + np.abs(self.X) @ np.abs(w)
        return float(np.sqrt(self.omega @ parts**2))

    def violation(self, w, level):
        """Return what rounding may add to a violation, relative to the slope at zero.

        A correlation is off by the roundings of its sum, at most the size of its column times the
        numbers in the residual; the intercept is a column of ones. A rounded coefficient moves the
        slope by its concavity, and concavity times t is at most twice the slope at zero for every
        penalty here.
        """
        largest = max(1.0, float(np.max(self.sizes)))
        return self.roundings * (largest * self.reach(w) / level + 2.0 * self.heaviest)


def wrong_point(scene, path, k, seen):
    """Return what is wrong with one point of a path."""
    case, point = scene.case, path.points[k]
    options, w = case.options, column(path, k)
    told = {name: options.get(name) for name in JUDGED}
    where = dict(penalty=case.penalty, alpha=point.alpha, **told)
    signs = {name: options[name] for name in ("positive", "fit_intercept")}
    wrong = []
    value = sv.objective(case.X, case.y, w, point.intercept, **where)
    if not np.isfinite(value) or (options["positive"] and np.any(w < 0)):
        return [f"objective {value}: out of bounds or not finite: {w.tolist()}"]
    room = scene.roundings * (scene.reach(w) ** 2 + value)
    # The engine may know a fit from products of columns, to ten digits.
    room += _BY_PRODUCTS * abs(value)
    if not abs(value - point.objective) <= room:
        wrong.append(f"objective {point.objective!r} is {value!r}, allowed {room:.2g}")
    if not point.converged:
        seen["not converged"] += 1
        return wrong
    seen[point.minimum] += 1
    level = float(case.penalty.slope(np.zeros(1), options["l1_ratio"] * point.alpha)[0])
    kkt = sv.kkt_violation(case.X, case.y, w, point.intercept, **where, **signs)
    allowed = options["tol"] * (1.0 + 1e-6) + scene.violation(w, level)
    if not kkt <= allowed:
        wrong.append(f"kkt {kkt:.3g}, certificate {point.kkt:.3g}, allowed {allowed:.3g}")
    judges = [sv.coordinatewise_violation] if point.minimum != "stationary" else []
    judges += [sv.swap_violation] if point.minimum == "swap" else []
    for judge in judges:
        left = judge(case.X, case.y, w, point.intercept, **where, **signs)
        most = options["tol"] * value * (1.0 + 1e-3) + ROUNDING * scene.unit + room
        if not left <= most:
            wrong.append(f"{judge.__name__} {left:.3g}, allowed {most:.3g}")
    return wrong


def wrong_claims(case, path, seen):
    """Return which global minima another start refutes."""
    claims = global_lower_bounds(path.problem, path.points, case.penalty)
    known = [k for k, bound in enumerate(claims) if bound is not None]
    seen["global"] += len(known)
    if not known or isinstance(case.penalty, sv.L1):
        return []
    options = case.options | {"start": "best", "minimum": "swap"}
    other = sv.sparse_path(case.X, case.y, case.penalty, alphas=path.alphas[known], **options)
    return [
        f"alpha {point.alpha:.6g}: {point.objective!r} is below the proven {claims[k]!r}"
        for k, point in zip(known, other.points, strict=True)
        if point.objective < claims[k] - 1e-10 * abs(claims[k])
    ]


def check(seed, seen):
    """Return what is wrong with the path of one seed; count what it shows."""
    case = make(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = sv.sparse_path(case.X, case.y, case.penalty, alphas=4, eps=case.eps, **case.options)
        scene = Scene(case)
        wrong = [
            f"seed {seed}, alpha {point.alpha:.6g}, {type(case.penalty).__name__}: {words}"
            for k, point in enumerate(path.points)
            for words in wrong_point(scene, path, k, seen)
        ]
        wrong += [f"seed {seed}, {words}" for words in wrong_claims(case, path, seen)]
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
