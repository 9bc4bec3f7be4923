"""The design says the same of X as plain NumPy, whatever the storage."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from tolerances import REORDERED_SUM

from sparsieve.data import design as module
from sparsieve.data.core_columns import core_columns
from sparsieve.data.design import Design
from sparsieve.data.validation import check_X

STORAGES = {
    "Fortran": np.asfortranarray,
    "C": np.ascontiguousarray,
    "float32": lambda X: np.asfortranarray(X, dtype=np.float32),
    "float32 in C": lambda X: np.ascontiguousarray(X, dtype=np.float32),
    "integers": lambda X: X.astype(np.int16),
    "CSC": sparse.csc_array,
    "CSR": sparse.csr_array,
    "CSC of float32": lambda X: sparse.csc_array(X.astype(np.float32)),
    "CSC matrix": sparse.csc_matrix,
}
N, D = 11, 7


@pytest.fixture(params=[2**22, 24], ids=["one block", "blocks of two columns"])
def room(request, monkeypatch):
    monkeypatch.setattr(module, "_ROOM", request.param)


@pytest.fixture(params=[D, 1], ids=["several columns", "one column"])
def X(request):
    rng = np.random.default_rng(0)
    numbers = rng.integers(-5, 6, (N, request.param)).astype(np.float64)  # exact in every type
    return numbers * (rng.uniform(size=numbers.shape) < 0.6)


@pytest.fixture(params=STORAGES)
def design(request, X, room):
    return Design(STORAGES[request.param](X))


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def close(actual, expected):
    assert actual.dtype == np.float64
    assert actual.shape == expected.shape
    assert_allclose(actual, expected, rtol=REORDERED_SUM, atol=REORDERED_SUM)


def columns_to_choose(d):
    return [np.array(some, dtype=np.int64) for some in ([], [d - 1], range(d), range(0, d, 2))]


def test_shape_and_type(design, X):
    assert design.shape == X.shape
    assert design.dtype == design.X.dtype


def test_products(design, X, rng):
    w, v = rng.standard_normal(X.shape[1]), rng.standard_normal(N)
    close(design.product(w), X @ w)
    close(design.correlations(v), X.T @ v)
    for columns in columns_to_choose(X.shape[1]):
        close(design.product_of(columns, w[columns]), X[:, columns] @ w[columns])


def test_a_product_of_some_columns_reads_no_others(room):
    X = np.full((N, D), np.nan)
    X[:, 2] = 1.0
    close(Design(X).product_of(np.array([2]), np.array([3.0])), np.full(N, 3.0))


def test_columns_and_rows(design, X):
    for columns in columns_to_choose(X.shape[1]):
        taken = design.dense(columns)
        assert taken.dtype == np.float64
        assert_array_equal(taken, X[:, columns])
    for rows in ([], [3], [8, 0, 0]):
        taken = design.rows(np.array(rows, dtype=np.int64))
        assert taken.dtype == design.dtype
        assert_array_equal(taken.toarray() if sparse.issparse(taken) else taken, X[rows])


@pytest.mark.parametrize("rows", [None, [], [4], [9, 1, 2]], ids=str)
def test_predictions(design, X, rng, rows):
    chosen = np.arange(N) if rows is None else np.array(rows, dtype=np.int64)
    for used in columns_to_choose(X.shape[1]):
        coefs = rng.standard_normal((3, used.size))
        found = design.predictions(None if rows is None else chosen, used, sparse.csr_array(coefs))
        close(found, X[np.ix_(chosen, used)] @ coefs.T)


def test_spreads(design, X, rng):
    omega = rng.uniform(size=N)
    omega[2] = 0.0
    omega /= omega.sum()
    expected = np.sqrt(omega @ (X - omega @ X) ** 2)
    close(design.spreads(omega), expected)
    for columns in columns_to_choose(X.shape[1]):
        close(design.spreads(omega, columns), expected[columns])


@pytest.mark.parametrize("storage", [np.asfortranarray, sparse.csc_array])
def test_the_spread_of_what_cannot_be_squared_is_huge(storage):
    X = np.array([[1e200, 1.0], [-1e200, -1.0]])
    assert_array_equal(Design(storage(X)).spreads(np.full(2, 0.5)), [1e150, 1.0])


# Entries are multiples of 2^-20 and means of 2^27: a double holds them exactly, so that all that is
# left is the rounding of some sums.
FAR = [0.0, 1.0, 1e4, 2.0**27]


@pytest.mark.parametrize("far", FAR)
@pytest.mark.parametrize("storage", [np.asfortranarray, sparse.csc_array, sparse.csr_array])
def test_spreads_are_exact_however_far_the_mean_is(storage, far, room):
    rng = np.random.default_rng(2)
    away = np.round(rng.standard_normal((N, 4)) * 2**20) / 2**20
    X = away + far
    X[2, 1] = 0.0  # not stored
    X[:, 2] = far + 0.1  # constant
    omega = rng.uniform(0.1, 1.0, N)
    omega[2] = 0.0
    omega /= omega.sum()
    expected = np.sqrt(omega @ (away - omega @ away) ** 2)
    expected[2] = 0.0
    spreads = Design(storage(X)).spreads(omega)
    assert_allclose(spreads, expected, rtol=REORDERED_SUM)
    assert spreads[2] == 0.0


def test_a_column_of_weighty_zeros_has_the_spread_that_they_make(room):
    X = sparse.csc_array(np.array([[3.0, 0.0], [0.0, 0.0], [0.0, 5.0]]))
    omega = np.array([1e-8, 0.5, 0.5 - 1e-8])
    dense = X.toarray()
    expected = np.sqrt(omega @ (dense - omega @ dense) ** 2)
    assert_allclose(Design(X).spreads(omega), expected, rtol=REORDERED_SUM)


def test_parts_are_the_memory_of_X(design):
    parts = list(design.parts())
    assert all(isinstance(part, np.ndarray) for part in parts)
    if sparse.issparse(design.X):
        wanted = (design.X.data, design.X.indices, design.X.indptr)
        assert [id(part) for part in parts] == [id(part) for part in wanted]
    else:
        assert_array_equal(np.column_stack(parts), design.X)
        assert all(np.shares_memory(part, design.X) for part in parts)


def test_neither_copied_nor_changed(design, X):
    stored = design.X
    before = stored.copy()
    assert Design.of(stored).X is stored
    assert pickle.loads(pickle.dumps(design)).shape == design.shape
    core_columns(check_X(stored))
    assert design.X is stored
    assert (before != stored).sum() == 0


def test_any_matrix_can_be_read():
    X = np.arange(6.0).reshape(3, 2)
    for kind in (X.tolist(), sparse.coo_array(X), sparse.lil_matrix(X), sparse.bsr_array(X)):
        design = Design.of(kind)
        assert_array_equal(design.product(np.array([1.0, -1.0])), X @ [1.0, -1.0])
        assert_array_equal(design.canonical().dense(np.arange(2)), X)


def test_broken_indices_are_refused():
    X = sparse.csc_array(np.eye(3))
    X.indices[1] = 7
    with pytest.raises(ValueError, match="outside the matrix"):
        Design.of(X)


@pytest.mark.parametrize("kind", [sparse.csc_array, sparse.csr_array, sparse.csr_matrix])
def test_canonical_sums_repeats_in_a_copy_and_else_makes_none(kind):
    good = kind(np.array([[1.0, 0.0], [2.0, 3.0]]))
    assert np.shares_memory(Design(good).canonical().X.data, good.data)
    pointers = np.array([0, 2, 3])
    repeated = kind((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), pointers), shape=(2, 2))
    clean = Design(repeated).canonical()
    assert clean.X.has_canonical_format
    assert clean.X.nnz == 2
    assert repeated.nnz == 3
    assert_array_equal(clean.dense(np.arange(2)), repeated.toarray())


def test_an_array_is_its_own_canonical_form():
    design = Design(np.eye(2))
    assert design.canonical() is design
