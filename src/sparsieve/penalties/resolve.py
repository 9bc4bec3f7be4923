"""Penalties by name, and facts about any penalty."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .base import Floats, Penalty
from .builtin import L1, MCP, SCAD, BuiltIn, CappedL1, LogSum, Lq, check_penalty
from .coordinate import jump_threshold, minimiser

__all__ = [
    "BY_NAME",
    "as_given",
    "built_in_name",
    "families_with_shapes",
    "is_convex",
    "jump_threshold_of",
    "largest_concavity",
    "minimiser_of",
    "resolve_penalty",
    "shaped",
]

BY_NAME: dict[str, type[BuiltIn]] = {
    "l1": L1,
    "logsum": LogSum,
    "mcp": MCP,
    "scad": SCAD,
    "capped_l1": CappedL1,
    "lq": Lq,
}
_NAMES = {cls: name for name, cls in BY_NAME.items()}


# What else people call them; capitals, spaces, "-" and "_" make no difference in any name.
_ALIASES = {"lasso": "l1", "log": "logsum", "capped": "capped_l1", "bridge": "lq"}


_SAID = {name.replace("_", ""): cls for name, cls in BY_NAME.items()} | {
    alias: BY_NAME[name] for alias, name in _ALIASES.items()
}


def _plain(name: str) -> str:
    """Return a name without what makes no difference in it."""
    return "".join(name.lower().split()).replace("-", "").replace("_", "")


class LassoName(str):
    """Another name of the lasso, such as "lasso" or "L1": equal to "l1" too.

    scikit-learn's ``SelectFromModel`` asks ``estimator.penalty == "l1"`` to learn whether zero
    coefficients mean "not selected"; the answer should not depend on which name was used.
    """

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) is True or (isinstance(other, str) and _plain(other) == "l1")

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __deepcopy__(self, memo: Any) -> LassoName:
        return self  # like any text; clones of estimators compare parameters by identity


def as_given(penalty: Any) -> Any:
    """Return a penalty as an estimator keeps it: as it is, but see :class:`LassoName`."""
    alias = type(penalty) is str and penalty != "l1" and _SAID.get(_plain(penalty)) is L1
    return LassoName(penalty) if alias else penalty


def resolve_penalty(penalty: str | Penalty) -> Penalty:
    """Return a checked penalty object from a name or an object.

    Parameters
    ----------
    penalty : str or object
        ``"l1"``, ``"logsum"``, ``"mcp"``, ``"scad"``, ``"capped_l1"`` or ``"lq"`` mean the class
        with its defaults. ``"lasso"`` is L1, ``"log"`` LogSum, ``"capped"`` CappedL1 and
        ``"bridge"`` Lq; capitals, spaces, ``-`` and ``_`` make no difference (``"Log-Sum"``). An
        object of one of these classes is accepted if its parameters are in their ranges, any
        other object with ``value`` and ``slope`` after a check on a grid of sizes and alphas:
        both are finite, the value at 0 is 0, the slope is >= 0, non-increasing and the derivative
        of the value, and an array of alphas gives the same numbers as one alpha at a time. A
        class instead of an object is refused.

    Returns
    -------
    Penalty
        The object itself (not a copy), or a new one for a name.

    Raises
    ------
    ValueError
        For a name that is not known, a parameter out of its range, or formulas that fail the check.
    TypeError
        For a class, and for an object whose two methods are missing or do not take arrays.
    """
    if isinstance(penalty, str):
        said = _plain(penalty)
        if said not in _SAID:
            raise ValueError(
                f"penalty={penalty!r} is not known; use one of {', '.join(map(repr, BY_NAME))} "
                f"(or {', '.join(map(repr, _ALIASES))}), or an object with the methods "
                "value(abs_w, alpha) and slope(abs_w, alpha)."
            )
        return _SAID[said]()
    if isinstance(penalty, type):
        raise TypeError(
            f"penalty is the class {penalty.__name__}; pass an instance: {penalty.__name__}()."
        )
    check_penalty(penalty)
    return penalty


def minimiser_of(
    penalty: str | Penalty, z: ArrayLike, curvature: ArrayLike, alpha: ArrayLike
) -> Floats:
    r"""Return the best value of one coefficient, the others fixed.

    .. math:: \arg\min_w \; \tfrac{h}{2} w^2 - z w + r(|w|; \alpha)

    Its sign is that of z. On a tie with zero it is zero.

    Parameters
    ----------
    penalty : str or Penalty
        A name, a built-in or any object with ``value`` and ``slope``; the latter is searched by
        branch and bound, which needs it to be concave.
    z : array-like
        Correlation of the feature with the residual that leaves it out.
    curvature : array-like
        h > 0, the mean square of the feature's column.
    alpha : array-like
        Strength, >= 0; where it is 0 the result is z / h.

    Returns
    -------
    ndarray
        Of the shape to which z, curvature and alpha broadcast.

    Examples
    --------
    >>> from sparsieve.penalties import minimiser_of
    >>> minimiser_of("mcp", [0.5, -4.0], 1.0, 1.0)
    array([ 0., -4.])
    """
    return minimiser(resolve_penalty(penalty), z, curvature, alpha)


def jump_threshold_of(penalty: str | Penalty, curvature: ArrayLike, alpha: ArrayLike) -> Floats:
    r"""Return the largest size of z up to which zero is the best value of a coefficient.

    .. math:: \inf_{t > 0} \; \frac{h t}{2} + \frac{r(t; \alpha)}{t} \le r'(0; \alpha)

    Below the slope at zero, a coefficient that leaves zero jumps. For a penalty that is searched
    the result may be too small by 1e-9 of it. Parameters as in :func:`minimiser_of`.

    Examples
    --------
    >>> from sparsieve.penalties import jump_threshold_of
    >>> jump_threshold_of("mcp", [0.1, 1.0], 2.0).round(3)
    array([1.095, 2.   ])
    """
    return jump_threshold(resolve_penalty(penalty), curvature, alpha)


# Far beyond any coefficient.
_FAR = 1e100


def is_convex(penalty: Penalty) -> bool:
    """Tell whether a checked penalty is convex: its slope, which never rises, never falls."""
    known = getattr(penalty, "convex", None)  # at once: small fits ask often
    if known is not None and _is_ours(penalty):
        return bool(known)
    if not hasattr(penalty, "slope"):  # a user's own, of which a loaded model has only words
        return False
    alphas = np.repeat([1e-3, 1.0, 1e3], 2)
    with np.errstate(all="ignore"):
        slope = np.asarray(penalty.slope(np.tile([0.0, _FAR], 3), alphas))
    return bool(np.all(slope[::2] == slope[1::2]))


def largest_concavity(penalty: Penalty, alpha: float) -> float:
    """Return the largest -r''(t; alpha) over t > 0: what the data must outweigh."""
    said = getattr(penalty, "concavity", None)
    known = 0.0 if said is None else float(said(alpha))
    if said is not None and _is_ours(penalty):
        return known
    # Steepest fall of the slope on a fine grid. It can miss a kink, the user's word can be wrong:
    # the larger of the two claims less.
    t = np.r_[0.0, np.geomspace(1e-8, 1e8, 4001)]
    slope = np.asarray(penalty.slope(t, np.full_like(t, alpha)), dtype=np.float64)
    return max(known, float(np.max(-np.diff(slope) / np.diff(t))))


def shaped(penalty: Any) -> BuiltIn | None:
    """Return the penalty itself if the library knows its shape; None for L1 and users' own."""
    known = isinstance(penalty, BuiltIn) and hasattr(penalty, "_shape_name")
    return penalty if known and penalty._shape_name else None


def families_with_shapes() -> list[str]:
    """Return the built-in penalties that have a shape, by the names of their classes."""
    return sorted(kind.__name__ for kind in BY_NAME.values() if kind._shape_name)


def built_in_name(penalty: Any) -> str | None:
    """Return the name of a penalty of the library; None for anything else, a subclass too."""
    return _NAMES.get(type(penalty))


def _is_ours(penalty: Any) -> bool:
    """Tell whether the formulas are the library's own, so that what it says of itself is true."""
    return isinstance(penalty, BuiltIn) and hasattr(penalty, "core_spec")
