"""celer: ``celer_path``.

Quirks: stops on a duality gap of tol * ||y||^2/n; max_iter counts working sets (20 by default,
raised here) and max_epochs the epochs inside one; a working set that runs out of epochs only
warns. Its logistic loss is a sum over rows, so that alphas are n times as large, and labels are
-1 and 1.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np

from benchmarks.adapters.base import Adapter, Solution


class Celer(Adapter):
    """Working sets with dual extrapolation."""

    name = "celer"
    module = "celer"
    requirements = ("celer==0.7.4",)
    penalties = frozenset({"l1"})
    takes_sparse = True
    tolerances = (1e-2, 1e-15)
    other_losses: ClassVar[dict[str, frozenset[str]]] = {"logistic": frozenset({"l1"})}

    def version(self) -> str:
        import celer

        return str(celer.__version__)

    def prepare(self, X: Any, y: np.ndarray, threads: int) -> None:
        self.X, self.y = X, y.astype(X.dtype)  # both need the same type
        if self.loss == "logistic":
            self.y = 2.0 * self.y - 1.0

    def solve(self, kind: str, shape: float | None, alphas: np.ndarray, tol: float) -> Solution:
        from celer import celer_path

        logistic = self.loss == "logistic"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _, coefs, _ = celer_path(
                self.X,
                self.y,
                "logreg" if logistic else "lasso",
                alphas=alphas * len(self.y) if logistic else alphas,
                tol=tol,
                max_iter=1000,
                max_epochs=1_000_000,
            )
        return Solution(coefs)

    def cross_validate(
        self, kind: str, shape: float | None, alphas: np.ndarray, tol: float, folds: int
    ) -> None:
        from celer import LassoCV

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            LassoCV(
                alphas=alphas,
                fit_intercept=False,
                tol=tol,
                max_iter=1000,
                max_epochs=1_000_000,
                cv=folds,
            ).fit(self.X, self.y)


ADAPTERS: dict[str, type[Adapter]] = {"celer": Celer}
