"""The problem of settings, or of a model, checked; what all converters ask for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.names import by_name
from ..data.scalars import check_number
from ..data.terms import Terms, check_terms
from ..data.validation import check_weights
from ..estimators.classifier import SparseClassifier
from ..estimators.regressor import SparseRegressor
from ..losses import BuiltInLoss, resolve_loss
from ..penalties import Penalty, resolve_penalty

__all__ = ["Settings", "Stated", "factors_of", "ratio_of", "state_of"]


class _Triple(NamedTuple):
    penalty: Penalty
    alpha: float
    weights: NDArray[np.float64] | None = None


class Settings(_Triple):
    """A penalty, its strength, and weights per feature, as sparsieve takes them.

    Attributes
    ----------
    penalty : Penalty
    alpha : float
    weights : ndarray of shape (n_features,) or None
    options : dict
        What else the problem says, as keywords of :func:`~sparsieve.sparse_path` and the
        estimators: ``standardize``, ``l1_ratio``, ``bounds``, ``loss``.
    """

    options: dict[str, Any]

    def __new__(
        cls, penalty: Penalty, alpha: float, weights: Any = None, **options: Any
    ) -> Settings:
        """Make settings; unpacked they are three."""
        made = super().__new__(cls, penalty, alpha, weights)
        made.options = options
        return made

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, options={self.options})"

    def regressor(self, **more: Any) -> SparseRegressor:
        """Return a regressor (not fitted) with these settings and more keywords."""
        return SparseRegressor(
            self.penalty, self.alpha, **{"weights": self.weights, **self.options, **more}
        )

    def classifier(self, **more: Any) -> SparseClassifier:
        """Return a classifier (not fitted) with these settings and more keywords."""
        loss = resolve_loss(self.options.get("loss", "logistic"))
        if not loss.labels:
            raise ValueError(
                f"these settings have the loss {loss.label}, which is not for classes; use "
                "regressor()."
            )
        return SparseClassifier(
            self.penalty, self.alpha, **{"weights": self.weights, **self.options, **more}
        )


class Stated(NamedTuple):
    """The problem of settings or of a regressor, checked."""

    penalty: Any
    alpha: float
    weights: NDArray[np.float64] | None
    terms: Terms
    loss: BuiltInLoss

    def only(self, package: str, *losses: str) -> str:
        """Return the name of the loss, one of those that a package has."""
        if self.loss.name not in losses:
            raise ValueError(
                f"{package} has no equivalent of the loss {self.loss.label}; it has "
                f"{' and '.join(losses)}: use one of them."
            )
        return self.loss.name

    def elastic(self, y_scale: float = 1.0) -> tuple[float, float]:
        """Return strength and l1 ratio of an elastic net that has no other ridge.

        ``y_scale`` is for those who divide y by it first: their ridge is so much weaker.
        """
        if self.weights is not None and self.terms.ridge > 0.0:
            raise ValueError(
                "elsewhere a ridge is multiplied by the features' weights, and ridge= is not; use "
                "l1_ratio= instead, or weights=None."
            )
        if not self.terms.ridged:
            return self.alpha, 1.0
        first = self.terms.strength(self.alpha)
        second = y_scale * (self.alpha * (1.0 - self.terms.l1_ratio) + self.terms.ridge)
        return first + second, first / (first + second)

    def positive(self, package: str) -> bool:
        """Return whether coefficients are >= 0, for a package that knows no other option."""
        if self.terms.standardize:
            raise ValueError(
                f"{package} does not standardise; use standardize=False, and columns divided by "
                "their standard deviations (StandardScaler)."
            )
        if self.terms.bounded and not self.terms.positive:
            raise ValueError(
                f"{package} bounds no coefficients but their sign; use positive=True or no bounds."
            )
        return self.terms.positive


_TERMS = ("positive", "standardize", "l1_ratio", "ridge", "bounds")


def state_of(model: Any) -> Stated:
    """Return the problem of settings or of an estimator, with what it chose if it chooses."""
    names = getattr(model, "feature_names_in_", None)
    alpha = getattr(model, "alpha_", getattr(model, "alpha", None))
    if alpha is None:
        kind = type(model).__name__
        raise ValueError(f"this {kind} is not fitted, so it has chosen no alpha; call its fit.")
    if isinstance(alpha, list):
        raise ValueError(
            f"this {type(model).__name__} has chosen an alpha for each of {len(alpha)} classes; "
            "convert each of its estimators_."
        )
    penalty = resolve_penalty(getattr(model, "penalty_", model.penalty))
    weights = by_name("weights", model.weights, names, 1.0)
    weights = None if weights is None else factors_of(weights)
    options = getattr(model, "options", None)  # of settings
    if options is None:  # what a cross-validation chose before what it chose from
        options = {name: getattr(model, f"{name}_", getattr(model, name)) for name in _TERMS}
        options["loss"] = model.loss
    options = dict(options)
    loss = resolve_loss(options.pop("loss", "squared"))
    sides = [side for side in options.get("bounds") or () if np.ndim(side) == 1]
    n_features = len(next((x for x in (names, weights, *sides) if x is not None), [1]))
    terms = check_terms(n_features, names, **options)
    return Stated(penalty, float(alpha), weights, terms, loss)


def ratio_of(name: str, value: Any) -> float:
    """Return a checked l1 ratio of another package."""
    remedy = f"a ridge alone selects nothing; use {name}=1 for no ridge"
    return check_number(name, value, high=1.0, closed="high", remedy=remedy)


def factors_of(factors: ArrayLike) -> NDArray[np.float64]:
    """Return checked weights of features."""
    checked = check_weights(factors, len(np.atleast_1d(np.asarray(factors))))
    assert checked is not None
    return checked
