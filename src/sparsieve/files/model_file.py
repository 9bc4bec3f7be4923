r"""Model files: plain JSON with a checksum, no pickle, nothing is executed on loading.

A file is one JSON object whose first line is a header of fixed form::

    {"format":"sparsieve-model","version":1,"sha256":"<64 hex digits>","bytes":<length>,"content":
    {...}
    }

``bytes`` is the length of the content in bytes and ``sha256`` the digest of
``"sparsieve-model <version>\n"`` followed by these bytes. Header and end must match to the byte, so
a file that was cut short, lengthened or changed anywhere is refused with :class:`ModelFileError`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from .._files import atomic_writer
from ..data.scalars import check_integer

__all__ = ["FORMAT_VERSION", "ModelFileError", "read_content", "write_content"]

FORMAT_VERSION = 1
_START = b'{"format":"sparsieve-model","version":'
_HEADER = re.compile(
    re.escape(_START)
    + rb'([1-9][0-9]{0,5}),"sha256":"([0-9a-f]{64})","bytes":([1-9][0-9]{0,14}),"content":\n'
)
# The longest header the pattern allows; a first line longer than this is not ours.
_HEADER_LIMIT = 256
_END = b"\n}\n"
#: Larger files are refused unless the caller allows more.
MOST_BYTES = 2**30
# Bytes of a model file per bracket, at least.
_DENSEST = 6
_AGAIN = "copy the file again or save the model again"


class ModelFileError(ValueError):
    """A model file that cannot be used: not one, damaged, or from a newer version."""


def write_content(file: str | os.PathLike[str], content: dict[str, Any]) -> None:
    """Write a JSON document as a model file."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    body = text.encode("utf-8")
    header = (
        f'{_START.decode()}{FORMAT_VERSION},"sha256":"{_digest(FORMAT_VERSION, body)}",'
        f'"bytes":{len(body)},"content":\n'
    )
    with atomic_writer(file) as stream:
        stream.write(header.encode("ascii"))
        stream.write(body)
        stream.write(_END)


def read_content(
    file: str | os.PathLike[str], max_bytes: int | None = MOST_BYTES
) -> dict[str, Any]:
    """Return the JSON document of a model file, after checking every byte of it."""
    path = Path(file)
    if max_bytes is not None:
        remedy = "use e.g. max_bytes=2**30, or None for no limit"
        max_bytes = check_integer("max_bytes", max_bytes, low=1, remedy=remedy)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the model file in it.")
    with path.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        if max_bytes is not None and size > max_bytes:
            raise ModelFileError(
                f"{path} has {size} bytes, and max_bytes allows {max_bytes}; if you trust the "
                "file, allow more with `max_bytes=...`."
            )
        return parse_content(path, stream, size)


def parse_content(path: Path, stream: BinaryIO, size: int) -> dict[str, Any]:
    """Return the JSON document in a stream of ``size`` bytes; ``path`` names it in messages."""
    version, digest, length = _check_header(path, stream.readline(_HEADER_LIMIT))
    _check_size(path, size, stream.tell() + length + len(_END))
    body, end = stream.read(length), stream.read(len(_END) + 1)
    if end != _END or _digest(version, body) != digest:
        raise ModelFileError(
            f"{path} is damaged: its checksum does not match its content; {_AGAIN}."
        )
    return _parse(path, body)


def _digest(version: int, body: bytes) -> str:
    """Return the checksum, which covers the version too."""
    return hashlib.sha256(f"sparsieve-model {version}\n".encode() + body).hexdigest()


def _check_header(path: Path, line: bytes) -> tuple[int, str, int]:
    if not line.startswith(_START):
        if line and _START.startswith(line):
            raise ModelFileError(f"{path} is cut short: its header is incomplete; {_AGAIN}.")
        raise ModelFileError(
            f"{path} is not a sparsieve model (it does not start with the header of one); pass a "
            "file that a model was saved to."
        )
    match = _HEADER.fullmatch(line)
    if match is None:
        raise ModelFileError(f"{path} is damaged: its header cannot be read; {_AGAIN}.")
    version = int(match[1])
    if version != FORMAT_VERSION:
        raise ModelFileError(
            f"{path} has version {version} of the format, this sparsieve reads version "
            f"{FORMAT_VERSION}; install a newer sparsieve (in a newer checkout: pip install .)."
        )
    return version, match[2].decode("ascii"), int(match[3])


def _check_size(path: Path, actual: int, expected: int) -> None:
    """Compare sizes before reading, so that a wrong length never asks for memory."""
    if actual < expected:
        raise ModelFileError(
            f"{path} is cut short: {actual} bytes of the {expected} it announces; {_AGAIN}."
        )
    if actual > expected:
        raise ModelFileError(
            f"{path} is damaged: {actual} bytes, but it announces {expected}; {_AGAIN}."
        )


def _parse(path: Path, body: bytes) -> dict[str, Any]:
    """Parse strict JSON: no NaN, no repeated keys, an object at the top."""

    def refuse_constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            raise ValueError("a key occurs twice")
        return result

    # Each list or object takes 60 bytes and more, even an empty one; a model has few of them.
    if _DENSEST * (body.count(b"[") + body.count(b"{")) > len(body) + _HEADER_LIMIT * _DENSEST:
        raise ModelFileError(f"{path} is not a valid model file: it is made of brackets; {_AGAIN}.")
    try:
        content = json.loads(body, parse_constant=refuse_constant, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{path} is not a valid model file: {error}; {_AGAIN}.") from error
    if not isinstance(content, dict):
        raise ModelFileError(f"{path} is not a valid model file: no object in it; {_AGAIN}.")
    return content
