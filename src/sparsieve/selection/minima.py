"""Several starts, several critical points: how sure one can be of a non-convex fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.linalg import LinearOperator, lsqr

from .._words import Summarised, Summary, describe
from ..data.scalars import check_generator, check_integer, check_number
from ..data.terms import Terms, terms_of
from ..data.types import Floats
from ..data.validation import check_X_y
from ..losses import Loss, resolve_loss
from ..paths.grid import alpha_grid
from ..paths.sparse_path import warn_if_not_converged
from ..penalties import L1, Penalty, resolve_penalty
from ..penalties.base import slope_at_zero
from ..solve.limits import Limits, check_limits
from ..solve.points import Point
from ..solve.problem import Problem
from ..solve.solvers import Begin, Solver
from ..solve.starts import Start
from ..solve.tracing import solve_alone, trace
from .shapes import neighbour_shape

__all__ = ["LocalMinima", "local_minima"]

_STEPS = 20  # alphas of the short paths that lead to a start
_FAR = 1e-2  # how far below alpha the reverse path begins


@dataclass(frozen=True, eq=False, repr=False)
class LocalMinima(Summarised):
    """The critical points that several starts lead to.

    Attributes
    ----------
    starts : list of str
    points : list of Point
        Where each start ended.
    label : ndarray of int
        Which critical point that is, 0 the one with the lowest objective.
    n_distinct : int
    objective : ndarray
        The objective where each start ended.
    spread : float
        (largest - smallest objective) / smallest.
    agreement : ndarray of shape (n_starts, n_starts)
        Jaccard index of the supports: features selected by both over those selected by either.
    best : Point
        The lowest one.
    """

    starts: list[str]
    points: list[Point]
    label: NDArray[np.int64]
    objective: Floats
    agreement: Floats
    alpha: float
    penalty: Penalty
    feature_names: NDArray[Any] | None = None

    @property
    def n_distinct(self) -> int:
        """How many different critical points were found."""
        return int(self.label.max()) + 1

    @property
    def spread(self) -> float:
        """Difference of the highest and lowest objective, relative to the lowest."""
        low, high = float(np.nanmin(self.objective)), float(np.nanmax(self.objective))
        return (high - low) / abs(low) if low != 0.0 else 0.0

    @property
    def best(self) -> Point:
        """The point with the lowest objective."""
        return self.points[int(np.nanargmin(self.objective))]

    def summary(self) -> Summary:
        """Return a table with one line per start."""
        reference = int(np.nanargmin(self.objective))
        rows = [
            (
                start,
                f"{self.label[k]}",
                f"{point.objective:.8g}",
                f"{point.values.size}",
                f"{self.agreement[reference, k]:.2f}",
                f"{point.kkt:.1e}",
                "yes" if point.convex else "no",
            )
            for k, (start, point) in enumerate(zip(self.starts, self.points, strict=True))
        ]
        head = ("start", "point", "objective", "support", "agreement", "kkt", "convex")
        words = "critical point" if self.n_distinct == 1 else "different critical points"
        headline = (
            f"{describe(self.penalty)}, alpha={self.alpha:.6g}: {self.n_distinct} {words} from "
            f"{len(self.starts)} starts, objectives within {self.spread:.2g} of the lowest"
        )
        return Summary.of(headline, head, rows)


@dataclass(frozen=True)
class _Task:
    problem: Problem
    penalty: Penalty
    alpha: float
    limits: Limits
    rng: np.random.Generator

    def level(self) -> float:
        """Return the penalty's slope at zero."""
        return slope_at_zero(self.penalty, self.problem.terms.strength(self.alpha))

    def alpha_of(self, penalty: Penalty) -> float:
        """Return the alpha at which another penalty, linear in alpha, has that slope at zero."""
        return self.level() / slope_at_zero(penalty, self.problem.terms.l1_ratio)


