"""NumPy twins of the paper's algorithms, in the paper's scale.

All minimise ``1/2 ||y - Xw||^2 + sum_j r_lambda(|w_j|)``, without intercept: slow, plain, and the
oracle of the tests. ``lam`` is the paper's lambda and ``alpha`` its proximal parameter.

Losses other than squares, which the paper does not have, are ``loss_twin`` (formulas),
``glm_lasso`` and ``glm_mm`` (solvers) and ``glm_gap``, in the scale of
:func:`sparsieve.sparse_path`.
"""

from .gist import gist
from .glm import GlmProblem, GlmResult, glm_gap, glm_lasso, glm_mm
from .losses import LossTwin, loss_twin
from .mm import mm, mm_genuine, mm_screen
from .ncvxcd import ncvxcd
from .problem import OuterIteration, Result, Work, objective, violation
from .pwl import PWLResult, pwl

__all__ = [
    "GlmProblem",
    "GlmResult",
    "LossTwin",
    "OuterIteration",
    "PWLResult",
    "Result",
    "Work",
    "gist",
    "glm_gap",
    "glm_lasso",
    "glm_mm",
    "loss_twin",
    "mm",
    "mm_genuine",
    "mm_screen",
    "ncvxcd",
    "objective",
    "pwl",
    "violation",
]
