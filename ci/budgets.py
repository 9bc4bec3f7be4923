"""Size budgets of the C++ code: lines of a function and of a file, data members of a class.

``python -m ci.budgets`` reads every .hpp, .cpp and .inl file below cpp/, prints one line for each
finding and ends with exit code 1 if there is one. How things are counted: ci/cpp_sizes.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ci.cpp_sizes import Size, measure

PROJECT = Path(__file__).parents[1].resolve()
SUFFIXES = (".hpp", ".cpp", ".inl")
# What has a budget -> (the most that is allowed, of what).
BUDGETS = {
    "file": (500, "lines"),
    "function": (60, "lines"),
    "class": (15, "data members"),
    "bracket": (0, "without a partner"),
}
# "file" or "file: name" -> (the most that is allowed there, why). An exception that nothing needs
# any more is a finding, so that the list can only become shorter.
EXCEPTIONS: dict[str, tuple[int, str]] = {}


def above_budget(project: Path) -> Iterator[tuple[str, Size]]:
    """Yield what is above its budget, and its file."""
    paths = [path for path in (project / "cpp").rglob("*") if path.suffix in SUFFIXES]
    for path in sorted(paths):
        for size in measure(path.read_text(encoding="utf-8")):
            if size.amount > BUDGETS[size.kind][0]:
                yield path.relative_to(project).as_posix(), size


def check(project: Path, exceptions: Mapping[str, tuple[int, str]]) -> list[str]:
    """Return the findings: what is too large, and exceptions that nothing needs."""
    findings, needed = list[str](), set[str]()
    for file, size in above_budget(project):
        key = f"{file}: {size.name}" if size.name else file
        needed.add(key)
        budget, unit = BUDGETS[size.kind]
        allowed = exceptions[key][0] if key in exceptions else budget
        if size.amount > allowed:
            what = f"{size.kind} {size.name}".strip()
            note = f" ({allowed} by exception)" if key in exceptions else ""
            amount = f"{size.amount} {unit}, budget {budget}{note}"
            findings.append(f"{file}:{size.line}: {what}, {amount}")
    for key in sorted(exceptions.keys() - needed):
        file, _, name = key.partition(": ")
        findings.append(f"{file}:1: exception for {name or 'the file'}, not needed, take it out")
    return findings


def main() -> None:
    """Print the findings."""
    findings = check(PROJECT, EXCEPTIONS)
    print("\n".join(findings) or "the C++ code keeps its size budgets")
    raise SystemExit(bool(findings))


if __name__ == "__main__":
    main()
