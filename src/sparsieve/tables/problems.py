"""What keeps a table from being used, collected so that one message tells all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .table import TableError, TableProblem

__all__ = ["raise_problems"]


def raise_problems(source: str, problems: Sequence[TableProblem]) -> None:
    """Raise one error that lists the problems and, last, the arguments that mend them together."""
    if not problems:
        return
    if len(problems) == 1:
        raise TableError(f"{source}: {problems[0].text}")
    listed = "\n".join(f"  {k}. {problem.text}" for k, problem in enumerate(problems, 1))
    together = _together(problems)
    end = f"\nAll at once: {together}." if together else ""
    raise TableError(
        f"{source} cannot be used as it is, for {len(problems)} reasons; each names its remedy:\n"
        f"{listed}{end}"
    )


def _together(problems: Sequence[TableProblem]) -> str:
    """Return the remedies of all problems as arguments, each argument once."""
    merged: dict[str, Any] = {}
    for problem in problems:
        for name, value in problem.remedy.items():
            if isinstance(value, list):
                known = merged.setdefault(name, [])
                known += [entry for entry in value if entry not in known]
            else:
                merged.setdefault(name, value)
    words = [f"`{name}={value!r}`" for name, value in merged.items()]
    choices = [" or ".join(problem.choice) for problem in problems if problem.choice]
    if choices:
        words.append(f"and, whichever is right, {' and '.join(choices)}")
    return " ".join(words)
