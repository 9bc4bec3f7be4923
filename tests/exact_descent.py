"""Warm-started exact coordinate descent in plain Python, for comparisons: MCP, SCAD, log-sum, l1.

The solver that other packages have, with one difference: each step goes to the lowest point of its
coordinate, however far away (Mazumder, Friedman and Hastie 2011; the formulas hold for columns of
any size). It shares nothing with the library but the objects that name a penalty.

A coordinate is h t^2/2 - z t + r(t), t >= 0. Its minimiser is 0 up to the threshold
T = inf over t > 0 of h t/2 + r(t)/t.
"""

import math

import numpy as np
from scipy.optimize import brentq

import sparsieve as sv


def threshold(penalty, h, level):
    """Return T, up to which zero is the minimiser."""
    if level == 0:
        return 0.0
    match penalty:
        case sv.L1():
            return level
        case sv.MCP(gamma=gamma):
            return level * min(1.0, math.sqrt(gamma * h))
        case sv.SCAD(gamma=gamma):
            return level * min(1.0, math.sqrt((gamma + 1) * h))
        case sv.LogSum(theta=theta):
            beta = h * theta**2 / level
            if beta >= 1:
                return level / theta
            u = _log_sum_jump(beta)
            return level / theta * (beta * u / 2 + math.log1p(u) / u)
    raise TypeError(f"no formulas for {penalty!r}")


def _log_sum_jump(beta):
    """Return the root u > 0 of log(1+u) - u/(1+u) = beta u^2/2, for beta < 1."""

    def excess(u):
        return math.log1p(u) - u / (1 + u) - beta * u * u / 2

    top = 1 / math.sqrt(beta) - 1  # the excess rises up to here, then falls
    if not excess(top) > 0:  # beta is 1 to rounding
        return max(top, np.finfo(float).tiny)
    high = 2 * top + 1
    while excess(high) > 0:
        high *= 2
    return brentq(excess, top, high, xtol=1e-300, rtol=1e-15)


def minimiser(penalty, z, h, level, jump=None):
    """Return the t >= 0 that minimises h t^2/2 - z t + r(t; level), for z >= 0."""
    if z <= (threshold(penalty, h, level) if jump is None else jump):
        return 0.0
    if level == 0:
        return z / h
    match penalty:
        case sv.L1():
            return (z - level) / h
        case sv.MCP(gamma=gamma):
            sloping = gamma * h > 1 and z <= gamma * h * level
            return (z - level) / (h - 1 / gamma) if sloping else z / h
        case sv.SCAD(gamma=gamma):
            return _scad(gamma, z, h, level)
        case sv.LogSum(theta=theta):
            root = (z + h * theta) ** 2 - 4 * h * level
            return (z - h * theta + math.sqrt(max(root, 0.0))) / (2 * h)
    raise TypeError(f"no formulas for {penalty!r}")


def _scad(gamma, z, h, level):
    """Return the minimiser for z above the threshold."""
    if (gamma + 1) * h < 1:
        return z / h
    if (gamma - 1) * h <= 1:
        return (z - level) / h if z <= level * (1 + (gamma + 1) * h) / 2 else z / h
    if z <= level * (1 + h):
        return (z - level) / h
    if z <= gamma * level * h:
        return ((gamma - 1) * z - gamma * level) / ((gamma - 1) * h - 1)
    return z / h


class ExactDescent:
    """Cyclic coordinate descent on one problem, alpha after alpha.

    Each sweep goes through the features at work in the order of their columns; when a sweep gains
    next to nothing, features whose correlations exceed their thresholds come to work.
    """

    def __init__(
        self,
        X,
        y,
        penalty,
        *,
        sample_weight=None,
        weights=None,
        positive=False,
        fit_intercept=True,
        tol=1e-20,
        max_sweeps=100_000,
    ):
        n, d = X.shape
        self.penalty, self.positive = penalty, positive
        self.tol, self.max_sweeps = tol, max_sweeps
        omega = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        self.omega = omega / omega.sum()
        self.pi = np.ones(d) if weights is None else np.asarray(weights, dtype=float)
        self.x_mean = self.omega @ X if fit_intercept else np.zeros(d)
        self.y_mean = self.omega @ y if fit_intercept else 0.0
        self.X, self.y = np.asfortranarray(X - self.x_mean), y - self.y_mean
        self.h = self.omega @ self.X**2
        constant = self.h <= 1e-28 * (self.h + self.x_mean**2)
        self.moving = np.flatnonzero(np.isfinite(self.pi) & ~constant)
        self.w = np.zeros(d)

    def solve(self, alpha, start=None):
        """Return coefficients and intercept; begin at the last ones unless a start is given."""
        w = self.w if start is None else np.array(start, dtype=float)
        level = np.zeros(w.size)
        level[self.moving] = alpha * self.pi[self.moving]
        jump = np.full(w.size, np.inf)
        for j in self.moving:
            jump[j] = threshold(self.penalty, float(self.h[j]), float(level[j]))
        work = np.flatnonzero(w)
        while True:
            self._sweep(w, work, level, jump)
            c = self.X.T @ (self.omega * (self.y - self.X @ w))
            outward = c if self.positive else np.abs(c)
            # Correlations are known to rounding, and some of those at work are at their jump.
            new = np.flatnonzero(
                (w == 0) & (outward > jump * (1 + 1e-12) + 1e-15 * np.max(outward))
            )
            new = np.setdiff1d(new, work)
            if new.size == 0:
                break
            work = np.union1d(np.flatnonzero(w), new)
        self.w = w
        return w.copy(), float(self.y_mean - self.x_mean @ w)

    def path(self, alphas):
        """Yield the solutions for these alphas, in their order, each begun at the one before."""
        for alpha in alphas:
            yield self.solve(alpha)

    def _sweep(self, w, work, level, jump):
        """Descend on the features at work until a sweep gains at most tol of the half variance."""
        columns = self.X[:, work]
        gram = columns.T @ (self.omega[:, None] * columns)
        c = columns.T @ (self.omega * (self.y - columns @ w[work]))
        enough = self.tol * float(self.omega @ self.y**2) / 2
        h, levels, jumps, values = (a[work].tolist() for a in (self.h, level, jump, w))
        for _ in range(self.max_sweeps):
            most = 0.0
            for k, old in enumerate(values):
                z = float(c[k]) + h[k] * old
                size = 0.0 if self.positive and z < 0 else abs(z)
                new = math.copysign(minimiser(self.penalty, size, h[k], levels[k], jumps[k]), z)
                if new != old:
                    c -= gram[k] * (new - old)
                    values[k] = new
                    most = max(most, h[k] * (new - old) ** 2 / 2)
            if most <= enough:
                w[work] = np.array(values) + 0.0  # no negative zeros
                return
        raise RuntimeError(f"exact descent did not settle in {self.max_sweeps} sweeps")
