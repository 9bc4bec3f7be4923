"""The methods that are compared: the paper's in NumPy and compiled, and the engine."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from sparsieve import LogSum, reference, sparse_path
from sparsieve.penalties import Penalty
from sparsieve.reference.design import as_design

from . import twin
from .arms import Arm
from .plan import BEST, TWIN
from .scale import LibraryProblem

Array = npt.NDArray[np.float64]
Screened = dict[str, int]  # coordinates screened, by who screened them
Answer = tuple[reference.Result, Screened]
#: Solves at one lambda from a start, within so many processor seconds.
Solve = Callable[[Penalty, float, "Array | None", float], Answer]

# Names in the experiments -> function of `sparsieve.reference`, and its settings. alpha = 1e9,
# inner gap 1e-4, screening every 5 inner and 10 outer iterations are the defaults, as in the paper.
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "ncvxCD": ("ncvxcd", {}),
    "GIST": ("gist", {}),
    "MM": ("mm", {}),
    "MM-genuine": ("mm_genuine", {}),
    "MM-screen": ("mm_screen", {}),
    "MM-exact": ("mm_screen", {"refresh_every": 1}),
    "MM-genuine printed": ("mm_genuine", {"rule": "printed"}),
    "MM-screen printed": ("mm_screen", {"rule": "printed"}),
}


def solver_of(method: str, arm: Arm, language: str, X: Any, y: Array, tol: float) -> Solve:
    """Return how one method solves at one lambda, in NumPy or compiled."""
    name, own = METHODS[method]
    settings = arm.settings(name) | own | {"tol": tol}
    if language == TWIN:
        columns = twin.TwinDesign(X)

        def compiled(penalty: Penalty, lam: float, w0: Array | None, seconds: float) -> Answer:
            if not isinstance(penalty, LogSum):
                raise TypeError(f"the twin knows LogSum only, got {penalty!r}")
            theta = penalty.theta
            return twin.solve(name, columns, y, theta, lam, w0=w0, seconds=seconds, **settings)

        return compiled
    design, solve = as_design(X), getattr(reference, name)

    def in_numpy(penalty: Penalty, lam: float, w0: Array | None, seconds: float) -> Answer:
        result = solve(design, y, penalty, lam, w0=w0, **settings)
        return result, screening_totals(result)

    return in_numpy


def timed_point(
    solve: Solve, penalty: Penalty, lam: float, w0: Array | None, seconds: float
) -> tuple[reference.Result, dict[str, Any]]:
    """Solve one grid point; return the result, and time and counted work for the record."""
    wall, cpu = perf_counter(), process_time()
    result, screened = solve(penalty, lam, w0, seconds)
    cpu, wall = process_time() - cpu, perf_counter() - wall
    work = result.work
    record: dict[str, Any] = {
        "cpu": cpu,
        "wall": wall,
        "n_outer": result.n_outer,
        "visits": work.visits,
        "updates": work.updates,
        "correlations": work.correlations,
        "columns": work.column_operations,
    }
    if any(screened.values()):
        record["screened"] = screened
    return result, record


def screening_totals(result: reference.Result) -> Screened:
    """Return coordinates screened, summed over the outer iterations, by who screened them."""
    rows = result.history
    return {
        "gap_before": sum(row.screened_before for row in rows if row.rule == "gap"),
        "propagation": sum(row.screened_before for row in rows if row.rule == "propagation"),
        "gap_inside": sum(row.screened_inside for row in rows),
    }


def trace(result: reference.Result) -> list[dict[str, Any]]:
    """Return, for each outer iteration, how many coordinates were screened and by whom."""
    return [
        {"rule": row.rule, "before": row.screened_before, "inside": row.screened_inside}
        for row in result.history
    ]


def engine_path(
    problem: LibraryProblem, lambdas: Array, tol: float, method: str
) -> tuple[Any, float, float]:
    """Solve a whole path with the compiled engine; return it with processor and wall seconds.

    The paper's tolerance is absolute, the engine's a fraction of slope(0): the largest lambda of
    the grid asks for the smallest fraction, and that one is used throughout.
    """
    alphas = lambdas * problem.per_lambda
    largest = float(problem.penalty.slope(0.0, alphas[0])) * problem.per_objective
    chosen: dict[str, Any] = {"start": "best", "minimum": "swap"} if method == BEST else {}
    with warnings.catch_warnings():
        # whether a point has converged is for the judge to say
        warnings.simplefilter("ignore", ConvergenceWarning)
        wall, cpu = perf_counter(), process_time()
        path = sparse_path(
            problem.X,
            problem.y,
            problem.penalty,
            alphas=alphas,
            fit_intercept=False,
            tol=tol / largest,
            n_jobs=1,
            **chosen,
        )
        return path, process_time() - cpu, perf_counter() - wall
