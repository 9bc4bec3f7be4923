"""Memory of reading: at most 20 times what a file holds, and what it holds is limited."""

import gzip
import io
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from forged_files import forge
from scipy import sparse

from sparsieve import ModelFileError, load_model
from sparsieve.tables.table import ReadOptions, TableError
from sparsieve.tables.table_files import read_table

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

MEGABYTE = 2**20
#: Of names, blocks and the reader's own, whatever the file holds.
ROOM = 300 * MEGABYTE

READ = """
import resource, sys
from sparsieve import ModelFileError, load_model
from sparsieve.tables.table import ReadOptions, TableError
from sparsieve.tables.table_files import read_table

def used():
    with open("/proc/self/status") as status:
        return 1024 * next(int(line.split()[1]) for line in status if line.startswith("VmPeak"))

resource.setrlimit(resource.RLIMIT_AS, (used() + int(sys.argv[2]),) * 2)
try:
    if sys.argv[1].endswith(".json"):
        load_model(sys.argv[1])
    else:
        read_table(sys.argv[1], ReadOptions(header=sys.argv[3] == "header"))
except (TableError, ModelFileError) as error:
    print(error)
"""


def within(file, room, header="header"):
    """Read a file with so much address space for it; return what was said."""
    command = [sys.executable, "-c", READ, str(file), str(room), header]
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def zipped(file, text):
    file.write_bytes(gzip.compress(text, 1))
    return file


BOMBS = {
    "blank lines": (b"a,b\n1,2\n" + b"\n" * 20_000_000, "header"),
    "a wide header over narrow rows": (
        b",".join(b"c%d" % j for j in range(2000)) + b"\n" + b"1\n" * 3_000_000,
        "header",
    ),
    "many short texts": (b"a,b\n" + b"".join(b"%x,1\n" % k for k in range(2_000_000)), "header"),
    "a line of fields": (b"1," * 8_000_000 + b"1\n", "none"),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS as Linux has it")
@pytest.mark.parametrize("kind", BOMBS)
def test_a_csv_takes_at_most_twenty_times_what_it_holds(tmp_path, kind):
    text, header = BOMBS[kind]
    file = zipped(tmp_path / "t.csv.gz", text)
    said = within(file, min(20 * len(text), 1500 * MEGABYTE) + ROOM, header)
    assert "memory" not in said
    assert file.stat().st_size < len(text) / 2


def test_compressed_text_beyond_max_bytes_is_refused_by_that_name(tmp_path):
    text = b"a,b\n" + b"1,2\n" * 100_000
    for name in ("t.csv", "t.csv.gz"):
        file = tmp_path / name
        file.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        with pytest.raises(TableError, match=r"the 1000 bytes that max_bytes .*`max_bytes=\.\.\.`"):
            read_table(file, ReadOptions(max_bytes=1000))
        assert read_table(file, ReadOptions(max_bytes=len(text))).n_rows == 100_000
    svm = zipped(tmp_path / "t.svm.gz", b"1 1:2\n" * 1000)
    with pytest.raises(TableError, match="max_bytes"):
        read_table(svm, ReadOptions(max_bytes=1000))
    assert read_table(svm).n_rows == 1000


def test_the_default_limit_is_for_what_is_compressed(tmp_path, monkeypatch):
    monkeypatch.setattr("sparsieve.tables.limits.MOST_BYTES", 1000)
    text = b"a,b\n" + b"1,2\n" * 1000
    (tmp_path / "t.csv").write_bytes(text)
    assert read_table(tmp_path / "t.csv").n_rows == 1000
    with pytest.raises(TableError, match="max_bytes"):
        read_table(zipped(tmp_path / "t.csv.gz", text))


def test_archives_and_parquet_files_announce_what_they_hold(tmp_path):
    X = np.zeros((100_000, 10))
    np.savez_compressed(tmp_path / "t.npz", X=X)
    pq.write_table(pa.table({"a": np.zeros(1_000_000)}), tmp_path / "t.parquet")
    for name in ("t.npz", "t.parquet"):
        assert (tmp_path / name).stat().st_size < 100_000
        with pytest.raises(TableError, match=r"the 100000 bytes that max_bytes allows"):
            read_table(tmp_path / name, ReadOptions(max_bytes=100_000))
        read_table(tmp_path / name, ReadOptions(max_bytes=10**7))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS as Linux has it")
def test_an_archive_whose_header_announces_terabytes_asks_for_no_memory(tmp_path):
    member = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        member, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)}
    )
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("X.npy", member.getvalue() + bytes(64))
    assert "shorter than its shape" in within(tmp_path / "t.npz", ROOM)


def test_an_archive_of_nothing_by_a_billion_is_refused(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.zeros((0, 10**9)))
    with pytest.raises(TableError, match="save numbers"):
        read_table(tmp_path / "t.npz")
    narrow = np.zeros(10**6, dtype="S1")
    np.savez_compressed(tmp_path / "n.npz", X=np.zeros((2, 2)), feature_names=narrow)
    with pytest.raises(TableError, match="1000000 feature_names for 2 columns"):
        read_table(tmp_path / "n.npz")


def test_indices_do_not_decide_how_many_names_are_made(tmp_path):
    lines = b"".join(b"1 %d:1\n" % j for j in (*range(1, 20_000), 18_000_000))
    (tmp_path / "t.svm").write_bytes(lines)
    with pytest.raises(TableError, match="a shape of"):
        read_table(tmp_path / "t.svm")
    matrix = sparse.csc_array(([1.0] * 20_000, (range(20_000), [0] * 20_000)), shape=(20_000, 1))
    sparse.save_npz(tmp_path / "t.npz", matrix)
    assert read_table(tmp_path / "t.npz").values.shape == (20_000, 1)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS as Linux has it")
def test_a_model_takes_at_most_twenty_times_what_it_holds(tmp_path):
    bodies = {
        "numbers": b'{"model":{"$":[' + b"0.5," * 1_000_000 + b"1]}}",
        "texts": b'{"model":{"$":[' + b'"ab",' * 1_000_000 + b"1]}}",
        "brackets": b'{"model":' + b"[" + b"[]," * 2_000_000 + b"1]}",
    }
    for body in bodies.values():
        file = forge(tmp_path / "m.json", body)
        assert "memory" not in within(file, 20 * len(body) + 50 * MEGABYTE)
    with pytest.raises(ModelFileError, match="max_bytes"):
        load_model(file, max_bytes=10)
