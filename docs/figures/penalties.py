"""Value and slope of every penalty, side by side."""

import matplotlib.pyplot as plt
import numpy as np

import sparsieve as sv

# Strengths are chosen so that the slope at zero is 1 for all: only then do shapes compare.
SHOWN = [
    ("L1", sv.L1(), 1.0, "0.35", "-"),
    ("MCP, gamma = 3", sv.MCP(3.0), 1.0, "tab:blue", "-"),
    ("SCAD, gamma = 3.7", sv.SCAD(3.7), 1.0, "tab:cyan", "--"),
    ("log-sum, theta = 0.5", sv.LogSum(0.5), 0.5, "tab:orange", "-"),
    ("capped l1, theta = 2", sv.CappedL1(2.0), 1.0, "tab:green", "-."),
    ("lq, q = 0.5, eps = 0.1", sv.Lq(0.5, 0.1), 2 * 0.1**0.5, "tab:red", ":"),
]

t = np.linspace(0.0, 4.5, 1801)
figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.0), layout="constrained")
for label, penalty, alpha, colour, style in SHOWN:
    axes[0].plot(t, penalty.value(t, alpha), style, color=colour, lw=1.8, label=label)
    axes[1].plot(t, penalty.slope(t, alpha), style, color=colour, lw=1.8, label=label)
axes[0].set(title="value: what a coefficient costs", xlabel="|w|", ylim=(0, 4.5), xlim=(0, 4.5))
axes[1].set(title="slope: how hard it is pulled", xlabel="|w|", ylim=(-0.02, 1.08), xlim=(0, 4.5))
axes[0].legend(frameon=False)
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
