"""Archives of arrays: damaged ones and ones that promise too much are table errors."""

import io
import zipfile

import numpy as np
import pytest

from sparsieve.tables.table import TableError
from sparsieve.tables.table_files import read_table

# What the fuzzers found; each crashed, hung or spoke in riddles once.


def write(folder, name, content):
    file = folder / name
    file.write_bytes(content)
    return file


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
