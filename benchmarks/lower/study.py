"""The study: everybody's objective at the same alphas, saved after each cell.

    python -m benchmarks lower            random problems (draws.py) and the benchmark's own

A record is one path: the objective of every solver at every alpha, all computed by the judge.
Coefficients of cells where ours is above a rival by more than `WORTH_A_LOOK` are kept beside the
result file, for `lower --why`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.judge import PENALTIES, alpha_grid, correlation_scale, judge
from benchmarks.lower.draws import draw
from benchmarks.lower.solvers import (
    OURS,
    TOLERANCES,
    NoAnswer,
    Solver,
    label,
    our_solvers,
    peer_solvers,
    plain_solvers,
)
from benchmarks.problems import PROBLEMS, Design, ProblemUnavailable, fetch, store
from benchmarks.runner import CACHE, meta, save

Record = dict[str, Any]
KINDS = ("mcp", "scad", "logsum")
CELLS = (
    "toy_50x100",
    "toy_500x5000",
    "leukemia",
    "rat_eye",
    "climate_sst",
    "newsgroup",
    "sparse_2000x20000",
    "wide_500x50000",
    "correlated_1000x10000",
    "tall_20000x2000",
)
WORTH_A_LOOK = 1e-4
FIRST = label(*OURS[0])
_SAVE_EVERY = 10  # records of random problems


@dataclass(frozen=True)
class Plan:
    """What to look at."""

    draws: int = 500
    cells: list[str] = field(default_factory=lambda: list(CELLS))
    variants: list[str] = field(default_factory=lambda: ["standardised", "raw"])
    penalties: list[str] = field(default_factory=lambda: list(KINDS))
    peers: list[str] = field(default_factory=lambda: ["skglm", "pycasso", "skein-glm"])
    tolerances: tuple[float, ...] = TOLERANCES
    limit: float = 120.0  # CPU seconds of a peer's path
    mm_entries: float = 1500.0  # the MM of [RGS19] is asked on designs of at most so many entries
    n_alphas: int = 10  # of random problems
    eps: float = 0.02


@dataclass(frozen=True)
class Case:
    """A design, its response and its grid."""

    part: str
    name: str
    variant: str
    data: Any  # () -> X, y
    n_alphas: int
    eps: float


def cases(plan: Plan, skipped: dict[str, str]) -> Iterable[Case]:
    """Yield random problems, then the benchmark's own."""
    for number in range(plan.draws):
        made = draw(number)
        data = (made.X, made.y)
        yield Case("draws", made.name, made.variant, lambda d=data: d, plan.n_alphas, plan.eps)
    for name in plan.cells:
        for variant in plan.variants:
            problem = PROBLEMS[name]
            try:
                folder = store(problem, variant, CACHE)
            except ProblemUnavailable as error:
                skipped[name] = str(error)
                continue
            data_of = lambda f=folder: fetch(f)  # noqa: E731
            yield Case("cells", name, variant, data_of, problem.n_alphas, problem.eps)


def study(plan: Plan, out: Path) -> Record:
    """Run what the file does not hold yet; return the whole document, as it is in the file."""
    found = json.loads(out.read_text()) if out.exists() else {}
    document: Record = {"meta": meta(), "records": [], "skipped": {}, **found}
    out.parent.mkdir(parents=True, exist_ok=True)
    done = {(r["case"], r["variant"], r["penalty"]) for r in document["records"]}
    with peer_solvers(plan.peers, plan.limit, plan.tolerances) as (theirs, absent):
        document["absent"] = absent
        solvers = [*our_solvers(), *theirs]
        everybody = [*solvers, *plain_solvers(plan.mm_entries)]
        for case in cases(plan, document["skipped"]):
            kinds = [
                kind
                for kind in plan.penalties
                if (case.name, case.variant, PENALTIES[kind].label) not in done
            ]
            if not kinds:
                continue
            X, y = case.data()
            for kind in kinds:
                asked = everybody if case.part == "draws" else solvers
                record, coefs = compare(case, X, y, kind, asked)
                document["records"].append(record)
                if worst(record) > WORTH_A_LOOK:
                    keep(record, coefs, out)
                if case.part == "cells" or len(document["records"]) % _SAVE_EVERY == 0:
                    save(document, out)
                    print(sentence(record), flush=True)
    save(document, out)
    return document


