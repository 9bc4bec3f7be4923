"""Paths of both sides, cell by cell: a tolerance that gives the level, then rounds in turns.

Two commits run at one tolerance, the loosest with which the base reaches the level. The judge looks
at both; a head that misses the level there is searched for by itself, and the row says so. Two
starts get a tolerance each: they end in different solutions, which no common one would compare.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path

from benchmarks.client import Client
from benchmarks.compare.sides import Contest
from benchmarks.judge import LEVELS, PENALTIES, alpha_grid, correlation_scale
from benchmarks.problems import PROBLEMS, ProblemUnavailable, fetch, store
from benchmarks.runner import CACHE, Cell, Plan, Record, Timed, Trial, interleave
from benchmarks.search import Found

FIXED = "fixed"  # a tolerance instead of a level: what the judge finds is told, nothing is asked
_TOL = 1e-6
LIMIT = 300.0
# Two workers with the same code were seen to differ by a few percent for as long as they lived: the
# rounds are spread over several lives of both, and the shortest paths get all rounds in each.
LIVES = 3
_SHORT_SECONDS = 0.02
_LONG_SECONDS = 2.0


def stored(name: str, variant: str) -> Path | None:
    """Return the folder of a problem's data; None, with a note, where they are not to be had."""
    try:
        return store(PROBLEMS[name], variant, CACHE)
    except ProblemUnavailable as missing:
        print(f"{name}: absent ({missing})", flush=True)
        return None


def cells(folder: Path, name: str, variant: str, kinds: list[str], threads: int) -> Iterator[Cell]:
    """Yield a problem with every penalty."""
    problem = PROBLEMS[name]
    X, y = fetch(folder, mapped=True)
    scale = correlation_scale(X, y)
    for kind in kinds:
        penalty = PENALTIES[kind]
        alphas = alpha_grid(penalty, scale, problem.n_alphas, problem.eps)
        yield Cell(problem, variant, penalty, threads, X, y, scale, alphas)


def paths(
    contest: Contest, clients: list[Client], arguments: argparse.Namespace
) -> Iterator[Record]:
    """Yield a row per problem, variant, penalty and level, as each is finished."""
    for name in arguments.problems:
        for variant in arguments.variants:
            folder = stored(name, variant)
            if folder is None:
                break
            for client in clients:
                client.use(folder)
            for cell in cells(folder, name, variant, arguments.penalties, 1):
                trials = both(cell, clients)
                for level in arguments.levels:
                    row = measure(contest, trials, level, arguments.repeat)
                    yield {"part": "paths", **row, **by_clock(row, contest, arguments.clock)}


def both(cell: Cell, clients: list[Client]) -> list[Trial]:
    """Return the two sides on one cell; they remember their attempts from level to level."""
    key = cell.key
    plan = Plan([key["problem"]], [cell.penalty.kind], [], [cell.variant], [cell.threads])
    plan.limit, plan.patience = LIMIT, 2
    return [Trial(client, cell, plan, frugal=False) for client in clients]


def measure(contest: Contest, trials: list[Trial], level: str, repeat: int) -> Record:
    """Bring both sides to the level and time them in turns: the best of every clock and side."""
    found, note = settle(contest, trials, level)
    done = [(trial, f.attempt) for trial, f in zip(trials, found, strict=True) if f.attempt]
    # As many rounds for the one as for the other: a best of more is a better best.
    slower = max((attempt.seconds for _, attempt in done), default=0.0)
    times = in_lives([(trial, attempt.tol, slower) for trial, attempt in done], repeat, slower)
    row: Record = {**trials[0].cell.key, "level": level}
    for side, trial, result in zip(contest.names, trials, found, strict=True):
        runs, attempt = times.get(trial.client.name, []), result.attempt
        row |= best_of(side, runs)
        row[f"{side}_tol"] = attempt.tol if attempt else None
        row[f"{side}_violation"] = attempt.violation if attempt else None
        row[f"{side}_passes"] = trial.details[attempt.tol]["passes"] if attempt else None
        note += "" if attempt else f"{side}: {result.reason} "
    return row | {"note": note.strip()}


def in_lives(chosen: list[Timed], repeat: int, seconds: float) -> dict[str, list[Record]]:
    """Time both sides in turns; but for long paths, with new workers several times."""
    lives = 1 if seconds >= _LONG_SECONDS else min(LIVES, repeat)
    rounds = repeat if seconds < _SHORT_SECONDS else math.ceil(repeat / lives)
    times = interleave(chosen, rounds)
    for _ in range(lives - 1):
        for trial, _, _ in chosen:
            trial.client.renew()
        for name, runs in interleave(chosen, rounds).items():
            times[name] += runs
    return times


def settle(contest: Contest, trials: list[Trial], level: str) -> tuple[list[Found], str]:
    """Return the attempt of each side that is worth timing, and what there is to say about it."""
    base, head = trials
    if level == FIXED:
        return [_at(trial, _TOL) for trial in trials], ""
    first = base.find(level)
    if contest.own_tolerances or first.attempt is None:
        return [first, head.find(level)], ""
    second = _at(head, first.attempt.tol)
    reached = second.attempt is not None and second.attempt.violation <= LEVELS[level]
    if reached:
        return [first, second], ""
    return [first, head.find(level)], f"{contest.head.name} needs a tolerance of its own "


def _at(trial: Trial, tol: float) -> Found:
    attempt = trial.attempt(tol)
    return Found(None, attempt.note) if attempt.violation is None else Found(attempt)


def best_of(side: str, runs: list[Record]) -> Record:
    """Return the best of the runs by every measure they have, as keys of a row."""
    measures = ("seconds", "cpu", "peak")
    best = {
        f"{side}_{m}": min((run[m] for run in runs if m in run), default=None) for m in measures
    }
    return best | {f"{side}_rounds": len(runs)}


def by_clock(row: Record, contest: Contest, clock: str) -> Record:
    """Return the times by one clock and their ratio, as keys of a row."""
    base, head = (row[f"{side}_{clock}"] for side in contest.names)
    ratio = head / base if base and head else None
    return {**dict(zip(contest.names, (base, head), strict=True)), "clock": clock, "ratio": ratio}
