"""Two commits of the library, built into two environments and timed in turns in one run.

    python -m benchmarks compare <base> [--head <commit or .>]
    python -m benchmarks compare --cost-of-start

Per cell both run at the same tolerance, one that gives the judge's level, on the same data; the
best of the interleaved rounds counts, by the clock of the processor or, with --clock seconds, the
one on the wall. Both walk down the path, which commits of any age can do; --start lasso compares
the default start. --cost-of-start measures that start itself: one commit, its default start over
walking down. On a machine that does other things a few percent are noise. The exit status is 1 when
a cell failed or became slower than --fail-above allows, or all of them than --fail-mean-above does.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from benchmarks.client import Client
from benchmarks.compare import sides
from benchmarks.compare.beyond import beyond
from benchmarks.compare.cells import FIXED, paths
from benchmarks.compare.sides import Contest
from benchmarks.compare.summary import complaints, line, table
from benchmarks.judge import LEVELS, PENALTIES
from benchmarks.problems import PROBLEMS, QUICK, VARIANTS
from benchmarks.runner import RESULTS, Record, meta, save

LARGER = [
    "wide_500x50000",
    "tall_20000x2000",
    "correlated_1000x10000",
    "sparse_20000x100000",
]
_CONVEX = "l1"
_CLOCKS = {
    "seconds": "seconds are wall-clock",
    "cpu": "seconds are of the processor (--clock seconds: wall-clock)",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked of a comparison."""
    add = parser.add_argument
    add("base", nargs="?", help="a commit; not needed with --cost-of-start")
    add("--head", default=".", help="a commit, or . for the files as they are")
    add(
        "--cost-of-start",
        action="store_true",
        help="head alone: its default start over start='previous', each at its own tolerance",
    )
    add("--problems", nargs="*", default=[*QUICK, *LARGER], choices=PROBLEMS)
    add("--penalties", nargs="+", default=list(PENALTIES), choices=PENALTIES)
    add("--variants", nargs="+", default=["standardised", "raw"], choices=VARIANTS)
    add(
        "--levels",
        nargs="+",
        default=list(LEVELS),
        choices=[*LEVELS, FIXED],
        help="levels of the judge; fixed: a tolerance of 1e-6 for both, whatever it gives",
    )
    add("--repeat", type=int, default=7, help="rounds; the best counts (7)")
    add(
        "--clock",
        default="cpu",
        choices=["seconds", "cpu"],
        help="seconds: those on the wall; cpu: those of the processor, steadier on a busy machine",
    )
    add("--start", default="previous", choices=["previous", "lasso"])
    add("--fail-above", type=float, help="largest ratio allowed for a cell (1.15)")
    add("--fail-mean-above", type=float, help="largest geometric mean allowed for all paths (1.03)")
    add(
        "--beyond",
        action=argparse.BooleanOptionalAction,
        help="small work, cold starts, two threads and a cross-validation, too (without "
        "--cost-of-start); `--problems --beyond` measures nothing else",
    )
    add("--threads-on", default="wide_500x50000", choices=PROBLEMS, help="for two threads")
    add("--cv-on", default="toy_500x5000", choices=PROBLEMS, help="for the cross-validation")
    add("--out", type=Path, help="result file (compare.json or cost-of-start.json)")


def complete(arguments: argparse.Namespace) -> None:
    """Fill in what depends on the kind of comparison; complain about what does not go together."""
    of_start = arguments.cost_of_start
    if of_start:
        arguments.base = None
        arguments.penalties = [kind for kind in arguments.penalties if kind != _CONVEX]
        if not arguments.penalties:
            raise SystemExit(f"{_CONVEX} is convex: it has no use for a start, name another")
    elif arguments.base is None:
        raise SystemExit("name a commit to compare with, e.g. BASE=HEAD~1")
    if arguments.repeat < 1:
        raise SystemExit(f"--repeat is {arguments.repeat}; take 1 or more")
    if arguments.beyond is None:
        arguments.beyond = not of_start
    # That a start costs something is what is measured, not a failure.
    for option, usual in (("fail_above", 1.15), ("fail_mean_above", 1.03)):
        if getattr(arguments, option) is None:
            setattr(arguments, option, math.inf if of_start else usual)
    if arguments.out is None:
        arguments.out = RESULTS / ("cost-of-start.json" if of_start else "compare.json")


class Journal:
    """The rows so far: each is stored and told as soon as it is there."""

    def __init__(self, contest: Contest, arguments: argparse.Namespace) -> None:
        self.contest, self.out = contest, arguments.out
        asked = {k: str(v) if isinstance(v, Path) else v for k, v in vars(arguments).items()}
        about = {**meta(), "base": arguments.base, "head": arguments.head, "asked": asked}
        self.rows: list[Record] = []
        self.document: Record = {"meta": about, "rows": self.rows}
        self.out.parent.mkdir(parents=True, exist_ok=True)

    def add(self, row: Record) -> None:
        """Store and tell a row."""
        self.rows.append(row)
        save(self.document, self.out)
        print(line(row, self.contest), flush=True)

    def tell(self) -> None:
        """Print the table of the rows so far."""
        if self.rows:
            print(*table(self.rows, self.contest), sep="\n", flush=True)

    def left(self) -> str:
        """Say what an interruption leaves behind; the file of an earlier run is not this one's."""
        count = len(self.rows)
        if not count:
            return "no cell was finished"
        return f"{count} finished {'cell is' if count == 1 else 'cells are'} in {self.out.name}"


def compare(arguments: argparse.Namespace) -> int:
    """Build, time, print and store; return the exit status."""
    complete(arguments)
    if arguments.cost_of_start:
        contest = sides.starts(arguments.head)
    else:
        contest = sides.commits(arguments.base, arguments.head, arguments.start)
    print(announcement(arguments), flush=True)
    journal = Journal(contest, arguments)
    clients: list[Client] = []
    try:
        for side in (contest.base, contest.head):
            clients.append(side.client(1))
        for part in (paths, beyond) if arguments.beyond else (paths,):
            for row in part(contest, clients, arguments):
                journal.add(row)
    except KeyboardInterrupt:
        journal.tell()
        raise KeyboardInterrupt(journal.left()) from None
    finally:
        for client in clients:
            client.close()
    return conclude(journal, arguments)


def announcement(arguments: argparse.Namespace) -> str:
    """Say what will be measured, and how well."""
    counted = (("problem", "problems"), ("penalty", "penalties"), ("level", "levels"))
    sizes = [(len(getattr(arguments, many)), one, many) for one, many in counted]
    what = ", ".join(f"{size} {one if size == 1 else many}" for size, one, many in sizes)
    return (
        f"measuring {what}, {' and '.join(arguments.variants)}, best of {arguments.repeat} rounds "
        f"(more where they are short): {_CLOCKS[arguments.clock]}, differences below 5 to 10 % of "
        f"a cell are noise on a busy machine; every finished cell is saved in {arguments.out.name}"
    )


def conclude(journal: Journal, arguments: argparse.Namespace) -> int:
    """Tell the table and what is wrong with it, return 1 if anything is."""
    journal.tell()
    save(journal.document, journal.out)  # without a row, too
    told = complaints(journal.rows, journal.contest, arguments)
    print(*told, sep="\n", end="\n" if told else "", flush=True)
    return int(bool(told))
