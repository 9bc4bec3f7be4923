"""How often does each rule find the true support? The table of docs/selection.md.

``python -m benchmarks.selection.recovery`` draws the paper's larger toy problem with 5, 10 and 20
active features, 20 seeds each, and prints a table in Markdown (it takes about ten minutes): the
fraction of seeds on which the support is exactly the true one, false and missed features, and the
estimation error ||w - w*|| / ||w*||.
Every rule sees the columns divided by their standard deviation, as one does before penalising;
``--raw`` leaves them as the toy makes them, with variance 4.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV

import sparsieve as sv

GRID = {"alphas": 100, "eps": 1e-2}


def rules(raw):
    """Return the ways to choose a model, by name."""
    shapes = sv.shape_grid("mcp", column_scale=2.0 if raw else 1.0)
    return {
        "LassoCV (scikit-learn)": lambda: LassoCV(cv=5, max_iter=5000, **GRID),
        "L1, 1se": lambda: sv.SparseRegressorCV("l1", cv=5, rule="1se", **GRID),
        "MCP, min": lambda: sv.SparseRegressorCV("mcp", cv=5, **GRID),
        "MCP, 1se": lambda: sv.SparseRegressorCV("mcp", cv=5, rule="1se", **GRID),
        "MCP, 6 shapes, 1se": lambda: sv.SparseRegressorCV(shapes, cv=5, rule="1se", **GRID),
        "L1, EBIC": lambda: sv.SparseRegressorIC("l1", **GRID),
        "MCP, EBIC": lambda: sv.SparseRegressorIC("mcp", **GRID),
        "MCP, 6 shapes, EBIC": lambda: sv.SparseRegressorIC(shapes, **GRID),
    }


def judge(coef, truth):
    """Return exact recovery, false and missed features, and the relative estimation error."""
    chosen, active = coef != 0, truth != 0
    false, missed = int(np.sum(chosen & ~active)), int(np.sum(~chosen & active))
    error = float(np.linalg.norm(coef - truth) / np.linalg.norm(truth))
    return float(false == missed == 0), false, missed, error


def recovered(make, X, y, truth, raw):
    """Fit a rule and judge its coefficients, in the units of X."""
    scale = 1.0 if raw else X.std(axis=0)
    return judge(make().fit(np.asfortranarray(X / scale), y).coef_ / scale, truth)


def run(n_samples, n_features, noise, actives, seeds, wanted, raw):
    columns = "raw" if raw else "standardised"
    print(f"n = {n_samples}, d = {n_features}, noise {noise}, {seeds} seeds, {columns} columns\n")
    print("| rule | active | recovered | false | missed | error | seconds |")
    print("|---|---|---|---|---|---|---|")
    for active in actives:
        problems = [
            sv.datasets.make_toy(n_samples, n_features, active, noise, random_state=seed)
            for seed in range(seeds)
        ]
        for name, make in rules(raw).items():
            if wanted and name not in wanted:
                continue
            start = time.process_time()
            found = [recovered(make, *problem, raw) for problem in problems]
            seconds = (time.process_time() - start) / seeds
            exact, false, missed, error = np.mean(found, axis=0)
            print(
                f"| {name} | {active} | {exact:.0%} | {false:.1f} | {missed:.1f} | {error:.3f} "
                f"| {seconds:.2f} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--features", type=int, default=5000)
    parser.add_argument("--noise", type=float, default=2.0)
    parser.add_argument("--active", type=int, nargs="+", default=[5, 10, 20])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--rules", nargs="+", metavar="NAME", help="only these, by name")
    parser.add_argument("--raw", action="store_true", help="do not standardise the columns")
    options = parser.parse_args()
    # scikit-learn's path misses its own tolerance at the far end; its choice does not depend on it.
    warnings.simplefilter("ignore", ConvergenceWarning)
    run(
        options.samples,
        options.features,
        options.noise,
        options.active,
        options.seeds,
        options.rules,
        options.raw,
    )


if __name__ == "__main__":
    main()
