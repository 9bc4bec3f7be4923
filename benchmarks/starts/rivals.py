"""Rivals, each in its own environment: ncvreg and skglm on our alphas, abess on support sizes.

They walk down their paths, each point started from the last (abess adds and exchanges features of
the last support). ncvreg always fits an intercept and always standardises; its alphas are those of
standardised columns.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks import envs
from benchmarks.client import Client
from benchmarks.judge import Penalty
from benchmarks.starts.ways import Candidates, Design, Way, dense, grid_of

_TOL = 1e-4
_LIMIT = 10.0  # CPU seconds for a path
_ASKED = {
    "ncvreg": (Penalty("mcp", 3.0), Penalty("scad", 3.7)),
    "skglm": (Penalty("mcp", 3.0), Penalty("logsum", 0.1)),
    "abess": (Penalty("l0"),),
}
_EVERY_SIZE_UP_TO = 40
_LARGEST_SIZE = 120


class RivalFailed(RuntimeError):  # noqa: N818 - an outcome of the study, not a fault of it
    """A rival gave no answer, or not in time."""


@dataclass
class Rival:
    """One rival with one penalty."""

    client: Client
    kind: Penalty
    folder: Path
    _made: list[Path] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.client.peer

    @property
    def penalty(self) -> str:
        return "" if self.kind.kind == "l0" else self.kind.label

    def alphas(self, X: Design, y: np.ndarray, intercept: bool) -> np.ndarray:
        if self.kind.kind == "l0":
            return support_sizes(*X.shape)
        return grid_of(self.kind, X, y, intercept)

    def fit(self, X: Design, y: np.ndarray, alphas: np.ndarray, intercept: bool) -> Candidates:
        if sparse.issparse(X):
            raise RivalFailed("sparse columns would have to be centred")
        centred = intercept or self.name == "ncvreg"
        level = float(y.mean()) if centred else 0.0
        means = X.mean(axis=0) if centred else np.zeros(X.shape[1])
        moved = X - means
        sizes = np.sqrt(np.mean(moved**2, axis=0))
        kept = np.flatnonzero(sizes > 1e-12)  # some rivals stumble over empty columns
        scale = sizes[kept] if self.name == "ncvreg" else np.ones(len(kept))
        self._hand_over(np.asfortranarray(moved[:, kept] / scale), y - level)
        answer = self.client.solve(self.kind, alphas, _TOL, _LIMIT)
        if not answer["ok"]:
            raise RivalFailed(answer["error"])
        coefs = np.zeros((X.shape[1], len(alphas)))
        coefs[kept] = dense(answer["coefs"]) / scale[:, None]
        return Candidates(coefs, level - means @ coefs, None, float(answer["cpu"]))

    def _hand_over(self, X: np.ndarray, y: np.ndarray) -> None:
        """Write a sample where the worker finds it, and remove the one before."""
        made = Path(tempfile.mkdtemp(dir=self.folder))
        np.save(made / "X.npy", X)
        np.save(made / "y.npy", y)
        meta = {"shape": list(X.shape), "sparse": False, "note": ""}
        (made / "meta.json").write_text(json.dumps(meta))
        self.client.use(made)
        for old in self._made:
            for file in old.iterdir():
                file.unlink()
            old.rmdir()
        self._made = [made]


def support_sizes(n: int, d: int) -> np.ndarray:
    """Return the sizes best subsets are looked for: all up to 40, then fewer, at most half of n."""
    largest = min(n // 2, d, _LARGEST_SIZE)
    more = np.geomspace(_EVERY_SIZE_UP_TO, _LARGEST_SIZE, 10).round()
    sizes = np.r_[np.arange(1, _EVERY_SIZE_UP_TO), more]
    return np.asarray(sizes[sizes <= largest], dtype=float)


@contextmanager
def rivals(wanted: list[str]) -> Iterator[tuple[list[Way], dict[str, str]]]:
    """Start the rivals that are installed; yield them, and why others are absent."""
    ways: list[Way] = []
    absent: dict[str, str] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="starts-")))
        for name in wanted:
            if envs.command(name) is None:
                absent[name] = envs.missing(name)
                continue
            client = Client(name, 1)
            stack.callback(client.close)
            ways += [Rival(client, kind, folder) for kind in _ASKED[name]]
        yield ways, absent


RIVALS = tuple(_ASKED)
