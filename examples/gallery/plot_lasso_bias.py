r"""
The lasso's bias, and how MCP avoids it
=======================================

The lasso selects by shrinking: a coefficient is moved towards zero by about :math:`\alpha` even
when it is large and certain. To keep the truly large ones large, the lasso needs a small
:math:`\alpha`, and then lets noise in. A concave penalty such as MCP stops charging once a
coefficient exceeds :math:`\gamma\alpha`, so it can be strict and unbiased at the same time.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsieve as sv

# %%
# One hundred samples, two hundred features, five of which matter.

rng = np.random.default_rng(3)
X = rng.standard_normal((100, 200))
truth = np.zeros(200)
truth[[10, 40, 90, 130, 170]] = [3.0, -2.0, 1.5, -1.0, 2.5]
y = X @ truth + rng.standard_normal(100)

paths = {
    "L1 (lasso)": sv.sparse_path(X, y, "l1", alphas=80, eps=0.02),
    "MCP, gamma = 3": sv.sparse_path(X, y, sv.MCP(gamma=3.0), alphas=80, eps=0.02),
}

# %%
# Along both paths: the five true features in colour, with their true values as dotted lines.
# The lasso only reaches them when dozens of others are in; MCP sits on them from early on.

figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.2), sharey=True, layout="constrained")
active = np.flatnonzero(truth)
colours = plt.colormaps["tab10"](range(active.size))
for ax, (name, path) in zip(axes, paths.items(), strict=True):
    coefs = path.coefs.toarray() if hasattr(path.coefs, "toarray") else path.coefs
    noise = np.setdiff1d(np.flatnonzero(np.any(coefs, axis=1)), active)
    ax.plot(path.alphas, coefs[noise].T, color="0.75", lw=0.7)
    for j, colour in zip(active, colours, strict=True):
        ax.plot(path.alphas, coefs[j], color=colour, lw=2)
        ax.axhline(truth[j], color=colour, ls=":", lw=1)
    ax.set_xscale("log")
    ax.invert_xaxis()
    ax.set(title=name, xlabel=r"$\alpha$ (fewer features on the left)")
axes[0].set_ylabel("coefficient")
plt.show()

# %%
# The same in numbers: at each alpha, the error of the estimate against how many features it uses.
# Every point of both curves is certified: no feature violates stationarity by more than 1e-6 of
# the penalty's slope at zero.

for name, path in paths.items():
    coefs = path.coefs.toarray() if hasattr(path.coefs, "toarray") else path.coefs
    errors = np.linalg.norm(coefs - truth[:, None], axis=0)
    best = int(np.argmin(errors))
    print(
        f"{name:15s} smallest error {errors[best]:.3f} with {path.support_size[best]:3d} features;"
        f" largest violation on the path {path.kkt.max():.1e}"
    )
