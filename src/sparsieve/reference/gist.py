"""GIST: iterative shrinkage-thresholding for non-convex penalties (Gong et al. 2013)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..penalties import Penalty
from .design import Array, Design, as_design
from .minimizers import ARRAYS, minimizer
from .problem import Result, Work, look, residual_objective, start, support_share

_SUFFICIENT = 1e-5  # fraction of the predicted decrease asked of a step, as in GIST's own code
_CURVATURES = (1e-20, 1e20)  # safeguard of the Barzilai-Borwein curvature, as in GIST's own code


def gist(
    X: Any,
    y: Array,
    penalty: Penalty,
    lam: float,
    *,
    w0: Array | None = None,
    tol: float = 1e-3,
    monotone: bool = False,
    max_iter: int = 20_000,
) -> Result:
    """Minimise ``1/2 ||y - Xw||^2 + sum_j r_lambda(|w_j|)`` by proximal gradient steps.

    The step is Barzilai and Borwein's; a line search asks for a decrease against the last
    objective (``monotone=True``) or the largest of the last five.

    Parameters
    ----------
    X : array or scipy.sparse matrix of shape (n, d)
    y : array of shape (n,)
    penalty : L1, LogSum, MCP, SCAD, CappedL1 or Lq
    lam : float
        lambda of the paper.
    w0 : array of shape (d,), optional
        Warm start; zero by default.
    tol : float
        Largest absolute violation of eq. (fermat) to stop at.
    monotone : bool
        Which line search.
    max_iter : int
        Give up after so many steps.

    Returns
    -------
    Result
    """
    design, prox = as_design(X), minimizer(penalty, ARRAYS)
    w, r = start(design, y, w0)
    work, memory, curvature = Work(design.n_features), 1 if monotone else 5, 1.0
    recent = [residual_objective(r, w, penalty, lam)]
    for step in range(max_iter + 1):
        # the correlations are minus the gradient
        correlations, violation = look(design, r, w, penalty, lam, work)
        if violation <= tol or step == max_iter:
            break
        bar = max(recent[-memory:])
        found = _line_search(design, y, w, correlations, penalty, lam, prox, curvature, bar, work)
        if found is None:  # no decrease left that double precision can see
            break
        new_w, new_r, value = found
        move, fitted = new_w - w, r - new_r
        curvature = float(np.clip((fitted @ fitted) / (move @ move), *_CURVATURES))
        w, r = new_w, new_r
        recent.append(value)
    value = residual_objective(r, w, penalty, lam)
    return Result(w, value, violation, step, violation <= tol, work)


def _line_search(
    design: Design,
    y: Array,
    w: Array,
    correlations: Array,
    penalty: Penalty,
    lam: float,
    prox: Callable[[Any, Any, float], Any],
    curvature: float,
    bar: float,
    work: Work,
) -> tuple[Array, Array, float] | None:
    """Double the curvature until the proximal step falls below the bar."""
    while curvature <= _CURVATURES[1]:
        pull = correlations + curvature * w
        new_w = np.sign(pull) * prox(np.abs(pull), curvature, lam)
        new_r = y - design.predict(new_w)
        move = new_w - w
        work.visits += w.size
        work.updates += int(np.count_nonzero(move))
        work.products += support_share(new_w)
        value = residual_objective(new_r, new_w, penalty, lam)
        if not np.any(move):
            return None
        if value <= bar - 0.5 * _SUFFICIENT * curvature * float(move @ move):
            return new_w, new_r, value
        curvature *= 2.0
    return None
