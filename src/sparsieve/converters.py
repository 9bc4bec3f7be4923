r"""The same problem in other libraries' parameters, and back.

sparsieve minimises

.. math::
    \frac{1}{2n} \sum_i (y_i - b - x_i^\top w)^2 + \sum_j \Big[ r(|w_j|; \alpha \lambda \pi_j)
    + \frac{\alpha (1 - \lambda) \pi_j + \rho}{2} w_j^2 \Big]

with the l1 ratio :math:`\lambda` and the ridge :math:`\rho`, on the columns as they are, or in
units of their standard deviations with ``standardize=True``. scikit-learn and skglm take columns
as they are, ncvreg standardises, glmnet too unless told otherwise. The paper drops the 1/n.
"""

# This module alone asks for the class of a penalty. Names and scales of other packages are no facts
# of our penalties, and only a penalty with exactly these formulas has a counterpart there.

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model import ElasticNet, ElasticNetCV, Lasso, LassoCV

from .data.names import by_name
from .data.terms import Terms, check_terms
from .data.validation import check_integer, check_number, check_weights
from .estimators.regressor import SparseRegressor
from .penalties import L1, MCP, SCAD, CappedL1, LogSum, Penalty, resolve_penalty

__all__ = [
    "Settings",
    "from_glmnet",
    "from_ncvreg",
    "from_paper",
    "from_skglm",
    "from_sklearn",
    "to_glmnet",
    "to_ncvreg",
    "to_paper",
    "to_skglm",
    "to_sklearn",
]


class _Triple(NamedTuple):
    penalty: Penalty
    alpha: float
    weights: NDArray[np.float64] | None = None


class Settings(_Triple):
    """A penalty, its strength, and weights per feature, as sparsieve takes them.

    Attributes
    ----------
    penalty : Penalty
    alpha : float
    weights : ndarray of shape (n_features,) or None
    options : dict
        What else the problem says, as keywords of :func:`~sparsieve.sparse_path` and the
        estimators: ``standardize``, ``l1_ratio``, ``bounds``.
    """

    options: dict[str, Any]

    def __new__(
        cls, penalty: Penalty, alpha: float, weights: Any = None, **options: Any
    ) -> Settings:
        """Make settings; unpacked they are three."""
        made = super().__new__(cls, penalty, alpha, weights)
        made.options = options
        return made

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, options={self.options})"

    def regressor(self, **more: Any) -> SparseRegressor:
        """Return a regressor (not fitted) with these settings and more keywords."""
        return SparseRegressor(
            self.penalty, self.alpha, **{"weights": self.weights, **self.options, **more}
        )


class _Stated(NamedTuple):
    """The problem of settings or of a regressor, checked."""

    penalty: Any
    alpha: float
    weights: NDArray[np.float64] | None
    terms: Terms

    def elastic(self, y_scale: float = 1.0) -> tuple[float, float]:
        """Return strength and l1 ratio of an elastic net that has no other ridge.

        ``y_scale`` is for those who divide y by it first: their ridge is so much weaker.
        """
        if self.weights is not None and self.terms.ridge > 0.0:
            raise ValueError(
                "elsewhere a ridge is multiplied by the features' weights, and ridge= is not; use "
                "l1_ratio= instead, or weights=None."
            )
        if not self.terms.ridged:
            return self.alpha, 1.0
        first = self.terms.strength(self.alpha)
        second = y_scale * (self.alpha * (1.0 - self.terms.l1_ratio) + self.terms.ridge)
        return first + second, first / (first + second)

    def positive(self, package: str) -> bool:
        """Return whether coefficients are >= 0, for a package that knows no other option."""
        if self.terms.standardize:
            raise ValueError(
                f"{package} does not standardise; use standardize=False, and columns divided by "
                "their standard deviations (StandardScaler)."
            )
        if self.terms.bounded and not self.terms.positive:
            raise ValueError(
                f"{package} bounds no coefficients but their sign; use positive=True or no bounds."
            )
        return self.terms.positive


_TERMS = ("positive", "standardize", "l1_ratio", "ridge", "bounds")


