"""Surfaces: a path for every shape of a penalty."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._progress import counter
from .._words import Summarised, Summary, describe
from ..data.terms import terms_of
from ..data.types import Floats
from ..data.validation import check_X_y
from ..files.checkpoint import Checkpoint, check_place, fingerprint, pack_points, unpack_points
from ..losses import Loss, is_squared, resolve_loss
from ..paths.path import Path, path_of
from ..paths.reportable import ShownInline
from ..paths.sparse_path import warn_if_not_converged
from ..penalties import Penalty
from ..solve.limits import Limits, check_limits
from ..solve.points import Point
from ..solve.problem import Problem
from ..solve.solvers import Solver
from ..solve.starts import Start, check_start
from .grid import WARM_STARTS, alpha_grids, follow_shape, grid_in_words
from .runs import Cancel, run_units
from .shapes import resolve_penalties, shape_grid, typical_scales

__all__ = ["Surface", "sparse_surface"]


@dataclass(frozen=True, eq=False, repr=False)
class Surface(ShownInline, Summarised):
    """Paths of several penalties (shapes) on the same data.

    Attributes
    ----------
    paths : list of Path
        One per penalty. Iterating over a surface, its length and its items are those of this list.
    """

    paths: list[Path]

    def __iter__(self) -> Iterator[Path]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> Path:
        return self.paths[index]

    @property
    def penalties(self) -> list[Penalty]:
        """The penalty of each path."""
        return [path.penalty for path in self.paths]

    @property
    def feature_names(self) -> NDArray[Any] | None:
        """The names of the columns, if they have any."""
        return self.paths[0].feature_names

    def grid(self, name: str) -> Floats:
        """Return one quantity as an array of shape (n_penalties, n_alphas).

        Parameters
        ----------
        name : str
            An attribute of :class:`Path` with one number per alpha, e.g. "objective", "kkt",
            "support_size", "r2", "alphas". NaN beyond the end of a path that stopped early.
        """
        wanted: Any = getattr(self.paths[0], name, None)
        numbers = isinstance(wanted, np.ndarray) and wanted.dtype.kind in "bif"
        if not numbers or wanted.shape != (len(self.paths[0]),):
            known = [key for key, value in vars(self.paths[0]).items() if np.ndim(value) == 1]
            listed = ", ".join(key for key in known if key not in ("status", "points"))
            raise ValueError(f"a path has no numbers called {name!r}; use one of {listed}.")
        longest = max(len(path) for path in self.paths)
        out = np.full((len(self.paths), longest), np.nan)
        for row, path in zip(out, self.paths, strict=True):
            row[: len(path)] = getattr(path, name)
        return out

    def summary(self) -> Summary:
        """Return a headline and a table with one line per penalty."""
        rows = [
            (
                describe(path.penalty),
                f"{len(path)}",
                f"{path.alphas[0]:.4g}",
                f"{path.alphas[-1]:.4g}",
                f"{path.support_size.max()}",
                f"{np.nanmax(path.r2):.4f}",
                f"{path.kkt.max():.1e}",
                "all" if path.converged.all() else f"{int(path.converged.sum())}",
                "all" if path.convex.all() else f"{int(path.convex.sum())}",
            )
            for path in self.paths
        ]
        explained = "R2" if is_squared(self.paths[0].loss) else "D2"
        head = ["penalty", "alphas", "first", "last", "support", explained]
        head += ["kkt", "converged", "convex"]
        names = sorted({type(path.penalty).__name__ for path in self.paths})
        shapes = f"{len(self)} shape{'s' if len(self) > 1 else ''} of {', '.join(names)}"
        headline = f"{shapes}, {sum(map(len, self.paths))} certified points"
        return Summary.of(headline, head, rows)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the surface: see :func:`sparsieve.plots.plot_surface`."""
        from ..plots import plot_surface

        return plot_surface(self, ax=ax, **options)


class _Shape(NamedTuple):
    penalty: Penalty
    alphas: Floats


@dataclass(frozen=True)
class _Plan:
    problem: Problem
    shapes: list[_Shape]
    limits: Limits
    start: Start
    cancel: Cancel
    grid: str  # what is asked of the alphas

    def identity(self) -> str:
        """Return what a checkpoint of this surface is known by."""
        limits = self.limits
        options = (limits.tol, limits.max_iter, limits.max_support, limits.max_deviance)
        family = [shape.penalty for shape in self.shapes]
        return fingerprint(self.problem, family, [shape.alphas for shape in self.shapes], *options)


