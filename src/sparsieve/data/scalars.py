"""Checks of single numbers that users pass in: sizes, shares, counts, workers, random states."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib.parallel import get_active_backend

__all__ = ["check_generator", "check_integer", "check_number", "count_jobs"]

# The core counts iterations in 64 bits; no solve makes so many.
_NO_LIMIT = 2**62


def check_number(
    name: str,
    value: Any,
    *,
    low: float = 0.0,
    high: float = np.inf,
    closed: str = "",
    remedy: str,
) -> float:
    """Return value as a finite float between low and high, else raise ValueError.

    ``closed`` says which bounds are allowed themselves: any of "", "low", "high", "low high".
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise ValueError(
            f"{name} must be a number, got {value!r} of type {type(value).__name__}; {remedy}."
        )
    try:
        number = float(value)
    except OverflowError:  # an integer of hundreds of digits
        number = math.inf  # whatever its sign, no bound includes it
    above = number >= low if "low" in closed else number > low
    below = number <= high if "high" in closed else number < high
    if not (above and below):
        left, right = "[" if "low" in closed else "(", "]" if "high" in closed else ")"
        at_least = f">{'=' if 'low' in closed else ''} {low:g}"
        bounds = at_least if np.isinf(high) else f"in {left}{low:g}, {high:g}{right}"
        raise ValueError(f"{name} must be a finite number {bounds}, got {value!r}; {remedy}.")
    return number


def check_integer(name: str, value: Any, *, low: int, remedy: str) -> int:
    """Return value as an int >= low, else raise ValueError."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or value < low:
        raise ValueError(f"{name} must be an integer >= {low}, got {value!r}; {remedy}.")
    return min(int(value), _NO_LIMIT)


def count_jobs(n_jobs: Any) -> int:
    """Return how many workers n_jobs stands for, as joblib counts them, else raise ValueError."""
    wrong = isinstance(n_jobs, bool | np.bool_) or not isinstance(n_jobs, Integral) or n_jobs == 0
    if n_jobs is not None and wrong:
        raise ValueError(
            f"n_jobs must be None or an integer other than 0, got {n_jobs!r}; use n_jobs=2 for two "
            "threads, n_jobs=-1 for all cores, None for one (or what joblib's context says)."
        )
    # Unlike joblib's effective_n_jobs, which counts processes unless told otherwise: these cannot
    # be started everywhere, threads can.
    backend, _ = get_active_backend(prefer="threads")
    if n_jobs is None:
        _, n_jobs = get_active_backend()
    if n_jobs is None or n_jobs == 1:
        return 1
    # More threads than any machine has cores stand for "all there are".
    return int(backend.effective_n_jobs(max(min(int(n_jobs), 4096), -4096)))


def check_generator(random_state: Any) -> np.random.Generator:
    """Return the random numbers that random_state stands for, else raise ValueError."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"random_state must be None, an integer >= 0 or a numpy.random.Generator, got "
            f"{random_state!r}; use e.g. random_state=0."
        ) from error
