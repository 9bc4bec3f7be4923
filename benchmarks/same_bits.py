"""Whether ``start="previous"`` is what a base commit did, to the last bit.

    python -m benchmarks.same_bits <base> [--head <commit or .>]

Both commits are built into environments of their own and make the same calls: paths, fits,
cross-validations, criteria, surfaces, stability selections and local minima, of every penalty, on
dense and sparse data in both precisions, with weights and constraints. Every number they return is
compared by its bits. A base that knows no starts is called without one. The exit status is 1 when
anything differs.
"""

from __future__ import annotations

import argparse
import inspect
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

ROOT = Path(__file__).resolve().parent.parent
_PATH = ("alphas", "intercepts", "objective", "kkt", "dual_gap", "r2", "n_iter", "passes", "convex")
_MODEL = ("coef_", "intercept_", "objective_", "kkt_", "dual_gap_")


class Geman:
    """A user's own penalty."""

    def value(self, abs_w: Any, alpha: Any) -> Any:
        return alpha * abs_w / (1 + abs_w)

    def slope(self, abs_w: Any, alpha: Any) -> Any:
        return alpha / (1 + abs_w) ** 2


def designs() -> Iterator[tuple[str, Any, np.ndarray]]:
    """Yield name, X and y of every kind of data."""
    for name, n, d, rho, active in (
        ("tall", 200, 40, 0.5, 8),
        ("wide", 120, 900, 0.9, 12),
        ("short", 30, 120, 0.7, 6),
    ):
        rng = np.random.default_rng(n)
        X = rng.standard_normal((n, d))
        for j in range(1, d):
            X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
        X = np.asfortranarray(X + 0.2)
        y = X[:, rng.choice(d, active, replace=False)].sum(axis=1) + rng.standard_normal(n)
        yield name, X, y
        yield f"{name}, float32", X.astype(np.float32), y
        few = np.where(rng.random(X.shape) < 0.2, X, 0.0)
        yield f"{name}, csc", sparse.csc_array(few), y
    rng = np.random.default_rng(0)
    X = sparse.random_array((500, 3000), density=0.01, rng=rng, format="csc")
    yield "large supports, csc", X, X[:, :200] @ rng.standard_normal(200) + rng.standard_normal(500)
    yield "large supports, csc float32", X.astype(np.float32), X[:, :200].sum(axis=1)
    X = rng.standard_normal((60, 40))
    X[:, 5], X[:, 6], X[:, 7], X[:, 8] = 0.0, 3.0, X[:, 4], 1e-6 * X[:, 9]
    yield "odd columns", np.asfortranarray(X), X[:, :5].sum(axis=1) + rng.standard_normal(60)