class _Traced(NamedTuple):
    points: list[Point]
    ended: str


_ENDINGS = ("complete", "max_support", "max_deviance", "max_time", "separated")


def _pack(traced: _Traced) -> dict[str, NDArray[Any]]:
    return {**pack_points(traced.points), "ended": np.array([_ENDINGS.index(traced.ended)])}


def _unpack(plan: _Plan, arrays: Any) -> _Traced:
    points, ended = unpack_points(arrays, plan.problem.n_features), int(arrays["ended"][0])
    if not 0 <= ended < len(_ENDINGS) or len(points) > max(s.alphas.size for s in plan.shapes):
        raise ValueError("a path that this run does not have")
    return _Traced(points, _ENDINGS[ended])


def _run_shape(plan: _Plan, shape: _Shape) -> _Traced:
    """Follow one shape with a solver of its own: its bits do not depend on the other shapes."""
    solver = Solver(
        plan.problem, shape.penalty, max_time=plan.limits.left(), n_alphas=shape.alphas.size
    )
    solver.watch(plan.cancel.flag)
    start = plan.start.suited(shape.penalty)
    traced = _Traced(*follow_shape(solver, shape.penalty, shape.alphas, plan.limits, start=start))
    plan.cancel.check()
    return traced


def _run_apart(
    plan: _Plan, n_jobs: int | None, progress: bool | None, checkpoint: Any
) -> list[_Traced]:
    """Follow every shape by itself, several at the same time."""
    return run_units(
        partial(_run_shape, plan),
        plan.shapes,
        n_jobs=n_jobs,
        cancel=plan.cancel,
        kept=Checkpoint(
            checkpoint,
            "surface",
            plan.identity,
            start=plan.start.name(),
            minimum=plan.problem.minimum,
            alphas=plan.grid,
        ),
        pack=_pack,
        unpack=partial(_unpack, plan),
        progress=progress,
        what="shapes",
    )


def _run_chain(plan: _Plan, warm: str, progress: bool | None) -> list[_Traced]:
    """Follow the shapes one after the other, each from its neighbour's points."""
    first = plan.shapes[0].penalty
    count = plan.shapes[0].alphas.size
    solver = Solver(plan.problem, first, max_time=plan.limits.left(), n_alphas=count)
    traced: list[_Traced] = []
    with contextlib.closing(counter(len(plan.shapes), 0, progress, "shapes")) as bar:
        for penalty, alphas in plan.shapes:
            result = follow_shape(
                solver,
                penalty,
                alphas,
                plan.limits,
                start=plan.start.suited(penalty),
                previous=traced[-1].points if traced else [],
                warm=warm,
            )
            traced.append(_Traced(*result))
            bar.update()
    return traced


