r"""How well a model of classes or counts fits, in the numbers of a few small charts.

Classes: the ROC curve, which shows how well the linear predictor orders the rows, and calibration,
whether a probability of 30 % comes true in 30 % of the cases. Counts: mean counts beside mean
predictions, the deviance residuals :math:`\mathrm{sign}(y - \mu) \sqrt{d}` of a part of the rows,
and the dispersion, the mean of :math:`(y - \mu)^2 / V(\mu)`, which is 1 where the loss has the
variance of the counts. Where a Poisson's is too small, a guess at the ``theta`` of a negative
binomial loss is the :math:`\theta` for which :math:`\mu + \mu^2/\theta` has the mean of
:math:`(y - \mu)^2`. All sums are weighted by the sample weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.types import Floats
from ..losses import BuiltInLoss, null_shift
from ..losses.resolve import built_in_name

__all__ = ["SOURCES", "assess", "is_assessment"]

#: Rows that were left out of the fits of a cross-validation, or the rows of the fit itself.
SOURCES = ("left out", "in sample")
Order = NDArray[np.int64]
_BINS = 10
_MOST_CORNERS = 200
_MOST_POINTS = 400
_FIELDS = {
    "classes": ("fpr", "tpr", "mean", "share", "low", "high", "rows"),
    "counts": ("fitted", "residual", "mean", "share", "low", "high", "rows"),
}
# 95 % of a normal distribution are within so many standard deviations.
_WIDE = 1.96


def assess(
    loss: BuiltInLoss,
    eta: Floats,
    y: Floats,
    omega: Floats,
    source: str,
    offset: Floats | None = None,
) -> dict[str, Any] | None:
    """Return how well linear predictors fit labels or counts; None for numbers.

    Parameters
    ----------
    loss : loss
    eta, y, omega : ndarray of shape (n_rows,)
        Linear predictors with their offsets, responses, and sample weights of any sum.
    source : {"left out", "in sample"}
        Which rows these are.
    offset : ndarray of shape (n_rows,), default=None
        The part of the linear predictors that was given.
    """
    used = omega > 0.0
    eta, y, omega = eta[used], y[used], omega[used] / omega[used].sum()
    o = None if offset is None else offset[used]
    if built_in_name(loss) is None or not (loss.labels or loss.log_link):
        return None
    if not np.all(np.isfinite(eta) & np.isfinite(loss.mean(eta))):
        return None  # separated, or a row left out whose mean is no double
    found = (_of_classes if loss.labels else _of_counts)(loss, eta, y, omega)
    # Without an offset the best constant has the mean of the responses, whichever of these losses.
    shift = float(loss.link(omega @ y)) if o is None else null_shift(loss, y, omega, o)
    same = np.zeros_like(y) + (shift if o is None else o + shift)
    null = float(omega @ loss.deviance(same, y)) if np.isfinite(shift) else 0.0
    left = float(omega @ loss.deviance(eta, y))
    explained = 1.0 - left / null if null > 0.0 else None
    return {"source": source, "n_rows": int(y.size), "deviance": left, "d2": explained, **found}


def _of_classes(loss: BuiltInLoss, eta: Floats, y: Floats, omega: Floats) -> dict[str, Any]:
    order = np.argsort(eta)  # the slowest part, and the same for both charts
    fpr, tpr, area = _roc(eta, y, omega, order[::-1])
    right = omega @ np.where(eta > 0.0, y, 1.0 - y)
    binned = _binned(loss.mean(eta), y, omega, order)
    # Rounding may leave a share of all rows above one.
    binned |= {name: np.clip(binned[name], 0.0, 1.0) for name in ("mean", "share", "low", "high")}
    few = np.arange(fpr.size)
    if fpr.size > _MOST_CORNERS:
        few = np.unique(np.linspace(0, fpr.size - 1, _MOST_CORNERS).round().astype(np.int64))
    return {
        "kind": "classes",
        "auc": area,
        "accuracy": float(right),
        "fpr": fpr[few],
        "tpr": tpr[few],
        **binned,
    }


def _roc(eta: Floats, y: Floats, omega: Floats, order: Order) -> tuple[Floats, Floats, float]:
    """Return the corners of the ROC curve, the largest predictor first, and the area below."""
    last = np.append(np.diff(eta[order]) != 0.0, True)  # of rows with the same predictor
    found = np.concatenate([[0.0], np.cumsum((omega * y)[order])[last]])
    false = np.concatenate([[0.0], np.cumsum((omega * (1.0 - y))[order])[last]])
    tpr = found / (found[-1] or 1.0)
    fpr = false / (false[-1] or 1.0)
    return fpr, tpr, float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2.0))


def _binned(fitted: Floats, y: Floats, omega: Floats, order: Order) -> dict[str, Floats]:
    """Return mean prediction and mean response of rows with similar predictions, with intervals.

    The intervals take the spread of the responses about their predictions in each group.
    """
    # Groups of equal weight; rows with the same prediction stay together.
    place = np.minimum((np.cumsum(omega[order]) - 0.5 * omega[order]) * _BINS, _BINS - 1)
    group = place.astype(np.int64)
    same = np.concatenate([[False], np.diff(fitted[order]) == 0.0])
    group = np.maximum.accumulate(np.where(same, -1, group))
    columns: dict[str, list[float]] = {k: [] for k in ("mean", "share", "low", "high", "rows")}
    for k in np.unique(group):
        rows = order[group == k]
        part = omega[rows] / omega[rows].sum()
        share = float(part @ y[rows])
        spread = float(np.sqrt(part**2 @ (y[rows] - fitted[rows]) ** 2))
        values = (float(part @ fitted[rows]), share, share - _WIDE * spread, share + _WIDE * spread)
        for name, value in zip(columns, (*values, float(rows.size)), strict=True):
            columns[name].append(value)
    return {name: np.array(values) for name, values in columns.items()}


def _of_counts(loss: BuiltInLoss, eta: Floats, y: Floats, omega: Floats) -> dict[str, Any]:
    mu = loss.mean(eta)
    order = np.argsort(eta)
    binned = _binned(mu, y, omega, order)
    binned["low"] = np.maximum(binned["low"], 0.0)
    residual = np.sign(y - mu) * np.sqrt(loss.deviance(eta, y))
    theta = getattr(loss, "theta", np.inf)
    variance = mu * (1.0 + mu / theta)
    positive = variance > 0.0
    dispersion = float(
        omega[positive] @ ((y - mu)[positive] ** 2 / variance[positive]) / omega[positive].sum()
    )
    more = float(omega @ ((y - mu) ** 2 - mu))
    guess = float(omega @ mu**2) / more if more > 0.0 and not np.isfinite(theta) else None
    few: NDArray[np.int64] = np.arange(y.size)
    if y.size > _MOST_POINTS:  # evenly spaced among the predictions
        places = np.linspace(0, y.size - 1, _MOST_POINTS).round().astype(np.int64)
        few = order[places]
    return {
        "kind": "counts",
        "dispersion": dispersion,
        "theta": guess,
        "fitted": mu[few],
        "residual": residual[few],
        **binned,
    }


def is_assessment(value: Any) -> bool:
    """Tell whether a value from a file can be what :func:`assess` returned."""
    if value is None:
        return True
    if not isinstance(value, dict) or value.get("kind") not in _FIELDS:
        return False
    arrays = all(
        isinstance(value.get(name), np.ndarray)
        and value[name].dtype == np.float64
        and value[name].ndim == 1
        and bool(np.all(np.isfinite(value[name])))
        for name in _FIELDS[value["kind"]]
    )
    numbers = ["deviance"]
    numbers += ["auc", "accuracy"] if value["kind"] == "classes" else ["dispersion"]
    return (
        arrays
        and value.get("source") in SOURCES
        and type(value.get("n_rows")) is int
        and all(type(value.get(name)) is float for name in numbers)
        and all(type(value.get(name)) in (float, type(None)) for name in ("d2", "theta"))
    )
