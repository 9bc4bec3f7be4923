"""Disks that fill up while we write: a clear error, the old file, and nothing half-written."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sparsieve as sv
from sparsieve._files import atomic_writer
from sparsieve.files.checkpoint import Checkpoint
from sparsieve.report import write_html

# The kernel itself cuts the write: no file of this process may grow beyond the limit.
LIMITED = """
import os, resource, sys
from sparsieve.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.argv[1:] = sys.argv[2:]
sys.exit(main())
"""


@pytest.fixture
def model():
    X, y, _ = sv.datasets.make_toy(40, 12, 3, noise=0.3, random_state=1)
    return sv.SparseRegressorIC("mcp", alphas=8).fit(X, y)


@pytest.fixture
def table(tmp_path):
    X, y, _ = sv.datasets.make_toy(40, 12, 3, noise=0.3, random_state=1)
    names = ",".join(["y", *(f"x{j}" for j in range(12))])
    np.savetxt(tmp_path / "t.csv", np.column_stack([y, X]), "%.6g", ",", header=names, comments="")
    return tmp_path / "t.csv"


def writers(model):
    """Return the ways a file is written, by name."""
    arrays = {"a": np.zeros(500)}
    return {
        "model": model.save,
        "report": lambda file: write_html(model, file),
        "checkpoint": lambda file: Checkpoint(file, "test", lambda: "id").put(0, arrays),
    }


@pytest.mark.parametrize("kind", ["model", "report", "checkpoint"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_failing_disk_is_named_and_leaves_nothing(model, tmp_path, monkeypatch, kind, code):
    file = tmp_path / "out"
    write = writers(model)[kind]
    write(file)
    before = file.read_bytes()
    if kind == "checkpoint":
        kept = Checkpoint(file, "test", lambda: "id")
        write = lambda file: kept.put(1, {"b": np.ones(500)})  # noqa: E731

    def fail(descriptor):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=os.strerror(code)) as caught:
        write(file)
    assert caught.value.errno == code
    assert caught.value.filename == str(file)
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("kind", ["model", "report"])
def test_a_full_device_is_named(model, kind):
    with pytest.raises(OSError, match=r"No space left on device: '/dev/full'"):
        writers(model)[kind]("/dev/full")


def limited(folder, size, *arguments):
    command = [sys.executable, "-W", "ignore", "-c", LIMITED, str(size), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_FSIZE as Linux has it")
@pytest.mark.parametrize("size", [0, pytest.param(700, marks=pytest.mark.slow)])
def test_commands_on_a_full_disk_leave_no_half_file(tmp_path, table, size):
    whole = limited(tmp_path, 10**9, "fit", "t.csv", "--target", "y", "-o", "m.json")
    assert whole.returncode == 0, whole.stderr
    kept = (tmp_path / "m.json").read_bytes()
    before = set(os.listdir(tmp_path))
    for arguments in (
        ("fit", "t.csv", "--target", "y", "-o", "m.json"),
        ("predict", "m.json", "t.csv", "-o", "new.csv"),
        ("path", "t.csv", "--target", "y", "-o", "path.csv"),
    ):
        if arguments[0] == "predict" and size > 0:
            continue  # forty predictions fit into 700 bytes
        done = limited(tmp_path, size, *arguments)
        assert done.returncode == 4, (arguments, done.stderr)
        assert "file too large" in done.stderr
        assert arguments[-1] in done.stderr
        assert set(os.listdir(tmp_path)) == before
        assert (tmp_path / "m.json").read_bytes() == kept


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_into_a_full_pipe_is_an_error(tmp_path, table):
    model = limited(tmp_path, 10**9, "fit", "t.csv", "--target", "y", "-o", "m.json")
    assert model.returncode == 0
    command = [sys.executable, "-m", "sparsieve", "info", "m.json"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 4
    assert "No space left" in done.stderr or "no space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_temporary_files_are_never_for_everybody(tmp_path):
    seen = []
    before = os.umask(0)
    try:
        with atomic_writer(tmp_path / "file") as stream:
            seen = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in os.listdir(tmp_path)]
            stream.write(b"x")
    finally:
        os.umask(before)
    assert len(seen) == 1
    assert not seen[0] & stat.S_IWOTH
    assert not (tmp_path / "file").stat().st_mode & stat.S_IWOTH
