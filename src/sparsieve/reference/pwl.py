"""Algorithm 1 of the paper: coordinate descent with screening for the Proximal Weighted Lasso."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from .design import Array, Design, Index, Mask, as_design
from .problem import Work, start, support_share
from .screening import DualPoint, Rule, check_rule, dual_point, gap_scores


@dataclass(frozen=True)
class PWLResult:
    """A solution of the Proximal Weighted Lasso with its certificate."""

    w: Array
    residual: Array
    primal: float
    dual: float
    gap: float
    screened: Mask  # coordinates proven zero, LstScreen of the paper
    n_epochs: int
    converged: bool
    work: Work


def pwl(
    X: Any,
    y: Array,
    l1_weights: Array,
    *,
    w0: Array | None = None,
    prox_center: Array | None = None,
    alpha: float = 1e9,
    screened: Mask | None = None,
    screen: bool = True,
    rule: Rule = "corrected",
    screen_every: int = 5,
    tol: float = 1e-4,
    max_epochs: int = 1000,
) -> PWLResult:
    """Solve the Proximal Weighted Lasso by cyclic coordinate descent.

    Minimises ``1/2 ||y - Xw||^2 + 1/(2 alpha) ||w - w'||^2 + sum_j lambda_j |w_j|``.

    Parameters
    ----------
    X : array or scipy.sparse matrix of shape (n, d)
    y : array of shape (n,)
    l1_weights : array of shape (d,)
        The lambda_j, each >= 0.
    w0 : array of shape (d,), optional
        Warm start; zero by default.
    prox_center : array of shape (d,), optional
        w'; the warm start by default.
    alpha : float
        Proximal parameter of the paper; ``inf`` drops the term.
    screened : boolean array of shape (d,), optional
        LstScreen: coordinates already known to be zero at the optimum.
    screen : bool
        Whether to screen inside.
    rule : {"corrected", "printed"}
        Which form of eq. (test) and of the dual point to use.
    screen_every : int
        Epochs between two duality gaps.
    tol : float
        Absolute duality gap to reach.
    max_epochs : int
        Give up after so many epochs.

    Returns
    -------
    PWLResult
    """
    check_rule(rule)
    design, prox = as_design(X), 1.0 / alpha
    w, r = start(design, y, w0)
    center = w.copy() if prox_center is None else np.asarray(prox_center, dtype=np.float64)
    zero = np.zeros(w.size, bool) if screened is None else screened.copy()
    free = np.flatnonzero(l1_weights == 0.0)
    work = Work(design.n_features)
    epochs, converged = 0, False
    while not converged and epochs < max_epochs:
        # a screened coordinate is left alone once it is zero: until then each step is a descent
        kept = np.flatnonzero((~zero | (w != 0.0)) & (design.norms2 + prox > 0.0))
        n_sweeps = min(screen_every, max_epochs - epochs)
        descend(design, w, r, kept, center, l1_weights, prox, n_sweeps, work)
        epochs += n_sweeps
        if rule == "corrected" and free.size:
            solve_free_block(design, y, w, center, free, prox, work)
        r = y - design.predict(w)
        work.products += support_share(w)
        point = restricted_dual_point(design, y, r, w, kept, center, l1_weights, prox, rule)
        work.correlations += kept.size / w.size
        converged = point.gap <= tol
        if screen:
            scores = gap_scores(point, design.norms2[kept], prox, rule)
            zero[kept] |= scores < l1_weights[kept]
    return PWLResult(w, r, point.primal, point.dual, point.gap, zero, epochs, converged, work)


def restricted_dual_point(
    design: Design,
    y: Array,
    r: Array,
    w: Array,
    kept: Index,
    center: Array,
    l1_weights: Array,
    prox: float,
    rule: Rule,
) -> DualPoint:
    """Return the dual point of the problem without the screened coordinates."""
    correlations = design.correlate(r, kept)
    norms2 = design.norms2[kept]
    return dual_point(
        y, r, w[kept], correlations, center[kept], l1_weights[kept], norms2, prox, rule
    )


def descend(
    design: Design,
    w: Array,
    r: Array,
    kept: Index,
    center: Array,
    l1_weights: Array,
    prox: float,
    n_sweeps: int,
    work: Work,
) -> None:
    """Sweep the kept coordinates with eq. (cdupdate); changes w, r and work.

    Python floats rather than NumPy scalars, in every solver alike: the loop is twice as fast.
    """
    weights, norms2 = l1_weights[kept].tolist(), design.norms2[kept].tolist()
    pulls, values = (prox * center[kept]).tolist(), w[kept].tolist()
    dot, add, columns = design.dot, design.add, kept.tolist()
    work.visits += n_sweeps * len(columns)
    for _ in range(n_sweeps):
        for i, j in enumerate(columns):
            old = values[i]
            t = dot(j, r) + norms2[i] * old + pulls[i]
            new = 0.0
            if t > weights[i]:
                new = (t - weights[i]) / (norms2[i] + prox)
            elif t < -weights[i]:
                new = (t + weights[i]) / (norms2[i] + prox)
            if new != old:
                add(j, old - new, r)
                values[i] = new
                work.updates += 1
    w[kept] = values


def solve_free_block(
    design: Design, y: Array, w: Array, center: Array, free: Index, prox: float, work: Work
) -> None:
    """Minimise exactly over the unpenalised coordinates; changes w and work.

    The dual point needs x_j's = v_j wherever lambda_j = 0. The paper's remark sets v_j = x_j's,
    for which the dual pays alpha/2 (x_j's)^2: at alpha = 1e9 no useful gap is left. At the exact
    minimum of this block the equality holds by itself, and scaling keeps it.
    """
    w[free] = 0.0
    rest = y - design.predict(w)
    columns = design.block(free)
    ridge = np.sqrt(prox) * np.eye(free.size)  # the prox term as extra rows: the paper's X-tilde
    rows = np.vstack([columns, ridge])
    target = np.concatenate([rest, np.sqrt(prox) * center[free]])
    w[free] = scipy.linalg.lstsq(rows, target, lapack_driver="gelsy")[0]
    work.block_solves += 1
    work.products += support_share(w)
