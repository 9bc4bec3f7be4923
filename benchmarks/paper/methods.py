"""The methods that are compared: the paper's in NumPy, and the compiled engine."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from sparsieve import reference, sparse_path
from sparsieve.penalties import Penalty

from .scale import LibraryProblem

Array = npt.NDArray[np.float64]
Solve = Callable[..., reference.Result]

# alpha = 1e9, inner gap 1e-4, screening every 5 inner and 10 outer iterations are the defaults of
# `sparsieve.reference`, as in section 5.1 of the paper.
METHODS: dict[str, Solve] = {
    "ncvxCD": reference.ncvxcd,
    "GIST": reference.gist,
    "MM": reference.mm,
    "MM-genuine": reference.mm_genuine,
    "MM-screen": reference.mm_screen,
    "MM-exact": partial(reference.mm_screen, refresh_every=1),
    "MM-genuine printed": partial(reference.mm_genuine, rule="printed"),
    "MM-screen printed": partial(reference.mm_screen, rule="printed"),
}
LABELS = {
    "MM-exact": "MM, exact scores before every inner problem",
    "engine": "sparsieve engine (compiled)",
}


def reference_point(
    method: str, design: Any, y: Array, penalty: Penalty, lam: float, tol: float, w0: Array | None
) -> tuple[reference.Result, dict[str, Any]]:
    """Solve one grid point; return the result, and time and counted work for the record."""
    wall, cpu = perf_counter(), process_time()
    result = METHODS[method](design, y, penalty, lam, w0=w0, tol=tol)
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
    if result.history:
        record["screened"] = screening_totals(result)
    return result, record


def screening_totals(result: reference.Result) -> dict[str, int]:
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


def engine_path(problem: LibraryProblem, lambdas: Array, tol: float) -> tuple[Any, float, float]:
    """Solve a whole path with the compiled engine; return it with processor and wall seconds.

    The paper's tolerance is absolute, the engine's a fraction of slope(0): the largest lambda of
    the grid asks for the smallest fraction, and that one is used throughout.
    """
    alphas = lambdas * problem.per_lambda
    largest = float(problem.penalty.slope(0.0, alphas[0])) * problem.per_objective
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
            start="previous",  # as the methods it is compared with, and as strong a minimum
            minimum="stationary",
            n_jobs=1,
        )
        return path, process_time() - cpu, perf_counter() - wall