def local_minima(  # noqa: PLR0913 - the options of a public function, by keyword
    X: Any,
    y: Any,
    penalty: str | Penalty = "mcp",
    *,
    alpha: float,
    starts: str | Sequence[str] = (
        "zero",
        "path",
        "lasso",
        "low lasso",
        "ridge",
        "reverse",
        "shape",
    ),
    n_random: int = 0,
    random_state: Any = None,
    fit_intercept: bool = True,
    sample_weight: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    positive: bool = False,
    tol: float = 1e-8,
    max_iter: int = 10_000,
    standardize: bool | None = None,
    l1_ratio: float = 1.0,
    ridge: float = 0.0,
    bounds: Any = None,
    loss: str | Loss = "squared",
    offset: ArrayLike | None = None,
) -> LocalMinima:
    r"""Solve one problem from several starts and compare where they end.

    .. math::
        \min_{w, b}\; \frac{1}{n} \sum_i \omega_i f(o_i + b + x_i^\top w; y_i)
        + \sum_j r(|w_j|; \alpha \pi_j)

    Parameters
    ----------
    X, y, penalty
        As in :func:`sparse_path`.
    alpha : float
    starts : str or sequence of str
        All end in stationary points (``minimum="stationary"``). "zero"; "path": down from
        alpha_max; "lasso": the lasso with the same slope at zero; "low lasso": the lasso at 0.3 of
        that slope, where :class:`SparseRegressor` begins unless told otherwise; "ridge": the
        largest coefficients (at most half as many as rows) of a ridge regression; "reverse": up
        from alpha / 100; "shape": the solution for a more convex shape of the penalty.
    n_random : int, default=0
        Additional starts with n/4 random features at random values of the ridge's size.
    random_state : int or numpy.random.Generator, default=None
    fit_intercept, sample_weight, weights, positive, max_iter
    standardize, l1_ratio, ridge, bounds, loss, offset
        As in :func:`sparse_path`.
    tol : float, default=1e-8
        Tighter than usual, to tell different points from inexact ones.

    Returns
    -------
    LocalMinima

    Examples
    --------
    >>> import sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(50, 100, 5, noise=0.5, random_state=0)
    >>> sv.local_minima(X, y, "l1", alpha=1.0).n_distinct
    1
    """
    starts = (starts,) if isinstance(starts, str) else starts
    offered = (*_STARTS, "low lasso")
    unknown = [start for start in starts if not isinstance(start, str) or start not in offered]
    if unknown or not starts:
        known = ", ".join(map(repr, offered))
        raise ValueError(f"starts={list(starts)!r}: use one or more of {known}; remove {unknown}.")
    alpha = check_number("alpha", alpha, remedy="use alpha > 0, e.g. a part of alpha_max")
    check_integer("n_random", n_random, low=0, remedy="use e.g. n_random=10")
    limits = check_limits(tol=tol, max_iter=max_iter)
    data = check_X_y(X, y, sample_weight=sample_weight, weights=weights, offset=offset)
    terms = terms_of(data, positive, standardize, l1_ratio, ridge, bounds)
    problem = Problem(data, fit_intercept=fit_intercept, terms=terms, loss=resolve_loss(loss))
    rng = check_generator(random_state)
    task = _Task(problem, resolve_penalty(penalty), alpha, limits, rng)
    names = [*starts, *(f"random {k + 1}" for k in range(n_random))]
    points = [_from_start(task, name) for name in names]
    if all(point.status == "SEPARATED" for point in points):
        raise ValueError(
            f"alpha={alpha:g} has no finite solution from any start (separated); use a larger "
            "alpha, a ridge (ridge=1e-3), or a penalty that grows without bound (l1, logsum)."
        )
    warn_if_not_converged(points, limits.tol)
    return _compare(task, names, points)


def _from_start(task: _Task, name: str) -> Point:
    solver = Solver(task.problem, task.penalty)
    if name == "low lasso":
        start = Start("lasso").suited(task.penalty)
        return solve_alone(solver, task.alpha, task.limits, start)
    _STARTS.get(name, _random_start)(task, solver)
    label = {"path": "previous", "reverse": "upwards", "lasso": "lasso"}.get(name, "given")
    return solver.solve(task.alpha, task.limits.tol, task.limits.max_iter, Begin.here(label))


def _zero_start(task: _Task, solver: Solver) -> None:
    """Stay at zero, where a solver begins."""


def _follow(task: _Task, solver: Solver, first: float, last: float) -> None:
    trace(solver, np.geomspace(first, last, _STEPS), task.limits)


def _path_start(task: _Task, solver: Solver) -> None:
    largest = solver.largest_alpha()
    if largest > task.alpha:
        grid = alpha_grid(largest, _STEPS, task.alpha / largest)
        trace(solver, grid, task.limits)


def _lasso_start(task: _Task, solver: Solver) -> None:
    lasso = Solver(task.problem, L1())
    point = lasso.solve(task.alpha_of(lasso.penalty), task.limits.tol, task.limits.max_iter)
    solver.warm_start(point.columns, point.values)


def _reverse_start(task: _Task, solver: Solver) -> None:
    _follow(task, solver, task.alpha, _FAR * task.alpha)
    _follow(task, solver, _FAR * task.alpha, task.alpha)


def _shape_start(task: _Task, solver: Solver) -> None:
    """Follow the path of a more convex shape, then change the shape at alpha."""
    neighbour = neighbour_shape(task.penalty)
    level = task.alpha_of(neighbour)
    solver.set_penalty(neighbour)
    largest = solver.largest_alpha()
    if largest > level:
        trace(solver, alpha_grid(largest, _STEPS, level / largest), task.limits)
    solver.set_penalty(task.penalty)


