"""The tree is tidy: nothing large, no citation of what is not there, every folder on the map."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_BYTES = 300_000
# Larger files that have to be in the repository: path and reason.
LARGE: dict[str, str] = {}
# Names of documents that are no citations: name and reason.
NOT_CITED = {
    "YYYY-MM-DD-idea.md": "the pattern of names in benchmarks/diary",
    "page.md": "made by a test",
}
TEXT = (".py", ".pyi", ".md", ".rst", ".toml", ".cpp", ".hpp", ".inl", ".R", ".js", ".css", ".in")
PLAIN = ("Makefile", "CMakeLists.txt", ".ci/run", "CITATION.cff")
MAPPED = ("src/sparsieve", "cpp", "cpp/sparsieve", "benchmarks", "docs", "examples", "tests")


@pytest.fixture(scope="module")
def tracked() -> list[str]:
    """Paths of the files that git knows and that are there."""
    try:
        asked = ["git", "-C", str(ROOT), "ls-files", "-z"]
        listed = subprocess.run(asked, capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"not a git repository: {error}")
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def text_files(tracked: list[str]) -> dict[str, str]:
    here = Path(__file__).relative_to(ROOT).as_posix()
    names = [n for n in tracked if (n.endswith(TEXT) or n in PLAIN) and n != here]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names}


def test_no_file_is_large(tracked: list[str]) -> None:
    """What a command makes again is made again, not kept."""
    sizes = {name: (ROOT / name).stat().st_size for name in tracked}
    assert {n: size for n, size in sizes.items() if size > MOST_BYTES and n not in LARGE} == {}


def test_documents_that_are_cited_are_there(tracked: list[str]) -> None:
    documents = {f"/{name}" for name in tracked if name.endswith(".md")}
    missing = []
    for name, text in text_files(tracked).items():
        for cited in re.findall(r"[\w./-]*\w\.md\b", text):
            tail = "/" + re.sub(r"^(\.{0,2}/)+", "", cited)
            known = any(document.endswith(tail) for document in documents)
            if not known and tail[1:] not in NOT_CITED:
                missing.append(f"{name}: {cited}")
    assert missing == []


def test_no_document_is_cited_by_a_bare_name(tracked: list[str]) -> None:
    """A plan such as DESIGN, or a section of it, cannot be looked up here: write the fact."""
    pattern = re.compile(r"\bDESIGN\b|\b[A-Z]{4,},? section \d")
    found = [
        f"{name}: {match.group()}"
        for name, text in text_files(tracked).items()
        for match in pattern.finditer(text)
    ]
    assert found == []


def test_every_folder_is_on_the_map(tracked: list[str]) -> None:
    """ARCHITECTURE.md names every top-level folder, and those one level below."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = {name.split("/")[0] for name in tracked if "/" in name}
    for parent in MAPPED:
        inside = [n.removeprefix(f"{parent}/") for n in tracked if n.startswith(f"{parent}/")]
        folders |= {f"{parent}/{rest.split('/')[0]}" for rest in inside if "/" in rest}
    missing = []
    for folder in sorted(folders):
        last = re.escape(folder.split("/")[-1])
        if not re.search(rf"(?<![\w.]){last}/|\*\*{last}\*\*|`{last}`", text):
            missing.append(folder)
    assert missing == []
