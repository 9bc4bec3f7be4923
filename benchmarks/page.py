"""The page of results of the docs, docs/benchmark_results.md: who writes which part of it."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks import envs

PAGE = envs.ROOT / "docs" / "benchmark_results.md"
STATIC = envs.ROOT / "docs" / "_static"


def put(section: str, text: str, page: Path = PAGE) -> Path:
    """Replace what stands between the two comments of a section.

    Headings go down by one level, and notes become a list.
    """
    begin, end = f"<!-- begin {section} -->", f"<!-- end {section} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{page.name} has no part between {begin!r} and {end!r}: put them in")
    lower = re.sub(r"^#", "##", text.strip(), flags=re.MULTILINE)
    lower = re.sub(r"^Note: ", "- ", lower, flags=re.MULTILINE)
    page.write_text(f"{before}{begin}\n\n{lower}\n\n{end}{after}", encoding="utf-8")
    return page
