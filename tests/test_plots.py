"""Plots: axes in, axes out, what they draw, and that nothing overlaps."""

import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from problems import toy

import sparsieve as sv
from sparsieve import plots
from sparsieve.inspect.convexity import convex_region
from sparsieve.penalties import largest_concavity

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def problem():
    X, y, _ = toy(n_samples=60, n_features=40, n_active=6, noise=0.5, seed=1)
    return pd.DataFrame(X, columns=[f"gene_{j}" for j in range(40)]), y


@pytest.fixture(scope="module")
def path(problem):
    return sv.sparse_path(*problem, sv.MCP(0.8), alphas=30, eps=0.01)


@pytest.fixture(scope="module")
def model(problem):
    return sv.SparseRegressorCV(["l1", sv.MCP(2.0)], alphas=20, cv=3, rule="1se").fit(*problem)


def texts_apart(ax):
    """Tell whether no two annotations of the axes overlap once drawn."""
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    return not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[k + 1 :])


@pytest.mark.parametrize("seed", range(5))
def test_names_are_moved_apart_and_not_far(seed):
    rng = np.random.default_rng(seed)
    wanted = np.r_[rng.uniform(0.0, 1.0, 6), 0.5 + 0.001 * rng.normal(size=6)]
    placed = plots._moved_apart(wanted, step=0.05)
    np.testing.assert_array_equal(np.argsort(placed), np.argsort(wanted))
    rounding = 1e-12  # sums of numbers below 1
    assert np.diff(np.sort(placed)).min() >= 0.05 - rounding
    assert placed.min() >= 0.0
    assert placed.max() <= 1.0 + rounding
    # Moving the whole crowd up or down would not bring it nearer.
    crowd = placed[6:] - wanted[6:]
    assert abs(crowd.mean()) <= 0.3
    lonely = plots._moved_apart(np.array([0.2, 0.8]), step=0.05)
    np.testing.assert_allclose(lonely, [0.2, 0.8], rtol=rounding)


def test_path_names_the_leading_features(path):
    ax = path.plot(n_names=6)
    end = path.coef_at(path.alphas[-1])
    leading = np.argsort(-np.abs(end), kind="stable")[:6]
    assert {text.get_text() for text in ax.texts} == {f"gene_{j}" for j in leading}
    assert texts_apart(ax)
    left, right = ax.get_xlim()
    assert left > right


def test_path_shades_where_it_is_not_convex(problem):
    X, y = problem
    path = sv.sparse_path(X, y, sv.MCP(2.0), alphas=30, eps=1e-3)
    region = convex_region(path)
    assert region[0]
    assert not region[-1]  # the test has something to see
    ax = path.plot()
    left, right = ax.patches[0].get_xy()[0], ax.patches[0].get_xy()[0] + ax.patches[0].get_width()
    first = int(np.argmin(region))
    assert path.alphas[first] <= max(left, right) <= path.alphas[first - 1]
    assert not sv.sparse_path(X, y, "l1", alphas=5).plot().patches


def test_convex_region_is_where_the_data_outweigh_the_penalty(problem):
    X, y = problem
    X = X.to_numpy()
    path = sv.sparse_path(X, y, sv.MCP(2.0), alphas=30, eps=1e-3)
    for k, holds in enumerate(convex_region(path)):
        centred = X[:, path.points[k].columns] - X[:, path.points[k].columns].mean(0)
        if centred.shape[1]:
            smallest = np.linalg.svd(centred, compute_uv=False)[-1] ** 2 / 60
            smallest = smallest if centred.shape[1] <= 60 else 0.0
            assert (smallest > 0.5) == holds or not convex_region(path)[: k + 1].all()


@pytest.mark.parametrize(
    "penalty", [sv.MCP(1.7), sv.SCAD(3.1), sv.LogSum(0.3), sv.Lq(0.4, 0.05), sv.L1()]
)
def test_largest_concavity_is_the_steepest_fall_of_the_slope(penalty):
    t = np.linspace(0.0, 5.0, 400_001)
    slope = penalty.slope(t, 0.7)
    steepest = np.max(-np.diff(slope) / np.diff(t))
    # One-sided differences of step 1.25e-5 of a smooth slope: relative error of the order of
    # step / shape.
    assert largest_concavity(penalty, 0.7) == pytest.approx(steepest, rel=1e-3, abs=1e-9)


