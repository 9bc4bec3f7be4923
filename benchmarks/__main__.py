"""Command line of the benchmark: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import datetime
import json
import math
import shlex
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from benchmarks import envs
from benchmarks.adapters import NAMES
from benchmarks.compare import command as comparison
from benchmarks.judge import LEVELS, PENALTIES
from benchmarks.losses import command as losses
from benchmarks.map import command as shapes
from benchmarks.problems import PROBLEMS, QUICK, VARIANTS
from benchmarks.runner import RESULTS, Plan, meta, run
from benchmarks.settings import Settings

Number = TypeVar("Number", int, float)
CLOCKS = "seconds: those on the wall; cpu: those of the processor, steadier on a busy machine"
INTERRUPTED = 130  # the exit status of what Ctrl-C ends
DOCS = "write the short form of the tables into docs/benchmark_results.md, too"


def main() -> None:
    """Parse the command line and run what it asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    made = commands.add_parser("envs", help="make the environments of the peers")
    made.add_argument("peers", nargs="*", metavar="peer")
    _add_run(commands.add_parser("run", help="run the benchmark and write its report"))
    report = commands.add_parser("report", help="write tables and plots of a result file again")
    report.add_argument("results", nargs="+", type=Path)
    report.add_argument("--docs", action="store_true", help=DOCS)
    comparison.add_options(
        commands.add_parser("compare", help="time this commit against a base commit")
    )
    grown = commands.add_parser("growth", help="time against the number of features and samples")
    grown.add_argument("--penalties", nargs="+", default=["l1", "mcp"], choices=PENALTIES)
    grown.add_argument("--repeat", type=int, default=5)
    grown.add_argument("--clock", default="seconds", choices=["seconds", "cpu"], help=CLOCKS)
    light = commands.add_parser("small", help="time small work against scikit-learn")
    light.add_argument("--penalties", nargs="+", default=list(PENALTIES), choices=PENALTIES)
    light.add_argument("--repeat", type=int, default=200, help="rounds; the best counts (200)")
    light.add_argument("--bootstraps", type=int, default=1000, help="fits, three rounds (1000)")
    shapes.add_options(commands.add_parser("map", help="time every shape of data, and draw a map"))
    losses.add_options(commands.add_parser("losses", help="time logistic and Poisson paths"))
    shared = commands.add_parser("threads", help="time two threads against one")
    shared.add_argument("--problems", nargs="+", default=["big_2000x100000"], choices=PROBLEMS)
    shared.add_argument("--penalties", nargs="+", default=["l1", "mcp"], choices=PENALTIES)
    shared.add_argument("--repeat", type=int, default=3, help="rounds; the best counts (3)")
    _add_study(commands.add_parser("starts", help="study where a solve should start"), 20)
    _add_study(commands.add_parser("minima", help="study how strong a minimum should be"), 40)
    _add_lower(commands.add_parser("lower", help="compare objectives with other solvers' points"))
    arguments = parser.parse_args()
    # Ended from outside, a run still ends its workers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    does = {
        "envs": _envs,
        "run": _run,
        "report": _report,
        "compare": _compare,
        "growth": _growth,
        "small": _small,
        "threads": _threads,
        "starts": _starts,
        "minima": _minima,
        "lower": _lower,
        "map": shapes.command,
        "losses": losses.command,
    }
    try:
        does[arguments.command](arguments)
    except KeyboardInterrupt as ended:
        left = f"{ended}; " if str(ended) else ""
        _end_interrupted(f"interrupted; {left}the same command starts again from its beginning")


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--quick", action="store_true", help="a few minutes: small problems, 1 thread"
    )
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS)
    parser.add_argument("--penalties", nargs="+", default=list(PENALTIES), choices=PENALTIES)
    parser.add_argument("--peers", nargs="+", default=list(NAMES), choices=NAMES)
    parser.add_argument("--variants", nargs="+", choices=VARIANTS)
    parser.add_argument("--threads", nargs="+", type=int)
    parser.add_argument("--levels", nargs="+", default=list(LEVELS), choices=LEVELS)
    parser.add_argument("--limit", type=float, help="CPU seconds an attempt may take, per thread")
    parser.add_argument(
        "--repeat",
        type=int,
        help="interleaved rounds, the best counts; 0 for the search only, whose times are kept",
    )
    parser.add_argument(
        "--rounds-within",
        type=float,
        metavar="FACTOR",
        help="peers slower than so many times the fastest one keep the time of their search",
    )
    parser.add_argument("--per-decade", type=int, help="steps of the search for a tolerance")
    parser.add_argument("--patience", type=int, help="unfinished attempts that end a search")
    parser.add_argument(
        "--settings",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="earlier result files: the peers' tolerances are tried first, what they never "
        "reached is not tried again",
    )
    parser.add_argument("--cold", nargs="*", choices=PROBLEMS, help="problems to start cold on")
    parser.add_argument("--note", action="append", default=[], help="a caveat for the report")
    parser.add_argument("--out", type=Path, help="result file; cells it holds are not run again")


