"""``sparsieve paper``: rerun the experiments of [RGS19] and write JSON, figures and a report."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

from threadpoolctl import threadpool_limits

from .plan import ENGINE, EXPERIMENTS, PROFILES, Task, plan
from .problems import load
from .runner import run
from .store import Store
from .summary import shared_points


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    p = argparse.ArgumentParser(
        prog="sparsieve paper",
        description="Rerun section 5 of 'Screening Rules for Lasso with Non-Convex Sparse "
        "Regularizers' (ICML 2019): the paper's methods in NumPy, then the compiled engine.",
    )
    p.add_argument("experiment", choices=[*EXPERIMENTS, "all"])
    p.add_argument("--quick", action="store_true", help="smaller problems, within five minutes")
    p.add_argument("--out", type=Path, default=Path("paper-results"), metavar="DIR")
    p.add_argument("--resume", action="store_true", help="keep the paths the JSON file has")
    p.add_argument(
        "--minutes",
        type=float,
        default=None,
        metavar="M",
        help="begin no further path after so long (default 55, with --quick 4); "
        "--resume goes on from there",
    )
    p.add_argument("--seeds", type=int, default=None, metavar="K", help="toy problems per setting")
    p.add_argument(
        "--caps",
        type=float,
        default=1.0,
        metavar="FACTOR",
        help="multiply the processor time after which a path is broken off",
    )
    p.add_argument("--report-only", action="store_true", help="draw again from the JSON file")
    p.add_argument("--profile", choices=list(PROFILES), help=argparse.SUPPRESS)
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    options = parser().parse_args(argv)
    if find_spec("matplotlib") is None:
        raise SystemExit("sparsieve paper draws figures: pip install 'sparsieve[plots]'")
    if options.seeds is not None and options.seeds < 1:
        raise SystemExit(f"--seeds must be at least 1, got {options.seeds}")
    profile = PROFILES[options.profile or ("quick" if options.quick else "full")]
    chosen = EXPERIMENTS if options.experiment == "all" else (options.experiment,)
    tasks = [
        replace(task, cap=task.cap * options.caps)
        for name in chosen
        for task in plan(name, profile, options.seeds)
    ]
    resume = options.resume or options.report_only
    store = Store(options.out / "paper.json", profile.name, resume)
    if not options.report_only:
        minutes = profile.minutes if options.minutes is None else options.minutes
        left = execute(tasks, store, 60.0 * minutes)
        if left:
            print(f"{left} paths are left after {minutes:g} minutes: --resume goes on with them")
    from .figures import draw_all  # only now: it needs matplotlib
    from .report import write_report

    figures = draw_all(store.paths.values(), options.out)
    report = write_report(store.content, figures, options.out)
    print(f"{len(store.paths)} paths in {store.file}, {len(figures)} figures, report in {report}")
    return 0


def execute(tasks: Iterable[Task], store: Store, seconds: float) -> int:
    """Run what the store does not have yet, on one thread as the paper's NumPy code did.

    Begins no path after so many seconds by the clock on the wall, and returns how many are left.
    """
    missing = [task for task in tasks if _is_missing(task, store)]
    _check_data(missing)
    begin = perf_counter()
    with threadpool_limits(limits=1):
        for done, task in enumerate(progress(missing)):
            started = perf_counter()
            if started - begin > seconds:
                return len(missing) - done
            record = run(task, _shared(task, store))
            store.add(task.key(), record, perf_counter() - started)
    return 0


def _check_data(tasks: list[Task]) -> None:
    """Fail on a missing data set at once rather than after the toy problems."""
    for problem in dict.fromkeys(task.problem for task in tasks if task.problem.name != "toy"):
        try:
            load(problem)
        except FileNotFoundError as error:
            raise SystemExit(f"sparsieve paper: {error}") from error


def _shared(task: Task, store: Store) -> int:
    """Return how many points the other methods of the task's cell have finished."""
    return shared_points(r for r in store.in_cell(task.cell()) if r["method"] != task.method)


def _is_missing(task: Task, store: Store) -> bool:
    """Return whether a task is to be run: the engine also where its share of the path changed."""
    record = store.paths.get(task.key())
    if record is None or task.method != ENGINE:
        return record is None
    return bool(record["shared"]["points"] != _shared(task, store))


def progress(tasks: list[Task]) -> Iterable[Task]:
    """Show a progress bar where tqdm is installed, else one line per path."""
    if find_spec("tqdm") is not None:
        from tqdm import tqdm

        bar: Any = tqdm(tasks, unit="path")
        for task in bar:
            bar.set_description(f"{task.panel} {task.method}")
            yield task
        return
    for i, task in enumerate(tasks, 1):
        print(f"{i}/{len(tasks)} {task.key()}", flush=True)
        yield task
