r"""The same problem in other libraries' parameters, and back.

sparsieve minimises

.. math::
    \frac{1}{2n} \sum_i (y_i - b - x_i^\top w)^2 + \sum_j r(|w_j|; \alpha \pi_j)

on the columns as they are. scikit-learn and skglm do too. The paper [RGS19] drops the 1/n. ncvreg
and glmnet standardise the columns first (mean 0 and variance 1, with 1/n): standardise X yourself,
for instance with ``StandardScaler``, and divide the coefficients by its ``scale_`` to compare.
"""

# This module alone asks for the class of a penalty. Names and scales of other packages are no facts
# of our penalties, and only a penalty with exactly these formulas has a counterpart there.

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model import ElasticNet, Lasso, LassoCV

from .data.validation import check_integer, check_number, check_weights
from .estimators.regressor import SparseRegressor
from .penalties import L1, MCP, SCAD, CappedL1, LogSum, Penalty, resolve_penalty

__all__ = [
    "Settings",
    "from_glmnet",
    "from_ncvreg",
    "from_paper",
    "from_skglm",
    "from_sklearn",
    "to_glmnet",
    "to_ncvreg",
    "to_paper",
    "to_skglm",
    "to_sklearn",
]


class Settings(NamedTuple):
    """A penalty, its strength, and weights per feature, as sparsieve takes them."""

    penalty: Penalty
    alpha: float
    weights: NDArray[np.float64] | None = None


def _settings(model: Any) -> Settings:
    """Return the settings of a regressor, those it chose if it is one that chooses, or as given."""
    if isinstance(model, Settings):
        return model._replace(penalty=resolve_penalty(model.penalty))
    alpha = getattr(model, "alpha_", getattr(model, "alpha", None))
    if alpha is None:
        raise ValueError(
            f"this {type(model).__name__} is not fitted, so it has chosen no alpha; call its fit "
            "first."
        )
    penalty = resolve_penalty(getattr(model, "penalty_", model.penalty))
    weights = None if model.weights is None else _factors(model.weights)
    return Settings(penalty, float(alpha), weights)


# --------------------------------------------------------------------------- the paper


def from_paper(penalty: str, lam: float, theta: float | None = None, *, n_samples: int) -> Settings:
    r"""Convert from the scale of [RGS19].

    .. math:: \frac12 \|y - Xw\|^2 + \sum_j r_{\lambda,\theta}(|w_j|)

    Dividing by n: :math:`\alpha = \lambda/n`; log-sum and capped l1 keep :math:`\theta`; MCP has
    :math:`\gamma = n\theta`. SCAD ties its slope to its breakpoints, so no alpha does the same;
    it is the same problem only for data divided by :math:`\sqrt n`.

    Parameters
    ----------
    penalty : {"l1", "logsum", "mcp", "capped_l1"}
        Or another spelling of these, as everywhere.
    lam, theta : float
    n_samples : int

    Returns
    -------
    Settings

    Examples
    --------
    >>> from sparsieve.converters import from_paper
    >>> from_paper("mcp", lam=50.0, theta=0.03, n_samples=100)[:2]
    (MCP(), 0.5)
    """
    lam = check_number("lam", lam, remedy="use lam > 0")
    n = check_integer("n_samples", n_samples, low=1, remedy="pass the number of rows")
    kind = type(resolve_penalty(penalty))
    if kind is L1:
        return Settings(L1(), lam / n)
    if kind not in (LogSum, MCP, CappedL1):
        raise ValueError(
            f"penalty={penalty!r} has no equivalent here; use 'l1', 'logsum', 'mcp' or 'capped_l1' "
            "(for 'scad', divide X and y by sqrt(n) in the paper's program: then alpha = lam and "
            "gamma = theta)."
        )
    theta = check_number("theta", theta, remedy="pass the paper's theta > 0")
    if kind is MCP:
        return Settings(MCP(gamma=theta * n), lam / n)
    return Settings(LogSum(theta) if kind is LogSum else CappedL1(theta), lam / n)


def to_paper(penalty: str | Penalty, alpha: float, *, n_samples: int) -> dict[str, Any]:
    """Convert to [RGS19]: the inverse of :func:`from_paper`.

    Returns
    -------
    dict
        ``penalty``, ``lam`` and ``theta`` (None for l1).
    """
    penalty = resolve_penalty(penalty)
    alpha = check_number("alpha", alpha, remedy="use alpha > 0")
    n = check_integer("n_samples", n_samples, low=1, remedy="pass the number of rows")
    names: dict[type, str] = {L1: "l1", MCP: "mcp", LogSum: "logsum", CappedL1: "capped_l1"}
    kind = type(penalty)
    if kind not in names:
        raise ValueError(
            f"{kind.__name__} has no equivalent in the paper's scale; use l1, logsum, mcp or "
            "capped_l1 (for scad, divide X and y by sqrt(n): then lam = alpha and theta = gamma)."
        )
    known: Any = penalty
    theta = known.gamma / n if kind is MCP else getattr(known, "theta", None)
    return {"penalty": names[kind], "lam": alpha * n, "theta": theta}


