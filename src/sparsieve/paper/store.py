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

from .. import __version__

Record = dict[str, Any]


class Store:
    """Records by task, kept in one JSON file."""

    def __init__(self, file: Path, profile: str, resume: bool) -> None:
        self.file = file
        head = {"profile": profile, "machine": machine(), "seconds": 0.0}
        self.content: dict[str, Any] = {**head, "paths": {}}
        if resume and file.exists():
            stored = json.loads(file.read_text())
            if stored["profile"] != profile:
                raise ValueError(
                    f"{file} holds a {stored['profile']!r} run, not a {profile!r} one: "
                    "resume with the same options, or choose another --out"
                )
            stored["paths"] = {key: unpack(record) for key, record in stored["paths"].items()}
            self.content = {**head, **stored}
        # Each record is put into words once, so that keeping the file costs little beside a path.
        self.texts = {key: text_of(pack(record)) for key, record in self.paths.items()}

    @property
    def paths(self) -> dict[str, Record]:
        """Records by task key."""
        paths: dict[str, Record] = self.content["paths"]
        return paths

    def add(self, key: str, record: Record, seconds: float) -> None:
        """Keep a record and what it took, and write the file, replacing it in one step."""
        packed = pack(record)
        # As a later run will read it: a report must not depend on who makes it.
        self.paths[key] = unpack(packed)
        self.content["seconds"] += seconds  # by the clock on the wall, all interruptions left out
        self.texts[key] = text_of(packed)
        paths = ",\n".join(f"{text_of(name)}:{text}" for name, text in self.texts.items())
        head = text_of({name: value for name, value in self.content.items() if name != "paths"})
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_suffix(".partial")
        draft.write_text(f'{head[:-1]},\n"paths":{{\n{paths}}}}}\n')
        os.replace(draft, self.file)

    def in_cell(self, cell: str) -> list[Record]:
        """Return the records of all methods on one cell."""
        return [record for record in self.paths.values() if record["cell"] == cell]


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
