"""Grids of shapes: which penalties a surface or a cross-validation goes through."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._words import describe
from ..data.scalars import check_number
from ..penalties import L1, Penalty, resolve_penalty
from ..penalties.resolve import families_with_shapes, shaped
from ..solve.problem import Problem

__all__ = ["neighbour_shape", "resolve_penalties", "shape_grid", "typical_scales"]


def shape_grid(
    penalty: str | Penalty,
    shapes: ArrayLike | None = None,
    *,
    column_scale: float = 1.0,
    coef_scale: float = 1.0,
) -> list[Penalty]:
    r"""Return one penalty per shape, from nearly convex to strongly concave.

    Parameters
    ----------
    penalty : str or Penalty
        Which family: its ``gamma`` (MCP, SCAD), ``theta`` (log-sum, capped l1) or ``q`` (lq) is
        replaced by each shape in turn.
    shapes : array-like, default=None
        The shapes, used as they are. None takes a default grid, scaled to the data by the two
        scales below: MCP and SCAD are concave relative to the mean square of a column, log-sum,
        capped l1 and lq relative to the size of a coefficient.
    column_scale : float, default=1.0
        A typical root mean square :math:`s` of the columns (1 when they are standardised). MCP
        takes :math:`\gamma = g / s^2` and SCAD :math:`\gamma = 1 + (g - 1) / s^2` (at least 2.05)
        for the default :math:`g`, which keeps each coordinate as concave as on unit columns.
    coef_scale : float, default=1.0
        A typical size of a coefficient, for instance std(y) / column_scale.

    Returns
    -------
    list of Penalty

    Examples
    --------
    >>> import sparsieve as sv
    >>> sv.shape_grid("mcp", [5.0, 2.0])
    [MCP(gamma=5.0), MCP(gamma=2.0)]
    """
    penalty = resolve_penalty(penalty)
    known = shaped(penalty)
    if shapes is None:
        check_number("column_scale", column_scale, remedy="use e.g. column_scale=1.0")
        check_number("coef_scale", coef_scale, remedy="use e.g. coef_scale=1.0")
        return [penalty] if known is None else known._default_grid(column_scale, coef_scale)
    given = np.atleast_1d(np.asarray(shapes))
    if given.ndim != 1 or given.size == 0 or given.dtype.kind not in "iuf":
        raise ValueError(
            f"shapes must be a non-empty list of numbers, got {shapes!r}; pass e.g. "
            "shapes=[5.0, 2.0], or None for the default grid."
        )
    if known is None:
        families = ", ".join(families_with_shapes())
        raise ValueError(
            f"shapes={shapes!r} was given, but {type(penalty).__name__} has no shape parameter the "
            f"library knows; pass a list of penalties instead, or one of {families}."
        )
    values = given.astype(np.float64)
    return [resolve_penalty(known._with(**{known._shape_name: float(v)})) for v in values]


def neighbour_shape(penalty: Penalty) -> Penalty:
    """Return the same penalty, about half as concave; L1 when the library knows no shape of it."""
    known = shaped(penalty)
    return L1() if known is None else resolve_penalty(known._half_as_concave())


def resolve_penalties(penalty: Any) -> list[Penalty]:
    """Return checked penalties from one (a name or an object) or a list of them."""
    one: Any = penalty
    if isinstance(penalty, str | Mapping) or not isinstance(penalty, Iterable):
        return [resolve_penalty(one)]
    penalties = [resolve_penalty(each) for each in penalty]
    if not penalties:
        raise ValueError("penalty is an empty list; give one penalty, or a list of at least one.")
    seen: dict[str, int] = {}
    for k, each in enumerate(penalties):
        first = seen.setdefault(_identity(each), k)
        if first != k:
            raise ValueError(
                f"penalty[{k}] = {describe(each)} repeats penalty[{first}]; give each shape once."
            )
    return penalties


def _identity(penalty: Any) -> str:
    """Return what tells two penalties apart: class and parameters, or the object itself."""
    # The class only as text: a user's own penalty has no other name.
    parameters = getattr(penalty, "get_params", None)
    kind = f"{type(penalty).__module__}.{type(penalty).__qualname__}"
    return f"{kind} {sorted(parameters().items())}" if callable(parameters) else str(id(penalty))


def typical_scales(problem: Problem) -> tuple[float, float]:
    """Return the median root mean square of the columns about their means, and std(y) over it.

    Both are in the units of the penalty: columns that are standardised have 1.
    """
    omega = problem.data.omega()
    y = problem.data.y - problem.offset if problem.squared else problem.working_response()
    spread = problem.design.spreads(omega) / problem.scales
    spread = spread[spread > 0.0]
    column = float(np.median(spread)) if spread.size else 1.0
    size = math.sqrt(float(omega @ (y - omega @ y) ** 2)) / column
    return column, size if size > 0.0 else 1.0
