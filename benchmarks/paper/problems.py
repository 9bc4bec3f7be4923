"""The problems of section 5 of [RGS19], named so that a stored result says what it is about."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsieve import datasets

from .arms import text_grid

Array = npt.NDArray[np.float64]
N_ACTIVE = 5  # relevant features of every toy problem of the paper


@dataclass(frozen=True)
class Problem:
    """A toy problem (n, d, noise, seed), or one of the two real data sets by name."""

    name: str
    n: int = 0
    d: int = 0
    noise: float = 0.0
    seed: int = 0

    def key(self) -> str:
        """Return a stable name of the problem."""
        if self.name != "toy":
            return self.name
        return f"toy-{self.n}x{self.d}-noise{self.noise:g}-seed{self.seed}"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields, for the stored record."""
        return asdict(self)


@lru_cache(maxsize=1)
def load(problem: Problem) -> tuple[Any, Array]:
    """Return X and y of a problem, as every method gets them.

    The paper does not say how it scaled the leukemia data. Here its columns are centred and brought
    to variance 1 and y is centred, since the model has no intercept. Newsgroups is tf-idf as it is.
    """
    if problem.name == "leukemia":
        X, y = datasets.load_leukemia()
        return np.asfortranarray((X - X.mean(axis=0)) / X.std(axis=0)), y - y.mean()
    if problem.name == "newsgroup":
        return datasets.load_newsgroups()
    X, y, _ = datasets.make_toy(problem.n, problem.d, N_ACTIVE, problem.noise, problem.seed)
    return X, y


def grid(X: Any, y: Array, slope_at_zero: float, n_lambdas: int) -> Array:
    """Return the grid of the text for a problem."""
    return text_grid(X.T @ y, slope_at_zero, n_lambdas)
