"""Figures (needs matplotlib: ``pip install matplotlib``). Axes in, axes out.

Every function draws on the axes it is given, or on new ones, and returns them; none changes
matplotlib's settings or shows a window. Colours are those of Okabe and Ito, which people with any
kind of colour blindness can tell apart; lines that matter also differ in style or carry a name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from ._words import describe
from .data.scalars import check_integer, check_number
from .data.terms import check_terms
from .data.types import Floats
from .data.validation import check_X_y
from .inspect.choice import choice_of
from .inspect.convexity import convex_region
from .losses import is_squared, resolve_loss
from .penalties import Penalty, resolve_penalty
from .solve.path_data import PathData
from .solve.problem import Problem
from .solve.solvers import Solver

__all__ = [
    "plot_convergence",
    "plot_cv",
    "plot_ledger",
    "plot_path",
    "plot_penalty",
    "plot_surface",
]

# Okabe and Ito (2008), without the yellow that is too light on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_REST = "#B0B0B0"


def _axes(ax: Any, count: int = 1) -> Any:
    """Return the given axes, or new ones of a readable size."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    if ax is not None:
        given = np.atleast_1d(np.asarray(ax, dtype=object))
        if given.size != count:
            raise ValueError(
                f"this figure needs {count} axes, got {given.size}; pass None for new ones."
            )
        return ax
    if count == 1:
        return plt.subplots(figsize=(7.0, 4.5), layout="constrained")[1]
    return plt.subplots(1, count, figsize=(4.5 * count, 4.0), layout="constrained")[1]


def _dense(coefs: Any) -> Floats:
    return np.asarray(coefs.toarray() if hasattr(coefs, "toarray") else coefs, dtype=np.float64)


def _alpha_axis(ax: Any, alphas: Floats) -> None:
    """Make a logarithmic axis on which alpha decreases to the right, as along a path."""
    ax.set_xscale("log")
    left, right = float(np.max(alphas)), float(np.min(alphas))
    if left > right:
        ax.set_xlim(left, right)
        ticks = _alpha_ticks(ax, left, right)
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.set_xticks([], minor=True)
    ax.set_xlabel("alpha (decreasing)")


def _alpha_ticks(ax: Any, left: float, right: float) -> list[float]:
    """Return round alphas whose labels have room: decades first, then 5, 2 and 3, then others."""
    from matplotlib.ticker import MaxNLocator

    decades = [10.0**k for k in range(int(np.floor(np.log10(right))), int(np.log10(left)) + 2)]
    wanted = [digit * decade for digit in (1, 5, 2, 3, 7) for decade in decades]
    wanted += list(MaxNLocator(8).tick_values(right, left))
    wanted = [alpha for alpha in wanted if right <= alpha <= left]
    # A digit is 0.65 of the font's size wide; constrained layout may still make the axes narrower.
    points = 0.8 * ax.get_window_extent().width * 72.0 / ax.figure.dpi
    size = ax.xaxis.get_ticklabels(which="major")[0].get_fontsize() if wanted else 10.0
    longest = max((len(f"{alpha:g}") for alpha in wanted), default=1)
    apart = 0.65 * size * (longest + 1) / points * np.log(left / right)
    chosen: list[float] = []
    for alpha in wanted:
        if all(abs(np.log(alpha / other)) >= apart for other in chosen):
            chosen.append(float(alpha))
    return sorted(chosen)