# --------------------------------------------------------------------------- scikit-learn


def from_sklearn(estimator: Any) -> SparseRegressor:
    """Convert a scikit-learn Lasso (or LassoCV, fitted; or ElasticNet with l1_ratio=1).

    Returns
    -------
    SparseRegressor
        Not fitted; ``tol`` means another thing here and keeps its default.
    """
    # The multi-task ones are kinds of Lasso too, but know no sign.
    known = isinstance(estimator, Lasso | LassoCV | ElasticNet) and hasattr(estimator, "positive")
    if not known:
        raise TypeError(
            f"{type(estimator).__name__} has no equivalent here; pass a Lasso, a fitted LassoCV, "
            "or an ElasticNet with l1_ratio=1."
        )
    if getattr(estimator, "l1_ratio", 1.0) != 1.0:
        raise ValueError(
            f"l1_ratio={estimator.l1_ratio} adds a ridge penalty, which is not supported; use "
            "l1_ratio=1.0."
        )
    if isinstance(estimator, LassoCV) and not hasattr(estimator, "alpha_"):
        raise ValueError("this LassoCV is not fitted, so it has no alpha; call its fit first.")
    return SparseRegressor(
        "l1",
        alpha=float(getattr(estimator, "alpha_", None) or estimator.alpha),
        fit_intercept=estimator.fit_intercept,
        positive=estimator.positive,
    )


def to_sklearn(model: Any) -> Any:
    """Convert a regressor with the l1 penalty to a scikit-learn Lasso (not fitted).

    One that chooses (:class:`SparseRegressorCV`, :class:`SparseRegressorIC`) must be fitted.
    """
    settings = _settings(model)
    if type(settings.penalty) is not L1 or settings.weights is not None:
        raise ValueError(
            "scikit-learn has only the lasso, without weights per feature; use penalty='l1' and "
            "weights=None."
        )
    return Lasso(alpha=settings.alpha, fit_intercept=model.fit_intercept, positive=model.positive)


# --------------------------------------------------------------------------- skglm


def from_skglm(estimator: Any) -> SparseRegressor:
    """Convert a skglm Lasso, WeightedLasso, MCPRegression or GeneralizedLinearEstimator.

    Returns
    -------
    SparseRegressor
        Not fitted; ``tol`` means another thing here and keeps its default.
    """
    kind = type(estimator).__name__
    if kind == "GeneralizedLinearEstimator":
        settings, positive = _from_skglm_penalty(estimator)
        intercept = getattr(estimator.solver, "fit_intercept", True)
    elif kind in ("Lasso", "WeightedLasso", "MCPRegression"):
        penalty = MCP(gamma=float(estimator.gamma)) if kind == "MCPRegression" else L1()
        weights = getattr(estimator, "weights", None)
        if kind == "MCPRegression" and weights is not None:
            raise ValueError(
                "skglm multiplies the whole MCP by a feature's weight, sparsieve its strength; use "
                "weights=None."
            )
        settings = Settings(penalty, float(estimator.alpha), weights)
        positive, intercept = estimator.positive, estimator.fit_intercept
    else:
        raise TypeError(
            f"{kind} has no equivalent here; pass a Lasso, WeightedLasso, MCPRegression or "
            "GeneralizedLinearEstimator of skglm."
        )
    return SparseRegressor(
        settings.penalty,
        settings.alpha,
        fit_intercept=bool(intercept),
        positive=bool(positive),
        weights=settings.weights,
    )


def _from_skglm_penalty(estimator: Any) -> tuple[Settings, bool]:
    datafit, penalty = type(estimator.datafit).__name__, estimator.penalty
    if estimator.datafit is not None and datafit != "Quadratic":
        raise ValueError(f"datafit {datafit} is not supported; use skglm's Quadratic.")
    kind = type(penalty).__name__
    positive = bool(getattr(penalty, "positive", False))
    if kind in ("L1", "WeightedL1"):
        weights = None if kind == "L1" else np.asarray(penalty.weights, dtype=np.float64)
        return Settings(L1(), float(penalty.alpha), weights), positive
    if kind == "MCPenalty":
        return Settings(MCP(gamma=float(penalty.gamma)), float(penalty.alpha)), positive
    if kind == "SCAD":
        return Settings(SCAD(gamma=float(penalty.gamma)), float(penalty.alpha)), positive
    if kind == "LogSumPenalty":
        return Settings(LogSum(theta=float(penalty.eps)), float(penalty.alpha)), positive
    raise ValueError(
        f"the penalty {kind} has no equivalent here; use L1, WeightedL1, MCPenalty, SCAD or "
        "LogSumPenalty."
    )


