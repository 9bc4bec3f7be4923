"""Models of skglm."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimators.classifier import SparseClassifier
from ..estimators.regressor import SparseRegressor
from ..losses import Huber, Logistic, Poisson, Squared, is_squared
from ..penalties import L1, MCP, SCAD, LogSum
from .stated import Settings, ratio_of, state_of

__all__ = ["from_skglm", "to_skglm"]

_DATAFITS = {"Quadratic": Squared, "Logistic": Logistic, "Poisson": Poisson}


def from_skglm(estimator: Any) -> SparseRegressor | SparseClassifier:
    """Convert an estimator of skglm.

    Lasso, WeightedLasso, ElasticNet, MCPRegression, SparseLogisticRegression, and
    GeneralizedLinearEstimator with the datafits Quadratic, Logistic, Poisson and Huber. The weights
    of an MCP must be equal, but for zeros.

    Returns
    -------
    SparseRegressor or SparseClassifier
        Not fitted; ``tol`` means another thing here and keeps its default.
    """
    kind = type(estimator).__name__
    loss: Any = Squared()
    if kind == "GeneralizedLinearEstimator":
        settings, loss = _from_skglm_penalty(estimator), _from_skglm_datafit(estimator.datafit)
        positive = bool(getattr(estimator.penalty, "positive", False))
        intercept = getattr(estimator.solver, "fit_intercept", True)
    elif kind in ("Lasso", "WeightedLasso", "ElasticNet", "MCPRegression"):
        convert = _from_skglm_mcp if kind == "MCPRegression" else _from_skglm_l1
        settings = convert(estimator)
        positive, intercept = estimator.positive, estimator.fit_intercept
    elif kind == "SparseLogisticRegression":
        settings, loss = _from_skglm_l1(estimator), Logistic()
        positive, intercept = False, estimator.fit_intercept
    else:
        raise TypeError(
            f"{kind} has no equivalent here; pass a Lasso, WeightedLasso, ElasticNet, "
            "MCPRegression, SparseLogisticRegression or GeneralizedLinearEstimator of skglm."
        )
    shared: dict[str, Any] = {
        "standardize": False,
        "fit_intercept": bool(intercept),
        "positive": bool(positive),
    }
    if loss.labels:
        return settings.classifier(**shared)
    return settings.regressor(**shared, **({} if is_squared(loss) else {"loss": loss}))


def _from_skglm_datafit(datafit: Any) -> Any:
    """Return the loss of a datafit of skglm, by the name of its class."""
    kind = "Quadratic" if datafit is None else type(datafit).__name__
    if kind == "Huber":
        return Huber(delta=float(datafit.delta))
    if kind not in _DATAFITS:
        raise ValueError(
            f"datafit {kind} is not supported; use skglm's Quadratic, Logistic, Poisson or Huber."
        )
    return _DATAFITS[kind]()


def _from_skglm_l1(source: Any) -> Settings:
    """Return the settings of an estimator or penalty of skglm by the names of its attributes."""
    weights = getattr(source, "weights", None)
    weights = None if weights is None else np.asarray(weights, dtype=np.float64)
    ratio = ratio_of("l1_ratio", float(getattr(source, "l1_ratio", 1.0)))
    return Settings(L1(), float(source.alpha), weights, l1_ratio=ratio)


def _from_skglm_mcp(source: Any) -> Settings:
    r"""Return the settings of an MCP of skglm, whose weights multiply all of it.

    :math:`c` times the MCP of strength :math:`\alpha` and shape :math:`\gamma` is that of strength
    :math:`c \alpha` and shape :math:`\gamma / c`, so one shape does for equal weights only.
    """
    settings = _from_skglm_l1(source)
    weights, gamma = settings.weights, float(source.gamma)
    if weights is None:
        return Settings(MCP(gamma=gamma), settings.alpha)
    used = weights[weights > 0.0]
    if used.size == 0 or np.any(used != used[0]):
        raise ValueError(
            "skglm multiplies the whole MCP by a feature's weight, sparsieve its strength; use "
            "weights=None, or see 'Coming from skglm' in the guide."
        )
    scale = float(used[0])
    kept = np.where(weights > 0.0, 1.0, 0.0)
    return Settings(MCP(gamma=gamma / scale), settings.alpha * scale, kept)


def _from_skglm_penalty(estimator: Any) -> Settings:
    penalty = estimator.penalty
    kind = type(penalty).__name__
    if kind in ("L1", "WeightedL1", "L1_plus_L2"):
        return _from_skglm_l1(penalty)
    if kind in ("MCPenalty", "WeightedMCPenalty"):
        return _from_skglm_mcp(penalty)
    if kind == "SCAD":
        return Settings(SCAD(gamma=float(penalty.gamma)), float(penalty.alpha))
    if kind == "LogSumPenalty":
        return Settings(LogSum(theta=float(penalty.eps)), float(penalty.alpha))
    raise ValueError(
        f"the penalty {kind} has no equivalent here; use L1, WeightedL1, L1_plus_L2, MCPenalty, "
        "SCAD or LogSumPenalty."
    )


def to_skglm(model: Any) -> Any:
    """Convert a model to a skglm GeneralizedLinearEstimator (not fitted; needs skglm).

    Estimators that choose, such as :class:`SparseRegressorCV`, must be fitted.
    """
    try:
        from skglm import GeneralizedLinearEstimator, datafits, solvers
        from skglm import penalties as theirs
    except ImportError as error:
        raise ImportError("to_skglm needs skglm: pip install skglm") from error
    stated = state_of(model)
    penalty, alpha, weights, terms, _ = stated
    loss = stated.only("skglm", "squared", "logistic", "poisson", "huber")
    kind, positive, plain = type(penalty), stated.positive("skglm"), weights is None
    if terms.ridged and (kind is not L1 or not plain):
        raise ValueError(
            "skglm has a ridge beside l1 without weights only; use penalty='l1' and weights=None, "
            "or l1_ratio=1 and ridge=0."
        )
    if terms.ridged:
        made = theirs.L1_plus_L2(*stated.elastic(), positive=positive)
    elif kind is L1 and not plain:
        made = theirs.WeightedL1(alpha, weights, positive=positive)
    elif kind is L1:
        made = theirs.L1(alpha, positive=positive)
    elif kind is MCP and plain:
        made = theirs.MCPenalty(alpha, float(penalty.gamma), positive=positive)
    elif kind is SCAD and plain and not positive:
        made = theirs.SCAD(alpha, float(penalty.gamma))
    elif kind is LogSum and plain and not positive:
        made = theirs.LogSumPenalty(alpha, float(penalty.theta))
    else:
        raise ValueError(
            f"skglm has no {kind.__name__} with these weights and sign constraint; it has l1 (with "
            "weights), mcp, scad and logsum: use one of them."
        )
    # Log-sum needs the fixed-point distance: zero is critical for it by skglm's other measure.
    strategy = "fixpoint" if kind is LogSum else "subdiff"
    shared = {"fit_intercept": bool(model.fit_intercept), "ws_strategy": strategy, "tol": 1e-8}
    # The curvature of counts has no bound, which its coordinate descent needs.
    solve = solvers.ProxNewton if loss == "poisson" else solvers.AndersonCD
    datafit = datafits.Huber(stated.loss.delta) if loss == "huber" else _datafit(datafits, loss)
    return GeneralizedLinearEstimator(datafit, made, solve(**shared))


def _datafit(datafits: Any, loss: str) -> Any:
    names = {"squared": "Quadratic", "logistic": "Logistic", "poisson": "Poisson"}
    return getattr(datafits, names[loss])()
