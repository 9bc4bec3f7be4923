"""The proof that comes with every fit."""

from __future__ import annotations

from dataclasses import dataclass

from .solvers import Point

__all__ = ["Certificate"]


@dataclass(frozen=True)
class Certificate:
    """What is known about a fitted point.

    Attributes
    ----------
    alpha : float
    kkt : float
        Largest violation of the stationarity condition over all features, as a fraction of the
        penalty's slope at zero.
    tol : float
        What was asked for.
    converged : bool
        ``kkt <= tol``.
    dual_gap : float
        Duality gap of the last weighted lasso (surrogate).
    objective : float
    strict_minimum : bool
        The objective is strictly convex on the support: a strict local minimum there.
    support_size, n_features : int
    n_iter : int
    passes : float
        Passes over X it took.
    reason : str
        How the solve ended.
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

    @classmethod
    def of(cls, point: Point, tol: float, n_features: int) -> Certificate:
        """Make the certificate of a point."""
        return cls(
            alpha=point.alpha,
            kkt=point.kkt,
            tol=tol,
            converged=point.converged,
            dual_gap=point.dual_gap,
            objective=point.objective,
            strict_minimum=point.convex,
            support_size=int(point.values.size),
            n_features=n_features,
            n_iter=point.n_iter,
            passes=point.passes,
            reason=point.status.lower(),
        )

    def __str__(self) -> str:
        measured = f"{self.kkt:.2g} of the penalty's slope at zero (tol {self.tol:g})"
        if self.converged:
            verdict = (
                f"a critical point: no feature of {self.n_features} violates stationarity by more "
                f"than {measured}"
            )
            kind = "strict local minimum on its support" if self.strict_minimum else "not strict"
        else:
            verdict = f"NOT converged: stationarity is violated by up to {measured}"
            kind = "no claim about a minimum"
        return (
            f"{verdict}; {kind}; duality "
            f"gap of the last surrogate {self.dual_gap:.2g}; objective {self.objective:.8g}; "
            f"{self.support_size} features selected"
        )
