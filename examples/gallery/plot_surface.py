r"""
A surface: strength and shape together
======================================

MCP has two knobs: the strength :math:`\alpha` and the shape :math:`\gamma`. ``sparse_surface``
follows a path for every shape, from nearly the lasso (large :math:`\gamma`) to strongly concave, on
one shared set-up of the data. Where on that surface are the good models, and where is the answer
still unique?
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsieve as sv
from sparsieve.inspect.convexity import convex_region

rng = np.random.default_rng(1)
n_samples, n_features = 150, 400
X = rng.standard_normal((n_samples, n_features))
for j in range(1, n_features):  # neighbours correlate
    X[:, j] = 0.6 * X[:, j - 1] + 0.8 * X[:, j]
X = np.asfortranarray((X - X.mean(axis=0)) / X.std(axis=0))
truth = np.zeros(n_features)
truth[::40] = rng.choice([-1.0, 1.0], 10) * rng.uniform(0.4, 1.5, 10)
y = X @ truth + rng.standard_normal(n_samples)

# %%
# One path per shape, the same 60 alphas for each; every one of the 480 points is certified.

gammas = np.array([30.0, 15.0, 8.0, 5.0, 3.0, 2.0, 1.5, 1.2])
alphas = sv.alpha_max(X, y, "mcp") * np.geomspace(1.0, 0.02, 60)
surface = sv.sparse_surface(X, y, "mcp", shapes=gammas, alphas=alphas)
print(surface.summary())

# %%
# Three views of the same surface. On the left the error against the truth: the best models are
# concave ones, and they are good over a wide range of strengths. In the middle how many features
# they use. On the right where the objective is convex on the support whatever the coefficients: in
# the bright region there is no second minimum with the same features and signs. The more concave
# the penalty, the earlier that ends.


def error_of(path):
    """Return the distance to the true coefficients at every alpha."""
    coefs = path.coefs.toarray() if hasattr(path.coefs, "toarray") else path.coefs
    return np.linalg.norm(coefs - truth[:, None], axis=0)


views = {
    "error of the estimate": np.array([error_of(path) for path in surface]),
    "features selected": surface.grid("support_size"),
    "convex on the support": np.array([convex_region(path) for path in surface]),
}
figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), sharey=True, layout="constrained")
rows = np.arange(gammas.size)
for ax, (title, values) in zip(axes, views.items(), strict=True):
    mesh = ax.pcolormesh(alphas, rows, values, shading="nearest", cmap="viridis")
    ax.set(title=title, xscale="log", xlabel=r"$\alpha$", yticks=rows)
    ax.set_yticklabels([f"{gamma:g}" for gamma in gammas])
    ax.invert_xaxis()
    if values.dtype != bool:
        figure.colorbar(mesh, ax=ax, shrink=0.9)
axes[0].set_ylabel(r"$\gamma$ (more concave upwards)")
plt.show()

# %%
# Without the truth at hand, cross-validation finds its way on the same surface.

model = sv.SparseRegressorCV(sv.shape_grid("mcp", gammas), alphas=40, eps=0.05).fit(X, y)
print(
    f"chosen: gamma = {model.penalty_.gamma:g}, alpha = {model.alpha_:.3f}, "
    f"{np.count_nonzero(model.coef_)} features, "
    f"error {np.linalg.norm(model.coef_ - truth):.2f} "
    f"(the best on the surface has {views['error of the estimate'].min():.2f})"
)
