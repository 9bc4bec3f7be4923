"""Run the cells of the map: the searches, rounds and judge are those of ``benchmarks.runner``."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.adapters import OURS, OWN, PREVIOUS
from benchmarks.client import Client
from benchmarks.judge import PENALTIES, alpha_grid, correlation_scale
from benchmarks.map.cells import CROSS_VALIDATION, FOLDS, Shape, peers_of, penalties_of, shapes
from benchmarks.problems import fetch, store
from benchmarks.runner import CACHE, Cell, Plan, meta, open_clients, run_cell, save

Record = dict[str, Any]
_VARIANT = "standardised"
# What a record keeps: enough for the page and for the next run to begin where this one ended.
_KEPT = ["problem", "variant", "penalty", "threads", "level", "peer", "version", "status"]
_KEPT += ["reason", "tol", "violation", "cpu", "seconds"]
_KEPT += ["rounds", "support", "limit", "per_decade", "patience", "settled"]


def run(
    plan: Plan,
    layouts: list[str],
    most: int,
    out: Path,
    *,
    quick: bool = False,
    again: bool = False,
    fastest: int = 0,
    notes: list[str] | None = None,
) -> Record:
    """Run the cells that `out` lacks, writing it after every one.

    Parameters
    ----------
    plan : Plan
        Penalties, peers (besides ours) and how hard to try; its problems do not count.
    layouts : list of str
    most : int
        Larger designs are left out.
    out : Path
        Result file.
    quick : bool
        Fewer shapes.
    again : bool
        Run the cells that `out` holds instead, with the peers' tolerances found there.
    fastest : int
        With `again`: keep so many of the fastest peers of a cell in turns with ours, and the
        records of the others as they are. 0 means all.
    notes : list of str, optional
        Caveats for the page.
    """
    document: Record = json.loads(out.read_text()) if out.exists() else {"meta": {}, "records": []}
    document["meta"] |= {**meta(), "notes": notes or document["meta"].get("notes", [])}
    out.parent.mkdir(parents=True, exist_ok=True)
    print(f"every finished cell is saved in {out}", flush=True)
    clients: list[Client] = []
    try:
        open_clients(clients, plan, 1, document)
        for shape in shapes(layouts, most, quick):
            todo = _penalties_to_run(shape, plan, document, again)
            if todo:
                _run_shape(shape, todo, clients, plan, document, out, fastest if again else 0)
    finally:
        for client in clients:
            client.close()
    return document


def _penalties_to_run(shape: Shape, plan: Plan, document: Record, again: bool) -> list[str]:
    held = {r["penalty"] for r in document["records"] if r["problem"] == shape.name}
    kinds = penalties_of(shape, plan.penalties)
    return [kind for kind in kinds if (PENALTIES[kind].label in held) is again]


def _run_shape(
    shape: Shape,
    kinds: list[str],
    clients: list[Client],
    plan: Plan,
    document: Record,
    out: Path,
    fastest: int,
) -> None:
    folder = store(shape.problem(), _VARIANT, CACHE)
    try:
        X, y = fetch(folder, mapped=True)
        scale = correlation_scale(X, y)
        for kind in kinds:
            penalty = PENALTIES[kind]
            problem = replace(shape.problem(), name=shape.name)
            alphas = alpha_grid(penalty, scale, problem.n_alphas, problem.eps)
            cell = Cell(problem, _VARIANT, penalty, 1, X, y, scale, alphas)
            before = [r for r in document["records"] if cell.key.items() <= r.items()]
            asked = [c for c in clients if _is_asked(c.name, shape, kind)]
            if fastest:
                kept = {*OWN, *_fastest(before, fastest)}
                asked = [c for c in asked if c.name in kept]
            for client in asked:
                client.use(folder)
            records = [_kept(record) for record in run_cell(cell, asked, plan)]
            if shape.layout == CROSS_VALIDATION:
                _cross_validate(cell, asked, records, plan)
            new = {record["peer"] for record in records}
            rest = [r for r in document["records"] if r not in before or r["peer"] not in new]
            document["records"] = rest + records
            save(document, out)
            _say(shape, kind, records)
        for client in clients:
            client.release()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_asked(peer: str, shape: Shape, kind: str) -> bool:
    if peer in OWN:
        return peer == OURS or kind != "l1"
    return peer in peers_of(kind) and shape.refuses(peer) is None


def _fastest(records: list[Record], count: int) -> set[str]:
    names = set()
    for level in {record["level"] for record in records}:
        done = [r for r in records if r["level"] == level and r["status"] == "ok"]
        others = sorted((r for r in done if r["peer"] not in OWN), key=lambda r: r["cpu"])
        names |= {record["peer"] for record in others[:count]}
    return names


def _kept(record: Record) -> Record:
    return {name: record[name] for name in _KEPT if name in record}


def _cross_validate(cell: Cell, clients: list[Client], records: list[Record], plan: Plan) -> None:
    """Replace the times of paths by those of a cross-validation at the same tolerances.

    No judge sees the fits of the folds; their tolerance is the one that the path needs.
    """
    by_name = {client.name: client for client in clients}
    for record in records:
        if record["status"] != "ok":
            continue
        client = by_name[record["peer"]]
        runs = []
        for _ in range(max(1, plan.repeat)):
            answer = client.cross_validate(
                cell.penalty, cell.alphas, record["tol"], FOLDS, plan.limit
            )
            if not answer["ok"]:
                record |= {"status": "never", "reason": answer["error"]}
                break
            runs.append(answer)
            if answer["seconds"] > 1.0:
                break
        if record["status"] == "ok":
            record |= {clock: min(r[clock] for r in runs) for clock in ("seconds", "cpu")}
            record["rounds"] = len(runs)


def _say(shape: Shape, kind: str, records: list[Record]) -> None:
    for level in dict.fromkeys(record["level"] for record in records):
        told = [
            f"{r['peer']} " + (f"{r['cpu']:.4g}" if r["status"] == "ok" else "capped or never")
            for r in records
            if r["level"] == level
        ]
        print(f"{shape.name}, {kind}, {level}:", ", ".join(told), flush=True)


def all_peers(penalties: list[str]) -> list[str]:
    """Return ours and every peer of some penalties, each once."""
    peers = [OURS, PREVIOUS] if any(kind != "l1" for kind in penalties) else [OURS]
    for kind in penalties:
        peers += [peer for peer in peers_of(kind) if peer not in peers]
    return peers
