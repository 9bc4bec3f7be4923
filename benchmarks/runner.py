"""Runs: for every cell bring all solvers to equal accuracy, then time them in turns.

A cell is (problem, variant, penalty, threads). Per level of accuracy each solver gets the loosest
tolerance with which the judge accepts its path; then all of them run one after the other, k
rounds, and the best round counts.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import envs
from benchmarks.adapters import OWN, adapter
from benchmarks.client import Client
from benchmarks.judge import (
    LEVELS,
    PENALTIES,
    Penalty,
    alpha_grid,
    correlation_scale,
    judge,
    penalty_of,
)
from benchmarks.problems import (
    GENERATION,
    PROBLEMS,
    Design,
    Problem,
    ProblemUnavailable,
    fetch,
    store,
)
from benchmarks.search import Attempt, Found, ladder, loosest
from benchmarks.settings import Effort, Settings

Record = dict[str, Any]
CACHE = envs.ROOT / "benchmarks" / ".cache"
RESULTS = envs.ROOT / "benchmarks" / "results"
_SLOW_SECONDS = 10.0  # slower than this: one interleaved round is enough
_FAST_SECONDS = 0.1  # faster than this: five times as many rounds, the best of few is noise
_RESIDENT_BYTES = 4e9  # designs kept by all workers together; beyond that each reads X anew


@dataclass
class Plan:
    """What to run and how hard to try."""

    problems: list[str]
    penalties: list[str]
    peers: list[str]
    variants: list[str]
    threads: list[int]
    levels: list[str] = field(default_factory=lambda: list(LEVELS))
    limit: float = 120.0
    repeat: int = 3  # 0: the search only, whose times are kept
    # Slower solvers keep the time of the search: in seconds, and as a multiple of the fastest peer.
    keep_above: float = math.inf
    rounds_within: float = math.inf
    per_decade: int = 2  # steps of the search for a tolerance
    patience: int = 3  # unfinished attempts after which a solver is given up
    settings: Settings = field(default_factory=Settings)  # what earlier runs found
    # Cold starts are measured at the last level, on these problems and penalties.
    cold: list[str] = field(default_factory=list)
    cold_penalties: list[str] = field(default_factory=lambda: list(PENALTIES))
    registry: dict[str, Problem] = field(default_factory=lambda: PROBLEMS)

    def starts_cold(self, problem: str, kind: str, level: str) -> bool:
        """Return whether this cell's cold start is measured."""
        return problem in self.cold and kind in self.cold_penalties and level == self.levels[-1]


@dataclass
class Cell:
    """One problem with one penalty, ready to be solved and judged."""

    problem: Problem
    variant: str
    penalty: Penalty
    threads: int
    X: Design
    y: np.ndarray
    scale: float
    alphas: np.ndarray

    @property
    def key(self) -> Record:
        """What identifies the cell in a result file."""
        return {
            "problem": self.problem.name,
            "variant": self.variant,
            "penalty": self.penalty.label,
            "threads": self.threads,
        }


class Trial:
    """One solver on one cell: its attempts, judged, each made at most once."""

    def __init__(self, client: Client, cell: Cell, plan: Plan, frugal: bool) -> None:
        self.client, self.cell, self.plan, self.frugal = client, cell, plan, frugal
        self.limit = plan.limit
        self.details: dict[float, Record] = {}
        self.attempts: dict[float, Attempt] = {}
        self.missed: dict[float, Found] = {}  # levels that were searched for in vain

    def attempt(self, tol: float) -> Attempt:
        """Solve with `tol` and judge the path."""
        if tol not in self.attempts:
            start = time.perf_counter()
            answer = self._solve(tol)
            elapsed = time.perf_counter() - start  # how long a failure took to show
            if answer["ok"]:
                cell = self.cell
                loss = cell.problem.loss
                verdict = judge(cell.X, cell.y, answer["coefs"], cell.penalty, cell.alphas, loss)
                violation = float(verdict.violation.max()) / cell.scale
                self.attempts[tol] = Attempt(tol, violation, answer["seconds"])
                self.details[tol] = {
                    "objective": float(verdict.objective.mean()),
                    # What diverged has no support.
                    "support": int(verdict.support.max()) if violation < math.inf else None,
                    "cpu": answer["cpu"],
                    "peak": answer["peak"],
                    "passes": answer["passes"],
                }
            else:
                self.attempts[tol] = Attempt(tol, None, elapsed, answer["error"])
        return self.attempts[tol]

    @property
    def effort(self) -> Effort:
        """How hard the search tries."""
        limit = self.limit * self.cell.threads
        return Effort(limit, self.plan.per_decade, self.plan.patience)

    def question(self, level: str) -> Record:
        """What the search has to find out, as the keys of a record."""
        solver = {"peer": self.client.name, "version": self.client.version}
        return {**self.cell.key, "level": level, **solver}

    def find(self, level: str) -> Found:
        """Return the loosest attempt that reaches the level, tried first where it was before."""
        target = LEVELS[level]
        earlier = self.plan.settings.answer(self.question(level), self.effort)
        if earlier is not None:
            if earlier["status"] == "never":
                return Found(None, earlier["reason"], earlier)
            attempt = self.attempt(earlier["tol"])
            if attempt.violation is not None and attempt.violation <= target:
                return Found(attempt, earlier=earlier)
        for missed, why in self.missed.items():
            if missed >= target:  # what reaches this level would have reached that one
                return why
        steps = ladder(*self.client_tolerances(), self.plan.per_decade)
        found = loosest(self.attempt, steps, target, self.plan.patience, self.attempts)
        if found.attempt is None:
            self.missed[target] = found
        return found

    def client_tolerances(self) -> tuple[float, float]:
        """Return the loosest and strictest tolerance worth asking this peer for."""
        return adapter(self.client.peer).tolerances

    def again(self, tol: float) -> Record | None:
        """Run once more; return seconds on the clock and of the processor, and peak bytes."""
        answer = self._solve(tol)
        return {k: answer[k] for k in ("seconds", "cpu", "peak")} if answer["ok"] else None

    def _solve(self, tol: float) -> Record:
        answer = self.client.solve(self.cell.penalty, self.cell.alphas, tol, self.limit)
        if self.frugal:
            self.client.release()
        return answer


