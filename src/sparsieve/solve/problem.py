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
from ..data.stand_in import mean_residuals
from ..data.terms import PLAIN, Terms
from ..data.types import Floats
from ..data.validation import Checked
from ..losses import BuiltInLoss, Squared, is_squared, null_shift
from ..losses.builtin import LARGEST_EXPONENT
from .points import Fits, Point

__all__ = ["DEFAULT_MINIMUM", "MINIMA", "Problem", "check_minimum"]

#: How strong a minimum is looked for, weakest first.
MINIMA = ("stationary", "coordinatewise", "swap")
#: What is looked for unless something else is asked for.
DEFAULT_MINIMUM = "coordinatewise"
#: The loss unless another is asked for.
SQUARED = Squared()


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
    loss : BuiltInLoss
        A checked loss; the responses are checked for it here. The offset is part of the data.
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
        loss: BuiltInLoss = SQUARED,
    ) -> None:
        loss.check_y(data.y)
        self.loss = loss
        self.minimum = check_minimum(minimum)
        self.fit_intercept = check_flag("fit_intercept", fit_intercept)
        self.uncertainty = 0.0
        if data.stand_in is not None:
            X, y, self.uncertainty = data.stand_in.data(self.fit_intercept)
            data = data._replace(X=X, y=y)
        self.data = data._replace(weights=terms.excluding(data.weights))
        self.terms = terms
        self.design = Design(data.X)
        self.n_jobs = n_jobs
        self.shadow = check_flag("shadow", shadow)
        self.n_samples, self.n_features = self.design.shape
        if data.stand_in is not None:
            self.n_samples = data.stand_in.summary.n
        self._columns: _core.Columns | None = None
        self._check_offset()

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

    @property
    def squared(self) -> bool:
        """Whether the loss is least squares."""
        return is_squared(self.loss)

    @property
    def offset(self) -> Floats | float:
        """What is added to each linear predictor."""
        return 0.0 if self.data.offset is None else self.data.offset

    def _check_offset(self) -> None:
        """Refuse means that are too large before there is any coefficient."""
        offset = self.data.offset
        if offset is None or self.fit_intercept or not self.loss.log_link:
            return  # an intercept takes a constant off the offset
        at = int(np.argmax(offset))
        if offset[at] > LARGEST_EXPONENT:
            raise ValueError(
                f"offset[{at}] = {offset[at]:g}, and exp of it leaves the range of double "
                "precision; offsets are logarithms: pass np.log(exposure), or subtract a constant."
            )

    def null_predictor(self, sample_weight: Floats | None = None) -> Floats:
        """Return offset and best constant of each row; without an intercept, the offset."""
        start = np.zeros(self.n_samples) + self.offset
        if not self.fit_intercept:
            return start
        omega = self.data.omega(sample_weight)
        return start + null_shift(self.loss, self.data.y, omega, self.data.offset)

    def working_response(self) -> Floats:
        r"""Return what least squares would be fitted to near the null model, about its mean.

        The residuals over their mean curvature: :math:`y - \bar y` for squares.
        """
        eta, y, omega = self.null_predictor(), self.data.y, self.data.omega()
        residual = -self.loss.gradient(eta, y)
        bend = float(omega @ self.loss.curvature(eta, y))
        return residual / bend if bend > 0.0 else residual

    @functools.cached_property
    def scales(self) -> Floats:
        """What coefficients are multiplied by before they are penalised: one per feature."""
        if not self.terms.standardize:
            return np.ones(self.n_features)
        spreads = self.deviations
        if spreads is None:
            spreads = self.design.spreads(self.data.omega())
        return np.where(spreads > 0.0, spreads, 1.0)

    @property
    def deviations(self) -> Floats | None:
        """Standard deviations of the columns where the rows of X stand for others."""
        stand_in = self.data.stand_in
        return None if stand_in is None else stand_in.deviations

    def intercept(self, found: float, columns: Any, values: Floats) -> float:
        """Return the intercept of the data for what a solver found."""
        stand_in = self.data.stand_in
        if stand_in is None or not self.fit_intercept:
            return found
        return stand_in.intercept(columns, values)

    def intercepts(self, fits: Fits) -> Floats:
        """Return the intercept of the data for each of some fits."""
        stand_in = self.data.stand_in
        if stand_in is None or not self.fit_intercept:
            return fits.intercepts
        return mean_residuals(stand_in.summary, fits.sizes, fits.columns, fits.values)

    def with_l1_ratio(self, l1_ratio: float) -> Problem:
        """Return the same problem with another l1 ratio; X is shared."""
        if l1_ratio == self.terms.l1_ratio:
            return self
        other = copy.copy(self)
        other.terms = replace(self.terms, l1_ratio=l1_ratio)
        return other

    def with_data(self, data: Checked) -> Problem:
        """Return the same problem on other data with the same columns."""
        return Problem(
            data._replace(weights=self.data.weights),
            fit_intercept=self.fit_intercept,
            terms=self.terms,
            n_jobs=self.n_jobs,
            shadow=self.shadow,
            minimum=self.minimum,
            loss=self.loss,
        )

    def with_response(self, y: Floats) -> Problem:
        """Return the same problem for another checked response; X is shared."""
        other = copy.copy(self)
        other.data = self.data._replace(y=y)
        other._columns = self.columns
        return other

    def projected(self, coef: Floats) -> Floats:
        """Return coefficients that obey the constraints: bounds, and features left out."""
        coef = self.terms.clip(coef)
        if self.data.weights is not None:
            coef = np.where(np.isinf(self.data.weights), 0.0, coef)
        return coef

    def predictions(self, fits: Fits, rows: NDArray[np.int64] | None = None) -> Floats:
        """Return each fit's linear predictor of some rows, or all: (n_rows, n_fits).

        The offset is part of it. Reads only the columns that some fit selects, and only once.
        """
        used, place = np.unique(fits.columns, return_inverse=True)
        starts = np.concatenate([[0], np.cumsum(fits.sizes)])
        # One row per fit. A sparse product: most entries are zero, and it needs no thread pool,
        # which would fight with the folds' own threads.
        coefs = sparse.csr_array((fits.values, place, starts), shape=(fits.sizes.size, used.size))
        # Rows that stand for others are centred: the intercept, which is that of the data, is 0.
        shift = fits.intercepts if self.data.stand_in is None else 0.0
        eta = self.design.predictions(rows, used, coefs) + shift
        if self.data.offset is not None:
            eta += (self.data.offset if rows is None else self.data.offset[rows])[:, np.newaxis]
        return np.asarray(eta)

    def residuals(self, points: Sequence[Point]) -> Floats:
        """Return minus the derivative of the loss at each point: (n_samples, n_points).

        For squares that is y - b - Xw.
        """
        eta, y = self.predictions(Fits.of(points)), self.data.y[:, np.newaxis]
        return np.asarray(y - eta if self.squared else -self.loss.gradient(eta, y))

    def deviances(self, fits: Fits, rows: NDArray[np.int64] | None = None) -> Floats:
        """Return each fit's deviance of some rows, or all: (n_rows, n_fits), squares for squares.

        inf for fits that do not exist, because no finite minimiser does.
        """
        eta = self.predictions(fits, rows)
        y = (self.data.y if rows is None else self.data.y[rows])[:, np.newaxis]
        if self.squared:
            return np.asarray((eta - y) ** 2)
        return np.where(np.isnan(eta), np.inf, self.loss.deviance(eta, y))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_columns": None}
