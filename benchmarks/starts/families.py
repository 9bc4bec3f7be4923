"""Families of problems with a known truth, posed without an intercept, columns of mean square 1.

Dictionaries are coherent (neighbouring cosines are nearly parallel), AR(.9) is correlated, AR(.5)
and independent columns are easy. The toys are the two of the benchmark with new draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

_NOISE = 0.05  # of the dictionaries
_OVERSAMPLED = 3  # cosines per row of a dictionary


@dataclass(frozen=True)
class Sample:
    """One draw: the data and the coefficients behind them."""

    X: np.ndarray
    y: np.ndarray
    truth: np.ndarray


@dataclass(frozen=True)
class Family:
    """Problems that differ in their seed only.

    ``rule`` is how alpha is chosen: by cross-validation ("cv"), or by "bic" where a held-out row
    has a coefficient of its own that no other row tells of. ``counted`` says whether the family is
    one of the six over which means are taken, ``times`` how often it is drawn relative to others.
    """

    name: str
    make: Callable[[int], Sample]
    rule: str = "cv"
    counted: bool = True
    times: float = 1.0


def dictionary(seed: int, n: int, n_nonzero: int) -> Sample:
    """Draw from n x 4n: cosines at three times the critical rate beside one spike per row."""
    row, frequency = np.arange(n)[:, None], np.arange(_OVERSAMPLED * n)[None, :]
    cosines = np.cos(np.pi * (row + 0.5) * frequency / (_OVERSAMPLED * n))
    cosines /= np.linalg.norm(cosines, axis=0)
    X = np.asfortranarray(np.hstack([cosines, np.eye(n)]) * np.sqrt(n))
    rng = np.random.default_rng(seed)
    half = n_nonzero // 2
    among_cosines = rng.choice(_OVERSAMPLED * n, half, replace=False)
    among_spikes = _OVERSAMPLED * n + rng.choice(n, half, replace=False)
    truth = np.zeros(X.shape[1])
    truth[np.r_[among_cosines, among_spikes]] = _signed(rng, 2 * half)
    return Sample(X, X @ truth + _NOISE * rng.normal(size=n), truth)


def autoregressive(
    seed: int, shape: tuple[int, int], rho: float, n_nonzero: int, snr: float
) -> Sample:
    """Draw columns that correlate as rho^|i - j|; `snr` is var(Xw) / var(noise)."""
    n, d = shape
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n, d)))
    for j in range(1, d):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1.0 - rho**2) * X[:, j]
    truth = np.zeros(d)
    truth[rng.choice(d, n_nonzero, replace=False)] = _signed(rng, n_nonzero)
    signal = X @ truth
    return Sample(X, signal + rng.standard_normal(n) * signal.std() / np.sqrt(snr), truth)


def toy(seed: int, shape: tuple[int, int]) -> Sample:
    """Draw the toy of [RGS19], N(0, 4), 5 active, noise 2, its columns divided by their size."""
    n, d = shape
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.normal(scale=2.0, size=(n, d)))
    truth = np.zeros(d)
    w = rng.standard_normal(5)
    truth[rng.choice(d, 5, replace=False)] = w + 0.1 * np.sign(w)
    y = X @ truth + 2.0 * rng.standard_normal(n)
    scale = np.sqrt(np.mean(X**2, axis=0))
    return Sample(np.asfortranarray(X / scale), y, truth * scale)


def _signed(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return coefficients of either sign between 0.5 and 2 in size."""
    return np.asarray(rng.choice([-1.0, 1.0], count) * rng.uniform(0.5, 2.0, count))


def _dictionaries(n: int, n_nonzero: int) -> tuple[Family, Family]:
    def make(seed: int) -> Sample:
        return dictionary(seed, n, n_nonzero)

    name = f"dictionary {n} x {4 * n}, {n_nonzero}"
    # Recovery is all or nothing there: the median of few draws says little.
    return Family(name, make), Family(f"{name}, BIC", make, "bic", counted=False, times=2.0)


_ALL = (
    *_dictionaries(128, 22),
    *_dictionaries(256, 40),
    Family("AR(.5) 100 x 400", lambda seed: autoregressive(seed, (100, 400), 0.5, 10, 5.0)),
    Family("AR(.9) 100 x 400", lambda seed: autoregressive(seed, (100, 400), 0.9, 10, 5.0)),
    Family("independent 200 x 400", lambda seed: autoregressive(seed, (200, 400), 0.0, 20, 10.0)),
    Family("AR(.9) 500 x 100", lambda seed: autoregressive(seed, (500, 100), 0.9, 20, 3.0)),
    Family("toy 50 x 100", lambda seed: toy(seed, (50, 100)), counted=False),
    Family("toy 500 x 5000", lambda seed: toy(seed, (500, 5000)), counted=False, times=0.05),
)
FAMILIES = {family.name: family for family in _ALL}