def _stated(model: Any) -> _Stated:
    """Return the problem of settings or of a regressor, with what it chose if it chooses."""
    names = getattr(model, "feature_names_in_", None)
    alpha = getattr(model, "alpha_", getattr(model, "alpha", None))
    if alpha is None:
        kind = type(model).__name__
        raise ValueError(f"this {kind} is not fitted, so it has chosen no alpha; call its fit.")
    penalty = resolve_penalty(getattr(model, "penalty_", model.penalty))
    weights = by_name("weights", model.weights, names, 1.0)
    weights = None if weights is None else _factors(weights)
    options = getattr(model, "options", None)  # of settings
    if options is None:  # what a cross-validation chose before what it chose from
        options = {name: getattr(model, f"{name}_", getattr(model, name)) for name in _TERMS}
    sides = [side for side in options.get("bounds") or () if np.ndim(side) == 1]
    n_features = len(next((x for x in (names, weights, *sides) if x is not None), [1]))
    return _Stated(penalty, float(alpha), weights, check_terms(n_features, names, **options))


def _ratio(name: str, value: Any) -> float:
    remedy = f"a ridge alone selects nothing; use {name}=1 for no ridge"
    return check_number(name, value, high=1.0, closed="high", remedy=remedy)


# --------------------------------------------------------------------------- the paper


def from_paper(penalty: str, lam: float, theta: float | None = None, *, n_samples: int) -> Settings:
    r"""Convert from the scale of [RGS19].

    .. math:: \frac12 \|y - Xw\|^2 + \sum_j r_{\lambda,\theta}(|w_j|)

    Dividing by n: :math:`\alpha = \lambda/n`; log-sum and capped l1 keep :math:`\theta`; MCP has
    :math:`\gamma = n\theta`. SCAD ties its slope to its breakpoints, so no alpha does the same;
    it is the same problem only for data divided by :math:`\sqrt n`.

    Parameters
    ----------
    penalty : {"l1", "logsum", "mcp", "capped_l1"}
        Or another spelling of these, as everywhere.
    lam, theta : float
    n_samples : int

    Returns
    -------
    Settings

    Examples
    --------
    >>> from sparsieve.converters import from_paper
    >>> from_paper("mcp", lam=50.0, theta=0.03, n_samples=100)[:2]
    (MCP(), 0.5)
    """
    lam = check_number("lam", lam, remedy="use lam > 0")
    n = check_integer("n_samples", n_samples, low=1, remedy="pass the number of rows")
    kind = type(resolve_penalty(penalty))
    if kind is L1:
        return Settings(L1(), lam / n)
    if kind not in (LogSum, MCP, CappedL1):
        raise ValueError(
            f"penalty={penalty!r} has no equivalent here; use 'l1', 'logsum', 'mcp' or 'capped_l1' "
            "(for 'scad', divide X and y by sqrt(n) in the paper's program: then alpha = lam and "
            "gamma = theta)."
        )
    theta = check_number("theta", theta, remedy="pass the paper's theta > 0")
    if kind is MCP:
        return Settings(MCP(gamma=theta * n), lam / n)
    return Settings(LogSum(theta) if kind is LogSum else CappedL1(theta), lam / n)


def to_paper(penalty: str | Penalty, alpha: float, *, n_samples: int) -> dict[str, Any]:
    """Convert to [RGS19]: the inverse of :func:`from_paper`.

    Returns
    -------
    dict
        ``penalty``, ``lam`` and ``theta`` (None for l1).
    """
    penalty = resolve_penalty(penalty)
    alpha = check_number("alpha", alpha, remedy="use alpha > 0")
    n = check_integer("n_samples", n_samples, low=1, remedy="pass the number of rows")
    names: dict[type, str] = {L1: "l1", MCP: "mcp", LogSum: "logsum", CappedL1: "capped_l1"}
    kind = type(penalty)
    if kind not in names:
        raise ValueError(
            f"{kind.__name__} has no equivalent in the paper's scale; use l1, logsum, mcp or "
            "capped_l1 (for scad, divide X and y by sqrt(n): then lam = alpha and theta = gamma)."
        )
    known: Any = penalty
    theta = known.gamma / n if kind is MCP else getattr(known, "theta", None)
    return {"penalty": names[kind], "lam": alpha * n, "theta": theta}


# --------------------------------------------------------------------------- scikit-learn