def test_kinks_are_very_concave():
    assert largest_concavity(sv.CappedL1(1.0), 0.5) > 50.0


def test_axes_in_axes_out(path, model, problem):
    _, axes = plt.subplots(1, 2)
    assert path.plot(ax=axes[0]) is axes[0]
    assert plots.plot_ledger(path, ax=axes[1]) is axes[1]
    _, axes = plt.subplots(1, 2)
    assert plots.plot_penalty("mcp", ax=axes) is axes
    with pytest.raises(ValueError, match="needs 2 axes, got 1"):
        plots.plot_penalty("mcp", ax=axes[0])
    ax = plots.plot_cv(model)
    assert plots.plot_cv(model, ax=ax) is ax


def test_cv_curve_marks_min_and_1se(model):
    ax = plots.plot_cv(model)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert any(label.startswith("min: alpha") for label in labels)
    chosen = [label for label in labels if label.endswith("chosen")]
    assert len(chosen) == 1
    assert chosen[0].startswith("1se")
    assert f"{model.alpha_:.3g}" in chosen[0]
    assert ax.get_ylabel() == "mean squared error"
    ax.figure.canvas.draw()
    assert not ax.get_legend().get_window_extent().overlaps(ax.get_window_extent())


def test_surface_of_a_cross_validation_marks_the_choice(model):
    ax = plots.plot_surface(model)
    x, y = ax.lines[0].get_xdata(), ax.lines[0].get_ydata()
    assert (int(y[0]), int(x[0])) == divmod(model.best_index_, 20)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["L1()", "MCP(gamma=2)"]


def test_surface_of_classes_has_the_deviance(problem):
    X, y = problem
    model = sv.SparseClassifierCV(["l1", "mcp"], alphas=4, eps=0.2, cv=3).fit(X, y > np.median(y))
    ax = plots.plot_surface(model.estimators_[0])
    assert "mean deviance" in {other.get_ylabel() for other in ax.figure.axes}


def test_surface(problem):
    surface = sv.sparse_surface(
        *problem, "logsum", alphas=10, start="previous", minimum="stationary"
    )
    ax = surface.plot()
    assert ax.get_xlabel() == "alpha / largest alpha"
    drawn = ax.images[0].get_array()
    np.testing.assert_array_equal(drawn, surface.grid("support_size"))
    again = surface.plot(values=surface.grid("r2"))
    np.testing.assert_array_equal(again.images[0].get_array(), surface.grid("r2"))
    # From a lasso each shape begins at an alpha of its own: no common scale.
    apart = sv.sparse_surface(*problem, "logsum", alphas=10)
    assert apart.plot().get_xlabel() == "place on the grid"
    with pytest.raises(ValueError, match="values has shape"):
        surface.plot(values=np.zeros((2, 2)))
    same = sv.sparse_surface(*problem, "mcp", alphas=[1.0, 0.5], shapes=[5.0, 3.0])
    assert same.plot().get_xlabel() == "alpha"
    short = sv.sparse_surface(*problem, ["mcp", "l1"], alphas=20, max_support=5)
    ticks = [label.get_text() for label in short.plot().get_xticklabels()]
    assert "nan" not in ticks


def test_ledger_counts_every_feature(path):
    ax = plots.plot_ledger(path)
    assert ax.get_ylim() == (0.0, 40.0)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[0] == "selected"
    assert len(labels) == 5
    top = ax.collections[-1].get_paths()[0].vertices[:, 1].max()
    assert top == 40.0


def test_penalty_and_slope(path):
    axes = plots.plot_penalty(["l1", sv.MCP(2.0)], alpha=0.5)
    t, slope = axes[1].lines[1].get_data()
    np.testing.assert_array_equal(slope, sv.MCP(2.0).slope(t, 0.5))
    t, value = axes[0].lines[1].get_data()
    np.testing.assert_array_equal(value, sv.MCP(2.0).value(t, 0.5))


