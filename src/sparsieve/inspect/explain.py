"""Answers about one feature of a path: when it enters, and what kept it out before."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._words import paragraph
from ..data.types import Floats
from ..solve.points import Point

if TYPE_CHECKING:
    from ..solve.path_data import PathData

__all__ = ["Explanation", "explain_feature", "find_feature"]


@dataclass(frozen=True, eq=False)
class Explanation:
    r"""What happened to one feature along a path.

    Attributes
    ----------
    name : str
    column : int
    alphas : ndarray of shape (n_alphas,)
    coef : ndarray of shape (n_alphas,)
    correlation : ndarray of shape (n_alphas,)
        :math:`c_j = x_j^\top \Omega u` at each solution, with the residuals :math:`u` (minus the
        derivatives of the loss: :math:`y - b - Xw` for squares); with ``standardize=True``, of the
        standardised column.
    threshold : ndarray of shape (n_alphas,)
        The slope of the penalty at zero: a zero coefficient is stationary while ``push`` is at most
        this.
    bound : ndarray of shape (n_alphas,)
        What is known of :math:`|c_j|` without reading the column, from its correlation at the alpha
        before: :math:`|a| |c_j| + \|x_j\| \|r - a r_0\|` with the best multiple a of the residual
        :math:`r_0` there. NaN at the first alpha.
    rule : list of str
        At each alpha, what settles the feature: "selected"; or it is zero by "bound" (the bound is
        below the threshold, the column need not be read), by "reading" (its correlation is), as
        "constant" column, or as "excluded" one.
    entered : int or None
        Index of the alpha at which it first is non-zero.
    push : ndarray of shape (n_alphas,)
        How far the correlation pushes a coefficient of zero in the directions that the bounds leave
        it: :math:`|c_j|` without bounds, :math:`\max(c_j, 0)` with ``positive=True``.
    """

    name: str
    column: int
    alphas: Floats
    coef: Floats
    correlation: Floats
    threshold: Floats
    bound: Floats
    rule: list[str] = field(repr=False)
    entered: int | None
    push: Floats = field(repr=False)

    def __repr__(self) -> str:
        return f"<Explanation: {self._entry().splitlines()[0]}>"

    def _repr_html_(self) -> str:
        return "".join(map(paragraph, str(self).splitlines()))

    def __str__(self) -> str:
        lines = [self._entry()]
        counts = {rule: self.rule.count(rule) for rule in ("bound", "reading")}
        if any(counts.values()):
            lines.append(
                f"While zero it was settled {counts['bound']} time(s) by a bound, without reading "
                f"its column, and {counts['reading']} time(s) by reading its correlation."
            )
        return "\n".join(lines)

    def _entry(self) -> str:
        unnamed = self.name == f"feature {self.column}"
        label = self.name if unnamed else f"{self.name} (column {self.column})"
        if self.rule[0] in ("constant", "excluded"):
            why = "its column is constant"
            if self.rule[0] == "excluded":
                why = "its weight is inf, or its bounds leave nothing but zero"
            return f"{label} can never enter: {why}."
        n_alphas = len(self.alphas)
        if self.entered is None:
            ratio = self.push / self.threshold
            k = int(np.argmax(ratio))
            return (
                f"{label} never enters on these {n_alphas} alphas; it comes closest at "
                f"alpha={self.alphas[k]:.4g}, where its correlation {self.correlation[k]:.4g} is "
                f"{ratio[k]:.1%} of the threshold {self.threshold[k]:.4g}."
            )
        k = self.entered
        text = (
            f"{label} enters at alpha={self.alphas[k]:.4g} (number {k + 1} of {n_alphas}) and is "
            f"selected at {self.rule.count('selected')} of them; its coefficient ends at "
            f"{self.coef[-1]:.4g}."
        )
        if k > 0:
            text += (
                f"\nJust before, at alpha={self.alphas[k - 1]:.4g}, its correlation "
                f"{self.correlation[k - 1]:.4g} was within the threshold "
                f"{self.threshold[k - 1]:.4g}."
            )
        return text


def find_feature(feature: Any, names: NDArray[Any] | None, n_features: int) -> tuple[int, str]:
    """Return the column and the name of a feature given by either."""
    if isinstance(feature, Integral) and not isinstance(feature, bool):
        column = int(feature)
        if not -n_features <= column < n_features:
            raise IndexError(f"there is no feature {column}: X has columns 0 to {n_features - 1}.")
        column %= n_features
        return column, str(names[column]) if names is not None else f"feature {column}"
    if names is None:
        raise KeyError(
            f"feature {feature!r} was asked for by name, but X had no column names; pass the "
            f"column's number (0 to {n_features - 1}), or fit on a data frame."
        )
    at = np.flatnonzero(names == feature)
    if at.size == 0:
        wanted, every = str(feature), [str(name) for name in names]
        close = [name for name in every if name.lower() == wanted.strip().lower()]
        close = close or difflib.get_close_matches(wanted, every, n=3)
        hint = f" (did you mean {' or '.join(map(repr, close))}?)" if close else ""
        raise KeyError(
            f"no column is called {feature!r}{hint}; the path's feature_names lists all."
        )
    return int(at[0]), str(feature)


def explain_feature(path: PathData, feature: Any) -> Explanation:
    """Return what happened to one feature along a path."""
    problem = path.problem
    if problem is None:
        raise ValueError(
            "this path was kept or loaded without the data it was computed on, which an "
            "explanation needs (estimators, pickles and model files keep no data); compute it "
            "again: sparse_path(X, y, path.penalty, alphas=path.alphas)."
        )
    column, name = find_feature(feature, path.feature_names, problem.n_features)
    omega = problem.data.omega()
    x = problem.design.dense(np.array([column]))[:, 0]
    if problem.fit_intercept:
        # About one of its entries first: then only a constant column is all zeros.
        x = x - x[int(np.argmax(omega))]
        x = x - omega @ x if np.any(x[omega > 0.0]) else np.zeros_like(x)
    x = x / problem.scales[column]
    residual = problem.residuals(path.points)
    correlation = np.asarray((omega * x) @ residual)
    terms, pi = problem.terms.of(column), float(problem.feature_weights[column])
    threshold = np.full(len(path), np.inf)
    if np.isfinite(pi):
        slope = path.penalty.slope(np.zeros(len(path)), terms.strength(path.alphas) * pi)
        threshold = np.asarray(slope, dtype=np.float64) if pi > 0.0 else np.zeros(len(path))
    coef = np.array([_value_at(point, column) for point in path.points])
    norm = float(np.sqrt(omega @ x**2))
    bound = _bounds(correlation, norm, residual, omega)
    rules = [_rule(coef[k], norm, threshold[k], bound[k]) for k in range(len(path))]
    nonzero = np.flatnonzero(coef)
    entered = int(nonzero[0]) if nonzero.size else None
    push = terms.outward(correlation)
    return Explanation(
        name, column, path.alphas, coef, correlation, threshold, bound, rules, entered, push
    )


def _value_at(point: Point, column: int) -> float:
    k = int(np.searchsorted(point.columns, column))
    here = k < point.columns.size and point.columns[k] == column
    return float(point.values[k]) if here else 0.0


def _bounds(correlation: Floats, norm: float, residual: Floats, omega: Floats) -> Floats:
    """Return the bound of |c_j| at each residual, from the one before ([RGS19] Property 2)."""
    bounds = np.full(correlation.size, np.nan)
    for k in range(1, correlation.size):
        now, before = residual[:, k], residual[:, k - 1]
        size = float(omega @ before**2)
        a = float(omega @ (now * before)) / size if size > 0.0 else 0.0
        distance = float(np.sqrt(omega @ (now - a * before) ** 2))
        bounds[k] = abs(a) * abs(correlation[k - 1]) + norm * distance
    return bounds


def _rule(coef: float, norm: float, threshold: float, bound: float) -> str:
    if coef != 0.0:
        return "selected"
    if np.isinf(threshold):
        return "excluded"
    if norm == 0.0:
        return "constant"
    return "bound" if bound <= threshold else "reading"
