"""Where along a path the objective is convex."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .penalties import L1, MCP, SCAD, LogSum, Lq, Penalty
from .relax import dense_columns, sample_weights

if TYPE_CHECKING:
    from .path import Path

__all__ = ["convex_region", "largest_concavity"]


def largest_concavity(penalty: Penalty, alpha: float) -> float:
    """Return the largest -r''(t; alpha) over t > 0: what the data must outweigh."""
    known: Any = penalty
    if type(penalty) is L1:
        return 0.0
    if type(penalty) is MCP:
        return 1.0 / float(known.gamma)
    if type(penalty) is SCAD:
        return 1.0 / (float(known.gamma) - 1.0)
    if type(penalty) is LogSum:
        return alpha / float(known.theta) ** 2
    if type(penalty) is Lq:
        q, eps = float(known.q), float(known.eps)
        return float(alpha * q * (1.0 - q) * eps ** (q - 2.0))
    # A kink (capped l1) or a penalty of the user's: steepest fall of the slope on a fine grid.
    t = np.r_[0.0, np.geomspace(1e-8, 1e8, 4001)]
    slope = np.asarray(penalty.slope(t, np.full_like(t, alpha)), dtype=np.float64)
    return float(np.max(-np.diff(slope) / np.diff(t)))


def convex_region(path: Path) -> NDArray[np.bool_]:
    r"""Return, per alpha, whether the objective is convex on the support, whatever the values.

    That holds when the smallest eigenvalue of :math:`X_S^\top \Omega X_S` exceeds the penalty's
    largest concavity. It is stricter than ``path.convex``, which looks at the solution only: there
    can be no second local minimum on the same support and signs. From the first alpha where it
    fails, all smaller ones count as not convex.
    """
    if path.problem is None:
        return path.convex
    omega = sample_weights(path.problem)
    region = np.ones(len(path), dtype=np.bool_)
    for k, point in enumerate(path.points):
        concavity = largest_concavity(path.penalty, point.alpha)
        if concavity == 0.0 or point.columns.size == 0:
            continue
        block = dense_columns(path.problem.data.X, point.columns)
        if path.problem.fit_intercept:
            block = block - omega @ block
        gram = (omega[:, np.newaxis] * block).T @ block
        if float(np.linalg.eigvalsh(gram)[0]) <= concavity:
            region[k:] = False
            break
    return region
