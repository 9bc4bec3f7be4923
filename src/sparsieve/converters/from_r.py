"""Arguments of the R packages ncvreg and glmnet."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..data.scalars import check_number
from ..penalties import L1, MCP, SCAD, resolve_penalty
from .stated import Settings, factors_of, ratio_of, state_of

__all__ = ["from_glmnet", "from_ncvreg", "to_glmnet", "to_ncvreg"]

_FAMILIES = {"gaussian": "squared", "binomial": "logistic", "poisson": "poisson"}


def from_ncvreg(
    penalty: str = "MCP",
    *,
    lam: float,
    gamma: float | None = None,
    alpha: float = 1.0,
    penalty_factor: ArrayLike | None = None,
) -> Settings:
    """Convert ``ncvreg(X, y, penalty, gamma, alpha, lambda, penalty.factor)``.

    ncvreg standardises, and so do the ``options`` of the settings. ``gamma`` defaults to 3 for MCP
    and 3.7 for SCAD, as in ncvreg.
    """
    lam = check_number("lam", lam, remedy="use lam > 0")
    options = {"standardize": True, "l1_ratio": ratio_of("alpha", alpha)}
    weights = None if penalty_factor is None else factors_of(penalty_factor)
    if penalty == "lasso":
        return Settings(L1(), lam, weights, **options)
    if penalty not in ("MCP", "SCAD"):
        raise ValueError(f"penalty={penalty!r} is not known; use 'MCP', 'SCAD' or 'lasso'.")
    kind: Any = MCP if penalty == "MCP" else SCAD
    made = kind() if gamma is None else kind(gamma=float(gamma))
    return Settings(resolve_penalty(made), lam, weights, **options)


def to_ncvreg(settings: Any) -> dict[str, Any]:
    """Convert settings, or a regressor, to arguments of ncvreg, for standardised columns."""
    stated = state_of(settings)
    stated.only("ncvreg, as far as it is known here,", "squared")
    penalty = stated.penalty
    names: dict[type, str] = {L1: "lasso", MCP: "MCP", SCAD: "SCAD"}
    if type(penalty) not in names:
        raise ValueError(
            f"ncvreg has no {type(penalty).__name__}; it has lasso, MCP and SCAD: use one of them."
        )
    if stated.terms.bounded:
        raise ValueError("ncvreg has no bounds; use positive=False and bounds=None.")
    lam, ratio = stated.elastic()
    arguments: dict[str, Any] = {"penalty": names[type(penalty)], "lambda": lam, "alpha": ratio}
    if type(penalty) is not L1:
        arguments["gamma"] = float(penalty.gamma)
    if stated.weights is not None:
        arguments["penalty.factor"] = np.asarray(stated.weights)
    return arguments


def from_glmnet(
    lam: float,
    *,
    penalty_factor: ArrayLike | None = None,
    alpha: float = 1.0,
    standardize: bool = True,
    lower_limits: ArrayLike = -np.inf,
    upper_limits: ArrayLike = np.inf,
    y_scale: float = 1.0,
    family: str = "gaussian",
) -> Settings:
    r"""Convert ``glmnet(X, y, family, alpha, lambda, penalty.factor, lower.limits, ...)``.

    glmnet rescales the penalty factors to sum to the number of features (counting inf, which
    excludes, as 1): :math:`\pi_j = f_j\, d / \sum_k f_k`. It divides y by its standard deviation
    (with 1/n) before it adds the ridge of an elastic net: where ``alpha`` is below 1 and y is not
    scaled like that, pass the standard deviation of y as ``y_scale``.

    Ratio, bounds, ``standardize`` and, for the families "binomial" and "poisson", the loss are in
    the ``options`` of the settings.
    """
    if family not in _FAMILIES:
        known = ", ".join(map(repr, _FAMILIES))
        raise ValueError(f"family={family!r} has no equivalent here; use one of {known}.")
    if family != "gaussian" and y_scale != 1.0:
        raise ValueError(
            f"glmnet divides no y by its standard deviation with family={family!r}; leave y_scale "
            "out."
        )
    lam = check_number("lam", lam, remedy="use lam > 0")
    share = ratio_of("alpha", alpha)
    y_scale = check_number("y_scale", y_scale, remedy="pass np.std(y)")
    first, second = lam * share, lam * (1.0 - share) / y_scale
    strength = lam if share == 1.0 else first + second
    options: dict[str, Any] = {"standardize": standardize, "l1_ratio": first / strength}
    options |= {} if family == "gaussian" else {"loss": _FAMILIES[family]}
    limits = [np.asarray(side, dtype=np.float64) for side in (lower_limits, upper_limits)]
    if not all(np.all(np.isinf(side)) for side in limits):
        options["bounds"] = tuple(side.tolist() for side in limits)
    if penalty_factor is None:
        return Settings(L1(), strength, **options)
    factors = factors_of(penalty_factor)
    total = float(np.sum(np.where(np.isinf(factors), 1.0, factors)))
    if total == 0.0:
        raise ValueError("every penalty factor is 0; give at least one feature a factor > 0.")
    return Settings(L1(), strength, factors * (factors.size / total), **options)


def to_glmnet(settings: Any, *, y_scale: float = 1.0) -> dict[str, Any]:
    """Convert settings, or a regressor, to arguments of glmnet: the inverse of from_glmnet."""
    stated = state_of(settings)
    loss, terms = stated.only("glmnet", *_FAMILIES.values()), stated.terms
    if type(stated.penalty) is not L1:
        raise ValueError("glmnet has only the lasso (and ridge); use penalty='l1'.")
    y_scale = check_number("y_scale", y_scale, remedy="pass np.std(y)")
    if loss != "squared" and y_scale != 1.0:
        raise ValueError(
            f"glmnet divides no y by its standard deviation with loss={loss!r}; leave y_scale out."
        )
    lam, ratio = stated.elastic(y_scale)
    arguments: dict[str, Any] = {"lambda": lam, "alpha": ratio, "standardize": terms.standardize}
    family = next(name for name, of in _FAMILIES.items() if of == loss)
    arguments |= {} if loss == "squared" else {"family": family}
    for name, side in (("lower", terms.lower), ("upper", terms.upper)):
        if side is not None:
            arguments[f"{name}.limits"] = float(side[0]) if side.size == 1 else side
    if stated.weights is not None:
        factors = stated.weights
        total = float(np.sum(np.where(np.isinf(factors), 1.0, factors)))
        arguments["lambda"] = lam * total / factors.size
        arguments["penalty.factor"] = factors
    return arguments