def from_sklearn(estimator: Any) -> SparseRegressor:
    """Convert a scikit-learn Lasso or ElasticNet (or LassoCV, ElasticNetCV, fitted).

    Returns
    -------
    SparseRegressor
        Not fitted; ``tol`` means another thing here and keeps its default.
    """
    # The multi-task ones are kinds of Lasso too, but know no sign.
    kinds = Lasso | LassoCV | ElasticNet | ElasticNetCV
    if not (isinstance(estimator, kinds) and hasattr(estimator, "positive")):
        raise TypeError(
            f"{type(estimator).__name__} has no equivalent here; pass a Lasso, an ElasticNet, or a "
            "fitted LassoCV or ElasticNetCV."
        )
    if isinstance(estimator, LassoCV | ElasticNetCV) and not hasattr(estimator, "alpha_"):
        kind = type(estimator).__name__
        raise ValueError(f"this {kind} is not fitted, so it has no alpha; call its fit first.")
    ratio = getattr(estimator, "l1_ratio_", getattr(estimator, "l1_ratio", 1.0))
    return SparseRegressor(
        "l1",
        alpha=float(getattr(estimator, "alpha_", None) or estimator.alpha),
        fit_intercept=estimator.fit_intercept,
        positive=estimator.positive,
        standardize=False,
        l1_ratio=_ratio("l1_ratio", ratio),
    )


def to_sklearn(model: Any) -> Any:
    """Convert a regressor with the l1 penalty to a scikit-learn Lasso or ElasticNet (not fitted).

    One that chooses (:class:`SparseRegressorCV`, :class:`SparseRegressorIC`) must be fitted.
    """
    stated = _stated(model)
    if type(stated.penalty) is not L1 or stated.weights is not None:
        raise ValueError(
            "scikit-learn has only the lasso, without weights per feature; use penalty='l1' and "
            "weights=None."
        )
    alpha, ratio = stated.elastic()
    shared = {"fit_intercept": model.fit_intercept, "positive": stated.positive("scikit-learn")}
    if ratio == 1.0:
        return Lasso(alpha=alpha, **shared)
    return ElasticNet(alpha=alpha, l1_ratio=ratio, **shared)


# --------------------------------------------------------------------------- skglm


def from_skglm(estimator: Any) -> SparseRegressor:
    """Convert a skglm Lasso, WeightedLasso, ElasticNet, MCPRegression, GeneralizedLinearEstimator.

    The weights of an MCP must be equal, but for zeros.

    Returns
    -------
    SparseRegressor
        Not fitted; ``tol`` means another thing here and keeps its default.
    """
    kind = type(estimator).__name__
    if kind == "GeneralizedLinearEstimator":
        settings = _from_skglm_penalty(estimator)
        positive = bool(getattr(estimator.penalty, "positive", False))
        intercept = getattr(estimator.solver, "fit_intercept", True)
    elif kind in ("Lasso", "WeightedLasso", "ElasticNet", "MCPRegression"):
        convert = _from_skglm_mcp if kind == "MCPRegression" else _from_skglm_l1
        settings = convert(estimator)
        positive, intercept = estimator.positive, estimator.fit_intercept
    else:
        raise TypeError(
            f"{kind} has no equivalent here; pass a Lasso, WeightedLasso, ElasticNet, "
            "MCPRegression or GeneralizedLinearEstimator of skglm."
        )
    return settings.regressor(
        standardize=False, fit_intercept=bool(intercept), positive=bool(positive)
    )


def _from_skglm_l1(source: Any) -> Settings:
    """Return the settings of an estimator or penalty of skglm by the names of its attributes."""
    weights = getattr(source, "weights", None)
    weights = None if weights is None else np.asarray(weights, dtype=np.float64)
    ratio = _ratio("l1_ratio", float(getattr(source, "l1_ratio", 1.0)))
    return Settings(L1(), float(source.alpha), weights, l1_ratio=ratio)


def _from_skglm_mcp(source: Any) -> Settings:
    r"""Return the settings of an MCP of skglm, whose weights multiply all of it.

    :math:`c` times the MCP of strength :math:`\alpha` and shape :math:`\gamma` is that of strength
    :math:`c \alpha` and shape :math:`\gamma / c`, so one shape does for equal weights only.
    """
    settings = _from_skglm_l1(source)
    weights, gamma = settings.weights, float(source.gamma)
    if weights is None:
        return Settings(MCP(gamma=gamma), settings.alpha)
    used = weights[weights > 0.0]
    if used.size == 0 or np.any(used != used[0]):
        raise ValueError(
            "skglm multiplies the whole MCP by a feature's weight, sparsieve its strength; use "
            "weights=None, or see 'Coming from skglm' in the guide."
        )
    scale = float(used[0])
    kept = np.where(weights > 0.0, 1.0, 0.0)
    return Settings(MCP(gamma=gamma / scale), settings.alpha * scale, kept)


