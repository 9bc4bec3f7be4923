"""The command ``python -m benchmarks losses``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.adapters import OURS, PREVIOUS
from benchmarks.judge import LEVELS, PENALTIES
from benchmarks.losses.cells import PEERS, PROBLEMS, QUICK, UNSOLVED
from benchmarks.losses.report import write
from benchmarks.runner import RESULTS, Plan, meta, run
from benchmarks.settings import Settings


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--quick", action="store_true", help="five minutes: four data sets")
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS)
    parser.add_argument("--penalties", nargs="+", default=list(PENALTIES), choices=PENALTIES)
    parser.add_argument("--peers", nargs="*", default=list(PEERS), choices=PEERS)
    parser.add_argument("--levels", nargs="+", default=list(LEVELS), choices=LEVELS)
    parser.add_argument("--limit", type=float, help="CPU seconds of a path (60; quick 3)")
    parser.add_argument("--repeat", type=int, default=1, help="interleaved rounds (1)")
    parser.add_argument(
        "--settings", nargs="+", type=Path, default=[], help="as for `python -m benchmarks run`"
    )
    parser.add_argument("--report", action="store_true", help="run nothing, write what is known")
    parser.add_argument("--docs", action="store_true", help="write docs/benchmark_losses.md, too")
    parser.add_argument("--note", action="append", default=[], help="a caveat for the page")
    parser.add_argument("--out", type=Path, help="result file; cells it holds are not run again")


def command(arguments: argparse.Namespace) -> None:
    """Run what is asked for and write its report."""
    out = arguments.out or RESULTS / f"losses{'-quick' * arguments.quick}.json"
    if not arguments.report:
        for kind in arguments.penalties:
            run(_plan(arguments, kind), out, _notes(arguments, out))
    elif not out.exists():
        sys.exit(f"{out} is not there; run `python -m benchmarks losses` first")
    print(*write(out, docs=arguments.docs), sep="\n")


def _notes(arguments: argparse.Namespace, out: Path) -> list[str]:
    """Return the notes given, else those that the result file has."""
    if arguments.note or not out.exists():
        return list(arguments.note)
    return list(json.loads(out.read_text())["meta"].get("notes", []))


def _plan(arguments: argparse.Namespace, kind: str) -> Plan:
    """Return what to run with one penalty; but for L1 ours walks down, as the peers do."""
    quick = arguments.quick
    names = arguments.problems or (QUICK if quick else PROBLEMS)
    return Plan(
        problems=[name for name in names if (name, kind) not in UNSOLVED],
        penalties=[kind],
        peers=[OURS if kind == "l1" else PREVIOUS, *arguments.peers],
        variants=["standardised"],
        threads=[1],
        levels=arguments.levels,
        limit=arguments.limit or (3.0 if quick else 60.0),
        repeat=arguments.repeat,
        keep_above=5.0,
        rounds_within=3.0,
        per_decade=1 if quick else 2,
        patience=1,
        settings=Settings.read(arguments.settings, meta()["machine"]),
        registry=PROBLEMS,
    )
