"""One design and many responses: dictionaries and their signals, genotypes and their traits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from .. import _core
from ..data.scalars import count_jobs
from ..data.terms import terms_of
from ..data.types import Floats
from ..data.validation import check_responses, check_X_y
from ..inspect.scales import warn_of_scales
from ..penalties import Penalty
from ..penalties.resolve import resolve_penalty
from ..solve.designs import check_columns, make_design
from ..solve.limits import Limits, check_limits
from ..solve.points import Fits
from ..solve.problem import Problem
from ..solve.solvers import REMEDIES, STATUSES, Solver, core_penalty, search_for
from ..solve.starts import Start, check_start
from ..solve.tracing import solve_alone
from .runs import Cancel, run_all

__all__ = ["Codes", "sparse_codes"]

# Responses per unit of work. Fixed, so that no result depends on how units are dealt to threads.
_UNIT = 64
# How many columns have one Gram matrix of all of them at the most (512 MB), and how many columns
# there are for a response: each fit without it reads the columns a few times.
_MOST, _PER_RESPONSE = 8192, 8


@dataclass(frozen=True, eq=False, repr=False)
class Codes:
    r"""Sparse fits of many responses on one design, each with its certificate.

    .. math::
        \min_{w, b}\; \frac{1}{2n} \sum_i \omega_i (y_{ik} - b - x_i^\top w)^2
        + \sum_j r(|w_j|; \alpha_k \pi_j) \qquad \text{for each response } k

    Attributes
    ----------
    coefs : scipy.sparse.csc_array of shape (n_features, n_responses)
    intercepts, objective, kkt, dual_gap : ndarray of shape (n_responses,)
        ``kkt`` is the largest violation of stationarity over all features, as a fraction of the
        penalty's slope at zero.
    converged : ndarray of bool
    n_iter : ndarray of int
    alphas : ndarray of shape (n_responses,)
    penalty : Penalty
    feature_names : ndarray of str or None
    """

    coefs: Any
    intercepts: Floats
    objective: Floats
    kkt: Floats
    dual_gap: Floats
    converged: NDArray[np.bool_]
    n_iter: NDArray[np.int64]
    alphas: Floats
    penalty: Penalty
    feature_names: NDArray[Any] | None = None

    def __len__(self) -> int:
        return int(self.alphas.size)

    def __repr__(self) -> str:
        d, m = self.coefs.shape
        return (
            f"Codes({m} responses, {d} features, {self.coefs.nnz / m:.1f} selected on average, "
            f"{int(self.converged.sum())} converged)"
        )


class _Found(NamedTuple):
    """What one unit of work found."""

    fits: Fits
    gaps: Floats
    iterations: NDArray[np.int64]
    status: NDArray[np.uint8]


class _Plan:
    """What all responses have in common; in another process the design is measured again."""

    def __init__(
        self,
        problem: Problem,
        Y: Floats,
        alphas: Floats,
        penalty: Penalty,
        starts: Sequence[Start],
        limits: Limits,
        cancel: Cancel,
    ) -> None:
        self.problem = problem
        self.Y = Y  # one row per response
        self.alphas = alphas
        self.penalty = penalty
        self.starts = starts
        self.limits = limits
        self.cancel = cancel
        self._design: _core.Design | None = None
        self._gram: _core.SharedGram | None = None

    def measure(self, n_jobs: int | None) -> None:
        """Measure the columns, tell what is wrong with them, and share their products."""
        check_columns(self.design, self.problem)
        warn_of_scales(_Measured(self.problem, self.penalty, self.design.norms2))
        if self.gram_pays:
            many = count_jobs(n_jobs)
            whole = self.design if many == 1 else make_design(self.problem, many)
            self._gram = _core.gram_of(whole, self.problem.data.weights)

    @property
    def design(self) -> _core.Design:
        """The columns, measured once, for solvers that use one thread each."""
        if self._design is None:
            self._design = make_design(self.problem, 1, many=not self.gram_pays)
        return self._design

    @property
    def gram(self) -> _core.SharedGram | None:
        """The Gram matrix of all columns where that pays."""
        if self._gram is None and self.gram_pays:
            self._gram = _core.gram_of(self.design, self.problem.data.weights)
        return self._gram

    @property
    def gram_pays(self) -> bool:
        """Whether products of all columns cost less than what the fits would read without."""
        d, weights = self.problem.n_features, self.problem.data.weights
        all_penalised = weights is None or bool(np.all(weights > 0.0))
        enough = d <= min(_MOST, _PER_RESPONSE * self.alphas.size)
        return all_penalised and enough and self.problem.design.stored_in_full

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_design": None, "_gram": None}


def _solve_some(plan: _Plan, part: slice) -> _Found:
    """Solve for some of the responses, with the GIL released."""
    kinds = {start.kind for start in plan.starts}
    if kinds & {"previous", "best"}:
        return _solve_one_by_one(plan, part)
    problem, terms = plan.problem, plan.problem.terms
    begins = [start.begin.core for start in plan.starts]
    _, *arrays, gaps, iterations, status = _core.codes(
        plan.design,
        plan.gram,
        plan.Y[part].ravel(),
        plan.alphas[part],
        begins if len(begins) == 1 else begins[part],
        core_penalty(plan.penalty),
        problem.data.weights,
        terms.l1_ratio,
        terms.ridge,
        terms.lower,
        terms.upper,
        plan.limits.tol,
        plan.limits.max_iter,
        search_for(plan.penalty, problem.data.weights, problem.minimum),
        plan.cancel.flag,
    )
    plan.cancel.check()
    return _Found(Fits(*arrays), gaps, iterations, status)


def _solve_one_by_one(plan: _Plan, part: slice) -> _Found:
    """Do the same for starts that need other alphas first."""
    points = []
    for k in range(*part.indices(plan.alphas.size)):
        problem = plan.problem.with_response(plan.Y[k])
        solver = Solver(problem, plan.penalty, design=plan.design)
        solver.watch(plan.cancel.flag)
        start = plan.starts[k if len(plan.starts) > 1 else 0]
        points.append(solve_alone(solver, float(plan.alphas[k]), plan.limits, start))
        plan.cancel.check()
    return _Found(
        Fits.of(points),
        np.array([point.dual_gap for point in points]),
        np.array([point.n_iter for point in points], dtype=np.int64),
        np.array([STATUSES.index(point.status) for point in points], dtype=np.uint8),
    )


def _check_starts(start: Any, problem: Problem, count: int, penalty: Penalty) -> list[Start]:
    """Return one start for all responses, or one each from an array with a column for each."""
    array = None if isinstance(start, str) or start is None else np.asarray(start)
    if array is None or array.ndim != 2:
        return [check_start(start, problem).suited(penalty)]
    if array.shape != (problem.n_features, count):
        raise ValueError(
            f"start has shape {array.shape}, but there are {problem.n_features} features and "
            f"{count} responses; pass one column of coefficients per response."
        )
    return [check_start(column, problem).suited(penalty) for column in array.T]


def _check_alpha(alpha: Any, count: int) -> Floats:
    """Return one alpha for each response."""
    try:
        alphas = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError):
        alphas = np.array(np.nan)
    if alphas.ndim > 1 or (alphas.ndim == 1 and alphas.size != count):
        raise ValueError(
            f"alpha has shape {alphas.shape}, but Y has {count} columns; pass a number, or one "
            "number per response."
        )
    if not np.all(np.isfinite(alphas) & (alphas > 0.0)):
        raise ValueError(
            f"alpha must be a finite number > 0, or one for each response, got {alpha!r}; use e.g. "
            "a part of alpha_max(X, Y[:, 0], penalty)."
        )
    return np.ascontiguousarray(np.broadcast_to(alphas, (count,)))


class _Measured(NamedTuple):
    """What the warning about scales looks at."""

    problem: Problem
    penalty: Penalty
    norms2: Floats


def sparse_codes(  # noqa: PLR0913 - the options of a public function, by keyword
    X: Any,
    Y: Any,
    penalty: str | Penalty = "mcp",
    *,
    alpha: float | ArrayLike,
    fit_intercept: bool = True,
    sample_weight: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    positive: bool = False,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    start: str | ArrayLike = "lasso",
    minimum: str = "coordinatewise",
    n_jobs: int | None = None,
    standardize: bool | None = None,
    l1_ratio: float = 1.0,
    ridge: float = 0.0,
    bounds: Any = None,
) -> Codes:
    r"""Fit many responses on one design, each by itself and with a certificate of its own.

    .. math::
        \min_{w, b}\; \frac{1}{2n} \sum_i \omega_i (y_{ik} - b - x_i^\top w)^2
        + \sum_j \Big[ r(|v_j|; \alpha_k \lambda \pi_j)
        + \frac{\alpha_k (1 - \lambda) \pi_j + \rho}{2} v_j^2 \Big]
        \qquad \text{for each response } k

    The design is checked and measured once; norms, Gram matrix and 8-bit copy serve all responses.
    For signals and a dictionary, the rows of X are the entries of a signal, its columns the atoms:
    scikit-learn's ``sparse_encode(signals, dictionary)`` has both transposed, no intercept, and an
    alpha that is n times as large.

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
    Y : array or data frame of shape (n_samples, n_responses)
    penalty : str or Penalty, default="mcp"
    alpha : float or array-like of shape (n_responses,)
        The strength of the penalty, for all responses or for each.
    fit_intercept, sample_weight, weights, positive, tol, max_iter, standardize, l1_ratio, ridge
        As in :func:`sparse_path`.
    bounds
        As in :func:`sparse_path`.
    start : {"lasso", "previous", "best"} or array-like, default="lasso"
        As in :func:`sparse_path`; an array of shape (n_features,) for all responses, or one of
        shape (n_features, n_responses). "previous" and "best" walk along other alphas first and
        do not share the Gram matrix.
    minimum : {"stationary", "coordinatewise", "swap"}, default="coordinatewise"
        As in :func:`sparse_path`.
    n_jobs : int or None, default=None
        Threads that share the responses; the result is the same, bit for bit, for any number.

    Returns
    -------
    Codes

    Warns
    -----
    ConvergenceWarning
        When a response did not reach ``tol``.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(50, 100, 5, noise=0.5, random_state=0)
    >>> codes = sv.sparse_codes(X, np.column_stack([y, 2 * y]), "mcp", alpha=[0.1, 0.2])
    >>> codes.coefs.shape, bool(codes.converged.all())
    ((100, 2), True)
    """
    penalty = resolve_penalty(penalty)
    limits = replace(check_limits(tol=tol, max_iter=max_iter), convexity=False)
    responses = check_responses(Y)
    data = check_X_y(X, responses[0], sample_weight=sample_weight, weights=weights)
    terms = terms_of(data, positive, standardize, l1_ratio, ridge, bounds)
    problem = Problem(data, fit_intercept=fit_intercept, terms=terms, minimum=minimum)
    alphas = _check_alpha(alpha, len(responses))
    starts = _check_starts(start, problem, len(responses), penalty)
    plan = _Plan(problem, responses, alphas, penalty, starts, limits, Cancel())
    plan.measure(n_jobs)
    units = [slice(k, min(k + _UNIT, alphas.size)) for k in range(0, alphas.size, _UNIT)]
    results = run_all(partial(_solve_some, plan), units, n_jobs=n_jobs, cancel=plan.cancel)
    return _codes_of(results, plan)


def _codes_of(results: Sequence[_Found], plan: _Plan) -> Codes:
    """Put together what the units found, and warn of what did not converge."""
    fits = Fits.joined([result.fits for result in results])
    status = np.concatenate([result.status for result in results])
    starts = np.concatenate([[0], np.cumsum(fits.sizes)])
    shape = (plan.problem.n_features, plan.alphas.size)
    codes = Codes(
        coefs=sparse.csc_array((fits.values, fits.columns, starts), shape=shape),
        intercepts=fits.intercepts,
        objective=fits.objective,
        kkt=fits.kkt,
        dual_gap=np.concatenate([result.gaps for result in results]),
        converged=fits.converged.astype(np.bool_),
        n_iter=np.concatenate([result.iterations for result in results]),
        alphas=plan.alphas,
        penalty=plan.penalty,
        feature_names=plan.problem.data.feature_names,
    )
    failed = np.flatnonzero(~codes.converged)
    if failed.size:
        worst = failed[np.argmax(codes.kkt[failed])]
        ended = STATUSES[status[worst]]
        warn(
            f"{failed.size} of {len(codes)} responses did not reach tol={plan.limits.tol:g}; the "
            f"worst is column {worst} of Y with a violation of {codes.kkt[worst]:.3g} after "
            f"{codes.n_iter[worst]} iterations ({ended.lower()}). Remedy: {REMEDIES[ended]}.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return codes
