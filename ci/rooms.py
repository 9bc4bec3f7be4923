"""Which room of the package may import which, and which knows how X is stored.

``python -m ci.rooms`` also finds circles of modules. Every import counts, also those inside
functions and those for types only.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "sparsieve"

#: A room may import those above it in this list. A module beside the rooms is a room of its own.
ORDER = (
    "_core",  # compiled
    "_files",
    "_words",
    "_log",
    "datasets",
    "data",
    "_progress",
    "penalties",
    "losses",
    "tables",
    "solve",
    "inspect",
    "reference",
    "plots",
    "report",
    "paths",
    "files",
    "estimators",
    "selection",
    "converters",
    "__init__",  # the public names
    "cli",
    "__main__",
)
#: What may look upwards all the same.
EXCEPTIONS = {
    ("files.loading", "estimators"): "it makes the estimators that a file holds",
    ("files.loading", "selection"): "it makes the estimators that a file holds",
}
#: Rooms and modules that may take X apart; all others ask ``data/design.py``.
KNOWS_STORAGE = {
    "data": "it is the room that knows how X is stored",
    "tables": "tables of the user, before they become X",
    "estimators.table_model": "the same",
    "estimators.table_input": "the same",
    "cli.show": "the same",
    "files.codec": "it writes sparse coefficients",
    "datasets": "it makes X",
    "reference": "the paper's algorithms have a design of their own",
}
_ASKS = {"issparse", "isspmatrix", "indptr"}
_NAMES = {"X", "_X"}
_PARTS = {"T", "data", "indices", "toarray", "todense", "tocsc", "tocsr", "tocoo"}


def modules(package: Path) -> dict[str, Path]:
    """Return the modules below a folder by their dotted names, packages as ``name.__init__``."""
    return {
        ".".join(file.relative_to(package).with_suffix("").parts): file
        for file in sorted(package.rglob("*.py"))
    }


def imports(name: str, source: str, known: set[str]) -> Iterator[tuple[int, str]]:
    """Yield line and name of every module of the package that a module imports."""
    room = name.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ImportFrom):
            continue
        if node.level:
            target = room[: len(room) - (node.level - 1)] + (node.module or "").split(".")
        elif (node.module or "").split(".")[0] == "sparsieve":
            target = (node.module or "").split(".")[1:]
        else:
            continue
        parts = [part for part in target if part]
        for alias in node.names:
            yield node.lineno, _module(parts, alias.name, known)


def _module(parts: list[str], name: str, known: set[str]) -> str:
    """Return what ``from parts import name`` imports: a module, or something in one."""
    below, here = ".".join([*parts, name]), ".".join(parts)
    for candidate in (below, f"{below}.__init__", here, f"{here}.__init__" if here else ""):
        if candidate in known:
            return candidate
    if not parts:  # compiled, or a public name of the package
        return name if name == "_core" else "__init__"
    return here


def wrong_imports(package: Path = PACKAGE) -> list[str]:
    """Return imports against the order of the rooms, and circles."""
    files = modules(package)
    found: list[str] = []
    graph: dict[str, set[str]] = {}
    for name, file in files.items():
        graph[name] = set()
        for line, target in imports(name, file.read_text(encoding="utf-8"), set(files)):
            graph[name].add(target)
            room, other = name.split(".")[0], target.split(".")[0]
            if other not in ORDER:
                found.append(f"{file.name}:{line}: {other} has no place in ORDER (ci/rooms.py)")
            elif ORDER.index(other) > ORDER.index(room) and (name, other) not in EXCEPTIONS:
                found.append(f"{name}:{line}: {room} must not import {other}")
    return found + [f"a circle: {' -> '.join(circle)}" for circle in circles(graph)]


def taken_apart(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of every place that asks for the storage of X, or indexes it."""
    for node in ast.walk(ast.parse(source)):
        names = [getattr(node, "attr", ""), getattr(node, "id", "")]
        if isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
        if (
            _ASKS.intersection(names)
            or (isinstance(node, ast.Subscript) and _is_X(node.value))
            or (isinstance(node, ast.Attribute) and node.attr in _PARTS and _is_X(node.value))
            or (
                isinstance(node, ast.BinOp)
                and isinstance(node.op, ast.MatMult)
                and (_is_X(node.left) or _is_X(node.right))
            )
        ):
            yield node.lineno, ast.unparse(node)


def _is_X(node: ast.expr) -> bool:
    """Tell whether an expression is called X, or is the X of something."""
    return (getattr(node, "attr", None) or getattr(node, "id", None)) in _NAMES


def wrong_access(package: Path = PACKAGE) -> list[str]:
    """Return places that take X apart where that is not allowed, and needless exceptions."""
    found: list[str] = []
    needed: set[str] = set()
    for name, file in modules(package).items():
        allowed = {name, name.split(".")[0]} & KNOWS_STORAGE.keys()
        for line, text in taken_apart(file.read_text(encoding="utf-8")):
            needed |= allowed
            if not allowed:
                found.append(f"{name}:{line}: {text}: only data/ takes X apart, ask its Design")
    known = {name for key in modules(package) for name in (key, key.split(".")[0])}
    idle = sorted((KNOWS_STORAGE.keys() & known) - needed)
    return found + [f"{name} takes no X apart, strike it from KNOWS_STORAGE" for name in idle]


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return a circle of imports for every module that closes one."""
    found: list[list[str]] = []
    done: set[str] = set()

    def visit(name: str, way: list[str]) -> None:
        if name in way:
            found.append([*way[way.index(name) :], name])
            return
        if name in done or name not in graph:
            return
        for target in sorted(graph[name] - {name}):
            visit(target, [*way, name])
        done.add(name)

    for name in sorted(graph):
        visit(name, [])
    return found


def main() -> int:
    """Print what is wrong; the exit code says whether anything is."""
    wrong = wrong_imports() + wrong_access()
    count = len(modules(PACKAGE))
    print("\n".join(wrong) or f"{count} modules, every import allowed, X taken apart in data/ only")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
