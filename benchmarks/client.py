"""The benchmark's side of a worker: start it, ask with a time limit, end it when it overruns."""

from __future__ import annotations

import json
import os
import resource
import select
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import envs
from benchmarks.judge import Penalty

Answer = dict[str, Any]
_STARTUP_SECONDS = 180.0  # import, reading X and numba's compilation; never part of a time
_GRACE = 1.3  # how far beyond its limit a worker may go before it is ended
_PATIENCE = 10.0  # a limit is in CPU seconds; on the clock it may take this many times as long


class Client:
    """One peer's worker process, started when first needed and again after a timeout."""

    def __init__(self, name: str, threads: int, start: tuple[str, ...] | None = None) -> None:
        self.name, self.threads = name, threads
        self.peer = name.split("@")[0]
        found = start or envs.command(self.peer)
        if found is None:
            raise FileNotFoundError(envs.missing(self.peer))
        self.command = (*found, self.peer)
        self.folder: Path | None = None
        self._warm: set[tuple[str, str]] = set()
        self._process: subprocess.Popen[str] | None = None
        self._loaded: Path | None = None
        self._scratch = tempfile.TemporaryDirectory(prefix="bench-")
        try:
            hello = self._ask({"do": "hello"}, _STARTUP_SECONDS)
        except BaseException:  # Ctrl-C: nobody else knows of this worker yet
            self.close()
            raise
        self.version: str = str(hello.get("version", "?"))

    def use(self, folder: Path) -> None:
        """Name the data of the following calls; they are read when first needed."""
        self.folder = folder

    def solve(self, penalty: Penalty, alphas: np.ndarray, tol: float, limit: float) -> Answer:
        """Compute a path; the answer holds `coefs`, or `ok` = False and an `error`."""
        for ready in (self._load(), self._warm_up(penalty)):
            if not ready["ok"]:
                return ready
        limit *= self.threads  # CPU seconds
        message = self._solve_message(penalty, alphas, tol, limit)
        # The worker interrupts itself if it can, and stays warm; else it is ended.
        answer = self._ask(message, _GRACE * limit)
        if answer["ok"]:
            answer["coefs"] = self._coefs(len(alphas))
        return answer

    def cross_validate(
        self, penalty: Penalty, alphas: np.ndarray, tol: float, folds: int, limit: float
    ) -> Answer:
        """Choose an alpha by cross-validation; the answer holds both clocks, or an `error`."""
        for ready in (self._load(), self._warm_up(penalty)):
            if not ready["ok"]:
                return ready
        limit *= self.threads
        message = self._solve_message(penalty, alphas, tol, limit)
        return self._ask(message | {"do": "cross_validate", "folds": folds}, _GRACE * limit)

    def probe(self) -> float | None:
        """Return the seconds of one product X'y in this worker."""
        self._load()
        return self._ask({"do": "probe"}, _STARTUP_SECONDS).get("seconds")

    def work(self, name: str, penalty: Penalty, rounds: int, limit: float) -> Answer:
        """Do other work than a path, on the data if there are any; the best of some rounds."""
        ready = self._load() if self.folder else {"ok": True}
        if not ready["ok"]:
            return ready
        what = {"do": "work", "name": name, "kind": penalty.kind, "shape": penalty.shape}
        return self._ask({**what, "threads": self.threads, "rounds": rounds}, limit * self.threads)

    def cold(self, penalty: Penalty, alphas: np.ndarray, tol: float, limit: float) -> float | None:
        """Return the seconds of a new process that imports, reads the data and solves once."""
        clocks = self.cold_clocks(penalty, alphas, tol, limit)
        return None if clocks is None else clocks["seconds"]

    def cold_clocks(
        self, penalty: Penalty, alphas: np.ndarray, tol: float, limit: float
    ) -> Answer | None:
        """Return the same with the seconds of the processor, as far as the system tells."""
        script = Path(self._scratch.name, "once.jsonl")
        messages = [
            {"do": "hello"},
            self._load_message(),
            self._solve_message(penalty, alphas, tol, limit + _STARTUP_SECONDS),
        ]
        script.write_text("".join(json.dumps(message) + "\n" for message in messages))
        start, cpu = time.perf_counter(), _cpu_of_ended()
        try:
            run = subprocess.run(
                [*self.command, str(script)],
                env=self._environment(),
                cwd=envs.ROOT,
                capture_output=True,
                timeout=limit + _STARTUP_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        clocks = {"seconds": time.perf_counter() - start, "cpu": _cpu_of_ended() - cpu}
        return clocks if run.returncode == 0 else None

    def renew(self) -> None:
        """Go on with a new worker: one process can be a little faster than the next."""
        self._end()
        self._ask({"do": "hello"}, _STARTUP_SECONDS)

    def release(self) -> None:
        """Let the worker forget its data."""
        if self._process is not None and self._loaded is not None:
            self._ask({"do": "unload"}, _STARTUP_SECONDS)
        self._loaded = None

    def close(self) -> None:
        """End the worker and forget its answers; the client is of no use any more."""
        self._end()
        self._scratch.cleanup()

    # ------------------------------------------------------------ internals

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._process, self._loaded = None, None
        self._warm.clear()

    def _load(self) -> Answer:
        if self._loaded == self.folder and self._process is not None:
            return {"ok": True}
        self.release()
        answer = self._ask(self._load_message(), _STARTUP_SECONDS)
        self._loaded = self.folder if answer["ok"] else None
        return answer

    def _load_message(self) -> Answer:
        return {"do": "load", "folder": str(self.folder), "threads": self.threads}

    def _warm_up(self, penalty: Penalty) -> Answer:
        meta = self._meta()
        case = (penalty.kind, f"{meta.get('layout', meta['sparse'])} {meta.get('loss')}")
        if case in self._warm:
            return {"ok": True}
        message = {"do": "warm", "kind": penalty.kind, "shape": penalty.shape}
        answer = self._ask({**message, "threads": self.threads}, _STARTUP_SECONDS)
        if answer["ok"]:
            self._warm.add(case)
        return answer

    def _meta(self) -> Answer:
        meta: Answer = json.loads((Path(str(self.folder)) / "meta.json").read_text())
        return meta

    def _solve_message(
        self, penalty: Penalty, alphas: np.ndarray, tol: float, limit: float
    ) -> Answer:
        return {
            "do": "solve",
            "kind": penalty.kind,
            "shape": penalty.shape,
            "alphas": alphas.tolist(),
            "tol": tol,
            "out": self._scratch.name,
            "limit": limit,
        }

    def _coefs(self, n_alphas: int) -> sparse.csc_matrix:
        parts = [
            np.load(Path(self._scratch.name, p + ".npy")) for p in ("data", "indices", "indptr")
        ]
        return sparse.csc_matrix(tuple(parts), shape=(self._meta()["shape"][1], n_alphas))

    def _environment(self) -> dict[str, str]:
        limits = ("OMP", "OPENBLAS", "MKL", "NUMBA", "RAYON", "BLIS")
        threads = {f"{prefix}_NUM_THREADS": str(self.threads) for prefix in limits}
        return {**os.environ, **threads, "PYTHONWARNINGS": "ignore"}

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self._environment(),
            cwd=envs.ROOT,
        )
        return self._process

    def _ask(self, message: Answer, limit: float) -> Answer:
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            line = process.stdout.readline() if _answers(process, limit) else None
        except BrokenPipeError:
            line = ""
        if line:
            answer: Answer = json.loads(line)
            return answer
        self._end()
        why = f"no answer within {limit:g} CPU s" if line is None else "the worker died"
        return {"ok": False, "error": why}


def _answers(process: subprocess.Popen[str], limit: float) -> bool:
    """Wait for an answer until the worker has used `limit` CPU seconds."""
    assert process.stdout is not None
    start, used = time.perf_counter(), _cpu_seconds(process.pid)
    while time.perf_counter() - start < _PATIENCE * limit:
        ready, _, _ = select.select([process.stdout], [], [], 0.2)
        if ready:
            return True
        now = _cpu_seconds(process.pid)
        spent = time.perf_counter() - start if now is None or used is None else now - used
        if spent > limit:
            return False
    return False


def _cpu_seconds(pid: int) -> float | None:
    """Return the CPU seconds a process has used; None where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _cpu_of_ended() -> float:
    """Return the CPU seconds of all processes this one started and saw the end of."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)  # os.times has only ticks of 10 ms
    return spent.ru_utime + spent.ru_stime
