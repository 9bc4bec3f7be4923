"""The peer's side of the benchmark: load data, solve, time; one JSON message a line.

    python -m benchmarks.worker <peer>            serve messages from standard input
    python -m benchmarks.worker <peer> <file>     run the messages of a file once (cold start)

It runs in the peer's environment and needs only numpy besides the peer (and scipy for sparse
data). Messages:

``hello``                            import the peer, answer its version
``load  folder threads``             read the data
``warm  kind shape threads``         solve a tiny problem, so that no compiler is timed
``solve kind shape alphas tol out limit``
                                     one path; its coefficients go to `out` as CSC parts (.npy);
                                     `limit` (CPU seconds) interrupts peers that loop in Python,
                                     others have to be ended from outside
``cross_validate kind shape alphas tol folds limit``
                                     choose an alpha by cross-validation
``work  name kind shape threads rounds``
                                     other work than a path (`compare/chores.py`), best of some
                                     rounds
``probe``                            seconds of one product X'y, the unit of work
``unload``, ``quit``
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.adapters import Solution, adapter

Message = dict[str, Any]
_LOOK_SECONDS = 0.2  # how often a running path is held against its limit


class Worker:
    """Answers messages about one peer."""

    def __init__(self, peer: str) -> None:
        self.adapter = adapter(peer)
        self.X: Any = None
        self.y: Any = None

    def answer(self, message: Message) -> Message:
        """Answer one message; a peer's failure is an answer, too."""
        try:
            return {"ok": True, **getattr(self, "do_" + message["do"])(message)}
        except Exception as error:  # whatever a peer raises is its result
            return {"ok": False, "error": f"{type(error).__name__}: {error}"[:300]}

    def do_hello(self, message: Message) -> Message:
        version = self.adapter.version()
        # What the import made stays for good; before every solve a collection would walk over it.
        gc.freeze()
        return {"version": version}

    def do_load(self, message: Message) -> Message:
        self.X, self.y, self.adapter.loss = _fetch(Path(message["folder"]))
        self.adapter.prepare(self.X, self.y, message["threads"])
        return {}

    def do_unload(self, message: Message) -> Message:
        self.adapter = adapter(self.adapter.name)
        self.X = None
        gc.collect()
        return {}

    def do_probe(self, message: Message) -> Message:
        return {"seconds": min(_seconds(lambda: self.X.T @ self.y) for _ in range(5))}

    def do_solve(self, message: Message) -> Message:
        alphas = np.array(message["alphas"])
        base = _reset_peak()
        start, cpu = time.perf_counter(), time.process_time()
        with _limited(message["limit"]):
            solution = self.adapter.solve(message["kind"], message["shape"], alphas, message["tol"])
        measured = {
            "seconds": time.perf_counter() - start,
            "cpu": time.process_time() - cpu,
            "peak": _memory("VmHWM") - base,
        }
        _insist_on_all(solution, alphas, measured["cpu"], message["limit"])
        _write(solution, Path(message["out"]))
        return {**measured, "passes": solution.passes}

    def do_cross_validate(self, message: Message) -> Message:
        alphas, tol, folds = np.array(message["alphas"]), message["tol"], message["folds"]
        with _limited(message["limit"]):
            return _clocks(
                lambda: self.adapter.cross_validate(
                    message["kind"], message["shape"], alphas, tol, folds
                )
            )

    def do_work(self, message: Message) -> Message:
        from benchmarks.compare.chores import chore

        job = chore(message, self.adapter, self.X, self.y)
        base = _reset_peak()
        runs = [_clocks(job) for _ in range(message["rounds"])]
        best = {clock: min(run[clock] for run in runs) for clock in ("seconds", "cpu")}
        return {**best, "peak": _memory("VmHWM") - base}

    def do_warm(self, message: Message) -> Message:
        rng = np.random.default_rng(0)
        X: Any = np.asfortranarray(rng.standard_normal((20, 30)))
        y = X[:, 0] + rng.standard_normal(20)
        if self.adapter.loss != "squared":
            y = (y > 0).astype(float)
        alphas = np.abs(X.T @ y).max() / 20 * np.array([0.5, 0.2])
        if isinstance(self.X, np.ndarray):
            order: Any = "F" if self.X.flags.f_contiguous else "C"
            X = X.astype(self.X.dtype, order=order)
        else:
            from scipy.sparse import csc_matrix

            X = csc_matrix(X)
        taster = adapter(self.adapter.name)  # an adapter of its own: the loaded data stay in place
        taster.loss = self.adapter.loss
        taster.prepare(X, y, message["threads"])
        taster.solve(message["kind"], message["shape"], alphas, 1e-3)
        return {}


