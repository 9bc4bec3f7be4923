r"""Slow solvers for any loss: proximal Newton steps, each by plain coordinate descent.

.. math::
    \min_{w, b} \; \sum_i \Omega_i f(o_i + b + x_i^\top w; y_i) + \sum_j \lambda_j |w_j|
    + \frac{\rho}{2} \|w\|^2

:func:`glm_lasso` solves this convex problem, :func:`glm_mm` a concave penalty as a sequence of them
with :math:`\lambda_j = r'(|w_j|)`. Weights of 0 leave a feature unpenalised, inf excludes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..penalties import Penalty
from .design import Array
from .losses import LossTwin

__all__ = ["GlmProblem", "GlmResult", "glm_gap", "glm_lasso", "glm_mm"]

_NEWTON_STEPS = 200
_EPOCHS = 2000
#: Coordinate descent ends when no step moves the quadratic model by more than this part of it.
_INNER = 1e-14
#: What sums of some hundreds of terms may be off by.
_ROUNDING = 1e-14
#: A curvature below this part of the largest counts as that much, so that steps stay finite.
_FLAT = 1e-8


@dataclass(frozen=True)
class GlmProblem:
    """Data and loss; ``omega`` sums to 1."""

    X: Array
    y: Array
    loss: LossTwin
    omega: Array
    offset: Array
    ridge: float = 0.0
    fit_intercept: bool = True
    lower: float = -np.inf
    upper: float = np.inf

    @classmethod
    def of(cls, X: Any, y: Any, loss: LossTwin, **options: Any) -> GlmProblem:
        """Fill in equal weights and no offset where none are given."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        omega = np.asarray(options.pop("sample_weight", np.ones(y.size)), dtype=np.float64)
        offset = np.asarray(options.pop("offset", np.zeros(y.size)), dtype=np.float64)
        return cls(X, y, loss, omega / omega.sum(), offset, **options)

    def eta(self, w: Array, b: float) -> Array:
        """Return the linear predictor."""
        eta: Array = self.offset + b + self.X @ w
        return eta

    def fit(self, w: Array, b: float) -> float:
        """Return the mean loss."""
        return float(self.omega @ self.loss.value(self.eta(w, b), self.y))

    def objective(self, w: Array, b: float, l1_weights: Array) -> float:
        """Return mean loss, ridge and l1 norm."""
        used = w != 0.0  # of excluded features inf times zero is nothing
        cost = float(l1_weights[used] @ np.abs(w[used]))
        return self.fit(w, b) + 0.5 * self.ridge * float(w @ w) + cost


@dataclass(frozen=True)
class GlmResult:
    """A point with its proof."""

    w: Array
    b: float
    objective: float
    violation: float
    converged: bool


def _residual(problem: GlmProblem, w: Array, b: float) -> Array:
    v: Array = problem.omega * problem.loss.residual(problem.eta(w, b), problem.y)
    return v


def _violation(problem: GlmProblem, w: Array, b: float, l1_weights: Array) -> float:
    v = _residual(problem, w, b)
    c = problem.X.T @ v - problem.ridge * w
    up = np.where(w >= problem.upper, 0.0, np.maximum(c, 0.0))
    down = np.where(w <= problem.lower, 0.0, np.maximum(-c, 0.0))
    at_zero = np.maximum(np.maximum(up, down) - l1_weights, 0.0)
    with np.errstate(invalid="ignore"):
        push = c - np.sign(w) * l1_weights
    push = np.where((w == problem.upper) & (push > 0.0), 0.0, push)
    push = np.where((w == problem.lower) & (push < 0.0), 0.0, push)
    worst = np.where(w == 0.0, at_zero, np.abs(push))
    own = abs(float(np.sum(v))) if problem.fit_intercept else 0.0
    return max(float(np.max(worst, initial=0.0)), own)