def compare(
    case: Case, X: Design, y: np.ndarray, kind: str, solvers: list[Solver]
) -> tuple[Record, dict[str, sparse.csc_matrix]]:
    """Return the record of one path and everybody's coefficients."""
    penalty = PENALTIES[kind]
    alphas = alpha_grid(penalty, correlation_scale(X, y), case.n_alphas, case.eps)
    record: Record = {
        "part": case.part,
        "case": case.name,
        "variant": case.variant,
        "penalty": penalty.label,
        "alphas": alphas.tolist(),
        "objective": {},
        "seconds": {},
        "tolerance": {},  # at which a peer answered
        "failed": {},
    }
    kept = {}
    for solver in solvers:
        try:
            coefs, seconds = solver.solve(X, y, penalty, alphas)
        except NoAnswer as error:
            record["failed"][solver.name] = str(error)
            continue
        verdict = judge(X, y, coefs, penalty, alphas)
        record["objective"][solver.name] = verdict.objective.tolist()
        record["seconds"][solver.name] = seconds
        record["tolerance"][solver.name] = getattr(solver.path, "tolerance", None)
        kept[solver.name] = coefs
    return record, kept


def excess(record: Record, ours: str, theirs: str) -> np.ndarray:
    """Return by how much ours is above theirs, as a share of theirs, at each alpha."""
    mine, other = (np.array(record["objective"][name]) for name in (ours, theirs))
    return np.asarray(mine / other - 1.0)


def rivals_of(record: Record) -> list[str]:
    """Return everybody but ours."""
    own = {label(*pair) for pair in OURS}
    return [name for name in record["objective"] if name not in own]


def worst(record: Record) -> float:
    """Return the largest excess of our first over any rival."""
    found = [float(excess(record, FIRST, name).max()) for name in rivals_of(record)]
    return max(found, default=0.0)


def sentence(record: Record) -> str:
    """Say in a line how one path went."""
    seconds = record["seconds"].get(FIRST, 0.0)
    told = ", ".join(
        f"{name} {float((excess(record, FIRST, name) <= 1e-6).mean()):.0%}"
        f" ({float(excess(record, FIRST, name).max()):+.1e})"
        for name in rivals_of(record)
    )
    failed = "".join(f"; {name}: {why}" for name, why in record["failed"].items())
    return (
        f"{record['case']} {record['variant']} {record['penalty']} ({seconds:.1f} s): at most "
        f"{told or 'nobody'}{failed}"
    )


# ---------------------------------------------------------------- coefficients for a closer look


def kept_in(record: Record, out: Path) -> Path:
    """Return where the coefficients of a record are, if they are kept."""
    name = "-".join(str(record[key]) for key in ("case", "variant", "penalty"))
    safe = "".join(c if c.isalnum() else "_" for c in name)
    return out.with_suffix("") / f"{safe}.npz"


def keep(record: Record, coefs: dict[str, sparse.csc_matrix], out: Path) -> None:
    """Write everybody's coefficients beside the result file."""
    file = kept_in(record, out)
    file.parent.mkdir(parents=True, exist_ok=True)
    parts = {
        f"{name}/{part}": getattr(w, part)
        for name, w in coefs.items()
        for part in ("data", "indices", "indptr", "shape")
    }
    np.savez_compressed(file, **parts)


def recall(record: Record, out: Path) -> dict[str, sparse.csc_matrix]:
    """Read them back."""
    with np.load(kept_in(record, out)) as parts:
        names = dict.fromkeys(key.rsplit("/", 1)[0] for key in parts)
        return {
            name: sparse.csc_matrix(
                tuple(parts[f"{name}/{part}"] for part in ("data", "indices", "indptr")),
                shape=tuple(parts[f"{name}/shape"]),
            )
            for name in names
        }
