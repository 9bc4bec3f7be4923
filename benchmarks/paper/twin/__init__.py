"""The compiled twin of `sparsieve.reference`, for log-sum: the same steps without Python's loops.

`twin.cpp` is compiled on demand with g++ into build/, and is no part of the package.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from sparsieve import reference

Array = npt.NDArray[np.float64]
SOURCE = Path(__file__).with_name("twin.cpp")
BUILD = Path(__file__).parents[3] / "build" / "paper-twin"
FLAGS = ("-O3", "-march=native", "-std=c++20", "-shared", "-fPIC")
METHODS = {"mm": 0, "mm_genuine": 0, "mm_screen": 0, "ncvxcd": 1, "gist": 2}
RULES = {"corrected": 0, "printed": 1, "published": 2}
# Limits on iterations: the defaults of the functions of `sparsieve.reference`.
MAX_ITER = {"ncvxcd": 10_000, "gist": 20_000}


class TwinError(RuntimeError):
    """The twin cannot be compiled here."""


class OutOfTimeError(RuntimeError):
    """A solve used up its processor time."""


class _Settings(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_double)
        for name in ("theta", "lam", "alpha", "tol", "inner_tol", "zero_below", "seconds")
    ] + [
        (name, ctypes.c_int64)
        for name in (
            "method", "rule", "gap_every", "screen_every", "refresh_every", "max_iter",
            "max_epochs", "screen_inside", "propagate", "check_every", "monotone", "unit_step",
        )
    ]  # fmt: skip


class _Outcome(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_double) for name in ("objective", "violation", "correlations", "products")
    ] + [
        (name, ctypes.c_int64)
        for name in (
            "n_outer", "visits", "updates", "out_of_time", "gap_before", "propagation",
            "gap_inside",
        )
    ]  # fmt: skip


@lru_cache(maxsize=1)
def library() -> ctypes.CDLL:
    """Return the compiled twin; raise TwinError where there is no compiler."""
    name = hashlib.sha256(SOURCE.read_bytes() + " ".join(FLAGS).encode()).hexdigest()[:16]
    file = BUILD / f"twin-{name}.so"
    if not file.exists():
        compiler = shutil.which("g++")
        if compiler is None:
            raise TwinError("the compiled twin needs g++")
        BUILD.mkdir(parents=True, exist_ok=True)
        draft = BUILD / f"twin-{name}.{os.getpid()}.partial"
        command = [compiler, *FLAGS, str(SOURCE), "-o", str(draft)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise TwinError(f"g++ cannot compile the twin: {done.stderr.strip()}")
        os.replace(draft, file)
    lib = ctypes.CDLL(str(file))
    lib.twin_design.restype = ctypes.c_void_p
    lib.twin_design.argtypes = [ctypes.c_int64, ctypes.c_int64] + [ctypes.c_void_p] * 3
    lib.twin_free.argtypes = [ctypes.c_void_p]
    lib.twin_solve.argtypes = [ctypes.c_void_p] * 5
    return lib


class TwinDesign:
    """X in the twin's hands, dense by columns or compressed."""

    def __init__(self, X: Any) -> None:
        self.n_samples, self.n_features = (int(size) for size in X.shape)
        rows, ends = None, None
        if sp.issparse(X):
            columns = sp.csc_matrix(X, dtype=np.float64)
            columns.sum_duplicates()
            self._arrays: list[Any] = [
                np.ascontiguousarray(columns.data),
                np.ascontiguousarray(columns.indices, dtype=np.int32),
                np.ascontiguousarray(columns.indptr, dtype=np.int64),
            ]
            rows, ends = self._arrays[1].ctypes.data, self._arrays[2].ctypes.data
        else:
            self._arrays = [np.asfortranarray(X, dtype=np.float64)]
        values = self._arrays[0].ctypes.data
        self._library = library()
        self.handle = self._library.twin_design(self.n_samples, self.n_features, values, rows, ends)

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self._library.twin_free(self.handle)


def solve(
    method: str,
    design: TwinDesign,
    y: Array,
    theta: float,
    lam: float,
    *,
    w0: Array | None = None,
    seconds: float = np.inf,
    **settings: Any,
) -> tuple[reference.Result, dict[str, int]]:
    """Do as the function of that name in `sparsieve.reference`, with the same settings.

    Returns its result, with an empty history, and the coordinates screened, by who screened them.
    """
    chosen: dict[str, Any] = {
        "alpha": 1e9, "tol": 1e-3, "inner_tol": 1e-4, "zero_below": 0.0, "rule": "corrected",
        "gap_every": 1, "screen_every": 5, "refresh_every": 10, "max_epochs": 1000,
        "max_iter": MAX_ITER.get(method, 1000), "check_every": 5, "monotone": False,
        "step": "barzilai-borwein",
    }  # fmt: skip
    if unknown := settings.keys() - chosen.keys() - {"numeric_roots"}:
        raise TypeError(f"unknown settings: {', '.join(sorted(unknown))}")
    chosen |= settings
    given = _Settings(
        theta=theta, lam=lam, seconds=min(seconds, 1e12), method=METHODS[method],
        rule=RULES[chosen.pop("rule")], unit_step=chosen.pop("step") == "unit",
        screen_inside=method != "mm", propagate=method == "mm_screen",
        **{name: value for name, value in chosen.items() if name != "numeric_roots"},
    )  # fmt: skip
    w = np.zeros(design.n_features) if w0 is None else np.array(w0, dtype=np.float64)
    y, out = np.ascontiguousarray(y, dtype=np.float64), _Outcome()
    design._library.twin_solve(
        design.handle, y.ctypes.data, ctypes.byref(given), w.ctypes.data, ctypes.byref(out)
    )
    if out.out_of_time:
        raise OutOfTimeError(f"{method} was not done after {seconds:g} s of processor time")
    work = reference.Work(
        design.n_features, out.visits, out.updates, out.correlations, out.products
    )
    converged = out.violation <= chosen["tol"]
    screened = {name: getattr(out, name) for name in ("gap_before", "propagation", "gap_inside")}
    result = reference.Result(w, out.objective, out.violation, out.n_outer, converged, work)
    return result, screened
