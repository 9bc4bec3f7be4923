"""Sparse matrices: every format is accepted, and none whose indices lead out of its arrays."""

import numpy as np
import pytest
from scipy import sparse

import sparsieve as sv

# What the fuzzers found; each crashed, hung or spoke in riddles once.


def broken(kind, **parts):
    """Return a sparse matrix of SciPy's that it would not have made itself."""
    matrix = getattr(sparse, f"{kind}_array")(np.eye(4))
    for name, value in parts.items():
        setattr(matrix, name, value)
    return matrix


# SciPy's conversions follow such indices out of their arrays; most of these killed the process.
@pytest.mark.parametrize(
    "X",
    [
        broken("csr", indices=np.array([0, 1, 2, 4_000_000], dtype=np.int32)),
        broken("csr", indices=np.array([0, 1, 2, -1], dtype=np.int32)),
        broken("csr", indptr=np.array([0, 1, 2, 3, 400_000], dtype=np.int32)),
        broken("csr", indptr=np.array([0, 9, 0, 0, 0], dtype=np.int32)),
        broken("csc", indptr=np.array([0, 9, 0, 0, 0], dtype=np.int32)),
        broken("csc", indptr=np.array([1, 1, 2, 3, 4], dtype=np.int32)),
        broken("csc", indptr=np.array([0, 1], dtype=np.int32)),
        broken("csc", indices=np.array([0, 1], dtype=np.int32)),
        broken("csr", indices=np.array([0.0, 1.0, 2.0, 3.0])),
        broken("coo", row=np.array([0, 1, 2, -7]), col=np.array([0, 1, 2, 3])),
        broken("coo", row=np.array([0, 1, 2, 3]), col=np.array([0, 1, 2, 99])),
        broken("coo", row=np.array([0, 1]), col=np.array([0, 1])),
        broken("bsr", indices=np.array([0, 1, 2, 77], dtype=np.int32)),
    ],
)
def test_sparse_matrices_with_wild_indices_are_refused(X):
    with pytest.raises(ValueError, match="X is a broken sparse matrix"):
        sv.sparse_path(X, np.arange(4.0))


def test_sound_matrices_of_every_format_are_accepted():
    X = sparse.csc_array(np.random.default_rng(0).integers(0, 3, (6, 4)).astype(float))
    expected = sv.alpha_max(X, np.arange(6.0))
    for kind in ("csr", "coo", "bsr", "lil", "dok", "dia"):
        assert sv.alpha_max(X.asformat(kind), np.arange(6.0)) == expected


def test_sparse_objects_are_not_numbers():
    X = sparse.csc_array(np.eye(4))
    X.data = X.data.astype(object)
    with pytest.raises(ValueError, match="X is sparse with dtype object"):
        sv.alpha_max(X, np.arange(4.0))