def test_convergence_ends_below_tol(problem):
    ax = plots.plot_convergence(*problem, sv.LogSum(0.5), alpha=0.05, fit_intercept=True)
    kkt = ax.lines[0].get_ydata()
    assert kkt[-1] <= 1e-10
    assert kkt[0] > 1e-10


def test_alphas_within_a_decade_are_plain_numbers(problem):
    ax = sv.sparse_path(*problem, alphas=[2.0, 1.5, 1.0]).plot()
    ax.figure.canvas.draw()
    words = [label.get_text() for label in ax.get_xticklabels(which="both")]
    assert [float(word) for word in words if word]


def test_long_names_are_cut(problem):
    X, y = problem
    renamed = X.rename(columns=lambda name: name + "_with_a_very_long_name_indeed")
    ax = sv.sparse_path(renamed, y, alphas=5).plot(n_names=2)
    assert all(len(text.get_text()) <= 24 for text in ax.texts)


def test_a_path_of_nothing(problem):
    X, y = problem
    empty = sv.sparse_path(X, y, alphas=[100.0])
    assert not empty.plot().texts
    plots.plot_ledger(empty)


def test_missing_matplotlib_is_explained(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="plots need matplotlib: pip install matplotlib"):
        path.plot()


def test_bad_numbers(path):
    with pytest.raises(ValueError, match="n_names must be"):
        path.plot(n_names=-1)
    with pytest.raises(ValueError, match="upto must be"):
        plots.plot_penalty("mcp", upto=0.0)


def overlapping(ax):
    """Return pairs of tick labels on the x axis that overlap as they are drawn."""
    ax.figure.canvas.draw()
    labels = [*ax.get_xticklabels(), *ax.get_xticklabels(minor=True)]
    boxes = sorted(
        (box.x0, box.x1, label.get_text())
        for label in labels
        if label.get_text() and label.get_visible()
        for box in [label.get_window_extent()]
    )
    return [(a[2], b[2]) for a, b in pairwise(boxes) if a[1] >= b[0]], len(boxes)


@pytest.mark.parametrize("largest", [2.3, 9.7e-5, 6e8])
@pytest.mark.parametrize("ratio", [0.99, 0.5, 0.12, 0.05, 1e-12])
@pytest.mark.parametrize("width", [7.0, 3.0])
def test_labels_of_alphas_do_not_overlap(largest, ratio, width):
    ax = plt.subplots(figsize=(width, 3.0), layout="constrained")[1]
    plots._alpha_axis(ax, largest * np.geomspace(1.0, ratio, 5))
    overlaps, count = overlapping(ax)
    assert not overlaps
    assert count >= (2 if width == 7.0 else 1)


def test_labels_of_paths_and_cross_validations_do_not_overlap(problem):
    X, y = problem
    for eps in (0.5, 0.12, 0.05):
        path = sv.sparse_path(X, y, "mcp", alphas=10, eps=eps)
        model = sv.SparseRegressorCV("mcp", alphas=10, eps=eps, cv=3).fit(X, y)
        for ax in (path.plot(), plots.plot_ledger(path), plots.plot_cv(model)):
            assert not overlapping(ax)[0]


@pytest.mark.parametrize("rule", ["min", "1se"])
def test_cv_counts_the_features_of_the_fit_on_all_rows(rule):
    X, y, _ = sv.datasets.make_toy(60, 80, 6, noise=3.0, random_state=3)
    model = sv.SparseRegressorCV("l1", alphas=30, eps=0.05, rule=rule).fit(X, y)
    assert model.min_index_ > model.best_index_ or rule == "min"
    mean = model.cv_results_["mean_support_size"]
    labels = [text.get_text() for text in plots.plot_cv(model).get_legend().get_texts()]
    chosen = next(label for label in labels if label.endswith("chosen"))
    assert f", {np.count_nonzero(model.coef_)} features" in chosen
    assert round(mean[model.best_index_]) != np.count_nonzero(model.coef_)  # what was said before
    for label in labels[2:]:
        alpha = float(label.partition("alpha ")[2].partition(",")[0])
        refit = sv.sparse_path(X, y, "l1", alphas=model.alphas_[model.alphas_ >= 0.99 * alpha])
        size = refit.support_size[-1]
        assert f", {size} features" in label or "in a fold on average" in label
