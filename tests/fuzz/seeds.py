"""Run a check over many seeds: what the programs of this folder that have no time limit share."""

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple


class Run(NamedTuple):
    problems: int
    failures: int
    seconds: float


def run_seeds(description: str, check: Callable[[int], list[str]]) -> Run:
    """Run the seeds that the command line asks for, and print what is wrong with each."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    failures, begun = 0, time.perf_counter()
    for seed in range(args.first, args.first + args.problems):
        wrong = check(seed)
        failures += bool(wrong)
        for line in wrong:
            print(line, flush=True)
    return Run(args.problems, failures, time.perf_counter() - begun)
