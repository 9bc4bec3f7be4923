"""The figure of docs/speed.md: how often a certified path reads the data.

Counted in bytes, so the machine plays no part. Run with ``SPARSIEVE_DATA`` naming the folder of the
real data sets, it draws into ``docs/_static`` and prints the numbers; absent data are left out.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

import sparsieve as sv

STATIC = Path(__file__).parents[1] / "_static"
REAL = ("leukemia", "riboflavin", "rat_eye", "newsgroup")


def real(name):
    """Return one real data set; None when it is not at hand."""
    file = Path(os.environ.get("SPARSIEVE_DATA", "")) / f"{name}.npz"
    if not file.is_file():
        return None
    with np.load(file) as stored:
        y = stored["y"].astype(float)
        if "X" in stored.files:
            return stored["X"].astype(float), y
        arrays = (stored["data"].astype(float), stored["indices"], stored["indptr"])
        return sparse.csc_matrix(arrays, shape=tuple(stored["shape"])), y


def standardised(X):
    """Return X with columns of variance one; the mean is left to the intercept."""
    scaler = StandardScaler(with_mean=False).fit(X)
    X = scaler.transform(X)
    return X.tocsc() if sparse.issparse(X) else np.asfortranarray(X)


def problems():
    """Yield name, X, y."""
    X, y, _ = sv.datasets.make_toy(500, 5000, 5, noise=2.0, random_state=0)
    yield "toy, 500 x 5000", standardised(X), y
    for name in REAL:
        data = real(name)
        if data is None:
            continue
        X, y = data
        label = f"{name}, {X.shape[0]} x {X.shape[1]}"
        if sparse.issparse(X):
            yield f"{label},\nsparse, not scaled", X, y
            label += ",\nsparse, standardised"
        yield label, standardised(X), y


def main():
    """Draw the figure."""
    shown = {"L1": (sv.L1(), "0.45"), "MCP": (sv.MCP(3.0), "C0"), "log-sum": (sv.LogSum(1.0), "C1")}
    table = {}
    for name, X, y in problems():
        y = (y - y.mean()) / y.std()
        paths = {k: sv.sparse_path(X, y, p, alphas=100, eps=0.01) for k, (p, _) in shown.items()}
        assert all(path.converged.all() for path in paths.values())
        table[name] = {k: path.passes.sum() / len(path) for k, path in paths.items()}
        print(name.replace("\n", " "), {k: round(float(v), 3) for k, v in table[name].items()})
    figure, ax = plt.subplots(figsize=(9, 0.55 * len(table) + 1.2), layout="constrained")
    rows = np.arange(len(table))
    for k, (label, (_, colour)) in enumerate(shown.items()):
        values = [row[label] for row in table.values()]
        ax.scatter(values, rows + 0.18 * (k - 1), color=colour, marker="osD"[k], label=label)
    ax.axvline(1.0, color="0.2", ls="--", lw=1)
    ax.annotate(
        "reading every feature once per alpha", (1.0, 0.0), xytext=(6, 0), va="center",
        textcoords="offset points", fontsize=9,
    )  # fmt: skip
    ax.set_yticks(rows, list(table))
    ax.invert_yaxis()
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    ax.set_xlabel("passes over the data per alpha, 100 certified alphas down to alpha_max / 100")
    ax.legend(frameon=False, loc="center right")
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(STATIC / "passes.png", dpi=130)


if __name__ == "__main__":
    main()
