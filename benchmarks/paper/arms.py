"""The two arms of every experiment, and what lies between them.

``text`` is the paper as printed, corrected where its own proofs ask for it. ``code`` is what the
authors' public program does (one commit of June 2019, github.com/arakotom/screening_ncvx_penalty),
written anew from its behaviour. The arms between change one thing of ``text`` at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
#: The authors' program visits the shapes in this order.
CODE_THETAS = (1.0, 0.1, 0.01)
CODE_ZERO = 1e-4
CODE_SWEEPS = 100
MAX_OUTER = 20_000  # MM needs more than the default of 1000 at the strictest tolerances


@dataclass(frozen=True)
class Arm:
    """What may differ between the text and the authors' program."""

    name: str
    words: str
    code_grid: bool = False  # with its order of theta and its warm starts
    roots: bool = False  # ncvxCD by numpy.roots
    gap_every: int = 1
    check_every: int = 1  # sweeps of ncvxCD between two stopping tests
    zero_below: float = 0.0
    max_epochs: int = 1000  # of an inner problem
    rule: str = "corrected"
    unit_gist: bool = False  # monotone line search from curvature 1

    def settings(self, method: str) -> dict[str, Any]:
        """Return what a function of `sparsieve.reference` gets besides data, lambda and start."""
        common: dict[str, Any] = {"zero_below": self.zero_below}
        if method == "ncvxcd":
            # the gap of MM is looked at after every sweep: so is the violation here
            return common | {"check_every": self.check_every, "numeric_roots": self.roots}
        if method == "gist":
            unit = {"monotone": True, "step": "unit"}
            return common | (unit if self.unit_gist else {})
        return common | {
            "max_iter": MAX_OUTER,
            "gap_every": self.gap_every,
            "max_epochs": self.max_epochs,
            "rule": self.rule,
        }


TEXT = Arm("text", "the text, corrected")
CODE = Arm(
    "code",
    "all of it: the authors' program",
    code_grid=True,
    roots=True,
    zero_below=CODE_ZERO,
    max_epochs=CODE_SWEEPS,
    rule="published",
    unit_gist=True,
)
BETWEEN = (
    replace(TEXT, name="text, gap every 5", words="gap tested every 5 sweeps", gap_every=5),
    replace(
        TEXT, name="text, code grid", words="grid and warm starts of the program", code_grid=True
    ),
    replace(TEXT, name="text, check every 5", words="ncvxCD tested every 5 sweeps", check_every=5),
    replace(TEXT, name="text, roots", words="ncvxCD by numpy.roots", roots=True),
    replace(
        TEXT, name="text, zero", words="coefficients below 1e-4 are zero", zero_below=CODE_ZERO
    ),
    replace(
        TEXT,
        name="text, program's MM",
        words="printed radius, moving reference, at most 100 sweeps",
        rule="published",
        max_epochs=CODE_SWEEPS,
    ),
)
ARMS = {arm.name: arm for arm in (TEXT, CODE, *BETWEEN)}


def text_grid(correlations: Array, slope_at_zero: float, n_lambdas: int) -> Array:
    """Return lambda_t = lambda_max 10^(-3t/(N-1)), t = 0..N-1.

    lambda_max is the smallest lambda with a zero solution: slope(0) meets max|x_j'y|. For log-sum,
    whose slope at zero is lambda/theta, that is the paper's theta max|x_j'y|.
    """
    largest = float(np.max(np.abs(correlations))) / slope_at_zero
    steps: Array = np.arange(n_lambdas) / max(n_lambdas - 1, 1)
    return largest * 10.0 ** (-3.0 * steps)


def code_grid(correlations: Array, theta: float, n_lambdas: int) -> Array:
    """Return the grid of the authors' program for log-sum.

    max|x_j'y| 10^(-3u/(N-1)) at N equal steps u from 1 to N - 1, divided by log(1 + 1/theta) of
    this theta and of all those visited before it.
    """
    steps = np.linspace(1.0, n_lambdas - 1.0, n_lambdas) / max(n_lambdas - 1, 1)
    lambdas: Array = float(np.max(np.abs(correlations))) * 10.0 ** (-3.0 * steps)
    for visited in CODE_THETAS[: CODE_THETAS.index(theta) + 1]:
        lambdas = lambdas / np.log(1.0 + 1.0 / visited)
    return lambdas
