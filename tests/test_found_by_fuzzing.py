"""What the fuzzers found, smallest form first; each crashed, hung or spoke in riddles once."""

import io
import zipfile

import numpy as np
import pytest
from scipy import sparse
from tolerances import DEFAULT_KKT

import sparsieve as sv
from sparsieve.tables.table import ReadOptions, TableError
from sparsieve.tables.table_files import read_table


def write(folder, name, content):
    file = folder / name
    file.write_bytes(content)
    return file


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


def test_utf16_without_its_mark_is_a_table_error(tmp_path):
    file = write(tmp_path, "t.csv", b"a,b\n1,2\n")
    with pytest.raises(TableError, match=r"t\.csv is not utf-16 text.*--encoding utf-8"):
        read_table(file, ReadOptions(encoding="utf-16"))


def test_line_ends_may_be_mixed(tmp_path):
    file = write(tmp_path, "t.csv", b"a,b\n1,2\r3,4\r5,6\r\n7,8\n")
    assert read_table(file).values.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_blank_lines_alone_are_not_a_table(tmp_path):
    for options in (ReadOptions(header=False), ReadOptions()):
        with pytest.raises(TableError, match="holds blank lines only"):
            read_table(write(tmp_path, "t.csv", b"\n\n\n"), options)


@pytest.mark.parametrize("index", [b"99999999999", b"9" * 30, b"2000000000"])
def test_svmlight_indices_beyond_reason_ask_for_no_memory(tmp_path, index):
    file = write(tmp_path, "t.svm", b"1 " + index + b":1\n2 1:1\n")
    with pytest.raises(TableError, match="cannot be read as svmlight"):
        read_table(file)


def test_a_width_the_user_gives_is_taken_as_it_is(tmp_path):
    file = write(tmp_path, "t.svm", b"1 3:1\n2 1:1\n")
    table = read_table(file, ReadOptions(n_features=1_200_000))
    assert table.values.shape == (2, 1_200_000)


def archive(content):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("X.npy", content)
    return stream.getvalue()


def npy(shape):
    """Return an array file that announces this shape and holds nothing."""
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
    head = head.ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head


@pytest.mark.parametrize(
    "content",
    [
        archive(npy("(2, (")),  # the tokenizer's own error
        archive(npy("(2, 1000000000000000)")),  # memory for petabytes
        archive(npy("(3, 2)")),  # announced, not there
        archive(b"not an array"),
        archive(np.arange(6.0).tobytes())[:-30],
    ],
)
def test_damaged_archives_are_table_errors(tmp_path, content):
    with pytest.raises(TableError, match=r"t\.npz"):
        read_table(write(tmp_path, "t.npz", content))


def test_a_damaged_stream_inside_an_archive_is_a_table_error(tmp_path):
    stream = io.BytesIO()
    np.savez_compressed(stream, X=np.random.default_rng(0).standard_normal((9, 9)))
    data = bytearray(stream.getvalue())
    data[60:90] = b"\xff" * 30
    with pytest.raises(TableError, match=r"t\.npz"):
        read_table(write(tmp_path, "t.npz", bytes(data)))


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


@pytest.mark.parametrize("judge", [sv.objective, sv.kkt_violation])
@pytest.mark.parametrize(
    ("X", "y", "coef", "words"),
    [
        (np.zeros((0, 0)), [], [], "X has shape"),
        ([], [], [], "X has shape"),
        (np.zeros((2, 0)), [1.0, 2.0], [], "X has shape"),
        ([["a"]], [1.0], [1.0], "X has shape"),
        (np.eye(2), [1.0, 2.0], [np.nan, 1.0], "coef contains NaN at entry 0"),
        (np.eye(2), [1.0, np.inf], [0.0, 1.0], "y contains infinity at entry 1"),
        (np.eye(2), [1.0, 2.0], ["a", "b"], "coef cannot be converted"),
        (np.array([[np.nan]]), [1.0], [1.0], "X contains NaN at row 0"),
    ],
)
def test_the_judges_refuse_what_cannot_be_judged(judge, X, y, coef, words):
    with pytest.raises(ValueError, match=words):
        judge(X, y, coef, penalty="l1", alpha=1.0)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"feature_names": np.array(["a", "a"])}, "more than one column is called 'a'"),
        ({"feature_names": np.array([2**31], "<u4").view("<U1")}, "feature_names cannot be read"),
        ({"y": np.array(1.0)}, "y must hold one number per row"),
        ({"y": np.zeros((3, 2))}, "y must hold one number per row"),
    ],
)
def test_archives_with_odd_names_and_responses(tmp_path, arrays, words):
    np.savez(tmp_path / "t.npz", X=np.zeros((3, 2)), **arrays)
    with pytest.raises(TableError, match=words):
        read_table(tmp_path / "t.npz")


@pytest.mark.parametrize(
    ("shape", "indptr"), [((2**40, 2), [0, 1, 2]), ((2, 2), [0, 9, 0]), ((2, 2), [0, 1, 900])]
)
def test_archives_with_impossible_sparse_matrices(tmp_path, shape, indptr):
    parts = {"data": [1.0, 2.0], "indices": [0, 1], "indptr": indptr, "shape": shape}
    np.savez(tmp_path / "t.npz", format=b"csc", **parts)
    with pytest.raises(TableError, match="holds a broken sparse matrix"):
        read_table(tmp_path / "t.npz")


