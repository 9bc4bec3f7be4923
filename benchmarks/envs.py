"""Environments of the peers, one below ``benchmarks/.envs`` each: their dependencies never meet.

    python -m benchmarks envs             make all of them
    python -m benchmarks envs skglm       make or renew one

R peers use the R of the system. A peer that is absent is skipped by the runs, with a note.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.adapters import NAMES, OTHERS, OURS, OWN, adapter

ROOT = Path(__file__).resolve().parent.parent
ENVS = ROOT / "benchmarks" / ".envs"
R_WORKER = ROOT / "benchmarks" / "adapters" / "r_worker.R"
_R_HINT = "needs Rscript with the packages {module} and jsonlite"


def make(name: str) -> str:
    """Create or renew the environment of a peer; return one line about it."""
    peer = adapter(name)
    if peer.language == "R":
        return f"{name}: {'found in R' if command(name) else missing(name)}"
    if name in OWN:
        return install_tree(ROOT, ENVS / OURS)
    python = _create(ENVS / name)
    done = _pip(python, *peer.requirements)
    command.cache_clear()
    return f"{name}: {'ready' if done is None else done}"


def install_tree(tree: Path, folder: Path) -> str:
    """Build and install the library of a source tree into an environment of its own."""
    done = _pip(_create(folder), "--force-reinstall", "--no-deps", str(tree)) or _pip(
        folder / "bin" / "python", "numpy", "scipy", "scikit-learn"
    )
    command.cache_clear()
    return f"{folder.name}: {'ready' if done is None else done}"


@functools.cache
def command(name: str) -> tuple[str, ...] | None:
    """Return the start of the command line that runs a peer's worker, or None if it is absent."""
    peer = adapter(name)
    if peer.language == "R":
        return _r_command(peer.module)
    ours = name in OWN
    own = ENVS / (OURS if ours else peer.home or name) / "bin" / "python"
    # Ours is what the interpreter running the benchmark imports: the commit under work.
    candidates = [sys.executable, str(own)] if ours else [str(own), sys.executable]
    for python in candidates:
        if Path(python).exists() and _imports(python, peer.module):
            return (python, "-m", "benchmarks.worker")
    return None


def missing(name: str) -> str:
    """Say how to get an absent peer."""
    peer = adapter(name)
    if peer.language == "R":
        return _R_HINT.format(module=peer.module)
    return f"python -m benchmarks envs {name}"


def _r_command(module: str) -> tuple[str, ...] | None:
    rscript = shutil.which("Rscript")
    if rscript is None:
        return None
    ask = (
        f"quit(status = !all(sapply(c('{module}', 'jsonlite'), requireNamespace, quietly = TRUE)))"
    )
    found = subprocess.run([rscript, "-e", ask], capture_output=True, check=False)
    return (rscript, str(R_WORKER)) if found.returncode == 0 else None


def _imports(python: str, module: str) -> bool:
    ask = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"
    return (
        subprocess.run([python, "-I", "-c", ask], capture_output=True, check=False).returncode == 0
    )


def _create(folder: Path) -> Path:
    if not (folder / "bin" / "python").exists():
        venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


def _pip(python: Path, *what: str) -> str | None:
    """Install; return None, or the last line of what went wrong."""
    run = subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", *what],
        capture_output=True,
        text=True,
        check=False,
    )
    return None if run.returncode == 0 else (run.stderr.strip().splitlines() or ["failed"])[-1]


def make_all(names: list[str]) -> None:
    """Make the named environments, or all of them, and say how each went."""
    for name in names or [*NAMES, *OTHERS]:
        print(make(name), flush=True)
