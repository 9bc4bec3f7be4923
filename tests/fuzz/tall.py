"""Random tall tables, whose paths are proven by one Gram matrix of all columns.

Column means up to 1e15, scales over seven orders, columns equal or nearly so, sample weights over
300 orders, floats of both sizes, C and F order: one point of each path, and one of a fold that
is known by sums of rows with its mean squared error, are judged in extended
precision, in the words of ``tests.fuzz.certificates``. ``python -m tests.fuzz.tall --first SEED
--problems 1`` reproduces a failure.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
from tests.fuzz import certificates
from tests.fuzz.seeds import run_seeds

import sparsieve as sv
from sparsieve.data.validation import check_X_y
from sparsieve.selection import given_folds
from sparsieve.selection.fold_runs import problem_of
from sparsieve.selection.folds import Fold
from sparsieve.selection.given_folds import squared_errors, summed_folds
from sparsieve.solve.designs import keeps_all
from sparsieve.solve.problem import Problem
from sparsieve.solve.solvers import Solver
from sparsieve.solve.starts import FRACTION, Start

ALPHAS = 12


def draw(seed):
    """Return the problem of a seed, and the alphas of its path."""
    g = np.random.default_rng([seed, 22])
    n, d = int(g.integers(256, 450)), int(g.integers(8, 17))
    X = np.column_stack([certificates.draw_column(g, n) for _ in range(d)])
    for j in range(1, d):
        kind = g.integers(0, 12)
        if kind == 0:
            X[:, j] = X[:, g.integers(0, j)]
        elif kind == 1:
            X[:, j] = X[:, j - 1] + 10.0 ** g.uniform(-12, -1) * g.standard_normal(n)
        elif kind == 2:
            X[:, j] = X[0, j]
        elif kind == 3:
            X[:, j] += X[:, j - 1]
    X = np.asarray(
        X, dtype=np.float32 if g.random() < 0.15 else np.float64, order=g.choice(["C", "F"])
    )
    options = {
        "fit_intercept": bool(g.random() < 0.8),
        "positive": bool(g.random() < 0.1),
        "tol": float(g.choice([1e-6, 1e-6, 1e-4, 1e-9])),
        "minimum": "stationary" if g.random() < 0.5 else "swap",
    }
    problem = certificates.Drawn(
        X, np.zeros(n), certificates.draw_weights(g, n), certificates.draw_penalty(g), 1.0, options
    )
    centred, _, omega = certificates.judge_data(problem)
    w = g.choice([-2.0, -1.0, 0.0, 0.0, 1.0, 2.0], d)
    signal = (centred @ w).astype(float)
    spread = float(np.sqrt(omega @ (signal - float(omega @ signal)) ** 2))
    y = signal + spread * g.choice([0.0, 0.1, 1.0]) * g.standard_normal(n)
    if g.random() < 0.3:
        y = y + np.round(10.0 ** g.uniform(0, 15))
    problem = problem._replace(y=y)
    _, target, _ = certificates.judge_data(problem)
    largest = float(np.max(np.abs((omega * target) @ centred)))
    level = float(np.asarray(problem.penalty.slope(np.zeros(1), np.ones(1)))[0])
    alphas = largest / level * np.geomspace(1.0, 10.0 ** g.uniform(-4, -1), ALPHAS)
    usable = np.all(np.isfinite(alphas)) and alphas[-1] > 1e-140
    return (
        problem,
        alphas if usable else np.geomspace(1.0, 0.01, ALPHAS),
        int(g.integers(0, ALPHAS)),
    )


def check(seed, seen):
    """Return what is wrong with one point of the path of a seed; count what was claimed."""
    problem, alphas, chosen = draw(seed)
    data = check_X_y(problem.X, problem.y, sample_weight=problem.weight)
    assert keeps_all(Problem(data), ALPHAS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            path = sv.sparse_path(
                problem.X,
                problem.y,
                problem.penalty,
                alphas=alphas,
                sample_weight=problem.weight,
                standardize=False,
                start="previous" if seed % 2 else "lasso",
                **problem.options,
            )
        except ValueError as error:
            seen["refused"] += 1
            return [] if "power of ten" in str(error) else [("wrong", f"refused: {error}")]
        point = path.points[chosen]
        convex = isinstance(problem.penalty, sv.L1)
        said = SimpleNamespace(
            kkt=point.kkt,
            converged=point.converged,
            tol=problem.options["tol"],
            objective=point.objective,
            lower_bound=point.objective - point.dual_gap if convex else None,
            strict_minimum=point.convex,
        )
        coef = np.zeros(problem.X.shape[1])
        coef[point.columns] = point.values
        model = SimpleNamespace(coef_=coef, intercept_=point.intercept, certificate_=said)
        with np.errstate(all="ignore"):
            wrong = certificates.words_about(
                problem._replace(alpha=float(path.alphas[chosen])), model, seed
            )
    seen["certified" if said.converged else "not certified"] += 1
    seen["by products"] += path.passes[1:].max(initial=0.0) == 0.0
    return wrong


def check_fold(seed, seen):
    """Return what is wrong with one fold that is known by sums of rows: a point and its score."""
    problem, alphas, chosen = draw(seed)
    g = np.random.default_rng([seed, 23])
    n, count = len(problem.y), int(g.integers(2, 7))
    order = g.permutation(n) if g.random() < 0.7 else np.arange(n)
    parts = [np.sort(part) for part in np.array_split(order, count)]
    k = int(g.integers(0, count))
    train, test = np.sort(np.concatenate(parts[:k] + parts[k + 1 :])), parts[k]
    options = {name: problem.options[name] for name in ("fit_intercept", "positive", "minimum")}
    model = sv.SparseRegressorCV(problem.penalty, standardize=False, **options)
    whole = model._problem(problem.X, problem.y, problem.weight, None, 1.0)
    folds = [Fold(np.setdiff1d(order, part), part) for part in parts]
    with patch.object(given_folds, "_FEWEST", 0):
        summed = summed_folds(whole, folds, ALPHAS)
    if summed is folds:
        seen["folds by rows"] += 1
        return []
    own = problem_of(summed[k].train, whole)
    tol = problem.options["tol"]
    try:
        solver = Solver(own, problem.penalty, n_alphas=ALPHAS)
        begin = Start("previous" if seed % 2 else "lasso", FRACTION).suited(problem.penalty).begin
        fits = solver.fits(alphas, tol, 10_000, begin)
    except ValueError as error:
        return [] if "power of ten" in str(error) else [("wrong", f"refused: {error}")]
    columns, values, intercept = list(fits.each())[chosen]
    seen["folds proven" if fits.converged.all() else "folds not proven"] += 1
    weight = problem.weight if problem.weight is None else problem.weight[train]
    fitted = problem._replace(
        X=problem.X[train], y=problem.y[train], weight=weight, alpha=float(alphas[chosen])
    )
    coef = np.zeros(problem.X.shape[1])
    coef[columns] = values
    said = SimpleNamespace(
        kkt=float(fits.kkt[chosen]),
        converged=bool(fits.converged[chosen]),
        tol=tol,
        objective=float(fits.objective[chosen]),
        lower_bound=None,
        strict_minimum=False,
    )
    fold = SimpleNamespace(coef_=coef, intercept_=intercept, certificate_=said)
    with np.errstate(all="ignore"):
        wrong = certificates.words_about(fitted, fold, seed)
        wrong += score_words(
            problem, test, coef, intercept, squared_errors(fits, summed[k].test), chosen
        )
    # A fold that is not proven is solved from its rows: what it cannot prove is no news.
    return [each for each in wrong if each[0] != "alarm"]


def score_words(problem, test, coef, intercept, scores, chosen):
    """Return what is wrong with the mean squared error of a fold, off by more than it says."""
    mse, unsure = (float(part[chosen]) for part in scores)
    X = np.asarray(problem.X[test], dtype=certificates.LONG)
    r = problem.y[test] - X @ coef.astype(certificates.LONG) - certificates.LONG(intercept)
    weight = np.ones(test.size) if problem.weight is None else problem.weight[test]
    omega = weight.astype(certificates.LONG) / np.sum(weight.astype(certificates.LONG))
    exact = omega @ r**2
    # The residuals of the judge are rounded, too.
    reach = np.abs(problem.y[test]) + np.abs(X) @ np.abs(coef) + abs(intercept)
    off = certificates.UNIT * 2 * (coef.size + 4) * reach
    noise = omega @ (2 * np.abs(r) * off + off**2) + certificates.EPS * exact
    if not abs(mse - exact) <= unsure + noise:
        return [("wrong", f"error {mse!r} +- {unsure:.3g}, the judge has {float(exact)!r}")]
    return []


def check_both(seed, seen):
    """Return what is wrong with a point of the path of a seed, or with one of its folds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return check(seed, seen) + check_fold(seed, seen)


def complaints_of(seed):
    """Return what is wrong with a point of the path of a seed, or with one of its folds."""
    return [f"{kind}: {text}" for kind, text in check_both(seed, Counter())]


def main() -> int:
    """Run, print failures and counts; 1 if there were failures."""
    seen: Counter[str] = Counter()
    run = run_seeds(
        __doc__.splitlines()[0],
        lambda seed: [f"seed {seed}, {kind}: {text}" for kind, text in check_both(seed, seen)],
    )
    print(f"{run.problems} problems, {run.failures} failures, {run.seconds:.0f} s; {dict(seen)}")
    return int(run.failures > 0)


if __name__ == "__main__":
    sys.exit(main())