def _from_skglm_penalty(estimator: Any) -> Settings:
    datafit, penalty = type(estimator.datafit).__name__, estimator.penalty
    if estimator.datafit is not None and datafit != "Quadratic":
        raise ValueError(f"datafit {datafit} is not supported; use skglm's Quadratic.")
    kind = type(penalty).__name__
    if kind in ("L1", "WeightedL1", "L1_plus_L2"):
        return _from_skglm_l1(penalty)
    if kind in ("MCPenalty", "WeightedMCPenalty"):
        return _from_skglm_mcp(penalty)
    if kind == "SCAD":
        return Settings(SCAD(gamma=float(penalty.gamma)), float(penalty.alpha))
    if kind == "LogSumPenalty":
        return Settings(LogSum(theta=float(penalty.eps)), float(penalty.alpha))
    raise ValueError(
        f"the penalty {kind} has no equivalent here; use L1, WeightedL1, L1_plus_L2, MCPenalty, "
        "SCAD or LogSumPenalty."
    )


def to_skglm(model: Any) -> Any:
    """Convert a regressor to a skglm GeneralizedLinearEstimator (not fitted; needs skglm).

    One that chooses (:class:`SparseRegressorCV`, :class:`SparseRegressorIC`) must be fitted.
    """
    try:
        from skglm import GeneralizedLinearEstimator
        from skglm import penalties as theirs
        from skglm.datafits import Quadratic
        from skglm.solvers import AndersonCD
    except ImportError as error:
        raise ImportError("to_skglm needs skglm: pip install skglm") from error
    stated = _stated(model)
    penalty, alpha, weights, terms = stated
    kind, positive, plain = type(penalty), stated.positive("skglm"), weights is None
    if terms.ridged and (kind is not L1 or not plain):
        raise ValueError(
            "skglm has a ridge beside l1 without weights only; use penalty='l1' and weights=None, "
            "or l1_ratio=1 and ridge=0."
        )
    if terms.ridged:
        made = theirs.L1_plus_L2(*stated.elastic(), positive=positive)
    elif kind is L1 and not plain:
        made = theirs.WeightedL1(alpha, weights, positive=positive)
    elif kind is L1:
        made = theirs.L1(alpha, positive=positive)
    elif kind is MCP and plain:
        made = theirs.MCPenalty(alpha, float(penalty.gamma), positive=positive)
    elif kind is SCAD and plain and not positive:
        made = theirs.SCAD(alpha, float(penalty.gamma))
    elif kind is LogSum and plain and not positive:
        made = theirs.LogSumPenalty(alpha, float(penalty.theta))
    else:
        raise ValueError(
            f"skglm has no {kind.__name__} with these weights and sign constraint; it has l1 (with "
            "weights), mcp, scad and logsum: use one of them."
        )
    # Log-sum needs the fixed-point distance: zero is critical for it by skglm's other measure.
    strategy = "fixpoint" if kind is LogSum else "subdiff"
    solver = AndersonCD(fit_intercept=bool(model.fit_intercept), ws_strategy=strategy, tol=1e-8)
    return GeneralizedLinearEstimator(Quadratic(), made, solver)


# --------------------------------------------------------------------------- ncvreg, glmnet


def from_ncvreg(
    penalty: str = "MCP",
    *,
    lam: float,
    gamma: float | None = None,
    alpha: float = 1.0,
    penalty_factor: ArrayLike | None = None,
) -> Settings:
    """Convert ``ncvreg(X, y, penalty, gamma, alpha, lambda, penalty.factor)``.

    ncvreg standardises, and so do the ``options`` of the settings. ``gamma`` defaults to 3 for MCP
    and 3.7 for SCAD, as in ncvreg.
    """
    lam = check_number("lam", lam, remedy="use lam > 0")
    options = {"standardize": True, "l1_ratio": _ratio("alpha", alpha)}
    weights = None if penalty_factor is None else _factors(penalty_factor)
    if penalty == "lasso":
        return Settings(L1(), lam, weights, **options)
    if penalty not in ("MCP", "SCAD"):
        raise ValueError(f"penalty={penalty!r} is not known; use 'MCP', 'SCAD' or 'lasso'.")
    kind: Any = MCP if penalty == "MCP" else SCAD
    made = kind() if gamma is None else kind(gamma=float(gamma))
    return Settings(resolve_penalty(made), lam, weights, **options)


