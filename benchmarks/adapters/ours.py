"""sparsieve: ``sparse_path``.

Quirks: by default tol is relative to the penalty level r'(0) at each alpha, hence stricter towards
the end of a path than the measure of the judge; here tol_relative_to="path" asks for the same
violation everywhere, as the peers' tolerances do. Like every peer it gets the loosest tol that
passes.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any, ClassVar

import numpy as np

from benchmarks.adapters.base import Adapter, Solution


def penalty_of(kind: str, shape: float | None) -> Any:
    """Return the library's penalty for one of the judge's."""
    import sparsieve as sv

    # Written out, because commits before shape_grid are measured too.
    makers: dict[str, Any] = {"l1": sv.L1, "mcp": sv.MCP, "scad": sv.SCAD, "logsum": sv.LogSum}
    return makers[kind]() if shape is None else makers[kind](shape)


def known_options(function: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the commit under test does not know yet."""
    known = inspect.signature(function).parameters
    return {name: value for name, value in options.items() if name in known}


class Sparsieve(Adapter):
    """Certified paths by majorisation-minimisation below one pass over the data."""

    name = "sparsieve"
    module = "sparsieve"
    penalties = frozenset({"l1", "mcp", "scad", "logsum"})
    takes_sparse = True
    tolerances = (1e-1, 1e-12)
    other_losses: ClassVar[dict[str, frozenset[str]]] = {
        "logistic": penalties,
        "poisson": penalties,
    }
    options: ClassVar[dict[str, str]] = {}

    def version(self) -> str:
        from importlib.metadata import version

        # What a cold start pays for; ``import sparsieve`` alone would load nothing behind a path.
        from sparsieve import sparse_path  # noqa: F401

        return version("sparsieve")

    def prepare(self, X: Any, y: np.ndarray, threads: int) -> None:
        self.X, self.y, self.threads = X, y, threads

    def solve(self, kind: str, shape: float | None, alphas: np.ndarray, tol: float) -> Solution:
        import sparsieve as sv

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = sv.sparse_path(
                self.X,
                self.y,
                penalty_of(kind, shape),
                alphas=alphas,
                fit_intercept=False,
                tol=tol,
                n_jobs=self.threads,
                **({} if self.loss == "squared" else {"loss": self.loss}),
                **known_options(sv.sparse_path, {"tol_relative_to": "path", **self.options}),
            )
        return Solution(path.coefs, float(np.mean(path.passes)))

    def cross_validate(
        self, kind: str, shape: float | None, alphas: np.ndarray, tol: float, folds: int
    ) -> None:
        import sparsieve as sv

        asked = {"tol_relative_to": "path", "n_jobs": self.threads, **self.options}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sv.SparseRegressorCV(
                penalty_of(kind, shape),
                alphas=alphas,
                cv=folds,
                fit_intercept=False,
                tol=tol,
                **known_options(sv.SparseRegressorCV, asked),
            ).fit(self.X, self.y)


class SparsievePrevious(Sparsieve):
    """The same, walking down to stationary points: a convex penalty has no others."""

    name = "sparsieve-previous"
    penalties = frozenset({"mcp", "scad", "logsum"})
    other_losses: ClassVar[dict[str, frozenset[str]]] = {
        "logistic": penalties,
        "poisson": penalties,
    }
    options: ClassVar[dict[str, str]] = {"start": "previous", "minimum": "stationary"}


ADAPTERS: dict[str, type[Adapter]] = {
    "sparsieve": Sparsieve,
    "sparsieve-previous": SparsievePrevious,
}
