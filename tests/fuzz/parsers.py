"""Random input for everything that parses: spoilt files, with and without a right checksum.

``python -m tests.fuzz csv --first SEED --count 1`` runs one input again.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import tempfile
import zipfile
from datetime import datetime
from functools import cache
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

import sparsieve as sv
from sparsieve.estimators.table_model import TableModel
from sparsieve.files.checkpoint import Checkpoint, pack_points
from sparsieve.tables.columns import make_design
from sparsieve.tables.table import Table

from .mutations import JsonText, spoil
from .parser_checks import HEAD, N_FEATURES

TARGETS = ("model", "checkpoint", "csv", "gz", "parquet", "excel", "svmlight", "npz", "csc")


def model_file(body):
    """Return a model file with this content and a right header, as an attacker could make."""
    digest = hashlib.sha256(b"sparsieve-model 1\n" + body).hexdigest().encode()
    head = b'{"format":"sparsieve-model","version":1,"sha256":"%s","bytes":%d,"content":\n'
    return head % (digest, len(body)) + body + b"\n}\n"


def checkpoint_file(body):
    """Return a checkpoint file with this content and a right checksum."""
    return b"sparsieve-checkpoint 1\n" + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def wrap(target, data):
    """Return input for a coverage-guided fuzzer's bytes: the first one repairs the checksum."""
    if target == "model" and data[:1] != b"\0":
        return model_file(data[1:])
    if target == "checkpoint" and data[:1] != b"\0":
        return checkpoint_file(data[1:])
    return data[1:] if target in ("model", "checkpoint") else data


@cache
def _models():
    """Return the contents of small models of every kind."""
    X, y, _ = sv.datasets.make_toy(12, 3, 1, noise=0.3, random_state=1)
    table = Table("t", ["a", "b", "c"], np.asfortranarray(X), {}, y, "y")
    design = make_design(table, None, impute="mean")
    models = [
        sv.SparseRegressor("mcp", 0.3).fit(X, y),
        sv.SparseRegressor(sv.Lq(0.5), 0.3, weights=[np.inf, 0.0, 1.0]).fit(X, y),
        sv.SparseRegressorIC("l1", alphas=2, eps=1e-3).fit(X, y),
        TableModel.of(
            sv.SparseRegressor("l1", 0.1, standardize=True).fit(design.X, design.y), design
        ),
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.json"
        contents = []
        for model in models:
            model.save(file)
            contents.append(json.loads(file.read_bytes())["content"])
    return [JsonText(content) for content in contents]


@cache
def _checkpoints():
    """Return (header, payload) of small checkpoints."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run"
        kept = Checkpoint(file, HEAD["what"], lambda: HEAD["fingerprint"])
        kept.put(0, {"numbers": np.array([[1.0, np.nan], [np.inf, -0.0]]), "n": np.arange(3)})
        kept.put(1, {"empty": np.zeros((0, 2))})
        X, y, _ = sv.datasets.make_toy(20, N_FEATURES, 2, noise=0.3, random_state=1)
        path = sv.sparse_path(X, y, "mcp", alphas=4)
        points = Checkpoint(file.with_name("points"), HEAD["what"], lambda: HEAD["fingerprint"])
        points.put(0, pack_points(path.points))
        points.put(2, pack_points(path.points[:1]))
        bodies = [f.read_bytes().split(b"\n", 2)[2] for f in (file, file.with_name("points"))]
    parts = [body.split(b"\n", 1) for body in bodies]
    return [(JsonText(json.loads(line)), payload) for line, payload in parts]


@cache
def _archives():
    """Return small NumPy archives, dense, sparse and compressed."""
    X = np.arange(6.0).reshape(3, 2)
    made = []
    for save, arrays in [
        (np.savez, {"X": X, "y": X[:, 0]}),
        (np.savez_compressed, {"X": X, "feature_names": np.array(["a", "b"])}),
    ]:
        stream = io.BytesIO()
        save(stream, **arrays)
        made.append(stream.getvalue())
    for matrix in (sparse.csc_array(X), sparse.csr_array(X)):
        stream = io.BytesIO()
        sparse.save_npz(stream, matrix, compressed=False)
        made.append(stream.getvalue())
    return made


CSV = [
    b"\0a,b,y\n1,2,3\n4,5,6\n",
    b"\0a;b;y\r\n1,5;x;3\r\n2,5;y;4\r\n",
    b'\0"a","b b",y\n"1","x, y",2\n"3","z ""q""",4\n',
    b"\1" + b"1,2,3\n4,5,6\n",
    b"\2a;b\n1,5;2\n;3\n",
    b"\3a,b\n-,1\n?,\xe9\n",
    b"\4" + "a,b\n1,2\n".encode("utf-16"),
    b"\0,a,b\n0,true,NA\n1,false,\n",
    b"\0\xef\xbb\xbfa\tb\n1e3\t-2\n\n3\tinf\n",
    b"\0sep=;\na;b;c\n1.234,5;31.12.2024;12 %\n2,5;1.2.2024;3%\nsum\n",
    b'\0title\n\na,b\n"$1,234.50",1/13/2024\n($3.25),2/1/2024\n,\n',
    "\0a;b\n1\N{NO-BREAK SPACE}234,5 €;k.A.\n3 €;5\n2 €;7\n".encode("cp1252"),
    "\0a,a,\n1,2,\n3,x,\n".encode("utf-16"),
    b"\5a;b;id\n1'000.5;2024-01-01T10:00:00Z;A1\n2;2024-01-02;A2\n",
]
SVMLIGHT = [
    b"1 1:2 3:4.5 # note\n-1 2:1e3\n",
    b"# head\n0.5 qid:3 1:1 2:-0\n2 4:1\n",
    b"1\n2 7:1\n",
    b"+1 0:3 5:nan\n-1 1:inf\n",
]


