"""What fitted linear models share: predictions, scores, what they show, their point."""

from __future__ import annotations

import math
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted, validate_data

from .._log import LOG
from .._words import Summary
from ..data.design import Design
from ..data.inputs import check_data
from ..data.sample_weights import in_range, normalised
from ..data.terms import terms_of
from ..data.types import Floats
from ..data.validation import check_offset, check_sample_weight, check_y
from ..files.codec import NotStored
from ..files.model_content import Saveable
from ..inspect.assessment import assess
from ..inspect.certificate import Certificate
from ..inspect.relax import relaxed
from ..inspect.scales import are_unit_norms
from ..losses import BuiltInLoss, is_squared, null_shift, resolve_loss
from ..losses.builtin import LARGEST_EXPONENT
from ..losses.resolve import built_in_name
from ..paths.reportable import Reportable
from ..penalties import resolve_penalty
from ..penalties.resolve import as_given
from ..solve.points import Point
from ..solve.problem import Problem
from .plain import as_sklearn
from .showing import frame_of_fit, summary_of_fit

__all__ = ["FittedPoint", "LinearPredictor", "Named", "explained", "probabilities"]


# So many columns are looked at before all of them are.
_FEW = 16


class Named:
    """Lets parameters of a penalty or loss be set where only its name was given."""

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``penalty__gamma``, ``loss__delta`` and the like also where it is a name.

        Parameters
        ----------
        **params
            As in scikit-learn.

        Returns
        -------
        estimator
        """
        reaches_in = any(name.startswith("penalty__") for name in params)
        penalty = params.get("penalty", getattr(self, "penalty", None))
        if reaches_in and isinstance(penalty, list | tuple):
            raise ValueError(
                f"penalty is a {type(penalty).__name__} of {len(penalty)} penalties, so "
                "penalty__... does not say which of them to change; pass the penalties themselves."
            )
        if reaches_in and isinstance(penalty, str):
            # A name stands for a penalty with its defaults; only an object has parameters to set.
            params["penalty"] = resolve_penalty(penalty)
        elif "penalty" in params:
            params["penalty"] = as_given(penalty)
        loss = params.get("loss", getattr(self, "loss", None))
        if isinstance(loss, str) and any(name.startswith("loss__") for name in params):
            params["loss"] = resolve_loss(loss)
        model: Self = super().set_params(**params)  # type: ignore[misc]
        return model


class LinearPredictor(Named, Reportable, Saveable, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """What every fitted linear model of the library can do."""

    coef_: NDArray[np.float64]
    intercept_: float

    def predict(self, X: Any, offset: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the mean response: ``X @ coef_ + intercept_`` for squares.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        offset : array-like of shape (n_samples,), default=None
            Added to the linear predictor of each row, as in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
            The mean of each row: of other losses than squares the inverse of the link, as exp for
            counts.
        """
        eta = self._linear_predictor(X, offset)
        loss = self._loss()
        if loss.log_link and np.any(eta > LARGEST_EXPONENT):
            at = int(np.argmax(eta))
            warnings.warn(
                f"X: row {at} has the linear predictor {eta[at]:.4g}, and exp of it leaves the "
                "range of double precision, so its mean is inf; rows like it were not there in the "
                "fit: check X and offset.",
                UserWarning,
                stacklevel=2,
            )
        return loss.mean(eta)

    def _loss(self) -> BuiltInLoss:
        loss = getattr(self, "loss", "squared")
        if isinstance(loss, NotStored):
            raise ValueError(
                f"the loss of this model, {loss.text}, is not in its file; set it again: "
                "model.set_params(loss=...)."
            )
        return resolve_loss(loss)

    def _linear_predictor(self, X: Any, offset: Any = None) -> NDArray[np.float64]:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=("csr", "csc"), reset=False, dtype="numeric")
        self.check_solution()
        eta = Design(X).product(self.coef_) + self.intercept_
        offset = check_offset(offset, eta.size)
        return np.asarray(eta if offset is None else eta + offset)

    def check_solution(self) -> None:
        """Raise ValueError if no finite coefficients are best."""
        if math.isnan(self.intercept_):
            raise ValueError(
                f"this {type(self).__name__} has no coefficients: at its alpha no finite ones are "
                "best (separated), see certificate_; fit it with a ridge (ridge=1e-3), a larger "
                "alpha, or a penalty that grows without bound (l1, logsum)."
            )

    def score(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> float:
        """Return :math:`R^2` of the predictions for X, of other losses :math:`D^2`.

        :math:`D^2` is the fraction of the deviance about the best constant that is explained, the
        offset beside both. Sample weights may be of any size.
        """
        weight = None if sample_weight is None else check_sample_weight(sample_weight, len(y))
        loss = self._loss()
        if is_squared(loss) and offset is None:
            return float(super().score(X, y, None if weight is None else in_range(weight)))
        eta = self._linear_predictor(X, offset)
        return explained(loss, eta, check_y(y, eta.size), weight, check_offset(offset, eta.size))

    def summary(self, rows: int = 20) -> Summary:
        """Return penalty, certificate and the largest coefficients.

        Parameters
        ----------
        rows : int, default=20
            At most so many coefficients.

        Returns
        -------
        Summary
            Text, which a notebook shows as a table.
        """
        check_is_fitted(self)
        return summary_of_fit(self, rows)

    def to_frame(self) -> Any:
        """Return the selected features as a pandas data frame, the largest coefficient first.

        Returns
        -------
        pandas.DataFrame
            Names and coefficients in the units of X. A fit that chose among the alphas of a path
            adds "enters", the alpha at which the feature enters it, and "selected", the part of
            its alphas at which it is selected.
        """
        check_is_fitted(self)
        return frame_of_fit(self)

    def to_sklearn(self) -> Any:
        """Return the fitted model as one of scikit-learn, with the same predictions.

        Returns
        -------
        sklearn.linear_model.LinearRegression
            A PoissonRegressor for counts. Tools such as skl2onnx, skops and MLflow take it without
            knowing sparsieve.
        """
        check_is_fitted(self)
        return as_sklearn(self)

    def _repr_html_(self) -> str:
        """Show what was fitted; before that the parameters, as scikit-learn does."""
        if not hasattr(self, "coef_") or not hasattr(self, "certificate_"):
            return str(estimator_html_repr(self))
        return self.summary().page

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    @property
    def sparse_coef_(self) -> Any:
        """The coefficients as a 1 x n_features CSR array."""
        check_is_fitted(self)
        return sparse.csr_array(self.coef_[np.newaxis, :])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        loss = getattr(self, "loss", "squared")  # as it is: tags are asked for before any check
        counts = ("poisson", "negative_binomial")
        tags.target_tags.positive_only = loss in counts or getattr(loss, "log_link", False) is True
        return tags


def explained(
    loss: BuiltInLoss, eta: Floats, y: Floats, weight: Floats | None, offset: Floats | None
) -> float:
    """Return the fraction of the deviance of y that linear predictors explain."""
    loss.check_y(y)
    omega = normalised(weight, y.size)
    used = omega > 0.0

    def mean_deviance(eta: Floats) -> float:
        return float(omega[used] @ loss.deviance(eta, y)[used])

    constant = null_shift(loss, y, omega, offset)
    null = mean_deviance(np.zeros_like(y) + (0.0 if offset is None else offset) + constant)
    left = mean_deviance(eta)
    if null > 0.0:
        return 1.0 - left / null
    return 1.0 if left == 0.0 else 0.0  # as R2 of a constant response


def probabilities(loss: Any, eta: Floats) -> Floats:
    """Return the probabilities of two classes, (n_rows, 2), at linear predictors."""
    known = resolve_loss(loss)
    one = known.mean(eta)
    # 1 - p loses the digits of a small probability; the logistic mean is symmetric.
    other = known.mean(-eta) if built_in_name(known) is not None else 1.0 - one
    return np.column_stack([other, one])


class FittedPoint(LinearPredictor):
    """A linear model that comes from one certified point."""

    def _problem(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        n_jobs: int | None,
        l1_ratio: Any = None,
        offset: Any = None,
    ) -> Problem:
        """Check the data and put them together with loss and constraints."""
        loss = resolve_loss(self.loss)
        data = check_data(
            X,
            y,
            sample_weight=sample_weight,
            weights=self.weights,
            offset=offset,
            squared=is_squared(loss),
        )
        terms = terms_of(
            data,
            self.positive,
            self.standardize,
            self.l1_ratio if l1_ratio is None else l1_ratio,
            self.ridge,
            self.bounds,
        )
        return Problem(
            data,
            fit_intercept=self.fit_intercept,
            terms=terms,
            n_jobs=n_jobs,
            minimum=self.minimum,
            loss=loss,
        )

    def _note_columns(self, X: Any, problem: Problem) -> None:
        """Keep how many columns there are, and their names."""
        if problem.data.stand_in is None:
            validate_data(self, X, skip_check_array=True)
            return
        self.n_features_in_ = problem.n_features
        self.__dict__.pop("feature_names_in_", None)
        if problem.data.feature_names is not None:
            self.feature_names_in_ = problem.data.feature_names

    def _store(
        self, point: Point, tol: float, problem: Problem, penalty: Any, norms2: NDArray[np.float64]
    ) -> None:
        self.coef_ = np.zeros(self.n_features_in_)
        self.coef_[point.columns] = point.values
        self.intercept_ = point.intercept
        self.n_samples_ = int(problem.n_samples)
        self.n_iter_ = max(point.n_iter, 1)
        self.kkt_ = point.kkt
        self.dual_gap_ = point.dual_gap
        self.objective_ = point.objective
        self.certificate_ = Certificate.of(point, tol, problem, penalty)
        LOG.info("%s: %s", type(self).__name__, self.certificate_)
        # For the report, which must not multiply coefficients of such columns once more.
        self._unit_columns = _has_unit_columns(problem, norms2)

    def _assess(self, problem: Problem, left_out: dict[str, Any] | None = None) -> None:
        """Keep how well labels or counts are fitted, for the report: on rows left out if known."""
        self.__dict__.pop("assessment_", None)
        if problem.squared:
            return
        found = left_out
        if found is None:
            support, data = np.flatnonzero(self.coef_), problem.data
            eta = problem.design.product_of(support, self.coef_[support]) + self.intercept_
            eta = eta if data.offset is None else eta + data.offset
            found = assess(problem.loss, eta, data.y, data.omega(), "in sample", data.offset)
        if found is not None:
            self.assessment_ = found

    def _relax(self, problem: Problem, point: Point) -> None:
        """Replace the coefficients by those of a fit without a penalty on their support."""
        refit = relaxed(problem, point)
        if math.isnan(refit.intercept) and point.converged:
            raise ValueError(
                "relax=True: without the penalty no finite coefficients of the selected features "
                "are best (they separate the classes); use relax=False, or a larger alpha."
            )
        self.coef_[refit.columns] = refit.values
        self.intercept_ = refit.intercept


def _has_unit_columns(problem: Problem, norms2: NDArray[np.float64]) -> bool:
    """Tell whether the columns of X, as the user has them, have standard deviation 1."""
    if not problem.terms.standardize:
        return are_unit_norms(norms2, problem.n_samples)
    # The norms are those of standardised columns. A few columns of X mostly settle it.
    few = np.arange(min(_FEW, problem.n_features))
    spreads = problem.design.spreads(problem.data.omega(), few)
    if np.any(spreads > 0.0) and not are_unit_norms(spreads**2, problem.n_samples):
        return False
    return are_unit_norms(problem.scales**2, problem.n_samples)
