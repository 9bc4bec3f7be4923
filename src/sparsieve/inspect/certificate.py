"""The proof that comes with every fit."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._words import paragraph
from ..penalties import is_convex
from ..solve.points import Direction, Point
from ..solve.problem import Problem
from .convexity import convex_by_ridge, global_lower_bound

__all__ = ["SCOPES", "STARTED", "Certificate"]

#: For which coefficients a lower bound holds.
SCOPES = ("unconditional", "unpenalised up to twice")

#: Where a solve began, in words.
STARTED = {
    "previous": "started from the point before it on the path",
    "lasso": "started from a lasso",
    "upwards": "started from the next smaller alpha",
    "given": "started from given coefficients",
    "none": "wherever it starts",
}

#: How strong a minimum is, in words that follow others.
STRENGTHS = {
    "stationary": "",
    "coordinatewise": (
        "; no change of a single coefficient lowers the objective by more than tol of it"
    ),
    "swap": (
        "; no change of a single coefficient and no exchange of two features lowers the objective "
        "by more than tol of it"
    ),
}


@dataclass(frozen=True)
class Certificate:
    r"""What is known about a fitted point.

    Attributes
    ----------
    alpha : float
    kkt : float
        Largest violation of the stationarity condition over all features, as a fraction of the
        penalty's slope at zero: a bound of it, with the rounding of all that it is made of.
    tol : float
        What was asked for.
    converged : bool
        ``kkt <= tol``: an estimator's tolerance is relative to the slope at its own alpha.
    dual_gap : float
        Duality gap of the last weighted lasso (surrogate), with a bound of its rounding.
    objective : float
    strict_minimum : bool
        The objective is strictly convex on the support: a strict local minimum there.
    support_size, n_features : int
    n_iter : int
    passes : float
        Passes over X it took.
    reason : str
        How the solve ended.
    convex_problem : bool
        The penalty is convex (the lasso, or one of yours), so the problem is: no coefficients have
        an objective lower than this one by more than ``dual_gap``. For concave penalties see
        ``lower_bound``.
    start : str
        Where the solve began: "previous", "lasso", "upwards", "given", or "none" where it makes no
        difference.
    minimum : str
        How strong a minimum it is: "stationary", "coordinatewise" (no change of a single
        coefficient lowers the objective by more than tol times itself) or "swap" (nor does an
        exchange of one selected feature for another).
    lower_bound : float or None
        No coefficients have an objective below this, where such a bound is known.
    scope : str or None
        For which coefficients the bound holds: "unconditional" for all of them. With a convex
        penalty and unpenalised features it is "unpenalised up to twice": for those with
        :math:`|u_j| \le 2 |w_j|` in each unpenalised feature j, :math:`w` the ones found. A dual
        point is feasible only if :math:`c_j = 0` there; what is left of :math:`c_j` after rounding
        is charged as :math:`2 |c_j w_j|`.
    by_ridge : bool
        The bound is known because the ridge outweighs the concavity of the penalty.
    loss : str
        The loss, "squared" for least squares.
    direction : Direction or None
        Where ``reason`` is "separated", a proof that there is no solution: a way (columns, values,
        intercept) in which the loss falls for ever and the penalty does not grow. Not kept in
        model files.
    """

    alpha: float
    kkt: float
    tol: float
    converged: bool
    dual_gap: float
    objective: float
    strict_minimum: bool
    support_size: int
    n_features: int
    n_iter: int
    passes: float
    reason: str
    convex_problem: bool = False
    start: str = "previous"
    minimum: str = "stationary"
    lower_bound: float | None = None
    scope: str | None = None
    by_ridge: bool = False
    loss: str = "squared"
    direction: Direction | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, point: Point, tol: float, problem: Problem, penalty: Any) -> Certificate:
        """Make the certificate of a point."""
        bound = global_lower_bound(problem, point, penalty)
        return cls(
            alpha=point.alpha,
            kkt=point.kkt,
            tol=tol,
            converged=point.converged,
            dual_gap=point.dual_gap,
            objective=point.objective,
            strict_minimum=point.convex,
            support_size=int(point.values.size),
            n_features=problem.n_features,
            n_iter=point.n_iter,
            passes=point.passes,
            reason=point.status.lower(),
            convex_problem=is_convex(penalty),
            start=point.start,
            minimum=point.minimum,
            lower_bound=bound,
            scope=None if bound is None else _scope(problem, penalty),
            by_ridge=bound is not None and convex_by_ridge(problem, point.alpha, penalty),
            loss="squared" if problem.squared else problem.loss.label,
            direction=point.direction,
        )

    def __repr__(self) -> str:
        return f"<Certificate: {self}>"

    def _repr_html_(self) -> str:
        return "".join(paragraph(part) for part in str(self).split("; "))

    def __str__(self) -> str:
        if self.reason == "separated":
            return (
                f"NO SOLUTION at alpha={self.alpha:.6g} (separated): in one direction the loss "
                "falls for ever and the penalty does not grow; a ridge, bounds, a larger alpha or "
                "a penalty that grows without bound (l1, logsum) have one"
            )
        measured = f"{self.kkt:.2g} of the penalty's slope at zero (tol {self.tol:g})"
        if self.converged:
            verdict = (
                f"a critical point: no feature of {self.n_features} violates stationarity by more "
                f"than {measured}"
            )
        else:
            verdict = f"NOT converged: stationarity is violated by up to {measured}"
        return f"{verdict}; {self._minimum()}; {self.support_size} features selected"

    def _minimum(self) -> str:
        """Say what kind of minimum it is, and how far from it."""
        gap = max(self.dual_gap, 0.0)  # below zero by rounding, in files of earlier versions
        if math.isnan(gap):
            unknown = "; no duality gap, as the loss does not say its minimum"
            kind = "convex problem" if self.convex_problem else self._strength()
            return f"{kind}{unknown}; objective {self.objective:.8g}"
        if self.convex_problem:
            limited = ""
            if self.scope == SCOPES[1]:
                limited = " among unpenalised coefficients up to twice as large as these"
            return (
                f"convex problem: the objective {self.objective:.8g} is at most {gap:.2g} above "
                f"the global minimum{limited}"
            )
        if self.lower_bound is not None:
            above = max(self.objective - self.lower_bound, 0.0)
            why = ", made so by its ridge" if self.by_ridge else ""
            kind = (
                f"the global minimum: the whole problem is convex here{why}, and the objective is "
                f"at most {above:.2g} above it"
            )
        else:
            kind = self._strength()
        return (
            f"{kind}; duality gap of the last surrogate {gap:.2g}; objective "
            f"{self.objective:.8g}; {STARTED[self.start]}"
        )

    def _strength(self) -> str:
        """Say how strong a minimum it is where no bound is known."""
        if not self.converged:
            kind = "no claim about a minimum"
        elif self.strict_minimum:
            kind = "strict local minimum on its support"
        else:
            kind = "not strict"
        return kind + STRENGTHS[self.minimum]


def _scope(problem: Problem, penalty: Any) -> str:
    """Return for which coefficients a lower bound of a problem holds."""
    free = bool(np.any(problem.feature_weights == 0.0))
    return SCOPES[is_convex(penalty) and free]
