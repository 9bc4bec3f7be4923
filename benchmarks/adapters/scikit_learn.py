"""scikit-learn: ``lasso_path``.

Quirks: by default it computes with the Gram matrix X'X where n > d; `scikit-learn-gram` asks for it
everywhere, its cost inside the clock. It stops on a duality gap of tol * ||y||^2/n, so the
violation falls like the square root of tol; max_iter (1,000) is too small for tight gaps and is
raised; it only warns when it runs out.
Logistic paths are fits of LogisticRegression by liblinear, each from zero: the solver with a warm
start (saga) needs far longer for the same accuracy.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

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
    other_losses: ClassVar[dict[str, frozenset[str]]] = {"logistic": frozenset({"l1"})}
    precompute: ClassVar[str | bool] = "auto"

    def version(self) -> str:
        import sklearn

        return str(sklearn.__version__)

    def prepare(self, X: Any, y: np.ndarray, threads: int) -> None:
        self.X, self.y = X, y

    def solve(self, kind: str, shape: float | None, alphas: np.ndarray, tol: float) -> Solution:
        from sklearn.linear_model import lasso_path

        if self.loss == "logistic":
            return self._logistic(alphas, tol)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _, coefs, _ = lasso_path(
                self.X,
                self.y,
                alphas=alphas,
                tol=tol,
                max_iter=10_000_000,
                precompute=self.precompute,
            )
        return Solution(coefs)

    def _logistic(self, alphas: np.ndarray, tol: float) -> Solution:
        from sklearn.linear_model import LogisticRegression

        coefs = np.zeros((self.X.shape[1], len(alphas)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for k, alpha in enumerate(alphas):
                model = LogisticRegression(
                    C=1.0 / (alpha * len(self.y)),
                    l1_ratio=1.0,
                    solver="liblinear",
                    fit_intercept=False,
                    tol=tol,
                    max_iter=1_000_000,
                )
                coefs[:, k] = model.fit(self.X, self.y).coef_[0]
        return Solution(coefs)

    def cross_validate(
        self, kind: str, shape: float | None, alphas: np.ndarray, tol: float, folds: int
    ) -> None:
        from sklearn.linear_model import LassoCV

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            LassoCV(alphas=alphas, fit_intercept=False, tol=tol, max_iter=10_000_000, cv=folds).fit(
                self.X, self.y
            )


class ScikitLearnGram(ScikitLearn):
    """The same, with X'X computed first whatever the shape of X."""

    name = "scikit-learn-gram"
    home = "scikit-learn"
    precompute = True


ADAPTERS: dict[str, type[Adapter]] = {
    "scikit-learn": ScikitLearn,
    "scikit-learn-gram": ScikitLearnGram,
}
