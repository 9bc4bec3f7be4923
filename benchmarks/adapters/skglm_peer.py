"""skglm: ``AndersonCD.path`` with the L1, MCP, SCAD and log-sum penalties.

Quirks: tol is absolute, on the distance of the gradient to the subdifferential, so tolerances are
handed over in units of max_j |x_j'y|/n; there is no estimator for SCAD and log-sum, hence solver,
datafit and penalty are put together by hand for all four; everything is compiled by numba at
first use (10 to 20 seconds, paid before the clock starts here and shown in the cold-start
column); nothing is said when max_iter runs out; CSC indices must be 32-bit.
Logistic paths with L1 and Poisson paths take ProxNewton, from one alpha to the next; others take
AndersonCD, as squares do.
"""

from __future__ import annotations

from typing import Any, ClassVar

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
    other_losses: ClassVar[dict[str, frozenset[str]]] = {
        "logistic": frozenset({"l1", "mcp", "scad", "logsum"}),
        "poisson": frozenset({"l1", "mcp", "scad", "logsum"}),
    }

    def version(self) -> str:
        import skglm

        return str(skglm.__version__)

    def prepare(self, X: Any, y: np.ndarray, threads: int) -> None:
        self.X, self.y = X, y.astype(X.dtype)  # both need the same type
        v = self.y - {"logistic": 0.5, "poisson": 1.0}.get(self.loss, 0.0)
        self.scale = float(np.abs(X.T @ v).max()) / X.shape[0]
        if self.loss == "logistic":
            self.y = (2.0 * self.y - 1.0).astype(X.dtype)

    def solve(self, kind: str, shape: float | None, alphas: np.ndarray, tol: float) -> Solution:
        from skglm.datafits import Logistic, Poisson, Quadratic
        from skglm.penalties import L1, SCAD, LogSumPenalty, MCPenalty
        from skglm.solvers import AndersonCD, ProxNewton
        from skglm.utils.jit_compilation import compiled_clone

        make = {
            "l1": lambda: L1(1.0),
            "mcp": lambda: MCPenalty(1.0, shape),
            "scad": lambda: SCAD(1.0, shape),
            "logsum": lambda: LogSumPenalty(1.0, shape),
        }
        fit = {"logistic": Logistic, "poisson": Poisson}.get(self.loss, Quadratic)
        datafit, made = compiled_clone(fit()), compiled_clone(make[kind]())
        if self.loss == "poisson" or (self.loss == "logistic" and kind == "l1"):
            newton = ProxNewton(
                max_iter=1000, max_pn_iter=10_000, tol=tol * self.scale, fit_intercept=False
            )
            return self._walk(newton, datafit, made, alphas)
        solver = AndersonCD(
            max_iter=1000, max_epochs=1_000_000, tol=tol * self.scale, fit_intercept=False
        )
        return Solution(solver.path(self.X, self.y, datafit, made, alphas)[1])

    def _walk(self, solver: Any, datafit: Any, penalty: Any, alphas: np.ndarray) -> Solution:
        """Solve for one alpha after the other, each from the one before."""
        coefs = np.zeros((self.X.shape[1], len(alphas)))
        w, eta = np.zeros(self.X.shape[1], self.X.dtype), np.zeros(len(self.y), self.X.dtype)
        for k, alpha in enumerate(alphas):
            penalty.alpha = alpha
            w = solver.solve(self.X, self.y, datafit, penalty, w, eta)[0].copy()
            eta = self.X @ w
            coefs[:, k] = w
        return Solution(coefs)


ADAPTERS: dict[str, type[Adapter]] = {"skglm": Skglm}
