"""Real data: what is measured on which set, and columns on one scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from benchmarks.problems import real
from benchmarks.starts.ways import Design


@dataclass(frozen=True)
class RealSet:
    """A data set and how often its folds are drawn.

    Responses of kind "class" are -1 and 1, those of kind "count" are counts; least squares fits
    them all. Rivals take part in ``rival_draws`` of the draws; on ``large`` sets only the default
    is tried, beside "previous" and the lasso; the quick study looks at ``quick`` sets only.
    """

    name: str
    kind: str
    draws: int
    rival_draws: int
    quick: bool = False
    large: bool = False

    def load(self) -> tuple[Design, np.ndarray]:
        """Return X and y as they are stored; raise ProblemUnavailable where they are not."""
        return real(self.name)


REAL = (
    RealSet("riboflavin", "measured", 10, 2, quick=True),
    RealSet("boston_interactions", "measured", 3, 1),
    RealSet("diabetes_interactions", "measured", 3, 1, quick=True),
    RealSet("communities_crime", "measured", 3, 1),
    RealSet("rat_eye", "measured", 2, 1),
    RealSet("climate_sst", "measured", 2, 1),
    RealSet("leukemia", "class", 5, 1),
    RealSet("colon", "class", 6, 1),
    RealSet("prostate_singh", "class", 2, 0),
    RealSet("arcene", "class", 2, 0),
    RealSet("newsgroup", "class", 1, 0, large=True),
    RealSet("physician_poisson", "count", 3, 1),
    RealSet("bike_poisson", "count", 1, 0, large=True),
)
KINDS = {data.name: data.kind for data in REAL}


@dataclass(frozen=True)
class Scale:
    """What brings columns to unit variance (sparse ones to mean square 1, without moving zero)."""

    means: np.ndarray
    sizes: np.ndarray

    @classmethod
    def of(cls, X: Design) -> Scale:
        """Measure the columns; constant ones are left as they are."""
        squares = X.multiply(X) if sparse.issparse(X) else X**2
        mean_square = np.asarray(squares.mean(axis=0)).ravel()
        means = np.zeros(X.shape[1]) if sparse.issparse(X) else X.mean(axis=0)
        sizes = np.sqrt(np.maximum(mean_square - means**2, 0.0))
        flat = sizes <= 1e-7 * np.sqrt(mean_square)  # what rounding leaves of a constant column
        return cls(means, np.where(flat, 1.0, sizes))

    def apply(self, X: Design) -> Design:
        """Return X on this scale."""
        if sparse.issparse(X):
            return sparse.csc_matrix(X @ sparse.diags(1.0 / self.sizes))
        return np.asfortranarray((X - self.means) / self.sizes)
