"""The documentation keeps its word: its examples run, its tables are complete."""

from __future__ import annotations

import ast
import doctest
import importlib
import importlib.util
import pkgutil
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import sparsieve as sv

#: Packages that pages show and the tests do not require.
OPTIONAL = {"mlflow", "skl2onnx", "skops"}
ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "src" / "sparsieve"
PAGES = sorted(
    page
    for page in [*DOCS.glob("*.md"), ROOT / "README.md"]
    if "```python" in page.read_text(encoding="utf-8")
)
sys.path.insert(0, str(DOCS / "_ext"))

from message_scan import scan  # noqa: E402


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_python_block_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = blocks(page)
    # A block that the pattern misses, an indented one say, would never run.
    assert len(found) == page.read_text(encoding="utf-8").count("```python")
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {"__name__": "page"}
    for k, block in enumerate(found):
        needed = set(re.findall(r"^import (\w+)", block, re.M)) & OPTIONAL
        if all(importlib.util.find_spec(name) for name in needed):
            with warnings.catch_warnings():
                if needed:  # what other packages say about themselves
                    warnings.simplefilter("ignore")
                exec(compile(block, f"{page.name}, block {k + 1}", "exec"), scope)


def modules() -> list[str]:
    names = ["sparsieve"]
    for found in pkgutil.walk_packages(sv.__path__, "sparsieve."):
        if "__main__" not in found.name and "._core" not in found.name:
            names.append(found.name)
    return names


@pytest.mark.parametrize("name", modules())
def test_docstring_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        pytest.skip(f"needs an extra: {error}")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.testmod(module, optionflags=flags).failed == 0


def raised_or_warned(file: Path) -> int:
    """Count raise statements that make an exception, and calls of warn, by another route."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    raises = [n for n in ast.walk(tree) if isinstance(n, ast.Raise) and isinstance(n.exc, ast.Call)]
    # SystemExit(main()) hands on a status, not a message.
    with_text = [
        n
        for n in raises
        if isinstance(n.exc, ast.Call) and n.exc.args and not isinstance(n.exc.args[0], ast.Call)
    ]
    warns = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Call)
        and ast.unparse(n.func).split(".")[-1] in ("warn", "TableProblem")
    ]
    return len(with_text) + len(warns)


def test_no_message_is_missing_from_the_table() -> None:
    found: dict[str, int] = {}
    for message in scan(PACKAGE):
        found[message.module] = found.get(message.module, 0) + 1
    for file in PACKAGE.rglob("*.py"):
        name = file.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".")
        name = name.removesuffix(".__init__")
        assert found.get(name, 0) == raised_or_warned(file), name


def test_every_message_has_a_remedy() -> None:
    lacking = [
        f"{m.module}:{m.line} {m.kind}: {m.text}" for m in scan(PACKAGE) if not m.parts[1].strip()
    ]
    assert lacking == []


def test_notation_names_what_is_there() -> None:
    rows = re.findall(
        r"^\|.*\| (`[^|]+`) \| `([^|]+)` \|", (DOCS / "notation.md").read_text("utf-8"), re.M
    )
    assert len(rows) > 10
    for names, file in rows:
        text = (ROOT / file).read_text(encoding="utf-8")
        for name in re.findall(r"`([^`]+)`", names):
            assert re.search(rf"\b{name}", text), (name, file)


def test_api_page_lists_the_public_surface() -> None:
    page = (DOCS / "api.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   ([\w.]+)$", page, re.M))
    submodules = {name for name in sv.__all__ if hasattr(getattr(sv, name), "__path__")}
    submodules |= {"converters", "datasets", "plots"}
    for name in set(sv.__all__) - submodules:
        assert name in listed, name
    for name in listed:
        *module, last = ["sparsieve", *name.split(".")]
        assert hasattr(importlib.import_module(".".join(module)), last), name


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*DOCS.glob("*.md"), *ROOT.glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), (page.name, link)
