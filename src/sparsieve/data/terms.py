r"""What a problem says beside its data and its penalty: units of the columns, a ridge, bounds.

.. math::
    \sum_j \Big[ r(|v_j|; \alpha \lambda \pi_j)
    + \frac{\alpha (1 - \lambda) \pi_j + \rho}{2} v_j^2 \Big], \qquad
    \mathrm{lower}_j \le w_j \le \mathrm{upper}_j

with the l1 ratio lambda, the ridge rho, and v_j = w_j, or s_j w_j where columns are standardised:
s_j is the weighted standard deviation of column j. Plain NumPy: the judges use it too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .kinds import check_flag
from .names import by_name
from .scalars import check_number
from .types import Floats
from .validation import Checked

__all__ = ["PLAIN", "Terms", "check_l1_ratio", "check_l1_ratios", "check_terms", "terms_of"]


@dataclass(frozen=True, eq=False)
class Terms:
    """Checked options, one object for all rooms.

    Attributes
    ----------
    standardize : bool
    l1_ratio, ridge : float
    lower, upper : ndarray of shape (n_features,) or None
        Bounds of the coefficients in the user's units; None: there are none.
    unasked : bool
        Nobody said whether columns are to be standardised: a warning may be due.
    """

    standardize: bool = False
    l1_ratio: float = 1.0
    ridge: float = 0.0
    lower: Floats | None = None
    upper: Floats | None = None
    unasked: bool = False

    @property
    def bounded(self) -> bool:
        """Whether any coefficient has a bound."""
        return self.lower is not None or self.upper is not None

    @property
    def positive(self) -> bool:
        """Whether the bounds are zero from below and nothing else."""
        return self.lower is not None and self.upper is None and not np.any(self.lower)

    @property
    def identity(self) -> tuple[Any, ...]:
        """Values that a checkpoint compares with those of its finished parts.

        Where nothing but the sign is constrained it is what it was before there were other
        options, so that checkpoints of that time are still taken.
        """
        plain = not self.standardize and not self.ridged
        if plain and (self.positive or not self.bounded):
            return (self.positive,)
        return (self.standardize, self.l1_ratio, self.ridge, self.lower, self.upper)

    @property
    def ridged(self) -> bool:
        """Whether there is a ridge, of whichever kind."""
        return self.ridge > 0.0 or self.l1_ratio < 1.0

    def clip(self, coef: Floats) -> Floats:
        """Return coefficients moved into their bounds."""
        if self.lower is not None:
            coef = np.maximum(coef, self.lower)
        return coef if self.upper is None else np.minimum(coef, self.upper)

    def obeyed_by(self, coef: Floats) -> bool:
        """Tell whether every coefficient is within its bounds."""
        return bool(np.all(self.clip(coef) == coef))

    def outward(self, correlation: Floats) -> Floats:
        """Return how far correlations push coefficients of zero, in the ways these may go.

        A positive correlation pushes up, a negative one down; 0 where the bound of that side is 0.
        """
        up = correlation if self.upper is None else np.where(self.upper > 0, correlation, -np.inf)
        down = -correlation
        down = down if self.lower is None else np.where(self.lower < 0, down, -np.inf)
        return np.maximum(np.maximum(up, down), 0.0)

    def room(self, push: Floats, columns: Any = slice(None)) -> Floats:
        """Return how far from zero some coefficients may go in the direction they are pushed."""
        free = np.full(push.size, np.inf)
        up = free if self.upper is None else self.upper[columns]
        down = free if self.lower is None else -self.lower[columns]
        return np.where(push > 0, up, down)

    def inward(self, coef: Floats, push: Floats) -> Floats:
        """Return pushes (minus the slope of F), 0 for coefficients pushed against their bound."""
        if self.upper is not None:
            push = np.where((coef == self.upper) & (push > 0), 0.0, push)
        if self.lower is not None:
            push = np.where((coef == self.lower) & (push < 0), 0.0, push)
        return push

    def of(self, column: int) -> Terms:
        """Return the terms of one feature, its bounds as arrays of one number."""
        lower = None if self.lower is None else self.lower[[column]]
        upper = None if self.upper is None else self.upper[[column]]
        return replace(self, lower=lower, upper=upper)

    def strength(self, alpha: Any) -> Any:
        """Return the part of alpha that the penalty gets; :meth:`ridges` has the rest."""
        return alpha * self.l1_ratio

    def ridges(self, alpha: float, weights: Floats) -> Floats:
        """Return the ridge of every feature at one alpha; that of an excluded one is 0."""
        share = (1.0 - self.l1_ratio) * alpha
        with np.errstate(invalid="ignore"):
            own = np.where(np.isinf(weights), 0.0, share * weights + self.ridge)
        return np.asarray(own, dtype=np.float64)

    def excluding(self, weights: Floats | None) -> Floats | None:
        """Return the features' weights with those excluded that may not leave zero at all."""
        if self.lower is None or self.upper is None:
            return weights
        fixed = (self.lower == 0.0) & (self.upper == 0.0)
        if not fixed.any():
            return weights
        return np.where(fixed, np.inf, 1.0 if weights is None else weights)


