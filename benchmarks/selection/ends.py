"""Where is the alpha that a choice takes, and what does a path that ends later cost?

``python -m benchmarks.selection.ends`` prints the table of docs/paths.md: for data sets in the
folder that SPARSIEVE_DATA names, and for toys, the chosen alpha over alpha_max on a long path, the
time of a cross-validation to the default end over that to the long one, and the ratio of their
best errors. It also says whether folds that end early choose the same. ``--text`` times the
example of text: 7,263 posts and the 32,780 words that two of them have, counts or (``--tf-idf``)
tf-idf.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import KFold

import sparsieve as sv

REAL = (
    "diabetes_interactions",
    "communities_crime",
    "boston_interactions",
    "riboflavin",
    "climate_sst",
    "leukemia",
    "colon",
)
#: Samples, features, active ones and noise.
TOYS = ((100, 1000, 10, 1.0), (100, 1000, 10, 0.01), (200, 100, 10, 1.0), (200, 100, 10, 0.01))
FAST = {"start": "previous", "minimum": "stationary"}
FOLDS = KFold(5, shuffle=True, random_state=0)


def stored(name):
    """Return X and y of a data set, None where there is none."""
    file = Path(os.environ.get("SPARSIEVE_DATA", "absent")) / f"{name}.npz"
    return np.load(file) if file.exists() else None


def problems():
    """Yield names and data."""
    for n, d, active, noise in TOYS:
        X, y, _ = sv.datasets.make_toy(n, d, active, noise=noise, random_state=1)
        yield f"toy {n} x {d}, noise {noise:g}", X, y
    for name in REAL:
        content = stored(name)
        if content is not None:
            yield name, np.asfortranarray(content["X"], dtype=float), content["y"].astype(float)


def timed(estimator, X, y):
    """Return a fitted estimator and its processor seconds."""
    before = time.process_time()
    return estimator.fit(X, y), time.process_time() - before


def compare(X, y, penalty):
    """Return the columns of the table for one problem and penalty."""
    n, d = X.shape
    options = {"standardize": True, **(FAST if n * d > 3e5 else {})}
    end, far = (1e-3, 1e-4) if n > d else (1e-2, 1e-3)
    longer, slow = timed(sv.SparseRegressorCV(penalty, eps=far, cv=FOLDS, **options), X, y)
    whole, fast = timed(sv.SparseRegressorCV(penalty, eps=end, cv=FOLDS, **options), X, y)
    early, _ = timed(sv.SparseRegressorCV(penalty, cv=FOLDS, **options), X, y)
    chosen = [longer.alpha_ / longer.alphas_[0]]
    for criterion in ("ebic", "bic"):
        model = sv.SparseRegressorIC(penalty, criterion=criterion, eps=far, **options).fit(X, y)
        chosen.append(model.alpha_ / model.alphas_[0])
    best = [np.nanmin(model.mse_path_.mean(axis=1)) for model in (whole, longer)]
    same = "same" if np.array_equal(early.coef_, whole.coef_) else "OTHER"
    ended = int(np.sum(early.ended_ != "complete"))
    return *chosen, fast / slow, best[0] / best[1], f"{same}, {ended} of 5 folds ended early"


def text(tf_idf):
    """Return counts of words, or tf-idf, of posts in news20_comp."""
    content = stored("news20_comp")
    parts = (content["data"].astype(float), content["indices"], content["indptr"])
    X = sparse.csc_matrix(parts, shape=tuple(content["shape"]))
    rows = np.sort(np.random.default_rng(0).permutation(X.shape[0])[:7263])
    X = X[rows].tocsc()
    X = X[:, np.diff(X.indptr) >= 2]
    X = TfidfTransformer().fit_transform(X).tocsc() if tf_idf else X
    X.sort_indices()
    return X, content["y"][rows].astype(float)


def time_text(tf_idf, eps):
    """Print the processor seconds of cross-validations of the text."""
    X, y = text(tf_idf)
    for options in (FAST, {}):
        model, seconds = timed(sv.SparseRegressorCV("mcp", eps=eps, **options), X, y)
        done = np.sum(~np.isnan(model.mse_path_), axis=0).tolist()
        print(
            f"{X.shape[0]} x {X.shape[1]} {options or 'defaults'}: {seconds:.1f} s, alpha "
            f"{model.alpha_ / model.alphas_[0]:.4f} of the first, {np.count_nonzero(model.coef_)} "
            f"features, alphas per fold {done}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", action="store_true", help="time the example of text")
    parser.add_argument("--tf-idf", action="store_true", help="tf-idf instead of counts")
    parser.add_argument("--eps", type=float, help="of the text; default: that of the library")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.text:
        time_text(asked.tf_idf, asked.eps)
        return
    print("| data | penalty | CV | EBIC | BIC | time | error | folds that end early |")
    for name, X, y in problems():
        for penalty in ("l1", "mcp", "scad", "logsum"):
            *numbers, words = compare(X, y, penalty)
            cells = " | ".join(f"{number:.2g}" for number in numbers)
            print(f"| {name} | {penalty} | {cells} | {words} |", flush=True)


if __name__ == "__main__":
    main()
