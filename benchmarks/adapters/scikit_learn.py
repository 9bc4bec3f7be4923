"""scikit-learn: ``lasso_path``.

Quirks: stops on a duality gap of tol * ||y||^2/n, so the violation falls like the square root of
tol; max_iter (1,000) is too small for tight gaps and is raised; it only warns when it runs out.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from benchmarks.adapters.base import Adapter, Solution


class ScikitLearn(Adapter):
    """Coordinate descent with gap-safe screening."""

    name = "scikit-learn"
    module = "sklearn"
    requirements = ("scikit-learn==1.9.1",)
    penalties = frozenset({"l1"})
    takes_sparse = True
    tolerances = (1e-2, 1e-15)

    def version(self) -> str:
        import sklearn

        return str(sklearn.__version__)

    def prepare(self, X: Any, y: np.ndarray, threads: int) -> None:
        self.X, self.y = X, y

    def solve(self, kind: str, shape: float | None, alphas: np.ndarray, tol: float) -> Solution:
        from sklearn.linear_model import lasso_path

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _, coefs, _ = lasso_path(self.X, self.y, alphas=alphas, tol=tol, max_iter=10_000_000)
        return Solution(coefs)


ADAPTERS: dict[str, type[Adapter]] = {"scikit-learn": ScikitLearn}
