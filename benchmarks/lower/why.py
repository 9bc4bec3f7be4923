"""Why a rival's point is lower, and which further move or start would have found a lower one.

    python -m benchmarks lower --why

For points where our first is above a rival by more than `WORTH_A_LOOK`, each remedy below starts
from what we have and ends in a point that is settled again by the library (`minimum="swap"`). It
wins where it ends at most at the rival's objective.

=================  ==============================================================================
neighbours         our own points at the next alphas, above and below, as starts
drops              one feature less, everything else settled again, for every feature
swaps              one feature for another, everything else settled again; for every feature the
                   few best takers of its place, ranked by what they gain alone
few swaps          only the ten after which F is lowest at once; the first that is lower is taken
random swaps       as many, of features drawn at random: what settling so often is worth by itself
drops and swaps    whichever of both is lower, until none is
entries            a feature more: the few best outside, at its lowest point, settled again
lassos             starts from lassos at other levels
exact descent      the plain warm-started descent (descent.py), settled
forward            from zero, the feature that gains most jumps in, the support is settled, again
previous           the walk down with swaps alone, from alpha to alpha
shapes             starts from points of less concave penalties, in steps
rival's neighbour  the rival's points at the next alphas as starts: whether it is the way there
=================  ==============================================================================
"""

from __future__ import annotations

import json
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.adapters.ours import penalty_of
from benchmarks.judge import PENALTIES, Penalty
from benchmarks.lower.descent import exact_path, minimiser, threshold
from benchmarks.lower.draws import draw
from benchmarks.lower.study import FIRST, WORTH_A_LOOK, Record, excess, recall, rivals_of
from benchmarks.problems import PROBLEMS, Design, fetch, store
from benchmarks.runner import CACHE

_TAKERS = 5  # of a place, whose swaps are settled
_FEW = 10  # most promising swaps
_ENTRANTS = 10
_LEVEL = 1e-6  # objectives that differ by less, relatively, are level
_ROUNDS = 50


