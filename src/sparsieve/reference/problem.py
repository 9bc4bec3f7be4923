"""The problem of the paper, its stationarity, and what a solver hands back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..penalties import Penalty
from .design import Array, Design, as_design


@dataclass
class Work:
    """What a solver did, counted: figures that do not depend on the clock."""

    n_features: int
    visits: int = 0  # coordinates looked at by a coordinate or proximal step
    updates: int = 0  # visits that changed the coordinate
    correlations: float = 0.0  # products X'r, a product over k of d columns counts k/d
    products: float = 0.0  # products Xw, counted likewise
    block_solves: int = 0  # exact solves of the unpenalised block

    @property
    def column_operations(self) -> float:
        """Column-sized operations in all: one per dot product and per update of the residual."""
        columns = self.n_features * (self.correlations + self.products)
        return float(columns + self.visits + self.updates)

    def add(self, other: Work) -> None:
        """Add the counts of another piece of work on the same design."""
        self.visits += other.visits
        self.updates += other.updates
        self.correlations += other.correlations
        self.products += other.products
        self.block_solves += other.block_solves


@dataclass(frozen=True)
class OuterIteration:
    """One MM iteration: the point it starts from, who screened, and the gap it ends with."""

    objective: float  # at the start of the iteration
    violation: float  # at the start of the iteration
    rule: str  # screening before the inner solver: "none", "gap" or "propagation"
    screened_before: int  # coordinates discarded by that rule
    screened_inside: int  # coordinates discarded by the gap rule inside the inner solver
    gap: float  # duality gap at the end of the inner solver
    epochs: int
    visits: int


@dataclass(frozen=True)
class Result:
    """Where a solver ended, how far from stationary that is, and what it cost."""

    w: Array
    objective: float
    violation: float  # absolute, the largest over the coordinates, in the paper's scale
    n_outer: int
    converged: bool
    work: Work
    history: list[OuterIteration] = field(default_factory=list)


def objective(X: Any, y: Array, w: Array, penalty: Penalty, lam: float) -> float:
    """Return ``1/2 ||y - Xw||^2 + sum_j r_lambda(|w_j|)``, eq. (generalprob)."""
    r = y - as_design(X).predict(w)
    return residual_objective(r, w, penalty, lam)


def residual_objective(r: Array, w: Array, penalty: Penalty, lam: float) -> float:
    """Return the objective when the residual r = y - Xw is at hand."""
    return float(0.5 * (r @ r) + np.sum(penalty.value(np.abs(w), lam)))


def violations(correlations: Array, w: Array, penalty: Penalty, lam: float) -> Array:
    """Return how far each coordinate is from eq. (fermat), given c = X'(y - Xw).

    ``max(0, |c_j| - r'(0))`` where w_j = 0 and ``|c_j - r'(|w_j|) sign(w_j)|`` elsewhere.
    """
    slope = np.asarray(penalty.slope(np.abs(w), lam))
    at_zero = np.maximum(np.abs(correlations) - slope, 0.0)
    elsewhere = np.abs(correlations - slope * np.sign(w))
    worst: Array = np.where(w == 0.0, at_zero, elsewhere)
    return worst


def look(
    design: Design,
    r: Array,
    w: Array,
    penalty: Penalty,
    lam: float,
    work: Work,
    zero_below: float = 0.0,
) -> tuple[Array, float]:
    """Return X'r and the largest violation at w, the stopping test of every solver; counts it.

    Coefficients below ``zero_below`` in size are taken for zero in the test.
    """
    correlations = design.correlate(r)
    work.correlations += 1.0
    if zero_below > 0.0:
        w = np.where(np.abs(w) < zero_below, 0.0, w)
    return correlations, float(np.max(violations(correlations, w, penalty, lam), initial=0.0))


def violation(X: Any, y: Array, w: Array, penalty: Penalty, lam: float) -> float:
    """Return the largest violation of eq. (fermat), absolute, in the paper's scale."""
    design = as_design(X)
    return look(design, y - design.predict(w), w, penalty, lam, Work(design.n_features))[1]


def start(design: Design, y: Array, w0: Array | None) -> tuple[Array, Array]:
    """Return a copy of the starting point (zero by default) and its residual."""
    w = np.zeros(design.n_features) if w0 is None else np.array(w0, dtype=np.float64)
    return w, y - design.predict(w)


def support_share(w: Array) -> float:
    """Return the share of the columns that a product Xw reads."""
    return int(np.count_nonzero(w)) / w.size
