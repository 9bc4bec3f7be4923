"""The one rule that chooses penalty and alpha among scores.

Estimators choose by it; plots and reports mark what it says, so that none can disagree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.types import Floats

__all__ = ["Choice", "choice_of", "choose"]

Places = NDArray[np.int64]


class Choice(NamedTuple):
    """What the rule says about scores of shape (n_penalties, n_alphas), alphas decreasing.

    Attributes
    ----------
    row : int
        The penalty.
    best : ndarray of shape (n_penalties,)
        Where each penalty has its best score.
    one_se : ndarray of shape (n_penalties,) or None
        The largest alpha of each penalty whose score is within one standard error of that; None for
        scores without standard errors.
    """

    row: int
    best: Places
    one_se: Places | None

    def at(self, rule: str = "min") -> int:
        """Return which alpha of the chosen penalty is chosen, by "min" or "1se"."""
        places = self.best if rule == "min" or self.one_se is None else self.one_se
        return int(places[self.row])


def choose(scores: Floats, tie: float, errors: Floats | None = None) -> Choice:
    """Choose among scores, the higher the better.

    Scores that differ by at most ``tie`` count as equal: solves are no more accurate than that, and
    a non-convex penalty has whole plateaus where it shrinks nothing. Of equal ones the first
    penalty wins, and of its alphas the largest. NaN, where something was not computed, is never
    chosen.
    """
    scores = np.where(np.isnan(scores), -np.inf, scores)
    enough = scores.max(axis=1) - tie
    row = _first(scores.max(axis=1) >= scores.max() - tie)
    enough[row] = scores.max() - tie
    best = np.array([_first(line >= level) for line, level in zip(scores, enough, strict=True)])
    if errors is None:
        return Choice(row, best, None)
    each = zip(scores, errors, best, strict=True)
    one_se = np.array([_first(line >= line[at] - error[at]) for line, error, at in each])
    return Choice(row, best, one_se)


def _first(good: NDArray[np.bool_]) -> int:
    return int(np.argmax(good))


def choice_of(model: Any) -> Choice:
    """Return the rule's answer for an estimator that has its scores, or its criterion, and tie_."""
    tie = getattr(model, "tie_", 0.0)  # files of a time before it was kept
    if hasattr(model, "criterion_"):
        return choose(-np.atleast_2d(model.criterion_), tie)
    shape, table = np.atleast_2d(model.alphas_).shape, model.cv_results_
    scores, errors = table["mean_test_score"], table["se_test_score"]
    return choose(scores.reshape(shape), tie, errors.reshape(shape))
