"""X is read in place: peak memory of a fit, measured in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="the address sanitizer keeps freed memory and pads what is allocated",
)

MEGABYTE = 2**20
SIZE = 150 * MEGABYTE

# Peak resident memory counts what was ever touched, so the growth during the fit is its whole need.
MEASURE = """
import resource, sys, zlib
import numpy as np
from scipy import sparse
import sparsieve as sv

kind, size = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
if kind == "csc":
    n, per_column = 20_000, 200
    d = size // (12 * per_column)
    indices = np.empty(d * per_column, dtype=np.int32)
    data = np.empty(d * per_column)
    for j in range(d):
        part = slice(j * per_column, (j + 1) * per_column)
        start = rng.integers(0, n // per_column)
        indices[part] = start + (n // per_column) * np.arange(per_column)
        data[part] = rng.standard_normal(per_column)
    indptr = np.arange(0, d * per_column + 1, per_column, dtype=np.int32)
    X = sparse.csc_array((data, indices, indptr), shape=(n, d))
    parts, columns = (X.data, X.indices, X.indptr), X[:, [0, 1, 2]].toarray()
else:
    n, dtype = 1000, np.dtype(kind)
    d = size // (n * dtype.itemsize)
    X = np.empty((n, d), dtype=dtype, order="F")
    for j in range(d):
        X[:, j] = rng.standard_normal(n)
    parts, columns = (X,), X[:, :3]
y = np.asarray(columns @ [3.0, -2.0, 1.0], dtype=float) + 0.1 * rng.standard_normal(n)

def checksum():
    return [zlib.adler32(part.T if part.ndim == 2 else part) for part in parts]

for part in parts:
    part.flags.writeable = False
before = checksum()
sv.SparseRegressor("mcp", 1.0).fit(X[:, :50], y)  # load what a fit loads

def peak():
    # VmHWM is this program's own; ru_maxrss also remembers the process that started it.
    if not sys.platform.startswith("linux"):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with open("/proc/self/status") as status:
        return 1024 * next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

def now():
    # An earlier, higher peak would hide growth: start from what is resident now.
    if not sys.platform.startswith("linux"):
        return peak()
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * resource.getpagesize()

how = {"start": sys.argv[3], "minimum": sys.argv[4], "standardize": sys.argv[5] == "True"}
start = now()
path = sv.sparse_path(X, y, "mcp", alphas=20, eps=0.01, **how)
model = sv.SparseRegressor("logsum", path.alphas[5], **how).fit(X, y)
grown = peak() - start
assert path.converged.all() and model.certificate_.converged
assert path.support_size[-1] >= 3
assert checksum() == before, "X was written to"
print(grown, sum(part.nbytes for part in parts))
"""


def growth(kind, size=SIZE, start="previous", minimum="stationary", standardize=False):
    """Return the peak memory a path and a fit add, and the size of X, in bytes."""
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, kind, str(size), start, minimum, str(standardize)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )
    assert run.returncode == 0, run.stderr
    grown, size = run.stdout.split()
    return int(grown), int(size)


# One byte per entry for the 8-bit copy: 1/8 of X in float64, 1/4 in float32, none for sparse X.
# Beside it a fit needs some vectors per feature and the Gram matrix of its working set.
@pytest.mark.parametrize(
    ("kind", "copy"),
    [
        ("float64", 1 / 8),
        pytest.param("float32", 1 / 4, marks=pytest.mark.slow),
        ("csc", 0.0),
    ],
)
def test_x_is_read_in_place_and_read_only(kind, copy):
    grown, size = growth(kind)
    assert size > 0.95 * SIZE
    assert grown < (copy + 0.15) * size


@pytest.mark.parametrize(
    ("kind", "copy"), [("float64", 1 / 8), pytest.param("csc", 0.0, marks=pytest.mark.slow)]
)
def test_standardised_columns_are_no_copy(kind, copy):
    """A factor per column, and the same room as without."""
    grown, size = growth(kind, standardize=True)
    assert grown < (copy + 0.15) * size


@pytest.mark.parametrize(
    ("kind", "copy"), [("float64", 1 / 8), pytest.param("csc", 0.0, marks=pytest.mark.slow)]
)
def test_a_lasso_to_start_from_needs_a_larger_working_set(kind, copy):
    """Its Gram matrix, a second factor and the point that is put aside: still far from a copy."""
    grown, size = growth(kind, start="lasso", minimum="coordinatewise")
    assert grown < (copy + 0.6) * size


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_does_not_grow_with_the_number_of_fits():
    soak = Path(__file__).with_name("leak_soak.py")
    command = [sys.executable, "-W", "ignore", str(soak), "4000"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=soak.parent, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


GUARDED = """
import sys
import numpy as np
from scipy import sparse
import sparsieve as sv

# Every array lies inside a larger one whose border must stay as it is.
rng = np.random.default_rng(0)

def inside(a):
    outer = np.full(a.size + 128, 7, dtype=a.dtype)
    part = outer[64 : 64 + a.size]
    part[:] = a.ravel(order="F")
    return outer, part.reshape(a.shape, order="F")

def check(call, *arrays):
    guarded = [inside(a) for a in arrays]
    before = [outer.tobytes() for outer, _ in guarded]
    call(*(part for _, part in guarded))
    assert [outer.tobytes() for outer, _ in guarded] == before, "an input was written to"

X, y = rng.standard_normal((30, 40)), rng.standard_normal(30)
weight, pi = rng.uniform(0.5, 2.0, 30), rng.uniform(0.5, 2.0, 40)
for dtype in (np.float64, np.float32):
    for n_jobs in (1, 2):
        check(lambda X, y, w, p: sv.sparse_path(X, y, "mcp", alphas=5, sample_weight=w, weights=p,
              n_jobs=n_jobs), X.astype(dtype), y, weight, pi)
check(lambda X, y: sv.SparseRegressorCV(alphas=4, cv=3).fit(X, y).predict(X), X, y)
check(lambda X, y, l: sv.proximal_weighted_lasso(X, y, l), X, y, pi)
S = sparse.csc_array(X * (X > 0.5))
for kind in (np.int32, np.int64):
    def fit(data, indices, indptr, y):
        sv.sparse_path(sparse.csc_array((data, indices, indptr), shape=S.shape), y, alphas=5)
    check(fit, S.data, S.indices.astype(kind), S.indptr.astype(kind), y)
print("untouched")
"""


def test_nothing_is_written_to_the_inputs_or_beside_them():
    command = [sys.executable, "-W", "ignore", "-c", GUARDED]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "untouched\n", done.stderr


THREADS = """
import resource
import numpy as np
import sparsieve as sv

rng = np.random.default_rng(0)
X = np.asfortranarray(rng.standard_normal((100_000, 12)))
y = X[:, 0] + rng.standard_normal(100_000)
peaks = []
for n_jobs in (1, 64):
    sv.sparse_path(X, y, "mcp", alphas=5, n_jobs=n_jobs)
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(1024 * (peaks[1] - peaks[0]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ru_maxrss counts otherwise")
def test_threads_that_have_nothing_to_do_get_no_memory():
    # Scratch of eight columns for each of 64 threads would be 400 MB; X itself has 10 MB.
    run = subprocess.run(
        [sys.executable, "-c", THREADS], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 100e6
