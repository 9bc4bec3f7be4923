"""In which order the paths of a run are taken: every panel gets its share of the time."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any

from .plan import NUMPY, NUMPY_REPEATS, Task

#: Panel, arm, language: what gets a share of the time.
Queue = tuple[str, str, str]
#: The compiled twin, which finishes, gets so many times more of it than NumPy.
PREFERENCE = 4.0
#: The share of its cap that a path is expected to need: long ones wait until there is time.
EXPECTED = 0.1


class Schedule:
    """Tasks, always the next of the panel that has had the least time, now and in earlier runs.

    A run that is out of time then has something of every figure.
    """

    def __init__(self, tasks: Iterable[Task], records: Iterable[dict[str, Any]] = ()) -> None:
        self._tasks: dict[Queue, deque[Task]] = {}
        self._spent: dict[Queue, float] = defaultdict(float)
        self._count = 0
        for task in tasks:
            self._tasks.setdefault((task.panel, task.arm, task.language), deque()).append(task)
            self._count += 1
        for record in records:
            queue = (record["panel"], record["arm"], record["language"])
            self._spent[queue] += took(record) * _weight(*queue)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Task]:
        while self._tasks:
            queue = min(self._tasks, key=self._by_now)
            begin = perf_counter()
            yield self._tasks[queue].popleft()
            self._spent[queue] += (perf_counter() - begin) * _weight(*queue)
            if not self._tasks[queue]:
                del self._tasks[queue]

    def _by_now(self, queue: Queue) -> float:
        """Return the time of a panel, with a guess for its next path."""
        return self._spent[queue] + EXPECTED * self._tasks[queue][0].cap * _weight(*queue)


def took(record: dict[str, Any]) -> float:
    """Return the seconds of a record: of its points, or of all runs of the engine."""
    return float(sum(record.get("wall", ())) + sum(p.get("wall", 0.0) for p in record["points"]))


def _weight(panel: str, arm: str, language: str) -> float:
    """Return how much a second counts: more where a compiled twin does the same."""
    return PREFERENCE if language == NUMPY and panel not in NUMPY_REPEATS else 1.0
