"""Input checks: what is accepted, what is not copied, and what every error says."""

import numpy as np
import pandas as pd
import pytest
from problems import sparse_design, toy, unsorted_csc
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from tolerances import REORDERED_SUM

import sparsieve as sv
from sparsieve.data.scalars import check_integer, check_number
from sparsieve.data.validation import (
    check_alphas,
    check_sample_weight,
    check_weights,
    check_X,
    check_X_y,
    feature_names,
)

X, Y, _ = toy(20, 6, 2, 0.1)
FORMATS = ["csc", "csr", "coo", "bsr", "lil", "dok"]


def same(checked, expected):
    """Compare values and the promise of the module: column-major or canonical CSC."""
    if sparse.issparse(checked):
        assert checked.format == "csc"
        assert checked.has_canonical_format
        checked = checked.toarray()
    else:
        assert checked.flags.f_contiguous
    np.testing.assert_array_equal(checked, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_column_major_floats_are_not_copied(dtype):
    design = np.asfortranarray(X, dtype=dtype)
    checked = check_X_y(design, Y)
    assert checked.X is design
    assert checked.y is Y


def test_read_only_and_memory_mapped_data_are_not_copied(tmp_path):
    np.save(tmp_path / "X.npy", np.asfortranarray(X))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert np.shares_memory(check_X(mapped), mapped)


@pytest.mark.parametrize(
    "design",
    [
        np.ascontiguousarray(X),
        np.ascontiguousarray(X, dtype=np.float32),
        np.repeat(np.asfortranarray(X), 2, axis=1)[:, ::2],
        np.repeat(X, 2, axis=0)[::2],
        X.astype(">f8"),
        X.astype(np.longdouble),
        X.astype(object),
        X.tolist(),
        pd.DataFrame(X),
        pd.DataFrame(X).astype("Float64"),
    ],
    ids=[
        "C",
        "C32",
        "strided",
        "rows",
        "bigendian",
        "long",
        "object",
        "list",
        "frame",
        "nullable",
    ],
)
def test_any_real_array_is_accepted(design):
    checked = check_X(design)
    assert checked.dtype in (np.float32, np.float64)
    assert (checked.dtype == np.float32) == (getattr(design, "dtype", None) == np.float32)
    same(checked, np.asarray(design, dtype=checked.dtype))


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, bool, np.float16])
def test_small_types_become_float64(dtype):
    design = (np.arange(12).reshape(4, 3) % 5).astype(dtype)
    for container in (design, sparse.csr_array(design.astype(np.float32)).astype(np.float64)):
        same(check_X(container), design.astype(np.float64))
    assert check_X(design).dtype == np.float64


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("format_", FORMATS)
def test_every_sparse_format_is_accepted(format_, kind):
    design = sparse_design(12, 7, 0.3)
    container = getattr(sparse, f"{format_}_{kind}")(design)
    same(check_X(container), design.toarray())


def test_sparse_diagonals_integers_and_booleans():
    for design in (sparse.dia_array(np.eye(5)), sparse.dia_array(np.eye(5, dtype=int))):
        same(check_X(design), np.eye(5))
    assert check_X(sparse.csc_array(np.eye(4, dtype=bool))).dtype == np.float64
    assert check_X(sparse.csc_array(np.eye(4, dtype=np.float32))).dtype == np.float32


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sorted_csc_shares_its_memory_and_keeps_its_indices(index):
    design = sparse_design(12, 7, 0.3)
    design.indices, design.indptr = design.indices.astype(index), design.indptr.astype(index)
    checked = check_X(design)
    assert checked.indices.dtype == index
    assert np.shares_memory(checked.data, design.data)
    assert np.shares_memory(checked.indices, design.indices)


