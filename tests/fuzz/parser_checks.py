"""What must hold for any bytes given to a parser: its own error with words, or a sound result.

Each check returns complaints. It imports only the library, so that the text of this module and one
input make a reproducer that runs by itself.
"""

from __future__ import annotations

import io
import tempfile
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from scipy import sparse

from sparsieve import ModelFileError, _core
from sparsieve.data.validation import check_finite_X, check_X
from sparsieve.files.checkpoint import Checkpoint, CheckpointError, parse_units, unpack_points
from sparsieve.files.loading import model_of
from sparsieve.files.model_content import summarize
from sparsieve.files.model_file import parse_content
from sparsieve.inspect.certificate import Certificate
from sparsieve.report import render
from sparsieve.tables.archives import parse_npz, parse_svmlight
from sparsieve.tables.csv_table import read_csv
from sparsieve.tables.excel_table import read_excel
from sparsieve.tables.parquet_table import read_parquet
from sparsieve.tables.table import ReadOptions, Selection, TableError

NAME = Path("input.bin")
HEAD = {"what": "fuzz", "fingerprint": "0"}
CSV_OPTIONS = [
    ReadOptions(),
    ReadOptions(header=False),
    ReadOptions(delimiter=";", decimal=","),
    ReadOptions(encoding="latin-1", missing=("-", "?")),
    ReadOptions(encoding="utf-16"),
    ReadOptions(thousands="'", dates="dmy", skip=0),
]


class Memory:
    """Bytes that can be opened like a path."""

    suffix = ".csv"

    def __init__(self, data):
        self.data = data

    def open(self, mode):
        return io.BytesIO(self.data)

    def __str__(self):
        return str(NAME)


def _words(error):
    """Return complaints about an error that does not name the file or says too little."""
    text = str(error)
    return [] if str(NAME) in text or "encoding" in text else [f"unclear message: {text!r}"]


def check_model(data):
    """Return complaints about loading a model from these bytes."""
    try:
        content = parse_content(NAME, io.BytesIO(data), len(data))
        model = model_of(str(NAME), content)
    except ModelFileError as error:
        return _words(error)
    regressor = getattr(model, "regressor", model)
    summarize(model)  # what `sparsieve info` prints
    render(regressor)
    certificate = regressor.certificate_
    if not isinstance(certificate, Certificate) or not certificate.kkt >= 0.0:
        return ["no certificate, or one with a violation below zero"]
    if getattr(regressor, "checkpoint", None) is not None:
        return ["a loaded model that writes where the file says"]
    if not np.all(np.isfinite(regressor.predict(np.zeros((1, regressor.n_features_in_))))):
        return ["a loaded model predicts something that is not finite"]
    return []


def check_checkpoint(data):
    """Return complaints about reading a checkpoint from these bytes."""
    try:
        units = parse_units(NAME, data, HEAD)
    except CheckpointError as error:
        return _words(error)
    size = sum(array.nbytes for arrays in units.values() for array in arrays.values())
    if size > len(data):
        return ["arrays larger than the file"]
    kept = Checkpoint(None, HEAD["what"], str)
    kept._path, kept.units = NAME, units
    try:
        found = kept.results(lambda arrays: unpack_points(arrays, N_FEATURES), N_UNITS)
    except CheckpointError as error:
        return _words(error)
    points = [point for each in found.values() for point in each]
    fine = all(p.kkt >= 0.0 and np.all(p.columns < N_FEATURES) for p in points)
    return [] if fine else ["a point that no solve gives"]


# What the run of the checkpoints below has.
N_UNITS = 3
N_FEATURES = 6


def _check_table(table, most_rows):
    values = table.values
    if values.shape[1] != len(table.names) or values.shape[0] > most_rows:
        return [f"a table of shape {values.shape} with {len(table.names)} names"]
    if len(set(table.names)) < len(table.names):
        return ["two columns of one name"]
    places = {name: j for j, name in enumerate(table.names)}
    for name, words in table.categories.items():
        codes = values[:, places[name]]
        if not np.all(np.isnan(codes) | ((codes >= 0) & (codes < len(words)))):
            return [f"column {name!r} refers to a category that does not exist"]
    return []


def check_csv(data):
    """Return complaints about reading a CSV file; the first byte chooses the options."""
    options = CSV_OPTIONS[data[0] % len(CSV_OPTIONS)] if data else CSV_OPTIONS[0]
    try:
        table = read_csv(Memory(data[1:]), options, Selection())
    except TableError as error:
        return _words(error)
    return _check_table(table, len(data) + 1)


@cache
def _folder():
    """Return a folder for all inputs of this process, in memory if possible: a disk waits."""
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)


def check_gz(data):
    """Return complaints about reading compressed text."""
    file = Path(_folder().name) / f"{NAME}.gz"
    file.write_bytes(data)
    try:
        table = read_csv(file, ReadOptions(max_bytes=10**6), Selection())
    except TableError as error:
        return _words(error)
    return _check_table(table, 10**6)


