"""The fitted coefficient as a function of the least-squares coefficient, one unit feature."""

import matplotlib.pyplot as plt
import numpy as np

import sparsieve as sv

SHOWN = [
    ("L1", sv.L1(), 1.0, "0.35", "-"),
    ("MCP, gamma = 3", sv.MCP(3.0), 1.0, "tab:blue", "-"),
    ("SCAD, gamma = 3.7", sv.SCAD(3.7), 1.0, "tab:cyan", "--"),
    ("log-sum, theta = 1", sv.LogSum(1.0), 1.0, "tab:orange", "-"),
]

sizes = np.linspace(0.0, 5.0, 101)
x = np.array([[1.0], [-1.0]])  # one column of mean square 1
figure, ax = plt.subplots(figsize=(5.6, 4.4), layout="constrained")
ax.plot(sizes, sizes, color="0.8", lw=1)
for label, penalty, alpha, colour, style in SHOWN:
    fitted = [
        sv.SparseRegressor(penalty, alpha=alpha, fit_intercept=False).fit(x, x[:, 0] * z).coef_[0]
        for z in sizes
    ]
    ax.plot(sizes, fitted, style, color=colour, lw=1.8, label=label)
ax.set(xlabel="least-squares coefficient", ylabel="fitted coefficient", xlim=(0, 5), ylim=(-0.1, 5))
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()
