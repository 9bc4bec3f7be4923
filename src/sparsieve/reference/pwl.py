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
    gap_every: int = 1,
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
    rule : {"corrected", "printed", "published"}
        Which form of eq. (test) and of the dual point to use. With "printed" and "published" a
        screened coordinate is set to zero and stays zero, right or wrong; with "corrected" it is
        proven to be zero and updates take it there.
    gap_every : int
        Epochs between two duality gaps, each of which may end the solve.
    screen_every : int
        Epochs between two screenings.
    tol : float
        Absolute duality gap to reach.
    max_epochs : int
        Give up after so many epochs; 0 gives the gap of the warm start.

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
    literal, work, epochs = rule != "corrected", Work(design.n_features), 0
    if literal and np.any(w[zero]):
        r = _drop(design, y, w, zero, work)
    while True:
        # a coordinate proven zero is left alone once it is zero: until then each step is a descent
        kept = np.flatnonzero((~zero | (w != 0.0)) & (design.norms2 + prox > 0.0))
        n_sweeps = _to_next_gap(epochs, gap_every, screen_every if screen else 0, max_epochs)
        descend(design, w, r, kept, center, l1_weights, prox, n_sweeps, work)
        epochs += n_sweeps
        if not literal and free.size:
            solve_free_block(design, y, w, center, free, prox, work)
        r = y - design.predict(w)
        work.products += support_share(w)
        point = restricted_dual_point(design, y, r, w, kept, center, l1_weights, prox, rule, work)
        if screen and epochs % screen_every == 0:
            scores = gap_scores(point, design.norms2[kept], prox, rule)
            zero[kept] |= scores < l1_weights[kept]
            if literal and np.any(w[zero]):
                r = _drop(design, y, w, zero, work)
                kept = kept[~zero[kept]]
                point = restricted_dual_point(
                    design, y, r, w, kept, center, l1_weights, prox, rule, work
                )
        if point.gap <= tol or epochs >= max_epochs:
            break
    converged = point.gap <= tol
    # what the coordinates left out pay for being zero, in either value
    rest = 0.5 * prox * float(np.sum(np.delete(center, kept) ** 2))
    primal, dual = point.primal + rest, point.dual + rest
    return PWLResult(w, r, primal, dual, point.gap, zero, epochs, converged, work)


def _to_next_gap(epochs: int, gap_every: int, screen_every: int, max_epochs: int) -> int:
    """Return the sweeps until a gap is due, for itself or for a screening."""
    periods = [period for period in (gap_every, screen_every) if period]
    return min(max_epochs - epochs, *(period - epochs % period for period in periods))


def _drop(design: Design, y: Array, w: Array, zero: Mask, work: Work) -> Array:
    """Set the screened coordinates to zero, whatever they are, and return the residual."""
    w[zero] = 0.0
    work.products += support_share(w)
    return y - design.predict(w)


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
    work: Work,
) -> DualPoint:
    """Return the dual point of the problem without the screened coordinates; counts it."""
    work.correlations += kept.size / w.size
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
