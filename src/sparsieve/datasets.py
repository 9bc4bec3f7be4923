"""Data sets: the paper's toy problem and its two real data sets."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array = npt.NDArray[np.float64]

_CATEGORIES = ["comp.graphics", "talk.religion.misc"]

__all__ = ["load_leukemia", "load_newsgroups", "make_toy"]


def make_toy(
    n_samples: int,
    n_features: int,
    n_active: int,
    noise: float,
    random_state: int | np.random.Generator | None = None,
) -> tuple[Array, Array, Array]:
    """Draw the toy regression problem of [RGS19], section 5.2.

    ``y = X w + e`` with Gaussian entries of X of mean 0 and variance 4, ``n_active`` non-zero
    coefficients at random positions, drawn from N(0, 1) and moved away from zero by 0.1, and
    Gaussian noise of standard deviation ``noise``.

    Parameters
    ----------
    n_samples, n_features, n_active : int
    noise : float
        Standard deviation of the noise.
    random_state : int or numpy.random.Generator, optional

    Returns
    -------
    X : array of shape (n_samples, n_features), Fortran order
    y : array of shape (n_samples,)
    w : array of shape (n_features,)
        The true coefficients.

    Examples
    --------
    >>> import sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(50, 100, 5, noise=2.0, random_state=0)
    >>> X.shape, int((w != 0).sum())
    ((50, 100), 5)
    """
    if not 0 <= n_active <= n_features:
        raise ValueError(f"n_active must be between 0 and n_features={n_features}, got {n_active}")
    rng = np.random.default_rng(random_state)
    X = np.asfortranarray(2.0 * rng.standard_normal((n_samples, n_features)))
    w = np.zeros(n_features)
    values = rng.standard_normal(n_active)
    w[rng.permutation(n_features)[:n_active]] = values + 0.1 * np.sign(values)
    y = X @ w + noise * rng.standard_normal(n_samples)
    return X, y, w


def load_leukemia() -> tuple[Array, Array]:
    """Load Golub's leukemia data: 72 patients, 7129 raw expression values.

    Looked for as ``leukemia.npz`` in the folder named by the environment variable
    ``SPARSIEVE_DATA``, then in scikit-learn's data home, then downloaded from OpenML (data set
    "leukemia"). Nothing is centred or scaled.

    Returns
    -------
    X : array of shape (72, 7129), Fortran order
    y : array of shape (72,)
        +1 for ALL, -1 for AML.
    """
    X, y = _find("leukemia", _fetch_leukemia)
    return np.asfortranarray(X), y


def load_newsgroups() -> tuple[Any, Array]:
    """Load two groups of 20 newsgroups as tf-idf: 961 posts, 21319 words.

    Training split, comp.graphics and talk.religion.misc, scikit-learn's ``TfidfVectorizer`` with
    its defaults. Looked for as ``newsgroup.npz`` in the folder named by the environment variable
    ``SPARSIEVE_DATA``, then in scikit-learn's data home, then built from ``fetch_20newsgroups``,
    which downloads the posts unless the data home has them.

    Returns
    -------
    X : scipy.sparse CSC matrix of shape (961, 21319)
    y : array of shape (961,)
        +1 for talk.religion.misc, -1 for comp.graphics.
    """
    return _find("newsgroup", _fetch_newsgroups)


def _find(name: str, fetch: Callable[[], tuple[Any, Array]]) -> tuple[Any, Array]:
    """Return the data set from the first of the three places that has it."""
    # Here rather than above, as below: importing sparsieve should not load the data set module.
    from sklearn.datasets import get_data_home

    folder = os.environ.get("SPARSIEVE_DATA")
    for directory in ([folder] if folder else []) + [get_data_home()]:
        file = Path(directory) / f"{name}.npz"
        if file.is_file():
            try:
                return _read(file)
            except (ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
                raise ValueError(
                    f"{file} cannot be read as the data set {name!r}: replace it, or remove it "
                    "to have the next place looked at."
                ) from error
    try:
        return fetch()
    except OSError as error:
        now = f" (now {folder}, without it)" if folder else ""
        raise FileNotFoundError(
            f"The data set {name!r} is not on this machine and the download failed ({error}). "
            f"Three ways to provide it: (1) set SPARSIEVE_DATA{now} to a folder with {name}.npz; "
            f"(2) put {name}.npz into scikit-learn's data home ({get_data_home()}); "
            f"(3) connect to the network, so that {_SOURCES[name]} can download it."
        ) from error


_SOURCES = {"leukemia": "sklearn's fetch_openml", "newsgroup": "sklearn's fetch_20newsgroups"}


def _read(file: Path) -> tuple[Any, Array]:
    """Read one npz file: X, or its CSC arrays, with y and the number of exact decimals."""
    with file.open("rb") as stream, np.load(stream) as stored:
        decimals = int(stored["decimals"]) if "decimals" in stored.files else -1
        y = stored["y"].astype(np.float64)
        values = stored["X" if "X" in stored.files else "data"].astype(np.float64)
        if decimals >= 0:  # written as float32 from a source with that many decimals
            values = np.round(values, decimals)
        if "X" in stored.files:
            return values, y
        n_samples, n_features = stored["shape"]
        arrays = (values, stored["indices"], stored["indptr"])
        return sp.csc_matrix(arrays, shape=(int(n_samples), int(n_features))), y


def _fetch_leukemia() -> tuple[Array, Array]:
    from sklearn.datasets import fetch_openml

    bunch = fetch_openml(name="leukemia", version=1, as_frame=False, parser="liac-arff")
    return np.asarray(bunch.data, dtype=np.float64), np.where(bunch.target == "ALL", 1.0, -1.0)


def _fetch_newsgroups() -> tuple[Any, Array]:
    from sklearn.datasets import fetch_20newsgroups
    from sklearn.feature_extraction.text import TfidfVectorizer

    bunch = fetch_20newsgroups(subset="train", categories=_CATEGORIES, shuffle=False)
    X = sp.csc_matrix(TfidfVectorizer().fit_transform(bunch.data))
    religion = bunch.target_names.index("talk.religion.misc")
    return X, np.where(bunch.target == religion, 1.0, -1.0)
