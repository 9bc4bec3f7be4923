"""Classifiers: labels of any kind around certified models of two classes."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from .._words import Summary
from ..data.names import feature_names
from ..data.sample_weights import in_range
from ..data.types import Floats
from ..data.validation import check_offset, check_sample_weight, check_X
from ..files.model_content import Saveable, estimator_to_json
from ..losses import Loss, resolve_loss
from ..losses.resolve import built_in_name
from ..paths.reportable import Reportable
from ..penalties import Penalty
from ..penalties.resolve import as_given
from .fitted import FittedPoint, Named, probabilities
from .labels import check_classes, class_weight_of, coded_labels
from .plain import classes_as_sklearn
from .regressor import SparseRegressor
from .showing import frame_of_fit, summary_of_fit

__all__ = ["Classifier", "SparseClassifier"]


class OfModels:
    """An attribute of the model of two classes; beyond two, a list with that of each class."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return it; AttributeError before the fit."""
        if instance is None:
            return self
        each = [getattr(model, self._name) for model in instance.estimators_]
        return each[0] if len(each) == 1 else each


class Classifier(Named, Reportable, Saveable, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Shared by the three classifiers: what is done to labels, and predictions.

    ``estimators_`` does the work: one model of two classes, or one per class against the rest.
    """

    _model: ClassVar[type[FittedPoint]] = SparseRegressor
    classes_: NDArray[Any]
    estimators_: list[Any]
    n_features_in_: int

    certificate_ = OfModels("The proof.")
    objective_ = OfModels("Its objective.")

    @property
    def coef_(self) -> Floats:
        """The coefficients: (1, n_features) for two classes, else a row for each class."""
        return np.stack([model.coef_ for model in self.estimators_])

    @property
    def sparse_coef_(self) -> Any:
        """The same as a CSR array."""
        return sparse.csr_array(self.coef_)

    @property
    def intercept_(self) -> Floats:
        """One constant per row of ``coef_``."""
        return np.array([model.intercept_ for model in self.estimators_])

    @property
    def n_iter_(self) -> int:
        """The largest number of reweightings."""
        return int(max(model.n_iter_ for model in self.estimators_))

    @property
    def kkt_(self) -> float:
        """The largest violation."""
        return float(max(model.kkt_ for model in self.estimators_))

    @property
    def dual_gap_(self) -> float:
        """The largest duality gap."""
        return float(max(model.dual_gap_ for model in self.estimators_))

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None,
        offset: ArrayLike | None,
        **more: Any,
    ) -> Self:
        """Fit one model of two classes, or one per class."""
        loss = resolve_loss(self.loss)
        if built_in_name(loss) is not None and not loss.labels:
            raise ValueError(
                f"loss={loss.label} is not for classes; use loss='logistic', or SparseRegressor "
                "for numbers and counts."
            )
        named, checked = feature_names(X) is not None, check_X(X)
        n_samples = checked.shape[0]
        validate_data(self, X, skip_check_array=True)
        classes, codes = coded_labels(y, n_samples)
        weight = self._weights(classes, codes, check_sample_weight(sample_weight, n_samples))
        check_classes(classes, codes, weight)
        offset = check_offset(offset, n_samples)
        X = X if named else checked  # converted once for all classes
        previous = getattr(self, "estimators_", [])
        sides = [1] if classes.size == 2 else list(range(classes.size))
        again = getattr(self, "warm_start", False) and len(previous) == len(sides)
        models = []
        for k, side in enumerate(sides):
            model = previous[k] if again else self._model()
            model.set_params(**self._of_model())
            model._classes = classes if classes.size == 2 else np.array([False, True])
            models.append(
                model.fit(X, (codes == side).astype(float), weight, offset=offset, **more)
            )
        self.classes_, self.estimators_ = classes, models
        return self

    def _of_model(self) -> dict[str, Any]:
        """Return the parameters that the models have too."""
        return {k: v for k, v in self.get_params(deep=False).items() if k != "class_weight"}

    def _weights(
        self, classes: NDArray[Any], codes: NDArray[np.int64], weight: Floats | None
    ) -> Floats | None:
        """Return sample weights times those of the classes."""
        given: Any = self.class_weight
        if given is None:
            return weight
        if not (isinstance(given, dict) or (isinstance(given, str) and given == "balanced")):
            raise ValueError(
                f"class_weight={given!r} is not known; use 'balanced', a dict such as "
                "{label: weight}, or None."
            )
        strange = [label for label in given if label not in classes] if given != "balanced" else []
        if strange:
            raise ValueError(
                f"class_weight has a weight for {strange[0]!r}, which is not in y; its labels are "
                f"{', '.join(map(repr, classes.tolist()))}: use these as keys."
            )
        base = np.ones(codes.size) if weight is None else in_range(weight)
        if given == "balanced":
            totals = np.bincount(codes, base, minlength=classes.size)
            each = base.sum() / (classes.size * np.where(totals > 0.0, totals, 1.0))
        else:
            each = np.array([class_weight_of(given, label) for label in classes.tolist()])
        return np.asarray(each[codes] * base, dtype=np.float64)

    def decision_function(self, X: Any, offset: ArrayLike | None = None) -> Floats:
        """Return the linear predictors.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        offset : array-like of shape (n_samples,), default=None
            Added to the linear predictor of each row, as in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes positive for the second one; else one column for each class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=("csr", "csc"), reset=False, dtype="numeric")
        each = [_bare(model)._linear_predictor(X, offset) for model in self.estimators_]
        return each[0] if len(each) == 1 else np.column_stack(each)

    def predict(self, X: Any, offset: ArrayLike | None = None) -> NDArray[Any]:
        """Return the most probable label of each row.

        Parameters
        ----------
        X, offset
            As in ``decision_function``.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.labels_at(self.decision_function(X, offset))

    def labels_at(self, eta: Floats) -> NDArray[Any]:
        """Return the most probable labels at what ``decision_function`` returns."""
        best = (eta > 0.0).astype(np.int64) if eta.ndim == 1 else np.argmax(eta, axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: Any, offset: ArrayLike | None = None) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X, offset
            As in ``decision_function``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``. Beyond two classes those of each class against the rest,
            divided by their sum.
        """
        return self.probabilities_at(self.decision_function(X, offset))

    def probabilities_at(self, eta: Floats) -> Floats:
        """Return the probability of each class at what ``decision_function`` returns."""
        if eta.ndim == 1:
            return probabilities(self.loss, eta)
        each = resolve_loss(self.loss).mean(eta)
        total = each.sum(axis=1, keepdims=True)
        nothing = total <= 0.0  # every probability is zero in doubles
        even = np.full_like(each, 1.0 / each.shape[1])
        return np.where(nothing, even, each / np.where(nothing, 1.0, total))

    def predict_log_proba(self, X: Any, offset: ArrayLike | None = None) -> Floats:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X, offset
            As in ``decision_function``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X, offset)))

    def score(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> float:
        """Return the fraction of labels that are predicted right.

        Parameters
        ----------
        X, offset
            As in ``decision_function``.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        float
        """
        right = np.asarray(column_or_1d(y)) == self.predict(X, offset)
        weight = check_sample_weight(sample_weight, right.size)
        return float(np.average(right, weights=weight))

    def summary(self, rows: int = 20) -> Summary:
        """Return penalty, certificate and the largest coefficients, for two classes.

        Parameters
        ----------
        rows : int, default=20
            At most so many coefficients.

        Returns
        -------
        Summary
            Beyond two classes, that of ``estimators_[0]``, the first class against the rest; the
            others have their own.
        """
        check_is_fitted(self)
        return summary_of_fit(self.estimators_[0], rows)

    def to_frame(self) -> Any:
        """Return the selected features as a pandas data frame, the largest coefficient first.

        Returns
        -------
        pandas.DataFrame
            Of ``estimators_[0]``, as ``summary``.
        """
        check_is_fitted(self)
        return frame_of_fit(self.estimators_[0])

    def to_sklearn(self) -> Any:
        """Return the fitted model as one of scikit-learn.

        Returns
        -------
        sklearn.linear_model.LogisticRegression or sklearn.multiclass.OneVsRestClassifier
            With the same labels and probabilities; the second one beyond two classes.
        """
        check_is_fitted(self)
        return classes_as_sklearn(self)

    def _to_json(self) -> dict[str, Any]:
        check_is_fitted(self)
        content = estimator_to_json(self)
        del content["state"]["estimators_"]
        return content | {"estimators": [estimator_to_json(model) for model in self.estimators_]}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _bare(model: Any) -> Any:
    """Return a model's coefficients as a predictor that asks nothing of the names of columns."""
    bare = SparseRegressor()
    bare.coef_, bare.intercept_ = model.coef_, model.intercept_
    bare.n_features_in_ = model.n_features_in_
    return bare


class SparseClassifier(Classifier):
    r"""Sparse classification with a convex or non-convex penalty.

    .. math::
        \min_{w, b}\; \frac{1}{n} \sum_i \omega_i \big[ \ln(1 + e^{\eta_i}) - y_i \eta_i \big]
        + \sum_j r(|w_j|; \alpha \pi_j), \qquad \eta_i = o_i + b + x_i^\top w

    with :math:`y_i = 1` for the second class and 0 for the first. Beyond two classes there is one
    such model for each class against the rest.

    Parameters
    ----------
    penalty : str or Penalty, default="l1"
        "l1", "logsum", "mcp", "scad", "capped_l1", "lq", or an object with ``value`` and ``slope``.
        MCP, SCAD and capped l1 stop growing, so with them classes that can be separated may have
        no finite solution; l1 and log-sum always have one.
    alpha : float, default=0.01
        Strength of the penalty.
    class_weight : dict or "balanced", default=None
        A weight for each label, times which its sample weights count; "balanced" gives all classes
        the same total.
    fit_intercept, positive, weights, tol, max_iter, warm_start, start, minimum, n_jobs, relax
    standardize, l1_ratio, ridge, bounds
        As in :class:`SparseRegressor`, the same for the model of each class.
    loss : str or Loss, default="logistic"
        Or an object of yours for labels 0 and 1, with ``mean`` for probabilities.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    sparse_coef_ : scipy.sparse.csr_array of the same shape
    intercept_ : ndarray of shape (1,) or (n_classes,)
    estimators_ : list of SparseRegressor
        The model of two classes, or one for each class against the rest.
    certificate_ : Certificate or list of Certificate
    n_iter_ : int
    kkt_, dual_gap_ : float
        The largest of all models.
    objective_ : float or list of float
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has string column names.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(100, 20, 3, noise=0.5, random_state=0)
    >>> labels = np.where(y > 0, "high", "low")
    >>> model = sv.SparseClassifier("l1", alpha=0.02).fit(X, labels)
    >>> model.classes_.tolist(), model.certificate_.converged
    (['high', 'low'], True)
    """

    def __init__(  # noqa: PLR0913 - the options of a public function, by keyword
        self,
        penalty: str | Penalty = "l1",
        alpha: float = 0.01,
        *,
        class_weight: Any = None,
        fit_intercept: bool = True,
        positive: bool = False,
        weights: ArrayLike | None = None,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        warm_start: bool = False,
        start: str | ArrayLike = "lasso",
        minimum: str = "coordinatewise",
        n_jobs: int | None = None,
        relax: bool = False,
        standardize: bool | None = None,
        l1_ratio: float = 1.0,
        ridge: float = 0.0,
        bounds: Any = None,
        loss: str | Loss = "logistic",
    ) -> None:
        self.penalty = as_given(penalty)
        self.alpha = alpha
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.weights = weights
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.start = start
        self.minimum = minimum
        self.n_jobs = n_jobs
        self.relax = relax
        self.standardize = standardize
        self.l1_ratio = l1_ratio
        self.ridge = ridge
        self.bounds = bounds
        self.loss = loss

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels: numbers, text, booleans.
        sample_weight : array-like of shape (n_samples,), default=None
        offset : array-like of shape (n_samples,), default=None
            Added to the linear predictor of each row.

        Returns
        -------
        SparseClassifier
        """
        return self._fit(X, y, sample_weight, offset)
