"""What the benchmark asks of a peer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np


@dataclass
class Solution:
    """Coefficients (n_features, n_alphas), dense or scipy CSC, and passes over X where counted."""

    coefs: Any
    passes: float | None = None


class Adapter(ABC):
    """A peer: what it can solve, how tight it can be asked to be, and how it is called.

    The class attributes are read in the benchmark's own process, where the peer need not be
    installed; the methods run in the peer's environment. All peers solve, on the alphas they are
    given,

        minimise over w   1/(2n) ||y - Xw||^2 + sum_j r(|w_j|; alpha, shape)

    or, where `loss` says so, with the mean logistic or Poisson loss in place of the squares; y is
    then 0 or 1, or counts.
    """

    name: ClassVar[str]
    module: ClassVar[str]  # what `import` (or R's `library`) must find
    requirements: ClassVar[tuple[str, ...]] = ()  # for pip; empty for R packages
    penalties: ClassVar[frozenset[str]]  # with squares
    other_losses: ClassVar[dict[str, frozenset[str]]] = {}  # penalties with other losses
    takes_sparse: ClassVar[bool] = False
    tolerances: ClassVar[tuple[float, float]]  # loosest and strictest worth asking for
    language: ClassVar[str] = "python"
    home: ClassVar[str] = ""  # the peer whose environment it shares; its own when empty
    loss: str = "squared"  # of the data that are loaded

    @classmethod
    def refuses(cls, kind: str, variant: str, is_sparse: bool, loss: str = "squared") -> str | None:
        """Return why this cell is not this peer's to solve, or None."""
        known = cls.penalties if loss == "squared" else cls.other_losses.get(loss, frozenset())
        if kind not in known:
            return "no such penalty" if known else "no such loss"
        if is_sparse and not cls.takes_sparse:
            return "no sparse designs"
        return None

    @abstractmethod
    def version(self) -> str:
        """Import the peer and return its version."""

    @abstractmethod
    def prepare(self, X: Any, y: np.ndarray, threads: int) -> None:
        """Take the data in the layout the peer likes best. Not timed."""

    @abstractmethod
    def solve(self, kind: str, shape: float | None, alphas: np.ndarray, tol: float) -> Solution:
        """Compute the whole path. Timed."""

    def cross_validate(
        self, kind: str, shape: float | None, alphas: np.ndarray, tol: float, folds: int
    ) -> None:
        """Choose among the alphas by cross-validation. Timed; only some peers have that."""
        raise NotImplementedError(f"{self.name} has no cross-validation")