def options_for(X: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield weights and constraints."""
    n, d = X.shape
    rng = np.random.default_rng(d)
    weights = rng.uniform(0.5, 2.0, d)
    weights[: d // 10] = np.inf
    weights[-2:] = 0.0
    yield "plain", {}
    yield "no intercept", {"fit_intercept": False}
    yield "weights", {"weights": weights}
    yield "positive", {"positive": True}
    yield "sample weights", {"sample_weight": rng.uniform(0.0, 2.0, n)}


def record(file: Path) -> None:
    """Make every call and write what it returns."""
    import sparsieve as sv

    def call(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        known = inspect.signature(function).parameters
        before = {"start": "previous", "minimum": "stationary"}
        options |= {name: value for name, value in before.items() if name in known}
        return function(*args, **options)

    out: dict[str, np.ndarray] = {}

    def keep(key: str, result: Any) -> None:
        for attribute in _PATH if hasattr(result, "points") else _MODEL:
            if hasattr(result, attribute):
                out[f"{key}: {attribute}"] = np.asarray(getattr(result, attribute))
        if hasattr(result, "coefs"):
            coefs = result.coefs
            out[f"{key}: coefs"] = coefs.toarray() if sparse.issparse(coefs) else coefs

    penalties = [sv.L1(), sv.LogSum(0.1), sv.MCP(), sv.SCAD(), sv.CappedL1(), sv.Lq(), Geman()]
    for data, X, y in designs():
        alpha = [0.3 * sv.alpha_max(X, y, penalty) for penalty in penalties]
        for penalty, single in zip(penalties, alpha, strict=True):
            name = f"{data}, {type(penalty).__name__}"
            for case, options in options_for(X):
                key = f"{name}, {case}"
                path = call(sv.sparse_path, X, y, penalty, alphas=25, eps=0.02, **options)
                keep(f"path, {key}", path)
                fit = {k: v for k, v in options.items() if k != "sample_weight"}
                weight = options.get("sample_weight")
                model = call(sv.SparseRegressor, penalty, single, **fit, warm_start=True)
                keep(f"fit, {key}", model.fit(X, y, sample_weight=weight))
                model.set_params(alpha=0.5 * single)
                keep(f"second fit, {key}", model.fit(X, y, sample_weight=weight))
            given = call(sv.sparse_path, X, y, penalty, alphas=[single, 0.1 * single], shadow=False)
            keep(f"given alphas, {name}", given)
            loose = {"alphas": 30, "tol": 1e-3, "tol_relative_to": "path", "max_support": 40}
            keep(f"loose path, {name}", call(sv.sparse_path, X, y, penalty, n_jobs=2, **loose))
        several = [sv.L1(), sv.MCP(), sv.LogSum(0.1)]
        model = call(sv.SparseRegressorCV, several, alphas=15, eps=0.05, cv=3).fit(X, y)
        keep(f"cross-validation, {data}", model)
        out[f"cross-validation, {data}: mse"] = model.mse_path_
        model = call(sv.SparseRegressorIC, several, alphas=15, eps=0.05).fit(X, y)
        keep(f"criterion, {data}", model)
        out[f"criterion, {data}: criterion"] = model.criterion_
        for warm in ("alpha", "shape", "both"):
            shapes = {"shapes": [10.0, 3.0, 1.5], "alphas": 12, "eps": 0.05, "warm": warm}
            for k, path in enumerate(call(sv.sparse_surface, X, y, "mcp", **shapes)):
                keep(f"surface {k}, warm={warm}, {data}", path)
        for penalty in (sv.L1(), sv.SCAD(), sv.LogSum(0.1)):
            halves = {"n_pairs": 3, "alphas": 30, "random_state": 0}
            found = call(sv.stability_selection, X, y, penalty, **halves)
            out[f"stability, {data}, {type(penalty).__name__}"] = found.frequencies
        starts = ("zero", "path", "lasso", "ridge", "reverse", "shape")
        minima = sv.local_minima(X, y, "mcp", alpha=alpha[2], starts=starts)
        out[f"local minima, {data}"] = minima.objective
    np.savez(file, **{key.replace("/", " "): value for key, value in out.items()})


def run(python: str, file: Path) -> dict[str, np.ndarray]:
    """Make the calls with the library of an environment."""
    command = [python, "-m", "benchmarks.same_bits", "--record", str(file)]
    subprocess.run(command, cwd=ROOT, check=True)
    with np.load(file) as stored:
        return {key: stored[key] for key in stored.files}


def differences(base: dict[str, np.ndarray], head: dict[str, np.ndarray]) -> list[str]:
    """Return the names of what is not the same, and by how much."""
    found = [f"{key}: on one side only" for key in base.keys() ^ head.keys()]
    for key in base.keys() & head.keys():
        one, other = base[key], head[key]
        if one.shape != other.shape:
            found.append(f"{key}: {one.shape} became {other.shape}")
        elif one.tobytes() != other.tobytes():
            apart = np.max(np.abs(one.astype(float) - other.astype(float)))
            found.append(f"{key}: differs by up to {apart:.3g}")
    return sorted(found)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.same_bits", description=__doc__)
    parser.add_argument("base", nargs="?", help="a commit")
    parser.add_argument("--head", default=".", help="a commit, or . for the files as they are")
    parser.add_argument(
        "--pythons", nargs=2, metavar=("BASE", "HEAD"), help="interpreters that have the library"
    )
    parser.add_argument("--record", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.record:
        warnings.simplefilter("ignore")
        record(arguments.record)
        return
    if arguments.pythons:
        pythons = arguments.pythons
    elif arguments.base:
        from benchmarks.compare.sides import build

        sides = (("base", arguments.base), ("head", arguments.head))
        pythons = [build(commit, side)[0] for side, commit in sides]
    else:
        parser.error("name a commit to compare with")
    with tempfile.TemporaryDirectory(prefix="same-bits-") as folder:
        base, head = (run(python, Path(folder) / f"{k}.npz") for k, python in enumerate(pythons))
    found = differences(base, head)
    print("\n".join(found) or "no bit differs")
    print(
        f"{len(found)} of {len(base)} arrays differ, {sum(a.size for a in base.values())} numbers"
    )
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