def _newton_point(
    problem: GlmProblem, w: Array, b: float, l1_weights: Array
) -> tuple[Array, float]:
    """Minimise the quadratic model at a point by coordinate descent."""
    eta = problem.eta(w, b)
    bend = problem.omega * problem.loss.curvature(eta, problem.y)
    bend = np.maximum(bend, _FLAT * max(float(np.max(bend)), _FLAT) * (problem.omega > 0.0))
    v = _residual(problem, w, b)  # minus the gradient of the model, kept up to date
    X, w = problem.X, w.copy()
    h = bend @ X**2 + problem.ridge
    usable = (h > 0.0) & np.isfinite(l1_weights)
    for _ in range(_EPOCHS):
        gained = 0.0
        if problem.fit_intercept:
            step = float(np.sum(v) / np.sum(bend))
            b, v = b + step, v - step * bend
            gained = step * step * float(np.sum(bend))
        for j in np.flatnonzero(usable):
            z = float(X[:, j] @ v) - problem.ridge * w[j] + h[j] * w[j]
            new = np.sign(z) * max(abs(z) - l1_weights[j], 0.0) / h[j]
            new = min(max(new, problem.lower), problem.upper)
            if new != w[j]:
                v = v - (new - w[j]) * bend * X[:, j]
                gained = max(gained, h[j] * (new - w[j]) ** 2)
                w[j] = new
        if gained <= _INNER**2:
            break
    return w, b


def glm_lasso(
    problem: GlmProblem,
    l1_weights: Array,
    *,
    w: Array | None = None,
    b: float = 0.0,
    tol: float = 1e-12,
) -> GlmResult:
    """Solve the weighted lasso of a loss."""
    l1_weights = np.asarray(l1_weights, dtype=np.float64)
    w = np.zeros(problem.X.shape[1]) if w is None else w.copy()
    now, violation = problem.objective(w, b, l1_weights), _violation(problem, w, b, l1_weights)
    for _ in range(_NEWTON_STEPS):
        if violation <= tol:
            break
        new_w, new_b = _newton_point(problem, w, b, l1_weights)
        step = 1.0
        while step > 1e-18:
            trial_w, trial_b = w + step * (new_w - w), b + step * (new_b - b)
            with np.errstate(all="ignore"):
                value = problem.objective(trial_w, trial_b, l1_weights)
                left = _violation(problem, trial_w, trial_b, l1_weights)
            # Near the end only the violation can tell a step from rounding.
            if value < now or (value - now <= _ROUNDING * abs(now) and left < violation):
                break
            step /= 2.0
        else:
            break  # no step leads on
        w, b, now, violation = trial_w, trial_b, value, left
    return GlmResult(w, b, now, violation, violation <= tol)


def glm_mm(
    problem: GlmProblem,
    penalty: Penalty,
    alpha: float,
    *,
    w: Array | None = None,
    b: float = 0.0,
    tol: float = 1e-10,
    max_iter: int = 500,
) -> GlmResult:
    """Minimise mean loss plus penalty: majorise by a weighted lasso, solve it, and again."""
    w = np.zeros(problem.X.shape[1]) if w is None else w.copy()
    result = None
    for _ in range(max_iter):
        l1_weights = np.asarray(penalty.slope(np.abs(w), np.full(w.size, alpha)))
        result = glm_lasso(problem, l1_weights, w=w, b=b, tol=0.1 * tol)
        w, b = result.w, result.b
        slopes = np.asarray(penalty.slope(np.abs(w), np.full(w.size, alpha)))
        violation = _violation(problem, w, b, slopes)
        if violation <= tol:
            break
    cost = float(np.sum(np.asarray(penalty.value(np.abs(w), np.full(w.size, alpha)))))
    total = problem.fit(w, b) + 0.5 * problem.ridge * float(w @ w) + cost
    return GlmResult(w, b, total, violation, violation <= tol)


def glm_gap(problem: GlmProblem, w: Array, b: float, l1_weights: Array) -> float:
    r"""Return the duality gap of a weighted lasso without ridge and bounds, at any point.

    .. math::
        D(s) = -\sum_i \Omega_i f^*(-s_i/\Omega_i; y_i) - o^\top s, \qquad
        |x_j^\top s| \le \lambda_j, \quad \sum_i s_i = 0

    for the residual s scaled into the constraints. The intercept, and features of weight 0, must be
    solved for: their own constraints are equalities that scaling cannot mend.
    """
    s = _residual(problem, w, b)
    c = np.abs(problem.X.T @ s)
    bound = (l1_weights > 0.0) & np.isfinite(l1_weights)
    scale = min(1.0, float(np.min(l1_weights[bound] / np.maximum(c[bound], 1e-300), initial=1.0)))
    used = problem.omega > 0.0
    t = scale * s[used] / problem.omega[used]
    dual = -float(problem.omega[used] @ problem.loss.dual(t, problem.y[used]))
    dual -= scale * float(problem.offset @ s)
    return problem.objective(w, b, l1_weights) - dual
