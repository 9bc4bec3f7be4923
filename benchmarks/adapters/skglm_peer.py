"""skglm: ``AndersonCD.path`` with the L1, MCP, SCAD and log-sum penalties.

Quirks: tol is absolute, on the distance of the gradient to the subdifferential, so tolerances are
handed over in units of max_j |x_j'y|/n; there is no estimator for SCAD and log-sum, hence solver,
datafit and penalty are put together by hand for all four; everything is compiled by numba at
first use (10 to 20 seconds, paid before the clock starts here and shown in the cold-start
column); nothing is said when max_iter runs out; CSC indices must be 32-bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.adapters.base import Adapter, Solution


class Skglm(Adapter):
    """Working sets and Anderson-accelerated coordinate descent."""

    name = "skglm"
    module = "skglm"
    requirements = ("skglm==0.5",)
    penalties = frozenset({"l1", "mcp", "scad", "logsum"})
    takes_sparse = True
    tolerances = (1e-1, 1e-10)

    def version(self) -> str:
        import skglm

        return str(skglm.__version__)

    def prepare(self, X: Any, y: np.ndarray, threads: int) -> None:
        self.X, self.y = X, y.astype(X.dtype)  # both need the same type
        self.scale = float(np.abs(X.T @ y).max()) / X.shape[0]

    def solve(self, kind: str, shape: float | None, alphas: np.ndarray, tol: float) -> Solution:
        from skglm.datafits import Quadratic
        from skglm.penalties import L1, SCAD, LogSumPenalty, MCPenalty
        from skglm.solvers import AndersonCD
        from skglm.utils.jit_compilation import compiled_clone

        make = {
            "l1": lambda: L1(1.0),
            "mcp": lambda: MCPenalty(1.0, shape),
            "scad": lambda: SCAD(1.0, shape),
            "logsum": lambda: LogSumPenalty(1.0, shape),
        }
        solver = AndersonCD(
            max_iter=1000, max_epochs=1_000_000, tol=tol * self.scale, fit_intercept=False
        )
        path = solver.path(
            self.X, self.y, compiled_clone(Quadratic()), compiled_clone(make[kind]()), alphas
        )
        return Solution(path[1])


ADAPTERS: dict[str, type[Adapter]] = {"skglm": Skglm}
