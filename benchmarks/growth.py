"""How time grows with the number of features and of samples, at a fixed support.

    python -m benchmarks growth

Designs are AR(0.5) with 20 active features and little noise, and paths end at a tenth of
alpha_max, so that the support stays the true one whatever the size. The slope of the fit of log
time against log size is what counts: at most one, up to noise, means that nothing in the solver
grows faster than the data.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.client import Client
from benchmarks.judge import PENALTIES, alpha_grid, correlation_scale
from benchmarks.problems import Problem, autoregressive, fetch, store
from benchmarks.runner import RESULTS, Record, meta

FEATURES = (5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
SAMPLES = (200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)
_FIXED = {"d": 500, "n": 5_000}  # samples while features grow, features while samples grow
_TOL = 1e-6
_LIMIT = 600.0


def growth(penalties: list[str], repeat: int, clock: str) -> list[Path]:
    """Measure both sweeps; write growth.json and growth.png."""
    rows: list[Record] = []
    client = Client("sparsieve", 1)
    try:
        for axis, sizes in (("d", FEATURES), ("n", SAMPLES)):
            for size in sizes:
                shape = (_FIXED["d"], size) if axis == "d" else (size, _FIXED["n"])
                rows += measure(client, axis, shape, penalties, repeat)
                print(rows[-1], flush=True)
    finally:
        client.close()
    RESULTS.mkdir(parents=True, exist_ok=True)
    out = RESULTS / "growth.json"
    document = {"meta": meta(), "clock": clock, "rows": rows, "slopes": slopes(rows, clock)}
    out.write_text(json.dumps(document, indent=1))
    print(json.dumps(document["slopes"], indent=1))
    return [out, plot(rows, clock, out.with_suffix(".png"))]


def measure(
    client: Client, axis: str, shape: tuple[int, int], penalties: list[str], repeat: int
) -> list[Record]:
    """Return one row per penalty: the best of `repeat` paths on one design."""
    n, d = shape
    name = f"growth_{n}x{d}"
    problem = Problem(name, lambda: autoregressive(n, d, 20, 0.5, 100.0, 8), 50, 0.1, "")
    rows = []
    with tempfile.TemporaryDirectory(prefix="bench-growth-") as folder:
        stored = store(problem, "standardised", Path(folder))
        X, y = fetch(stored, mapped=True)
        scale = correlation_scale(X, y)
        client.use(stored)
        for kind in penalties:
            penalty = PENALTIES[kind]
            alphas = alpha_grid(penalty, scale, problem.n_alphas, problem.eps)
            runs = [client.solve(penalty, alphas, _TOL, _LIMIT) for _ in range(repeat)]
            rows.append(
                {
                    "axis": axis,
                    "n": n,
                    "d": d,
                    "penalty": penalty.label,
                    "seconds": min(run["seconds"] for run in runs),
                    "cpu": min(run["cpu"] for run in runs),
                    "passes": runs[0]["passes"],
                    "support": int(np.diff(runs[0]["coefs"].indptr).max()),
                }
            )
        client.release()
    return rows


def slopes(rows: list[Record], clock: str) -> dict[str, float]:
    """Return the slope of log time against log size, per axis and penalty."""
    found = {}
    for axis, penalty in dict.fromkeys((row["axis"], row["penalty"]) for row in rows):
        chosen = [row for row in rows if (row["axis"], row["penalty"]) == (axis, penalty)]
        sizes = np.log([row[axis] for row in chosen])
        times = np.log([row[clock] for row in chosen])
        found[f"{axis}, {penalty}"] = float(np.polyfit(sizes, times, 1)[0])
    return found


def plot(rows: list[Record], clock: str, file: Path) -> Path:
    """Draw time against size on log scales, beside a line of slope one."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    fitted = slopes(rows, clock)
    labels = {"d": f"features d (n = {_FIXED['d']:,})", "n": f"samples n (d = {_FIXED['n']:,})"}
    for panel, axis in zip(axes, ("d", "n"), strict=True):
        chosen = [row for row in rows if row["axis"] == axis]
        for penalty in dict.fromkeys(row["penalty"] for row in chosen):
            points = [(row[axis], row[clock]) for row in chosen if row["penalty"] == penalty]
            label = f"{penalty}: slope {fitted[f'{axis}, {penalty}']:.2f}"
            panel.loglog(*zip(*points, strict=True), "o-", ms=4, label=label)
        sizes = np.array(sorted({row[axis] for row in chosen}), dtype=float)
        start = max(row[clock] for row in chosen if row[axis] == sizes[0])
        panel.loglog(sizes, start * sizes / sizes[0], "k:", lw=1, label="slope 1")
        panel.set_xlabel(labels[axis])
        panel.set_ylabel("CPU seconds" if clock == "cpu" else "seconds")
        panel.grid(alpha=0.3)
        panel.legend(fontsize=8)
    figure.suptitle("Path of 50 alphas, 20 active features, one thread", fontsize=10)
    figure.savefig(file, dpi=130)
    plt.close(figure)
    return file