_LEAST_RATIO = 1e-9
#: No ridge, no bounds, columns as they are.
PLAIN = Terms()


def check_terms(
    n_features: int,
    names: NDArray[Any] | None = None,
    *,
    positive: Any = False,
    standardize: Any = None,
    l1_ratio: Any = 1.0,
    ridge: Any = 0.0,
    bounds: Any = None,
) -> Terms:
    """Return checked options; ``positive`` and ``bounds`` together mean both."""
    lower, upper = _check_bounds(bounds, n_features, names)
    if check_flag("positive", positive):
        lower = np.zeros(n_features) if lower is None else np.maximum(lower, 0.0)
    remedy = "use True, False, or None to be warned where it matters"
    return Terms(
        standardize=standardize is not None
        and check_flag("standardize", standardize, remedy=remedy),
        l1_ratio=check_l1_ratio(l1_ratio),
        ridge=check_number("ridge", ridge, closed="low", remedy="use 0 for no ridge"),
        lower=lower,
        upper=upper,
        unasked=standardize is None,
    )


def terms_of(
    data: Checked, positive: Any, standardize: Any, l1_ratio: Any, ridge: Any, bounds: Any
) -> Terms:
    """Return the checked options of a public function for its data."""
    return check_terms(
        data.X.shape[1],
        data.feature_names,
        positive=positive,
        standardize=standardize,
        l1_ratio=l1_ratio,
        ridge=ridge,
        bounds=bounds,
    )


def check_l1_ratio(l1_ratio: Any) -> float:
    """Return a checked ``l1_ratio=``."""
    remedy = "use 1 for no ridge; for a ridge alone use ridge= and a small alpha"
    if isinstance(l1_ratio, list | tuple | np.ndarray):
        remedy = "SparseRegressorCV chooses among several; pass one here"
    ratio = check_number("l1_ratio", l1_ratio, high=1.0, closed="high", remedy=remedy)
    if ratio < _LEAST_RATIO:  # alphas, which are divided by it, would leave the range of doubles
        raise ValueError(f"l1_ratio={ratio:g} is less than {_LEAST_RATIO:g}; {remedy}.")
    return ratio


def check_l1_ratios(l1_ratio: Any) -> list[float]:
    """Return one checked ratio, or those of a list, without repeats and in its order."""
    if isinstance(l1_ratio, str) or not hasattr(l1_ratio, "__iter__"):
        return [check_l1_ratio(l1_ratio)]
    ratios = list(dict.fromkeys(check_l1_ratio(ratio) for ratio in l1_ratio))
    if not ratios:
        raise ValueError("l1_ratio is an empty list; use e.g. l1_ratio=[0.5, 0.9, 1.0].")
    return ratios


def _check_bounds(
    bounds: Any, n_features: int, names: NDArray[Any] | None
) -> tuple[Floats | None, Floats | None]:
    if bounds is None:
        return None, None
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise ValueError(
            f"bounds must be a pair (lower, upper), got {_shown(bounds)}; use e.g. "
            "bounds=(0, None) or bounds=(-1, 1)."
        ) from None
    lower = _one_side("lower", low, -np.inf, n_features, names)
    upper = _one_side("upper", high, np.inf, n_features, names)
    for side, values, inwards in (("lower", lower, 1.0), ("upper", upper, -1.0)):
        excluding = np.flatnonzero([] if values is None else inwards * values > 0.0)
        if values is None or excluding.size == 0:
            continue
        at = int(excluding[0])
        column = f"{at}" if names is None else f"{at} ({names[at]!r})"
        raise ValueError(
            f"bounds: the {side} bound of column {column} is {values[at]:g}, which excludes zero; "
            "a sparse model needs zero inside. Move the response by that much of the column, or "
            f"use 0 as the {side} bound."
        )
    return lower, upper


def _one_side(
    side: str, values: Any, no_bound: float, n_features: int, names: NDArray[Any] | None
) -> Floats | None:
    """Return the bounds of one side, one per feature; None if none of them is finite."""
    values = by_name("bounds", values, names, no_bound)
    if values is None:
        return None
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"bounds: the {side} bound must be a number, one number per column, or None, got "
            f"{_shown(values)}; use e.g. bounds=(0, None) or bounds=(-1, 1)."
        ) from None
    if array.ndim > 1 or (array.ndim == 1 and array.size != n_features):
        raise ValueError(
            f"bounds: the {side} bound has shape {array.shape} but X has {n_features} columns; "
            "pass a number, or one number per column."
        )
    if np.any(np.isnan(array)):
        raise ValueError(f"bounds: the {side} bound is nan; use None or {no_bound} for no bound.")
    array = np.broadcast_to(array, (n_features,)).astype(np.float64)
    return None if np.all(array == no_bound) else array


def _shown(value: Any) -> str:
    """Return the beginning of a value in words, on one line."""
    return " ".join(repr(value).split())[:60]