def test_unsorted_repeated_indices_are_put_right_in_a_copy():
    broken, expected = unsorted_csc(sparse_design(12, 7, 0.3).toarray())
    before = [a.copy() for a in (broken.data, broken.indices, broken.indptr)]
    same(check_X(broken), expected.toarray())
    for array, copy in zip((broken.data, broken.indices, broken.indptr), before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_stale_flags_of_the_users_matrix_are_not_believed():
    design = sparse_design(12, 7, 0.5)
    assert design.has_sorted_indices  # now cached
    column = slice(*design.indptr[:2])
    expected = design.toarray()
    design.indices[column] = design.indices[column][::-1].copy()
    design.data[column] = design.data[column][::-1].copy()
    same(check_X(design), expected)


def test_index_out_of_range_is_refused():
    design = sparse_design(12, 7, 0.5)
    design.indices[3] = 12
    with pytest.raises(ValueError, match="X is a broken sparse matrix"):
        check_X(design)


def test_frame_names_are_kept():
    names = list("abcdef")
    np.testing.assert_array_equal(check_X_y(pd.DataFrame(X, columns=names), Y).feature_names, names)
    assert feature_names(pd.DataFrame(X)) is None
    assert feature_names(X) is None


def test_polars_frames():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(X, schema=list("abcdef"))
    checked = check_X_y(frame, polars.Series(Y))
    same(checked.X, X)
    np.testing.assert_array_equal(checked.feature_names, list("abcdef"))
    with pytest.raises(TypeError, match=r"X is a LazyFrame.*pass X.collect\(\)"):
        check_X_y(frame.lazy(), Y)


def spoilt(value, make=np.asarray):
    design = X.copy()
    design[3, 4] = value
    return make(design)


@pytest.mark.parametrize(
    ("design", "message"),
    [
        (spoilt(np.nan), "Input X contains NaN at row 3, column 4;"),
        (spoilt(-np.inf), "Input X contains infinity at row 3, column 4;"),
        (spoilt(np.nan, sparse.csr_matrix), "Input X contains NaN at row 3, column 4;"),
        (spoilt(np.inf, np.float32), "Input X contains infinity at row 3, column 4;"),
        (
            spoilt(np.nan, lambda a: pd.DataFrame(a, columns=list("abcdef"))),
            r"NaN at row 3, column 4 \('e'\)",
        ),
        (X + 0j, "Complex data not supported: X"),
        (sparse.csc_array(X + 0j), "Complex data not supported: X"),
        (X.astype(str), "X holds text"),
        (X.astype(object).astype("S"), "X holds bytes"),
        (np.array([[1, "a"], [2, "b"]], dtype=object), "X cannot be converted"),
        (np.zeros((3, 2), dtype="M8[s]"), "X holds dates"),
        (pd.DataFrame({"a": [1, 2], "b": ["u", "v"]}), "X cannot be converted.*'u'"),
        ([[1.0, 2.0], [3.0]], "X cannot be converted.*one length"),
        (X[0], r"X must have 2 dimensions.*Reshape your data"),
        (X[None], r"X must have 2 dimensions"),
        (None, "X must have 2 dimensions"),
        (X[:, :0], r"0 feature\(s\) \(shape=\(20, 0\)\) while a minimum of 1"),
        (X[:0], r"0 sample\(s\)"),
        (X[:1], r"1 sample\(s\).*minimum of 2"),
        (sparse.csc_array((20, 0)), r"0 feature\(s\)"),
        (sparse.csc_array(X[:1]), r"1 sample\(s\)"),
        # SciPy before 1.13 made a row of it.
        (sparse.coo_array(X[0]), "X must have 2 dimensions|1 sample"),
        (np.ma.masked_greater(X, 0.5), "X is a masked array"),
    ],
)
def test_bad_designs(design, message):
    with pytest.raises(ValueError, match=message):
        sv.sparse_path(design, Y, alphas=2)


def test_objects_that_are_not_numbers():
    design = X.astype(object)
    design[0, 0] = {"foo": "bar"}
    with pytest.raises(TypeError, match="X cannot be converted"):
        check_X(design)


def test_finite_values_whose_sum_overflows_are_accepted():
    huge = np.full((4, 3), 1e308, order="F")
    assert check_X(huge) is huge
    cancelling = np.array([[1e308, 1e308, 1.0], [-1e308, -1e308, 1.0]], order="F")
    assert check_X(cancelling) is cancelling


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.where(np.arange(20) == 7, np.nan, Y), "Input y contains NaN at entry 7"),
        (np.where(np.arange(20) == 7, np.inf, Y), "Input y contains infinity at entry 7"),
        (Y[:-1], "y has 19 entries, X has 20 rows"),
        (np.c_[Y, Y], r"y has shape \(20, 2\).*one response"),
        (Y[None, :, None], "y should be a 1d array"),
        (Y + 0j, "Complex data not supported: y"),
        (Y.astype(str), "y holds text"),
        (None, "requires y to be passed"),
        (3.0, "y should be a 1d array"),
        (sparse.csc_array(Y[:, None]), "y is sparse"),
    ],
)
def test_bad_responses(y, message):
    with pytest.raises(ValueError, match=message):
        check_X_y(X, y)


