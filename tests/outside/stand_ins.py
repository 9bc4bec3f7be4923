"""Our estimators under the names and with the parameters that others have for theirs.

Each is a subclass or a call of the library's own and only translates. Parameters that say how a
solver works inside (``precompute``, ``copy_X``, ``selection``, ``random_state``, ``p0``, ``prune``
and the like) have no counterpart and are ignored; so is ``max_iter`` of ``celer_path``: it counts
working sets that are each solved by many epochs. ``tol`` is a duality gap with others and a
violation of stationarity with us, which is stricter: theirs is handed on, but never more than our
default. A pure ridge, and a choice among ratios under their names, are refused.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

import sparsieve as sv

LOOSEST = 1e-6  # our default


class NotOursError(Exception):
    """The test asks for an estimator that the library does not have."""


class Calls:
    """How often a stand-in was fitted: a test that never does so says nothing about us."""

    number = 0


def _checked_ratio(l1_ratio):
    if np.ndim(l1_ratio) > 0 or l1_ratio == 0:
        raise NotOursError(f"an elastic net with l1_ratio={l1_ratio}")


class _Fit:
    """What all estimators here have in common: the parameters of ours that others lack."""

    penalty = "l1"
    weights = None
    start = "lasso"
    minimum = "coordinatewise"
    relax = False
    warm_start = False
    n_jobs = None
    standardize = False
    l1_ratio = 1.0
    ridge = 0.0
    bounds = None
    loss = "squared"
    max_support = None
    max_deviance = None
    max_time = None

    def fit(self, X, y, sample_weight=None, check_input=True, **params):
        Calls.number += 1
        given = self.tol
        try:
            self.tol = min(given, LOOSEST)
            return super().fit(X, y, sample_weight=sample_weight, **params)
        finally:
            self.tol = given


class Lasso(_Fit, sv.SparseRegressor):
    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        precompute=False,
        copy_X=True,
        max_iter=1000,
        tol=1e-4,
        warm_start=False,
        positive=False,
        random_state=None,
        selection="cyclic",
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection


class ElasticNet(Lasso):
    def __init__(
        self,
        alpha=1.0,
        *,
        l1_ratio=1.0,
        fit_intercept=True,
        precompute=False,
        max_iter=1000,
        copy_X=True,
        tol=1e-4,
        warm_start=False,
        positive=False,
        random_state=None,
        selection="cyclic",
    ):
        self.l1_ratio = l1_ratio
        super().__init__(
            alpha,
            fit_intercept=fit_intercept,
            precompute=precompute,
            copy_X=copy_X,
            max_iter=max_iter,
            tol=tol,
            warm_start=warm_start,
            positive=positive,
            random_state=random_state,
            selection=selection,
        )

    def fit(self, X, y, sample_weight=None, check_input=True):
        _checked_ratio(self.l1_ratio)
        return super().fit(X, y, sample_weight=sample_weight)


def _alphas_of(alphas, n_alphas):
    """Return our ``alphas`` for the two ways in which others ask for a grid."""
    if isinstance(n_alphas, int) and (alphas is None or isinstance(alphas, int)):
        return n_alphas
    return 100 if alphas is None else alphas


class LassoCV(_Fit, sv.SparseRegressorCV):
    scoring = None
    rule = "min"
    progress = False
    checkpoint = None

    def __init__(
        self,
        *,
        eps=1e-3,
        n_alphas="deprecated",
        alphas=100,
        fit_intercept=True,
        precompute="auto",
        max_iter=1000,
        tol=1e-4,
        copy_X=True,
        cv=None,
        verbose=False,
        n_jobs=None,
        positive=False,
        random_state=None,
        selection="cyclic",
    ):
        self.eps = eps
        self.n_alphas = n_alphas
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    def fit(self, X, y, sample_weight=None, **params):
        alphas, eps = self.alphas, self.eps
        try:
            self.alphas = _alphas_of(alphas, self.n_alphas)
            # A grid of one alpha has no end; others then take any eps, also 1.
            self.eps = 0.5 if isinstance(self.alphas, int) and self.alphas == 1 else eps
            return super().fit(X, y, sample_weight=sample_weight, **params)
        finally:
            self.alphas, self.eps = alphas, eps


class ElasticNetCV(LassoCV):
    def __init__(
        self,
        *,
        l1_ratio=1.0,
        eps=1e-3,
        n_alphas="deprecated",
        alphas=100,
        fit_intercept=True,
        precompute="auto",
        max_iter=1000,
        tol=1e-4,
        cv=None,
        copy_X=True,
        verbose=0,
        n_jobs=None,
        positive=False,
        random_state=None,
        selection="cyclic",
    ):
        self.l1_ratio = l1_ratio
        super().__init__(
            eps=eps,
            n_alphas=n_alphas,
            alphas=alphas,
            fit_intercept=fit_intercept,
            precompute=precompute,
            max_iter=max_iter,
            tol=tol,
            copy_X=copy_X,
            cv=cv,
            verbose=verbose,
            n_jobs=n_jobs,
            positive=positive,
            random_state=random_state,
            selection=selection,
        )

    def fit(self, X, y, sample_weight=None, **params):
        _checked_ratio(self.l1_ratio)
        return super().fit(X, y, sample_weight=sample_weight, **params)


def _dense(coefs):
    return coefs.toarray() if sparse.issparse(coefs) else coefs


def lasso_path(
    X,
    y,
    *,
    eps=1e-3,
    n_alphas="deprecated",
    alphas=100,
    precompute="auto",
    Xy=None,
    copy_X=True,
    coef_init=None,
    verbose=False,
    return_n_iter=False,
    positive=False,
    tol=1e-4,
    check_input=True,
    **params,
):
    """As in scikit-learn: without an intercept."""
    Calls.number += 1
    path = sv.sparse_path(
        X,
        y,
        "l1",
        alphas=_alphas_of(alphas, n_alphas),
        eps=eps,
        fit_intercept=False,
        positive=positive,
        tol=min(tol, LOOSEST),
        **params,
    )
    gaps = np.array([point.dual_gap for point in path.points])
    found = (path.alphas, _dense(path.coefs), gaps)
    return (*found, [point.n_iter for point in path.points]) if return_n_iter else found


def enet_path(X, y, *, l1_ratio=1.0, **params):
    _checked_ratio(l1_ratio)
    return lasso_path(X, y, **params)


def celer_path(
    X,
    y,
    pb,
    *,
    eps=1e-3,
    n_alphas=100,
    alphas=None,
    weights=None,
    tol=1e-6,
    prune=True,
    p0=10,
    max_iter=20,
    verbose=0,
    return_thetas=False,
    return_n_iter=False,
):
    """As in celer: several kinds of problem, of which the lasso is ours."""
    if pb != "lasso":
        raise NotOursError(f"celer_path of {pb}")
    Calls.number += 1
    path = sv.sparse_path(
        X,
        y,
        "l1",
        alphas=_alphas_of(alphas, n_alphas),
        eps=eps,
        fit_intercept=False,
        weights=weights,
        tol=min(tol, LOOSEST),
    )
    found = [path.alphas, _dense(path.coefs), np.array([p.dual_gap for p in path.points])]
    if return_thetas:
        found.append(None)
    if return_n_iter:
        found.append([point.n_iter for point in path.points])
    return tuple(found)


class CelerLasso(_Fit, sv.SparseRegressor):
    """The lasso of celer and of skglm, whose parameters differ in what we ignore."""

    def __init__(
        self,
        alpha=1.0,
        max_iter=100,
        max_epochs=50000,
        p0=10,
        verbose=0,
        tol=1e-4,
        positive=False,
        prune=True,
        fit_intercept=True,
        weights=None,
        warm_start=False,
    ):
        self.alpha = alpha
        self.max_iter = max_iter
        self.max_epochs = max_epochs
        self.p0 = p0
        self.verbose = verbose
        self.tol = tol
        self.positive = positive
        self.prune = prune
        self.fit_intercept = fit_intercept
        self.weights = weights
        self.warm_start = warm_start


class WeightedLasso(CelerLasso):
    """As in skglm: the weights come second."""

    def __init__(
        self,
        alpha=1.0,
        weights=None,
        max_iter=50,
        tol=1e-4,
        positive=False,
        fit_intercept=True,
        warm_start=False,
    ):
        super().__init__(
            alpha,
            max_iter=max_iter,
            tol=tol,
            positive=positive,
            fit_intercept=fit_intercept,
            weights=weights,
            warm_start=warm_start,
        )


class MCPRegression(WeightedLasso):
    """As in skglm. An infinite gamma is the lasso."""

    def __init__(
        self,
        alpha=1.0,
        gamma=3,
        weights=None,
        max_iter=50,
        tol=1e-4,
        positive=False,
        fit_intercept=True,
        warm_start=False,
    ):
        self.gamma = gamma
        super().__init__(alpha, weights, max_iter, tol, positive, fit_intercept, warm_start)

    @property
    def penalty(self):
        lasso = isinstance(self.gamma, float) and np.isinf(self.gamma)
        return "l1" if lasso else sv.MCP(self.gamma)