def check_parquet(data):
    """Return complaints about reading a Parquet file."""
    options = ReadOptions(max_bytes=10**7)
    try:
        table = read_parquet(NAME, options, Selection(), io.BytesIO(data))
    except TableError as error:
        return _words(error)
    return _check_table(table, 10**7)


def check_excel(data):
    """Return complaints about reading an Excel file."""
    try:
        table = read_excel(NAME, ReadOptions(max_bytes=10**7), Selection(), io.BytesIO(data))
    except TableError as error:
        return _words(error)
    return _check_table(table, 1 << 20)


def check_svmlight(data):
    """Return complaints about reading svmlight text."""
    try:
        table = parse_svmlight(NAME, io.BytesIO(data))
    except TableError as error:
        return _words(error)
    if not np.all(np.isfinite(table.values.shape)) or table.target.shape != (table.n_rows,):
        return ["no response for every row"]
    table.values.check_format(full_check=True)
    return _check_table(table, len(data)) if table.values.shape[1] < 10_000 else []


def check_npz(data):
    """Return complaints about reading a NumPy archive."""
    try:
        table = parse_npz(NAME, io.BytesIO(data))
    except TableError as error:
        return _words(error)
    return _check_table(table, 10**9)


def read_csc(data):
    """Return (format, shape, data, indices, indptr) that the bytes spell, right or wrong."""
    head = np.frombuffer(data[:8].ljust(8, b"\0"), dtype=np.int8).astype(int)
    kind = ("csc", "csr", "coo", "csc")[head[0] % 4]
    shape = (int(abs(head[1]) % 9), int(abs(head[2]) % 9))
    numbers = np.frombuffer(data[8 : 8 + (len(data) - 8) // 4 * 4], dtype=np.int32)
    wide = np.int64 if head[3] % 2 else np.int32
    ends = int(abs(head[4]) % 12)
    indptr, rest = numbers[:ends].astype(wide), numbers[ends:]
    half = len(rest) // 2 + (head[5] % 3 == 0 and len(rest) > 2)
    values = rest[half:].astype(np.float32 if head[6] % 2 else np.float64)
    if head[7] % 5 == 0 and values.size:
        values[0] = (np.nan, np.inf, -np.inf, 5e-324, 1.7e308)[head[7] % 3]
    return kind, shape, values, rest[:half].astype(wide), indptr


def _broken_matrix(kind, shape, values, indices, indptr):
    """Return a SciPy matrix with exactly these arrays, which its constructor might refuse."""
    make = {"csc": sparse.csc_array, "csr": sparse.csr_array, "coo": sparse.coo_array}[kind]
    matrix = make(shape, dtype=values.dtype)
    matrix.data = values
    if kind == "coo":
        # The columns come from the same numbers, so that pairs repeat and leave the matrix.
        matrix.row = indices
        matrix.col = np.resize(indptr, indices.shape).astype(indices.dtype)
    else:
        matrix.indices, matrix.indptr = indices, indptr
    return matrix


def check_csc(data):
    """Return complaints about a sparse matrix whose arrays may be anything."""
    kind, shape, values, indices, indptr = read_csc(data)
    complaints = []
    if kind == "csc":
        try:
            columns = _core.csc(values, indices, indptr, shape[0])
            if columns.shape[0] != shape[0] or columns.shape[1] != indptr.size - 1:
                complaints.append("the core misread the shape")
        except ValueError:
            pass
    before = [part.tobytes() for part in (values, indices, indptr)]
    try:
        X = check_X(_broken_matrix(kind, shape, values, indices, indptr), min_samples=1)
        check_finite_X(X)  # what a design asks for once the norms of its columns are not finite
    except ValueError as error:
        if "X" not in str(error):
            complaints.append(f"unclear message: {error}")
        return complaints
    if [part.tobytes() for part in (values, indices, indptr)] != before:
        complaints.append("the user's arrays were changed")
    X.check_format(full_check=True)
    steps = np.diff(X.indices) > 0
    steps[X.indptr[1:-1][(X.indptr[1:-1] > 0) & (X.indptr[1:-1] < X.nnz)] - 1] = True
    if X.shape != shape or not np.all(steps) or not np.all(np.isfinite(X.data)):
        complaints.append("not a canonical matrix of finite numbers")
    return complaints


CHECKS = {
    "model": check_model,
    "checkpoint": check_checkpoint,
    "csv": check_csv,
    "gz": check_gz,
    "parquet": check_parquet,
    "excel": check_excel,
    "svmlight": check_svmlight,
    "npz": check_npz,
    "csc": check_csc,
}


def complaints_of(target, data):
    """Return the complaints of a check; an exception it did not expect is one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return CHECKS[target](data)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
