"""The figure of the README: processor seconds of every solver, as the benchmark recorded them.

Run ``python docs/figures/benchmark.py results.json`` to draw a run into ``docs/_static``.
"""

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt

OURS = "sparsieve"
STATIC = Path(__file__).parents[1] / "_static"


def strictest(records):
    """Return the records at the last level of accuracy, one thread."""
    level = list(dict.fromkeys(r["level"] for r in records))[-1]
    return [r for r in records if r["level"] == level and r["threads"] == 1], level


def draw(document):
    """Draw one row per problem and penalty, one mark per solver that got there."""
    records, level = strictest(document["records"])
    cells = list(dict.fromkeys((r["problem"], r["penalty"]) for r in records))
    peers = [OURS, *sorted({r["peer"] for r in records} - {OURS})]
    figure, ax = plt.subplots(figsize=(8.6, 0.27 * len(cells) + 1.5), layout="constrained")
    for k, peer in enumerate(peers):
        done = [r for r in records if r["peer"] == peer and r["status"] == "ok"]
        x = [r["cpu"] for r in done]
        y = [cells.index((r["problem"], r["penalty"])) for r in done]
        ours = peer == OURS
        style = {"s": 70, "marker": "o", "color": "black", "zorder": 3}
        if not ours:
            style = {"s": 26, "marker": "s^vDP*X<>"[(k - 1) % 9], "color": f"C{(k - 1) % 10}"}
        ax.scatter(x, y, label=peer, **style)
    ax.set_xscale("log")
    ax.set_yticks(range(len(cells)), [f"{problem}, {penalty}" for problem, penalty in cells])
    ax.set_ylim(len(cells) - 0.5, -0.5)
    ax.tick_params(axis="y", labelsize=8)
    accuracy = document["meta"]["levels"][level]
    ax.set_xlabel(f"processor seconds for a whole path, judged violation at most {accuracy:g}")
    ax.grid(alpha=0.3)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return figure


if __name__ == "__main__":
    results = Path(sys.argv[1])
    draw(json.loads(results.read_text(encoding="utf-8"))).savefig(STATIC / "benchmark.png", dpi=130)
