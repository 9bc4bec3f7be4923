"""NumPy twins of the paper's algorithms, in the paper's scale.

All minimise ``1/2 ||y - Xw||^2 + sum_j r_lambda(|w_j|)``, without intercept: slow, plain, and the
oracle of the tests. ``lam`` is the paper's lambda and ``alpha`` its proximal parameter.
"""

from .gist import gist
from .mm import mm, mm_genuine, mm_screen
from .ncvxcd import ncvxcd
from .problem import OuterIteration, Result, Work, objective, violation
from .pwl import PWLResult, pwl

__all__ = [
    "OuterIteration",
    "PWLResult",
    "Result",
    "Work",
    "gist",
    "mm",
    "mm_genuine",
    "mm_screen",
    "ncvxcd",
    "objective",
    "pwl",
    "violation",
]
