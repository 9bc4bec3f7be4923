"""abess: best subsets by splicing. It has no alphas: they stand for support sizes here.

Quirks: one fit returns one size, so each size is a fit of its own, started from the support of the
size before, as abess does it inside a fit that compares sizes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.adapters.base import Adapter, Solution


class Abess(Adapter):
    """Adds and exchanges features until no exchange helps."""

    name = "abess"
    module = "abess"
    requirements = ("abess==0.4.11",)
    penalties = frozenset({"l0"})
    tolerances = (1e-1, 1e-10)

    def version(self) -> str:
        import abess

        return str(abess.__version__)

    def prepare(self, X: Any, y: np.ndarray, threads: int) -> None:
        self.X, self.y, self.threads = np.ascontiguousarray(X), y, threads

    def solve(self, kind: str, shape: float | None, alphas: np.ndarray, tol: float) -> Solution:
        from abess.linear import LinearRegression

        coefs = np.zeros((self.X.shape[1], len(alphas)))
        support: list[int] = []
        for k, size in enumerate(np.maximum(np.round(alphas), 1).astype(int)):
            model = LinearRegression(
                support_size=[int(size)],
                fit_intercept=False,
                thread=self.threads,
                A_init=support[:size] or None,
            )
            coefs[:, k] = model.fit(self.X, self.y, is_normal=False).coef_
            support = np.flatnonzero(coefs[:, k]).tolist()
        return Solution(coefs)


ADAPTERS: dict[str, type[Adapter]] = {"abess": Abess}
