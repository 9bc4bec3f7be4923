"""The JSON file of a run: every raw timing, written every few seconds so that a run can resume."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic
from typing import Any

import numpy as np
import scipy
import sklearn

from sparsieve import __version__

Record = dict[str, Any]
WRITE_EVERY = 5.0  # seconds: a long run has thousands of short paths
# What any record has; with less, a file was torn or written by something else.
FIELDS = frozenset(
    [
        "panel",
        "cell",
        "problem",
        "penalty",
        "shape",
        "n_lambdas",
        "tol",
        "method",
        "cap",
        "points",
        "finished",
        "arm",
        "language",
    ]
)


class StoreError(ValueError):
    """A file that cannot be gone on with."""


class Store:
    """Records by task, kept in one JSON file."""

    def __init__(self, file: Path, profile: str, resume: bool) -> None:
        self.file = file
        head = {
            "profile": profile,
            "machine": machine(),
            "seconds": 0.0,
            "planned": {},
            "notes": {},
        }
        self.content: dict[str, Any] = {**head, "paths": {}}
        if resume and file.exists():
            stored = read(file)
            if stored["profile"] != profile:
                raise StoreError(
                    f"{file} holds a {stored['profile']!r} run, not a {profile!r} one: "
                    "resume with the same options, or choose another --out"
                )
            self.content = {**head, **stored}
        # Each record is put into words once, so that keeping the file costs little beside a path.
        self.written = -WRITE_EVERY
        self.texts = {key: text_of(pack(record)) for key, record in self.paths.items()}

    @property
    def paths(self) -> dict[str, Record]:
        """Records by task key."""
        paths: dict[str, Record] = self.content["paths"]
        return paths

    def add(self, key: str, record: Record, seconds: float) -> None:
        """Keep a record and what it took, and write the file unless it was written just now."""
        packed = pack(record)
        # As a later run will read it: a report must not depend on who makes it.
        self.paths[key] = unpack(packed)
        self.content["seconds"] += seconds  # by the clock on the wall, all interruptions left out
        self.texts[key] = text_of(packed)
        if monotonic() - self.written > WRITE_EVERY:
            self.flush()

    def flush(self) -> None:
        """Write the file, replacing it in one step."""
        self.written = monotonic()
        paths = ",\n".join(f"{text_of(name)}:{text}" for name, text in self.texts.items())
        head = text_of({name: value for name, value in self.content.items() if name != "paths"})
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_suffix(".partial")
        draft.write_text(f'{head[:-1]},\n"paths":{{\n{paths}}}}}\n')
        os.replace(draft, self.file)

    def check_machine(self) -> None:
        """Refuse to go on with timings of another machine: the report names one."""
        stored: dict[str, Any] = self.content["machine"]
        here = machine()
        differing = [
            f"{key} {stored.get(key)}, now {here.get(key)}"
            for key in dict.fromkeys([*stored, *here])
            if stored.get(key) != here.get(key)
        ]
        if differing:
            raise StoreError(
                f"{self.file} was begun elsewhere ({'; '.join(differing)}), and timings do not "
                "mix: choose another --out, or draw what is there with --report-only"
            )

    def in_cell(self, cell: str) -> list[Record]:
        """Return the records of all methods on one cell."""
        return [record for record in self.paths.values() if record["cell"] == cell]


def read(file: Path) -> dict[str, Any]:
    """Return what a file of a run holds, its points as rows."""
    stored: dict[str, Any] = {}
    try:
        stored = json.loads(file.read_text())
        whole = isinstance(stored["profile"], str) and isinstance(stored["machine"], dict)
        stored["paths"] = {key: unpack(record) for key, record in stored["paths"].items()}
        whole &= all(record.keys() >= FIELDS for record in stored["paths"].values())
    except (ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        raise StoreError(
            f"{file} is not a whole file of a run: choose another --out, or move it away"
        )
    return stored


def set_aside(file: Path) -> Path | None:
    """Rename the file of an earlier run, which took its time, and return its new name."""
    if not file.exists():
        return None
    number = 1
    while (new := file.with_suffix(f".{number}{file.suffix}")).exists():
        number += 1
    return file.rename(new)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Make a folder, see that it can be written into, and keep other runs out of it."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=folder):
        pass
    if find_spec("fcntl") is None:  # on Windows, where a folder cannot be locked
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            # Let go with the process, however it ends.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # a network file system without locks
            pass
        yield
    finally:
        os.close(handle)


def text_of(value: Any) -> str:
    """Return JSON without blanks."""
    return json.dumps(value, separators=(",", ":"))


def pack(record: Record) -> Record:
    """Return a record with its points as columns of ten digits: a third of the size."""
    points = record["points"]
    names = dict.fromkeys(name for point in points for name in point)
    columns = {name: [short(point.get(name)) for point in points] for name in names}
    return record | {"points": columns}


def unpack(record: Record) -> Record:
    """Return a packed record with its points as rows again."""
    columns = record["points"]
    rows = zip(*columns.values(), strict=True)
    points = [{k: v for k, v in zip(columns, row, strict=True) if v is not None} for row in rows]
    return record | {"points": points}


def short(value: Any) -> Any:
    """Round a float; leave everything else."""
    return float(f"{value:.10g}") if isinstance(value, float) else value


def machine() -> dict[str, Any]:
    """Return what a reader needs to place the timings; nothing that names the host."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "sparsieve": __version__,
    }


def processor() -> str:
    """Return the model name of the processor where the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
