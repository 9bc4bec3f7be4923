r"""
Basis pursuit: the sparsest signal within the noise
===================================================

Basis pursuit denoising asks for the sparsest coefficients whose residual is no larger than the
noise,

.. math:: \min_w \sum_j r(|w_j|) \quad\text{subject to}\quad \|y - Xw\|_2 \le \sigma \sqrt n.

A path answers it: walk down :math:`\alpha` until the residual is that small. ``max_deviance`` ends
the path there. It is a share of the deviance :math:`\|y\|^2` (without an intercept), so a noise
level :math:`\sigma` becomes :math:`1 - n \sigma^2 / \|y\|^2`.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsieve as sv

rng = np.random.default_rng(0)
n, d, sigma = 80, 256, 0.05
signal = np.zeros(d)
signal[rng.choice(d, 10, replace=False)] = rng.choice([-1.0, 1.0], 10) * rng.uniform(0.5, 2.0, 10)
X = rng.standard_normal((n, d))
y = X @ signal + sigma * rng.standard_normal(n)

# %%
# One line turns the noise level into the end of the path.

explained = 1.0 - n * sigma**2 / np.sum(y**2)
recovered = {}
for name, penalty in (("lasso", "l1"), ("log-sum", sv.LogSum(0.1))):
    path = sv.sparse_path(
        X, y, penalty, alphas=200, eps=1e-4, fit_intercept=False, max_deviance=explained
    )
    alpha = path.alphas[-1]
    residual = np.linalg.norm(y - path.predict(X, alpha=alpha))
    recovered[name] = path.coef_at(alpha)
    print(
        f"{name}: ended by {path.ended}, residual {residual:.3f} for a noise of "
        f"{sigma * np.sqrt(n):.3f}, {path.support_size[-1]} coefficients"
    )

# %%
# At the same residual the concave penalty keeps fewer coefficients, and those at their true size.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for ax, (name, coef) in zip(axes, recovered.items(), strict=True):
    ax.vlines(np.arange(d), 0.0, coef, color="#0072B2", label=name)
    shown = np.flatnonzero(signal)
    ax.plot(shown, signal[shown], "o", mfc="none", color="#D55E00", label="signal")
    ax.set(xlabel="coefficient", title=f"{name}: {np.count_nonzero(coef)} coefficients")
    ax.legend(loc="lower right")
plt.show()
