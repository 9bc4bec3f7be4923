"""Stability selection: which features are selected whatever half of the rows is looked at."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._words import Summarised, Summary
from ..data.scalars import check_generator, check_integer, check_number
from ..data.terms import terms_of
from ..data.types import Floats
from ..data.validation import check_X_y
from ..files.checkpoint import Checkpoint, check_place, fingerprint
from ..losses import Loss, resolve_loss
from ..paths.frames import data_frame, labels_of
from ..paths.grid import check_eps, grid_from
from ..penalties import Penalty, resolve_penalty
from ..solve.limits import Limits, check_limits
from ..solve.points import Point
from ..solve.problem import Problem
from ..solve.solvers import Solver
from ..solve.starts import Start, check_start
from ..solve.tracing import trace
from .grid import grid_in_words
from .runs import Cancel, run_units

__all__ = ["Stability", "stability_bounds", "stability_selection"]

Rows = NDArray[np.int64]

# Halves of more pairs than that would not be drawn in an hour.
_MOST_PAIRS = 100_000


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Summarised):
    """How often each feature was selected, and what follows.

    Attributes
    ----------
    frequencies : ndarray of shape (n_features,)
        Fraction of the halves in which the feature was selected.
    selected : ndarray of int
        Columns with a frequency of at least ``threshold``, the most frequent first.
    threshold : float
    q : int
        At most so many features were selected in each half.
    mean_size : float
        Features selected per half, on average: at most q.
    n_pairs : int
    error_bound, unimodal_bound : float
        Bounds of the expected number of falsely selected features: without assumptions
        (Meinshausen and Buhlmann 2010), and for a unimodal distribution of the frequencies (Shah
        and Samworth 2013; inf where that theorem says nothing).
    feature_names : ndarray of str or None
    """

    frequencies: Floats
    selected: NDArray[np.int64]
    threshold: float
    q: int
    mean_size: float
    n_pairs: int
    error_bound: float
    unimodal_bound: float
    feature_names: NDArray[Any] | None = None

    def summary(self, rows: int = 20) -> Summary:
        """Return a table of the most frequent features."""
        check_integer("rows", rows, low=1, remedy="use e.g. rows=20")
        order = np.argsort(-self.frequencies, kind="stable")[:rows]
        chosen = set(self.selected.tolist())
        body = [
            (
                str(j) if self.feature_names is None else str(self.feature_names[j]),
                f"{self.frequencies[j]:.2f}",
                "yes" if int(j) in chosen else "",
            )
            for j in order
            if self.frequencies[j] > 0.0
        ]
        if_unimodal = (
            f" (at most {self.unimodal_bound:.3g} if unimodal)"
            if math.isfinite(self.unimodal_bound)
            else ""
        )
        head = (
            f"{self.selected.size} features selected in at least {self.threshold:.0%} of "
            f"{2 * self.n_pairs} halves ({self.mean_size:.1f} per half); expected false ones: at "
            f"most {self.error_bound:.3g}{if_unimodal}"
        )
        return Summary.of(head, ("feature", "frequency", "selected"), body)

    def to_frame(self) -> Any:
        """Return the features that were ever selected as a pandas data frame, most frequent first.

        Returns
        -------
        pandas.DataFrame
            Columns "frequency" and "selected".
        """
        order = np.argsort(-self.frequencies, kind="stable")
        order = order[self.frequencies[order] > 0.0]
        columns = {
            "frequency": self.frequencies[order],
            "selected": self.frequencies[order] >= self.threshold,
        }
        return data_frame(columns, labels_of(order, self.feature_names), "feature")


def stability_bounds(
    q: float, threshold: float, n_features: int, n_pairs: int
) -> tuple[float, float]:
    r"""Return two bounds of the expected number of falsely selected features.

    .. math::
        \frac{q^2}{d (2\tau - 1)}, \qquad C(\tau, B) \frac{q^2}{d}, \quad
        C = \begin{cases} \dfrac{1}{2 (2\tau - 1 - 1/(2B))} & \tau \le 3/4 \\
        \dfrac{4 (1 - \tau + 1/(2B))}{1 + 1/B} & \tau > 3/4 \end{cases}

    The first needs no assumption beyond selecting no worse than at random. The second is for
    complementary pairs whose selection frequencies are unimodal, with :math:`q/d \le 1/\sqrt 3`
    and :math:`\tau > \min(1/2 + \theta^2, 1/2 + 1/(2B) + 3\theta^2/4)`, :math:`\theta = q/d`;
    inf where these fail.

    Parameters
    ----------
    q : float
        Features selected per half :math:`q`.
    threshold : float
        :math:`\tau` in (1/2, 1].
    n_features, n_pairs : int
        :math:`d` and :math:`B`.

    Returns
    -------
    worst_case, unimodal : float
    """
    rate = q / n_features
    worst = q * rate / (2.0 * threshold - 1.0)
    half = 1.0 / (2.0 * n_pairs)
    lowest = min(0.5 + rate**2, 0.5 + half + 0.75 * rate**2)
    if rate > 1.0 / math.sqrt(3.0) or threshold <= lowest or 2.0 * threshold - 1.0 <= half:
        return worst, math.inf
    if threshold <= 0.75:
        constant = 1.0 / (2.0 * (2.0 * threshold - 1.0 - half))
    else:
        constant = 4.0 * (1.0 - threshold + half) / (1.0 + 2.0 * half)
    return worst, constant * q * rate


class _Entered:
    """A path's callback that collects features as they enter and stops beyond q of them.

    Where more than q enter at once and none was there before, the q that contribute most to the
    fit, |w_j| times the spread of column j, count as the first.
    """

    def __init__(self, q: int, problem: Problem, weight: Floats) -> None:
        self.q = q
        self.problem = problem
        self.weight = weight
        self.features: set[int] = set()

    def __call__(self, point: Point) -> bool:
        grown = self.features | set(point.columns.tolist())
        if len(grown) <= self.q:
            self.features = grown
            return False
        if not np.any(self._penalised(np.array(sorted(self.features), dtype=np.int64))):
            penalised = self._penalised(point.columns)
            fresh, values = point.columns[penalised], point.values[penalised]
            spread = self.problem.design.spreads(self.problem.data.omega(self.weight), fresh)
            order = np.argsort(-np.abs(values) * spread, kind="stable")
            left = max(self.q - len(self.features), 0)
            self.features |= set(fresh[order[:left]].tolist())
        return True

    def _penalised(self, columns: Rows) -> NDArray[np.bool_]:
        weights = self.problem.data.weights
        if weights is None:
            return np.ones(columns.size, dtype=np.bool_)
        return np.asarray(weights[columns] > 0.0)


@dataclass(frozen=True)
class _Plan:
    problem: Problem
    penalty: Penalty
    count: int
    eps: float | None
    q: int
    limits: Limits
    start: Start
    cancel: Cancel


def _run_half(plan: _Plan, rows: Rows) -> Rows:
    """Return the first q features that enter the path on some of the rows."""
    weight = np.zeros(plan.problem.n_samples)
    given = plan.problem.data.sample_weight
    weight[rows] = 1.0 if given is None else given[rows]
    solver = Solver(plan.problem, plan.penalty, weight, n_alphas=plan.count)
    solver.watch(plan.cancel.flag)
    if not solver.exists:
        raise ValueError(
            "y: half of the rows, as they are drawn, have a single class or no counts, so nothing "
            "can be fitted there; stability selection needs more rows of the rarer kind."
        )
    alphas = grid_from(solver, plan.start, plan.count, plan.eps, sample_weight=weight)
    entered = _Entered(plan.q, plan.problem, weight)
    limits = replace(
        plan.limits, callback=entered, max_support=plan.q + 1, convexity=False, existing=True
    )
    trace(solver, alphas, limits, start=plan.start)
    plan.cancel.check()
    return np.array(sorted(entered.features), dtype=np.int64)


def _support_of(n_features: int, arrays: Any) -> NDArray[np.int64]:
    """Return the support that a checkpoint has for a half; ValueError if it cannot be one."""
    support: NDArray[np.int64] = arrays["support"]
    inside = np.all((support >= 0) & (support < n_features))
    if (
        support.ndim != 1
        or support.dtype.kind != "i"
        or not inside
        or np.any(np.diff(support) <= 0)
    ):
        raise ValueError("no list of features")
    return support


def stability_selection(  # noqa: PLR0913 - the options of a public function, by keyword
    X: Any,
    y: Any,
    penalty: str | Penalty = "mcp",
    *,
    threshold: float = 0.75,
    max_false: float = 1.0,
    q: int | None = None,
    n_pairs: int = 50,
    alphas: int = 100,
    eps: float | None = None,
    random_state: Any = None,
    fit_intercept: bool = True,
    sample_weight: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    positive: bool = False,
    tol: float = 1e-4,
    max_iter: int = 10_000,
    start: str | ArrayLike = "lasso",
    minimum: str = "coordinatewise",
    n_jobs: int | None = None,
    progress: bool | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    standardize: bool | None = None,
    l1_ratio: float = 1.0,
    ridge: float = 0.0,
    bounds: Any = None,
    loss: str | Loss = "squared",
    offset: ArrayLike | None = None,
) -> Stability:
    r"""Select the features that are selected on most halves of the rows.

    The rows are split at random into two halves, ``n_pairs`` times; on each half a path runs until
    more than q features have entered, and the (at most q) features before that are selected.
    Features selected in at least a fraction ``threshold`` of the halves are stable; the expected
    number of false ones among them is at most :math:`q^2 / (d (2\,\mathrm{threshold} - 1))`.

    Parameters
    ----------
    X, y, penalty
        As in :func:`sparse_path`.
    threshold : float, default=0.75
        In (1/2, 1].
    max_false : float, default=1.0
        Expected number of false features to allow; with ``threshold`` it determines q.
    q : int, default=None
        Features to select per half; None takes the largest that keeps to ``max_false``.
    n_pairs : int, default=50
        Complementary pairs of halves.
    alphas : int, default=100
        Alphas of each path, from its own alpha_max (or the first empty point above it, as in
        :func:`sparse_path`) down to eps * alpha_max.
    eps : float, default=None
        None takes what suits a half of the rows, as in :func:`sparse_path`.
    random_state : int or numpy.random.Generator, default=None
    fit_intercept, sample_weight, weights, positive, tol, max_iter
    standardize, l1_ratio, ridge, bounds, loss, offset
        As in :func:`sparse_path`; tol is looser because only supports count.
    start : {"lasso", "previous", "best"} or array-like of shape (n_features,), default="lasso"
        Where each solve begins, as in :func:`sparse_path`: from a lasso, several features may enter
        at once. Where more than q do and none was there before, the q that contribute most to the
        fit are selected.
    minimum : {"stationary", "coordinatewise", "swap"}, default="coordinatewise"
        How strong a minimum is looked for: as in :func:`sparse_path`.
    n_jobs : int or None, default=None
        Halves at the same time, as in :class:`SparseRegressorCV`; the result does not depend on it.
    progress : bool, default=None
        Show a progress bar, as in :func:`sparse_path`.
    checkpoint : path, default=None
        File that keeps the finished halves (needs ``random_state`` an integer): the same call
        after an interruption (even a kill) goes on from there, to the same result.

    Returns
    -------
    Stability

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C; finished halves are kept only in the file ``checkpoint``.

    Examples
    --------
    >>> import sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(100, 50, 3, noise=0.5, random_state=0)
    >>> result = sv.stability_selection(X, y, n_pairs=10, random_state=0)
    >>> bool(set(result.selected) == set(w.nonzero()[0]))
    True
    """
    check_place(checkpoint)
    limits = check_limits(tol=tol, max_iter=max_iter)
    count = check_integer("alphas", alphas, low=1, remedy="use e.g. alphas=100")
    eps = check_eps(eps)
    n_pairs = check_integer("n_pairs", n_pairs, low=1, remedy="use e.g. n_pairs=50")
    if n_pairs > _MOST_PAIRS:
        raise ValueError(f"n_pairs must be at most {_MOST_PAIRS}, got {n_pairs}; 50 are common.")
    data = check_X_y(
        X, y, sample_weight=sample_weight, weights=weights, offset=offset, min_samples=4
    )
    terms = terms_of(data, positive, standardize, l1_ratio, ridge, bounds)
    problem = Problem(
        data,
        fit_intercept=fit_intercept,
        terms=terms,
        minimum=minimum,
        loss=resolve_loss(loss),
    )
    threshold, q = _check_threshold_and_q(threshold, max_false, q, problem.n_features)
    if checkpoint is not None and not isinstance(random_state, int | np.integer):
        raise ValueError(
            "checkpoint needs random_state to be an integer, so that the same halves are drawn "
            "again; pass e.g. random_state=0."
        )
    halves = _draw_halves(check_generator(random_state), problem.n_samples, n_pairs)
    cancel = Cancel()
    penalty = resolve_penalty(penalty)
    begin = check_start(start, problem)
    plan = _Plan(
        problem=problem,
        penalty=penalty,
        count=count,
        eps=eps,
        q=q,
        limits=limits,
        start=begin.suited(penalty),
        cancel=cancel,
    )
    options = (plan.penalty, count, eps, q, limits.tol, limits.max_iter)
    supports = run_units(
        partial(_run_half, plan),
        halves,
        n_jobs=n_jobs,
        cancel=cancel,
        kept=Checkpoint(
            checkpoint,
            "stability",
            lambda: fingerprint(problem, halves, *options),
            start=begin.name(),
            minimum=problem.minimum,
            alphas=grid_in_words(count, eps),
        ),
        pack=lambda support: {"support": support},
        unpack=partial(_support_of, problem.n_features),
        progress=progress,
        what="halves",
    )
    return _collect(problem, supports, threshold, q, n_pairs)


def _check_threshold_and_q(
    threshold: Any, max_false: Any, q: Any, n_features: int
) -> tuple[float, int]:
    threshold = check_number(
        "threshold", threshold, low=0.5, high=1.0, closed="high", remedy="use e.g. threshold=0.75"
    )
    if q is not None:
        return threshold, min(
            check_integer("q", q, low=1, remedy="use e.g. q=10, or None"), n_features
        )
    max_false = check_number("max_false", max_false, remedy="use e.g. max_false=1.0")
    largest = math.isqrt(math.floor(max_false * n_features * (2.0 * threshold - 1.0) + 1e-9))
    if largest < 1:
        raise ValueError(
            f"max_false={max_false:g} with threshold={threshold:g} and {n_features} features "
            "allows no feature per half; raise max_false or threshold, or pass q."
        )
    return threshold, min(largest, n_features)


def _draw_halves(rng: np.random.Generator, n_samples: int, n_pairs: int) -> list[Rows]:
    """Return pairs of disjoint halves: (0, 1), (2, 3), ..."""
    half = n_samples // 2
    halves = []
    for _ in range(n_pairs):
        order = rng.permutation(n_samples)
        halves += [np.sort(order[:half]), np.sort(order[half : 2 * half])]
    return halves


def _collect(
    problem: Problem, supports: list[Rows], threshold: float, q: int, n_pairs: int
) -> Stability:
    counts = np.zeros(problem.n_features)
    for support in supports:
        counts[support] += 1.0
    frequencies = counts / len(supports)
    often = np.flatnonzero(counts >= threshold * len(supports) * (1.0 - 1e-12))
    size = float(np.mean([support.size for support in supports]))
    worst, unimodal = stability_bounds(float(q), threshold, problem.n_features, n_pairs)
    return Stability(
        frequencies=frequencies,
        selected=often[np.argsort(-frequencies[often], kind="stable")],
        threshold=threshold,
        q=q,
        mean_size=size,
        n_pairs=n_pairs,
        error_bound=worst,
        unimodal_bound=unimodal,
        feature_names=problem.data.feature_names,
    )
