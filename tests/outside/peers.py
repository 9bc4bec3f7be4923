"""Run the tests of celer and skglm on our estimators, in the environments of the benchmarks.

    python -m benchmarks envs celer skglm      make the environments, once
    python -m tests.outside.peers              run both and count; further arguments go to pytest

The running interpreter has sparsieve and pytest; the packages of the environments are looked for
after its own, so that only what it lacks comes from there.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest
from benchmarks.envs import ENVS

from .counts import Counts

PEERS = ("celer", "skglm")


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.outside.peers", description=__doc__)
    parser.add_argument("--envs", type=Path, default=ENVS, help="folder of the environments")
    args, more = parser.parse_known_args()
    for peer in PEERS:
        found = sorted((args.envs / peer).glob("lib/python*/site-packages"))
        if not found:
            parser.error(
                f"no environment of {peer} in {args.envs}: python -m benchmarks envs {peer}"
            )
        sys.path.append(str(found[0]))
    here = Path(__file__).parent
    files = [str(here / f"test_{peer}.py") for peer in PEERS]
    raise SystemExit(pytest.main([*files, *more], plugins=[Counts()]))


if __name__ == "__main__":
    main()
