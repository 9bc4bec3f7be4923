"""glmnet and ncvreg, which run in R: see ``r_worker.R`` for the calls themselves.

glmnet quirks: by default it works on covariances (d < 500) or on residuals (naive);
`glmnet-covariance` and `glmnet-naive` ask for one of them (type.gaussian). A path ends early when
the deviance stops moving unless glmnet.control says otherwise; thresh bounds the change of the
objective relative to the null deviance; y is standardised inside and put back.

ncvreg quirks: it always standardises the columns to unit variance, so only the standardised
variant poses the problem it solves for MCP and SCAD; it always fits an intercept, which is zero
on centred data; eps bounds the root mean square change of the linear predictor, relative to the
standard deviation of y; dense only.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from benchmarks.adapters.base import Adapter, Solution


class _RPeer(Adapter):
    """Metadata only: the R worker loads, solves and times."""

    language = "R"

    def version(self) -> str:
        raise NotImplementedError("runs in R")

    def prepare(self, X: Any, y: np.ndarray, threads: int) -> None:
        raise NotImplementedError("runs in R")

    def solve(self, kind: str, shape: float | None, alphas: np.ndarray, tol: float) -> Solution:
        raise NotImplementedError("runs in R")


class Glmnet(_RPeer):
    """Strong rules and coordinate descent, the reference implementation of the lasso path."""

    name = "glmnet"
    module = "glmnet"
    penalties = frozenset({"l1"})
    other_losses: ClassVar[dict[str, frozenset[str]]] = {
        "logistic": frozenset({"l1"}),
        "poisson": frozenset({"l1"}),
    }
    takes_sparse = True
    tolerances = (1e-3, 1e-22)


class GlmnetCovariance(Glmnet):
    """The same on covariances, whatever the shape of X."""

    name = "glmnet-covariance"
    home = "glmnet"


class GlmnetNaive(Glmnet):
    """The same on residuals, whatever the shape of X."""

    name = "glmnet-naive"
    home = "glmnet"


class Ncvreg(_RPeer):
    """Strong rules adapted to MCP and SCAD, coordinate descent."""

    name = "ncvreg"
    module = "ncvreg"
    penalties = frozenset({"l1", "mcp", "scad"})
    tolerances = (1e-2, 1e-14)

    @classmethod
    def refuses(cls, kind: str, variant: str, is_sparse: bool, loss: str = "squared") -> str | None:
        if kind != "l1" and variant != "standardised":
            return "always standardises: another problem"
        if kind == "l1" and variant == "raw":
            return "always standardises: another problem"
        return super().refuses(kind, variant, is_sparse, loss)


ADAPTERS: dict[str, type[Adapter]] = {
    "glmnet": Glmnet,
    "glmnet-covariance": GlmnetCovariance,
    "glmnet-naive": GlmnetNaive,
    "ncvreg": Ncvreg,
}