Timed = tuple[Trial, float, float]  # a solver, its tolerance and the seconds of its search

# ---------------------------------------------------------------- one cell


def run_cell(cell: Cell, clients: list[Client], plan: Plan) -> list[Record]:
    """Return one record per level and solver."""
    is_sparse = not isinstance(cell.X, np.ndarray)
    size = cell.X.data.nbytes if is_sparse else cell.X.nbytes
    trials, records = [], []
    for client in clients:
        kind, loss = cell.penalty.kind, cell.problem.loss
        reason = adapter(client.peer).refuses(kind, cell.variant, is_sparse, loss)
        if reason is None:
            frugal = size * len(clients) > _RESIDENT_BYTES
            trials.append(Trial(client, cell, plan, frugal))
    for level in plan.levels:
        found = [(trial, trial.find(level)) for trial in trials]
        passed = [(trial, f.attempt.tol, f.attempt.seconds) for trial, f in found if f.attempt]
        times = interleave(worth_rounds(passed, plan), plan.repeat)
        for trial, result in found:
            record = trial.question(level) | vars(trial.effort)
            record |= describe(trial, result, times.get(trial.client.name, []))
            cold = plan.starts_cold(cell.problem.name, cell.penalty.kind, level)
            if result.attempt and cold:
                record["cold"] = cold_start(trial, result.attempt.tol)
            records.append(record)
    return records


def worth_rounds(passed: list[Timed], plan: Plan) -> list[Timed]:
    """Return the solvers whose time a few rounds may change in a way that matters; ours always."""
    rivals = [seconds for trial, _, seconds in passed if trial.client.peer not in OWN]
    bound = plan.rounds_within * min(rivals, default=math.inf)
    near = [p for p in passed if p[2] <= bound or p[0].client.peer in OWN]
    return [p for p in near if p[2] <= plan.keep_above]


def interleave(chosen: list[Timed], repeat: int) -> dict[str, list[Record]]:
    """Time solvers in turns: `repeat` rounds, slow ones one, fast ones five times as many."""
    times: dict[str, list[Record]] = {trial.client.name: [] for trial, _, _ in chosen}
    for round_ in range(5 * repeat):
        turn = round_ % max(len(chosen), 1)  # nobody always runs first
        for trial, tol, seconds in chosen[turn:] + chosen[:turn]:
            if round_ < _rounds(seconds, repeat):
                timed = trial.again(tol)
                if timed is not None:
                    times[trial.client.name].append(timed)
    return times


def _rounds(seconds: float, repeat: int) -> int:
    if seconds >= _SLOW_SECONDS:
        return 1
    return repeat if seconds >= _FAST_SECONDS else 5 * repeat


