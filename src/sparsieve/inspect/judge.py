r"""The judge: objective and stationarity of any coefficients, recomputed from the data alone.

Plain NumPy in float64 that never calls the compiled core, so that a certificate of the core can be
checked by something that shares no code with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.design import Design
from ..data.extended import ExtendedSum
from ..data.kinds import check_flag
from ..data.names import feature_names
from ..data.sample_weights import normalised
from ..data.scalars import check_number
from ..data.sparse_checks import without_storage
from ..data.terms import Terms, check_terms
from ..data.types import Floats
from ..data.validation import (
    check_finite_vector,
    check_finite_X,
    check_offset,
    check_sample_weight,
    check_weights,
)
from ..losses import BuiltInLoss, Loss, is_squared, null_shift, resolve_loss
from ..penalties import Penalty, resolve_penalty

__all__ = ["kkt_violation", "objective"]


def objective(  # noqa: PLR0913 - the options of a public function, by keyword
    X: Any,
    y: ArrayLike,
    coef: Any,
    intercept: float = 0.0,
    *,
    penalty: str | Penalty,
    alpha: float,
    sample_weight: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    standardize: bool = False,
    l1_ratio: float = 1.0,
    ridge: float = 0.0,
    bounds: Any = None,
    loss: str | Loss = "squared",
    offset: ArrayLike | None = None,
) -> float:
    r"""Return the penalised objective at given coefficients.

    .. math::
        \sum_i \Omega_i f(o_i + b + x_i^\top w; y_i)
        + \sum_j \Big[ r(|v_j|;\, \alpha \lambda \pi_j)
        + \frac{\alpha (1 - \lambda) \pi_j + \rho}{2} v_j^2 \Big],
        \qquad \Omega_i = \omega_i / \sum_k \omega_k

    where :math:`v_j` is :math:`w_j`, or :math:`s_j w_j` with ``standardize=True``: :math:`s_j` is
    the weighted standard deviation of column j, 1 for a constant one. For squares
    :math:`f = (y_i - \eta_i)^2/2`: without sample weights the first term is 1/(2 n_samples) times
    the residual sum of squares.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Never densified, and never copied as a whole.
    y : array-like of shape (n_samples,)
    coef : array or sparse matrix with n_features entries
        The coefficients :math:`w`.
    intercept : float, default=0.0
        The intercept :math:`b`; an array of one number will do.
    penalty : str or Penalty
        The penalty :math:`r`.
    alpha : float
        Its strength, > 0.
    sample_weight : array-like of shape (n_samples,), default=None
        The :math:`\omega`; None means 1.
    weights : array-like of shape (n_features,), default=None
        The :math:`\pi`; None means 1, 0 is unpenalised, inf excluded.
    standardize : bool, default=False
        Whether coefficients are penalised in units of the standardised columns. They are given in
        the units of X either way.
    l1_ratio : float, default=1.0
        The :math:`\lambda` in (0, 1].
    ridge : float, default=0.0
        The :math:`\rho`.
    bounds : pair (lower, upper), default=None
        Where the coefficients may be, in the units of X: each side None, a number, one number per
        column, or a mapping from column names to numbers.
    loss : str or Loss, default="squared"
        The loss :math:`f`: "squared", "logistic", "poisson", "negative_binomial", "huber", or an
        object.
    offset : array-like of shape (n_samples,), default=None
        The :math:`o`, added to the linear predictor.

    Returns
    -------
    float
        inf if an excluded feature has a non-zero coefficient, a coefficient is out of bounds, or an
        exponential overflows.

    Examples
    --------
    >>> import sparsieve as sv
    >>> sv.objective([[1.0], [3.0]], [1.0, 2.0], [0.5], penalty="l1", alpha=0.1)
    0.175
    """
    with np.errstate(over="ignore", invalid="ignore"):  # beyond the range the answer is inf
        options = Options(standardize, l1_ratio, ridge, bounds, loss=loss, offset=offset)
        given = Given(X, y, coef, intercept, penalty, alpha, sample_weight, weights, options)
        problem = given.problem()
    if problem.infeasible():
        return float("inf")
    penalised = problem.penalised
    abs_v = np.abs(problem.v)
    cost = problem.penalty.value(abs_v[penalised], problem.feature_alpha[penalised])
    with np.errstate(over="ignore", invalid="ignore"):
        fit = problem.mean_loss()
        fit += 0.5 * np.sum(problem.ridges * abs_v**2)
    return at_most_inf(fit + np.sum(np.asarray(cost, dtype=np.float64)))


def kkt_violation(  # noqa: PLR0913 - the options of a public function, by keyword
    X: Any,
    y: ArrayLike,
    coef: Any,
    intercept: float = 0.0,
    *,
    penalty: str | Penalty,
    alpha: float,
    sample_weight: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    positive: bool = False,
    fit_intercept: bool = False,
    standardize: bool = False,
    l1_ratio: float = 1.0,
    ridge: float = 0.0,
    bounds: Any = None,
    loss: str | Loss = "squared",
    offset: ArrayLike | None = None,
) -> float:
    r"""Return how far given coefficients are from a critical point, as a fraction of the penalty.

    With the penalised coefficients :math:`v_j = s_j w_j` (:math:`s_j = 1` unless
    ``standardize=True``) and their ridges :math:`\rho_j = \alpha (1 - \lambda) \pi_j + \rho`,
    with :math:`c_j = x_j^\top \Omega u / s_j - \rho_j v_j`, the residuals :math:`u_i = -f'(o_i + b
    + x_i^\top w; y_i)` (:math:`y - b - Xw` for squares),
    :math:`\Omega_i = \omega_i / \sum_k \omega_k` and the slope :math:`r'` of the penalty, the
    number returned is

    .. math::
        \max_j \frac{e_j}{r'(0; \alpha\lambda)}, \qquad
        e_j = \begin{cases} \max(0, |c_j| - r'(0; \alpha\lambda\pi_j)) & w_j = 0 \\
        |c_j - r'(|v_j|; \alpha\lambda\pi_j) \operatorname{sign}(v_j)| & w_j \ne 0 \end{cases}

    but where a bound is in the way: a zero violates only in the directions it may go, and a
    coefficient at a bound only when it is pushed inwards.

    Zero means that w is a critical point of :func:`objective` for this intercept; an estimator has
    converged when the number is at most its ``tol``. It does not change with the units of X or y.

    Parameters
    ----------
    X, y, coef, intercept, penalty, alpha, sample_weight, weights
    standardize, l1_ratio, ridge, bounds, loss, offset
        As in :func:`objective`.
    positive : bool, default=False
        Judge the problem with the constraint w >= 0: a zero coefficient violates only if
        :math:`c_j > r'(0)`, and a negative one makes the result inf.
    fit_intercept : bool, default=False
        Judge the problem whose intercept is fitted: the coefficients with the best intercept for
        them, and beside them the intercept that is given, as an unpenalised feature of ones.

    Returns
    -------
    float
        inf if an excluded feature (weight inf) has a non-zero coefficient; it adds nothing else.
        inf if a coefficient is out of bounds.

    Notes
    -----
    A feature of weight 0 is unpenalised, its violation is :math:`|c_j|`. The intercept's own
    condition, :math:`\sum_i \Omega_i u_i = 0`, counts with
    ``fit_intercept=True`` only: else this function cannot know whether it was fitted or fixed.

    Linear predictors are computed with about 32 digits, and columns are taken about one of their
    entries. An intercept is a double: what half a unit in its last place moves a correlation by is
    no violation.

    Examples
    --------
    >>> import sparsieve as sv
    >>> sv.kkt_violation([[1.0], [3.0]], [1.0, 2.0], [0.0], penalty="l1", alpha=3.5)
    0.0
    """
    options = Options(standardize, l1_ratio, ridge, bounds, positive, fit_intercept, loss, offset)
    given = Given(X, y, coef, intercept, penalty, alpha, sample_weight, weights, options)
    with np.errstate(over="ignore", invalid="ignore"):  # beyond the range the answer is inf
        problem = given.problem()
        if problem.infeasible():
            return float("inf")
        correlation, allowed, intercept_violation = _correlations(problem)
        correlation = correlation / problem.scales - problem.ridges * problem.v
        allowed = allowed / problem.scales
    slope = np.zeros_like(problem.v)
    slope[problem.penalised] = problem.penalty.slope(
        np.abs(problem.v[problem.penalised]), problem.feature_alpha[problem.penalised]
    )
    with np.errstate(invalid="ignore"):
        violation = np.where(
            problem.w == 0,
            np.maximum(problem.terms.outward(correlation) - slope, 0.0),
            np.abs(problem.terms.inward(problem.w, correlation - slope * np.sign(problem.w))),
        )
        violation = np.maximum(violation - allowed, 0.0)
    violation[problem.excluded] = 0.0
    strength = problem.terms.strength(problem.alpha)
    level = np.asarray(problem.penalty.slope(np.zeros(1), strength), dtype=np.float64)[0]
    return at_most_inf(max(np.max(violation), intercept_violation) / level)


def _correlations(problem: Problem) -> tuple[Floats, Floats, float]:
    """Return X'Omega r, the rounding of the intercept in it, and the intercept's own violation.

    An intercept that is given is a double: it may be off by half a unit in its last place, which
    moves X'Omega r by that times X'Omega 1. One that is to be fitted is replaced by the best; how
    far the given one is from it, beyond that half unit, is a violation of its own.
    """
    design, omega, residual = problem.design, problem.omega, problem.residual
    heaviest = int(np.argmax(omega))
    shift = problem.intercept
    half_unit = 0.5 * float(np.spacing(abs(shift))) if shift else 0.0
    if not is_squared(problem.loss):
        return _generalised(problem, heaviest, half_unit)
    if not problem.fit_intercept:
        correlation = design.correlations_about(heaviest, omega * residual)
        return correlation, half_unit * np.abs(design.correlations(omega)), 0.0
    best, off = ExtendedSum(residual), 0.0
    for _ in range(2):  # the second mean is what rounding left of the first
        mean = math.fsum(omega * best.value()) / math.fsum(omega)
        off += mean
        best.add(-mean)
    centred = design.correlations_about(heaviest, omega * best.value(), omega / math.fsum(omega))
    return centred, np.zeros_like(centred), max(abs(off) - half_unit, 0.0)


def _generalised(problem: Problem, heaviest: int, half_unit: float) -> tuple[Floats, Floats, float]:
    """Return the same for a loss whose residuals are no straight lines in the intercept."""
    design, omega, eta = problem.design, problem.omega, problem.eta
    # A row of weight zero says nothing, even where it overflows.
    eta = np.where(omega > 0.0, eta, 0.0)
    bend = omega * problem.loss.curvature(eta, problem.y)
    v = -omega * problem.loss.gradient(eta, problem.y)
    if not problem.fit_intercept:
        moved = half_unit * np.abs(design.correlations(bend))
        return design.correlations_about(heaviest, v), moved, 0.0
    own = max(abs(math.fsum(v)) - half_unit * math.fsum(bend), 0.0)
    best = null_shift(problem.loss, problem.y, omega, eta)
    if math.isfinite(best):  # else there is no best intercept, and the one that is given is judged
        v = -omega * problem.loss.gradient(eta + best, problem.y)
    correlation = design.correlations_about(heaviest, v, omega / math.fsum(omega))
    return correlation, np.zeros_like(correlation), own


def at_most_inf(number: Any) -> float:
    """Return a number; what overflowed so that it is none becomes inf."""
    return float("inf") if np.isnan(number) else float(number)


class Problem(NamedTuple):
    """A problem and a point of it in float64, checked.

    ``residual`` is minus the derivative of the loss at the linear predictor ``eta``. ``v`` are the
    coefficients in the units of the penalty, w times ``scales``; the penalty sees them with the
    strengths ``feature_alpha``, beside ``ridges``. Both are 0 for excluded features.
    """

    design: Design
    residual: Floats
    omega: Floats
    w: Floats
    v: Floats
    scales: Floats
    weights: Floats
    feature_alpha: Floats
    ridges: Floats
    penalty: Penalty
    alpha: float
    intercept: float
    terms: Terms
    fit_intercept: bool
    loss: BuiltInLoss
    eta: Floats
    y: Floats

    def mean_loss(self) -> float:
        """Return what the objective is without the penalty."""
        if is_squared(self.loss):
            return float(0.5 * np.sum(self.omega * self.residual**2))
        used = self.omega > 0.0  # a row of weight zero says nothing, even where it overflows
        return float(self.omega[used] @ self.loss.value(self.eta[used], self.y[used]))

    @property
    def excluded(self) -> NDArray[np.bool_]:
        """Which features must be zero."""
        return np.isinf(self.weights)

    @property
    def penalised(self) -> NDArray[np.bool_]:
        """Which features the penalty sees."""
        return self.feature_alpha > 0.0

    def infeasible(self) -> bool:
        """Tell whether the objective at the point is inf: excluded, or out of bounds."""
        return bool(np.any(self.w[self.excluded])) or not self.terms.obeyed_by(self.w)


class Options(NamedTuple):
    """What a judge is told of a problem beside data and penalty, as it was passed."""

    standardize: Any
    l1_ratio: Any
    ridge: Any
    bounds: Any
    positive: Any = False
    fit_intercept: Any = False
    loss: Any = "squared"
    offset: Any = None

    def terms(self, X: Any, n_features: int) -> Terms:
        """Check all but the intercept; X is asked for the names of its columns."""
        by_names = self.bounds is not None  # nothing else needs them
        return check_terms(
            n_features,
            feature_names(X) if by_names else None,
            positive=self.positive,
            standardize=check_flag("standardize", self.standardize),
            l1_ratio=self.l1_ratio,
            ridge=self.ridge,
            bounds=self.bounds,
        )


class Given(NamedTuple):
    """The arguments of a judge, as they were passed."""

    X: Any
    y: ArrayLike
    coef: Any
    intercept: float
    penalty: str | Penalty
    alpha: float
    sample_weight: ArrayLike | None
    weights: ArrayLike | None
    options: Options

    def problem(self) -> Problem:
        """Turn the arguments into float64 arrays, checking that lengths agree."""
        fit_intercept = check_flag("fit_intercept", self.options.fit_intercept)
        design = Design.of(self.X)
        if len(design.shape) != 2 or 0 in design.shape or design.dtype.kind not in "biuf":
            raise ValueError(
                f"X has shape {design.shape} and type {design.dtype}; pass a matrix of numbers "
                "with at least one row and one column."
            )
        n_samples, n_features = design.shape
        w = _vector("coef", self.coef)
        target = _vector("y", self.y)
        if w.size != n_features or target.size != n_samples:
            raise ValueError(
                f"X has shape {(n_samples, n_features)}, coef {w.size} entries, y {target.size}; "
                "pass one coefficient per column and one response per row of X."
            )
        omega = normalised(check_sample_weight(self.sample_weight, n_samples), n_samples)
        named = isinstance(self.weights, Mapping)
        names = feature_names(self.X) if named else None
        pi = check_weights(self.weights, n_features, names)
        pi = np.ones(n_features) if pi is None else pi
        check_finite_X(design.X)
        given: Any = self.intercept
        given = given.item() if isinstance(given, np.ndarray) and given.size == 1 else given
        shift = check_number("intercept", given, low=-np.inf, remedy="pass 0.0 if there is none")
        terms = self.options.terms(self.X, n_features)
        alpha = check_number("alpha", self.alpha, remedy="use a strength > 0")
        scales = np.ones(n_features)
        if terms.standardize:
            spreads = design.spreads(omega)
            scales = np.where(spreads > 0.0, spreads, 1.0)
        loss = resolve_loss(self.options.loss)
        loss.check_y(target)
        offset = check_offset(self.options.offset, n_samples)
        eta, residual = _predictor(loss, design, target, shift, w, offset)
        return Problem(
            design=design,
            residual=residual,
            omega=omega,
            w=w,
            v=w * scales,
            scales=scales,
            weights=pi,
            feature_alpha=terms.strength(alpha) * np.where(np.isinf(pi), 0.0, pi),
            ridges=terms.ridges(alpha, pi),
            penalty=resolve_penalty(self.penalty),
            alpha=alpha,
            intercept=shift,
            terms=terms,
            fit_intercept=fit_intercept,
            loss=loss,
            eta=eta,
            y=target,
        )


def _predictor(
    loss: BuiltInLoss, design: Design, y: Floats, shift: float, w: Floats, offset: Floats | None
) -> tuple[Floats, Floats]:
    """Return linear predictor and residual of every row."""
    support = np.flatnonzero(w)
    if is_squared(loss):
        residual = ExtendedSum(y)
        if offset is not None:
            residual.add(-offset)
        left = design.exact_residual(residual, shift, support, w[support])
        return y - left, left
    start = np.zeros_like(y) if offset is None else -offset
    eta = -design.exact_residual(start, shift, support, w[support])
    return eta, -loss.gradient(eta, y)


def _vector(name: str, numbers: Any) -> Floats:
    """Return coef or y as a float64 vector of finite numbers."""
    try:
        vector = np.asarray(without_storage(numbers), dtype=np.float64).ravel()
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"{name} cannot be converted to an array of numbers: {error}; pass one number each."
        ) from error
    check_finite_vector(name, vector, "replace it by a finite number")
    return vector
