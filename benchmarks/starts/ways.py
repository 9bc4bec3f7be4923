"""Ways to fit: our penalties from every start or to every minimum, the lasso, the relaxed lasso.

A way turns a sample into one candidate model per alpha; `choosing` picks one of them. All ways to
fit a penalty see the same alphas, so that their objectives can be compared: 30 from alpha_max to
0.02 of it, and for log-sum at the same spacing upwards to ten times alpha_max, because from a lasso
its path is not empty there yet.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.adapters.ours import penalty_of
from benchmarks.judge import Penalty

Design = Any  # numpy array (Fortran order) or scipy CSC matrix

COUNT, EPS = 30, 0.02
LASSO_COUNT, LASSO_EPS = 50, 0.005
_ABOVE = {"logsum": 10.0}  # how far above alpha_max the grid of a penalty begins
_BLENDS = (0.0, 0.25, 0.5, 0.75, 1.0)  # shares of the lasso in the relaxed lasso, as in glmnet

FRACTIONS = (0.1, 0.2, 0.3, 0.5, 1.0)
DEFAULT = "lasso 0.3"
PENALTIES = (
    Penalty("mcp", 3.0),
    Penalty("scad", 3.7),
    Penalty("logsum", 0.1),
    Penalty("logsum", 0.01),
)

# How strong a minimum is looked for: start and minimum, by the name in the tables.
STRENGTHS = {
    "stationary": ("lasso", "stationary"),
    "coordinatewise": ("lasso", "coordinatewise"),
    "swap": ("lasso", "swap"),
    "swap from best": ("best", "swap"),
}


@dataclass(frozen=True)
class Candidates:
    """One model per alpha: coefficients (d, k), intercepts (k,), objectives where they are ours.

    ``seconds`` are those of the processor.
    """

    coefs: np.ndarray
    intercepts: np.ndarray
    objectives: np.ndarray | None = None
    seconds: float = math.nan

    def predict(self, X: Design) -> np.ndarray:
        """Return the predictions of every candidate, one column each."""
        predictions: np.ndarray = np.asarray(X @ self.coefs) + self.intercepts
        return predictions


class Way(Protocol):
    """A penalty and how it is fitted."""

    @property
    def name(self) -> str:
        """Name in tables: a start, or a rival."""

    @property
    def penalty(self) -> str:
        """Label of the penalty, or "" where there is no choice of one."""

    def alphas(self, X: Design, y: np.ndarray, intercept: bool) -> np.ndarray:
        """Return the alphas for this sample and the parts of it."""

    def fit(self, X: Design, y: np.ndarray, alphas: np.ndarray, intercept: bool) -> Candidates:
        """Return one candidate per alpha."""


@dataclass(frozen=True)
class Ours:
    """One of our penalties from one start, to a minimum of one strength."""

    kind: Penalty
    name: str
    start: Any
    minimum: str = "stationary"

    @property
    def penalty(self) -> str:
        return self.kind.label

    def alphas(self, X: Design, y: np.ndarray, intercept: bool) -> np.ndarray:
        return grid_of(self.kind, X, y, intercept)

    def fit(self, X: Design, y: np.ndarray, alphas: np.ndarray, intercept: bool) -> Candidates:
        more = {"start": self.start, "minimum": self.minimum}
        path, seconds = _path(X, y, self.kind, alphas, intercept, **more)
        return Candidates(dense(path.coefs), path.intercepts, path.objective, seconds)


@dataclass(frozen=True)
class Lasso:
    """The lasso; `relaxed` adds refits by least squares on its supports, and blends of both."""

    name: str
    relaxed: bool = False
    penalty: str = ""

    def alphas(self, X: Design, y: np.ndarray, intercept: bool) -> np.ndarray:
        return largest_alpha(Penalty("l1"), X, y, intercept) * np.geomspace(
            1.0, LASSO_EPS, LASSO_COUNT
        )

    def fit(self, X: Design, y: np.ndarray, alphas: np.ndarray, intercept: bool) -> Candidates:
        path, seconds = _path(X, y, Penalty("l1"), alphas, intercept)
        coefs, intercepts = dense(path.coefs), path.intercepts
        if not self.relaxed:
            return Candidates(coefs, intercepts, None, seconds)
        refit = path.relax()
        full, level = dense(refit.coefs), refit.intercepts
        blended = [share * coefs + (1.0 - share) * full for share in _BLENDS]
        levels = [share * intercepts + (1.0 - share) * level for share in _BLENDS]
        return Candidates(np.hstack(blended), np.concatenate(levels), None, seconds)


def grid_of(kind: Penalty, X: Design, y: np.ndarray, intercept: bool) -> np.ndarray:
    """Return the alphas of a penalty on a sample, from the largest down."""
    step = EPS ** (-1.0 / (COUNT - 1))
    above = math.ceil(math.log(_ABOVE.get(kind.kind, 1.0)) / math.log(step))
    powers = np.arange(above, -COUNT, -1)
    return np.asarray(largest_alpha(kind, X, y, intercept) * step**powers)


def largest_alpha(kind: Penalty, X: Design, y: np.ndarray, intercept: bool) -> float:
    """Return alpha_max."""
    import sparsieve as sv

    return sv.alpha_max(X, y, penalty_of(kind.kind, kind.shape), fit_intercept=intercept)


def dense(coefs: Any) -> np.ndarray:
    """Return coefficients as an array, however they are stored."""
    return coefs if isinstance(coefs, np.ndarray) else np.asarray(coefs.toarray())


def starts() -> dict[str, Any]:
    """Return every start of the study by its name in the tables."""
    from sparsieve.solve.starts import Start

    fractions = {f"lasso {f:g}": Start("lasso", fraction=f) for f in FRACTIONS}
    return {"previous": "previous", **fractions, "best": "best"}


def our_ways() -> list[Way]:
    """Return every penalty from every start, and the two that need none."""
    fitted: list[Way] = [
        Ours(kind, name, start) for kind in PENALTIES for name, start in starts().items()
    ]
    return [*fitted, Lasso("lasso"), Lasso("relaxed lasso", relaxed=True)]


def strength_ways() -> list[Way]:
    """Return the three milder penalties with a minimum of every strength."""
    return [
        Ours(kind, name, start, minimum)
        for kind in PENALTIES[:3]
        for name, (start, minimum) in STRENGTHS.items()
    ]


def _path(
    X: Design, y: np.ndarray, kind: Penalty, alphas: np.ndarray, intercept: bool, **more: Any
) -> tuple[Any, float]:
    """Return our path and the processor seconds it took."""
    import sparsieve as sv

    begun = time.process_time()
    with warnings.catch_warnings():
        # A point short of its tolerance is a candidate like any other.
        warnings.simplefilter("ignore", ConvergenceWarning)
        path = sv.sparse_path(
            X,
            y,
            penalty_of(kind.kind, kind.shape),
            alphas=alphas,
            fit_intercept=intercept,
            tol=1e-5,
            **more,
        )
    return path, time.process_time() - begun