def plot_path(path: PathData, ax: Any = None, *, n_names: int = 8) -> Any:
    """Draw the coefficients along a path.

    The features that end with the largest coefficients are coloured and named at the right. The
    background is shaded where the objective is not convex everywhere on the support, so that other
    local minima are possible there; ``path.convex`` is about the point itself, whether the
    objective curves upwards where it was found.

    Parameters
    ----------
    path : Path
    ax : matplotlib axes, default=None
    n_names : int, default=8
        How many features to name.

    Returns
    -------
    matplotlib axes
    """
    check_integer("n_names", n_names, low=0, remedy="use e.g. n_names=8")
    ax = _axes(ax)
    rows = np.unique(np.concatenate([point.columns for point in path.points]))
    coefs = _dense(path.coefs[rows, :])
    order = np.argsort(-np.abs(coefs[:, -1]), kind="stable") if rows.size else np.arange(0)
    leading = order[:n_names]
    for k in order[n_names:]:
        ax.plot(path.alphas, coefs[k], color=_REST, lw=0.8, zorder=1)
    styles = ("-", "--", ":")
    for rank, k in enumerate(leading):
        colour = COLOURS[rank % len(COLOURS)]
        style = styles[rank // len(COLOURS) % len(styles)]
        ax.plot(path.alphas, coefs[k], color=colour, ls=style, lw=1.8, zorder=2)
    ax.axhline(0.0, color="black", lw=0.6)
    _alpha_axis(ax, path.alphas)
    ax.set_ylabel("coefficient")
    _shade_not_convex(ax, path)
    labels = [_name(path.feature_names, int(rows[k])) for k in leading]
    colours = [COLOURS[rank % len(COLOURS)] for rank in range(len(leading))]
    _name_ends(ax, [float(coefs[k, -1]) for k in leading], labels, colours)
    ax.set_title(f"{describe(path.penalty)}: {int(path.support_size[-1])} features at the end")
    return ax


def _name(names: NDArray[Any] | None, column: int) -> str:
    text = f"feature {column}" if names is None else str(names[column])
    return text if len(text) <= 24 else f"{text[:21]}..."


def _name_ends(ax: Any, heights: list[float], labels: list[str], colours: list[str]) -> None:
    """Write names right of the axes at the lines' ends, moved apart so that none overlap."""
    if not labels:
        return
    low, high = ax.get_ylim()
    wanted = np.array([(height - low) / (high - low) for height in heights])
    apart = _moved_apart(wanted, step=0.055)
    for k, label in enumerate(labels):
        ax.annotate(
            label,
            xy=(1.0, wanted[k]),
            xytext=(1.04, apart[k]),
            xycoords="axes fraction",
            textcoords="axes fraction",
            color=colours[k],
            fontsize=9,
            va="center",
            ha="left",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colours[k],
                "lw": 0.7,
                "shrinkA": 0,
                "shrinkB": 0,
                "relpos": (0.0, 0.5),  # ends where the name begins, not behind it
            },
        )


def _moved_apart(wanted: Floats, step: float) -> Floats:
    """Return heights at least ``step`` apart, in [0, 1] if they fit, as near the wanted as can be.

    Without ``step`` times its rank each height must only not decrease: an isotonic regression.
    """
    order = np.argsort(wanted, kind="stable")
    offset = step * np.arange(wanted.size)
    highest = max(1.0 - float(offset[-1]), 0.0)
    moved = np.empty_like(wanted)
    moved[order] = offset + isotonic_regression(wanted[order] - offset, y_min=0.0, y_max=highest)
    return moved


def _shade_not_convex(ax: Any, path: PathData) -> None:
    """Shade the alphas at which the objective is not convex everywhere on the support."""
    bad = ~convex_region(path)
    if not np.any(bad):
        return
    first = int(np.argmax(bad))
    start = path.alphas[first] if first == 0 else np.sqrt(path.alphas[first - 1 : first + 1].prod())
    label = "not convex everywhere on the support: other minima possible"
    ax.axvspan(start, path.alphas[-1], color="#F0E442", alpha=0.35, lw=0, zorder=0, label=label)
    # Below the axes, where no line can run through it.
    ax.legend(loc="upper left", bbox_to_anchor=(0.0, -0.13), frameon=False, fontsize=9)