def sparse_surface(  # noqa: PLR0913 - the options of a public function, by keyword
    X: Any,
    y: Any,
    penalties: Any = "mcp",
    *,
    shapes: ArrayLike | None = None,
    alphas: int | ArrayLike = 100,
    eps: float | None = None,
    warm: str = "alpha",
    fit_intercept: bool = True,
    sample_weight: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    positive: bool = False,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    start: str | ArrayLike = "lasso",
    minimum: str = "coordinatewise",
    n_jobs: int | None = None,
    progress: bool | None = None,
    max_support: int | None = None,
    max_deviance: float | None = None,
    max_time: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    standardize: bool | None = None,
    l1_ratio: float = 1.0,
    ridge: float = 0.0,
    bounds: Any = None,
    loss: str | Loss = "squared",
    offset: ArrayLike | None = None,
) -> Surface:
    r"""Compute a path for every penalty of a grid of shapes.

    .. math::
        \min_{w, b}\; \frac{1}{n} \sum_i \omega_i f(o_i + b + x_i^\top w; y_i)
        + \sum_j r(|w_j|; \alpha \pi_j, \text{shape})

    Parameters
    ----------
    X, y
        As in :func:`sparse_path`.
    penalties : str, Penalty or list of Penalty, default="mcp"
        One penalty means a grid of its shapes, see :func:`shape_grid`; a list is taken as it is.
        Nearly convex ones first: with ``warm`` each starts from the one before.
    shapes : array-like, default=None
        The shapes of one penalty (gamma, theta or q); None takes a default grid, scaled to the
        columns of X and to y.
    alphas : int or array-like, default=100
        How many alphas between each penalty's alpha_max (or the first empty point above it, as in
        :func:`sparse_path`) and eps * alpha_max, or the alphas, the same for every penalty.
    eps : float, default=None
        None takes what suits the data, as in :func:`sparse_path`.
    warm : {"alpha", "shape", "both"}, default="alpha"
        Begin each solve as ``start`` says, from the neighbouring shape's point at the same place of
        its grid, or from both, keeping the lower objective.
    fit_intercept, sample_weight, weights, positive, tol, max_iter, progress
    standardize, l1_ratio, ridge, bounds, loss, offset
        As in :func:`sparse_path`.
    start : {"lasso", "previous", "best"} or array-like of shape (n_features,), default="lasso"
        As in :func:`sparse_path`; "best" needs ``warm="alpha"``.
    minimum : {"stationary", "coordinatewise", "swap"}, default="coordinatewise"
        How strong a minimum is looked for: as in :func:`sparse_path`.
    n_jobs : int or None, default=None
        Shapes computed at the same time when ``warm="alpha"``, otherwise threads for the passes
        over X; the result does not depend on it.
    max_support, max_deviance
        End each path early, as in :func:`sparse_path`.
    max_time : float, default=None
        Seconds for the whole surface; paths that have no time left end with what they have.
    checkpoint : path, default=None
        File that keeps the finished shapes (``warm="alpha"`` only): the same call after an
        interruption (even a kill) goes on from there, to the same bits.

    Returns
    -------
    Surface

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C; finished shapes are kept only in the file ``checkpoint``. ``max_time`` returns
        what there is.

    Examples
    --------
    >>> import sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(50, 100, 5, noise=0.5, random_state=0)
    >>> surface = sv.sparse_surface(X, y, "mcp", shapes=[10.0, 3.0], alphas=20, eps=0.05)
    >>> surface.grid("support_size").shape
    (2, 20)
    """
    check_place(checkpoint)
    if warm not in WARM_STARTS:
        raise ValueError(f"warm={warm!r} is not known; use 'alpha', 'shape' or 'both'.")
    if checkpoint is not None and warm != "alpha":
        raise ValueError(f"checkpoint needs warm='alpha', got warm={warm!r}; drop one of the two.")
    if warm != "alpha" and isinstance(start, str) and start == "best":
        raise ValueError(
            f"start='best' needs warm='alpha', got warm={warm!r}; drop one of the two."
        )
    limits = check_limits(
        tol=tol,
        max_iter=max_iter,
        max_support=max_support,
        max_deviance=max_deviance,
        max_time=max_time,
    )
    apart = warm == "alpha"
    data = check_X_y(X, y, sample_weight=sample_weight, weights=weights, offset=offset)
    problem = Problem(
        data,
        fit_intercept=fit_intercept,
        terms=terms_of(data, positive, standardize, l1_ratio, ridge, bounds),
        n_jobs=None if apart else n_jobs,
        minimum=minimum,
        loss=resolve_loss(loss),
    )
    family = _penalties_of(problem, penalties, shapes)
    begin = check_start(start, problem)
    grids = alpha_grids(problem, family, alphas, eps, start=begin, max_time=limits.left())
    limits = replace(limits, existing=isinstance(alphas, Integral))
    units = map(_Shape, family, grids)
    plan = _Plan(problem, list(units), limits, begin, Cancel(), grid_in_words(alphas, eps))
    if apart:
        traced = _run_apart(plan, n_jobs, progress, checkpoint)
    else:
        traced = _run_chain(plan, warm, progress)
    warn_if_not_converged([point for one in traced for point in one.points], limits.tol)
    ends = zip(family, traced, strict=True)
    return Surface([path_of(problem, one.points, penalty, one.ended) for penalty, one in ends])


def _penalties_of(problem: Problem, penalties: Any, shapes: Any) -> list[Penalty]:
    """Return the list as it is, or the grid of shapes of one penalty."""
    several = not isinstance(penalties, str) and hasattr(penalties, "__iter__")
    if several and shapes is not None:
        raise ValueError(
            "shapes were given together with a list of penalties, which have their shapes already; "
            "pass one penalty with shapes, or the list alone."
        )
    if several:
        return resolve_penalties(penalties)
    if shapes is not None:
        return resolve_penalties(shape_grid(penalties, shapes))
    column, coef = typical_scales(problem)
    return shape_grid(penalties, column_scale=column, coef_scale=coef)
