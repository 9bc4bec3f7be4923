"""Random paths from random starts, judged by code that shares nothing with the engine.

``python -m tests.fuzz.paths --first SEED --problems 1`` reproduces a failure. Besides failures it
counts how often a fit of one alpha ends where the path from the same start ends at that alpha: from
the lasso nearly always, from given coefficients less often.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from dataclasses import replace

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


NAMES = ("lasso", "previous", "best")
KINDS = ("zeros", "right", "wrong signs", "huge", "of n features", "of all features")
# Of the slope at zero, as the documentation says: a grid begins at most this much above alpha_max.
FRACTION = 0.3
ABOVE = 1.0 + 1e-6


def make_start(seed, X, y, penalty, options):
    """Draw where the solves begin: a name, or coefficients that may be hostile."""
    g = np.random.default_rng([seed, 2])  # a stream of its own: old seeds keep their problems
    kind = str(g.choice([*NAMES, *KINDS], p=[0.4, 0.1, 0.1, *[0.4 / len(KINDS)] * len(KINDS)]))
    if kind in NAMES:
        return kind, kind
    (n, d), coef = X.shape, np.zeros(X.shape[1])
    if kind == "zeros":
        return kind, coef
    sizes = np.sqrt(np.asarray((X * X).mean(axis=0), dtype=np.float64))
    scale = np.sqrt(np.mean(y * y)) / np.where(sizes > 0, sizes, 1.0)  # of a column that fits y
    if kind in ("right", "wrong signs"):  # what the method itself selects there
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = sv.sparse_path(X, y, penalty, alphas=3, eps=0.1, start="previous", **options)
        coef = found.coef_at(found.alphas[-1])
        return kind, -coef if kind == "wrong signs" else coef
    if kind == "huge":
        columns = g.choice(d, size=int(g.integers(1, min(n, d) + 1)), replace=False)
        scale = scale * 10.0 ** g.uniform(0, 6)
    else:
        columns = g.choice(d, size=min(n, d) if kind == "of n features" else d, replace=False)
    coef[columns] = (scale * g.standard_normal(d))[columns]
    return kind, coef


def column(path, k):
    """Return the coefficients of point k, dense."""
    w = path.coefs[:, [k]]
    return (w.toarray() if sparse.issparse(w) else w).ravel()


def judged(path, X, y, penalty, options, large):
    """Return what is wrong with the points of a path."""
    complaints = []
    judge = {k: options.get(k) for k in ("sample_weight", "weights")}
    for k, point in enumerate(path.points):
        w = column(path, k)
        where = dict(penalty=penalty, alpha=point.alpha, **judge)
        if not np.all(np.isfinite(w)):
            complaints.append(f"alpha {k}: not finite")
            continue
        if options["positive"] and np.any(w < 0):
            complaints.append(f"alpha {k}: negative coefficient")
        if judge["weights"] is not None and np.any(w[np.isinf(judge["weights"])]):
            complaints.append(f"alpha {k}: a feature that is left out")
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
    return complaints


def grid_complaints(path, X, y, penalty, options, eps):
    """Return what is wrong with the alphas of a path that chose them itself."""
    known = {k: v for k, v in options.items() if not k.startswith(("tol", "max_iter"))}
    largest = sv.alpha_max(X, y, penalty, **known)
    if largest == 0.0:
        return []
    complaints = []
    # Zero must be a minimum of the strength that the path looks for, whatever rounding does.
    unmoved = ABOVE * sv.alpha_max(X, y, penalty, minimum="coordinatewise", **known)
    if not largest <= path.alphas[0] <= (1 + 1e-12) * max(largest / FRACTION, unmoved):
        complaints.append(f"the grid begins at {path.alphas[0]}, alpha_max is {largest}")
    if abs(path.alphas[-1] - eps * largest) > 1e-12 * eps * largest:
        complaints.append(f"the grid ends at {path.alphas[-1]}, not {eps * largest}")
    return complaints


def same_point(one, other, penalty, tol):
    """Tell whether two points at one alpha are the same as far as their tolerance can tell.

    Within a basin, violations of tol times slope(0) along the coefficients are worth so much.
    """
    slope = float(np.asarray(penalty.slope(np.zeros(1), np.full(1, one.alpha)))[0])
    length = np.abs(one.values).sum() + np.abs(other.values).sum()
    room = 2 * tol * slope * length + 1e-9 * abs(one.objective)
    return abs(one.objective - other.objective) <= room


def alone(path, k, X, y, penalty, options):
    """Fit one alpha of a path by itself, as an estimator does and as a path of one alpha does."""
    options = {key: value for key, value in options.items() if key != "tol_relative_to"}
    weight = options.pop("sample_weight")
    alpha = float(path.alphas[k])
    short = sv.sparse_path(X, y, penalty, alphas=[alpha], sample_weight=weight, **options)
    model = sv.SparseRegressor(penalty, alpha, **options).fit(X, y, sample_weight=weight)
    return short, model


def check(seed, large=False):
    """Solve one path; return complaints, and a count of what may happen now and then."""
    X, y, penalty, options, eps = make_large(seed) if large else make(seed)
    kind, start = make_start(seed, X, y, penalty, options)
    counts = Counter({kind: 1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = sv.sparse_path(X, y, penalty, alphas=6, eps=eps, start=start, **options)
        complaints = judged(path, X, y, penalty, options, large)
        complaints += grid_complaints(path, X, y, penalty, options, eps)
        convex = isinstance(penalty, sv.L1)
        names = {"none"} if convex else {"given"} if kind in KINDS else {kind}
        if kind == "best" and not convex:
            names = {"previous", "lasso", "upwards"}
            complaints += above_others(path, X, y, penalty, options, eps)
        if not set(path.start) <= names:
            complaints.append(f"started from {kind}, says {sorted(set(path.start))}")
        counts["missed"] = int(np.sum(~path.converged))
        # A loose tolerance, or a path cut short, leaves room for more than one answer.
        exact = options.get("tol", 1e-6) <= 1e-6 and path.converged.all()
        if kind not in ("previous", "best") and not convex and exact:
            agreed = agrees(seed, path, X, y, penalty, {**options, "start": start})
            from_where = "lasso" if kind == "lasso" else "given"
            counts += Counter({f"compared, {from_where}": 1, f"agreed, {from_where}": agreed})
    return complaints, counts


def above_others(path, X, y, penalty, options, eps):
    """Return where the lowest of several starts is above one of them."""
    down = sv.sparse_path(X, y, penalty, alphas=path.alphas, start="previous", **options)
    lasso = sv.sparse_path(X, y, penalty, alphas=len(path), eps=eps, start="lasso", **options)
    complaints = [] if np.array_equal(lasso.alphas, path.alphas) else ["another grid than lasso's"]
    for name, other in (("previous", down), ("lasso", lasso)):
        margin = 2e-12 * np.abs(other.objective)  # a tie, and rounding
        for k in np.flatnonzero(path.objective > other.objective + margin):
            complaints.append(f"alpha {k}: best {path.objective[k]}, {name} {other.objective[k]}")
    return complaints


def agrees(seed, path, X, y, penalty, options):
    """Tell whether one alpha by itself, picked at random, ends where the path does."""
    k = int(np.random.default_rng([seed, 3]).integers(len(path)))
    short, model = alone(path, k, X, y, penalty, options)
    values = model.coef_[np.flatnonzero(model.coef_)]
    single = replace(path.points[k], values=values, objective=model.objective_)
    tol = options.get("tol", 1e-6)
    agree = [same_point(path.points[k], other, penalty, tol) for other in (short.points[0], single)]
    return int(all(agree))


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
    start, failures, done, total = time.time(), 0, 0, Counter()
    for seed in range(args.first, args.first + args.problems):
        complaints, counts = check(seed, args.large)
        done += 1
        total += counts
        if args.verbose and counts["missed"]:
            print(f"seed {seed}: {counts['missed']} points did not converge", flush=True)
        if args.verbose and counts["agreed, lasso"] < counts["compared, lasso"]:
            print(f"seed {seed}: one alpha by itself ends elsewhere", flush=True)
        if complaints:
            failures += 1
            print(f"seed {seed}: " + "; ".join(complaints), flush=True)
        if time.time() - start > 60 * args.minutes:
            break
    print(
        f"{done} paths, {failures} failures, {total['missed']} points that said they did not "
        f"converge, {time.time() - start:.0f} s"
    )
    for name in ("lasso", "given"):
        agreed, compared = (total[f"{what}, {name}"] for what in ("agreed", "compared"))
        print(f"one alpha by itself ended where the path did, {name}: {agreed} of {compared}")
    print("starts: " + ", ".join(f"{total[kind]} {kind}" for kind in (*NAMES, *KINDS)))
    raise SystemExit(failures > 0)


if __name__ == "__main__":
    main()