def to_skglm(model: Any) -> Any:
    """Convert a regressor to a skglm GeneralizedLinearEstimator (not fitted; needs skglm).

    One that chooses (:class:`SparseRegressorCV`, :class:`SparseRegressorIC`) must be fitted.
    """
    try:
        from skglm import GeneralizedLinearEstimator
        from skglm import penalties as theirs
        from skglm.datafits import Quadratic
        from skglm.solvers import AndersonCD
    except ImportError as error:
        raise ImportError("to_skglm needs skglm: pip install skglm") from error
    settings = _settings(model)
    penalty: Any = settings.penalty
    weights, alpha = settings.weights, settings.alpha
    kind, positive, plain = type(penalty), bool(model.positive), weights is None
    if kind is L1 and not plain:
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
    solver = AndersonCD(fit_intercept=bool(model.fit_intercept), ws_strategy=strategy, tol=1e-8)
    return GeneralizedLinearEstimator(Quadratic(), made, solver)


# --------------------------------------------------------------------------- ncvreg, glmnet


def from_ncvreg(
    penalty: str = "MCP",
    *,
    lam: float,
    gamma: float | None = None,
    alpha: float = 1.0,
    penalty_factor: ArrayLike | None = None,
) -> Settings:
    """Convert ``ncvreg(X, y, penalty, gamma, alpha, lambda, penalty.factor)``.

    The settings are for standardised columns: see the top of this module. ``gamma`` defaults to 3
    for MCP and 3.7 for SCAD, as in ncvreg.
    """
    lam = check_number("lam", lam, remedy="use lam > 0")
    _no_ridge(alpha)
    weights = None if penalty_factor is None else _factors(penalty_factor)
    if penalty == "lasso":
        return Settings(L1(), lam, weights)
    if penalty not in ("MCP", "SCAD"):
        raise ValueError(f"penalty={penalty!r} is not known; use 'MCP', 'SCAD' or 'lasso'.")
    made = MCP(gamma=3.0 if gamma is None else float(gamma))
    if penalty == "SCAD":
        return Settings(
            resolve_penalty(SCAD(gamma=3.7 if gamma is None else float(gamma))), lam, weights
        )
    return Settings(resolve_penalty(made), lam, weights)


def to_ncvreg(settings: Any) -> dict[str, Any]:
    """Convert settings, or a regressor, to arguments of ncvreg, for standardised columns."""
    settings = _settings(settings)
    penalty: Any = settings.penalty
    names: dict[type, str] = {L1: "lasso", MCP: "MCP", SCAD: "SCAD"}
    if type(penalty) not in names:
        raise ValueError(
            f"ncvreg has no {type(penalty).__name__}; it has lasso, MCP and SCAD: use one of them."
        )
    arguments = {"penalty": names[type(penalty)], "lambda": float(settings.alpha)}
    if type(penalty) is not L1:
        arguments["gamma"] = float(penalty.gamma)
    if settings.weights is not None:
        arguments["penalty.factor"] = np.asarray(settings.weights)
    return arguments


def from_glmnet(
    lam: float, *, penalty_factor: ArrayLike | None = None, alpha: float = 1.0
) -> Settings:
    r"""Convert ``glmnet(X, y, alpha = 1, lambda, penalty.factor, standardize = FALSE)``.

    glmnet rescales the penalty factors to sum to the number of features (counting inf, which
    excludes, as 1): :math:`\pi_j = f_j\, d / \sum_k f_k`. With ``standardize = TRUE`` the settings
    are for standardised columns: see the top of this module.
    """
    lam = check_number("lam", lam, remedy="use lam > 0")
    _no_ridge(alpha)
    if penalty_factor is None:
        return Settings(L1(), lam)
    factors = _factors(penalty_factor)
    total = float(np.sum(np.where(np.isinf(factors), 1.0, factors)))
    if total == 0.0:
        raise ValueError("every penalty factor is 0; give at least one feature a factor > 0.")
    return Settings(L1(), lam, factors * (factors.size / total))


def to_glmnet(settings: Any) -> dict[str, Any]:
    """Convert settings, or a regressor, to arguments of glmnet: the inverse of from_glmnet."""
    settings = _settings(settings)
    if type(settings.penalty) is not L1:
        raise ValueError("glmnet has only the lasso (and ridge); use penalty='l1'.")
    arguments: dict[str, Any] = {"lambda": float(settings.alpha), "alpha": 1.0}
    arguments["standardize"] = False
    if settings.weights is not None:
        factors = _factors(settings.weights)
        total = float(np.sum(np.where(np.isinf(factors), 1.0, factors)))
        arguments["lambda"] = float(settings.alpha) * total / factors.size
        arguments["penalty.factor"] = factors
    return arguments


def _factors(factors: ArrayLike) -> NDArray[np.float64]:
    checked = check_weights(factors, len(np.atleast_1d(np.asarray(factors))))
    assert checked is not None
    return checked


def _no_ridge(alpha: float) -> None:
    if alpha != 1.0:
        raise ValueError(
            f"alpha={alpha} adds a ridge penalty, which is not supported; use alpha=1."
        )
