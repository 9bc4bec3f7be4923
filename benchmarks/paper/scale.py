"""The one place where the paper's scale meets the library's.

The paper minimises ``1/2 ||y - Xw||^2 + sum_j r_lambda(|w_j|)``, the library the same with a factor
1/n in front of the loss (and no intercept here). Dividing the paper's objective by n:

* L1, log-sum, capped-l1, Lq are linear in their strength: ``alpha = lambda / n``;
* MCP's quadratic piece ``t^2 / (2 theta)`` is divided too: ``alpha = lambda / n``,
  ``gamma = n * theta``;
* SCAD ties slope and breakpoint to the same lambda, so only the data can move: with X and y
  multiplied by sqrt(n) the two objectives are equal at ``alpha = lambda``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsieve import MCP, SCAD, kkt_violation, objective
from sparsieve.penalties import Penalty

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LibraryProblem:
    """A problem of the paper in the library's scale, and the way back."""

    X: Any
    y: Array
    penalty: Penalty
    per_lambda: float  # alpha = lambda * per_lambda
    per_objective: float  # the paper's objective = the library's * per_objective

    def judge(self, w: Array, lam: float) -> tuple[float, float]:
        """Return objective and largest absolute violation, both in the paper's scale, from w alone.

        Both come from `sparsieve.objective` and `sparsieve.kkt_violation`, which share no code with
        any solver.
        """
        alpha = lam * self.per_lambda
        value = objective(self.X, self.y, w, penalty=self.penalty, alpha=alpha)
        relative = kkt_violation(self.X, self.y, w, penalty=self.penalty, alpha=alpha)
        slope = float(self.penalty.slope(0.0, alpha))
        return value * self.per_objective, relative * slope * self.per_objective


def to_library(X: Any, y: Array, penalty: Penalty) -> LibraryProblem:
    """Convert a problem of the paper; X is copied for SCAD only."""
    # By class: how r changes when it is divided by n matters to the paper's scale alone.
    n = float(y.size)
    if isinstance(penalty, SCAD):
        return LibraryProblem(X * np.sqrt(n), y * np.sqrt(n), penalty, 1.0, 1.0)
    if isinstance(penalty, MCP):
        return LibraryProblem(X, y, MCP(gamma=n * penalty.gamma), 1.0 / n, n)
    return LibraryProblem(X, y, penalty, 1.0 / n, n)