def to_ncvreg(settings: Any) -> dict[str, Any]:
    """Convert settings, or a regressor, to arguments of ncvreg, for standardised columns."""
    stated = _stated(settings)
    penalty = stated.penalty
    names: dict[type, str] = {L1: "lasso", MCP: "MCP", SCAD: "SCAD"}
    if type(penalty) not in names:
        raise ValueError(
            f"ncvreg has no {type(penalty).__name__}; it has lasso, MCP and SCAD: use one of them."
        )
    if stated.terms.bounded:
        raise ValueError("ncvreg has no bounds; use positive=False and bounds=None.")
    lam, ratio = stated.elastic()
    arguments: dict[str, Any] = {"penalty": names[type(penalty)], "lambda": lam, "alpha": ratio}
    if type(penalty) is not L1:
        arguments["gamma"] = float(penalty.gamma)
    if stated.weights is not None:
        arguments["penalty.factor"] = np.asarray(stated.weights)
    return arguments


def from_glmnet(
    lam: float,
    *,
    penalty_factor: ArrayLike | None = None,
    alpha: float = 1.0,
    standardize: bool = True,
    lower_limits: ArrayLike = -np.inf,
    upper_limits: ArrayLike = np.inf,
    y_scale: float = 1.0,
) -> Settings:
    r"""Convert ``glmnet(X, y, alpha, lambda, penalty.factor, standardize, lower.limits, ...)``.

    glmnet rescales the penalty factors to sum to the number of features (counting inf, which
    excludes, as 1): :math:`\pi_j = f_j\, d / \sum_k f_k`. It divides y by its standard deviation
    (with 1/n) before it adds the ridge of an elastic net: where ``alpha`` is below 1 and y is not
    scaled like that, pass the standard deviation of y as ``y_scale``.

    Ratio, bounds and ``standardize`` are in the ``options`` of the settings.
    """
    lam = check_number("lam", lam, remedy="use lam > 0")
    share = _ratio("alpha", alpha)
    y_scale = check_number("y_scale", y_scale, remedy="pass np.std(y)")
    first, second = lam * share, lam * (1.0 - share) / y_scale
    strength = lam if share == 1.0 else first + second
    options: dict[str, Any] = {"standardize": standardize, "l1_ratio": first / strength}
    limits = [np.asarray(side, dtype=np.float64) for side in (lower_limits, upper_limits)]
    if not all(np.all(np.isinf(side)) for side in limits):
        options["bounds"] = tuple(side.tolist() for side in limits)
    if penalty_factor is None:
        return Settings(L1(), strength, **options)
    factors = _factors(penalty_factor)
    total = float(np.sum(np.where(np.isinf(factors), 1.0, factors)))
    if total == 0.0:
        raise ValueError("every penalty factor is 0; give at least one feature a factor > 0.")
    return Settings(L1(), strength, factors * (factors.size / total), **options)


def to_glmnet(settings: Any, *, y_scale: float = 1.0) -> dict[str, Any]:
    """Convert settings, or a regressor, to arguments of glmnet: the inverse of from_glmnet."""
    stated = _stated(settings)
    terms = stated.terms
    if type(stated.penalty) is not L1:
        raise ValueError("glmnet has only the lasso (and ridge); use penalty='l1'.")
    y_scale = check_number("y_scale", y_scale, remedy="pass np.std(y)")
    lam, ratio = stated.elastic(y_scale)
    arguments: dict[str, Any] = {"lambda": lam, "alpha": ratio, "standardize": terms.standardize}
    for name, side in (("lower", terms.lower), ("upper", terms.upper)):
        if side is not None:
            arguments[f"{name}.limits"] = float(side[0]) if side.size == 1 else side
    if stated.weights is not None:
        factors = stated.weights
        total = float(np.sum(np.where(np.isinf(factors), 1.0, factors)))
        arguments["lambda"] = lam * total / factors.size
        arguments["penalty.factor"] = factors
    return arguments


def _factors(factors: ArrayLike) -> NDArray[np.float64]:
    checked = check_weights(factors, len(np.atleast_1d(np.asarray(factors))))
    assert checked is not None
    return checked
