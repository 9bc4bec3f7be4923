"""The bridge to the compiled core: validated data in, one certified point at a time out."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from . import _core
from ._penalty_checks import Watched
from .penalties import Penalty, alpha_max_for
from .validation import Checked, check_finite_X, count_jobs

__all__ = ["Fits", "Point", "Problem", "Solver", "check_range", "columns_of", "core_penalty"]

Floats = NDArray[np.float64]

#: What a user can do about each way a solve can end short of its tolerance.
REMEDIES = {
    "ITERATIONS": "raise max_iter, loosen tol, or standardise the columns of X",
    "STALLED": (
        "rounding error limits the accuracy here: loosen tol, or centre and rescale the columns of "
        "X (means far from zero, very different scales or nearly collinear columns are the usual "
        "cause)"
    ),
    "INTERRUPTED": "raise max_time",
}


@dataclass(frozen=True, slots=True)
class Point:
    """One certified solution: where it was found, what it is, and the proof.

    ``columns`` and ``values`` are the non-zero coefficients. The proof: ``kkt`` is the largest
    violation of the stationarity condition over all features as a fraction of ``slope(0)``,
    ``dual_gap`` the duality gap of the last weighted lasso, ``convex`` tells whether the objective
    is strictly convex on the support (the point is then a strict local minimum there). ``r2`` is
    the fraction of the (weighted) deviance of y that the fit explains. ``start`` is where the solve
    began: "previous", "lasso", "upwards", "given", or "none" where it makes no difference.
    """

    alpha: float
    columns: NDArray[np.int64]
    values: Floats
    intercept: float
    objective: float
    kkt: float
    dual_gap: float
    n_iter: int
    status: str
    convex: bool
    passes: float
    settled_by_bound: int
    settled_by_reading: int
    r2: float = math.nan
    settled_by_shadow: int = 0
    start: str = "previous"

    @property
    def converged(self) -> bool:
        """Whether ``kkt`` reached the tolerance."""
        return self.status == "CONVERGED"


class Fits(NamedTuple):
    """What a fold of a cross-validation needs to know of solutions, end to end."""

    sizes: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Floats
    intercepts: Floats
    objective: Floats
    kkt: Floats
    converged: NDArray[np.uint8]

    @classmethod
    def of(cls, points: Sequence[Point]) -> Fits:
        """Collect points."""
        return cls(
            sizes=np.array([point.columns.size for point in points], dtype=np.int64),
            columns=np.concatenate([point.columns for point in points]),
            values=np.concatenate([point.values for point in points]),
            intercepts=np.array([point.intercept for point in points]),
            objective=np.array([point.objective for point in points]),
            kkt=np.array([point.kkt for point in points]),
            converged=np.array([point.converged for point in points], dtype=np.uint8),
        )

    @classmethod
    def joined(cls, parts: Sequence[Fits]) -> Fits:
        """Put solutions one after the other."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    @classmethod
    def picked(cls, tracks: Sequence[Fits], chosen: NDArray[np.int64]) -> Fits:
        """Return at each place the solution of the chosen track."""
        singles = [track.single() for track in tracks]
        return cls.joined([singles[track][place] for place, track in enumerate(chosen)])

    def reversed(self) -> Fits:
        """Return the solutions, last first."""
        return self if self.sizes.size == 0 else Fits.joined(self.single()[::-1])

    def single(self) -> list[Fits]:
        """Return each solution by itself."""
        ends = np.cumsum(self.sizes)
        parts = []
        for place, (size, end) in enumerate(zip(self.sizes, ends, strict=True)):
            part, one = slice(end - size, end), slice(place, place + 1)
            parts.append(
                Fits(
                    self.sizes[one],
                    self.columns[part],
                    self.values[part],
                    self.intercepts[one],
                    self.objective[one],
                    self.kkt[one],
                    self.converged[one],
                )
            )
        return parts

    def each(self) -> Iterator[tuple[NDArray[np.int64], Floats, float]]:
        """Yield columns, values and intercept of each solution."""
        ends = np.cumsum(self.sizes).tolist()
        for size, end, intercept in zip(self.sizes.tolist(), ends, self.intercepts, strict=True):
            yield self.columns[end - size : end], self.values[end - size : end], float(intercept)


def columns_of(X: Any) -> _core.Columns:
    """Hand validated X to the core; nothing is copied."""
    if sparse.issparse(X):
        return _core.csc(X.data, X.indices, X.indptr, X.shape[0])
    return _core.dense(X)


def core_penalty(penalty: Penalty) -> _core.Penalty:
    """Give the core a penalty: its own version of a built-in, or calls back to Python."""
    spec = getattr(penalty, "core_spec", None)
    return (
        _core.python_penalty(Watched(penalty)) if spec is None else _core.builtin_penalty(*spec())
    )


