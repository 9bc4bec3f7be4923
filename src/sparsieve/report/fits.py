"""Predicted against observed, on rows that come with the model: what the panel of fits draws."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..data.design import Design
from ..data.inputs import check_data
from ..data.types import Floats

__all__ = ["Rows", "encode_fit", "read_rows"]

#: So many points are drawn at most: more are neither legible nor light.
MOST_POINTS = 2000


class Rows(NamedTuple):
    """Rows as a report needs them: responses, linear predictions, spreads of the columns."""

    observed: Floats
    predicted: Floats
    spreads: Floats | None


def read_rows(model: Any, data: Any, quantity: bool) -> Rows | None:
    """Return what a fitted model says about ``data``, a pair (X, y); None without data.

    ``quantity`` tells whether its responses are amounts. The spreads are there for a model of
    standardised columns, whose features compare by the effect of one standard deviation.
    """
    if data is None:
        return None
    if not isinstance(data, tuple | list) or len(data) != 2:
        raise TypeError(
            f"data={type(data).__name__} is no pair of rows; pass data=(X, y), for instance the "
            "rows of the fit."
        )
    if not hasattr(model, "coef_"):
        raise TypeError(
            f"data=: predictions need one fitted model, and a {type(model).__name__} is none; "
            "leave data out, or report on the estimator."
        )
    if not quantity:
        raise TypeError(
            "data=: predictions are drawn against observed amounts; labels and counts have charts "
            "of their own, which need no rows; leave data out."
        )
    checked = check_data(*data)
    design, n_rows = Design.of(checked.X), checked.y.size
    predicted = design.product(model.coef_) + model.intercept_
    spreads = None
    if getattr(model, "standardize", False):
        spreads = design.spreads(np.full(n_rows, 1.0 / n_rows))
    return Rows(np.asarray(checked.y, dtype=np.float64), predicted, spreads)


def encode_fit(rows: Rows | None) -> dict[str, Any] | None:
    """Return points to draw, evenly spaced among the rows, and what is true of all rows."""
    if rows is None:
        return None
    observed, predicted = rows.observed, rows.predicted
    residual = observed - predicted
    n_rows = observed.size
    drawn = np.unique(np.linspace(0, n_rows - 1, min(n_rows, MOST_POINTS)).astype(np.int64))
    total = float(np.mean((observed - observed.mean()) ** 2))
    error = float(np.mean(residual**2))
    return {
        "rows": drawn.tolist(),
        "observed": _short(observed[drawn]),
        "predicted": _short(predicted[drawn]),
        "nRows": n_rows,
        "r2": 1.0 - error / total if total > 0.0 else None,
        "rmse": float(np.sqrt(error)),
    }


def _short(values: Floats) -> list[float]:
    """Return numbers with the digits that a chart and its hover text can show."""
    return [float(f"{value:.7g}") for value in values]