@pytest.mark.parametrize("wrong", [-1, "seed", 1.5])
def test_wrong_random_states_are_named(wrong):
    X, y = np.eye(4), np.arange(4.0)
    with pytest.raises(ValueError, match="random_state must be None, an integer >= 0"):
        sv.stability_selection(X, y, n_pairs=1, random_state=wrong)
    with pytest.raises(ValueError, match="random_state must be None, an integer >= 0"):
        sv.local_minima(X, y, alpha=0.1, random_state=wrong)


def test_the_judges_answer_inf_beyond_the_range():
    X, y, w = np.full((2, 2), 1e300), [1e300, 0.0], [1e300, -1e300]
    assert sv.objective(X, y, w, penalty="l1", alpha=1.0) == np.inf
    assert sv.kkt_violation(X, y, w, penalty="l1", alpha=1.0) == np.inf


def test_a_surface_of_columns_beyond_the_range_is_refused_in_words():
    X = np.eye(5)[:, :1] * 1e300
    with pytest.raises(ValueError, match="power of ten"):
        sv.sparse_surface(X, np.arange(5.0), "mcp", alphas=3)


def test_denormal_columns_are_refused_not_certified():
    X = 5e-324 * np.array([[600_000.0], [-34_000.0], [-760_000.0], [460_000.0]])
    y = np.array([-1.4e149, 6.5e149, 7.7e149, 2.3e150])
    with pytest.raises(ValueError, match="multiply X by a power of ten"):
        sv.sparse_path(X, y, "l1", alphas=4, fit_intercept=False)


def test_sparse_objects_are_not_numbers():
    X = sparse.csc_array(np.eye(4))
    X.data = X.data.astype(object)
    with pytest.raises(ValueError, match="X is sparse with dtype object"):
        sv.alpha_max(X, np.arange(4.0))


@pytest.mark.parametrize("kind", ["csc", "csr", "coo", "bsr", "lil", "dok", "dia"])
def test_the_judges_take_every_sparse_format(kind):
    X, y, w = np.diag([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0], [0.5, 0.0, 1.0]
    where = {"penalty": "mcp", "alpha": 0.1}
    for judge in (sv.objective, sv.kkt_violation):
        expected = judge(X, y, w, **where)
        assert judge(sparse.csc_array(X).asformat(kind), y, w, **where) == pytest.approx(expected)
    X[1, 1] = np.nan
    with pytest.raises(ValueError, match="X contains NaN at row 1, column 1"):
        sv.objective(sparse.csc_array(X).asformat(kind), y, w, **where)


@pytest.mark.parametrize("alphas", [10**7, 10**400])
def test_more_alphas_than_memory_holds_are_refused(alphas):
    with pytest.raises(ValueError, match="more than the 1000000 a path may have"):
        sv.sparse_path(np.eye(3), np.arange(3.0), alphas=alphas)


def test_limits_beyond_64_bits_are_no_limits():
    path = sv.sparse_path(np.eye(3), np.arange(3.0), alphas=2, max_iter=10**400)
    assert path.converged.all()


def test_a_violator_within_the_tolerance_does_not_hide_one_that_is_not():
    # The third column violates by 0.75 tol: enough to be found, not enough to deny the certificate.
    # The second one looked unlikely before the first was fitted, and violates by 1.83.
    n, alpha, tol = 300, 0.15, 1e-6
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((n, 3)))[0] * np.sqrt(n)
    a, t, u = Q.T
    rho = (alpha * (1 + 0.75 * tol) - 0.75 * alpha) / 2 / (1 - alpha)
    q = np.sqrt(1 - rho**2)
    X = np.asfortranarray(np.c_[a, -0.5 * a + np.sqrt(0.75) * t, 2 * (-rho * a + q * u)])
    y = a + 0.5 / np.sqrt(0.75) * t + (0.75 * alpha / 2 + rho) / q * u
    path = sv.sparse_path(X, y, "l1", alphas=[alpha], tol=tol, fit_intercept=False)
    assert path.converged.all()
    assert sv.kkt_violation(X, y, path.coef_at(alpha), penalty="l1", alpha=alpha) <= tol


def test_an_empty_support_after_a_large_one():
    rng = np.random.default_rng(0)
    X = sparse.csc_array(np.where(rng.random((300, 2000)) < 0.01, rng.random((300, 2000)), 0.0))
    y = X[:, :200] @ rng.standard_normal(200) + 0.01 * rng.standard_normal(300)
    largest = sv.alpha_max(X, y, "l1")
    model = sv.SparseRegressor("l1", alpha=1e-2 * largest, warm_start=True).fit(X, y)
    model.set_params(alpha=1.1 * largest).fit(X, y)
    assert not model.coef_.any()
    assert model.certificate_.kkt <= 1e-3 * DEFAULT_KKT  # rounding alone


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of the first fit
@pytest.mark.parametrize("size", [1e10, 1e12, 1e14])
def test_rounding_errors_of_a_far_larger_start_are_remembered(size):
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((100, 20)))
    y = X[:, :3] @ [1.0, -2.0, 0.5] + 0.1 * rng.standard_normal(100)
    model = sv.SparseRegressor("l1", alpha=0.01, warm_start=True).fit(X, size * y).fit(X, y)
    judged = sv.kkt_violation(X, y, model.coef_, model.intercept_, penalty="l1", alpha=0.01)
    assert model.certificate_.converged
    assert judged <= model.certificate_.kkt + 1e-3 * DEFAULT_KKT
