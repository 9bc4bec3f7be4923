r"""
Gene expression: few samples, many genes
========================================

Riboflavin production of *Bacillus subtilis*: 71 samples, 4088 genes (Buehlmann, Kalisch and
Meier 2014). Read from the folder named by the environment variable ``SPARSIEVE_DATA`` when it holds
``riboflavin.npz``; otherwise the example runs on simulated expression of 2000 genes in 100 samples:
genes come in pathways whose members rise and fall together, and six genes of six pathways drive the
response.
"""

import os
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import StandardScaler

import sparsieve as sv


def load():
    """Return X, y, the feature names and what the data are."""
    file = Path(os.environ.get("SPARSIEVE_DATA", "")) / "riboflavin.npz"
    if file.is_file():
        with np.load(file) as stored:
            names = stored["feature_names"].astype(str)
            return stored["X"].astype(float), stored["y"].astype(float), names, "riboflavin"
    rng = np.random.default_rng(0)
    n_samples, pathways, members = 100, 100, 20
    activity = np.repeat(rng.normal(size=(n_samples, pathways)), members, axis=1)
    X = 0.7 * activity + 0.7 * rng.normal(size=activity.shape)
    drivers = members * rng.choice(pathways, 6, replace=False)
    y = X[:, drivers] @ [1.5, -1.2, 1.0, 0.9, -0.8, 0.7] + 0.5 * rng.normal(size=n_samples)
    names = np.array(
        [f"pathway {p} gene {g}" for p in range(pathways) for g in range(members)], "U32"
    )
    names[drivers] = [f"{name} (driver)" for name in names[drivers]]
    return X, y, names, "simulated expression"


X, y, names, what = load()
X = np.asfortranarray(StandardScaler().fit_transform(X))
y = (y - y.mean()) / y.std()
print(f"{what}: {X.shape[0]} samples, {X.shape[1]} features")

# %%
# Columns are standardised, so that :math:`\alpha` means the same for every gene and the default
# shape of MCP is on the right scale.

mcp = sv.sparse_path(X, y, sv.MCP(gamma=3.0), alphas=60, eps=0.1)
lasso = sv.sparse_path(X, y, "l1", alphas=60, eps=0.1)

# %%
# How well do few genes explain the response? At the same size the concave penalty explains more,
# because it does not shrink what it keeps. (In-sample figures: they compare penalties, they do not
# promise anything about new samples.)

figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for path, label in ((lasso, "L1 (lasso)"), (mcp, "MCP, gamma = 3")):
    residuals = y[:, None] - path.intercepts - X @ path.coefs
    few = path.support_size <= 25
    ax.plot(path.support_size[few], 1 - np.mean(residuals**2, axis=0)[few], "o-", ms=4, label=label)
ax.set(xlabel="features selected", ylabel="share of variance explained", title=what)
ax.legend()
plt.show()

# %%
# The genes at a moderate strength, with the certificate of that fit.

k = int(np.flatnonzero(mcp.support_size <= 10)[-1])
coef = mcp.coef_at(mcp.alphas[k])
for j in np.argsort(-np.abs(coef))[: mcp.support_size[k]]:
    print(f"{names[j]:32s} {coef[j]:+.3f}")
kind = "a strict local minimum on its support" if mcp.convex[k] else "a critical point"
print(f"largest violation over all {X.shape[1]} genes {mcp.kkt[k]:.1e}; {kind}")

# %%
# What it cost: passes over the data per alpha. A solver that checks every gene at every alpha by
# reading it needs at least one.

print(f"MCP {mcp.passes.sum() / len(mcp):.2f}, lasso {lasso.passes.sum() / len(lasso):.2f}")

# %%
# A path at the end of a notebook's cell is its interactive report. It works here, too: move the
# slider, sort the table, read the certificate.

replace(mcp, feature_names=names)
