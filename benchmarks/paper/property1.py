"""Property 1 of [RGS19], seen: the screened set of one Proximal Weighted Lasso, sweep by sweep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from sparsieve import LogSum, datasets
from sparsieve.reference import pwl

Mask = npt.NDArray[np.bool_]
SHOWN = 1  # sweeps between two screenings
EXACT = 1e-13  # gap, relative to the objective at zero, that counts as the optimum
NEAR = 1e-6  # relative distance at which |x_j's - v_j| counts as lambda_j


@dataclass(frozen=True)
class Screening:
    """Which coordinates were screened after each sweep, and which are equicorrelated."""

    screened: Mask  # of shape (screenings, d)
    equicorrelation: Mask
    gaps: list[float]


def follow(n: int, d: int, noise: float, fraction: float, alpha: float = 1e9) -> Screening:
    """Solve the first inner problem of log-sum at a fraction of lambda_max, looking on."""
    X, y, _ = datasets.make_toy(n, d, 5, noise, 0)
    theta = 0.1
    lam = fraction * theta * float(np.max(np.abs(X.T @ y)))
    weights = np.full(d, float(LogSum(theta).slope(0.0, lam)))
    center, tol = np.zeros(d), EXACT * 0.5 * float(y @ y)
    exact = pwl(X, y, weights, alpha=alpha, prox_center=center, tol=tol, max_epochs=100_000)
    dual = X.T @ exact.residual - (exact.w - center) / alpha
    equicorrelation = np.abs(dual) >= weights * (1.0 - NEAR)
    w, zero, rows, gaps = center, np.zeros(d, bool), [], []
    while True:
        part = pwl(
            X, y, weights, w0=w, prox_center=center, alpha=alpha, screened=zero, tol=tol,
            max_epochs=SHOWN, gap_every=SHOWN, screen_every=SHOWN,
        )  # fmt: skip
        w, zero = part.w, part.screened
        rows.append(zero)
        gaps.append(part.gap)
        if part.converged or len(rows) == 400:
            return Screening(np.array(rows), equicorrelation, gaps)


def draw_property() -> Figure:
    """Draw the sets for little and much noise, and how many coordinates are left."""
    figure = Figure(figsize=(11.0, 5.6), layout="constrained")
    axes = figure.subplots(2, 3)
    settings = [(0.01, 0.1), (2.0, 0.1), (2.0, 0.03)]
    for (noise, fraction), (top, bottom) in zip(settings, axes.T, strict=True):
        found = follow(50, 100, noise, fraction)
        sweeps = SHOWN * np.arange(1, len(found.gaps) + 1)
        _raster(top, found)
        top.set_title(f"50 x 100, noise {noise:g}, {fraction:g} of lambda_max", size=9)
        left = np.count_nonzero(~found.screened, axis=1)
        bottom.plot(sweeps, left, "o-", ms=2, lw=1, color="#55a868", label="not screened")
        size = int(np.count_nonzero(found.equicorrelation))
        bottom.axhline(size, color="#c44e52", lw=1, ls="--", label="equicorrelation set")
        bottom.set_ylim(0, 105)
        bottom.set_xlabel("sweeps")
        bottom.set_ylabel("coordinates")
        bottom.legend(frameon=False, fontsize=7)
    return figure


def _raster(axis: Any, found: Screening) -> None:
    """Draw one row per coordinate: white where screened, red in the equicorrelation set."""
    order = np.argsort(np.count_nonzero(found.screened, axis=0), kind="stable")
    order = np.concatenate(
        [order[found.equicorrelation[order]], order[~found.equicorrelation[order]]]
    )
    picture = np.ones((order.size, len(found.gaps), 3))
    for row, j in enumerate(order):
        colour = (0.77, 0.31, 0.32) if found.equicorrelation[j] else (0.55, 0.55, 0.55)
        picture[row, ~found.screened[:, j]] = colour
    end = SHOWN * (len(found.gaps) + 0.5)
    axis.imshow(
        picture, aspect="auto", extent=(SHOWN / 2, end, order.size, 0), interpolation="nearest"
    )
    axis.set_ylabel("coordinates")
