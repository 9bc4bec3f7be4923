"""What is solved: validated data, the constraints, and how strong a minimum is looked for."""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import _core
from ..data.core_columns import core_columns
from ..data.design import Design
from ..data.kinds import check_flag
from ..data.terms import PLAIN, Terms
from ..data.types import Floats
from ..data.validation import Checked
from .points import Fits, Point

__all__ = ["DEFAULT_MINIMUM", "MINIMA", "Problem", "check_minimum"]

#: How strong a minimum is looked for, weakest first.
MINIMA = ("stationary", "coordinatewise", "swap")
#: What is looked for unless something else is asked for.
DEFAULT_MINIMUM = "coordinatewise"


def check_minimum(minimum: Any) -> str:
    """Return a checked ``minimum=``."""
    if not isinstance(minimum, str) or minimum not in MINIMA:
        known = ", ".join(map(repr, MINIMA))
        raise ValueError(f"minimum={minimum!r} is not known; use one of {known}.")
    return minimum


class Problem:
    """Validated data and constraints; every solver of it reads the same columns of X.

    Folds, subsamples and shapes differ in sample weights or penalty only, so none of them copies
    X. Pickling (for worker processes) leaves the columns behind; they are found again in place.

    Parameters
    ----------
    data : Checked
    fit_intercept : bool
    terms : Terms
        Units of the columns, ridge, bounds.
    n_jobs : int or None
        Threads of one solver's passes over X, counted as joblib counts them. The result is the
        same, bit for bit, for any number.
    shadow : bool
        Whether solvers may build the 8-bit shadow of a dense X.
    minimum : {"stationary", "coordinatewise", "swap"}
        How strong a minimum every solver looks for; a convex problem has but one.
    """

    def __init__(
        self,
        data: Checked,
        *,
        fit_intercept: bool = True,
        terms: Terms = PLAIN,
        n_jobs: int | None = None,
        shadow: bool = True,
        minimum: str = "stationary",
    ) -> None:
        self.minimum = check_minimum(minimum)
        self.data = data._replace(weights=terms.excluding(data.weights))
        self.terms = terms
        self.design = Design(data.X)
        self.n_jobs = n_jobs
        self.shadow = check_flag("shadow", shadow)
        self.fit_intercept = check_flag("fit_intercept", fit_intercept)
        self.n_samples, self.n_features = self.design.shape
        self._columns: _core.Columns | None = None

    @property
    def columns(self) -> _core.Columns:
        """The columns of X as the core reads them."""
        if self._columns is None:
            self._columns = core_columns(self.data.X)
        return self._columns

    @property
    def feature_weights(self) -> Floats:
        """One penalty weight per feature."""
        weights = self.data.weights
        return np.ones(self.n_features) if weights is None else weights

    @functools.cached_property
    def scales(self) -> Floats:
        """What coefficients are multiplied by before they are penalised: one per feature."""
        if not self.terms.standardize:
            return np.ones(self.n_features)
        spreads = self.design.spreads(self.data.omega())
        return np.where(spreads > 0.0, spreads, 1.0)

    def with_l1_ratio(self, l1_ratio: float) -> Problem:
        """Return the same problem with another l1 ratio; X is shared."""
        if l1_ratio == self.terms.l1_ratio:
            return self
        other = copy.copy(self)
        other.terms = replace(self.terms, l1_ratio=l1_ratio)
        return other

    def projected(self, coef: Floats) -> Floats:
        """Return coefficients that obey the constraints: bounds, and features left out."""
        coef = self.terms.clip(coef)
        if self.data.weights is not None:
            coef = np.where(np.isinf(self.data.weights), 0.0, coef)
        return coef

    def predictions(self, fits: Fits, rows: NDArray[np.int64] | None = None) -> Floats:
        """Return what each of the fits predicts for some rows, or all: (n_rows, n_fits).

        Reads only the columns that some fit selects, and only once.
        """
        used, place = np.unique(fits.columns, return_inverse=True)
        starts = np.concatenate([[0], np.cumsum(fits.sizes)])
        # One row per fit. A sparse product: most entries are zero, and it needs no thread pool,
        # which would fight with the folds' own threads.
        coefs = sparse.csr_array((fits.values, place, starts), shape=(fits.sizes.size, used.size))
        return self.design.predictions(rows, used, coefs) + fits.intercepts

    def residuals(self, points: Sequence[Point]) -> Floats:
        """Return y - b - Xw of each point: (n_samples, n_points)."""
        return np.asarray(self.data.y[:, np.newaxis] - self.predictions(Fits.of(points)))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_columns": None}
