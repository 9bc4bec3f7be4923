"""The command line: ``sparsieve fit``, ``predict``, ``path``, ``report``, ``info``, ``paper``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code; see ``sparsieve --help``."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        import click  # noqa: F401  # only to see whether it is there
    except ImportError:
        print(
            "sparsieve: error: the command line needs click; install it, with what reads Parquet "
            "and Excel files and draws progress bars: pip install click pyarrow openpyxl tqdm",
            file=sys.stderr,
        )
        sys.exit(1)
    from .app import run

    sys.exit(run(arguments))
