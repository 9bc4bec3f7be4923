"""The problems of the benchmark: seeded, made on demand, stored once as .npy files.

Every problem is posed without an intercept, on centred data, so that all peers solve

    minimise over w   1/(2n) ||y - Xw||^2 + sum_j r(|w_j|; alpha, shape)

Variants of the columns (y keeps its own scale in all of them):

``standardised``  centred, then norm sqrt(n) (unit variance); sparse columns are scaled, not centred
``unit``          as above with norm 1
``raw``           centred only; sparse columns as they are
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from scipy import sparse

Design = Any  # numpy array (Fortran order) or scipy CSC matrix
VARIANTS = ("standardised", "raw", "unit")

# Part of the name of a stored problem: raise it whenever a generator changes.
GENERATION = 1


class ProblemUnavailable(RuntimeError):  # noqa: N818 - a state, reported as a note, not a fault
    """The data of a problem is not on this machine."""


@dataclass(frozen=True)
class Problem:
    """One data set and the grid of alphas on which its path is computed."""

    name: str
    make: Callable[[], tuple[Design, np.ndarray]]
    n_alphas: int
    eps: float
    note: str
    loss: str = "squared"  # a name of the judge's
    ends: tuple[tuple[str, float], ...] = ()  # penalties whose paths end elsewhere, and where

    def data(self, variant: str) -> tuple[Design, np.ndarray]:
        """Return X (Fortran-ordered or CSC) and y, prepared as `variant` says."""
        X, y = self.make()
        return prepare_columns(X, variant), y - y.mean() if self.loss == "squared" else y

    def end(self, kind: str) -> float:
        """Return the last alpha over the first."""
        return dict(self.ends).get(kind, self.eps)


# ---------------------------------------------------------------- columns


def prepare_columns(X: Design, variant: str) -> Design:
    """Centre (dense) and scale the columns of X in place as `variant` says."""
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant {variant!r}; known: {', '.join(VARIANTS)}")
    if sparse.issparse(X):
        if variant != "raw":
            norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=0)).ravel())
            counts = np.diff(X.indptr)
            X.data *= np.repeat(_factors(norms, norms > 0, X.shape[0], variant), counts)
        return X
    for j in range(X.shape[1]):
        _prepare_dense_column(X[:, j], variant)
    return X


def _prepare_dense_column(x: np.ndarray, variant: str) -> None:
    largest = np.abs(x).max()
    x -= x.mean()
    norm = np.sqrt(x @ x)
    # A constant column leaves only rounding behind, which must not be blown up to full norm.
    varies = norm > 1e-12 * largest * np.sqrt(len(x))
    if not varies:
        x[:] = 0.0
    elif variant != "raw":
        x *= _factors(np.array([norm]), np.array([True]), len(x), variant)[0]


def _factors(norms: np.ndarray, varies: np.ndarray, n: int, variant: str) -> np.ndarray:
    target = np.sqrt(n) if variant == "standardised" else 1.0
    return np.where(varies, target / np.where(varies, norms, 1.0), 1.0)


# ---------------------------------------------------------------- generators


def toy(n: int, d: int, n_active: int, noise: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the toy of [RGS19]: entries N(0, 4), coefficients N(0, 1) moved away from 0 by 0.1."""
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.normal(scale=2.0, size=(n, d)))
    active = rng.choice(d, n_active, replace=False)
    w = rng.standard_normal(n_active)
    y = X[:, active] @ (w + 0.1 * np.sign(w)) + noise * rng.standard_normal(n)
    return X, y


