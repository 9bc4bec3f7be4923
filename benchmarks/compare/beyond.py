"""Beyond the times of paths: small work, cold starts, two threads, a cross-validation.

All of it is measured on both sides in turns, and the best round counts. Passes and peaks of memory
need no rounds of their own: the rows of the paths have them.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator

from benchmarks.client import Client
from benchmarks.compare.cells import LIMIT, LIVES, best_of, both, by_clock, cells, measure, stored
from benchmarks.compare.chores import CROSS_VALIDATION, small_works
from benchmarks.compare.sides import Contest
from benchmarks.judge import LEVELS, PENALTIES, Penalty
from benchmarks.runner import Cell, Record

Run = Callable[[Client], Record | None]
COLD_ON = "toy_50x100"
_FEW_KINDS = ("l1", "mcp")  # for what takes long and depends little on the penalty
_VARIANT = "standardised"
_AT_ONCE = {False: 20, True: 5}  # rounds within a turn of one fit and of one path
_MANY = 100  # samples from which one round is a turn


def beyond(
    contest: Contest, clients: list[Client], arguments: argparse.Namespace
) -> Iterator[Record]:
    """Yield a row per measurement, as each is finished; `clients` have one thread."""
    yield from small_work(contest, clients, arguments)
    yield from cold_starts(contest, clients, arguments)
    shared: list[Client] = []
    try:
        for side in (contest.base, contest.head):
            shared.append(side.client(2))
        yield from two_threads(contest, shared, arguments)
        yield from cross_validation(contest, shared, arguments)
    finally:
        for client in shared:
            client.close()


def small_work(
    contest: Contest, clients: list[Client], arguments: argparse.Namespace
) -> Iterator[Record]:
    """A fit, a short path and a thousand bootstrap fits, where overhead is all there is."""
    for work in small_works().values():
        at_once = 1 if len(work.samples) >= _MANY else _AT_ONCE[work.is_path]
        for kind in arguments.penalties:
            penalty = PENALTIES[kind]
            row = {"part": "small work", "work": work.name, "penalty": penalty.label}
            run = _worker(work.name, penalty, at_once)
            yield in_turns(contest, clients, run, arguments.repeat, row, arguments.clock, LIVES)


def cold_starts(
    contest: Contest, clients: list[Client], arguments: argparse.Namespace
) -> Iterator[Record]:
    """A new process that imports, reads the data and solves once."""
    for cell in _posed(COLD_ON, clients, arguments):
        row = {"part": "cold start", "problem": COLD_ON, "penalty": cell.penalty.label}
        yield in_turns(contest, clients, _cold(cell), arguments.repeat, row, arguments.clock)


def two_threads(
    contest: Contest, clients: list[Client], arguments: argparse.Namespace
) -> Iterator[Record]:
    """Paths with two threads, a row for each clock."""
    for cell in _posed(arguments.threads_on, clients, arguments):
        row = measure(contest, both(cell, clients), arguments.levels[-1], arguments.repeat)
        yield {"part": "two threads, CPU", **row, **by_clock(row, contest, "cpu")}
        again = {key: value for key, value in row.items() if not key.endswith("_peak")}
        yield {"part": "two threads, wall", **again, **by_clock(row, contest, "seconds")}


def cross_validation(
    contest: Contest, clients: list[Client], arguments: argparse.Namespace
) -> Iterator[Record]:
    """Ten folds and the refit, with two threads."""
    for cell in _posed(arguments.cv_on, clients, arguments):
        key = {"problem": arguments.cv_on, "penalty": cell.penalty.label}
        run = _worker(CROSS_VALIDATION, cell.penalty, 1)
        row = {"part": CROSS_VALIDATION, **key}
        yield in_turns(contest, clients, run, arguments.repeat, row, arguments.clock, LIVES)


def _posed(name: str, clients: list[Client], arguments: argparse.Namespace) -> Iterator[Cell]:
    """Yield a problem with a few penalties, at least one of those asked for; no data, no cells."""
    kinds = [kind for kind in _FEW_KINDS if kind in arguments.penalties]
    folder = stored(name, _VARIANT)
    if folder is None:
        return
    for client in clients:
        client.use(folder)
    yield from cells(folder, name, _VARIANT, kinds or arguments.penalties[:1], clients[0].threads)


def _worker(name: str, penalty: Penalty, at_once: int) -> Run:
    return lambda client: client.work(name, penalty, at_once, LIMIT)


def _cold(cell: Cell) -> Run:
    tol = LEVELS["tight"]
    return lambda client: client.cold_clocks(cell.penalty, cell.alphas, tol, LIMIT)


def in_turns(
    contest: Contest,
    clients: list[Client],
    run: Run,
    rounds: int,
    row: Record,
    clock: str,
    lives: int = 1,
) -> Record:
    """Complete a row: both sides in turns, nobody always first; a side that fails once is out."""
    times: dict[str, list[Record]] = {client.name: [] for client in clients}
    failed: dict[str, str] = {}
    for round_ in range(rounds):
        if round_ > 0 and round_ % math.ceil(rounds / lives) == 0:
            for client in clients:
                client.renew()
        for client in clients if round_ % 2 == 0 else clients[::-1]:
            if client.name in failed:
                continue
            answer = run(client)
            if answer is None or not answer.get("ok", True):
                failed[client.name] = "failed" if answer is None else answer["error"]
            else:
                times[client.name].append(answer)
    found, notes = dict(row), []
    for side, client in zip(contest.names, clients, strict=True):
        runs = [] if client.name in failed else times[client.name]
        found |= best_of(side, runs)
        if client.name in failed:
            notes.append(f"{side}: {failed[client.name]}")
    return {**found, **by_clock(found, contest, clock), "note": ", ".join(notes)}
