"""Algorithm 2 of the paper: majorisation-minimisation with propagated screening."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..penalties import Penalty
from .design import Array, Design, Mask, as_design
from .problem import OuterIteration, Result, Work, look, residual_objective, start, support_share
from .pwl import PWLResult, pwl, solve_free_block
from .screening import DualPoint, Rule, check_rule, dual_point, gap_scores, propagated_scores


@dataclass(frozen=True)
class _Settings:
    """What the three variants of MM share, and the two switches that tell them apart."""

    alpha: float = 1e9
    tol: float = 1e-3
    inner_tol: float = 1e-4
    gap_every: int = 1
    screen_every: int = 5
    refresh_every: int = 10
    rule: Rule = "corrected"
    zero_below: float = 0.0
    max_iter: int = 1000
    max_epochs: int = 1000
    screen_inside: bool = True
    propagate: bool = True


def mm_screen(
    X: Any,
    y: Array,
    penalty: Penalty,
    lam: float,
    *,
    w0: Array | None = None,
    alpha: float = 1e9,
    tol: float = 1e-3,
    inner_tol: float = 1e-4,
    gap_every: int = 1,
    screen_every: int = 5,
    refresh_every: int = 10,
    rule: Rule = "corrected",
    zero_below: float = 0.0,
    max_iter: int = 1000,
    max_epochs: int = 1000,
) -> Result:
    """Minimise ``1/2 ||y - Xw||^2 + sum_j r_lambda(|w_j|)`` by MM with propagated screening.

    Each outer iteration linearises the penalty at w^k, screens before entering the Proximal
    Weighted Lasso (exact scores of eq. (test) every ``refresh_every`` iterations, eq. (new)
    between them) and solves it with screening inside.

    Parameters
    ----------
    X : array or scipy.sparse matrix of shape (n, d)
    y : array of shape (n,)
    penalty : object with ``value(abs_w, lam)`` and ``slope(abs_w, lam)``
    lam : float
        lambda of the paper (no 1/n in front of the loss).
    w0 : array of shape (d,), optional
        Warm start; zero by default.
    alpha : float
        Proximal parameter of the paper.
    tol : float
        Largest absolute violation of eq. (fermat) to stop at.
    inner_tol, gap_every, screen_every, max_epochs
        Duality gap, epochs between two gaps, epochs between two screenings, and bound on the
        epochs, of each inner problem.
    refresh_every : int
        Outer iterations between two exact scores.
    rule : {"corrected", "printed", "published"}
        Which form of the screening tests to use.
    zero_below : float
        Coefficients below this count as zero in the stopping test (1e-4 in the authors' program).
    max_iter : int
        Give up after so many outer iterations.

    Returns
    -------
    Result
    """
    settings = _Settings(
        alpha, tol, inner_tol, gap_every, screen_every, refresh_every, rule, zero_below, max_iter,
        max_epochs,
    )  # fmt: skip
    return _majorize_minimize(X, y, penalty, lam, w0, settings)


def mm_genuine(
    X: Any, y: Array, penalty: Penalty, lam: float, *, w0: Array | None = None, **settings: Any
) -> Result:
    """Do as `mm_screen`, same settings, but screen inside the inner solver only."""
    chosen = _Settings(propagate=False, **settings)
    return _majorize_minimize(X, y, penalty, lam, w0, chosen)


def mm(
    X: Any, y: Array, penalty: Penalty, lam: float, *, w0: Array | None = None, **settings: Any
) -> Result:
    """Do as `mm_screen`, same settings, without any screening."""
    chosen = _Settings(propagate=False, screen_inside=False, **settings)
    return _majorize_minimize(X, y, penalty, lam, w0, chosen)


def _majorize_minimize(
    X: Any, y: Array, penalty: Penalty, lam: float, w0: Array | None, settings: _Settings
) -> Result:
    """Run Algorithm 2; the line numbers are the paper's."""
    check_rule(settings.rule)
    design = as_design(X)
    w, r = start(design, y, w0)
    work, history = Work(design.n_features), list[OuterIteration]()
    reference: DualPoint | None = None
    last: DualPoint | None = None
    for k in range(settings.max_iter + 1):
        # one product serves the stopping test and lines 4 to 9
        correlations, violation = look(design, r, w, penalty, lam, work, settings.zero_below)
        value = residual_objective(r, w, penalty, lam)
        if violation <= settings.tol or k == settings.max_iter:
            break
        l1_weights = np.asarray(penalty.slope(np.abs(w), lam), dtype=np.float64)  # line 3
        warm, screened, kind = w, np.zeros(w.size, bool), "none"
        if settings.propagate:
            warm, point = _dual_start(design, y, r, w, correlations, l1_weights, settings, work)
            kind = "propagation" if reference and k % settings.refresh_every else "gap"
            reference = point if kind == "gap" or reference is None else reference
            scores = _scores(design, reference, point, last, settings)  # lines 6 to 10
            last = point
            screened = scores < l1_weights  # line 11
        inner = _solve(design, y, l1_weights, warm, w, screened, settings)  # line 12
        history.append(_row(value, violation, kind, screened, inner))
        work.add(inner.work)
        w, r = inner.w, inner.residual
    return Result(w, value, violation, len(history), violation <= settings.tol, work, history)


def _dual_start(
    design: Design,
    y: Array,
    r: Array,
    w: Array,
    correlations: Array,
    l1_weights: Array,
    settings: _Settings,
    work: Work,
) -> tuple[Array, DualPoint]:
    """Return a warm start of the new inner problem and its dual point (line 4).

    The warm start is w^k itself, but for the unpenalised block, solved exactly (corrected rule).
    """
    prox, warm = 1.0 / settings.alpha, w
    free = np.flatnonzero(l1_weights == 0.0)
    if settings.rule == "corrected" and free.size:
        warm = w.copy()
        solve_free_block(design, y, warm, w, free, prox, work)
        r = y - design.predict(warm)
        correlations = design.correlate(r)
        work.products += support_share(warm)
        work.correlations += 1.0
    norms2 = design.norms2
    point = dual_point(y, r, warm, correlations, w, l1_weights, norms2, prox, settings.rule)
    return warm, point


def _scores(
    design: Design,
    reference: DualPoint,
    point: DualPoint,
    last: DualPoint | None,
    settings: _Settings,
) -> Array:
    """Return exact scores where the point is the reference itself, else propagated ones."""
    prox = 1.0 / settings.alpha
    if point is reference:
        return gap_scores(point, design.norms2, prox, settings.rule)
    return propagated_scores(reference, point, design.norms2, prox, settings.rule, last)


def _solve(
    design: Design,
    y: Array,
    l1_weights: Array,
    warm: Array,
    prox_center: Array,
    screened: Mask,
    settings: _Settings,
) -> PWLResult:
    """Solve the inner problem, warm-started and told what is screened already."""
    return pwl(
        design,
        y,
        l1_weights,
        w0=warm,
        prox_center=prox_center,
        alpha=settings.alpha,
        screened=screened,
        screen=settings.screen_inside,
        rule=settings.rule,
        gap_every=settings.gap_every,
        screen_every=settings.screen_every,
        tol=settings.inner_tol,
        max_epochs=settings.max_epochs,
    )


def _row(
    value: float, violation: float, kind: str, screened: Mask, inner: PWLResult
) -> OuterIteration:
    """Return what is remembered of one outer iteration."""
    before = int(np.count_nonzero(screened))
    inside = int(np.count_nonzero(inner.screened)) - before
    return OuterIteration(
        objective=value,
        violation=violation,
        rule=kind,
        screened_before=before,
        screened_inside=inside,
        gap=inner.gap,
        epochs=inner.n_epochs,
        visits=inner.work.visits,
    )
