"""The Proximal Weighted Lasso, the kernel every problem is reduced to."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from .. import _core
from ..data.core_columns import core_columns
from ..data.kinds import check_flag
from ..data.scalars import check_integer, check_number
from ..data.types import Floats
from ..data.validation import check_non_negative, check_X_y
from .designs import check_range

__all__ = ["PWLResult", "proximal_weighted_lasso"]


@dataclass(frozen=True, eq=False)
class PWLResult:
    """Solution and certificate of a Proximal Weighted Lasso.

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
    residual : ndarray of shape (n_samples,)
        y - X coef.
    primal, dual, gap : float
        ``primal - dual = gap``, where the dual point is feasible for every feature: the objective
        is at most ``gap`` above its minimum (up to rounding).
    screened : ndarray of bool of shape (n_features,)
        Features proven to be zero in every solution.
    n_epochs : int
        Rounds of coordinate descent.
    """

    coef: Floats
    residual: Floats
    primal: float
    dual: float
    gap: float
    screened: NDArray[np.bool_]
    n_epochs: int


def proximal_weighted_lasso(  # noqa: PLR0913 - the options of a public function, by keyword
    X: Any,
    y: Any,
    l1_weights: ArrayLike,
    *,
    prox_weight: float = 0.0,
    prox_center: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    screen: bool = True,
    tol: float = 1e-12,
    max_epochs: int = 100_000,
) -> PWLResult:
    r"""Solve a lasso with one weight per feature and a proximal term.

    .. math::
        \min_w\; \tfrac12 \sum_i \omega_i (y_i - x_i^\top w)^2
        + \tfrac{\mu}{2} \|w - w'\|^2 + \sum_j \lambda_j |w_j|

    The scale is the kernel's: no 1/n, no intercept, sample weights as given.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    l1_weights : array-like of shape (n_features,)
        The :math:`\lambda_j`: 0 leaves a feature unpenalised, inf excludes it.
    prox_weight : float, default=0.0
        :math:`\mu`; 0 switches the proximal term off.
    prox_center : array-like of shape (n_features,), default=None
        :math:`w'`; None means 0.
    sample_weight : array-like of shape (n_samples,), default=None
        The :math:`\omega_i`, used as given; None means 1.
    screen : bool, default=True
        Discard features with the safe rule while solving. The result is the same without.
    tol : float, default=1e-12
        Stop when the gap is at most ``tol`` times the objective at zero.
    max_epochs : int, default=100_000

    Returns
    -------
    PWLResult
    """
    data = check_X_y(X, y, sample_weight=sample_weight, min_samples=1)
    lam = check_non_negative("l1_weights", l1_weights, data.X.shape[1], "column of X")
    prox_weight = check_number(
        "prox_weight", prox_weight, closed="low", remedy="use prox_weight=0 to switch it off"
    )
    tol = check_number("tol", tol, remedy="use e.g. tol=1e-12")
    screen = check_flag("screen", screen)
    max_epochs = check_integer("max_epochs", max_epochs, low=1, remedy="use e.g. max_epochs=1000")
    n_samples, n_features = data.X.shape
    if prox_center is not None:
        prox_center = np.ascontiguousarray(prox_center, dtype=np.float64)
        if prox_center.shape != (n_features,) or not np.all(np.isfinite(prox_center)):
            raise ValueError(
                f"prox_center must hold {n_features} finite numbers, one per column of X, got "
                f"shape {prox_center.shape}."
            )
    omega = np.ones(n_samples) if data.sample_weight is None else data.sample_weight
    design = _core.Design(core_columns(data.X), omega, False)
    out = _core.solve_pwl(design, data.y, lam, prox_weight, prox_center, tol, max_epochs, screen)
    check_range(design, data)
    if not out["converged"]:
        remedy = (
            f"raise max_epochs or loosen tol={tol:g}"
            if out["n_epochs"] >= max_epochs
            else f"rounding error limits the gap here: loosen tol={tol:g} or rescale X"
        )
        warnings.warn(
            f"The proximal weighted lasso stopped at a gap of {out['gap']:.3g} after "
            f"{out['n_epochs']} epochs. Remedy: {remedy}.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return PWLResult(
        coef=out["coef"],
        residual=out["residual"],
        primal=out["primal"],
        dual=out["dual"],
        gap=out["gap"],
        screened=out["screened"].astype(bool),
        n_epochs=out["n_epochs"],
    )
