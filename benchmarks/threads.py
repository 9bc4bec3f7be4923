"""What a second thread is worth: paths with one thread and with two, in turns.

    python -m benchmarks threads

Every round solves with one thread and then with two, each in a process of its own that holds X; the
best round of each counts. Seconds are those on the wall: only a machine that does nothing else
tells what two threads can do.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.client import Client
from benchmarks.judge import LEVELS, PENALTIES, alpha_grid, correlation_scale, judge
from benchmarks.problems import PROBLEMS, Problem, ProblemUnavailable, fetch, store
from benchmarks.runner import CACHE, RESULTS, Record, meta

_THREADS = (1, 2)
_TOL = LEVELS["tight"]
_LIMIT = 600.0


def threads(problems: list[str], penalties: list[str], repeat: int) -> list[Path]:
    """Measure every problem with every penalty; print a line for each and write threads.json."""
    clients = [Client("sparsieve", count) for count in _THREADS]
    rows: list[Record] = []
    try:
        for name in problems:
            try:
                folder = store(PROBLEMS[name], "standardised", CACHE)
            except ProblemUnavailable as error:
                print(f"{name} skipped: {error}", flush=True)
                continue
            for kind in penalties:
                rows.append(measure(clients, PROBLEMS[name], folder, kind, repeat))
                print(sentence(rows[-1]), flush=True)
            for client in clients:
                client.release()
    finally:
        for client in clients:
            client.close()
    RESULTS.mkdir(parents=True, exist_ok=True)
    out = RESULTS / "threads.json"
    out.write_text(json.dumps({"meta": meta(), "rows": rows}, indent=1))
    return [out]


def measure(
    clients: list[Client], problem: Problem, folder: Path, kind: str, repeat: int
) -> Record:
    """Return the best times of one path, per number of threads, and the judge's word on it."""
    penalty = PENALTIES[kind]
    X, y = fetch(folder, mapped=True)
    scale = correlation_scale(X, y)
    alphas = alpha_grid(penalty, scale, problem.n_alphas, problem.eps)
    runs: dict[int, list[Record]] = {client.threads: [] for client in clients}
    for client in clients:
        client.use(folder)
    for _ in range(repeat):
        for client in clients:
            answer = client.solve(penalty, alphas, _TOL, _LIMIT)
            if not answer["ok"]:
                raise RuntimeError(f"{problem.name}, {penalty.label}: {answer['error']}")
            runs[client.threads].append(answer)
    row: Record = {"problem": problem.name, "penalty": penalty.label}
    for count, answers in runs.items():
        verdict = judge(X, y, answers[-1]["coefs"], penalty, alphas)
        row[f"seconds, {count}"] = min(answer["seconds"] for answer in answers)
        row[f"violation, {count}"] = float(verdict.violation.max()) / scale
    return row


def sentence(row: Record) -> str:
    """Say in a line what was measured."""
    one, two = (row[f"seconds, {count}"] for count in _THREADS)
    times = f"1 thread {one:.3g} s, 2 threads {two:.3g} s, ratio {one / two:.2f}"
    return f"{row['problem']} {row['penalty']}: {times}"
