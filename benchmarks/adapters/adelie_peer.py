"""adelie: ``grpnet`` with groups of one column.

Quirks: a path stops early at 90 % explained deviance unless adev_tol and early_exit say
otherwise; tol bounds the change of the objective in one cycle of coordinate descent, not a
violation; needs numpy < 2. Other losses are solved by reweighted squares, which stop on
irls_tol: it is given the same value as tol.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from benchmarks.adapters.base import Adapter, Solution


class Adelie(Adapter):
    """Strong rules with pivots, block coordinate descent in C++."""

    name = "adelie"
    module = "adelie"
    requirements = ("adelie==1.1.52",)
    penalties = frozenset({"l1"})
    takes_sparse = True
    tolerances = (1e-2, 1e-18)
    other_losses: ClassVar[dict[str, frozenset[str]]] = {
        "logistic": frozenset({"l1"}),
        "poisson": frozenset({"l1"}),
    }

    def version(self) -> str:
        import adelie

        return str(getattr(adelie, "__version__", "?"))

    def prepare(self, X: Any, y: np.ndarray, threads: int) -> None:
        import adelie as ad

        make = ad.matrix.dense if isinstance(X, np.ndarray) else ad.matrix.sparse
        self.X, self.y, self.threads = make(X, n_threads=threads), y, threads

    def solve(self, kind: str, shape: float | None, alphas: np.ndarray, tol: float) -> Solution:
        import adelie as ad

        family = {"logistic": ad.glm.binomial, "poisson": ad.glm.poisson}
        state = ad.grpnet(
            self.X,
            family.get(self.loss, ad.glm.gaussian)(self.y),
            lmda_path=alphas,
            intercept=False,
            tol=tol,
            irls_tol=tol,
            max_iters=100_000_000,
            adev_tol=1.0,
            ddev_tol=0.0,
            early_exit=False,
            n_threads=self.threads,
            progress_bar=False,
        )
        return Solution(state.betas.T.tocsc())


ADAPTERS: dict[str, type[Adapter]] = {"adelie": Adelie}
