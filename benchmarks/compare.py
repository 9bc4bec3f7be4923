"""Two commits of the library, built into two environments and timed in turns in one run.

    python -m benchmarks compare <base> [--head <commit or .>]

Both get the same tolerance (1e-6 of the penalty level) and the same data; per cell the best of
the interleaved rounds counts, by the clock on the wall or, with --clock cpu, of the processor. Both
walk down the path, which commits of any age can do; --start lasso compares the default start. On
a machine that does other things a few percent are noise. The exit status is 1 when any cell became
slower than --fail-above allows.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import envs
from benchmarks.adapters import OURS, PREVIOUS
from benchmarks.client import Client
from benchmarks.judge import PENALTIES, alpha_grid, correlation_scale
from benchmarks.problems import PROBLEMS, ProblemUnavailable, fetch, store
from benchmarks.runner import CACHE, RESULTS, Cell, Plan, Record, Trial, interleave, meta

_TOL = 1e-6
_LIMIT = 300.0
_CLOCKS = {
    "seconds": "seconds are wall-clock (--clock cpu: of the processor)",
    "cpu": "seconds are of the processor",
}


def compare(arguments: argparse.Namespace) -> int:
    """Build, time, print and store; return the exit status."""
    starts = {
        side: build(commit, side)
        for side, commit in (("base", arguments.base), ("head", arguments.head))
    }
    print(
        f"measuring {len(arguments.problems)} problems, {len(arguments.penalties)} penalties, best "
        f"of {arguments.repeat} rounds (more where they are short): {_CLOCKS[arguments.clock]}, "
        "differences below 5 to 10 % are noise on a busy machine",
        flush=True,
    )
    peer = OURS if arguments.start == "lasso" else PREVIOUS
    rows: list[Record] = []
    clients: list[Client] = []
    try:
        for side, start in starts.items():
            clients.append(Client(f"{peer}@{side}", 1, start))
        for name in arguments.problems:
            rows += compare_problem(name, clients, arguments)
    finally:
        for client in clients:
            client.close()
    return conclude(rows, arguments)


def build(commit: str, side: str) -> tuple[str, ...]:
    """Install a commit (or ``.``, the files as they are) into an environment of its own."""
    folder = envs.ENVS / f"compare-{side}"
    what = "the files as they are" if commit == "." else f"{commit} ({name_of(commit)})"
    print(f"building {side}: {what}, a minute or two ...", flush=True)
    if commit == ".":
        note = envs.install_tree(envs.ROOT, folder)
    else:
        with tempfile.TemporaryDirectory(prefix="bench-tree-") as tree:
            export(commit, Path(tree))
            note = envs.install_tree(Path(tree), folder)
    if not note.endswith("ready"):
        raise SystemExit(f"{commit}: {note}")
    return (str(folder / "bin" / "python"), "-m", "benchmarks.worker")


def name_of(commit: str) -> str:
    """Return the short hash of a commit."""
    ask = ["git", "-C", str(envs.ROOT), "rev-parse", "--verify", "--short", f"{commit}^{{commit}}"]
    found = subprocess.run(ask, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        raise SystemExit(f"{commit!r} is no commit here; name one, e.g. BASE=HEAD~1")
    return found.stdout.strip()


def export(commit: str, tree: Path) -> None:
    """Write the files of a commit to a folder."""
    archive = tree.parent / (tree.name + ".tar")
    git = ["git", "-C", str(envs.ROOT), "archive", "--output", str(archive), commit]
    subprocess.run(git, check=True)
    subprocess.run(["tar", "-xf", str(archive), "-C", str(tree)], check=True)
    archive.unlink()


def compare_problem(
    name: str, clients: list[Client], arguments: argparse.Namespace
) -> list[Record]:
    """Return one row per penalty."""
    problem = PROBLEMS[name]
    try:
        folder = store(problem, "standardised", CACHE)
    except ProblemUnavailable as missing:
        print(f"{name}: absent ({missing})", flush=True)
        return []
    X, y = fetch(folder, mapped=True)
    scale = correlation_scale(X, y)
    plan = Plan([name], arguments.penalties, ["sparsieve"], ["standardised"], [1], limit=_LIMIT)
    rows = []
    for kind in arguments.penalties:
        penalty = PENALTIES[kind]
        alphas = alpha_grid(penalty, scale, problem.n_alphas, problem.eps)
        cell = Cell(problem, "standardised", penalty, 1, X, y, scale, alphas)
        for client in clients:
            client.use(folder)
        trials = [Trial(client, cell, plan, frugal=False) for client in clients]
        rows.append(_row(cell, trials, arguments))
        print(_line(rows[-1]), flush=True)
    return rows


def _row(cell: Cell, trials: list[Trial], arguments: argparse.Namespace) -> Record:
    row: Record = {**cell.key}
    attempts = [(trial, trial.attempt(_TOL)) for trial in trials]
    done = [(trial, _TOL, a.seconds) for trial, a in attempts if a.violation is not None]
    times = interleave(done, arguments.repeat)
    for trial, attempt in attempts:
        side = trial.client.name.split("@")[1]
        runs = times.get(trial.client.name, [])
        row[side] = min((run[arguments.clock] for run in runs), default=None)
        row[f"{side}_violation"] = attempt.violation
        row[f"{side}_passes"] = trial.details.get(_TOL, {}).get("passes")
    row["ratio"] = row["head"] / row["base"] if row["base"] and row["head"] else None
    return row


def _line(row: Record) -> str:
    return " ".join(
        [
            f"{row['problem']:24s} {row['penalty']:12s}",
            *(
                f"{side} {_show(row[side], 's')} {_show(row[side + '_passes'], 'passes')}"
                for side in ("base", "head")
            ),
            f"head/base {_show(row['ratio'], '')}",
        ]
    )


def _show(value: Any, unit: str) -> str:
    return "-" if value is None else f"{value:.4g} {unit}".strip()


def conclude(rows: list[Record], arguments: argparse.Namespace) -> int:
    """Print the geometric mean, store the rows, return 1 if a cell is too slow or failed."""
    ratios = [row["ratio"] for row in rows if row["ratio"]]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"head/base: {mean:.3f} in geometric mean, at most {max(ratios):.3f}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    document = {"meta": {**meta(), "base": arguments.base, "head": arguments.head}, "rows": rows}
    (RESULTS / "compare.json").write_text(json.dumps(document, indent=1))
    failed = [row for row in rows if row["base"] and not row["head"]]
    slow = [ratio for ratio in ratios if ratio > arguments.fail_above]
    return int(bool(failed or slow))