def _ridge_start(task: _Task, solver: Solver) -> None:
    coef = _ridge(task.problem)
    count = max(1, min(task.problem.n_samples // 2, coef.size))
    order = np.argsort(-np.abs(coef * task.problem.scales), kind="stable")
    columns = np.sort(order[:count]).astype(np.int64)
    columns = columns[coef[columns] != 0.0]
    solver.warm_start(columns, coef[columns])


def _random_start(task: _Task, solver: Solver) -> None:
    usable, scales = np.flatnonzero(_allowed(task.problem)), task.problem.scales
    count = max(1, min(task.problem.n_samples // 4, usable.size))
    columns = np.sort(task.rng.choice(usable, size=count, replace=False)).astype(np.int64)
    size = float(np.max(np.abs(_ridge(task.problem) * scales), initial=0.0)) or 1.0
    values = size * task.rng.standard_normal(count)
    start = np.zeros(task.problem.n_features)
    start[columns] = values / scales[columns]
    start = task.problem.projected(_mirrored(task.problem.terms, start))
    solver.warm_start(columns, start[columns])


_STARTS: dict[str, Callable[[_Task, Solver], None]] = {
    "zero": _zero_start,
    "path": _path_start,
    "lasso": _lasso_start,
    "ridge": _ridge_start,
    "reverse": _reverse_start,
    "shape": _shape_start,
}


def _mirrored(terms: Terms, coef: Floats) -> Floats:
    """Return coefficients with the signs of those turned that may have the other sign only."""
    return np.where(terms.clip(coef) == 0.0, -coef, coef)


def _allowed(problem: Problem) -> NDArray[np.bool_]:
    if problem.data.weights is None:
        return np.ones(problem.n_features, dtype=np.bool_)
    return np.isfinite(problem.data.weights)


def _ridge(problem: Problem) -> Floats:
    """Return a ridge regression whose penalty is the mean variance of the rows' predictions.

    The penalty is in units of the problem's, the coefficients are in those of X.
    """
    design, scales = problem.design, problem.scales
    y = problem.data.y if problem.squared else problem.working_response()
    omega = problem.data.omega()
    root = np.sqrt(omega)
    # Without an intercept nothing is centred.
    mean = design.correlations(omega) if problem.fit_intercept else np.zeros(problem.n_features)
    y = y - problem.offset if problem.squared else y
    target = root * (y - (omega @ y if problem.fit_intercept else 0.0))

    def forward(v: Floats) -> Any:
        v = v / scales
        return root * (design.product(v) - np.dot(mean, v))

    def backward(u: Floats) -> Any:
        return (design.correlations(root * u) - mean * float(root @ u)) / scales

    operator = LinearOperator(design.shape, matvec=forward, rmatvec=backward, dtype=np.float64)
    gram_size = float(np.linalg.norm(backward(target))) / max(float(np.linalg.norm(target)), 1e-300)
    coef = np.asarray(lsqr(operator, target, damp=gram_size, iter_lim=50)[0]) / scales
    coef[~_allowed(problem)] = 0.0
    return problem.terms.clip(coef)


def _compare(task: _Task, names: list[str], points: list[Point]) -> LocalMinima:
    """Give distinct points a number, by objective, and measure how far supports agree."""
    objective = np.array([point.objective for point in points])
    label = np.full(len(points), -1, dtype=np.int64)
    found: list[Point] = []
    for k in np.argsort(objective, kind="stable"):
        same = [n for n, other in enumerate(found) if _same(points[k], other, task.problem.scales)]
        if not same:
            found.append(points[k])
        label[k] = same[0] if same else len(found) - 1
    supports = [set(point.columns.tolist()) for point in points]
    agreement = np.array(
        [[len(a & b) / len(a | b) if a | b else 1.0 for b in supports] for a in supports]
    )
    return LocalMinima(
        starts=names,
        points=points,
        label=label,
        objective=objective,
        agreement=agreement,
        alpha=task.alpha,
        penalty=task.penalty,
        feature_names=task.problem.data.feature_names,
    )


# Two solves of the same point differ by far less than this fraction of its largest coefficient.
_APART = 1e-4


def _same(one: Point, other: Point, scales: Floats) -> bool:
    columns = np.union1d(one.columns, other.columns)
    difference = np.zeros(columns.size)
    difference[np.searchsorted(columns, one.columns)] += one.values
    difference[np.searchsorted(columns, other.columns)] -= other.values
    sizes = [np.abs(point.values * scales[point.columns]) for point in (one, other)]
    size = max(np.max(each, initial=0.0) for each in sizes)
    return bool(np.max(np.abs(difference * scales[columns]), initial=0.0) <= _APART * size)
