"""The cells: real classes and counts, and one random design, standardised, without an intercept."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmarks.problems import Design, Problem, real

_ALPHAS, _EPS = 50, 1e-2
# Words of fewer documents than that tell them apart by chance.
_FEWEST = 3


def _classes(name: str) -> tuple[Design, np.ndarray]:
    X, y = real(name)
    return _frequent(X), (y > 0).astype(np.float64)


def _counts(name: str) -> tuple[Design, np.ndarray]:
    return real(name)


def _most_frequent_word() -> tuple[Design, np.ndarray]:
    """Return how often the most frequent word occurs, and the counts of the others."""
    X, _ = real("newsgroup_counts")
    word = int(np.argmax(np.asarray(X.sum(axis=0)).ravel()))
    y = X[:, [word]].toarray().ravel()
    others = np.delete(np.arange(X.shape[1]), word)
    return _frequent(sparse.csc_matrix(X[:, others])), y


def _gaussian() -> tuple[Design, np.ndarray]:
    rng = np.random.default_rng(24)
    X = np.asfortranarray(rng.standard_normal((5000, 5000)))
    active = rng.choice(5000, 40, replace=False)
    eta = X[:, active] @ rng.choice([-1.0, 1.0], 40)
    return X, (rng.random(5000) < 1 / (1 + np.exp(-eta))).astype(np.float64)


def _frequent(X: Design) -> Design:
    if not sparse.issparse(X):
        return X
    return sparse.csc_matrix(X[:, np.diff(X.indptr) >= _FEWEST])


def _logistic(name: str, note: str, ends: tuple[tuple[str, float], ...] = ()) -> Problem:
    make = _gaussian if name == "gaussian" else lambda: _classes(name)
    return Problem(f"logistic_{name}", make, _ALPHAS, _EPS, note, "logistic", ends)


# Where MCP and SCAD end: soon after, the classes are separated, and there is no solution to find.
_ALL = (
    _logistic("colon", "62 x 2000", (("mcp", 0.2), ("scad", 0.2))),
    _logistic("leukemia", "72 x 7129", (("mcp", 0.3), ("scad", 0.3))),
    _logistic("prostate_singh", "102 x 12600", (("mcp", 0.3), ("scad", 0.3))),
    _logistic("arcene", "100 x 10000", (("mcp", 0.45), ("scad", 0.45))),
    _logistic("newsgroup", "961 x 7146 CSC"),
    _logistic("w8a", "49749 x 300 CSC"),
    _logistic("gaussian", "5000 x 5000, 40 active"),
    Problem(
        "poisson_bike",
        lambda: _counts("bike_poisson"),
        _ALPHAS,
        _EPS,
        "17379 x 1301 CSC",
        "poisson",
    ),
    Problem(
        "poisson_physician",
        lambda: _counts("physician_poisson"),
        _ALPHAS,
        _EPS,
        "4406 x 25",
        "poisson",
    ),
    Problem(
        "poisson_newsgroup",
        _most_frequent_word,
        _ALPHAS,
        _EPS,
        "961 x 7145 CSC: the most frequent word from the others",
        "poisson",
    ),
)
PROBLEMS = {problem.name: problem for problem in _ALL}
QUICK = ("logistic_colon", "logistic_leukemia", "logistic_newsgroup", "poisson_physician")
PEERS = ("glmnet", "adelie", "skglm", "celer", "scikit-learn", "pycasso", "skein-glm")
# A word that only one class has separates it as soon as its coefficient costs nothing more.
UNSOLVED = frozenset({("logistic_newsgroup", "mcp"), ("logistic_newsgroup", "scad")})