def describe(trial: Trial, result: Found, times: list[Record]) -> Record:
    """Return what a solver did at one level."""
    history = [vars(a) for a in trial.attempts.values()]
    earlier = result.earlier
    settled = {} if earlier is None else {"settled": earlier["settled"]}
    if earlier is not None and earlier["status"] == "never":
        kept = ("status", "reason", "violation", "limit", "per_decade", "patience", "settled")
        return {name: earlier[name] for name in kept} | {"attempts": history}
    if result.attempt is None:
        judged = [a.violation for a in trial.attempts.values() if a.violation is not None]
        closest = min(judged, default=None)
        return {
            "status": "never",
            "reason": result.reason,
            "violation": closest,
            "attempts": history,
        }
    details = trial.details[result.attempt.tol]
    runs = times or [{**details, "seconds": result.attempt.seconds}]
    return {
        "status": "ok",
        **settled,
        "tol": result.attempt.tol,
        "violation": result.attempt.violation,
        **details,
        "seconds": min(run["seconds"] for run in runs),
        "cpu": min(run["cpu"] for run in runs),
        "peak": max(run["peak"] for run in runs),
        "times": [run["seconds"] for run in runs],
        "rounds": len(times),
        "attempts": history,
    }


def cold_start(trial: Trial, tol: float) -> float | None:
    """Return the best of up to two cold starts (one, when it takes long)."""
    best: float | None = None
    for _ in range(2):
        seconds = trial.client.cold(trial.cell.penalty, trial.cell.alphas, tol, trial.limit)
        if seconds is None:
            break
        best = seconds if best is None else min(best, seconds)
        if seconds > _SLOW_SECONDS / 5:
            break
    return best


# ---------------------------------------------------------------- a whole run


def run(plan: Plan, out: Path, notes: list[str]) -> Record:
    """Run a plan, writing `out` after every cell; cells it already holds are not run again."""
    document: Record = json.loads(out.read_text()) if out.exists() else {"meta": {}, "records": []}
    document["meta"] |= {**meta(), "notes": notes}
    out.parent.mkdir(parents=True, exist_ok=True)
    print(f"every finished cell is saved in {out}", flush=True)
    for threads in plan.threads:
        clients: list[Client] = []
        try:
            open_clients(clients, plan, threads, document)
            for name in plan.problems:
                for variant in plan.variants:
                    _run_problem(name, variant, threads, clients, plan, document, out)
        finally:
            for client in clients:
                client.close()
    return document


def open_clients(clients: list[Client], plan: Plan, threads: int, document: Record) -> None:
    """Add one worker per peer that is present to `clients`; note the absent ones."""
    for name in plan.peers:
        try:
            clients.append(Client(name, threads))
        except FileNotFoundError as absent:
            document["meta"].setdefault("absent", {})[name] = str(absent)
            print(f"{name}: absent ({absent})", flush=True)


def _run_problem(
    name: str,
    variant: str,
    threads: int,
    clients: list[Client],
    plan: Plan,
    document: Record,
    out: Path,
) -> None:
    problem = plan.registry[name]
    try:
        folder = store(problem, variant, CACHE)
    except ProblemUnavailable as missing:
        document["meta"].setdefault("absent", {})[name] = str(missing)
        print(f"{name}: absent ({missing})", flush=True)
        return
    X, y = fetch(folder, mapped=True)
    scale = correlation_scale(X, y, problem.loss)
    for kind in plan.penalties:
        penalty = penalty_of(kind, problem.loss)
        alphas = alpha_grid(penalty, scale, problem.n_alphas, problem.end(kind))
        cell = Cell(problem, variant, penalty, threads, X, y, scale, alphas)
        if any(cell.key.items() <= record.items() for record in document["records"]):
            continue
        for client in clients:
            client.use(folder)
        records = run_cell(cell, clients, plan)
        document["records"] += records
        _probe(name, variant, threads, clients, document)
        save(document, out)
        say(cell, records)


def save(document: Record, out: Path) -> None:
    """Replace `out` in one step: an interruption leaves the cells it had."""
    part = out.with_name(out.name + ".part")
    part.write_text(json.dumps(document, indent=1))
    part.replace(out)


def _probe(name: str, variant: str, threads: int, clients: list[Client], document: Record) -> None:
    """Record the seconds of one product X'y, once per data set."""
    key = f"{name}/{variant}/{threads}"
    probes = document["meta"].setdefault("xtr_seconds", {})
    python = [c for c in clients if adapter(c.peer).language == "python"]
    if key not in probes and python:
        probes[key] = python[0].probe()


def say(cell: Cell, records: list[Record]) -> None:
    """Print one line per record of a finished cell."""
    threads = cell.key["threads"]
    key = cell.key | {"threads": f"{threads} {'thread' if threads == 1 else 'threads'}"}
    for record in records:
        what = f"{record['seconds']:.4g} s" if record["status"] == "ok" else record["reason"]
        print(*key.values(), record["level"], record["peer"], what, flush=True)


def meta() -> Record:
    """Describe the machine and the commit."""
    commit = subprocess.run(
        ["git", "-C", str(envs.ROOT), "describe", "--always", "--dirty"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        model = next((s.split(":")[1].strip() for s in lines if s.startswith("model name")), model)
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": commit,
        "machine": f"{platform.machine()}, {model}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "levels": LEVELS,
        "generation": GENERATION,
    }
