"""The command ``python -m benchmarks map``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.adapters import OURS, OWN, PREVIOUS
from benchmarks.judge import LEVELS, PENALTIES
from benchmarks.map.cells import CONCAVE, CONVEX, LAYOUTS, MOST_ENTRIES
from benchmarks.map.report import write
from benchmarks.map.run import all_peers, run
from benchmarks.runner import RESULTS, Plan, meta
from benchmarks.settings import Settings

_PEERS = tuple(dict.fromkeys((*CONVEX, *CONCAVE)))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the map."""
    parser.add_argument("--quick", action="store_true", help="five minutes: a few small shapes")
    parser.add_argument("--penalties", nargs="+", default=list(PENALTIES), choices=PENALTIES)
    parser.add_argument("--layouts", nargs="+", default=list(LAYOUTS), choices=LAYOUTS)
    parser.add_argument("--peers", nargs="*", choices=_PEERS, help="besides ours (all)")
    parser.add_argument("--levels", nargs="+", default=list(LEVELS), choices=LEVELS)
    parser.add_argument(
        "--most", type=float, default=MOST_ENTRIES, help="stored entries of X at the most (1e8)"
    )
    parser.add_argument("--limit", type=float, help="CPU seconds of a path (60; quick 5)")
    parser.add_argument("--repeat", type=int, default=1, help="interleaved rounds (1)")
    parser.add_argument(
        "--again",
        action="store_true",
        help="run the cells that the result file holds, with the tolerances found there",
    )
    parser.add_argument(
        "--fastest", type=int, default=0, help="with --again: only so many peers of each cell (all)"
    )
    parser.add_argument("--report", action="store_true", help="run nothing, write what is known")
    parser.add_argument("--docs", action="store_true", help="write docs/map.md and its figure, too")
    parser.add_argument("--note", action="append", default=[], help="a caveat for the page")
    parser.add_argument("--out", type=Path, help="result file; cells it holds are not run again")


def command(arguments: argparse.Namespace) -> None:
    """Run what is asked for and write its report."""
    out = arguments.out or RESULTS / ("map-quick.json" if arguments.quick else "map.json")
    if not arguments.report:
        run(
            _plan(arguments, out),
            arguments.layouts,
            int(arguments.most),
            out,
            quick=arguments.quick,
            again=arguments.again,
            fastest=arguments.fastest,
            notes=arguments.note,
        )
    elif not out.exists():
        sys.exit(f"{out} is not there; run `python -m benchmarks map` first")
    print(*write(out, docs=arguments.docs), sep="\n")


def _plan(arguments: argparse.Namespace, out: Path) -> Plan:
    peers = all_peers(arguments.penalties)
    if arguments.peers is not None:
        peers = [peer for peer in peers if peer in {*OWN, *arguments.peers}]
    earlier = [out] if arguments.again and out.exists() else []
    return Plan(
        problems=[],
        penalties=arguments.penalties,
        peers=[p for p in peers if p in (OURS, PREVIOUS)] + [p for p in peers if p not in OWN],
        variants=["standardised"],
        threads=[1],
        levels=arguments.levels,
        limit=arguments.limit or (5.0 if arguments.quick else 60.0),
        repeat=arguments.repeat,
        keep_above=10.0,
        rounds_within=2.0,
        per_decade=1 if arguments.quick else 2,
        patience=1,
        settings=Settings.read(earlier, meta()["machine"]),
    )
