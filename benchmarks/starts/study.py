"""The study: every way to fit on every family and data set, saved after each draw.

    python -m benchmarks starts
    python -m benchmarks minima

Families: alpha is chosen by 5-fold cross-validation, for dictionaries by the BIC as well; measured
are the error of the coefficients and the F1 of the support against the truth. Real data: nested
cross-validation, the error on outer folds at the alpha chosen by 5 inner folds, as a share of the
variance; `lowest` is the lowest error of the outer folds over alpha, which flatters everybody.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.problems import ProblemUnavailable
from benchmarks.runner import meta, save
from benchmarks.starts.choosing import (
    Chosen,
    by_bic,
    by_cv,
    estimation_error,
    folds,
    others,
    squared_errors,
    support_f1,
    take,
)
from benchmarks.starts.families import FAMILIES, Family
from benchmarks.starts.real import REAL, RealSet, Scale
from benchmarks.starts.rivals import RIVALS, RivalFailed, rivals
from benchmarks.starts.ways import DEFAULT, Design, Way, our_ways, strength_ways

Record = dict[str, Any]
_SEED = 5000  # of the first draw; the numbers in the docs come from these draws
RIVAL_DRAWS = 10  # of every family: rivals take longer than all our starts together
_LEVEL = 1e-6  # objectives that differ by less, relatively, are level


@dataclass(frozen=True)
class Plan:
    """What to look at and how often."""

    draws: int = 20
    families: list[Family] = field(default_factory=lambda: list(FAMILIES.values()))
    sets: list[RealSet] = field(default_factory=lambda: list(REAL))
    rivals: list[str] = field(default_factory=lambda: list(RIVALS))
    ours: list[Way] = field(default_factory=our_ways)

    @classmethod
    def quick(cls, draws: int) -> Plan:
        """Return a plan of a few minutes."""
        some = ("dictionary 128 x 512, 22, BIC", "AR(.5) 100 x 400", "AR(.9) 500 x 100")
        sets = [data for data in REAL if data.quick]
        return cls(draws, [FAMILIES[name] for name in some], sets)

    def for_minima(self) -> Plan:
        """Return the plan with strengths of a minimum in place of starts and rivals.

        There are fewer ways to fit, and measured responses are drawn twice as often.
        """
        sets = [
            replace(data, draws=data.draws * (2 if data.kind == "measured" else 1))
            for data in self.sets
            if not data.large
        ]
        return replace(self, sets=sets, rivals=[], ours=strength_ways())


def study(plan: Plan, out: Path) -> Record:
    """Run what the file does not hold yet; return the whole document, as it is in the file."""
    found = json.loads(out.read_text()) if out.exists() else {}
    document: Record = {"meta": meta(), "records": [], "skipped": {}, **found}
    out.parent.mkdir(parents=True, exist_ok=True)
    with rivals(plan.rivals) as (theirs, absent):
        document["absent"] = absent
        for case, draw, work in _work(plan, theirs, document["skipped"]):
            if any(r["case"] == case and r["draw"] == draw for r in document["records"]):
                continue
            try:
                document["records"] += work()
            except ProblemUnavailable as error:
                document["skipped"][case] = str(error)
                continue
            save(document, out)
            print(f"{case}, draw {draw + 1}", flush=True)
    save(document, out)
    return document


def _work(plan: Plan, theirs: list[Way], skipped: dict[str, str]) -> Iterable[Any]:
    """Yield every case and draw with the work to do."""
    tried = Tried([*plan.ours, *theirs], skipped)
    alone = Tried(plan.ours, skipped)
    few = Tried([way for way in plan.ours if _is_essential(way)], skipped)
    for family in plan.families:
        for draw in range(max(1, round(family.times * plan.draws))):
            ways = tried if draw < RIVAL_DRAWS else alone
            yield family.name, draw, lambda f=family, k=draw, w=ways: on_family(f, k, w)
    for data in plan.sets:
        for draw in range(min(plan.draws, data.draws)):
            ways = few if data.large else tried if draw < data.rival_draws else alone
            yield data.name, draw, lambda d=data, k=draw, w=ways: on_real(d, k, w)


def _is_essential(way: Way) -> bool:
    """Return whether a way is tried on large data, too."""
    main = ("mcp(3)", "logsum(0.1)")
    return way.name == "lasso" or (way.penalty in main and way.name in ("previous", DEFAULT))


@dataclass(frozen=True)
class Tried:
    """Ways to fit, without those that failed on a case before."""

    ways: list[Way]
    skipped: dict[str, str]

    def each(self, case: str) -> Iterable[tuple[Way, str]]:
        """Yield the ways to try on a case and the key under which a failure is noted."""
        for way in self.ways:
            key = f"{case}: {' '.join(filter(None, (way.name, way.penalty)))}"
            if key not in self.skipped:
                yield way, key


# ---------------------------------------------------------------- families


def on_family(family: Family, draw: int, tried: Tried) -> list[Record]:
    """Return one record per way."""
    sample = family.make(_SEED + draw)
    data = (sample.X, sample.y)
    parts = folds(len(sample.y), _SEED + draw)
    records: list[Record] = []
    curves: list[tuple[Record, np.ndarray]] = []
    for way, key in tried.each(family.name):
        try:
            alphas = way.alphas(*data, False)
            chosen = (
                by_cv(way, data, parts, alphas, False)
                if family.rule == "cv"
                else by_bic(way, data, alphas)
            )
        except RivalFailed as error:
            tried.skipped[key] = str(error)
            continue
        record = _record(family.name, draw, way, chosen)
        record |= {"part": "family", "rule": family.rule}
        record["error"] = estimation_error(chosen.coef, sample.truth)
        record["f1"] = support_f1(chosen.coef, sample.truth)
        records.append(record)
        if chosen.candidates.objectives is not None:
            curves.append((record, chosen.candidates.objectives))
    _compare_objectives(curves)
    return records


# ---------------------------------------------------------------- real data


def on_real(data: RealSet, draw: int, tried: Tried) -> list[Record]:
    """Return one record per way: nested cross-validation with one draw of the outer folds."""
    X, y = data.load()
    whole = Scale.of(X).apply(X)
    outer = folds(len(y), draw)
    records: list[Record] = []
    curves: list[tuple[Record, np.ndarray]] = []
    for way, key in tried.each(data.name):
        try:
            alphas = way.alphas(whole, y, True)
            record, curve = _nested(way, (X, y), outer, alphas, draw)
        except RivalFailed as error:
            tried.skipped[key] = str(error)
            continue
        record |= {"case": data.name, "part": "real", "rule": "nested cv"}
        records.append(record)
        if curve is not None:
            curves.append((record, curve))
    _compare_objectives(curves)
    return records


def _nested(
    way: Way,
    data: tuple[Design, np.ndarray],
    outer: list[np.ndarray],
    alphas: np.ndarray,
    draw: int,
) -> tuple[Record, np.ndarray | None]:
    """Judge a way on every outer fold; return its record and its objectives end to end."""
    X, y = data
    total, spread, lowest = 0.0, 0.0, np.zeros(1)
    chosen_ones: list[Chosen] = []
    for held_out in outer:
        kept = others(len(y), held_out)
        scale = Scale.of(take(X, kept))
        train, test = scale.apply(take(X, kept)), scale.apply(take(X, held_out))
        inner = folds(len(kept), draw + 1)
        chosen = by_cv(way, (train, y[kept]), inner, alphas, True)
        misses = y[held_out] - np.asarray(test @ chosen.coef).ravel() - chosen.intercept
        total += float(misses @ misses)
        lowest = lowest + squared_errors(chosen.candidates, test, y[held_out])
        spread += float(np.sum((y[held_out] - y[kept].mean()) ** 2))
        chosen_ones.append(chosen)
    record = _record("", draw, way, chosen_ones[0])
    record["error"] = total / spread
    record["lowest"] = float(np.min(lowest)) / spread
    record["size"] = float(np.mean([np.count_nonzero(one.coef) for one in chosen_ones]))
    record["seconds"] = float(sum(one.candidates.seconds for one in chosen_ones))
    found = [one.candidates.objectives for one in chosen_ones]
    curves = [curve for curve in found if curve is not None]
    return record, np.concatenate(curves) if curves else None


# ---------------------------------------------------------------- records


def _record(case: str, draw: int, way: Way, chosen: Chosen) -> Record:
    return {
        "case": case,
        "draw": draw,
        "way": way.name,
        "penalty": way.penalty,
        "size": float(np.count_nonzero(chosen.coef)),
        "seconds": chosen.candidates.seconds,
    }


def _compare_objectives(curves: list[tuple[Record, np.ndarray]]) -> None:
    """Add to each record how far its objectives are above the lowest of all ways, and how often.

    ``low`` is the share of alphas at the lowest objective seen, ``excess`` the mean distance to it,
    ``level`` the mean logarithm of the objective.
    """
    for penalty in {record["penalty"] for record, _ in curves}:
        group = [(record, curve) for record, curve in curves if record["penalty"] == penalty]
        lowest = np.min([curve for _, curve in group], axis=0)
        for record, curve in group:
            above = curve / np.maximum(lowest, np.finfo(float).tiny) - 1.0
            record["excess"] = float(np.mean(above))
            record["low"] = float(np.mean(above <= _LEVEL))
            record["level"] = float(np.mean(np.log(np.maximum(curve, np.finfo(float).tiny))))