class Bench:
    """One problem at one alpha: objectives, and the library to settle a start."""

    def __init__(self, X: Design, y: np.ndarray, penalty: Penalty, alpha: float) -> None:
        self.X, self.y, self.penalty, self.alpha = X, y, penalty, alpha
        self.n = len(y)
        squares = X.multiply(X).sum(axis=0) if sparse.issparse(X) else (X * X).sum(axis=0)
        self.h = np.asarray(squares).ravel() / self.n
        self.jump = np.array(
            [threshold(penalty, float(h), alpha) if h > 0 else np.inf for h in self.h]
        )

    def at(self, alpha: float) -> Bench:
        """Return the same data at another alpha."""
        return Bench(self.X, self.y, self.penalty, alpha)

    def objective(self, w: np.ndarray) -> float:
        """Return F(w)."""
        used = np.flatnonzero(w)
        r = self.y - self.X[:, used] @ w[used]
        return float(r @ r / (2 * self.n) + self.penalty.value(np.abs(w), self.alpha).sum())

    def correlations(self, w: np.ndarray) -> np.ndarray:
        """Return X'(y - Xw)/n."""
        used = np.flatnonzero(w)
        return np.asarray(self.X.T @ (self.y - self.X[:, used] @ w[used])) / self.n

    def settle(self, w: np.ndarray, penalty: Penalty | None = None, start: Any = None) -> Any:
        """Return the library's swap-optimal point from a start."""
        import sparsieve as sv

        penalty = penalty or self.penalty
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = sv.sparse_path(
                self.X,
                self.y,
                penalty_of(penalty.kind, penalty.shape),
                alphas=[self.alpha],
                fit_intercept=False,
                tol=1e-8,
                start=w if start is None else start,
                minimum="swap",
            )
        return path.coef_at(self.alpha)

    def gain(self, columns: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return what each coordinate gains when it leaves zero, z its correlation there."""
        out = np.zeros(columns.size)
        for k in np.flatnonzero(np.abs(z) > self.jump[columns]):
            j, size = columns[k], abs(float(z[k]))
            t = minimiser(self.penalty, size, float(self.h[j]), self.alpha, float(self.jump[j]))
            r = float(self.penalty.value(np.array([t]), self.alpha)[0])
            out[k] = size * t - self.h[j] * t * t / 2 - r
        return out

    def takers(self, w: np.ndarray, i: int, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return features outside the support by what they gain once i has left, and gains."""
        column = self.X[:, [i]]
        dense = np.asarray(column.toarray() if sparse.issparse(column) else column).ravel()
        without = c + np.asarray(self.X.T @ dense) / self.n * w[i]
        outside = np.flatnonzero((w == 0) & (self.h > 0))
        gains = self.gain(outside, without[outside])
        order = np.argsort(-gains)
        return outside[order], gains[order]

    def swap_fall(self, w: np.ndarray) -> float:
        """Return the most that a jump or a swap lowers F by, as a share of F."""
        c, F = self.correlations(w), self.objective(w)
        outside = np.flatnonzero((w == 0) & (self.h > 0))
        best = float(self.gain(outside, c[outside]).max(initial=0.0))
        for i in np.flatnonzero(w):
            left = w.copy()
            left[i] = 0.0
            cost = self.objective(left) - F
            best = max(best, -cost, float(self.takers(w, int(i), c)[1][0]) - cost)
        return best / F


Remedy = Callable[["Case"], np.ndarray]


@dataclass
class Case:
    """A point where a rival is lower, with everybody's whole paths."""

    bench: Bench
    record: Record
    k: int
    rival: str
    coefs: dict[str, sparse.csc_matrix]
    limit: float = 20.0  # seconds a remedy may look for

    def point(self, name: str, k: int | None = None) -> np.ndarray:
        """Return somebody's coefficients."""
        return np.asarray(self.coefs[name][:, [self.k if k is None else k]].toarray()).ravel()

    def lowest(self, starts: list[np.ndarray]) -> np.ndarray:
        """Return the lowest of our point and of what these starts settle to."""
        points = [self.point(FIRST), *(self.bench.settle(w) for w in starts)]
        return min(points, key=self.bench.objective)

    def neighbours(self, name: str) -> list[np.ndarray]:
        """Return somebody's points at the next alphas."""
        near = (self.k - 1, self.k + 1)
        return [self.point(name, k) for k in near if 0 <= k < len(self.record["alphas"])]


def neighbours(case: Case) -> np.ndarray:
    return case.lowest(case.neighbours(FIRST))


def rival_neighbours(case: Case) -> np.ndarray:
    return case.lowest(case.neighbours(case.rival))


def lassos(case: Case) -> np.ndarray:
    """Starts from lassos at 1, 0.1, 0.03 and 0.01 of the slope at zero."""
    slope = float(case.bench.penalty.slope(np.zeros(1), case.bench.alpha)[0])
    l1 = PENALTIES["l1"]
    starts = []
    for f in (1.0, 0.1, 0.03, 0.01):
        at = case.bench.at(f * slope)
        starts.append(at.settle(np.zeros(0), l1, start="previous"))
    return case.lowest(starts)


def exact(case: Case) -> np.ndarray:
    X, y = case.bench.X, case.bench.y
    if sparse.issparse(X) or X.size > 500_000:
        return case.point(FIRST)
    grid = np.array(case.record["alphas"][: case.k + 1])
    return case.lowest([exact_path(X, y, case.bench.penalty, grid)[:, -1]])


def forward(case: Case) -> np.ndarray:
    """Enter one feature after the other, as long as one gains; jumps come before any descent."""
    bench = case.bench
    w, end = np.zeros(bench.h.size), time.monotonic() + case.limit
    while time.monotonic() < end:
        c = bench.correlations(w)
        outside = np.flatnonzero((w == 0) & (bench.h > 0))
        gains = bench.gain(outside, c[outside])
        if gains.max(initial=0.0) <= 1e-9 * bench.objective(w):
            break
        j = outside[int(gains.argmax())]
        t = minimiser(
            bench.penalty, abs(c[j]), float(bench.h[j]), bench.alpha, float(bench.jump[j])
        )
        w[j] = np.copysign(t, c[j])
        w = refit(bench, w, np.flatnonzero(w))
    return case.lowest([w])


def previous(case: Case) -> np.ndarray:
    import sparsieve as sv

    bench, grid = case.bench, case.record["alphas"][: case.k + 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = sv.sparse_path(
            bench.X,
            bench.y,
            penalty_of(bench.penalty.kind, bench.penalty.shape),
            alphas=grid,
            fit_intercept=False,
            tol=1e-8,
            start="previous",
            minimum="swap",
        )
    return case.lowest([path.coef_at(bench.alpha)])


def shapes(case: Case) -> np.ndarray:
    """Walk from a nearly convex shape to the one asked for, in three ways of stepping."""
    penalty = case.bench.penalty
    assert penalty.shape is not None
    starts = []
    for factors in ((3.0,), (10.0, 3.0), (100.0, 30.0, 10.0, 5.0, 3.0, 2.0, 1.4)):
        w: Any = None
        for f in factors:
            softer = Penalty(penalty.kind, penalty.shape * f)
            slopes = [float(each.slope(np.zeros(1), 1.0)[0]) for each in (penalty, softer)]
            bench = case.bench.at(case.bench.alpha * slopes[0] / slopes[1])  # same slope at zero
            w = bench.settle(np.zeros(0), softer, start="lasso" if w is None else w)
        starts.append(w)
    return case.lowest(starts)


def entries(case: Case) -> np.ndarray:
    bench, w = case.bench, case.point(FIRST)
    c = bench.correlations(w)
    outside = np.flatnonzero((w == 0) & (bench.h > 0))
    first = outside[np.argsort(-np.abs(c[outside]) / np.sqrt(bench.h[outside]))][:_ENTRANTS]
    starts = []
    for j in first:
        more = w.copy()
        more[j] = c[j] / bench.h[j]
        starts.append(more)
    return case.lowest(starts)


def _without(w: np.ndarray, i: int) -> np.ndarray:
    less = w.copy()
    less[i] = 0.0
    return less


def _drop_starts(bench: Bench, w: np.ndarray) -> Iterator[np.ndarray]:
    for i in np.flatnonzero(w):
        yield refit(bench, w, np.setdiff1d(np.flatnonzero(w), [i]))


def refit(bench: Bench, w: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Return coefficients on a support where F is low there: one exact descent confined to it."""
    from benchmarks.lower.descent import exact_descent

    out = np.zeros_like(w)
    if support.size:
        part = bench.X[:, support]
        part = np.asarray(part.toarray() if sparse.issparse(part) else part)
        out[support] = exact_descent(
            part, bench.y, bench.penalty, bench.alpha, w[support], max_sweeps=100
        )
    return out


def _swap_starts(bench: Bench, w: np.ndarray, takers: int = _TAKERS) -> list[np.ndarray]:
    """Return swaps, those first after which F is lowest before anything is settled."""
    c = bench.correlations(w)
    ranked: list[tuple[float, int, np.ndarray]] = []
    for i in np.flatnonzero(w):
        columns, gains = bench.takers(w, int(i), c)
        left = _without(w, int(i))
        without, before = bench.correlations(left), bench.objective(left)
        for j, gain in zip(columns[:takers], gains[:takers], strict=True):
            if gain <= 0:
                break
            other, z, h = left.copy(), float(without[j]), float(bench.h[j])
            t = minimiser(bench.penalty, abs(z), h, bench.alpha, float(bench.jump[j]))
            other[j] = np.copysign(t, z)
            ranked.append((before - gain, len(ranked), other))
    return [other for _, _, other in sorted(ranked, key=lambda entry: entry[:2])]


def _greedy(
    case: Case, makes: list[Callable[[Bench, np.ndarray], Iterable[np.ndarray]]]
) -> np.ndarray:
    """Take the lowest of all moves, settled, until none is lower."""
    bench, w = case.bench, case.point(FIRST)
    best, end = bench.objective(w), time.monotonic() + case.limit
    for _ in range(_ROUNDS):
        found = w
        for start in (s for make in makes for s in make(bench, w)):
            if time.monotonic() > end:
                break
            settled = bench.settle(start)
            fell = bench.objective(settled)
            if fell < best * (1 - 1e-9):
                best, found = fell, settled
        if found is w:
            return w
        w = found
    return w


def drops(case: Case) -> np.ndarray:
    return _greedy(case, [_drop_starts])


def few_swaps(case: Case) -> np.ndarray:
    """Settle the most promising swaps only, and take the first that is lower."""
    bench, w = case.bench, case.point(FIRST)
    best, end = bench.objective(w), time.monotonic() + case.limit
    moved = True
    while moved and time.monotonic() < end:
        moved = False
        for start in _swap_starts(bench, w)[:_FEW]:
            settled = bench.settle(start)
            if bench.objective(settled) < best * (1 - 1e-9):
                w, best, moved = settled, bench.objective(settled), True
                break
    return w


def swaps(case: Case) -> np.ndarray:
    return _greedy(case, [_swap_starts])


def _random_starts(bench: Bench, w: np.ndarray) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(np.count_nonzero(w))
    outside, c = np.flatnonzero((w == 0) & (bench.h > 0)), bench.correlations(w)
    for i in np.repeat(np.flatnonzero(w), _TAKERS):
        j = rng.choice(outside)
        other = _without(w, int(i))
        # as large in the fit as what it replaces
        size = abs(w[i]) * np.sqrt(bench.h[i] / bench.h[j])
        other[j] = np.copysign(size, c[j])
        yield other


def random_swaps(case: Case) -> np.ndarray:
    return _greedy(case, [_random_starts])


def both(case: Case) -> np.ndarray:
    return _greedy(case, [_drop_starts, _swap_starts])


REMEDIES: dict[str, Remedy] = {
    "neighbours": neighbours,
    "drops": drops,
    "few swaps": few_swaps,
    "swaps": swaps,
    "random swaps": random_swaps,
    "drops and swaps": both,
    "entries": entries,
    "lassos": lassos,
    "exact descent": exact,
    "forward": forward,
    "previous": previous,
    "shapes": shapes,
    "rival's neighbour": rival_neighbours,
}


def look(case: Case, remedies: dict[str, Remedy] | None = None) -> Record:
    """Return what is known about one point: both points' strength, and every remedy's end."""
    bench = case.bench
    ours, theirs = case.point(FIRST), case.point(case.rival)
    target = bench.objective(theirs)
    one, other = (set(np.flatnonzero(w).tolist()) for w in (ours, theirs))
    settled = bench.objective(bench.settle(theirs))
    told: Record = {
        **{key: case.record[key] for key in ("part", "case", "variant", "penalty")},
        "alpha": case.k,
        "rival": case.rival,
        "excess": bench.objective(ours) / target - 1.0,
        "supports": [len(one), len(other), len(one & other)],
        "our swap would lower": bench.swap_fall(ours),
        "their swap would lower": bench.swap_fall(theirs),
        "theirs settled": settled / target - 1.0,
        "left": {},
        "seconds": {},
    }
    for name, remedy in (remedies or REMEDIES).items():
        start = time.process_time()
        told["left"][name] = bench.objective(remedy(case)) / target - 1.0
        told["seconds"][name] = time.process_time() - start
    return told


def worst_points(document: Record, out: Path, most: int) -> list[Case]:
    """Return points where our first is too high, at most one per path, spread over all paths."""
    found = []
    for record in document["records"]:
        losses = {name: excess(record, FIRST, name) for name in rivals_of(record)}
        worst = {name: float(e.max()) for name, e in losses.items()}
        rival = max(worst, key=lambda name: worst[name], default=None)
        if rival is not None and worst[rival] > WORTH_A_LOOK:
            found.append((record, int(losses[rival].argmax()), rival))
    chosen = found[:: max(1, -(-len(found) // most))]
    return [_case(record, k, rival, out) for record, k, rival in chosen]


def _case(record: Record, k: int, rival: str, out: Path) -> Case:
    kind = re.split(r"\(", record["penalty"])[0]
    if record["part"] == "draws":
        made = draw(int(re.split(r"[ :]", record["case"])[1]))
        X, y = made.X, made.y
    else:
        X, y = fetch(store(PROBLEMS[record["case"]], record["variant"], CACHE))
    bench = Bench(X, y, PENALTIES[kind], record["alphas"][k])
    return Case(bench, record, k, rival, recall(record, out))


def why(out: Path, most: int = 5, remedies: dict[str, Remedy] | None = None) -> list[Record]:
    """Look at some points of a result file; write what was found beside it."""
    document = json.loads(out.read_text())
    rows = []
    for case in worst_points(document, out, most):
        rows.append(look(case, remedies))
        out.with_suffix(".why.json").write_text(json.dumps(rows, indent=1))
        print(sentence(rows[-1]), flush=True)
    return rows


def sentence(row: Record) -> str:
    """Say in a line what helped at one point."""
    helped = [name for name, left in row["left"].items() if left <= _LEVEL]
    return (
        f"{row['case']} {row['variant']} {row['penalty']} alpha {row['alpha']}: "
        f"{row['excess']:.2%} above {row['rival']}, supports {row['supports']}; lower or level "
        f"by {', '.join(helped) or 'nothing'}"
    )


def table(rows: list[Record]) -> str:
    """Return for each remedy: how often it wins, what it leaves on the mean, its seconds."""
    lines = [
        "| remedy | wins | lower than ours | mean excess left | seconds |",
        "|---|---|---|---|---|",
    ]
    mean = np.mean([row["excess"] for row in rows])
    lines.append(f"| none | 0 of {len(rows)} | 0 | {mean:.2%} | |")
    for name in rows[0]["left"] if rows else []:
        left = np.array([row["left"][name] for row in rows])
        before = np.array([row["excess"] for row in rows])
        seconds = np.mean([row["seconds"][name] for row in rows])
        lines.append(
            f"| {name} | {(left <= _LEVEL).sum()} | {(left < before - _LEVEL).sum()} "
            f"| {left.mean():.2%} | {seconds:.2f} |"
        )
    return "\n".join(lines)
