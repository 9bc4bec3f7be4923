"""The sides of a comparison: commits built into environments of their own, and their workers."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks import envs
from benchmarks.adapters import OURS, PREVIOUS
from benchmarks.client import Client


@dataclass(frozen=True)
class Side:
    """One build of the library, called in one way."""

    name: str
    peer: str  # the adapter: it knows the start
    start: tuple[str, ...]  # the beginning of the worker's command line

    def client(self, threads: int) -> Client:
        """Start a worker."""
        return Client(f"{self.peer}@{self.name}", threads, self.start)


@dataclass(frozen=True)
class Contest:
    """What is measured, and what by: ratios are `head` over `base`."""

    base: Side
    head: Side
    own_tolerances: bool = False  # each side its own loosest tolerance, not that of the base

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two sides, as in the keys of a row."""
        return self.base.name, self.head.name

    @property
    def title(self) -> str:
        """What the ratios are."""
        return f"{self.head.name}/{self.base.name}"


def commits(base: str, head: str, start: str) -> Contest:
    """Build two commits; both take the same start."""
    peer = OURS if start == "lasso" else PREVIOUS
    built = [Side(s, peer, build(commit, s)) for s, commit in (("base", base), ("head", head))]
    return Contest(*built)


def starts(head: str) -> Contest:
    """Build one commit: its default start against walking down the path."""
    built = build(head, "head")
    sides = (Side("previous", PREVIOUS, built), Side("default", OURS, built))
    return Contest(*sides, own_tolerances=True)


def build(commit: str, side: str) -> tuple[str, ...]:
    """Install a commit (or ``.``, the files as they are) into an environment of its own."""
    folder = envs.ENVS / f"compare-{side}"
    what = "the files as they are" if commit == "." else f"{commit} ({name_of(commit)})"
    print(f"building {side}: {what}, a minute or two ...", flush=True)
    if commit == ".":
        note = envs.install_tree(envs.ROOT, folder)
    else:
        with tempfile.TemporaryDirectory(prefix="bench-tree-") as tree:
            export(commit, Path(tree))
            note = envs.install_tree(Path(tree), folder)
    if not note.endswith("ready"):
        raise SystemExit(f"{commit}: {note}")
    return (str(folder / "bin" / "python"), "-m", "benchmarks.worker")


def name_of(commit: str) -> str:
    """Return the short hash of a commit."""
    ask = ["git", "-C", str(envs.ROOT), "rev-parse", "--verify", "--short", f"{commit}^{{commit}}"]
    found = subprocess.run(ask, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        raise SystemExit(f"{commit!r} is no commit here; name one, e.g. BASE=HEAD~1")
    return found.stdout.strip()


def export(commit: str, tree: Path) -> None:
    """Write the files of a commit to a folder."""
    archive = tree.parent / (tree.name + ".tar")
    git = ["git", "-C", str(envs.ROOT), "archive", "--output", str(archive), commit]
    subprocess.run(git, check=True)
    subprocess.run(["tar", "-xf", str(archive), "-C", str(tree)], check=True)
    archive.unlink()
