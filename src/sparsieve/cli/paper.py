"""``sparsieve paper``: the paper's experiments, which are in a checkout beside the benchmarks."""

from __future__ import annotations

import sys
import tomllib
from importlib import import_module
from pathlib import Path

from .console import CommandError, Exit

__all__ = ["checkout_around", "paper_command"]


def paper_command(arguments: list[str]) -> int:
    """Run the experiments of the checkout around the current folder; return their exit code."""
    checkout = checkout_around(Path.cwd())
    if checkout is None:
        raise CommandError(
            "the experiments of the paper are not installed with the package, they are in the "
            "folder benchmarks/paper of the source of sparsieve; run `sparsieve paper` or "
            "`make paper` inside a checkout of it.",
            Exit.USAGE,
        )
    # First, so that no other folder called benchmarks is found before it.
    sys.path.insert(0, str(checkout))
    return int(import_module("benchmarks.paper").main(arguments))


def checkout_around(folder: Path) -> Path | None:
    """Return the folder, or the nearest one above it, that is a checkout with the experiments."""
    return next((each for each in (folder, *folder.parents) if _is_checkout(each)), None)


def _is_checkout(folder: Path) -> bool:
    """Tell whether a folder is ours: many projects have one called benchmarks."""
    if not (folder / "benchmarks" / "paper" / "__init__.py").is_file():
        return False
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8")).get("project")
    except (OSError, ValueError):  # none, or none that can be read
        return False
    return isinstance(project, dict) and project.get("name") == "sparsieve"
