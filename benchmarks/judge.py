"""The judge: objective and violation in float64 from the coefficients alone.

    objective(w)  = 1/(2n) ||y - Xw||^2 + sum_j r(|w_j|; alpha, shape)
    violation_j   = max(0, |c_j| - r'(0))             if w_j = 0        c = X'(y - Xw)/n
                    |c_j - r'(|w_j|) sign(w_j)|       otherwise

Of other losses, F(eta) = 1/n sum_i f(eta_i; y_i) takes the place of the squares, and v = -f'(eta)
that of y - eta.

It imports nothing of the library and trusts no solver's own word: penalties and losses are written
out again here. The accuracy of a path is its largest violation over features and alphas, as a
fraction of max_j |x_j'v|/n at w = 0 (for squares v = y), the violation of w = 0 without a penalty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import expit

LEVELS = {"loose": 1e-4, "tight": 1e-6}


@dataclass(frozen=True)
class Penalty:
    """A penalty r(t; alpha, shape): its kind and, but for L1, its shape."""

    kind: str
    shape: float | None = None

    @property
    def label(self) -> str:
        """Name in tables, e.g. ``mcp(3)``."""
        return self.kind if self.shape is None else f"{self.kind}({self.shape:g})"

    def value(self, t: np.ndarray, alpha: float) -> np.ndarray:
        """Return r(t) for t >= 0."""
        s = 0.0 if self.shape is None else self.shape
        if self.kind == "l1":
            return alpha * t
        if self.kind == "logsum":
            return alpha * np.log1p(t / s)
        if self.kind == "mcp":
            return np.where(t <= s * alpha, alpha * t - t**2 / (2 * s), s * alpha**2 / 2)
        if self.kind == "scad":
            middle = (2 * s * alpha * t - t**2 - alpha**2) / (2 * (s - 1))
            flat = alpha**2 * (s + 1) / 2
            return np.where(t <= alpha, alpha * t, np.where(t <= s * alpha, middle, flat))
        raise ValueError(f"unknown penalty {self.kind!r}")

    def slope(self, t: np.ndarray, alpha: float) -> np.ndarray:
        """Return r'(t) for t >= 0 (the right derivative at 0)."""
        s = 0.0 if self.shape is None else self.shape
        if self.kind == "l1":
            return np.full_like(t, alpha)
        if self.kind == "logsum":
            return alpha / (s + t)
        if self.kind == "mcp":
            return np.maximum(alpha - t / s, 0.0)
        if self.kind == "scad":
            return np.where(t <= alpha, alpha, np.maximum(s * alpha - t, 0.0) / (s - 1))
        raise ValueError(f"unknown penalty {self.kind!r}")


PENALTIES = {
    "l1": Penalty("l1"),
    "mcp": Penalty("mcp", 3.0),
    "scad": Penalty("scad", 3.7),
    "logsum": Penalty("logsum", 0.1),
}


@dataclass(frozen=True)
class Loss:
    """A loss: the value of rows f(eta; y), and v = -f'(eta; y)."""

    value: Callable[[np.ndarray, np.ndarray], np.ndarray]
    residual: Callable[[np.ndarray, np.ndarray], np.ndarray]


def _logistic_value(eta: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.asarray(np.logaddexp(0.0, eta) - y * eta)


LOSSES = {
    "squared": Loss(lambda eta, y: (y - eta) ** 2 / 2, lambda eta, y: y - eta),
    "logistic": Loss(_logistic_value, lambda eta, y: y - expit(eta)),
    "poisson": Loss(lambda eta, y: np.exp(eta) - y * eta, lambda eta, y: y - np.exp(eta)),
}
# Four times as wide for the logistic loss, whose curvature is at most 1/4: they bend as much in
# proportion to the loss as 3 and 3.7 do beside squares.
_WIDE = {"mcp": Penalty("mcp", 12.0), "scad": Penalty("scad", 11.8)}


def penalty_of(kind: str, loss: str) -> Penalty:
    """Return the penalty called `kind` with the shape that suits a loss."""
    return _WIDE[kind] if loss == "logistic" and kind in _WIDE else PENALTIES[kind]


def correlation_scale(
    X: np.ndarray | sparse.csc_matrix, y: np.ndarray, loss: str = "squared"
) -> float:
    """Return max_j |x_j'v| / n at w = 0, the unit in which violations are stated."""
    v = LOSSES[loss].residual(np.zeros(len(y)), y)
    return float(np.abs(X.T @ v).max() / X.shape[0])


def alpha_grid(penalty: Penalty, scale: float, n_alphas: int, eps: float) -> np.ndarray:
    """Return alphas falling from the smallest one with a zero solution to eps times that."""
    slope_at_one = float(penalty.slope(np.zeros(1), 1.0)[0])  # r'(0) is linear in alpha
    return scale / slope_at_one * np.geomspace(1.0, eps, n_alphas)


@dataclass(frozen=True)
class Verdict:
    """What the judge found, one entry per alpha."""

    objective: np.ndarray
    violation: np.ndarray
    support: np.ndarray


def judge(
    X: np.ndarray | sparse.csc_matrix,
    y: np.ndarray,
    coefs: sparse.csc_matrix,
    penalty: Penalty,
    alphas: np.ndarray,
    loss: str = "squared",
) -> Verdict:
    """Judge a path of coefficients, one column per alpha."""
    n, d = X.shape
    if coefs.shape != (d, len(alphas)):
        raise ValueError(f"coefs has shape {coefs.shape}, expected {(d, len(alphas))}")
    coefs = sparse.csc_matrix(coefs, dtype=np.float64)
    out = np.full((3, len(alphas)), np.inf)
    rows = LOSSES[loss]
    eta, response = _predictions(X, coefs), y[:, None]
    correlations = np.asarray(X.T @ rows.residual(eta, response)) / n
    values = rows.value(eta, response).sum(axis=0) / n
    for k, alpha in enumerate(alphas):
        w = coefs[:, [k]].toarray().ravel()
        if not np.isfinite(w).all():
            continue  # a solver that diverged: every measure stays infinite
        out[0, k] = values[k] + penalty.value(np.abs(w), float(alpha)).sum()
        out[1, k] = violations(correlations[:, k], w, penalty, float(alpha)).max()
        out[2, k] = np.count_nonzero(w)
    return Verdict(*out)


def violations(c: np.ndarray, w: np.ndarray, penalty: Penalty, alpha: float) -> np.ndarray:
    """Return the violation of every feature, given c = X'(y - Xw)/n."""
    slope = penalty.slope(np.abs(w), alpha)
    at_zero = np.maximum(np.abs(c) - slope, 0.0)
    elsewhere = np.abs(c - slope * np.sign(w))
    return np.asarray(np.where(w == 0, at_zero, elsewhere))


def _predictions(X: np.ndarray | sparse.csc_matrix, coefs: sparse.csc_matrix) -> np.ndarray:
    """Return X @ coefs; only columns in use are read (X may be mapped from disk)."""
    used = np.unique(coefs.indices)
    return np.asarray(X[:, used] @ coefs[used].toarray())
