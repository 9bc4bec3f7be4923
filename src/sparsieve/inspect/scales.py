"""Whether the columns of X were standardised before they came here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..solve.solvers import Solver

if TYPE_CHECKING:
    from ..penalties import Penalty
    from ..solve.problem import Problem

__all__ = ["are_unit_norms", "has_unit_columns"]

# Rounding of a standardisation in float32, with room.
_ROUNDING = 1e-3
# Below this a column of standardised data is constant.
_CONSTANT = 1e-20


def are_unit_norms(norms2: NDArray[np.float64], n_samples: int) -> bool:
    """Tell whether all columns that vary have the mean square 1, counted with n or n - 1."""
    varying = norms2[norms2 > _CONSTANT]
    allowed = _ROUNDING + 2.0 / n_samples
    return bool(varying.size and np.all(np.abs(varying - 1.0) <= allowed))


def has_unit_columns(problem: Problem, penalty: Penalty) -> bool:
    """Tell whether the columns of a problem are standardised; takes a pass over X."""
    return are_unit_norms(Solver(problem, penalty).norms2, problem.n_samples)