def autoregressive(
    n: int, d: int, n_active: int, rho: float, snr: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return N(0, 1) columns whose neighbours correlate at rho, signs as coefficients.

    `snr` is var(Xw) / var(noise).
    """
    rng = np.random.default_rng(seed)
    X = np.empty((n, d), order="F")
    innovation = np.sqrt(1.0 - rho * rho)
    X[:, 0] = rng.standard_normal(n)
    for j in range(1, d):  # column by column: no temporary of the size of X
        X[:, j] = rho * X[:, j - 1] + innovation * rng.standard_normal(n)
    active = rng.choice(d, n_active, replace=False)
    signal = X[:, active] @ rng.choice([-1.0, 1.0], n_active)
    y = signal + np.sqrt(signal.var() / snr) * rng.standard_normal(n)
    return X, y


def random_sparse(
    n: int, d: int, density: float, n_active: int, snr: float, seed: int
) -> tuple[sparse.csc_matrix, np.ndarray]:
    """Return a CSC design with N(0, 1) values at random places, signs as coefficients."""
    rng = np.random.default_rng(seed)
    X = sparse.random(
        n, d, density, format="csc", rng=rng, data_rvs=lambda size: rng.standard_normal(size)
    )
    X = sparse.csc_matrix(X)
    X.sort_indices()
    active = rng.choice(d, n_active, replace=False)
    signal = X[:, active] @ rng.choice([-1.0, 1.0], n_active)
    y = signal + np.sqrt(signal.var() / snr) * rng.standard_normal(n)
    return X, y


def real(name: str) -> tuple[Design, np.ndarray]:
    """Return a data set of the folder that the environment variable SPARSIEVE_DATA names."""
    X, y = _loader().load(name)
    if sparse.issparse(X):
        X = sparse.csc_matrix(X, dtype=np.float64)
        X.sort_indices()
        return X, y
    return np.asfortranarray(X, dtype=np.float64), y


def _loader() -> ModuleType:
    folder = os.environ.get("SPARSIEVE_DATA")
    path = Path(folder, "load.py") if folder else None
    if path is None or not path.exists():
        raise ProblemUnavailable("set SPARSIEVE_DATA to the folder of the real data sets")
    spec = importlib.util.spec_from_file_location("sparsieve_data_load", path)
    if spec is None or spec.loader is None:
        raise ProblemUnavailable(f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---------------------------------------------------------------- registry


def _real(name: str, note: str) -> Problem:
    return Problem(name, lambda: real(name), 50, 1e-2, note)


_ALL = (
    Problem("toy_50x100", lambda: toy(50, 100, 5, 2.0, 0), 50, 1e-3, "[RGS19] toy, small"),
    Problem("toy_500x5000", lambda: toy(500, 5000, 5, 2.0, 1), 50, 1e-3, "[RGS19] toy, large"),
    Problem(
        "wide_500x50000",
        lambda: autoregressive(500, 50_000, 50, 0.5, 10.0, 2),
        100,
        1e-2,
        "AR(0.5), 50 active",
    ),
    Problem(
        "correlated_1000x10000",
        lambda: autoregressive(1000, 10_000, 50, 0.95, 10.0, 3),
        100,
        1e-2,
        "AR(0.95), 50 active",
    ),
    Problem(
        "tall_20000x2000",
        lambda: autoregressive(20_000, 2000, 50, 0.5, 10.0, 4),
        100,
        1e-2,
        "AR(0.5), 50 active",
    ),
    Problem(
        "big_2000x100000",
        lambda: autoregressive(2000, 100_000, 50, 0.5, 10.0, 5),
        100,
        1e-2,
        "AR(0.5), 50 active, 1.6 GB",
    ),
    Problem(
        "sparse_20000x100000",
        lambda: random_sparse(20_000, 100_000, 1e-3, 100, 10.0, 6),
        100,
        1e-2,
        "CSC, density 1e-3, 100 active",
    ),
    Problem(
        "sparse_2000x20000",
        lambda: random_sparse(2000, 20_000, 5e-3, 50, 10.0, 7),
        50,
        1e-2,
        "CSC, density 5e-3, 50 active",
    ),
    _real("leukemia", "72 x 7129 dense"),
    _real("rat_eye", "120 x 18975 dense"),
    _real("newsgroup", "961 x 21319 CSC"),
    _real("news20_comp", "15935 x 62061 CSC"),
    _real("climate_sst", "399 x 2261 dense, neighbouring columns nearly equal"),
)
PROBLEMS = {problem.name: problem for problem in _ALL}
QUICK = ["toy_50x100", "toy_500x5000", "leukemia", "sparse_2000x20000"]  # of the quick run


# ---------------------------------------------------------------- storage


def store(problem: Problem, variant: str, cache: Path) -> Path:
    """Write X and y below `cache` unless they are there; return their folder.

    A worker maps or reads these files, so that no environment needs another's generators.
    """
    folder = cache / f"{problem.name}-{variant}-v{GENERATION}"
    if (folder / "meta.json").exists():
        return folder
    X, y = problem.data(variant)
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    if sparse.issparse(X):
        for part in ("data", "indices", "indptr"):
            np.save(partial / f"{part}.npy", getattr(X, part))
    else:
        np.save(partial / "X.npy", X)
    np.save(partial / "y.npy", y)
    meta = {
        "shape": list(X.shape),
        "sparse": bool(sparse.issparse(X)),
        "layout": layout_of(X),
        "loss": problem.loss,
        "note": problem.note,
    }
    (partial / "meta.json").write_text(json.dumps(meta))
    partial.rename(folder)
    return folder


def layout_of(X: Design) -> str:
    """Say how X is stored: its order, or that it is sparse, and the type of its numbers."""
    if sparse.issparse(X):
        return f"csc {X.dtype}"
    return f"{'F' if X.flags.f_contiguous else 'C'} {X.dtype}"


def fetch(folder: Path, *, mapped: bool = False) -> tuple[Design, np.ndarray]:
    """Read back what `store` wrote; `mapped` leaves a dense X on disk."""
    meta: dict[str, Any] = json.loads((folder / "meta.json").read_text())
    y = np.load(folder / "y.npy")
    if meta["sparse"]:
        parts = tuple(np.load(folder / f"{part}.npy") for part in ("data", "indices", "indptr"))
        return sparse.csc_matrix(parts, shape=tuple(meta["shape"])), y
    return np.load(folder / "X.npy", mmap_mode="r" if mapped else None), y
