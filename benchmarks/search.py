"""Equal accuracy: find the loosest tolerance with which a solver reaches a violation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Attempt:
    """One run of a solver: what it was asked and what the judge found.

    `violation` is relative to max_j |x_j'y|/n, and None when the run did not finish in time or
    failed.
    """

    tol: float
    violation: float | None
    seconds: float
    note: str = ""


@dataclass(frozen=True)
class Found:
    """The loosest attempt that passed, or why there is none.

    `earlier` is the record of an earlier run that settled it, if one did.
    """

    attempt: Attempt | None
    reason: str = ""
    earlier: dict[str, Any] | None = None


def ladder(loosest: float, strictest: float, per_decade: int = 2) -> list[float]:
    """Return tolerances from loose to strict in even steps on the log scale."""
    steps = round(per_decade * math.log10(loosest / strictest))
    return [loosest * 10 ** (-k / per_decade) for k in range(steps + 1)]


def loosest(
    run: Callable[[float], Attempt],
    tolerances: Sequence[float],
    target: float,
    patience: int | None = None,
) -> Found:
    """Return the loosest of `tolerances` (loose to strict) whose violation is at most `target`.

    Violations are taken to fall with the tolerance. The search leaps as far as the excess over the
    target suggests for a violation proportional to the tolerance (not far enough for solvers that
    stop on a duality gap, which take another leap), then it halves the bracket.
    `patience` is the number of unfinished runs after which a solver is given up.
    """
    failing, passing, limit = -1, None, len(tolerances)
    best: Attempt | None = None
    reason = "accuracy never reached"
    i = unfinished = 0
    while failing + 1 < (limit if passing is None else passing):
        attempt = run(tolerances[i])
        if attempt.violation is None:
            limit, reason = i, attempt.note
            unfinished += 1
            if unfinished == patience:
                break
        elif attempt.violation <= target:
            passing, best = i, attempt
        else:
            failing = i
        i = _next(tolerances, failing, passing, limit, attempt, target)
    return Found(best) if best is not None else Found(None, reason)


def _next(
    tolerances: Sequence[float],
    failing: int,
    passing: int | None,
    limit: int,
    attempt: Attempt,
    target: float,
) -> int:
    if passing is not None or limit < len(tolerances):
        upper = limit if passing is None else passing
        return max((failing + upper) // 2, failing + 1)
    excess = attempt.violation / target if attempt.violation else math.inf
    leap = 1
    while (
        math.isfinite(excess)
        and failing + leap + 1 < len(tolerances)
        and tolerances[failing] / tolerances[failing + leap] < excess
    ):
        leap += 1
    return min(failing + leap, len(tolerances) - 1)
