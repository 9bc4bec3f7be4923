"""What earlier runs settled about the peers, so that it need not be searched for again.

The search for a peer's loosest tolerance takes nearly all of a run and does not depend on our
code. An earlier result file answers it under three conditions: the same problem, penalty, level
and version of the peer, a search at least as hard as this run's, and, for "never", the same
machine. A tolerance is only where to look first: it is run and judged like any other. The number
of threads is no part of the question, a tolerance does not depend on it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.adapters import OWN
from benchmarks.judge import LEVELS
from benchmarks.problems import GENERATION

Record = dict[str, Any]
_QUESTION = ("problem", "variant", "penalty", "level", "peer", "version")


@dataclass(frozen=True)
class Effort:
    """How hard a search tries: CPU seconds per attempt, steps, unfinished attempts."""

    limit: float
    per_decade: int
    patience: int

    def settles(self, record: Record) -> bool:
        """Return whether the search behind `record` was at least as hard as this one."""
        if record.get("per_decade", 0) < self.per_decade:
            return False
        if record["status"] == "ok":
            return True
        limit, patience = float(record.get("limit", 0)), int(record.get("patience", 0))
        return limit >= self.limit and patience >= self.patience


@dataclass
class Settings:
    """Records of earlier runs by the question they answer."""

    records: dict[tuple[Any, ...], list[Record]] = field(default_factory=dict)

    @classmethod
    def read(cls, files: Iterable[Path], machine: str) -> Settings:
        """Read result files; what the time of another machine decided is left out.

        Raises ValueError for a file whose problems or levels of accuracy are not today's.
        """
        settings = cls()
        for file in files:
            document = json.loads(file.read_text())
            meta = document["meta"]
            if meta.get("levels") != LEVELS or meta.get("generation", 1) != GENERATION:
                raise ValueError(
                    f"{file.name} was made with other problems or levels of accuracy; leave it out"
                )
            same_machine = meta.get("machine") == machine
            for record in document["records"]:
                # Ours is always searched for: its code is what changes between runs.
                if record["peer"] not in OWN and (record["status"] == "ok" or same_machine):
                    settings.add(record, f"{file.name} of {meta['date'][:10]}")
        return settings

    def add(self, record: Record, run: str) -> None:
        """Remember a record of `run`; one that was itself carried over keeps its origin."""
        question = tuple(record[name] for name in _QUESTION)
        self.records.setdefault(question, []).append({"settled": run, **record})

    def answer(self, question: Record, effort: Effort) -> Record | None:
        """Return what is known: the loosest tolerance, else the hardest search that failed."""
        known = self.records.get(tuple(question[name] for name in _QUESTION), [])
        known = [record for record in known if effort.settles(record)]
        passed = [record for record in known if record["status"] == "ok"]
        if passed:
            return max(passed, key=lambda record: float(record["tol"]))
        return max(known, key=lambda record: float(record["limit"]), default=None)
