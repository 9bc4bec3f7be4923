"""Whether the columns of X are standardised, and a warning where they should be."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from .._words import describe
from ..penalties import is_convex
from ..solve.solvers import Solver

if TYPE_CHECKING:
    from ..data.types import Floats
    from ..penalties import Penalty
    from ..solve.problem import Problem

__all__ = ["are_unit_norms", "has_unit_columns", "warn_of_scales"]

# Rounding of a standardisation in float32, with room.
_ROUNDING = 1e-3
# Below this a column of standardised data is constant.
_CONSTANT = 1e-20
# A concave penalty has one shape for all columns. How concave it is over a column's own curvature
# differs by the square of the ratio of their scales: ten thousand times here.
_WIDE = 100.0


class Measured(Protocol):
    """A solver, or what else has measured the columns of a problem."""

    @property
    def problem(self) -> Problem:
        """The data."""
        ...

    @property
    def penalty(self) -> Penalty:
        """The penalty."""
        ...

    @property
    def norms2(self) -> Floats:
        """Squared norms of the columns."""
        ...


def are_unit_norms(norms2: NDArray[np.float64], n_samples: int) -> bool:
    """Tell whether all columns that vary have the mean square 1, counted with n or n - 1."""
    varying = norms2[norms2 > _CONSTANT]
    allowed = _ROUNDING + 2.0 / n_samples
    return bool(varying.size and np.all(np.abs(varying - 1.0) <= allowed))


def has_unit_columns(problem: Problem, penalty: Penalty) -> bool:
    """Tell whether the columns of a problem are standardised; takes a pass over X."""
    return are_unit_norms(Solver(problem, penalty).norms2, problem.n_samples)


def warn_of_scales(solver: Measured, stacklevel: int = 3) -> None:
    """Warn where one shape of a concave penalty cannot suit all columns, unless that was decided.

    Of columns without a penalty, or left out, nothing is said.
    """
    problem = solver.problem
    if not problem.terms.unasked or is_convex(solver.penalty):
        return
    pi = problem.feature_weights
    norms2 = np.where((pi > 0.0) & np.isfinite(pi), solver.norms2, 0.0)
    varying = np.flatnonzero(norms2 > 0.0)
    if varying.size < 2:
        return
    scale = np.sqrt(norms2[varying])
    small, large = int(np.argmin(scale)), int(np.argmax(scale))
    ratio = scale[large] / scale[small]
    if not ratio > _WIDE:
        return
    names = problem.data.feature_names

    def called(k: int) -> str:
        j = int(varying[k])
        return f"column {j}" if names is None else f"column {j} ({str(names[j])!r})"

    warnings.warn(
        f"the scales of the columns of X differ by a factor of {ratio:.3g} (smallest: "
        f"{called(small)}, {scale[small]:.3g}; largest: {called(large)}, {scale[large]:.3g}): "
        f"{describe(solver.penalty)} is far too concave for some of them, or all but convex for "
        "others. Remedy: standardize=True (coefficients stay in the units of X), or "
        "standardize=False if that is what you want.",
        UserWarning,
        stacklevel=stacklevel,
    )
