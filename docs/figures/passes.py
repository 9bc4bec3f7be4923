"""The figure of the README on cost: how often a certified path reads the data.

Counted in bytes, so the machine plays no part. Run with ``SPARSIEVE_DATA`` naming the folder of the
real data sets to draw it into ``docs/_static``; problems whose data are absent are left out.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

import sparsieve as sv

STATIC = Path(__file__).parents[1] / "_static"
REAL = ("leukemia", "riboflavin", "rat_eye", "newsgroup")


def real(name):
    """Return one real data set, dense columns standardised; None when it is not at hand."""
    file = Path(os.environ.get("SPARSIEVE_DATA", "")) / f"{name}.npz"
    if not file.is_file():
        return None
    with np.load(file) as stored:
        y = stored["y"].astype(float)
        if "X" not in stored.files:
            arrays = (stored["data"].astype(float), stored["indices"], stored["indptr"])
            return sparse.csc_matrix(arrays, shape=tuple(stored["shape"])), y
        X = stored["X"].astype(float)
    spread = X.std(axis=0)
    return np.asfortranarray((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)), y


def problems():
    """Yield name, X, y."""
    X, y, _ = sv.datasets.make_toy(500, 5000, 5, noise=2.0, random_state=0)
    yield "toy, 500 x 5000", X, y
    for name in REAL:
        data = real(name)
        if data is not None:
            yield f"{name}, {data[0].shape[0]} x {data[0].shape[1]}", *data


def main():
    """Draw the figure."""
    shown = {"L1": (sv.L1(), "0.45"), "MCP": (sv.MCP(3.0), "C0"), "log-sum": (sv.LogSum(1.0), "C1")}
    table = {}
    for name, X, y in problems():
        y = (y - y.mean()) / y.std()
        paths = {k: sv.sparse_path(X, y, p, alphas=100, eps=0.01) for k, (p, _) in shown.items()}
        assert all(path.converged.all() for path in paths.values())
        table[name] = {k: path.passes.sum() / len(path) for k, path in paths.items()}
        print(name, {k: round(float(v), 3) for k, v in table[name].items()})
    figure, ax = plt.subplots(figsize=(9, 0.62 * len(table) + 1.2), layout="constrained")
    rows = np.arange(len(table))
    for k, (label, (_, colour)) in enumerate(shown.items()):
        values = [row[label] for row in table.values()]
        ax.barh(rows + 0.26 * (k - 1), values, height=0.24, color=colour, label=label)
    ax.axvline(1.0, color="0.2", ls="--", lw=1)
    ax.annotate(
        "reading every feature once per alpha", (1.0, -0.42), xytext=(-6, 0),
        textcoords="offset points", ha="right", fontsize=9,
    )  # fmt: skip
    ax.set_yticks(rows, list(table))
    ax.invert_yaxis()
    ax.set_xlim(0, max(1.08, *(max(row.values()) * 1.05 for row in table.values())))
    ax.set_xlabel("passes over the data per alpha, 100 certified alphas down to alpha_max / 100")
    ax.legend(frameon=False, loc="center", bbox_to_anchor=(0.75, 0.45))
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(STATIC / "passes.png", dpi=130)


if __name__ == "__main__":
    main()
