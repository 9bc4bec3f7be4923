"""One coefficient, the others fixed: its best value and its threshold, computed by the core."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.types import Floats
from .checks import Watched

if TYPE_CHECKING:
    from .. import _core
    from .base import Penalty


def core_penalty(penalty: Penalty) -> _core.Penalty:
    """Give the core a penalty: its own version of a built-in, or calls back to Python."""
    from .. import _core  # here, because the judges know penalties and must not load the core

    spec = getattr(penalty, "core_spec", None)
    return (
        _core.python_penalty(Watched(penalty)) if spec is None else _core.builtin_penalty(*spec())
    )


def minimiser(penalty: Penalty, z: ArrayLike, curvature: ArrayLike, alpha: ArrayLike) -> Floats:
    """Return the best values, with the signs of z, for a checked penalty."""
    z_, h, a = _broadcast(z, curvature, alpha)
    _require("z", z_, np.isfinite(z_), "finite")
    _check_curvature_and_alpha(h, a)
    t, _ = core_penalty(penalty).minimise(np.abs(_flat(z_)), _flat(h), _flat(a))
    # Zero, not -0.0, where z is negative and small.
    return np.where(t > 0.0, np.copysign(t, _flat(z_)), 0.0).reshape(z_.shape)


def jump_threshold(penalty: Penalty, curvature: ArrayLike, alpha: ArrayLike) -> Floats:
    """Return the largest sizes of z up to which zero is best, for a checked penalty."""
    h, a = _broadcast(curvature, alpha)
    _check_curvature_and_alpha(h, a)
    limits: Floats = core_penalty(penalty).jump_thresholds(_flat(h), _flat(a))
    return limits.reshape(h.shape)


def _broadcast(*numbers: ArrayLike) -> list[Floats]:
    return list(np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in numbers)))


def _flat(array: Floats) -> Floats:
    return np.ascontiguousarray(array.reshape(-1))


def _check_curvature_and_alpha(curvature: Floats, alpha: Floats) -> None:
    _require("curvature", curvature, np.isfinite(curvature) & (curvature > 0.0), "finite and > 0")
    _require("alpha", alpha, np.isfinite(alpha) & (alpha >= 0.0), "finite and >= 0")


def _require(name: str, numbers: Floats, right: NDArray[np.bool_], wanted: str) -> None:
    if not np.all(right):
        raise ValueError(f"{name} holds {numbers[~right][0]:g}; use numbers that are {wanted}.")