def plot_cv(model: Any, ax: Any = None) -> Any:
    """Draw the cross-validation curve of the chosen penalty, with min and 1se.

    Parameters
    ----------
    model : fitted SparseRegressorCV
    ax : matplotlib axes, default=None

    Returns
    -------
    matplotlib axes
    """
    ax = _axes(ax)
    table = model.cv_results_
    n_alphas = model.alphas_.shape[-1]
    row, at = divmod(model.min_index_, n_alphas)
    first = choice_of(model)._replace(row=row).at("1se")
    part = slice(row * n_alphas, (row + 1) * n_alphas)
    sign = -1.0 if model.scoring is None else 1.0
    mean, se = sign * table["mean_test_score"][part], table["se_test_score"][part]
    alphas = table["alpha"][part]
    # Nothing is drawn where a fold has no solution, but where alphas are stays.
    mean, se = np.where(np.isfinite(mean), mean, np.nan), np.where(np.isfinite(se), se, np.nan)
    ax.fill_between(
        alphas, mean - se, mean + se, color=COLOURS[4], alpha=0.35, lw=0, label="one standard error"
    )
    ax.plot(alphas, mean, color=COLOURS[0], lw=1.8, label="mean over folds")
    for k, style, name in ((at, "-", "min"), (first, "--", "1se")):
        chosen = ", chosen" if row * n_alphas + k == model.best_index_ else ""
        ax.axvline(
            alphas[k],
            color=COLOURS[1],
            ls=style,
            lw=1.3,
            label=f"{name}: alpha {alphas[k]:.3g}, {_features_at(model, row, k)}{chosen}",
        )
    _alpha_axis(ax, alphas)
    error = "mean squared error" if is_squared(model.path_.loss) else "mean deviance"
    ax.set_ylabel(error if model.scoring is None else f"score ({model.scoring})")
    ax.set_title(f"{describe(model.penalty_)}: {table_folds(table)} folds")
    _legend_below(ax)
    return ax


def _features_at(model: Any, row: int, k: int) -> str:
    """Return how many features the fit on all rows selects; the mean over folds if there is none.

    The path on all rows is that of the chosen penalty, and a limit may end it early.
    """
    n_alphas = model.alphas_.shape[-1]
    if row == model.best_index_ // n_alphas and k < len(model.path_):
        return f"{model.path_.support_size[k]} features"
    mean = model.cv_results_["mean_support_size"][row * n_alphas + k]
    return f"{mean:.3g} features in a fold on average"


def _legend_below(ax: Any) -> None:
    """Put the legend under the axes, where no line can run through it."""
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False, fontsize=9)


def table_folds(table: dict[str, Any]) -> int:
    """Return the number of folds in a table of results."""
    return sum(name.startswith("split") for name in table)


def plot_surface(surface: Any, ax: Any = None, *, values: Any = "support_size") -> Any:
    """Draw a quantity over alpha and shape as a heat map.

    Parameters
    ----------
    surface : Surface or fitted SparseRegressorCV
        For a cross-validation the mean score is drawn and the chosen point marked.
    ax : matplotlib axes, default=None
    values : str or array of shape (n_penalties, n_alphas), default="support_size"
        What to draw: an attribute of :class:`Path` with one number per alpha, or the numbers.

    Returns
    -------
    matplotlib axes
    """
    ax = _axes(ax)
    mark = None
    if hasattr(surface, "cv_results_"):
        alphas = np.atleast_2d(surface.alphas_)
        numbers = surface.cv_results_["mean_test_score"].reshape(alphas.shape)
        every = surface.cv_results_["penalty"].reshape(alphas.shape)[:, 0]
        error = "mean squared error" if is_squared(surface.path_.loss) else "mean deviance"
        label = error if surface.scoring is None else f"score ({surface.scoring})"
        numbers = -numbers if surface.scoring is None else numbers
        mark = divmod(surface.best_index_, alphas.shape[1])
    else:
        alphas, every = surface.grid("alphas"), surface.penalties
        label = values.replace("_", " ") if isinstance(values, str) else "value"
        numbers = surface.grid(values) if isinstance(values, str) else np.asarray(values)
    if numbers.shape != alphas.shape:
        raise ValueError(
            f"values has shape {numbers.shape}, the surface {alphas.shape}; pass one number per "
            "penalty and alpha."
        )
    fraction = alphas / alphas[:, :1]
    same = bool(np.nanmax(np.ptp(fraction, axis=0)) <= 1e-9)
    image = ax.imshow(
        np.ma.masked_invalid(numbers),
        aspect="auto",
        cmap="viridis",
        interpolation="nearest",
        origin="upper",
    )
    ax.set_facecolor("#E5E5E5")  # where a path ended early
    _surface_ticks(ax, alphas, fraction, same, every)
    ax.figure.colorbar(image, ax=ax, label=label)
    if mark is not None:
        ax.plot(mark[1], mark[0], marker="o", ms=10, mfc="none", mec="white", mew=2.5)
        ax.plot(mark[1], mark[0], marker="o", ms=10, mfc="none", mec="#D55E00", mew=1.2)
        ax.set_title(f"chosen: {describe(every[mark[0]])}, alpha {alphas[mark]:.3g}")
    return ax


