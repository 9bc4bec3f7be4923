"""Equal accuracy: find the loosest tolerance with which a solver reaches a violation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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
    known: Mapping[float, Attempt] | None = None,
) -> Found:
    """Return the loosest of `tolerances` (loose to strict) whose violation is at most `target`.

    Violations are taken to fall with the tolerance. The search leaps as far as the excess over the
    target suggests for a violation proportional to the tolerance (not far enough for solvers that
    stop on a duality gap, which take another leap), then it closes the bracket.
    `patience` is the number of unfinished runs after which a solver is given up; `known` holds
    attempts made before, for another target.
    """
    bracket = _Bracket(tolerances, target)
    for i, tol in enumerate(tolerances):
        if known is not None and tol in known:
            bracket.add(i, known[tol])
    unfinished = 0
    while bracket.is_open():
        i = bracket.inside()
        attempt = run(tolerances[i])
        bracket.add(i, attempt)
        unfinished += attempt.violation is None
        if unfinished == patience:
            break
    return Found(bracket.best) if bracket.best is not None else Found(None, bracket.reason)


class _Bracket:
    """Between the strictest tolerance that fails and the loosest that passes, by index."""

    def __init__(self, tolerances: Sequence[float], target: float) -> None:
        self.tolerances, self.target = tolerances, target
        self.failing, self.passing, self.limit = -1, len(tolerances), len(tolerances)
        self.excess: dict[int, float] = {}  # log of violation / target
        self.best: Attempt | None = None
        self.reason = "accuracy never reached"
        self.halve = False

    def add(self, i: int, attempt: Attempt) -> None:
        """Narrow the bracket."""
        if attempt.violation is None:
            if i < self.limit:
                self.limit, self.reason = i, attempt.note
        elif attempt.violation <= self.target:
            if self.failing < i < self.passing:
                self.passing, self.best = i, attempt
        elif self.best is None or i < self.passing:
            self.failing = max(self.failing, i)
        if attempt.violation:
            self.excess[i] = math.log(attempt.violation / self.target)

    def is_open(self) -> bool:
        """Return whether a tolerance is left that might pass and be looser."""
        return self.failing + 1 < min(self.passing, self.limit)

    def inside(self) -> int:
        """Return the tolerance to try next."""
        upper = min(self.passing, self.limit)
        if upper == len(self.tolerances):
            return self._leap()
        # Where the violation falls as a power of the tolerance, one guess and its neighbour close
        # the bracket; where it does not, every other step halves.
        guess = None if self.halve else self._interpolate()
        self.halve = guess is not None
        middle = (self.failing + upper) // 2
        return min(max(middle if guess is None else guess, self.failing + 1), upper - 1)

    def _interpolate(self) -> int | None:
        high, low = self.excess.get(self.failing), self.excess.get(self.passing)
        if high is None or low is None or not math.isfinite(high):
            return None
        share = high / (high - low)  # high > 0 >= low
        # The first step at or below the target; rounding must not move it to the next one.
        return math.ceil(self.failing + share * (self.passing - self.failing) - 1e-6)

    def _leap(self) -> int:
        excess = self.excess.get(self.failing, math.inf)
        last = len(self.tolerances) - 1
        leap = 1
        while (
            math.isfinite(excess)
            and self.failing + leap < last
            and math.log(self.tolerances[self.failing] / self.tolerances[self.failing + leap])
            < excess
        ):
            leap += 1
        return min(self.failing + leap, last)
