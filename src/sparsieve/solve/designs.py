"""The columns of a problem as solvers see them."""

from __future__ import annotations

import warnings

import numpy as np

from .. import _core
from ..data.types import Floats
from ..data.validation import Checked, check_finite_X
from .problem import Problem

__all__ = ["check_columns", "check_range", "keeps_all", "make_design"]

# Rows per column from which on data are tall, how many products for each entry of X and each alpha
# are worth a Gram matrix of all columns, and how many columns have one at the most.
_TALL, _WORTH, _MOST = 4, 5, 1000
# Fewer alphas are solved without.
_SEVERAL = 10


def check_range(design: _core.Design, data: Checked) -> None:
    """Refuse a measured X that is not finite or overflows when squared; warn if that underflows."""

    def called(j: int) -> str:
        return f"{j}" if data.feature_names is None else f"{j} ({data.feature_names[j]!r})"

    large = np.asarray(design.too_large, dtype=np.int64)
    small = np.asarray(design.too_small, dtype=np.int64)
    if large.size:
        check_finite_X(data.X, data.feature_names)
        raise ValueError(
            f"X: column {called(large[0])} holds numbers so large that their squares "
            "leave the range of double precision; divide it by a power of ten."
        )
    if small.size == 0:
        return
    if not design.usable:
        raise ValueError(
            f"X: column {called(small[0])} and every other that is not zero hold numbers so small "
            "that their squares leave the range of double precision; multiply X by a power of ten."
        )
    warnings.warn(
        f"X: {small.size} column(s), first {called(small[0])}, hold numbers so small that their "
        "squares leave the range of double precision; they count as zero. Multiply them by a "
        "power of ten if they matter.",
        UserWarning,
        stacklevel=5,
    )


def _warn_of_constant(design: _core.Design, data: Checked) -> None:
    constant = np.asarray(design.constant, dtype=np.int64)
    if constant.size == 0:
        return
    j, names = int(constant[0]), data.feature_names
    warnings.warn(
        f"X: {constant.size} column(s), first {j}"
        f"{'' if names is None else f' ({str(names[j])!r})'}, are constant and have no standard "
        "deviation to divide by; they are taken as they are. Drop them, or use "
        "standardize=False.",
        UserWarning,
        stacklevel=5,
    )


def make_design(
    problem: Problem,
    threads: int,
    *,
    sample_weight: Floats | None = None,
    shadow: bool | None = None,
    many: bool = False,
) -> _core.Design:
    """Return the columns of a problem as solvers see them; ``many``: they will be read often."""
    return _core.Design(
        problem.columns,
        problem.data.omega(sample_weight),
        problem.fit_intercept,
        threads,
        problem.shadow if shadow is None else shadow,
        many,
        problem.terms.standardize,
        problem.uncertainty,
        problem.deviations,
    )


def check_columns(design: _core.Design, problem: Problem, *, silent: bool = False) -> None:
    """Refuse columns that cannot be computed with; warn of those that cannot be standardised."""
    check_range(design, problem.data)
    if problem.terms.standardize and not silent:
        _warn_of_constant(design, problem.data)


def keeps_all(problem: Problem, n_alphas: int) -> bool:
    """Tell whether a solver takes all features into its working set at once, and keeps them there.

    Its Gram matrix costs n d^2 / 2 products once; every alpha then costs no more than d^2, whatever
    n. Without it an alpha reads the selected columns a few times, n d products where a path ends,
    which wait for memory where those of the Gram matrix do not.
    """
    n, d = problem.n_samples, problem.n_features
    products, per_path = n * d**2 / 2, n * d * n_alphas
    worth_it = products <= _WORTH * per_path and n_alphas >= _SEVERAL
    return worth_it and n >= _TALL * d and d <= _MOST and problem.design.stored_in_full
