"""Fuzz everything: solvers, the public API, and all that parses.

``python -m tests.fuzz --minutes 10`` shares the time among all fuzzers; name some to run only
those (``parsers``: all that parse), ``--count`` and ``--first`` fix how many inputs and from which
seed. ``python -m tests.fuzz parsers --inputs 5000000 --first SEED`` runs so many in all, whatever
time that takes. Each failure becomes one file in the folder that shows it again with the installed
library. The exit code is 1 if there was any, and each fuzzer names the ``--first`` to go on from.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import parsers, reproducers, worker

# Seconds one input may take: the problems are tiny, so this is a hang.
PATIENCE = 120.0
# Shares of the time. The API's calls are few and dear, the parsers' inputs many and cheap.
SHARES = {"pwl": 3, "paths": 3, "extremes": 2, "strengths": 2, "global_minima": 1, "api": 4}
SHARES |= {"certificates": 3, "options": 2, "losses": 3, "tall": 2}
SHARES |= dict.fromkeys(parsers.TARGETS, 1)


class Tally:
    """Counts over all fuzzers."""

    def __init__(self, folder):
        self.folder = folder
        self.inputs, self.failures, self.parsed = 0, 0, 0

    def add(self, target, inputs, failures):
        self.inputs += inputs
        self.failures += failures
        self.parsed += inputs if target in parsers.TARGETS else 0


def watch(process, state):
    """Wait for a worker; return what ended it early, or None."""
    at, since = -1, time.monotonic()
    while process.poll() is None:
        time.sleep(0.2)
        if state.cells[3] != at:
            at, since = int(state.cells[3]), time.monotonic()
        elif time.monotonic() - since > PATIENCE and state.cells[0] > 0:
            process.kill()
            process.wait()
            return f"no answer after {PATIENCE:.0f} s"
    if process.returncode < 0:
        return f"killed by {signal.Signals(-process.returncode).name}"
    return None if process.returncode == 0 else f"exit code {process.returncode}"


def seeded(target, first, count, seconds, tally):
    """Run one seeded fuzzer; an input that kills it is written down and passed over."""
    start, done, failures, seed = time.monotonic(), 0, 0, first
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "state"
        while done < count and time.monotonic() - start < seconds and failures < worker.ENOUGH:
            state = worker.State(file, "w+")
            left = seconds - (time.monotonic() - start)
            command = [sys.executable, "-m", "tests.fuzz.worker", target]
            command += [f"--first={seed}", f"--count={count - done}", f"--seconds={left}"]
            command += [f"--state={file}", f"--folder={tally.folder}"]
            process = subprocess.Popen(command)
            ending = watch(process, state)
            done += int(state.cells[0])
            failures += int(state.cells[1])
            seed = int(state.cells[2]) + 1
            if ending is None:
                break
            failures += 1
            done += 1
            report_death(target, seed - 1, ending, tally.folder)
    tally.add(target, done, failures)
    rate = done / max(time.monotonic() - start, 1e-9)
    print(f"{target}: {done} inputs, {failures} failures, {rate:.0f}/s, next --first {seed}")
    sys.stdout.flush()


def report_death(target, seed, ending, folder):
    """Write the reproducer of an input that ended its process."""
    if target == "api":
        print(f"api round {seed}: {ending}", flush=True)
        return
    case, _ = worker.case_of(target, seed)
    written = reproducers.write(folder, target, case, [ending])
    print(f"{target} seed {seed}: {ending} ({written.name})", flush=True)


def guided(target, first, seconds, tally):
    """Run one parser under Atheris."""
    command = [sys.executable, "-m", "tests.fuzz.guided", target, f"--seconds={seconds}"]
    command += [f"--first={first + 1}", f"--folder={tally.folder}"]
    before = len(list(Path(tally.folder).iterdir()))
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace")
    runs = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
    inputs = int(runs[1]) if runs else 0
    failures = len(list(Path(tally.folder).iterdir())) - before
    if done.returncode != 0 and failures == 0:
        failures = 1
        print(done.stderr[-2000:], flush=True)
    tally.add(target, inputs, failures)
    print(f"{target}, guided: {inputs} inputs, {failures} failures", flush=True)


def named(words):
    """Return the fuzzers that the words of the command line name, each once."""
    chosen = [t for word in words for t in (parsers.TARGETS if word == "parsers" else [word])]
    return list(dict.fromkeys(chosen or worker.TARGETS))


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="target", help=", ".join(worker.TARGETS))
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--count", type=int, default=10**12, help="inputs per fuzzer, at most")
    parser.add_argument("--inputs", type=int, help="inputs of all fuzzers together, without limit")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="of reproducers")
    parser.add_argument("--unguided", action="store_true", help="without Atheris")
    args = parser.parse_args()
    targets = named(args.targets)
    unknown = set(targets) - set(worker.TARGETS)
    if unknown:
        parser.error(f"no fuzzer called {', '.join(sorted(unknown))}")
    args.folder.mkdir(parents=True, exist_ok=True)
    with_atheris = not args.unguided and importlib.util.find_spec("atheris") is not None
    if args.inputs is not None:
        args.count, args.minutes, with_atheris = -(-args.inputs // len(targets)), math.inf, False
    shares = {target: SHARES[target] for target in targets}
    unit = 60.0 * args.minutes / sum(shares.values())
    start, tally = time.monotonic(), Tally(args.folder)
    for target, share in shares.items():
        split = with_atheris and target in parsers.TARGETS
        seeded(target, args.first, args.count, unit * share / (1 + split), tally)
        if split:
            guided(target, args.first, unit * share / 2, tally)
    print(
        f"{tally.inputs} inputs ({tally.parsed} of them parsed), {tally.failures} failures in "
        f"{time.monotonic() - start:.0f} s; reproducers in {args.folder}"
        + ("" if with_atheris else "; without Atheris")
    )
    raise SystemExit(tally.failures > 0)


if __name__ == "__main__":
    main()
