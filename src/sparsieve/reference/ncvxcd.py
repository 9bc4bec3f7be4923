"""ncvxCD: coordinate descent on the non-convex problem itself, the paper's first competitor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..penalties import LogSum, Penalty
from .design import Array, Design, Index, as_design
from .minimizers import minimizer, zero_thresholds
from .problem import Result, Work, look, residual_objective, start, support_share

Sweep = Callable[[Design, Array, Array, Index], int]


def ncvxcd(
    X: Any,
    y: Array,
    penalty: Penalty,
    lam: float,
    *,
    w0: Array | None = None,
    tol: float = 1e-3,
    check_every: int = 5,
    zero_below: float = 0.0,
    numeric_roots: bool = False,
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
    zero_below : float
        Coefficients below this count as zero in the stopping test.
    numeric_roots : bool
        Take each step as the authors' program does, for `LogSum` only: `numpy.roots` for either
        sign, and the objective of each candidate from its residual. The steps are the same.
    max_iter : int
        Give up after so many epochs.

    Returns
    -------
    Result
    """
    design = as_design(X)
    w, r = start(design, y, w0)
    work, epochs = Work(design.n_features), 0
    columns = np.flatnonzero(design.norms2 > 0.0)
    if numeric_roots:
        sweep = _sweep_by_roots(penalty, lam)
    else:
        sweep = _sweep(penalty, lam, design.norms2[columns])
    while True:
        _, violation = look(design, r, w, penalty, lam, work, zero_below)
        if violation <= tol or epochs >= max_iter:
            break
        n_sweeps = min(check_every, max_iter - epochs)
        for _ in range(n_sweeps):
            work.updates += sweep(design, w, r, columns)
        work.visits += n_sweeps * columns.size
        epochs += n_sweeps
        r = y - design.predict(w)
        work.products += support_share(w)
    value = residual_objective(r, w, penalty, lam)
    return Result(w, value, violation, epochs, violation <= tol, work)


def _sweep(penalty: Penalty, lam: float, norms2_at: Array) -> Sweep:
    """Return one sweep by closed forms, which changes w and r and returns how many it changed.

    A zero coordinate below its threshold stays zero; saying so without the minimiser makes a visit
    as cheap as one of `pwl`, so that times can be compared.
    """
    minimize = minimizer(penalty)
    stays, norms2 = zero_thresholds(penalty, norms2_at, lam).tolist(), norms2_at.tolist()

    def sweep(design: Design, w: Array, r: Array, columns: Index) -> int:
        values, dot, add, updates = w[columns].tolist(), design.dot, design.add, 0
        for i, j in enumerate(columns.tolist()):
            old = values[i]
            c = dot(j, r) + norms2[i] * old
            if old == 0.0 and abs(c) <= stays[i]:
                continue
            new = minimize(c, norms2[i], lam) if c >= 0.0 else -minimize(-c, norms2[i], lam)
            if new != old:
                add(j, old - new, r)
                values[i] = new
                updates += 1
        w[columns] = values
        return updates

    return sweep


def _sweep_by_roots(penalty: Penalty, lam: float) -> Sweep:
    """Return one sweep by numeric roots and residuals, with the same promise as `_sweep`."""
    if not isinstance(penalty, LogSum):
        raise TypeError(f"numeric_roots needs LogSum, got {penalty!r}; use numeric_roots=False.")
    theta = penalty.theta

    def cost(design: Design, j: int, without: Array, t: float) -> float:
        residual = without.copy()
        design.add(j, -t, residual)
        return 0.5 * float(residual @ residual) + lam * float(np.log1p(abs(t) / theta))

    def sweep(design: Design, w: Array, r: Array, columns: Index) -> int:
        updates = 0
        for j in columns.tolist():
            old, a = float(w[j]), float(design.norms2[j])
            without = r.copy()
            design.add(j, old, without)
            c = design.dot(j, without)
            candidates = [0.0]
            for sign in (1.0, -1.0):
                # a t - c + sign lam / (theta + sign t) = 0, times theta + sign t
                found = np.roots([sign * a, a * theta - sign * c, sign * lam - c * theta])
                candidates += [float(t) for t in found if np.isreal(t) and sign * t > 0.0]
            new = candidates[int(np.argmin([cost(design, j, without, t) for t in candidates]))]
            if new != old:
                r[:] = without
                design.add(j, -new, r)
                w[j] = new
                updates += 1
        return updates

    return sweep