@pytest.mark.parametrize("y", [Y.tolist(), Y.astype(np.float32), pd.Series(Y), Y.astype(object)])
def test_responses_of_any_kind(y):
    checked = check_X_y(X, y).y
    assert checked.dtype == np.float64
    np.testing.assert_array_equal(checked, np.asarray(y, dtype=np.float64))


def test_column_of_responses_is_flattened_with_scikit_learns_warning():
    with pytest.warns(DataConversionWarning):
        np.testing.assert_array_equal(check_X_y(X, Y[:, None]).y, Y)


ONES = np.ones(20)


@pytest.mark.parametrize(
    ("sample_weight", "message"),
    [
        (-ONES, r"sample_weight\[0\] = -1.0"),
        (np.where(np.arange(20) == 2, np.nan, 1.0), r"sample_weight\[2\] = nan"),
        (ONES * np.inf, "sample_weight contains infinity"),
        (ONES[:3], "sample_weight has 3 entries, X has 20 rows"),
        (ONES[:, None], "sample_weight must be 1-D"),
        (0 * ONES, "every weight is zero"),
        (0.0, "every weight is zero"),
        (-1.0, "sample_weight"),
        (["a"] * 20, "sample_weight holds text"),
    ],
)
def test_bad_sample_weights(sample_weight, message):
    with pytest.raises(ValueError, match=message):
        check_sample_weight(sample_weight, 20)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1], r"weights\[1\] = -1.0"),
        ([1, 1, np.nan], r"weights\[2\] = nan"),
        ([1, 1], "weights has 2 entries, X has 3 columns"),
        (2.0, "weights must be 1-D"),
        ("abc", "weights holds text"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weights, 3)


def test_good_weights():
    assert check_sample_weight(None, 3) is None
    assert check_weights(None, 3) is None
    np.testing.assert_array_equal(check_sample_weight(2, 3), [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(check_sample_weight(pd.Series([1, 0, 2]), 3), [1.0, 0.0, 2.0])
    np.testing.assert_array_equal(check_weights([0, np.inf, 1], 3), [0.0, np.inf, 1.0])


@pytest.mark.parametrize(
    "alphas",
    [
        [],
        [[1.0]],
        [1, np.nan],
        [1, np.inf],
        [1, 0.0],
        [-1],
        0,
        -3,
        True,
        2.5,
        None,
        "a",
        ["a"],
        [1j],
    ],
)
def test_bad_alphas(alphas):
    with pytest.raises(ValueError, match="alphas"):
        check_alphas(alphas)


def test_alphas_are_sorted_and_unique():
    np.testing.assert_array_equal(check_alphas([0.1, 3, 0.5, 3]), [3.0, 0.5, 0.1])
    assert check_alphas(100) == 100
    assert check_alphas(np.int64(7)) == 7


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 2, np.nan, np.inf, "a", None, True, [0.1]])
def test_numbers_out_of_bounds(value):
    with pytest.raises(ValueError, match=r"eps must be a .*; use e\.g\. eps=1e-3"):
        check_number("eps", value, high=1.0, remedy="use e.g. eps=1e-3")


def test_bounds_can_be_closed():
    assert check_number("a", 1.0, high=1.0, closed="high", remedy="") == 1.0
    assert check_number("a", 0, closed="low", remedy="") == 0.0
    with pytest.raises(ValueError, match=r"in \[0, 1\)"):
        check_number("a", 1.0, high=1.0, closed="low", remedy="")


@pytest.mark.parametrize("value", [0, -1, 1.0, True, "3", None, np.nan])
def test_bad_integers(value):
    with pytest.raises(ValueError, match="max_iter must be an integer >= 1"):
        check_integer("max_iter", value, low=1, remedy="use e.g. max_iter=1000")


