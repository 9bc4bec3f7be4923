"""A loss and its offset, as the compiled core takes them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core
from ..data.types import Floats
from ..losses import null_shift
from ..losses.own import OwnLoss
from .problem import Problem

__all__ = ["core_response", "saturated_mean"]


def core_response(
    problem: Problem, sample_weight: Floats | None
) -> tuple[Floats, dict[str, Any], float]:
    """Return y as the core takes it, what it needs beside it, and what its intercepts lack.

    Squares need no loss: an offset is subtracted from y. To others an offset is given together with
    the best constant beside it, so that nothing overflows where a solve begins.
    """
    y, offset, loss = problem.data.y, problem.data.offset, problem.loss
    if problem.squared:
        return (y if offset is None else y - offset), {}, 0.0
    shift = 0.0
    if offset is not None and problem.fit_intercept:
        shift = null_shift(loss, y, problem.data.omega(sample_weight), offset)
        shift = shift if math.isfinite(shift) else -float(np.max(offset))
        offset = offset + shift
    if isinstance(loss, OwnLoss):
        made = _core.Loss.user(loss.for_core())
    else:
        name, parameters = loss.core_spec()
        made = getattr(_core.Loss, name)(*parameters)
    return y, {"loss": made, "offset": offset}, shift


def saturated_mean(problem: Problem, sample_weight: Floats | None) -> float:
    """Return the mean of the smallest values of the loss."""
    omega = problem.data.omega(sample_weight)
    return float(omega @ problem.loss.saturated(problem.data.y))
