"""The figure of the README: what the lasso and MCP make of the same data."""

import matplotlib.pyplot as plt
import numpy as np

import sparsieve as sv

rng = np.random.default_rng(3)
X = rng.standard_normal((100, 200))
truth = np.zeros(200)
truth[[10, 40, 90, 130, 170]] = [3.0, -2.0, 1.5, -1.0, 2.5]
y = X @ truth + rng.standard_normal(100)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
active = np.flatnonzero(truth)
colours = plt.colormaps["tab10"](range(active.size))
for ax, name, penalty in zip(axes, ("lasso", "MCP"), (sv.L1(), sv.MCP(3.0)), strict=True):
    path = sv.sparse_path(X, y, penalty, alphas=80, eps=0.02)
    coefs = path.coefs.toarray() if hasattr(path.coefs, "toarray") else path.coefs
    errors = np.linalg.norm(coefs - truth[:, None], axis=0)
    best = int(np.argmin(errors))
    others = np.setdiff1d(np.flatnonzero(np.any(coefs, axis=1)), active)
    ax.plot(path.alphas, coefs[others].T, color="0.75", lw=0.7)
    for j, colour in zip(active, colours, strict=True):
        ax.plot(path.alphas, coefs[j], color=colour, lw=2)
        ax.axhline(truth[j], color=colour, ls=":", lw=1)
    ax.axvline(path.alphas[best], color="0.3", lw=0.8)
    ax.set_xscale("log")
    ax.invert_xaxis()
    ax.set_xlabel("alpha (fewer features on the left)")
    ax.set_title(f"{name}: best at {path.support_size[best]} features, error {errors[best]:.2f}")
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("coefficient (truth dotted)")
if __name__ == "__main__":
    from pathlib import Path

    figure.savefig(Path(__file__).parents[1] / "_static" / "why.png", dpi=130)
plt.show()
