"""Runs one task, point by point along its path, and lets the judge look at every point."""

from __future__ import annotations

from statistics import median
from typing import Any

import numpy as np

from sparsieve.reference.design import as_design

from .methods import engine_path, reference_point, trace
from .plan import ENGINE, TRACE, Task
from .problems import grid, load
from .scale import LibraryProblem, to_library

# The solvers and the judge add up X'r in different orders.
ROUNDING = 1.01
ENGINE_REPEATS = 3  # the engine's paths take milliseconds: the median of a few
LONG_ENOUGH = 0.5  # processor seconds of a path that needs no repetition


def run(task: Task, shared_points: int) -> dict[str, Any]:
    """Run one path and return its record.

    ``shared_points`` is how many grid points every other method of the cell has finished: the
    engine is also timed on these alone.
    """
    record: dict[str, Any] = {
        "panel": task.panel,
        "cell": task.cell(),
        "problem": task.problem.as_dict(),
        "penalty": task.penalty,
        "shape": task.shape,
        "n_lambdas": task.n_lambdas,
        "tol": task.tol,
        "method": task.method,
        "cap": task.cap,
    }
    runs = _run_engine(task, shared_points) if task.method == ENGINE else _run_reference(task)
    return record | runs


def _judged(problem: LibraryProblem, w: Any, lam: float, tol: float) -> dict[str, Any]:
    """Return what is recorded of any end point, recomputed from w alone."""
    value, violation = problem.judge(w, lam)
    return {
        "lam": lam,
        "objective": value,
        "violation": violation,
        "converged": bool(violation <= tol * ROUNDING),
        "support": int(np.count_nonzero(w)),
    }


def _run_reference(task: Task) -> dict[str, Any]:
    """Follow the path with warm starts until its end or until the cap."""
    X, y = load(task.problem)
    penalty, design = task.make_penalty(), as_design(X)
    problem = to_library(X, y, penalty)
    points: list[dict[str, Any]] = []
    w, spent = None, 0.0
    for lam in grid(X, y, float(penalty.slope(0.0, 1.0)), task.n_lambdas).tolist():
        if spent > task.cap:
            break
        result, cost = reference_point(task.method, design, y, penalty, lam, task.tol, w)
        w = result.w
        spent += cost["cpu"]
        if task.panel == TRACE:
            cost["trace"] = trace(result)
        points.append(_judged(problem, w, lam, task.tol) | cost)
    return {"points": points, "finished": len(points) == task.n_lambdas}


def _run_engine(task: Task, shared_points: int) -> dict[str, Any]:
    """Run the whole path, and the part of it that the other methods finished."""
    X, y = load(task.problem)
    penalty = task.make_penalty()
    problem = to_library(X, y, penalty)
    lambdas = grid(X, y, float(penalty.slope(0.0, 1.0)), task.n_lambdas)
    runs = _repeated(problem, lambdas, task.tol)
    path = runs[0][0]
    points = []
    for lam, alpha, passes in zip(lambdas.tolist(), path.alphas, path.passes, strict=True):
        row = _judged(problem, path.coef_at(alpha), lam, task.tol)
        points.append(row | {"columns": float(passes) * X.shape[1]})
    shared = lambdas[:shared_points]
    shared_runs = _repeated(problem, shared, task.tol)
    return {
        "points": points,
        "finished": True,
        "cpu": [run[1] for run in runs],
        "wall": [run[2] for run in runs],
        "shared": {
            "points": shared_points,
            "cpu": median(run[1] for run in shared_runs),
            "wall": median(run[2] for run in shared_runs),
        },
    }


def _repeated(problem: LibraryProblem, lambdas: Any, tol: float) -> list[tuple[Any, float, float]]:
    """Run the engine a few times, or once where that is long enough to be timed."""
    runs = [engine_path(problem, lambdas, tol)]
    while len(runs) < ENGINE_REPEATS and runs[0][1] < LONG_ENOUGH:
        runs.append(engine_path(problem, lambdas, tol))
    return runs
