"""How fitted models show themselves: as text, in notebooks, as data frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._words import Summary, describe
from ..data.scalars import check_integer
from ..paths.frames import data_frame, entries_of
from ..paths.path import Path

__all__ = ["frame_of_fit", "summary_of_fit"]


def _names(model: Any) -> list[str]:
    names = getattr(model, "feature_names_in_", None)
    return [f"feature {j}" for j in range(model.coef_.size)] if names is None else list(names)


def _penalty(model: Any) -> str:
    penalty = getattr(model, "penalty_", None) or getattr(model, "penalty", None)
    return describe(penalty) if hasattr(penalty, "get_params") else str(penalty)


def _loss(certificate: Any) -> str:
    return "" if certificate.loss == "squared" else f" with the loss {certificate.loss}"


def _scale(model: Any) -> Any:
    return getattr(getattr(model, "schema", None), "scale", None)


def summary_of_fit(model: Any, rows: int, response: str = "") -> Summary:
    """Return penalty, certificate and the largest coefficients of a fitted model.

    ``response`` says in words what the linear predictor of a class is positive for.
    """
    check_integer("rows", rows, low=1, remedy="use e.g. rows=20")
    coef, certificate, scale, names = model.coef_, model.certificate_, _scale(model), _names(model)
    chosen = np.flatnonzero(coef)
    weight = np.abs(coef if scale is None else coef * scale)
    order = chosen[np.argsort(-weight[chosen], kind="stable")]
    of = f"{response}, " if response else ""
    headline = (
        f"{type(model).__name__}: {of}{_penalty(model)}{_loss(certificate)}, "
        f"alpha={certificate.alpha:.6g}, {chosen.size} of {coef.size} features selected, "
        f"intercept {model.intercept_:.6g}"
    )
    head = ["feature", "coefficient", *([] if scale is None else ["per std. dev."])]
    body = [
        [str(names[j]), f"{coef[j]:.6g}", *([] if scale is None else [f"{coef[j] * scale[j]:.5g}"])]
        for j in order[:rows]
    ]
    lines = [str(certificate)]
    if order.size > rows:
        lines.append(f"The {rows} largest coefficients of {order.size}:")
    return Summary.of(headline, head, body, lines)


def frame_of_fit(model: Any) -> Any:
    """Return a row for each selected feature, the largest effect first."""
    coef, scale, names = model.coef_, _scale(model), _names(model)
    chosen = np.flatnonzero(coef)
    weight = np.abs(coef if scale is None else coef * scale)
    chosen = chosen[np.argsort(-weight[chosen], kind="stable")]
    columns: dict[str, Any] = {"coefficient": coef[chosen]}
    if scale is not None:
        columns["per std. dev."] = coef[chosen] * scale[chosen]
    path = getattr(getattr(model, "regressor", model), "path_", None)
    if isinstance(path, Path):
        ever, entered, share = entries_of(path)
        where = {j: k for k, j in enumerate(ever.tolist())}
        # Least squares on the support selects what the point on the path does.
        places = [where.get(j) for j in chosen.tolist()]
        columns["enters"] = [np.nan if k is None else entered[k] for k in places]
        columns["selected"] = [np.nan if k is None else share[k] for k in places]
    return data_frame(columns, [names[j] for j in chosen.tolist()], "feature")
