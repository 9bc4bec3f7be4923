"""In which order the paths of a run are taken: every panel gets its share of the time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from time import perf_counter

from .plan import NUMPY, NUMPY_REPEATS, Task

#: Of the time of a panel, the compiled twin, which finishes, gets so many times more than NumPy.
PREFERENCE = 4.0


class Schedule:
    """Tasks cell by cell, always from the panel that has had the least time.

    A run that is out of time then has something of every figure.
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._cells: dict[tuple[str, str], dict[str, deque[Task]]] = {}
        self._spent: dict[tuple[str, str], float] = {}
        self._count = 0
        for task in tasks:
            queue = (task.panel, task.language)
            self._spent.setdefault(queue, 0.0)
            self._cells.setdefault(queue, {}).setdefault(task.cell(), deque()).append(task)
            self._count += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Task]:
        while self._cells:
            queue = min(self._cells, key=lambda name: self._spent[name])
            name = next(iter(self._cells[queue]))
            begin = perf_counter()
            yield from self._cells[queue].pop(name)
            self._spent[queue] += (perf_counter() - begin) * _weight(*queue)
            if not self._cells[queue]:
                del self._cells[queue]


def _weight(panel: str, language: str) -> float:
    """Return how much a second counts: more where a compiled twin does the same."""
    return PREFERENCE if language == NUMPY and panel not in NUMPY_REPEATS else 1.0