def check_range(design: _core.Design, data: Checked) -> None:
    """Refuse a measured X that is not finite or overflows when squared; warn if that underflows."""

    def called(j: int) -> str:
        return f"{j}" if data.feature_names is None else f"{j} ({data.feature_names[j]!r})"

    large = np.asarray(design.too_large, dtype=np.int64)
    small = np.asarray(design.too_small, dtype=np.int64)
    if large.size:
        check_finite_X(data.X, data.feature_names)
        raise ValueError(
            f"X: column {called(large[0])} holds numbers so large that their squares "
            "leave the range of double precision; divide it by a power of ten."
        )
    if small.size == 0:
        return
    if not design.usable:
        raise ValueError(
            f"X: column {called(small[0])} and every other that is not zero hold numbers so small "
            "that their squares leave the range of double precision; multiply X by a power of ten."
        )
    warnings.warn(
        f"X: {small.size} column(s), first {called(small[0])}, hold numbers so small that their "
        "squares leave the range of double precision; they count as zero. Multiply them by a "
        "power of ten if they matter.",
        UserWarning,
        stacklevel=4,
    )


class Problem:
    """Validated data and constraints; every solver made here reads the same columns of X.

    Folds, subsamples and shapes differ in sample weights or penalty only, so none of them copies
    X. Pickling (for worker processes) leaves the columns behind; they are found again in place.

    Parameters
    ----------
    data : Checked
    fit_intercept, positive : bool
    n_jobs : int or None
        Threads of one solver's passes over X, counted as joblib counts them.
    shadow : bool
        Whether solvers may build the 8-bit shadow of a dense X.
    """

    def __init__(
        self,
        data: Checked,
        *,
        fit_intercept: bool = True,
        positive: bool = False,
        n_jobs: int | None = None,
        shadow: bool = True,
    ) -> None:
        self.data = data
        self.n_jobs = n_jobs
        self.shadow = bool(shadow)
        self.fit_intercept = bool(fit_intercept)
        self.positive = bool(positive)
        self.n_samples, self.n_features = data.X.shape
        self._columns: _core.Columns | None = None

    def solver(
        self,
        penalty: Penalty,
        sample_weight: Floats | None = None,
        *,
        max_time: float = math.inf,
        n_alphas: int = 1,
    ) -> Solver:
        """Make a solver at w = 0, with other sample weights than the data's if given."""
        if self._columns is None:
            self._columns = columns_of(self.data.X)
        data = (
            self.data if sample_weight is None else self.data._replace(sample_weight=sample_weight)
        )
        return Solver(
            data,
            penalty,
            fit_intercept=self.fit_intercept,
            positive=self.positive,
            n_jobs=self.n_jobs,
            shadow=self.shadow,
            columns=self._columns,
            max_time=max_time,
            n_alphas=n_alphas,
        )

    def projected(self, coef: Floats) -> Floats:
        """Return coefficients that obey the constraints: signs, and features left out."""
        if self.positive:
            coef = np.maximum(coef, 0.0)
        if self.data.weights is not None:
            coef = np.where(np.isinf(self.data.weights), 0.0, coef)
        return coef

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_columns": None}


# A path of so many alphas reads X often enough for a shadow, whatever the data.
_MANY = 20
# How exactly the lasso that a solve starts from is solved, relative to its level: a start from it
# and from the exact one end in the same point on 99.9 % of random problems.
_START_TOL = 3e-3


def _normalised(sample_weight: Floats) -> Floats:
    """Return weights that sum to one, however large they are."""
    scaled = sample_weight / sample_weight.max()
    return np.asarray(scaled / math.fsum(scaled))


