r"""
A stream that is never in memory
================================

Least squares needs of its rows only their means and products, and these can be added up batch by
batch. :class:`~sparsieve.Statistics` holds them; a path from it is certified on all rows that it
has seen, and takes the same time for any number of them.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsieve as sv

rng = np.random.default_rng(0)
w = np.zeros(30)
w[:4] = 1.0, -0.5, 0.25, 0.1

# %%
# Batches arrive, with a drifting mean in one of the columns. After some of them we look at the
# model: the smaller a coefficient, the more rows it takes to find it.
statistics = sv.Statistics()
seen, found = [], []
for batch in range(256):
    X = rng.standard_normal((200, 30))
    X[:, 5] += batch / 10
    y = X @ w + 2.0 * rng.standard_normal(200)
    statistics.partial_fit(X, y)
    if (batch + 1).bit_count() == 1:
        model = sv.SparseRegressorIC("mcp", alphas=50).fit(statistics)
        seen.append(statistics.n_samples)
        found.append(model.coef_[:4])

# %%
plt.figure(figsize=(6, 3.5))
plt.semilogx(seen, found, "o-")
plt.gca().set_prop_cycle(None)
for value in w[:4]:
    plt.axhline(value, color="0.8", zorder=0)
plt.xlabel("rows so far")
plt.ylabel("coefficient")
plt.tight_layout()
print(model.certificate_)
