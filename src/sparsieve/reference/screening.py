"""Dual points of the Proximal Weighted Lasso and the two screening tests of the paper.

``rule="printed"`` is the paper to the letter, ``rule="published"`` what the authors' program does
where it differs: no special case for lambda_j = 0, and eq. (new) measures the step from the last
iterate while its scores stay those of the stored point. ``rule="corrected"`` is what the paper's
proofs give:

* eq. (test) prints the radius ``sqrt(2G) (||x_j|| + 1/alpha)``. The strong concavity it starts
  from, ``||ds||^2 + alpha ||dv||^2 <= 2G``, yields ``sqrt(2G) sqrt(||x_j||^2 + 1/alpha)`` by
  Cauchy-Schwarz. The printed one is smaller, hence unsafe, where ``2 ||x_j|| + 1/alpha < 1``.
* the dual point is scaled by the best feasible factor, where the paper only shrinks;
* the propagated test uses the new gap itself in place of sqrt(2b) on top of the old one;
* rounding: c_j = lambda_j at an optimum, so every test carries a bound on its own error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from .design import Array

Rule = Literal["corrected", "printed", "published"]
RULES = ("corrected", "printed", "published")


@dataclass(frozen=True)
class DualPoint:
    """A feasible (s, v) of eq. (dual), with the scores' ingredients."""

    s: Array
    v: Array
    c: Array  # X's - v, one entry per column
    primal: float
    dual: float
    gap_error: float  # bound on the rounding error of the gap
    c_error: Array  # bound on the rounding error of c

    @property
    def gap(self) -> float:
        """P - D, never negative."""
        return max(self.primal - self.dual, 0.0)


def check_rule(rule: str) -> None:
    """Refuse a misspelt rule."""
    if rule not in RULES:
        raise ValueError(f"rule must be 'corrected', 'printed' or 'published', got {rule!r}")


def dual_point(
    y: Array,
    r: Array,
    w: Array,
    correlations: Array,
    prox_center: Array,
    l1_weights: Array,
    norms2: Array,
    prox: float,
    rule: Rule,
) -> DualPoint:
    """Scale (r, (w - w')/alpha) into the dual feasible set, eq. (jdagger).

    Vectors of length d may be restricted to the coordinates not yet screened: the others are zero
    at the optimum, so the smaller problem has the same solution. ``prox`` is 1/alpha.
    """
    shift = prox * (w - prox_center)
    c = correlations - shift
    kappa = _dual_scale(y, r, c, shift, prox_center, l1_weights, prox, rule)
    s, v, scaled = kappa * r, kappa * shift, kappa * c

    # Unpenalised coordinates are feasible only where x_j's = v_j. The paper sets v_j so; after the
    # exact solve of that block (corrected rule) this moves v by no more than rounding.
    free = (l1_weights == 0.0) & ((prox > 0.0) | (rule == "printed")) & (rule != "published")
    v[free], scaled[free] = kappa * correlations[free], 0.0

    norm_y, norm_r = float(np.sqrt(y @ y)), float(np.sqrt(r @ r))
    l1 = float(l1_weights @ np.abs(w))
    primal = 0.5 * norm_r**2 + 0.5 * prox * float(np.sum((w - prox_center) ** 2)) + l1
    linear = float(s @ y - v @ prox_center)
    dual = linear - 0.5 * float(s @ s) - 0.5 * _over_prox(float(v @ v), prox)

    unit = (y.size + np.count_nonzero(w) + 8) * np.finfo(np.float64).eps
    norms = np.sqrt(norms2)
    reach = norm_y + float(norms @ np.abs(w)) + norm_r  # bounds the rounding error of r / unit
    c_error = unit * (norms * reach + prox * (np.abs(w) + np.abs(prox_center)) + l1_weights)
    gap_error = unit * (reach * (norm_r + abs(kappa) * norm_y) + l1 + abs(dual))
    return DualPoint(s, v, scaled, primal, dual, gap_error, c_error)


def _dual_scale(
    y: Array,
    r: Array,
    c: Array,
    shift: Array,
    prox_center: Array,
    l1_weights: Array,
    prox: float,
    rule: Rule,
) -> float:
    """Return the factor of (r, shift): 1/max(1, rho) as printed, else the best feasible one."""
    used = (l1_weights > 0.0) & (c != 0.0)
    limit = float(np.min(l1_weights[used] / np.abs(c[used]), initial=np.inf))
    if rule != "corrected":
        return min(1.0, limit)
    # D(kappa) = kappa (r'y - shift'w') - kappa^2/2 (||r||^2 + alpha ||shift||^2), a parabola
    curvature = float(r @ r) + _over_prox(float(shift @ shift), prox)
    best = float(r @ y - shift @ prox_center) / curvature if curvature > 0.0 else 1.0
    return float(np.clip(best, -limit, limit))


def _over_prox(square: float, prox: float) -> float:
    """Return alpha * square with alpha = 1/prox, where alpha may be infinite (and then v = 0)."""
    if square == 0.0:
        return 0.0
    return square / prox if prox > 0.0 else np.inf


def gap_scores(point: DualPoint, norms2: Array, prox: float, rule: Rule) -> Array:
    """Return T_j of eq. (test): coordinate j is zero at the optimum where T_j < lambda_j."""
    if rule != "corrected":
        printed: Array = np.abs(point.c) + np.sqrt(2.0 * point.gap) * (np.sqrt(norms2) + prox)
        return printed
    radius = np.sqrt(2.0 * (point.gap + point.gap_error)) * np.sqrt(norms2 + prox)
    corrected: Array = np.abs(point.c) + radius + point.c_error
    return corrected


def propagated_scores(
    reference: DualPoint,
    point: DualPoint,
    norms2: Array,
    prox: float,
    rule: Rule,
    last: DualPoint | None = None,
) -> Array:
    """Return the scores of Property 2, eq. (new): no dot product with any column.

    ``reference`` is where exact scores were last computed, ``point`` a feasible dual point of the
    new problem with gap G, ``last`` the dual point of the iteration before: with
    ``rule="published"`` a, b and c are measured from there. Corrected form:
    ``|c0_j| + ||x_j|| ||s - s0|| + |v_j - v0_j| + sqrt(2G) sqrt(||x_j||^2 + 1/alpha)``, never above
    the paper's with the safe radius: sqrt(2G) takes the place of sqrt(2 G0) + sqrt(2b).
    """
    origin = last if rule == "published" and last is not None else reference
    step_s, step_v = point.s - origin.s, point.v - origin.v
    if rule != "corrected":
        a = np.sqrt(step_s @ step_s)
        root_2b = np.sqrt(2.0 * abs(point.gap - origin.gap))
        scores = gap_scores(reference, norms2, prox, rule)
        scores += np.sqrt(norms2) * (a + root_2b) + np.abs(step_v) + prox * root_2b
        return scores
    drift = np.sqrt(norms2) * np.sqrt(step_s @ step_s) + np.abs(step_v)
    radius = np.sqrt(2.0 * (point.gap + point.gap_error)) * np.sqrt(norms2 + prox)
    margin = reference.c_error + point.c_error
    corrected: Array = np.abs(reference.c) + drift + radius + margin
    return corrected
