"""Choosing one candidate: by cross-validation, by an information criterion, and judging it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from benchmarks.starts.ways import Candidates, Design, Way

FOLDS = 5


@dataclass(frozen=True)
class Chosen:
    """The candidate that was chosen, and all of them."""

    coef: np.ndarray
    intercept: float
    candidates: Candidates


def folds(n: int, seed: int) -> list[np.ndarray]:
    """Return the rows of each fold, drawn at random."""
    shuffled = np.random.default_rng(seed).permutation(n)
    return [np.sort(part) for part in np.array_split(shuffled, FOLDS)]


def others(n: int, rows: np.ndarray) -> np.ndarray:
    """Return the rows that are not among the given ones."""
    return np.setdiff1d(np.arange(n), rows)


def take(X: Design, rows: np.ndarray) -> Design:
    """Return some rows of X in the layout that solvers read in place."""
    part = X[rows]
    return part.tocsc() if sparse.issparse(part) else np.asfortranarray(part)


def by_cv(
    way: Way,
    data: tuple[Design, np.ndarray],
    parts: list[np.ndarray],
    alphas: np.ndarray,
    intercept: bool,
) -> Chosen:
    """Choose the lowest mean squared error on held-out folds."""
    X, y = data
    squares: np.ndarray = np.zeros(1)
    for held_out in parts:
        kept = others(len(y), held_out)
        fitted = way.fit(take(X, kept), y[kept], alphas, intercept)
        squares = squares + squared_errors(fitted, take(X, held_out), y[held_out])
    everything = way.fit(X, y, alphas, intercept)
    return _pick(everything, int(np.argmin(squares)))


def by_bic(way: Way, data: tuple[Design, np.ndarray], alphas: np.ndarray) -> Chosen:
    """Choose the lowest n log(rss/n) + k log(n) among models of at most n/2 features."""
    X, y = data
    n = len(y)
    fitted = way.fit(X, y, alphas, False)
    sizes = np.count_nonzero(fitted.coefs, axis=0)
    rss = np.maximum(squared_errors(fitted, X, y), np.finfo(float).tiny)
    criterion = n * np.log(rss / n) + sizes * np.log(n)
    return _pick(fitted, int(np.argmin(np.where(sizes <= n // 2, criterion, np.inf))))


def squared_errors(fitted: Candidates, X: Design, y: np.ndarray) -> np.ndarray:
    """Return each candidate's sum of squared errors."""
    return np.asarray(np.sum((y[:, None] - fitted.predict(X)) ** 2, axis=0))


def estimation_error(coef: np.ndarray, truth: np.ndarray) -> float:
    """Return ||w - w*|| / ||w*||."""
    return float(np.linalg.norm(coef - truth) / np.linalg.norm(truth))


def support_f1(coef: np.ndarray, truth: np.ndarray) -> float:
    """Return the harmonic mean of precision and recall of the support."""
    found, active = coef != 0, truth != 0
    return float(2 * np.sum(found & active) / max(np.sum(found) + np.sum(active), 1))


def _pick(fitted: Candidates, k: int) -> Chosen:
    return Chosen(fitted.coefs[:, k], float(fitted.intercepts[k]), fitted)
