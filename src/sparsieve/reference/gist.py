"""GIST: iterative shrinkage-thresholding for non-convex penalties (Gong et al. 2013)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..penalties import Penalty
from .design import Array, Design, as_design
from .minimizers import ARRAYS, minimizer
from .problem import Result, Work, look, residual_objective, start, support_share

_CURVATURES = (1e-20, 1e20)  # safeguard of the Barzilai-Borwein curvature, as in GIST's own code


@dataclass(frozen=True)
class _LineSearch:
    """How curvatures are tried: a larger one until the objective falls far enough below the bar."""

    growth: float  # factor between two curvatures
    sufficient: float  # fraction of the predicted decrease asked of a step


_STEPS = {
    "barzilai-borwein": _LineSearch(2.0, 1e-5),  # as in GIST's own code
    "unit": _LineSearch(1.5, 0.1),  # as in the program of the paper's authors
}


def gist(
    X: Any,
    y: Array,
    penalty: Penalty,
    lam: float,
    *,
    w0: Array | None = None,
    tol: float = 1e-3,
    monotone: bool = False,
    step: Literal["barzilai-borwein", "unit"] = "barzilai-borwein",
    zero_below: float = 0.0,
    max_iter: int = 20_000,
) -> Result:
    """Minimise ``1/2 ||y - Xw||^2 + sum_j r_lambda(|w_j|)`` by proximal gradient steps.

    The first step of an iteration is Barzilai and Borwein's, or 1; a line search asks for a
    decrease against the last objective (``monotone=True``) or the largest of the last five.

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
    step : {"barzilai-borwein", "unit"}
        The first curvature of an iteration. "unit" is 1, grows by 1.5 and asks for a tenth of the
        predicted decrease: with ``monotone=True`` the authors' program.
    zero_below : float
        Coefficients below this count as zero in the stopping test.
    max_iter : int
        Give up after so many steps.

    Returns
    -------
    Result
    """
    design, prox = as_design(X), minimizer(penalty, ARRAYS)
    w, r = start(design, y, w0)
    work, memory, curvature = Work(design.n_features), 1 if monotone else 5, 1.0
    if step not in _STEPS:
        raise ValueError(f"step must be 'barzilai-borwein' or 'unit', got {step!r}; leave it out.")
    search = _STEPS[step]
    recent = [residual_objective(r, w, penalty, lam)]
    for n_steps in range(max_iter + 1):
        # the correlations are minus the gradient
        correlations, violation = look(design, r, w, penalty, lam, work, zero_below)
        if violation <= tol or n_steps == max_iter:
            break
        bar = max(recent[-memory:])
        found = _line_search(
            design, y, w, correlations, penalty, lam, prox, search, curvature, bar, work
        )
        if found is None:  # no decrease left that double precision can see
            break
        new_w, new_r, value = found
        move, fitted = new_w - w, r - new_r
        if step == "barzilai-borwein":
            curvature = float(np.clip((fitted @ fitted) / (move @ move), *_CURVATURES))
        w, r = new_w, new_r
        recent.append(value)
    value = residual_objective(r, w, penalty, lam)
    return Result(w, value, violation, n_steps, violation <= tol, work)


def _line_search(
    design: Design,
    y: Array,
    w: Array,
    correlations: Array,
    penalty: Penalty,
    lam: float,
    prox: Callable[[Any, Any, float], Any],
    search: _LineSearch,
    curvature: float,
    bar: float,
    work: Work,
) -> tuple[Array, Array, float] | None:
    """Raise the curvature until the proximal step falls below the bar."""
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
        if value <= bar - 0.5 * search.sufficient * curvature * float(move @ move):
            return new_w, new_r, value
        curvature *= search.growth
    return None
