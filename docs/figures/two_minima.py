"""The figure of docs/starts.md: one objective with two minima, and which start ends in which.

Run ``python docs/figures/two_minima.py`` to draw it into ``docs/_static``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import sparsieve as sv

STATIC = Path(__file__).parents[1] / "_static"
PENALTY, ALPHA, TRUTH = sv.MCP(3.0), 0.15, np.array([2.0, 1.0])
COLOURS = {"previous": "tab:red", "lasso": "tab:blue"}


def data():
    """Return two columns of correlation 0.95 and mean square 1, and a response that needs both."""
    rng = np.random.default_rng(0)
    q, _ = np.linalg.qr(rng.standard_normal((100, 2)))
    X = 10.0 * np.column_stack([q[:, 0], 0.95 * q[:, 0] + np.sqrt(1 - 0.95**2) * q[:, 1]])
    return X, X @ TRUTH + 0.3 * rng.standard_normal(100)


def objective(X, y, w):
    """Return the objective at each row of w."""
    squares = ((y - w @ X.T) ** 2).mean(axis=-1)
    return squares / 2 + PENALTY.value(np.abs(w), ALPHA).sum(axis=-1)


def draw_plane(ax, X, y, paths, start):
    """Draw the objective over both coefficients, and where the two starts lead."""
    w1, w2 = np.linspace(-0.1, 3.4, 351), np.linspace(-0.35, 1.65, 201)
    plane = objective(X, y, np.stack(np.meshgrid(w1, w2), axis=-1))
    lowest = plane.min()
    levels = lowest + np.geomspace(2e-3, 3.0, 14)
    ax.contour(w1, w2, plane, levels=levels, colors="0.8", linewidths=0.7)
    ax.axhline(0.0, color="0.5", lw=0.8)
    walk = np.vstack([[0.0, 0.0], paths["previous"]])
    ax.plot(*walk.T, ".-", color=COLOURS["previous"], lw=1.2, ms=4)
    ax.plot(*walk[-1], "o", color=COLOURS["previous"], ms=9)
    end = paths["lasso"][-1]
    ax.plot(*start, "D", mfc="white", mec=COLOURS["lasso"], ms=8)
    ax.plot(*end, "o", color=COLOURS["lasso"], ms=9)
    ax.plot(*TRUTH, "*", color="black", ms=9, zorder=4)
    note = {"textcoords": "offset points", "fontsize": 9}
    ax.annotate("walk down from zero,\none dot per alpha", (1.2, 0.0), xytext=(0, 7),
                ha="center", color=COLOURS["previous"], **note)  # fmt: skip
    ax.annotate('"previous"\nends here', walk[-1], xytext=(0, -9), ha="center", va="top",
                color=COLOURS["previous"], **note)  # fmt: skip
    ax.annotate("the lasso that\nit starts from", start, xytext=(-8, -4), ha="right", va="top",
                color=COLOURS["lasso"], **note)  # fmt: skip
    ax.annotate('"lasso" ends here\n(star: truth)', end, xytext=(10, 4), ha="left",
                color=COLOURS["lasso"], **note)  # fmt: skip
    ax.set(xlabel="coefficient of column 1", ylabel="coefficient of column 2")
    ax.set_title("lines of equal objective", fontsize=10)


def draw_line(ax, X, y, paths):
    """Draw the objective along the straight line between both ends."""
    ends = [paths["previous"][-1], paths["lasso"][-1]]
    share = np.linspace(-0.15, 1.15, 400)[:, None]
    ax.plot(share, objective(X, y, (1 - share) * ends[0] + share * ends[1]), color="0.3", lw=1.5)
    for place, (name, w) in enumerate(zip(paths, ends, strict=True)):
        ax.plot(place, objective(X, y, w), "o", color=COLOURS[name], ms=9)
    ax.set_xticks([0, 1], ['"previous"', '"lasso"'])
    ax.set(xlabel="along the line between them", ylabel="objective")
    ax.set_title("a hill between two minima", fontsize=10)


def main():
    """Draw the figure."""
    X, y = data()
    options = {"fit_intercept": False, "eps": 0.02, "alphas": 30}
    alphas = sv.sparse_path(X, y, PENALTY, start="previous", **options).alphas
    options["alphas"] = [*alphas[alphas > ALPHA], ALPHA]
    paths = {}
    for name in ("previous", "lasso"):
        path = sv.sparse_path(X, y, PENALTY, start=name, **options)
        assert path.converged.all()
        assert path.convex.all()
        paths[name] = np.asarray(path.coefs).T
    # The lasso of slope 0.3 times that of the penalty at zero, which is alpha for MCP.
    start = sv.SparseRegressor("l1", alpha=0.3 * ALPHA, fit_intercept=False).fit(X, y).coef_
    figure, axes = plt.subplots(
        1, 2, figsize=(9, 3.7), width_ratios=[1.7, 1.0], layout="constrained"
    )
    draw_plane(axes[0], X, y, paths, start)
    draw_line(axes[1], X, y, paths)
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    for name, path in paths.items():
        print(name, path[-1].round(3), objective(X, y, path[-1]).round(4))
    figure.savefig(STATIC / "two_minima.png", dpi=105)


if __name__ == "__main__":
    main()
