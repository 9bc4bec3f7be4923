"""Random problems of all sizes, correlations and scales, each drawn again by its number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.problems import prepare_columns

RHOS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True)
class Draw:
    """A problem and what it was made of."""

    number: int
    rho: float
    variant: str
    X: np.ndarray
    y: np.ndarray

    @property
    def name(self) -> str:
        """Return a name that tells its size and correlation."""
        n, d = self.X.shape
        return f"draw {self.number}: {n} x {d}, AR({self.rho:g})"


def draw(number: int) -> Draw:
    """Return problem `number`; even ones are standardised, odd ones have columns of any scale.

    n is 20 to 200 and d 20 to 1000, evenly in ratio. Of the columns, neighbours of which correlate
    at rho, one to ten are active; the signal has 1 to 100 times the variance of the noise. `raw`
    columns are scaled by 10**U(-1, 1) after y was made, so that any of them may be active.
    """
    rng = np.random.default_rng([number, 20261118])
    n, d = (round(20 * high ** rng.uniform()) for high in (10, 50))
    rho = float(rng.choice(RHOS))
    steps = rng.standard_normal((d, n))
    X = np.empty((n, d), order="F")
    X[:, 0] = steps[0]
    for j in range(1, d):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1.0 - rho * rho) * steps[j]
    active = rng.choice(d, rng.integers(1, min(10, n // 4) + 1), replace=False)
    signal = X[:, active] @ rng.standard_normal(active.size)
    noise = np.sqrt(signal.var() / 100 ** rng.uniform())
    y = signal + noise * rng.standard_normal(n)
    variant = ("standardised", "raw")[number % 2]
    if variant == "raw":
        X *= 10 ** rng.uniform(-1.0, 1.0, d)
    return Draw(number, rho, variant, prepare_columns(X, variant), y - y.mean())
