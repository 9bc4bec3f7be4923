"""ncvxCD: coordinate descent on the non-convex problem itself, the paper's first competitor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..penalties import Penalty
from .design import Array, Design, Index, as_design
from .minimizers import minimizer, zero_thresholds
from .problem import Result, Work, look, residual_objective, start, support_share


def ncvxcd(
    X: Any,
    y: Array,
    penalty: Penalty,
    lam: float,
    *,
    w0: Array | None = None,
    tol: float = 1e-3,
    check_every: int = 5,
    max_iter: int = 10_000,
) -> Result:
    """Minimise ``1/2 ||y - Xw||^2 + sum_j r_lambda(|w_j|)`` one coordinate at a time.

    Each step goes to the exact minimiser along its coordinate (Breheny and Huang 2011, Mazumder et
    al. 2011), so the end point is a coordinate-wise minimum: more than the critical point MM finds.

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
    check_every : int
        Epochs between two checks of the violation (one product X'r each).
    max_iter : int
        Give up after so many epochs.

    Returns
    -------
    Result
    """
    design, minimize = as_design(X), minimizer(penalty)
    w, r = start(design, y, w0)
    work, epochs = Work(design.n_features), 0
    columns = np.flatnonzero(design.norms2 > 0.0)
    thresholds = zero_thresholds(penalty, design.norms2[columns], lam)
    while True:
        _, violation = look(design, r, w, penalty, lam, work)
        if violation <= tol or epochs >= max_iter:
            break
        n_sweeps = min(check_every, max_iter - epochs)
        _descend(design, w, r, columns, thresholds, minimize, lam, n_sweeps, work)
        epochs += n_sweeps
        r = y - design.predict(w)
        work.products += support_share(w)
    value = residual_objective(r, w, penalty, lam)
    return Result(w, value, violation, epochs, violation <= tol, work)


def _descend(
    design: Design,
    w: Array,
    r: Array,
    columns: Index,
    thresholds: Array,
    minimize: Callable[[float, float, float], float],
    lam: float,
    n_sweeps: int,
    work: Work,
) -> None:
    """Sweep all coordinates; changes w, r and work.

    A zero coordinate below its threshold stays zero; saying so without the minimiser makes a visit
    as cheap as one of `pwl`, so that times can be compared.
    """
    values, norms2 = w[columns].tolist(), design.norms2[columns].tolist()
    stays = thresholds.tolist()
    dot, add, order = design.dot, design.add, columns.tolist()
    work.visits += n_sweeps * len(order)
    for _ in range(n_sweeps):
        for i, j in enumerate(order):
            old = values[i]
            c = dot(j, r) + norms2[i] * old
            if old == 0.0 and abs(c) <= stays[i]:
                continue
            new = minimize(c, norms2[i], lam) if c >= 0.0 else -minimize(-c, norms2[i], lam)
            if new != old:
                add(j, old - new, r)
                values[i] = new
                work.updates += 1
    w[columns] = values
