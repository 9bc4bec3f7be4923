r"""
Compressed sensing: how few measurements are enough?
====================================================

A signal of 400 numbers, 15 of them non-zero, is measured through :math:`n` random projections. When
is it recovered exactly? The lasso needs more measurements than a concave penalty: this is the
phase transition that made reweighted l1 (the log-sum penalty) famous.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsieve as sv

rng = np.random.default_rng(0)
n_features, n_active, repeats = 400, 15, 8
penalties = {"L1": sv.L1(), "SCAD": sv.SCAD(3.7), "log-sum, theta = 0.1": sv.LogSum(0.1)}
sizes = np.arange(30, 111, 10)

# %%
# The measurements are exact, so :math:`\alpha` only has to be small: we follow the path down to a
# ten-thousandth of ``alpha_max`` and look at its last point. With so small an :math:`\alpha` SCAD
# hardly pulls on what a lasso selects, so its default start would return the lasso's signal.
# ``start="best"`` also walks down and up the path, and keeps the lowest objective.


def recovered(penalty, n_samples):
    """Return whether the signal comes back up to 1 percent."""
    X = rng.standard_normal((n_samples, n_features)) / np.sqrt(n_samples)
    w = np.zeros(n_features)
    w[rng.choice(n_features, n_active, replace=False)] = rng.standard_normal(n_active)
    path = sv.sparse_path(
        X * np.sqrt(n_samples), X @ w * np.sqrt(n_samples), penalty, alphas=25, eps=1e-4,
        fit_intercept=False, start="best",
    )  # fmt: skip
    error = np.linalg.norm(path.coef_at(path.alphas[-1]) - w)
    return error < 0.01 * np.linalg.norm(w)


shares = {
    name: [np.mean([recovered(penalty, n) for _ in range(repeats)]) for n in sizes]
    for name, penalty in penalties.items()
}

# %%
figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for (name, share), marker, size in zip(shares.items(), "osd", (6, 10, 5), strict=True):
    ax.plot(sizes, share, marker=marker, ms=size, label=name)
ax.set(
    xlabel="number of measurements",
    ylabel="share of signals recovered",
    title=f"{n_active} non-zeros out of {n_features}",
)
ax.legend()
plt.show()