class Solver:
    """Everything that carries over from one alpha to the next.

    The core holds the working set, its Gram matrix and factor, the current point and a bound of
    every feature's correlation; each call of :meth:`solve` starts from there.

    Parameters
    ----------
    data : Checked
    penalty : Penalty
        A checked penalty.
    fit_intercept, positive : bool
    prox_weight : float
        Weight of the proximal term that [RGS19] adds to each surrogate; 0 switches it off.
    n_jobs : int or None
        Threads for the passes over X; the result is the same, bit for bit, for any number.
    shadow : bool
        Whether the 8-bit shadow of a dense X may be built.
    columns : Columns, optional
        The columns of ``data.X``, when they have been prepared already.
    max_time : float
        Seconds for the fit of the unpenalised features; what is left of it when they are up is no
        stationary point, and its certificates say so.
    n_alphas : int
        How many alphas are about to be solved: for many, the shadow (unless columns are short) is
        built in the first pass over X instead of in a pass of its own once it is sure to pay.
    """

    def __init__(
        self,
        data: Checked,
        penalty: Penalty,
        *,
        fit_intercept: bool = True,
        positive: bool = False,
        prox_weight: float = 0.0,
        n_jobs: int | None = None,
        shadow: bool = True,
        columns: _core.Columns | None = None,
        max_time: float = math.inf,
        n_alphas: int = 1,
    ) -> None:
        n_samples, self.n_features = data.X.shape
        self._made_of: dict[str, Any] = {
            "data": data,
            "fit_intercept": fit_intercept,
            "positive": positive,
            "prox_weight": prox_weight,
            "n_jobs": n_jobs,
            "shadow": shadow,
            "max_time": max_time,
            "n_alphas": n_alphas,
        }
        omega = (
            np.full(n_samples, 1.0 / n_samples)
            if data.sample_weight is None
            else _normalised(data.sample_weight)
        )
        self.penalty = penalty
        self._weights = data.weights
        self._positive = positive
        self._columns = columns = columns_of(data.X) if columns is None else columns
        self._flag: _core.Flag | None = None
        threads = count_jobs(n_jobs)
        self._design = _core.Design(
            columns, omega, fit_intercept, threads, shadow, n_alphas >= _MANY
        )
        self._core = _core.solver(
            self._design,
            data.y,
            core_penalty(penalty),
            data.weights,
            positive,
            prox_weight,
            max_time,
        )
        check_range(self._design, data)
        self.null_deviance: float = self._core.null_deviance
        #: Passes over X that points handed out account for.
        self.accounted = 0.0

    def again(self, max_time: float = math.inf) -> Solver:
        """Return another solver for the same problem, at w = 0."""
        made_of = self._made_of | {"max_time": max_time}
        other = Solver(penalty=self.penalty, columns=self._columns, **made_of)
        if self._flag is not None:
            other.watch(self._flag)
        return other

    def penalised(self, columns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of the columns that the penalty sees."""
        return columns if self._weights is None else columns[self._weights[columns] > 0.0]

    def alpha_max(self) -> float:
        """Return the smallest alpha at which no penalised feature enters."""
        c = np.asarray(self._core.null_correlations, dtype=np.float64)
        return alpha_max_for(
            self.penalty, np.maximum(c, 0.0) if self._positive else c, self._weights
        )

    def largest_alpha(self) -> float:
        """Return where a path starts: alpha_max, or a natural scale when nothing correlates."""
        limit = np.array([self._core.correlation_limit])
        return self.alpha_max() or alpha_max_for(self.penalty, limit) or 1.0

    def warm_start(self, columns: NDArray[np.int64], values: Floats) -> None:
        """Continue from the given non-zero coefficients."""
        self._core.warm_start(columns, values)
        if not math.isfinite(self._core.deviance):
            raise ValueError(
                "start: the coefficients are so large that the squares of the residuals leave the "
                "range of double precision; divide them by a power of ten."
            )

    def clear(self) -> None:
        """Go back to w = 0; all that was computed stays."""
        self._core.warm_start(np.empty(0, dtype=np.int64), np.empty(0))

    def watch(self, flag: _core.Flag) -> None:
        """End every solve from now on as interrupted once another thread raises the flag."""
        self._flag = flag
        self._core.watch(flag)

    def set_penalty(self, penalty: Penalty) -> None:
        """Change the penalty (or its shape); the point and all that was computed stay."""
        self.penalty = penalty
        self._core.set_penalty(core_penalty(penalty))

    def follow(self, alphas: Floats, tol: float, max_iter: int, *, lasso: float = 0.0) -> Fits:
        """Solve for each alpha in turn without the account that :meth:`solve` gives of it.

        Shorter than ``alphas`` only after the flag that it watches was raised.
        """
        alphas = np.ascontiguousarray(alphas)
        return Fits(*self._core.follow(alphas, tol, max_iter, lasso, _START_TOL))

    def solve(
        self,
        alpha: float,
        tol: float,
        max_iter: int,
        max_time: float = math.inf,
        *,
        convexity: bool = True,
        lasso: float = 0.0,
        start: str = "previous",
    ) -> Point:
        """Solve for one alpha, starting from the current point.

        With ``lasso``, a fraction of the slope at zero, from the lasso of that level instead.
        Without ``convexity`` the point's ``convex`` is False, unexamined. ``start`` is what the
        point is to say of where it began.
        """
        result = self._core.solve(
            alpha,
            tol,
            max_iter,
            max_time,
            test_convexity=convexity,
            fraction=lasso,
            start_tol=_START_TOL,
        )
        columns, values, intercept = self._core.solution()
        before, self.accounted = self.accounted, self._design.passes
        return Point(
            alpha=alpha,
            columns=columns,
            values=values,
            intercept=intercept,
            objective=result.objective,
            kkt=result.kkt,
            dual_gap=result.dual_gap,
            n_iter=result.n_iter,
            status=result.status.name,
            convex=result.convex,
            passes=self.accounted - before,
            settled_by_bound=result.by_bound,
            settled_by_reading=result.by_reading,
            settled_by_shadow=result.by_shadow,
            r2=1.0 - result.deviance / self.null_deviance if self.null_deviance else 0.0,
            start=start,
        )