def _surface_ticks(ax: Any, alphas: Floats, fraction: Floats, same: bool, every: Any) -> None:
    """Label columns by alpha (relative when the shapes' grids differ), rows by shape."""
    n_alphas = alphas.shape[1]
    ticks = np.unique(np.linspace(0, n_alphas - 1, min(6, n_alphas)).round().astype(int))
    shared = bool(np.nanmax(np.ptp(alphas, axis=0)) <= 1e-9 * float(np.nanmax(alphas)))
    # Paths may have ended early: the longest has all alphas.
    longest = int(np.argmax(np.sum(np.isfinite(alphas), axis=1)))
    shown = alphas[longest] if shared else fraction[longest]
    words = [f"{shown[k]:.2g}" for k in ticks] if shared or same else [str(k) for k in ticks]
    ax.set_xticks(ticks, words)
    ax.set_xlabel("alpha" if shared else "alpha / largest alpha" if same else "place on the grid")
    ax.set_yticks(range(len(every)), [describe(penalty) for penalty in every])


def plot_ledger(path: PathData, ax: Any = None) -> Any:
    """Draw who was discarded when, and by which rule.

    At each alpha every feature is in the model, in the working set, discarded by reading its
    correlation, by a bound from the 8-bit copy of X, or by a bound alone, without reading anything.

    Parameters
    ----------
    path : Path
    ax : matplotlib axes, default=None

    Returns
    -------
    matplotlib axes
    """
    ax = _axes(ax)
    n_features = path.coefs.shape[0]
    bound = np.array([point.settled_by_bound for point in path.points], dtype=float)
    read = np.array([point.settled_by_reading for point in path.points], dtype=float)
    shadow = np.array([point.settled_by_shadow for point in path.points], dtype=float)
    selected = path.support_size.astype(float)
    working = np.maximum(n_features - bound - read - shadow - selected, 0.0)
    layers = (
        ("selected", selected, COLOURS[0], None),
        ("working set, zero", working, COLOURS[4], "//"),
        ("discarded by its correlation", read, COLOURS[5], ".."),
        ("discarded by the 8-bit copy of X", shadow, COLOURS[3], None),
        ("discarded by a bound, not read", bound, "#E5E5E5", None),
    )
    below = np.zeros(len(path))
    for name, count, colour, hatch in layers:
        ax.fill_between(
            path.alphas,
            below,
            below + count,
            facecolor=colour,
            hatch=hatch,
            lw=0,
            step="mid",
            label=name,
            edgecolor="white",
        )
        below = below + count
    _alpha_axis(ax, path.alphas)
    # Linear up to one feature, logarithmic beyond: a handful selected shows beside thousands.
    ax.set_yscale("symlog", linthresh=1.0)
    ax.set_ylim(0.0, n_features)
    ax.set_ylabel("features (logarithmic)")
    ax.set_title(f"{describe(path.penalty)}: {path.passes.sum():.3g} passes over X in all")
    _legend_below(ax)
    return ax


