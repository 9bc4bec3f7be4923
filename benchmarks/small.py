"""Small work, where overhead is all there is: a fit, a short path, a thousand bootstrap fits.

    python -m benchmarks small

On the toy of 50 x 100, with scikit-learn's lasso as the measure: both through their public calls,
with default tolerances, intercept and validation. They take turns and the best round counts. The
judge recomputes the largest violation of all answers, relative to that of w = 0.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.adapters.ours import known_options, penalty_of
from benchmarks.judge import PENALTIES, Penalty, alpha_grid, correlation_scale, judge
from benchmarks.problems import PROBLEMS
from benchmarks.runner import RESULTS, Record, meta

_TOY = PROBLEMS["toy_50x100"]
_FIT_AT = 0.1  # the alpha of a fit, as a share of the smallest one with a zero solution

# Solve on X and y at the given alphas; coefficients, one column per alpha.
Solver = Callable[[np.ndarray, np.ndarray, np.ndarray], Any]


@dataclass(frozen=True)
class Work:
    """Data to solve on, one after the other, for as many rounds."""

    name: str
    samples: list[tuple[np.ndarray, np.ndarray]]
    is_path: bool
    rounds: int


def small(penalties: list[str], repeat: int, bootstraps: int) -> list[Path]:
    """Measure all work with all penalties; print a line for each and write small.json."""
    rows = []
    for work in works(repeat, bootstraps):
        for kind in penalties:
            rows.append(measure(work, PENALTIES[kind]))
            print(sentence(rows[-1]), flush=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    out = RESULTS / "small.json"
    out.write_text(json.dumps({"meta": meta(), "rows": rows}, indent=1))
    return [out]


def works(repeat: int, bootstraps: int) -> list[Work]:
    """Return the kinds of small work."""
    X, y = _TOY.data("raw")
    drawn = np.random.default_rng(0).integers(0, len(y), (bootstraps, len(y)))
    return [
        Work("fit", [(X, y)], False, repeat),
        Work(f"path of {_TOY.n_alphas}", [(X, y)], True, repeat),
        Work(f"{bootstraps} bootstrap fits", [(X[i], y[i]) for i in drawn], False, 3),
    ]


def ours(work: Work, penalty: Penalty, options: dict[str, Any]) -> Callable[[], list[Any]]:
    """Return what does the work with the library; `options` it does not know are left out."""
    solve = (_our_path if work.is_path else _our_fit)(penalty, options)
    posed = list(zip(work.samples, _alphas(work, penalty), strict=True))
    return lambda: [solve(*sample, alphas) for sample, alphas in posed]


def measure(work: Work, penalty: Penalty) -> Record:
    """Time the work with this penalty and with scikit-learn's lasso, in turns, and judge both."""
    lasso = PENALTIES["l1"]
    sides = {
        "sparsieve": (penalty, _our_path(penalty) if work.is_path else _our_fit(penalty)),
        "scikit-learn": (lasso, _their_path if work.is_path else _their_fit),
    }
    alphas = {peer: _alphas(work, solved) for peer, (solved, _) in sides.items()}
    for peer, (_, solve) in sides.items():  # whatever is loaded at first use
        solve(*work.samples[0], alphas[peer][0])
    best, answers = dict.fromkeys(sides, np.inf), {}
    for _ in range(work.rounds):
        for peer, (_, solve) in sides.items():
            start = time.perf_counter()
            found = [solve(*s, a) for s, a in zip(work.samples, alphas[peer], strict=True)]
            best[peer] = min(best[peer], time.perf_counter() - start)
            answers[peer] = found
    row: Record = {"work": work.name, "penalty": penalty.label}
    for peer, (solved, _) in sides.items():
        row[peer] = {
            "seconds": best[peer],
            "violation": _violation(work, solved, alphas[peer], answers[peer]),
        }
    return row


def sentence(row: Record) -> str:
    """Say in a line what was measured."""
    told = [
        f"{name} {1e3 * row[peer]['seconds']:.3g} ms (violation {row[peer]['violation']:.0e})"
        for peer, name in (("sparsieve", "sparsieve"), ("scikit-learn", "scikit-learn's lasso"))
    ]
    ratio = row["scikit-learn"]["seconds"] / row["sparsieve"]["seconds"]
    return f"{row['work']}, {row['penalty']}: {', '.join(told)}, ratio {ratio:.2f}"


# ---------------------------------------------------------------- the two sides


def _our_fit(penalty: Penalty, options: dict[str, Any] | None = None) -> Solver:
    from sparsieve import SparseRegressor

    ours = penalty_of(penalty.kind, penalty.shape)
    more = known_options(SparseRegressor, options or {})
    return lambda X, y, alphas: (
        SparseRegressor(ours, alpha=alphas[0], **more).fit(X, y).coef_[:, None]
    )


def _our_path(penalty: Penalty, options: dict[str, Any] | None = None) -> Solver:
    from sparsieve import sparse_path

    ours = penalty_of(penalty.kind, penalty.shape)
    more = known_options(sparse_path, options or {})
    return lambda X, y, alphas: sparse_path(X, y, ours, alphas=alphas, **more).coefs


def _their_fit(X: np.ndarray, y: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    from sklearn.linear_model import Lasso

    return np.asarray(Lasso(alpha=alphas[0]).fit(X, y).coef_)[:, None]


def _their_path(X: np.ndarray, y: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    from sklearn.linear_model import lasso_path

    return np.asarray(lasso_path(X, y, alphas=alphas)[1])


# ---------------------------------------------------------------- alphas and violations


def _centred(sample: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Take the intercept out of the problem."""
    X, y = sample
    return X - X.mean(axis=0), y - y.mean()


def _alphas(work: Work, penalty: Penalty) -> list[np.ndarray]:
    scales = [correlation_scale(*_centred(sample)) for sample in work.samples]
    if work.is_path:
        return [alpha_grid(penalty, scale, _TOY.n_alphas, _TOY.eps) for scale in scales]
    return [_FIT_AT * alpha_grid(penalty, scale, 1, 1.0) for scale in scales]


def _violation(work: Work, penalty: Penalty, alphas: list[np.ndarray], answers: list[Any]) -> float:
    """Return the largest violation of all answers, relative to that of w = 0."""
    worst = 0.0
    for sample, grid, coefs in zip(work.samples, alphas, answers, strict=True):
        X, y = _centred(sample)
        verdict = judge(X, y, sparse.csc_matrix(coefs), penalty, grid)
        worst = max(worst, float(verdict.violation.max()) / correlation_scale(X, y))
    return worst
