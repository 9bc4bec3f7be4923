"""Runs one task, point by point along its path, and lets the judge look at every point."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np

from .arms import ARMS, CODE_THETAS, code_grid, text_grid
from .methods import Solve, engine_path, solver_of, timed_point, trace
from .plan import ENGINES, TRACE, Task
from .problems import load
from .scale import LibraryProblem, to_library
from .twin import OutOfTimeError

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
        "arm": task.arm,
        "language": task.language,
    }
    runs = _run_engine(task, shared_points) if task.method in ENGINES else _run_reference(task)
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


def lambdas_of(task: Task, theta: float | None = None) -> Any:
    """Return the grid of a task, or that of another shape of the penalty in the same arm."""
    X, y = load(task.problem)
    correlations = np.asarray(X.T @ y)
    if ARMS[task.arm].code_grid:
        return code_grid(correlations, task.shape if theta is None else theta, task.n_lambdas)
    return text_grid(correlations, float(task.make_penalty().slope(0.0, 1.0)), task.n_lambdas)


def first_start(task: Task, solve: Solve) -> Any:
    """Return where a path begins: at zero, or as the authors' program does.

    There the first lambda of a shape begins at the first lambda of the shape visited before it.
    """
    w = None
    if ARMS[task.arm].code_grid:
        for theta in CODE_THETAS[: CODE_THETAS.index(task.shape)]:
            penalty = replace(task, shape=theta).make_penalty()
            w = solve(penalty, float(lambdas_of(task, theta)[0]), w, task.cap)[0].w
    return w


def _run_reference(task: Task) -> dict[str, Any]:
    """Follow the path with warm starts until its end or until the cap."""
    X, y = load(task.problem)
    penalty = task.make_penalty()
    problem = to_library(X, y, penalty)
    solve = solver_of(task.method, ARMS[task.arm], task.language, X, y, task.tol)
    points: list[dict[str, Any]] = []
    spent = 0.0
    try:
        w = first_start(task, solve)
        for lam in lambdas_of(task).tolist():
            if spent > task.cap:
                break
            result, cost = timed_point(solve, penalty, lam, w, task.cap - spent)
            w = result.w
            spent += cost["cpu"]
            if task.panel == TRACE:
                cost["trace"] = trace(result)
            # what the solver itself takes for a solution: its test may be another than the judge's
            cost["stopped"] = result.converged
            points.append(_judged(problem, w, lam, task.tol) | cost)
    except OutOfTimeError:  # within a point: the path ends before it
        pass
    return {"points": points, "finished": len(points) == task.n_lambdas}


def _run_engine(task: Task, shared_points: int) -> dict[str, Any]:
    """Run the whole path, and the part of it that the other methods finished."""
    X, y = load(task.problem)
    penalty = task.make_penalty()
    problem = to_library(X, y, penalty)
    lambdas = lambdas_of(task)
    runs = _repeated(problem, lambdas, task)
    path = runs[0][0]
    points = []
    for lam, alpha, passes in zip(lambdas.tolist(), path.alphas, path.passes, strict=True):
        row = _judged(problem, path.coef_at(alpha), lam, task.tol)
        points.append(row | {"columns": float(passes) * X.shape[1]})
    shared = lambdas[:shared_points]
    shared_runs = runs if shared.size == lambdas.size else _repeated(problem, shared, task)
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


def _repeated(problem: LibraryProblem, lambdas: Any, task: Task) -> list[tuple[Any, float, float]]:
    """Run the engine a few times, or once where that is long enough to be timed."""
    runs = [engine_path(problem, lambdas, task.tol, task.method)]
    while len(runs) < ENGINE_REPEATS and runs[0][1] < LONG_ENOUGH:
        runs.append(engine_path(problem, lambdas, task.tol, task.method))
    return runs