def plot_penalty(penalties: Any, ax: Any = None, *, alpha: float = 1.0, upto: float = 5.0) -> Any:
    """Draw penalties and their slopes side by side.

    Parameters
    ----------
    penalties : str, Penalty or list of them
    ax : two matplotlib axes, default=None
    alpha : float, default=1.0
    upto : float, default=5.0
        Largest size of a coefficient, in units of alpha.

    Returns
    -------
    array of two matplotlib axes
    """
    check_number("alpha", alpha, remedy="use e.g. alpha=1.0")
    check_number("upto", upto, remedy="use e.g. upto=5.0")
    several = isinstance(penalties, list | tuple)
    every: list[Penalty] = [resolve_penalty(p) for p in (penalties if several else [penalties])]
    axes = _axes(ax, 2)
    size = np.linspace(0.0, upto * alpha, 400)
    styles = ("-", "--", "-.", ":")
    for k, penalty in enumerate(every):
        look = {"color": COLOURS[k % len(COLOURS)], "ls": styles[k % len(styles)], "lw": 1.8}
        axes[0].plot(size, penalty.value(size, alpha), label=describe(penalty), **look)
        axes[1].plot(size, penalty.slope(size, alpha), label=describe(penalty), **look)
    axes[0].set(xlabel="|coefficient|", ylabel="penalty", title=f"penalty, alpha = {alpha:g}")
    axes[1].set(xlabel="|coefficient|", ylabel="slope", title="slope = l1 weight of the next round")
    for each in axes:
        each.set_xlim(0.0, upto * alpha)
        each.set_ylim(bottom=0.0)
    _legend_below(axes[0])
    return axes


def plot_convergence(
    X: Any,
    y: Any,
    penalty: str | Penalty = "mcp",
    *,
    alpha: float,
    ax: Any = None,
    tol: float = 1e-10,
    max_iter: int = 1000,
    **options: Any,
) -> Any:
    """Draw violation and surrogate gap along majorisation-minimisation, from zero.

    Parameters
    ----------
    X, y, penalty
        As in :func:`sparse_path`.
    alpha : float
    ax : matplotlib axes, default=None
    tol : float, default=1e-10
        Where to stop.
    max_iter : int, default=1000
        Largest number of reweightings.
    **options
        ``fit_intercept``, ``sample_weight``, ``weights``, ``positive``, ``standardize``,
        ``l1_ratio``, ``ridge``, ``bounds``, ``loss`` and ``offset`` of :func:`sparse_path`.

    Returns
    -------
    matplotlib axes
    """
    check_integer("max_iter", max_iter, low=1, remedy="use e.g. max_iter=1000")
    fit_intercept = options.pop("fit_intercept", True)
    loss = resolve_loss(options.pop("loss", "squared"))
    named = ("sample_weight", "weights", "offset")
    of_data = {key: options.pop(key) for key in named if key in options}
    data = check_X_y(X, y, **of_data)
    terms = check_terms(data.X.shape[1], data.feature_names, **options)
    problem = Problem(data, fit_intercept=fit_intercept, terms=terms, loss=loss)
    solver = Solver(problem, resolve_penalty(penalty))
    kkt, gap = [], []
    for _ in range(max_iter):  # one reweighting at a time, each from where the last ended
        point = solver.solve(float(alpha), tol, 1)
        kkt.append(point.kkt)
        gap.append(max(point.dual_gap, 0.0) / max(abs(point.objective), np.finfo(float).tiny))
        if point.status in ("CONVERGED", "STALLED", "UNCERTAIN"):
            break
    ax = _axes(ax)
    steps = np.arange(1, len(kkt) + 1)
    floor = 1e-17
    lines = (
        (kkt, "violation / slope(0)", {"color": COLOURS[0], "marker": "o"}),
        (gap, "gap of the surrogate / objective", {"color": COLOURS[1], "marker": "s", "ls": "--"}),
    )
    for numbers, name, look in lines:
        ax.semilogy(steps, np.maximum(numbers, floor), ms=4, lw=1.6, label=name, **look)
    ax.axhline(tol, color="black", lw=0.8, ls=":", label=f"tol = {tol:g}")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="reweightings", ylabel="relative size")
    ax.set_title(f"{describe(resolve_penalty(penalty))}, alpha = {alpha:.3g}")
    ax.legend(frameon=False, fontsize=9)
    return ax
