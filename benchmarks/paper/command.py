"""``sparsieve paper``: rerun the experiments of [RGS19] and write JSON, figures and a report."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

from threadpoolctl import threadpool_limits

from . import twin
from .facts import facts
from .plan import ENGINES, EXPERIMENTS, PROFILES, Task, plan
from .problems import load
from .runner import run
from .schedule import Schedule
from .store import Store, StoreError, held, read, set_aside
from .summary import shared_points

ABOUT = """\
Rerun section 5 of 'Screening Rules for Lasso with Non-Convex Sparse Regularizers' (ICML 2019):
the paper's methods as printed and as its authors' program has them, in NumPy and compiled (with
g++, where there is one), and the engine on the same paths.

experiments:
  toy        running time per method and tolerance (figure 1); MCP and SCAD, beyond the paper
  gain       what propagated screening gains (figure 2), and who screens
  why        from the text to the authors' program, one difference at a time
  leukemia   72 x 7129, real data (figure 3)
  newsgroup  961 x 21319, sparse real data (figure 3)
  all        everything; what has no data is skipped and named
"""
AFTER = """\
DIR gets paper.json (every raw timing), figures as PNG and PDF, report.md
with our ratios beside the paper's, and objectives.csv. An earlier paper.json there is set aside.

The real data sets are looked for in the folder named by SPARSIEVE_DATA, then in scikit-learn's
data home, then downloaded.
"""
# As in `sparsieve --help`.
USAGE, DATA, FILE, INTERRUPTED = 2, 3, 4, 130


class RefusedError(Exception):
    """Ends the command with a message and an exit status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    p = argparse.ArgumentParser(
        prog="sparsieve paper",
        description=ABOUT,
        epilog=AFTER,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("experiment", choices=[*EXPERIMENTS, "all"])
    p.add_argument("--quick", action="store_true", help="smaller problems, within five minutes")
    p.add_argument(
        "--out",
        type=Path,
        default=Path("paper-results"),
        metavar="DIR",
        help="folder for everything that is written (default %(default)s)",
    )
    p.add_argument(
        "--resume", action="store_true", help="go on with the run in DIR, after Ctrl-C for example"
    )
    p.add_argument(
        "--minutes",
        type=above_zero,
        default=None,
        metavar="M",
        help="begin no further path after so long (default 600, with --quick 4); "
        "--resume goes on from there",
    )
    p.add_argument(
        "--seeds", type=at_least_one, default=None, metavar="K", help="toy problems per setting"
    )
    p.add_argument(
        "--caps",
        type=above_zero,
        default=1.0,
        metavar="FACTOR",
        help="multiply the processor time after which a path is broken off",
    )
    p.add_argument(
        "--report-only", action="store_true", help="draw again whatever DIR/paper.json holds"
    )
    p.add_argument("--profile", choices=list(PROFILES), help=argparse.SUPPRESS)
    return p


def above_zero(text: str) -> float:
    """Return a number above zero."""
    value = float(text)
    if not value > 0:  # so that nan is refused too
        raise argparse.ArgumentTypeError(f"must be above 0, got {text}; use e.g. 10")
    return value


def at_least_one(text: str) -> int:
    """Return a whole number from one on."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {text}; use e.g. 2")
    return value


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    options = parser().parse_args(argv)
    try:
        return _main(options)
    except RefusedError as refusal:
        print(f"sparsieve paper: error: {refusal}", file=sys.stderr)
        return refusal.status


def _main(options: argparse.Namespace) -> int:
    if find_spec("matplotlib") is None:
        raise RefusedError("drawing needs matplotlib: pip install '.[plots]'", USAGE)
    file = options.out / "paper.json"
    if options.report_only and not file.exists():
        raise RefusedError(f"there is no {file}: run an experiment into this folder first", FILE)
    try:
        with held(options.out):
            store = _report_only(file) if options.report_only else _run(options, file)
            if store.paths:
                _write(store, options.out)
    except StoreError as error:
        raise RefusedError(str(error), DATA) from error
    except BlockingIOError as error:
        raise RefusedError(
            f"another run is writing into {options.out}; choose another --out, or wait for it", FILE
        ) from error
    except OSError as error:
        reason = error.strerror or error
        raise RefusedError(
            f"cannot write into {options.out}: {reason}; choose another --out", FILE
        ) from error
    return 0


def _report_only(file: Path) -> Store:
    """Return what was run, in whatever size."""
    return Store(file, read(file)["profile"], resume=True)


def _run(options: argparse.Namespace, file: Path) -> Store:
    """Run what was asked for, and return all that the file holds by then."""
    profile = PROFILES[options.profile or ("quick" if options.quick else "full")]
    chosen = EXPERIMENTS if options.experiment == "all" else (options.experiment,)
    notes: dict[str, str] = {}
    compiled = _has_twin(notes)
    tasks = [
        replace(task, cap=task.cap * options.caps)
        for name in chosen
        for task in plan(name, profile, options.seeds, compiled)
    ]
    store = Store(file, profile.name, options.resume)
    store.check_machine()
    missing = [task for task in tasks if _is_missing(task, store)]
    absent = _absent(missing, required=options.experiment != "all")
    notes |= {f"{name} is skipped": reason for name, reason in absent.items()}
    for what, reason in notes.items():
        print(f"{what}: {reason}")
    missing = [task for task in missing if task.problem.name not in absent]
    store.content["planned"] |= Counter(place(task) for task in tasks)
    store.content["notes"] = notes
    if not options.resume and (old := set_aside(file)):
        print(f"The earlier run is now {old}; --resume would have gone on with it.")
    minutes = profile.minutes if options.minutes is None else options.minutes
    try:
        left = execute(missing, store, 60.0 * minutes)
    except KeyboardInterrupt as error:
        done = f"{len(store.paths)} paths are in {file}" if store.paths else "no path was finished"
        raise RefusedError(
            f"interrupted; {done}: the same command with --resume goes on", INTERRUPTED
        ) from error
    if left:
        print(f"{left} paths are left after {minutes:g} minutes: --resume goes on with them")
    return store


def _write(store: Store, folder: Path) -> None:
    """Write figures and report."""
    from .figures import draw_all  # only now: it needs matplotlib
    from .report import write_report

    if "facts" not in store.content:
        store.content["facts"] = facts()
        store.flush()
    figures = draw_all(store.paths.values(), folder)
    report = write_report(store.content, figures, folder)
    print(f"{len(store.paths)} paths in {store.file}, {len(figures)} figures, report in {report}")


def execute(tasks: Iterable[Task], store: Store, seconds: float) -> int:
    """Run what the store does not have yet, on one thread as the paper's NumPy code did.

    Begins no path after so many seconds by the clock on the wall, and returns how many are left.
    """
    missing = Schedule((t for t in tasks if _is_missing(t, store)), store.paths.values())
    begin = perf_counter()
    try:
        with threadpool_limits(limits=1):
            for done, task in enumerate(progress(missing)):
                started = perf_counter()
                if started - begin > seconds:
                    return len(missing) - done
                record = run(task, _shared(task, store))
                store.add(task.key(), record, perf_counter() - started)
    finally:
        if store.paths:
            store.flush()
    return 0


def place(task: Task) -> str:
    """Return what paths are counted by: panel, arm and language."""
    return "|".join([task.panel, task.arm, task.language])


def _has_twin(notes: dict[str, str]) -> bool:
    """Return whether the compiled twin can be used; note why not."""
    try:
        twin.library()
    except twin.TwinError as reason:
        notes["everything is run in NumPy"] = str(reason)
        return False
    return True


def _absent(tasks: list[Task], required: bool) -> dict[str, str]:
    """Return the data sets that are not here, with the reason, before anything is run.

    One that was asked for by name, or is damaged, ends the command.
    """
    found: dict[str, str] = {}
    for problem in dict.fromkeys(task.problem for task in tasks if task.problem.name != "toy"):
        try:
            load(problem)
        except FileNotFoundError as error:
            if required:
                raise RefusedError(str(error), FILE) from error
            found[problem.name] = str(error)
        except ValueError as error:  # a file that is none of its data set
            raise RefusedError(str(error), DATA) from error
    return found


def _shared(task: Task, store: Store) -> int:
    """Return how many points the other methods of the task's cell have finished."""
    return shared_points(store.in_cell(task.cell()))


def _is_missing(task: Task, store: Store) -> bool:
    """Return whether a task is to be run: the engine also where its share of the path changed."""
    record = store.paths.get(task.key())
    if record is None or task.method not in ENGINES:
        return record is None
    return bool(record["shared"]["points"] != _shared(task, store))


def progress(tasks: Schedule) -> Iterable[Task]:
    """Show a progress bar where tqdm is installed, else one line per path."""
    if find_spec("tqdm") is not None:
        from tqdm import tqdm

        # A log file is not to fill up with bars.
        interval = 0.1 if sys.stderr.isatty() else 60.0
        bar: Any = tqdm(tasks, unit="path", mininterval=interval)
        for task in bar:
            bar.set_description(f"{task.panel} {task.method}", refresh=sys.stderr.isatty())
            yield task
        return
    for i, task in enumerate(tasks, 1):
        print(f"{i}/{len(tasks)} {task.key()}", flush=True)
        yield task
