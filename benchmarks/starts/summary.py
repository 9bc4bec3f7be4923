"""Means over draws: one number per case, penalty and way, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.starts.families import FAMILIES
from benchmarks.starts.ways import DEFAULT

Record = dict[str, Any]
Key = tuple[str, str, str]  # case, penalty, way
WORSE = 1.03  # what counts as a loss


@dataclass(frozen=True)
class Loss:
    """A case on which one way is worse than another, in per cent with its standard error."""

    case: str
    penalty: str
    percent: float
    standard_error: float

    @property
    def is_clear(self) -> bool:
        """Whether it is more than what the draws would do by chance, as far as they tell."""
        return self.percent > 2.0 * self.standard_error


class Summary:
    """The records of a study, by case, penalty and way."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.records = list(records)
        self._by_key: dict[Key, dict[int, Record]] = {}
        for record in self.records:
            key = (record["case"], record["penalty"], record["way"])
            self._by_key.setdefault(key, {})[record["draw"]] = record

    def cases(self, part: str, *, counted: bool | None = None) -> list[str]:
        """Return the names of the families ("family") or data sets ("real") in the records."""
        named = dict.fromkeys(r["case"] for r in self.records if r["part"] == part)
        if counted is None:
            return list(named)
        return [name for name in named if FAMILIES[name].counted == counted]

    def values(self, key: Key, what: str, draws: Iterable[int] | None = None) -> np.ndarray:
        """Return a measure for each draw, of all draws or of some."""
        found = self._by_key.get(key, {})
        chosen = sorted(found) if draws is None else sorted(set(draws) & set(found))
        return np.array([found[draw].get(what, math.nan) for draw in chosen])

    def draws(self, key: Key) -> set[int]:
        """Return the draws on which a way was tried."""
        return set(self._by_key.get(key, {}))

    def mean(self, key: Key, what: str = "error", draws: Iterable[int] | None = None) -> float:
        """Return the mean over draws, NaN where there are none."""
        values = self.values(key, what, draws)
        return float(np.mean(values)) if len(values) else math.nan

    def median(self, key: Key, what: str = "error") -> float:
        """Return the median over draws, NaN where there are none."""
        values = self.values(key, what)
        return float(np.median(values)) if len(values) else math.nan

    def over(
        self, cases: list[str], way: tuple[str, str], what: str, draws: Iterable[int] | None = None
    ) -> float:
        """Return the mean over cases of the means over draws; NaN if a case is missing.

        ``way`` is a penalty and what it starts from, or who fits it.
        """
        return float(np.mean([self.mean((case, *way), what, draws) for case in cases]))

    def ratios(
        self, cases: list[str], penalty: str, way: str, what: str, base: str = "previous"
    ) -> np.ndarray:
        """Return a way's measure relative to another's, one number per case that has both."""
        found = [
            self.mean((case, penalty, way), what) / self.mean((case, penalty, base), what)
            for case in cases
        ]
        return np.array([ratio for ratio in found if np.isfinite(ratio)])

    def losses(self, penalties: list[str], rival: Callable[[str], tuple[str, str]]) -> list[Loss]:
        """Return where the default start is worse by more than 3 % than a rival.

        ``rival(penalty)`` names the rival's penalty and way.
        """
        lost = []
        for case in [*self.cases("family"), *self.cases("real")]:
            middle = np.median if self._by_rule(case) == "bic" else np.mean
            for penalty in penalties:
                keys = (case, penalty, DEFAULT), (case, *rival(penalty))
                ratio, scatter = self.paired(*keys, "error", middle)
                if ratio > WORSE:
                    lost.append(Loss(case, penalty, 100.0 * (ratio - 1.0), 100.0 * scatter))
        return lost

    def paired(
        self, ours: Key, theirs: Key, what: str, middle: Callable[..., Any] = np.mean
    ) -> tuple[float, float]:
        """Return the ratio of two ways over the draws of both, and its standard error.

        The latter is that of the mean difference over the middle of the second way.
        """
        shared = self.draws(ours) & self.draws(theirs)
        if not shared:
            return math.nan, math.nan
        mine, other = self.values(ours, what, shared), self.values(theirs, what, shared)
        scatter = np.std(mine - other, ddof=1) / math.sqrt(len(mine)) if len(mine) > 1 else math.nan
        unit = float(middle(other))
        return float(middle(mine)) / unit, float(scatter) / unit

    def _by_rule(self, case: str) -> str:
        return FAMILIES[case].rule if case in FAMILIES else "nested cv"


def geometric_mean(values: np.ndarray) -> float:
    """Return the geometric mean, NaN of nothing."""
    return float(np.exp(np.mean(np.log(values)))) if len(values) else math.nan
