r"""The same problem in other libraries' parameters, and back.

sparsieve minimises

.. math::
    \frac{1}{n} \sum_i f(b + x_i^\top w; y_i) + \sum_j \Big[ r(|w_j|; \alpha \lambda \pi_j)
    + \frac{\alpha (1 - \lambda) \pi_j + \rho}{2} w_j^2 \Big]

with a loss f (:math:`(y - \eta)^2/2` for squares), the l1 ratio :math:`\lambda` and the ridge
:math:`\rho`, on the columns as they are, or in units of their standard deviations with
``standardize=True``. scikit-learn and skglm take columns as they are, ncvreg standardises, glmnet
too unless told otherwise. The paper drops the 1/n.
"""

# These modules alone ask for the class of a penalty. Names and scales of other packages are no
# facts of our penalties, and only one with exactly these formulas has a counterpart there.

from __future__ import annotations

from .from_r import from_glmnet, from_ncvreg, to_glmnet, to_ncvreg
from .paper import from_paper, to_paper
from .scikit_learn import from_sklearn, to_sklearn
from .skglm import from_skglm, to_skglm
from .stated import Settings

__all__ = [
    "Settings",
    "from_glmnet",
    "from_ncvreg",
    "from_paper",
    "from_skglm",
    "from_sklearn",
    "to_glmnet",
    "to_ncvreg",
    "to_paper",
    "to_skglm",
    "to_sklearn",
]
