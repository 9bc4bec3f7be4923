"""skein-glm: the path regressors for L1 (elastic net with alpha = 1), MCP and SCAD.

Quirks: on columns that do not have unit variance it solves MCP and SCAD with a shape scaled per
column, which is another problem than documented, so the judge finds it inaccurate on raw columns
at every tol; tol bounds the change of the coefficients in one iteration; max_iter (100) is
raised; nothing is said when it runs out. Other losses
have an outer loop with an outer_tol, which is given the same value. Threads follow
RAYON_NUM_THREADS.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from benchmarks.adapters.base import Adapter, Solution


class Skein(Adapter):
    """Strong rules and Anderson-accelerated coordinate descent in Rust."""

    name = "skein-glm"
    module = "skein_glm"
    requirements = ("skein-glm==1.0.0",)
    penalties = frozenset({"l1", "mcp", "scad"})
    takes_sparse = True
    tolerances = (1e-1, 1e-14)
    other_losses: ClassVar[dict[str, frozenset[str]]] = {
        "logistic": frozenset({"l1", "mcp", "scad"}),
        "poisson": frozenset({"l1", "mcp", "scad"}),
    }

    def version(self) -> str:
        from importlib.metadata import version

        import skein_glm  # noqa: F401 - the import is what a cold start pays for

        return version("skein-glm")

    def prepare(self, X: Any, y: np.ndarray, threads: int) -> None:
        self.X, self.y = np.ascontiguousarray(X) if isinstance(X, np.ndarray) else X, y

    def solve(self, kind: str, shape: float | None, alphas: np.ndarray, tol: float) -> Solution:
        import skein_glm as sk

        common = {"lambdas": alphas, "tol": tol, "max_iter": 1_000_000, "fit_intercept": False}
        family = {"logistic": "Logistic", "poisson": "Poisson"}.get(self.loss, "")
        if family:
            common |= {"max_outer": 1000, "outer_tol": tol}
        make = {
            "l1": lambda: getattr(sk, f"{family}ElasticNetPathRegressor")(alpha=1.0, **common),
            "mcp": lambda: getattr(sk, f"{family}MCPPathRegressor")(gamma=shape, **common),
            "scad": lambda: getattr(sk, f"{family}SCADPathRegressor")(a=shape, **common),
        }
        return Solution(make[kind]().fit(self.X, self.y).coefs_.T)


ADAPTERS: dict[str, type[Adapter]] = {"skein-glm": Skein}
