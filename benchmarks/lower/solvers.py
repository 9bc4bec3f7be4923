"""Who is compared: ours with each start and strength, two plain solvers, and peers.

All walk down the same alphas and return coefficients; what they reached is the judge's word.
"""

from __future__ import annotations

import json
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.adapters import adapter
from benchmarks.adapters.ours import penalty_of
from benchmarks.client import Client
from benchmarks.judge import Penalty, correlation_scale
from benchmarks.lower.descent import exact_path
from benchmarks.problems import Design

# Start and strength; the first is the one that is to be lowest.
OURS = (
    ("best", "swap"),
    ("lasso", "swap"),
    ("lasso", "coordinatewise"),
    ("lasso", "stationary"),
)
EXACT, MM = "exact descent", "MM-screen"
PEERS = ("skglm", "pycasso", "skein-glm")
_TOL = 1e-8  # ours
TOLERANCES = (1e-7, 1e-5)  # of peers: the first that they answer in time
_SQUARED = frozenset({"pycasso"})  # its tolerance is one of objectives
_MM_ITERATIONS = 200


class NoAnswer(RuntimeError):  # noqa: N818 - an outcome of the study, not a fault of it
    """A solver does not know the penalty or the design, failed, or was too slow."""


@dataclass(frozen=True)
class Solver:
    """A name and a function (X, y, penalty, alphas) -> coefficients (d, n_alphas)."""

    name: str
    path: Callable[[Design, np.ndarray, Penalty, np.ndarray], Any]
    largest: float = np.inf  # entries of X

    def solve(
        self, X: Design, y: np.ndarray, penalty: Penalty, alphas: np.ndarray
    ) -> tuple[sparse.csc_matrix, float]:
        """Return coefficients and seconds of the processor where they are ours to count."""
        if X.shape[0] * X.shape[1] > self.largest:
            raise NoAnswer("too large")
        start = time.process_time()
        coefs = self.path(X, y, penalty, alphas)
        return sparse.csc_matrix(coefs), time.process_time() - start


def label(start: str, minimum: str) -> str:
    """Return the name of one of ours."""
    return f"{start}, {minimum}"


def our_solvers() -> list[Solver]:
    """Return the library with each start and strength."""
    return [_ours(start, minimum) for start, minimum in OURS]


def _ours(start: str, minimum: str) -> Solver:
    import sparsieve as sv

    def path(X: Design, y: np.ndarray, penalty: Penalty, alphas: np.ndarray) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sv.sparse_path(
                X,
                y,
                penalty_of(penalty.kind, penalty.shape),
                alphas=alphas,
                fit_intercept=False,
                tol=_TOL,
                start=start,
                minimum=minimum,
            ).coefs

    return Solver(label(start, minimum), path)


def plain_solvers(largest: float) -> list[Solver]:
    """Return exact descent and, for designs of up to so many entries, the MM of [RGS19]."""
    return [Solver(EXACT, exact_path, 50 * largest), Solver(MM, mm_path, largest)]


def mm_path(X: np.ndarray, y: np.ndarray, penalty: Penalty, alphas: np.ndarray) -> np.ndarray:
    """Return MM with propagated screening, each alpha begun where the last one ended."""
    from sparsieve.reference import mm_screen

    shape = penalty_of(penalty.kind, penalty.shape)
    root, scale = np.sqrt(len(y)), correlation_scale(X, y)  # its loss has no 1/n
    coefs = np.zeros((X.shape[1], len(alphas)))
    w = None
    for k, alpha in enumerate(alphas):
        w = mm_screen(
            X / root,
            y / root,
            shape,
            float(alpha),
            w0=w,
            tol=1e-6 * scale,
            inner_tol=1e-10 * float(y @ y) / len(y),
            max_iter=_MM_ITERATIONS,
        ).w
        coefs[:, k] = w
    return coefs


# ---------------------------------------------------------------- peers


@contextmanager
def peer_solvers(
    names: list[str], limit: float, tolerances: tuple[float, ...] = TOLERANCES
) -> Iterator[tuple[list[Solver], dict[str, str]]]:
    """Start the workers of peers; yield solvers and why some are absent. They end on leaving."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lower-")))
        found: list[Solver] = []
        absent: dict[str, str] = {}
        for name in names:
            try:
                client = Client(name, 1)
            except FileNotFoundError as error:
                absent[name] = str(error)
                continue
            stack.callback(client.close)
            found.append(Solver(name, _Peer(client, folder, limit, tolerances)))
        yield found, absent


class _Peer:
    """A peer's worker, handed one design after the other."""

    def __init__(
        self, client: Client, folder: Path, limit: float, tolerances: tuple[float, ...]
    ) -> None:
        self.client, self.folder, self.limit = client, folder, limit
        self.tolerances = tolerances
        self.tolerance: float | None = None  # at which it answered last
        self._last: tuple[Any, Path] | None = None
        self._count = 0

    def __call__(self, X: Design, y: np.ndarray, penalty: Penalty, alphas: np.ndarray) -> Any:
        refusal = adapter(self.client.peer).refuses(penalty.kind, "", sparse.issparse(X))
        if refusal is not None:
            raise NoAnswer(refusal)
        self.client.use(self._stored(X, y))
        error = ""
        for tol in self.tolerances:
            asked = tol**2 if self.client.peer in _SQUARED else tol
            answer = self.client.solve(penalty, alphas, asked, self.limit)
            if answer["ok"]:
                self.tolerance = tol
                return answer["coefs"]
            error = str(answer["error"])
        raise NoAnswer(error)

    def _stored(self, X: Design, y: np.ndarray) -> Path:
        if self._last is not None and self._last[0] is X:
            return self._last[1]
        self._count += 1
        folder = self.folder / f"{self.client.peer}-{self._count}"
        folder.mkdir()
        if sparse.issparse(X):
            for part in ("data", "indices", "indptr"):
                np.save(folder / f"{part}.npy", getattr(X, part))
        else:
            np.save(folder / "X.npy", X)
        np.save(folder / "y.npy", y)
        meta = {"shape": list(X.shape), "sparse": bool(sparse.issparse(X))}
        (folder / "meta.json").write_text(json.dumps(meta))
        if self._last is not None:
            for file in self._last[1].iterdir():
                file.unlink()
        self._last = (X, folder)
        return folder
