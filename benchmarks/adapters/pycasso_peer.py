"""pycasso (PICASSO 2): L1, MCP and SCAD.

Quirks: it standardises by default with n - 1 and then reports in the original scale, which
changes the problem that MCP and SCAD solve, so standardize=False; X is copied to C order (twice)
by its constructor, which is part of any use and is timed; prec bounds the change of the
objective, not a violation; MCP asks gamma > 1, SCAD gamma > 2; a path ends without a word once
99.9 % of the deviance is explained, and no option prevents that; dense only.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np

from benchmarks.adapters.base import Adapter, Solution


class Pycasso(Adapter):
    """Active-set coordinate descent in C++."""

    name = "pycasso"
    module = "pycasso"
    requirements = ("pycasso==2.0.1",)
    penalties = frozenset({"l1", "mcp", "scad"})
    tolerances = (1e-2, 1e-18)
    other_losses: ClassVar[dict[str, frozenset[str]]] = {
        "logistic": frozenset({"l1", "mcp", "scad"}),
        "poisson": frozenset({"l1", "mcp", "scad"}),
    }

    def version(self) -> str:
        from importlib.metadata import version

        import pycasso  # noqa: F401 - the import is what a cold start pays for

        return version("pycasso")

    def prepare(self, X: Any, y: np.ndarray, threads: int) -> None:
        self.X, self.y = np.ascontiguousarray(X), y

    def solve(self, kind: str, shape: float | None, alphas: np.ndarray, tol: float) -> Solution:
        import pycasso

        family = {"squared": "gaussian", "logistic": "binomial", "poisson": "poisson"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solver = pycasso.Solver(
                self.X,
                self.y,
                lambdas=alphas,
                family=family[self.loss],
                penalty=kind,
                gamma=3.0 if shape is None else shape,
                useintercept=False,
                standardize=False,
                prec=tol,
                max_ite=1_000_000,
            )
            solver.train()
        beta = solver.coef()["beta"]
        if len(beta) < len(alphas):
            raise RuntimeError(f"path cut short after {len(beta)} of {len(alphas)} alphas")
        return Solution(beta.T)


ADAPTERS: dict[str, type[Adapter]] = {"pycasso": Pycasso}
