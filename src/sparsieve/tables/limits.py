"""How much a file may hold: a small file can unpack to any size, and memory follows what it holds.

Readers take at most 20 times the size of the decoded content (and some megabytes for themselves),
and refuse content that is larger than ``max_bytes`` before they ask for memory.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .table import ReadOptions, TableError, listing

__all__ = ["MOST_BYTES", "check_bytes", "check_texts", "limit_of", "opened"]

#: Of compressed content, unless the user says otherwise.
MOST_BYTES = 2**30
# A text takes some 150 bytes as a category, however short it is.
_MOST_TEXTS = 1_000_000


def limit_of(options: ReadOptions, compressed: bool) -> int | None:
    """Return how many bytes of content are read; None: as many as there are.

    A file that is not compressed is as large as it looks, and its reader knows that.
    """
    return MOST_BYTES if options.max_bytes is None and compressed else options.max_bytes


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a file that may be compressed."""
    try:
        with gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb") as stream:
            yield stream
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(f"{path} cannot be read: {error}; check the file.") from error


def check_bytes(path: Path, count: int, limit: int | None) -> None:
    """Raise TableError if there are more bytes than the limit."""
    if limit is not None and count > limit:
        raise TableError(
            f"{path} holds more than the {limit} bytes that max_bytes allows, once it is decoded; "
            "if you trust the file, allow more with `max_bytes=...`."
        )


def check_texts(path: Path, codes: dict[str, dict[str, int]]) -> None:
    """Raise TableError if columns of text hold more different texts than any model can use."""
    if sum(map(len, codes.values())) > _MOST_TEXTS:
        names = sorted(codes, key=lambda name: -len(codes[name]))
        raise TableError(
            f"{path}: more than {_MOST_TEXTS} different texts, most of them in the column "
            f"{listing(names[:1])}, which looks like an identifier; leave it out with "
            f"`drop={names[:1]}`."
        )
