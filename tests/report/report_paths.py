"""Paths of any size, made up rather than solved: a report only reads them."""

from __future__ import annotations

import dataclasses

import numpy as np

import sparsieve as sv
from sparsieve.paths.path import make_path
from sparsieve.solve.points import Point


def made_up_path(n_features: int, sizes: list[int]) -> sv.Path:
    """Return a path whose point k has sizes[k] random coefficients."""
    rng = np.random.default_rng(0)
    order = rng.permutation(n_features)
    points = [
        Point(
            alpha=float(alpha), columns=np.sort(order[:size]), values=rng.standard_normal(size),
            intercept=0.0, objective=1.0, kkt=0.0, dual_gap=0.0, n_iter=1, status="CONVERGED",
            convex=True, passes=1.0, settled_by_bound=n_features - size, settled_by_reading=0,
        )
        for alpha, size in zip(np.geomspace(1.0, 0.01, len(sizes)), sizes, strict=True)
    ]  # fmt: skip
    return make_path(points, n_features, sv.L1(), None)


def named(path: sv.Path, name: str) -> sv.Path:
    """Return the path with the same name for every feature."""
    # Two halves of a surrogate pair are one character once joined.
    name = name.encode("utf-16", "surrogatepass").decode("utf-16")
    names = np.full(path.coefs.shape[0], name, dtype=object)
    return dataclasses.replace(path, feature_names=names)
