"""The toy problem of the paper and where the real data sets are looked for."""

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import sparsieve as sv

DATA = Path(os.environ.get("SPARSIEVE_DATA", "data-folder-not-set"))
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="SPARSIEVE_DATA names no folder")


def test_toy_follows_the_paper():
    X, y, w = sv.datasets.make_toy(400, 300, 40, 0.5, 0)
    assert X.flags.f_contiguous
    assert X.dtype == np.float64
    # 120,000 entries: the sample variance of 4 has standard error 4 sqrt(2/120000) = 0.016
    assert np.var(X) == pytest.approx(4.0, abs=0.08)
    assert np.count_nonzero(w) == 40
    assert np.min(np.abs(w[w != 0])) >= 0.1
    # 400 draws: the standard error of the deviation 0.5 is 0.5 / sqrt(800) = 0.018
    assert np.std(y - X @ w) == pytest.approx(0.5, abs=0.09)


def test_toy_is_repeatable_and_takes_a_generator():
    first, again = (sv.datasets.make_toy(10, 20, 3, 1.0, 7) for _ in range(2))
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    rng = np.random.default_rng(7)
    np.testing.assert_array_equal(sv.datasets.make_toy(10, 20, 3, 1.0, rng)[0], first[0])
    assert not np.array_equal(sv.datasets.make_toy(10, 20, 3, 1.0, rng)[0], first[0])
    with pytest.raises(ValueError, match="n_active"):
        sv.datasets.make_toy(10, 20, 21, 1.0)


@needs_data
def test_leukemia():
    X, y = sv.datasets.load_leukemia()
    assert X.shape == (72, 7129)
    assert X.flags.f_contiguous
    assert np.sum(y == 1) == 47
    assert np.sum(y == -1) == 25


@needs_data
def test_newsgroups():
    X, y = sv.datasets.load_newsgroups()
    assert sp.issparse(X)
    assert X.format == "csc"
    assert X.shape == (961, 21319)
    assert np.sum(y == 1) == 377
    # TfidfVectorizer's rows have unit norm
    np.testing.assert_allclose(np.asarray(X.multiply(X).sum(axis=1)).ravel(), 1.0, rtol=1e-6)


@pytest.mark.parametrize("place", ["SPARSIEVE_DATA", "SCIKIT_LEARN_DATA"])
def test_files_are_found_in_either_folder(place, tmp_path, monkeypatch):
    monkeypatch.setenv("SPARSIEVE_DATA", str(tmp_path / "a"))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "b"))
    folder = Path(os.environ[place])
    folder.mkdir()
    stored = np.array([[0.1, 2.0], [3.0, 4.0]], dtype=np.float32)
    np.savez(folder / "leukemia.npz", X=stored, y=np.array([1, -1]), decimals=1)
    X, y = sv.datasets.load_leukemia()
    np.testing.assert_array_equal(X, [[0.1, 2.0], [3.0, 4.0]])
    assert y.dtype == np.float64


def test_the_named_folder_comes_before_the_data_home(tmp_path, monkeypatch):
    for variable, value in (("SPARSIEVE_DATA", 1.0), ("SCIKIT_LEARN_DATA", 2.0)):
        folder = tmp_path / variable
        folder.mkdir()
        monkeypatch.setenv(variable, str(folder))
        np.savez(folder / "leukemia.npz", X=np.full((1, 1), value), y=np.array([1]))
    assert sv.datasets.load_leukemia()[0] == 1.0


def test_a_folder_that_was_named_in_vain_is_told(tmp_path, monkeypatch):
    def no_network(*args, **kwargs):
        raise OSError("no route to host")

    monkeypatch.setenv("SPARSIEVE_DATA", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", no_network)
    with pytest.raises(FileNotFoundError, match=r"SPARSIEVE_DATA \(now .*elsewhere, "):
        sv.datasets.load_leukemia()


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 torn"])
def test_a_damaged_file_is_named(content, tmp_path, monkeypatch):
    monkeypatch.setenv("SPARSIEVE_DATA", str(tmp_path))
    (tmp_path / "leukemia.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"leukemia\.npz cannot be read"):
        sv.datasets.load_leukemia()
    np.savez(tmp_path / "leukemia.npz", z=np.ones(3))
    with pytest.raises(ValueError, match=r"leukemia\.npz cannot be read"):
        sv.datasets.load_leukemia()


@pytest.mark.parametrize("name", ["leukemia", "newsgroups"])
def test_without_files_and_network_the_error_names_three_ways(name, tmp_path, monkeypatch):
    def no_network(*args, **kwargs):
        raise OSError("no route to host")

    monkeypatch.delenv("SPARSIEVE_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", no_network)
    monkeypatch.setattr("sklearn.datasets.fetch_20newsgroups", no_network)
    with pytest.raises(FileNotFoundError) as caught:
        getattr(sv.datasets, f"load_{name}")()
    for way in ("SPARSIEVE_DATA", "data home", "network"):
        assert way in str(caught.value)
