"""Classifiers that choose alpha, and the penalty's shape, by cross-validation or a criterion."""

from __future__ import annotations

import os
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.utils.metadata_routing import UNUSED

from ..estimators.classifier import Classifier, OfModels
from ..losses import Loss
from ..penalties.resolve import as_given
from .criteria import SparseRegressorIC
from .cv import SparseRegressorCV

__all__ = ["SparseClassifierCV", "SparseClassifierIC"]


class SparseClassifierCV(Classifier):
    r"""Sparse classification with alpha, and the penalty's shape, chosen by cross-validation.

    .. math::
        \min_{w, b}\; \frac{1}{n} \sum_i \omega_i \big[ \ln(1 + e^{\eta_i}) - y_i \eta_i \big]
        + \sum_j r(|w_j|; \alpha \pi_j), \qquad \eta_i = o_i + b + x_i^\top w

    Folds are stratified and judged by the deviance, twice the log-loss, unless told otherwise.
    Beyond two classes there is one model for each class against the rest, each with its own choice.

    Parameters
    ----------
    penalty : str, Penalty or list of them, default="l1"
        As in :class:`SparseClassifier`; a list is a grid of shapes (or of different penalties).
    alphas, eps
        As in :class:`SparseRegressorCV`.
    class_weight : dict or "balanced", default=None
        As in :class:`SparseClassifier`; the rows left out are weighed too.
    cv : int, splitter or iterable of (train, test), default=None
        As in scikit-learn; None means 5 folds, a number stratified ones.
    scoring : str or callable, default=None
        A scikit-learn scorer, the higher the better, such as "accuracy" or "roc_auc"; None means
        the mean deviance. Beyond two classes it judges each class against the rest.
    rule, fit_intercept, positive, weights, tol, max_iter, start, minimum, n_jobs, progress, relax
    max_support, max_deviance, max_time, standardize, l1_ratio, ridge, bounds
        As in :class:`SparseRegressorCV`.
    checkpoint : path, default=None
        As in :class:`SparseRegressorCV`, for two classes.
    loss : str or Loss, default="logistic"
        As in :class:`SparseClassifier`.

    Attributes
    ----------
    alpha_, penalty_, l1_ratio_, alphas_, mse_path_, cv_results_, best_index_, min_index_, tie_
    path_, ended_
        As in :class:`SparseRegressorCV` (``mse_path_`` holds mean deviances of the rows left out);
        beyond two classes, lists with those of each class.
    classes_, coef_, sparse_coef_, intercept_, n_iter_, kkt_, dual_gap_, objective_, certificate_
        As in :class:`SparseClassifier`.
    estimators_ : list of SparseRegressorCV
        The model of two classes, or one for each class against the rest.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has string column names.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(100, 20, 3, noise=0.5, random_state=0)
    >>> labels = np.where(y > 0, "high", "low")
    >>> model = sv.SparseClassifierCV(alphas=20, eps=0.05, rule="1se").fit(X, labels)
    >>> model.mse_path_.shape
    (20, 5)
    """

    _model = SparseRegressorCV
    alpha_ = OfModels("The chosen alpha.")
    penalty_ = OfModels("The chosen penalty.")
    l1_ratio_ = OfModels("The chosen l1 ratio.")
    alphas_ = OfModels("The alphas.")
    mse_path_ = OfModels("Mean deviance on the rows left out.")
    cv_results_ = OfModels("The table of scores.")
    best_index_ = OfModels("The chosen row of the table.")
    min_index_ = OfModels("The row with the best mean score.")
    tie_ = OfModels("How far apart equal scores may be.")
    ended_ = OfModels("Why each fold ended.")
    path_ = OfModels("The path on all rows.")

    def __init__(  # noqa: PLR0913 - the options of a public function, by keyword
        self,
        penalty: Any = "l1",
        *,
        alphas: int | ArrayLike = 100,
        eps: float | None = None,
        class_weight: Any = None,
        cv: Any = None,
        scoring: Any = None,
        rule: str = "min",
        fit_intercept: bool = True,
        positive: bool = False,
        weights: ArrayLike | None = None,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        start: str | ArrayLike = "lasso",
        minimum: str = "coordinatewise",
        n_jobs: int | None = None,
        progress: bool | None = None,
        max_support: int | None = None,
        max_deviance: float | None = None,
        max_time: float | None = None,
        relax: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        standardize: bool | None = None,
        l1_ratio: Any = 1.0,
        ridge: float = 0.0,
        bounds: Any = None,
        loss: str | Loss = "logistic",
    ) -> None:
        self.penalty = as_given(penalty)
        self.alphas = alphas
        self.eps = eps
        self.class_weight = class_weight
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.weights = weights
        self.tol = tol
        self.max_iter = max_iter
        self.start = start
        self.minimum = minimum
        self.n_jobs = n_jobs
        self.progress = progress
        self.max_support = max_support
        self.max_deviance = max_deviance
        self.max_time = max_time
        self.relax = relax
        self.checkpoint = checkpoint
        self.standardize = standardize
        self.l1_ratio = l1_ratio
        self.ridge = ridge
        self.bounds = bounds
        self.loss = loss

    # The splitter asks for groups, as in SparseRegressorCV.
    __metadata_request__fit = {"groups": UNUSED}  # noqa: RUF012 - read by scikit-learn
    get_metadata_routing = SparseRegressorCV.get_metadata_routing

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        groups: Any = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Choose alpha and penalty by cross-validation, then fit them on all rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels: numbers, text, booleans.
        sample_weight : array-like of shape (n_samples,), default=None
            As in :meth:`SparseRegressorCV.fit`.
        groups : array-like of shape (n_samples,), default=None
            For splitters that keep groups together.
        offset : array-like of shape (n_samples,), default=None
            Added to the linear predictor of each row.

        Returns
        -------
        SparseClassifierCV
        """
        return self._fit(X, y, sample_weight, offset, groups=groups)


class SparseClassifierIC(Classifier):
    r"""Sparse classification with alpha, and the penalty's shape, chosen by a criterion.

    .. math::
        \min_{w, b}\; \frac{1}{n} \sum_i \omega_i \big[ \ln(1 + e^{\eta_i}) - y_i \eta_i \big]
        + \sum_j r(|w_j|; \alpha \pi_j), \qquad \eta_i = o_i + b + x_i^\top w

    The criterion is the deviance plus a price of the selected features. Beyond two classes there is
    one model for each class against the rest, each with its own choice.

    Parameters
    ----------
    penalty : str, Penalty or list of them, default="l1"
        As in :class:`SparseClassifier`; a list is a grid of shapes (or of different penalties).
    criterion, alphas, eps, noise_variance, gamma
        As in :class:`SparseRegressorIC`: ``noise_variance`` is the dispersion, 1 unless given.
    class_weight : dict or "balanced", default=None
        As in :class:`SparseClassifier`.
    fit_intercept, positive, weights, tol, max_iter, start, minimum, n_jobs, progress, relax
    max_support, max_deviance, max_time, standardize, l1_ratio, ridge, bounds
        As in :class:`SparseRegressorIC`.
    loss : str or Loss, default="logistic"
        As in :class:`SparseClassifier`.

    Attributes
    ----------
    alpha_, penalty_, alphas_, criterion_, degrees_of_freedom_, best_index_, tie_, noise_variance_
    path_, ended_
        As in :class:`SparseRegressorIC`; beyond two classes, lists with those of each class.
    classes_, coef_, sparse_coef_, intercept_, n_iter_, kkt_, dual_gap_, objective_, certificate_
        As in :class:`SparseClassifier`.
    estimators_ : list of SparseRegressorIC
        The model of two classes, or one for each class against the rest.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has string column names.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(100, 20, 3, noise=0.5, random_state=0)
    >>> labels = np.where(y > 0, "high", "low")
    >>> model = sv.SparseClassifierIC(alphas=20, eps=0.05).fit(X, labels)
    >>> model.criterion_.shape
    (20,)
    """

    _model = SparseRegressorIC
    alpha_ = OfModels("The chosen alpha.")
    penalty_ = OfModels("The chosen penalty.")
    alphas_ = OfModels("The alphas.")
    criterion_ = OfModels("The criterion of every fit.")
    degrees_of_freedom_ = OfModels("Non-zero coefficients of every fit.")
    best_index_ = OfModels("Where the chosen point is.")
    tie_ = OfModels("How far apart equal criteria may be.")
    ended_ = OfModels("Why each path ended.")
    noise_variance_ = OfModels("The dispersion.")
    path_ = OfModels("The chosen penalty's path.")

    def __init__(  # noqa: PLR0913 - the options of a public function, by keyword
        self,
        penalty: Any = "l1",
        *,
        criterion: str = "ebic",
        alphas: int | ArrayLike = 100,
        eps: float | None = None,
        noise_variance: float | None = None,
        gamma: float = 1.0,
        class_weight: Any = None,
        fit_intercept: bool = True,
        positive: bool = False,
        weights: ArrayLike | None = None,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        start: str | ArrayLike = "lasso",
        minimum: str = "coordinatewise",
        n_jobs: int | None = None,
        progress: bool | None = None,
        max_support: int | None = None,
        max_deviance: float | None = None,
        max_time: float | None = None,
        relax: bool = False,
        standardize: bool | None = None,
        l1_ratio: float = 1.0,
        ridge: float = 0.0,
        bounds: Any = None,
        loss: str | Loss = "logistic",
    ) -> None:
        self.penalty = as_given(penalty)
        self.criterion = criterion
        self.alphas = alphas
        self.eps = eps
        self.noise_variance = noise_variance
        self.gamma = gamma
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.weights = weights
        self.tol = tol
        self.max_iter = max_iter
        self.start = start
        self.minimum = minimum
        self.n_jobs = n_jobs
        self.progress = progress
        self.max_support = max_support
        self.max_deviance = max_deviance
        self.max_time = max_time
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
        """Fit a path per penalty and keep the point with the lowest criterion.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels: numbers, text, booleans.
        sample_weight : array-like of shape (n_samples,), default=None
            As in :meth:`SparseRegressorIC.fit`.
        offset : array-like of shape (n_samples,), default=None
            Added to the linear predictor of each row.

        Returns
        -------
        SparseClassifierIC
        """
        return self._fit(X, y, sample_weight, offset)