def _insist_on_all(solution: Solution, alphas: np.ndarray, cpu: float, limit: float) -> None:
    """Raise for a path with alphas missing; some peers take an interruption for the end."""
    found = solution.coefs.shape[1]
    if found != len(alphas):
        if cpu > limit:
            raise TimeoutError(f"no answer within {limit:g} CPU s")
        raise RuntimeError(f"path cut short after {found} of {len(alphas)} alphas")


def _fetch(folder: Path) -> tuple[Any, np.ndarray, str]:
    meta = json.loads((folder / "meta.json").read_text())
    y, loss = np.load(folder / "y.npy"), meta.get("loss", "squared")
    if not meta["sparse"]:
        return np.load(folder / "X.npy"), y, loss
    from scipy.sparse import csc_matrix

    parts = tuple(np.load(folder / f"{part}.npy") for part in ("data", "indices", "indptr"))
    return csc_matrix(parts, shape=tuple(meta["shape"])), y, loss


def _write(solution: Solution, out: Path) -> None:
    """Store the coefficients as CSC, without needing scipy."""
    coefs = solution.coefs
    if isinstance(coefs, np.ndarray):
        column, row = np.nonzero(coefs.T)
        values = coefs.T[column, row]
        indptr = np.searchsorted(column, np.arange(coefs.shape[1] + 1))
    else:
        coefs = coefs.tocsc()
        values, row, indptr = coefs.data, coefs.indices, coefs.indptr
    np.save(out / "data.npy", np.asarray(values, dtype=np.float64))
    np.save(out / "indices.npy", np.asarray(row, dtype=np.int32))
    np.save(out / "indptr.npy", np.asarray(indptr, dtype=np.int64))


@contextlib.contextmanager
def _limited(limit: float) -> Iterator[None]:
    """Raise TimeoutError after `limit` CPU seconds, as soon as the interpreter gets a turn.

    The alarm is one of the wall clock that looks at the CPU clock. A CPU timer (ITIMER_PROF) would
    be simpler, but while one is armed Linux answers the process's CPU clock from a copy renewed at
    ticks: a path of 4 ms then measures as 0.2 ms, and the shortest ones gain most.
    """
    start = time.process_time()

    def look(*_: object) -> None:
        if time.process_time() - start > limit:
            raise TimeoutError(f"no answer within {limit:g} CPU s")

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _LOOK_SECONDS, _LOOK_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _seconds(call: Any) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _clocks(call: Any) -> Message:
    start, cpu = time.perf_counter(), time.process_time()
    call()
    return {"cpu": time.process_time() - cpu, "seconds": time.perf_counter() - start}


def _reset_peak() -> int:
    """Give freed memory back, restart the peak counter, return resident bytes (X included)."""
    gc.collect()
    if sys.platform != "linux":
        return 0
    try:
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
    except (OSError, AttributeError):
        pass  # another C library, or not allowed: the peak is then only an upper bound
    return _memory("VmRSS")


def _memory(field: str) -> int:
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def main() -> None:
    """Serve messages until `quit` or the end of the input."""
    worker = Worker(sys.argv[1])
    if len(sys.argv) > 2:
        for line in Path(sys.argv[2]).read_text().splitlines():
            print(json.dumps(worker.answer(json.loads(line))), flush=True)
        return
    # Peers print to standard output: it is kept for answers, theirs goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        message = json.loads(line)
        if message["do"] == "quit":
            break
        print(json.dumps(worker.answer(message)), file=answers, flush=True)


if __name__ == "__main__":
    main()
