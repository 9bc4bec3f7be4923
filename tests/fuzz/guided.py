"""Coverage-guided fuzzing of the parsers with Atheris (libFuzzer for Python).

``python -m tests.fuzz.guided TARGET --seconds 60 --folder FOLDER``. Byte mutations alone would
never meet a checksum, so most inputs are the content of a file that is wrapped with a right one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["sparsieve", "tests.fuzz.parser_checks"]):
    from . import parser_checks, parsers, reproducers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=parsers.TARGETS)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--folder", required=True)
    args = parser.parse_args()
    seen = set()

    def meet(data):
        case = parsers.wrap(args.target, data)
        complaints = parser_checks.complaints_of(args.target, case)
        if complaints and complaints[0][:60] not in seen:
            seen.add(complaints[0][:60])
            file = reproducers.write(args.folder, args.target, case, complaints)
            print(f"{args.target}: {complaints[0][:200]} ({file.name})", flush=True)

    with tempfile.TemporaryDirectory() as corpus:
        for k, data in enumerate(parsers.corpus(args.target)):
            (Path(corpus) / str(k)).write_bytes(data)
        options = [
            f"-max_total_time={max(1, round(args.seconds))}",
            f"-seed={args.first}",
            f"-artifact_prefix={args.folder}/{args.target}-",
            "-timeout=60",
            "-max_len=4096",
            "-rss_limit_mb=4096",
            "-verbosity=1",
            "-print_final_stats=1",
            corpus,
        ]
        atheris.Setup([sys.argv[0], *options], meet)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