def make_model(rng):
    """Spoil a model's JSON under a right checksum, its bytes, or the file as a whole."""
    model = rng.choice(_models())
    way = rng.random()
    if way < 0.6:
        return model_file(model.spoil(rng).encode())
    body = model.text.encode()
    if way < 0.8:
        return model_file(spoil(rng, body, [body], 3))
    return spoil(rng, model_file(body), [body])


def make_checkpoint(rng):
    """Spoil a checkpoint's header or arrays under a right checksum, or the file as a whole."""
    head, payload = rng.choice(_checkpoints())
    way = rng.random()
    if way < 0.2:  # another number under a right header
        at = 8 * rng.randrange(len(payload) // 8)
        number = np.array([rng.choice(NUMBERS)], dtype=rng.choice(["<f8", "<i8"])).tobytes()
        return checkpoint_file(
            head.text.encode() + b"\n" + payload[:at] + number + payload[at + 8 :]
        )
    if way < 0.5:
        return checkpoint_file(head.spoil(rng).encode() + b"\n" + payload)
    body = head.text.encode() + b"\n" + payload
    if way < 0.8:
        return checkpoint_file(spoil(rng, body, [body], 3))
    return spoil(rng, checkpoint_file(body), [body])


NUMBERS = [-1, 0, 1, 2, 7, 255, 2**31, 2**62, -(2**62)]


def make_gz(rng):
    """Spoil a table and compress it, or the compressed bytes."""
    text = rng.choice(CSV)[1:]
    if rng.random() < 0.2:  # little to store, much to read
        text = text[: rng.randrange(len(text))] + rng.choice(REPEATED) * rng.randrange(10**5)
    if rng.random() < 0.5:
        return gzip.compress(spoil(rng, text, CSV), 1, mtime=0)
    return spoil(rng, gzip.compress(text, 1, mtime=0), CSV, 3)


REPEATED = [b"\n", b"1,2,3\n", b",", b"1,", b'"', b" ", b"a;b\r"]


@cache
def _parquets():
    """Return small Parquet files of numbers and of text, plain and compressed."""
    table = pa.table({"a": [1.0, 2.0, None], "b": ["x", "yy", "x"], "c": [True, False, None]})
    made = []
    for options in ({"compression": "none"}, {"compression": "gzip"}, {"use_dictionary": False}):
        stream = io.BytesIO()
        pq.write_table(table, stream, **options)
        made.append(stream.getvalue())
    return made


def make_parquet(rng):
    """Spoil a Parquet file."""
    return spoil(rng, rng.choice(_parquets()), _parquets(), 3)


@cache
def _books():
    """Return the files inside small Excel files, by name."""
    made = []
    for first in ([["a", "b"]], [["title"], [], ["a", None, "b", "c"]]):
        book = openpyxl.Workbook()
        rows = [[1.5, "x", datetime(2024, 1, 31)], ["1,5", True, None], [None, 3, "k.A."]]
        for row in [*first, *rows]:
            book.active.append(row)
        book.create_sheet("other").append(["z"])
        stream = io.BytesIO()
        book.save(stream)
        with zipfile.ZipFile(io.BytesIO(stream.getvalue())) as file:
            made.append({info.filename: file.read(info) for info in file.infolist()})
    return made


def make_excel(rng):
    """Spoil a file inside an Excel file, or the file as a whole."""
    members = dict(rng.choice(_books()))
    name = rng.choice([name for name in members if "sheet" in name or "Strings" in name])
    members[name] = spoil(rng, members[name], list(members.values()), 3)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, data in members.items():
            file.writestr(zipfile.ZipInfo(name), data)
    data = stream.getvalue()
    return spoil(rng, data, [data], 3) if rng.random() < 0.3 else data


def make_csv(rng):
    """Spoil a table."""
    return spoil(rng, rng.choice(CSV), CSV)


def make_svmlight(rng):
    """Spoil a svmlight file."""
    return spoil(rng, rng.choice(SVMLIGHT), SVMLIGHT)


KINDS = ["<f8", "|u1", "|b1", "<U0", "|S1", "<U3", "<c16", "|V0", "<f2"]


@cache
def _members():
    """Return the files inside the archives, by name."""
    opened = [zipfile.ZipFile(io.BytesIO(data)) for data in _archives()]
    return [{info.filename: file.read(info) for info in file.infolist()} for file in opened]


def make_npz(rng):
    """Spoil an archive, or the arrays inside one with right checksums."""
    if rng.random() < 0.3:
        return spoil(rng, rng.choice(_archives()), _archives(), 3)
    members = dict(rng.choice(_members()))
    name = rng.choice(list(members))
    if rng.random() < 0.2:  # a shape that is not that of the numbers
        shape = tuple(rng.choice((0, 1, 3, 10**6, 10**12)) for _ in range(rng.randrange(4)))
        header = io.BytesIO()
        kind = {"descr": rng.choice(KINDS), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(header, kind)
        members[name] = header.getvalue() + members[name][128:]
    else:
        members[name] = spoil(rng, members[name], list(members.values()), 3)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, data in members.items():
            file.writestr(zipfile.ZipInfo(name), data)
    return stream.getvalue()


def make_csc(rng):
    """Write down small arrays that are a matrix, nearly one, or nothing of the kind."""
    rows, columns = rng.randrange(9), rng.randrange(9)
    kind = rng.randrange(4)
    lines, other = (rows, columns) if kind == 1 else (columns, rows)
    counts = [rng.randrange(4) if other else 0 for _ in range(lines)]
    indptr = [0]
    for count in counts:
        indptr.append(indptr[-1] + count)
    indices = [rng.randrange(max(other, 1)) for _ in range(indptr[-1])]
    if rng.random() < 0.5:
        start = 0
        for stop in indptr[1:]:
            indices[start:stop] = sorted(indices[start:stop])
            start = stop
    if kind == 2:
        indptr = [rng.randrange(max(columns, 1)) for _ in indices[:11]]
    for _ in range(rng.choice((0, 0, 1, 2))):
        part = rng.choice((indptr, indices))
        if part:
            part[rng.randrange(len(part))] = rng.choice((-1, 0, 9, 2**31 - 1, -(2**31), 4))
    head = [kind, rows, columns, rng.randrange(2), len(indptr), rng.randrange(1, 12)]
    head += [rng.randrange(2), rng.randrange(1, 40)]
    values = [rng.randrange(-3, 4) for _ in indices]
    numbers = np.array(indptr + indices + values, dtype=np.int32)
    return bytes(head) + numbers.tobytes()


_MAKERS = {
    "model": make_model,
    "checkpoint": make_checkpoint,
    "csv": make_csv,
    "gz": make_gz,
    "parquet": make_parquet,
    "excel": make_excel,
    "svmlight": make_svmlight,
    "npz": make_npz,
    "csc": make_csc,
}
_RNG = random.Random()


def make(target, seed):
    """Return the input of a seed."""
    _RNG.seed(seed)
    return _MAKERS[target](_RNG)


def corpus(target):
    """Return what a coverage-guided fuzzer begins with, in the form :func:`wrap` takes."""
    if target == "model":
        return [b"\1" + model.text.encode() for model in _models()]
    if target == "checkpoint":
        return [b"\1" + head.text.encode() + b"\n" + payload for head, payload in _checkpoints()]
    fixed = {"csv": CSV, "svmlight": SVMLIGHT, "npz": _archives(), "parquet": _parquets()}
    return fixed.get(target) or [make(target, seed) for seed in range(50)]