def test_integers_of_numpy():
    assert check_integer("max_iter", np.int32(5), low=1, remedy="") == 5


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("storage", ["dense", "float32", "csc"])
def test_entries_that_are_not_finite_are_found_wherever_they_hide(bad, intercept, storage):
    # In a row of weight zero, in a column that is zero otherwise, excluded or without a penalty.
    X, y, _ = toy(n_samples=30, n_features=8, n_active=3, noise=1.0, seed=0)
    X[:, 5] = 0.0
    X[4, 5] = bad
    data = {"dense": X, "float32": X.astype(np.float32), "csc": sparse.csc_array(X)}[storage]
    weight = np.ones(30)
    weight[4] = 0.0
    weights = np.ones(8)
    for penalty_weight in (1.0, 0.0, np.inf):
        weights[5] = penalty_weight
        with pytest.raises(ValueError, match=r"Input X contains .* at row 4, column 5"):
            sv.sparse_path(
                data,
                y,
                alphas=3,
                sample_weight=weight,
                weights=weights,
                fit_intercept=intercept,
            )
    with pytest.raises(ValueError, match=r"Input X contains .* at row 4, column 5"):
        sv.SparseRegressorCV(cv=3, alphas=[0.1, 0.05], fit_intercept=intercept).fit(data, y)
    with pytest.raises(ValueError, match=r"Input X contains .* at row 4, column 5"):
        sv.stability_selection(data, y, n_pairs=2, alphas=3, random_state=0)
    with pytest.raises(ValueError, match=r"Input X contains .* at row 4, column 5"):
        sv.proximal_weighted_lasso(data, y, np.ones(8), sample_weight=weight)


def test_pandas_frames_of_sparse_columns_are_sparse_data():
    design = sparse_design(30, 8, density=0.3, seed=0)
    y = np.arange(30.0)
    frame = pd.DataFrame.sparse.from_spmatrix(design, columns=list("abcdefgh"))
    checked = check_X_y(frame, y)
    same(checked.X, design.toarray())
    assert list(checked.feature_names) == list("abcdefgh")
    model = sv.SparseRegressor("mcp", alpha=0.5).fit(frame, y)
    same_model = sv.SparseRegressor("mcp", alpha=0.5).fit(design, y)
    np.testing.assert_array_equal(model.coef_, same_model.coef_)
    expected = model.intercept_ + design @ model.coef_
    np.testing.assert_allclose(model.predict(frame), expected, rtol=REORDERED_SUM)
    # A column that is called so makes no sparse frame.
    dense = pd.DataFrame({"sparse": np.arange(30.0), "a": 1.0})
    assert not sparse.issparse(check_X_y(dense, y).X)
    with pytest.raises(ValueError, match=r"X is a sparse data frame.*fill value 0"):
        check_X_y(frame.astype(pd.SparseDtype(float, np.nan)), y)


# What the fuzzers found; each crashed, hung or spoke in riddles once.


def test_integers_of_hundreds_of_digits_are_refused_in_words():
    X, y = np.eye(3), np.arange(3.0)
    for name in ("alpha", "tol"):
        with pytest.raises(ValueError, match=f"{name} must be a finite number"):
            sv.SparseRegressor(**{name: 10**400}).fit(X, y)
    for name in ("weights", "sample_weight"):
        with pytest.raises(ValueError, match=name):
            sv.sparse_path(X, y, **{name: 10**400})


@pytest.mark.parametrize("n_jobs", [0, "two", 1.5, True, np.nan])
def test_wrong_numbers_of_jobs_are_named(n_jobs):
    X, y = np.eye(3), np.arange(3.0)
    with pytest.raises(ValueError, match=r"n_jobs must be None or an integer other than 0"):
        sv.sparse_path(X, y, n_jobs=n_jobs)
    with pytest.raises(ValueError, match=r"n_jobs must be None or an integer other than 0"):
        sv.SparseRegressorCV(cv=3, n_jobs=n_jobs).fit(X, y)


def test_more_jobs_than_any_machine_has_are_all_there_are():
    X, y = np.eye(3), np.arange(3.0)
    model = sv.SparseRegressor(alpha=0.1, n_jobs=-(10**30)).fit(X, y)
    assert model.certificate_.converged


@pytest.mark.parametrize("wrong", [-1, "seed", 1.5])
def test_wrong_random_states_are_named(wrong):
    X, y = np.eye(4), np.arange(4.0)
    with pytest.raises(ValueError, match="random_state must be None, an integer >= 0"):
        sv.stability_selection(X, y, n_pairs=1, random_state=wrong)
    with pytest.raises(ValueError, match="random_state must be None, an integer >= 0"):
        sv.local_minima(X, y, alpha=0.1, random_state=wrong)


def test_limits_beyond_64_bits_are_no_limits():
    path = sv.sparse_path(np.eye(3), np.arange(3.0), alphas=2, max_iter=10**400)
    assert path.converged.all()