def _add_study(parser: argparse.ArgumentParser, draws: int) -> None:
    parser.set_defaults(usual_draws=draws)
    parser.add_argument("--quick", action="store_true", help="a few minutes: a part of it")
    parser.add_argument(
        "--draws", type=int, help=f"draws of every family ({draws}; in the quick run 2)"
    )
    parser.add_argument("--docs", action="store_true", help=DOCS)
    parser.add_argument("--out", type=Path, help="result file; draws it holds are not run again")


def _add_lower(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--draws", type=int, default=500, help="random problems (500)")
    parser.add_argument("--problems", nargs="*", choices=PROBLEMS, help="of the benchmark")
    parser.add_argument("--penalties", nargs="+", choices=[k for k in PENALTIES if k != "l1"])
    parser.add_argument("--variants", nargs="+", choices=VARIANTS)
    parser.add_argument("--peers", nargs="*", choices=NAMES, help="skglm, pycasso and skein-glm")
    parser.add_argument("--limit", type=float, default=120.0, help="CPU seconds of a peer's path")
    parser.add_argument(
        "--why",
        type=int,
        metavar="POINTS",
        help="run nothing; look at so many points of the result file where ours is above",
    )
    parser.add_argument("--out", type=Path, help="result file; paths it holds are not run again")


def _run(arguments: argparse.Namespace) -> None:
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M%S")
    out = arguments.out or RESULTS / f"{'quick' if arguments.quick else 'bench'}-{stamp}.json"
    try:
        run(_plan(arguments), out, arguments.note)
        _write_report([out])
    except KeyboardInterrupt:
        _end_interrupted(_left_behind(out, sys.argv[1:]))


def _left_behind(out: Path, arguments: list[str]) -> str:
    """Say what an interrupted run has saved, how to see it and how to go on."""
    if not out.exists():
        return (
            "interrupted before the first cell was finished; nothing is saved: the same command "
            "starts again"
        )
    keys = ("problem", "variant", "penalty", "threads")
    records = json.loads(out.read_text())["records"]
    cells = len({tuple(record[key] for key in keys) for record in records})
    told = any(argument.startswith("--out") for argument in arguments)
    again = arguments if told else [*arguments, "--out", str(_near(out))]
    command = shlex.join([str(_near(Path(sys.executable))), "-m", "benchmarks"])
    return (
        f"interrupted; {cells} finished {'cell is' if cells == 1 else 'cells are'} in "
        f"{_near(out)}: `{command} report {shlex.quote(str(_near(out)))}` writes their tables, "
        f"`{command} {shlex.join(again)}` goes on"
    )


def _near(path: Path) -> Path:
    """Return a path as it is named from the current folder, if it lies in there."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _end_interrupted(line: str) -> NoReturn:
    print(line, file=sys.stderr, flush=True)
    sys.exit(INTERRUPTED)


def _plan(arguments: argparse.Namespace) -> Plan:
    quick = arguments.quick
    repeat = _at_least(0, "--repeat", arguments.repeat, 1 if quick else 3)
    within = 3.0 if quick else math.inf
    # A run that only searches has no use for cold starts, unless they are asked for.
    cold = arguments.cold if arguments.cold is not None else ["toy_50x100"] * (repeat > 0)
    try:
        settings = Settings.read(arguments.settings, meta()["machine"])
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"--settings takes result files of earlier runs: {error}")
    return Plan(
        problems=arguments.problems or (QUICK if quick else list(PROBLEMS)),
        penalties=arguments.penalties,
        peers=arguments.peers,
        variants=arguments.variants or (["standardised"] if quick else ["standardised", "raw"]),
        threads=arguments.threads or ([1] if quick else [1, 2]),
        levels=arguments.levels,
        limit=arguments.limit or (2.0 if quick else 120.0),
        repeat=repeat,
        keep_above=0.5 if quick else math.inf,
        rounds_within=_at_least(1.0, "--rounds-within", arguments.rounds_within, within),
        per_decade=_at_least(1, "--per-decade", arguments.per_decade, 1 if quick else 2),
        patience=_at_least(1, "--patience", arguments.patience, 1 if quick else 3),
        settings=settings,
        cold=cold,
        cold_penalties=["l1", "mcp"] if quick else list(PENALTIES),
    )


def _at_least(smallest: Number, option: str, given: Number | None, default: Number) -> Number:
    if given is not None and given < smallest:
        sys.exit(f"{option} is {given:g}; take {smallest:g} or more")
    return default if given is None else given


def _report(arguments: argparse.Namespace) -> None:
    _write_report(arguments.results, docs=arguments.docs)


def _write_report(results: list[Path], *, docs: bool = False) -> None:
    from benchmarks.report import write

    for path in results:
        try:
            written = write(path, docs=docs)
        except (OSError, KeyError, ValueError) as error:
            sys.exit(f"{path} is no result file of `run`: {type(error).__name__} {error}")
        print(*written, sep="\n")


def _envs(arguments: argparse.Namespace) -> None:
    envs.make_all(arguments.peers)


def _growth(arguments: argparse.Namespace) -> None:
    from benchmarks.growth import growth

    print(*growth(arguments.penalties, arguments.repeat, arguments.clock), sep="\n")


def _small(arguments: argparse.Namespace) -> None:
    from benchmarks.small import small

    repeat = _at_least(1, "--repeat", arguments.repeat, 1)
    bootstraps = _at_least(1, "--bootstraps", arguments.bootstraps, 1)
    print(*small(arguments.penalties, repeat, bootstraps), sep="\n")


def _threads(arguments: argparse.Namespace) -> None:
    from benchmarks.threads import threads

    repeat = _at_least(1, "--repeat", arguments.repeat, 1)
    print(*threads(arguments.problems, arguments.penalties, repeat), sep="\n")


def _starts(arguments: argparse.Namespace) -> None:
    from benchmarks.starts.report import write

    document, out = _study(arguments)
    print(*write(document, out, docs=arguments.docs), sep="\n")


def _minima(arguments: argparse.Namespace) -> None:
    from benchmarks.starts.minima import write

    document, out = _study(arguments)
    print(*write(document, out, docs=arguments.docs), sep="\n")


def _study(arguments: argparse.Namespace) -> tuple[dict[str, Any], Path]:
    """Run a study; return what is in its file, and the file."""
    from benchmarks.starts.study import Plan, study

    quick, name = arguments.quick, arguments.command
    draws = _at_least(1, "--draws", arguments.draws, 2 if quick else arguments.usual_draws)
    out = arguments.out or RESULTS / f"{name}{'-quick' * quick}.json"
    plan = Plan.quick(draws) if quick else Plan(draws)
    try:
        return study(plan.for_minima() if name == "minima" else plan, out), out
    except KeyboardInterrupt:
        _end_interrupted(f"interrupted; with `--out {_near(out)}` the same command goes on")


def _lower(arguments: argparse.Namespace) -> None:
    from benchmarks.lower import why
    from benchmarks.lower.report import write
    from benchmarks.lower.study import Plan, study

    out = arguments.out or RESULTS / "lower.json"
    if arguments.why is not None:
        most = _at_least(1, "--why", arguments.why, 5)
        if not out.exists():
            sys.exit(f"{_near(out)} is not there; run `python -m benchmarks lower` first")
        print(why.table(why.why(out, most)))
        return
    asked = {
        "draws": _at_least(0, "--draws", arguments.draws, 500),
        "cells": arguments.problems,
        "penalties": arguments.penalties,
        "variants": arguments.variants,
        "peers": arguments.peers,
        "limit": arguments.limit,
    }
    plan = Plan(**{name: value for name, value in asked.items() if value is not None})
    try:
        document = study(plan, out)
    except KeyboardInterrupt:
        _end_interrupted(f"interrupted; with `--out {_near(out)}` the same command goes on")
    print(*write(document, out), sep="\n")


def _compare(arguments: argparse.Namespace) -> None:
    sys.exit(comparison.compare(arguments))


if __name__ == "__main__":
    main()
