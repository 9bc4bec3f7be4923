"""One fuzzer in a process of its own: it may crash or hang, its parent knows at which input.

``python -m tests.fuzz.worker TARGET --first SEED --count N --state FILE --folder FOLDER``
"""

from __future__ import annotations

import argparse
import importlib
import time

import numpy as np
import sklearn

try:
    import resource
except ImportError:  # Windows
    resource = None

from . import calls, parser_checks, parsers, reproducers

SOLVERS = ("pwl", "paths", "extremes", "strengths", "global_minima", "certificates", "options")
SOLVERS += ("losses", "tall")
TARGETS = (*SOLVERS, "api", *parsers.TARGETS)
MOST_MEMORY = 4 * 2**30
# After so many failures of one fuzzer there is more to repair than to find.
ENOUGH = 20


class State:
    """What the parent reads: inputs done, failures, and the number of the input at work."""

    def __init__(self, file, mode="r+"):
        # A plain array over the mapped file: a memmap's own indexing is slow.
        self.cells = np.asarray(np.memmap(file, dtype=np.int64, mode=mode, shape=(4,)))

    def start(self, seed):
        self.cells[2] = seed
        self.cells[3] += 1

    def finish(self, failed):
        self.cells[0] += 1
        self.cells[1] += failed


def case_of(target, seed):
    """Return what :func:`reproducers.write` takes for this seed, and the check to call on it."""
    if target in SOLVERS:
        return seed, importlib.import_module(f"tests.fuzz.{target}").complaints_of
    return parsers.make(target, seed), lambda data: parser_checks.complaints_of(target, data)


def run_seeds(target, first, count, stop, state, folder):
    """Run inputs made from successive seeds."""
    for seed in range(first, first + count):
        state.start(seed)
        case, check = case_of(target, seed)
        try:
            complaints = check(case)
        except Exception as error:
            complaints = [f"{type(error).__name__}: {error}"]
        state.finish(bool(complaints))
        if complaints:
            file = reproducers.write(folder, target, case, complaints)
            print(f"{target} seed {seed}: {complaints[0][:200]} ({file.name})", flush=True)
            if state.cells[1] >= ENOUGH:
                return
        if time.monotonic() > stop:
            return


def run_calls(first, count, stop, state, folder):
    """Run Hypothesis on the public API, in rounds of one seed each."""
    number = first
    while state.cells[0] < count and time.monotonic() < stop and state.cells[1] < ENOUGH:
        state.start(number)
        done, failures = calls.search(number, min(500, count - int(state.cells[0])), stop)
        state.cells[0] += done
        state.cells[1] += len(failures)
        for call, complaints in failures:
            file = reproducers.write(folder, "api", call, complaints)
            print(f"api round {number}: {complaints[0][:200]} ({file.name})", flush=True)
        number += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=np.inf)
    parser.add_argument("--state", required=True)
    parser.add_argument("--folder", required=True)
    args = parser.parse_args()
    stop = time.monotonic() + args.seconds
    if args.target in parsers.TARGETS and resource is not None:
        # An input that asks for gigabytes is a failure, not a test of the machine.
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    # Of arguments that are always the same, which takes longer than reading a svmlight file.
    sklearn.set_config(skip_parameter_validation=args.target in parsers.TARGETS)
    state = State(args.state)
    if args.target == "api":
        run_calls(args.first, args.count, stop, state, args.folder)
    else:
        run_seeds(args.target, args.first, args.count, stop, state, args.folder)


if __name__ == "__main__":
    main()
