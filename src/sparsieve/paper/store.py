"""The JSON file of a run: every raw timing, written after each path so that a run can resume."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn

Record = dict[str, Any]


class Store:
    """Records by task, kept in one JSON file."""

    def __init__(self, file: Path, profile: str, resume: bool) -> None:
        self.file = file
        self.content: dict[str, Any] = {"profile": profile, "machine": machine(), "paths": {}}
        if resume and file.exists():
            stored = json.loads(file.read_text())
            if stored["profile"] != profile:
                raise ValueError(
                    f"{file} holds a {stored['profile']!r} run, not a {profile!r} one: "
                    "resume with the same options, or choose another --out"
                )
            stored["paths"] = {key: unpack(record) for key, record in stored["paths"].items()}
            self.content = stored

    @property
    def paths(self) -> dict[str, Record]:
        """Records by task key."""
        paths: dict[str, Record] = self.content["paths"]
        return paths

    def add(self, key: str, record: Record) -> None:
        """Keep a record and write the file, replacing it in one step."""
        self.paths[key] = record
        self.file.parent.mkdir(parents=True, exist_ok=True)
        packed = {name: pack(path) for name, path in self.paths.items()}
        draft = self.file.with_suffix(".partial")
        draft.write_text(json.dumps(self.content | {"paths": packed}, separators=(",", ":")))
        os.replace(draft, self.file)

    def in_cell(self, cell: str) -> list[Record]:
        """Return the records of all methods on one cell."""
        return [record for record in self.paths.values() if record["cell"] == cell]


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
    }


def processor() -> str:
    """Return the model name of the processor where the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
