"""Problems for every loss, with everything at once: offset, weights, an unpenalised feature."""

import numpy as np

import sparsieve as sv


class LogCosh:
    """A user's own loss that says its minimum."""

    def value(self, eta, y):
        r = np.abs(y - eta)
        return r + np.log1p(np.exp(-2.0 * r)) - np.log(2.0)

    def gradient(self, eta, y):
        return np.tanh(eta - y)

    def curvature(self, eta, y):
        return 1.0 - np.tanh(eta - y) ** 2

    def minimum(self, y):
        return np.zeros_like(y)


class Silent(LogCosh):
    """The same without a word on its minimum."""

    minimum = None


LOSSES = [
    sv.Logistic(),
    sv.Poisson(),
    sv.NegativeBinomial(theta=2.0),
    sv.Huber(delta=0.8),
    LogCosh(),
]
ids = [type(loss).__name__ for loss in LOSSES]


def responses(loss, eta, rng):
    """Draw responses to linear predictors."""
    n = eta.size
    if isinstance(loss, sv.Logistic):
        return (eta + rng.logistic(size=n) > 0.0).astype(float)
    if isinstance(loss, sv.Poisson | sv.NegativeBinomial):
        extra = rng.gamma(2.0, 0.5, n) if isinstance(loss, sv.NegativeBinomial) else 1.0
        return rng.poisson(np.exp(0.6 * eta) * extra).astype(float)
    return eta + 0.5 * rng.standard_t(2, size=n)


def data(loss, n=80, d=15, seed=0, size=1.5):
    """Return X, y of a problem with three active features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    eta = size * (X[:, 0] - X[:, 1] + 0.5 * X[:, 2])
    return X, responses(loss, eta, rng)


def options(n, d, seed=0):
    """Return offset, sample weights (zeros among them) and feature weights (0 and inf)."""
    rng = np.random.default_rng(seed)
    omega = rng.uniform(0.2, 2.0, n)
    omega[rng.integers(0, n, 3)] = 0.0
    pi = rng.uniform(0.5, 2.0, d)
    pi[d - 1], pi[d - 2] = 0.0, np.inf
    return {"offset": 0.3 * rng.normal(size=n), "sample_weight": omega, "weights": pi}
