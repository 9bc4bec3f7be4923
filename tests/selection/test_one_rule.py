"""One rule chooses penalty and alpha: what model, plots, report and command line say agrees."""

import json
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import sparsieve as sv
from sparsieve import plots
from sparsieve.cli import main
from sparsieve.inspect.choice import choose
from sparsieve.report.curves import curves_of
from sparsieve.report.tracks import read_story

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

# The last three are one penalty where no coefficient leaves the concave part, or nearly so.
PENALTIES = ["l1", sv.MCP(3.0), sv.MCP(3.0 + 1e-9), sv.MCP(2.0), sv.SCAD(1e9)]


def tied_problem(seed):
    """Return a problem of small integers with repeated columns: criteria tie, exactly or nearly."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(30, 8)).astype(float)
    X = np.hstack([X, X[:, :4]])
    y = 3.0 * X[:, 0] - 2.0 * X[:, 5] + (rng.integers(-1, 2, size=30) if seed % 3 else 0.0)
    return X, np.asarray(y, dtype=float)


def shuffled(seed):
    return [PENALTIES[k] for k in np.random.default_rng(seed).permutation(len(PENALTIES))]


def page_data(model):
    return data_of(model.to_html())


def data_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


def check_report(model, best):
    """Assert that curves, story and page mark what the model chose, and its best score."""
    row, at = divmod(model.best_index_, model.path_grid_size)
    curves = curves_of(model)
    assert [k for k, curve in enumerate(curves) if curve.chosen is not None] == [row]
    assert curves[row].chosen == at
    assert curves[row].alphas[at] == model.alpha_
    assert curves[row].best == best
    story = read_story(model)
    assert story.tracks[0].curve == row
    assert story.tracks[0].alphas[story.choices[0].alpha] == model.alpha_
    data = page_data(model)
    assert data["curves"][row]["chosen"] == at
    assert data["tracks"][0]["curve"] == row


class GridSize:
    """Number of alphas of each penalty, for the tests."""

    @property
    def path_grid_size(self):
        return np.atleast_2d(self.alphas_).shape[1]


class IC(GridSize, sv.SparseRegressorIC):
    pass


class CV(GridSize, sv.SparseRegressorCV):
    pass


@pytest.mark.parametrize("seed", range(30))
def test_criteria_that_tie_are_marked_as_the_model_chose(seed):
    X, y = tied_problem(seed)
    criterion = ("aic", "bic", "ebic", "hbic")[seed % 4]
    model = IC(shuffled(seed), criterion=criterion, alphas=25, eps=0.01).fit(X, y)
    row, at = divmod(model.best_index_, 25)
    assert model.alphas_[row, at] == model.alpha_
    assert model.path_.penalty is model.penalty_
    check_report(model, best=at)


@pytest.mark.parametrize("rule", ["min", "1se"])
@pytest.mark.parametrize("seed", range(8))
def test_scores_that_tie_are_marked_as_the_model_chose(seed, rule):
    X, y = tied_problem(seed)
    scoring = (None, "r2")[seed % 2]
    model = CV(shuffled(seed), alphas=15, eps=0.01, cv=3, rule=rule, scoring=scoring).fit(X, y)
    check_report(model, best=model.min_index_ % 15)
    row = model.best_index_ // 15
    if rule == "1se":
        assert curves_of(model)[row].one_se == model.best_index_ % 15
    assert model.cv_results_["rank_test_score"][model.min_index_] == 1
    lines = {line.get_label(): line.get_xdata()[0] for line in plots.plot_cv(model).lines[1:]}
    chosen = [alpha for label, alpha in lines.items() if "chosen" in label]
    assert set(chosen) == {model.alpha_}
    mark = plots.plot_surface(model).lines[0]
    assert (mark.get_ydata()[0], mark.get_xdata()[0]) == divmod(model.best_index_, 15)
    plt.close("all")


@pytest.mark.parametrize("select", ["bic", "cv"])
@pytest.mark.parametrize("seed", [0, 3, 4])
def test_the_command_line_marks_what_its_model_chose(seed, select, tmp_path, monkeypatch, capsys):
    X, y = tied_problem(seed)
    monkeypatch.chdir(tmp_path)
    header = ",".join([*(f"x{j}" for j in range(X.shape[1])), "y"])
    np.savetxt("t.csv", np.column_stack([X, y]), delimiter=",", header=header, comments="")
    penalties = "l1,mcp:gamma=3,mcp:gamma=3.000000001,mcp:gamma=2"
    with pytest.raises(SystemExit, match="0"):
        main(["fit", "t.csv", "-t", "y", "-p", penalties, "-s", select, "--alphas", "15"])
    model, page = sv.load_model("t.model.json"), data_of(Path("t.report.html").read_text())
    assert f"alpha {model.alpha_:.6g}" in capsys.readouterr().out
    (row,) = [k for k, curve in enumerate(page["curves"]) if curve["chosen"] is not None]
    curve = page["curves"][row]
    assert curve["alphas"][curve["chosen"]] == model.regressor.alpha_
    assert curve["name"].startswith(type(model.penalty_).__name__)
    assert page["tracks"][0]["curve"] == row


def test_a_model_from_a_file_without_ties_is_still_drawn():
    X, y = tied_problem(1)
    model = IC(shuffled(1), alphas=25, eps=0.01).fit(X, y)
    del model.best_index_, model.tie_
    (chosen,) = [curve for curve in curves_of(model) if curve.chosen is not None]
    assert chosen.mean[chosen.chosen] == model.criterion_.min()


def test_the_rule():
    scores = np.array([[1.0, 4.0, 5.0 - 1e-9, 5.0], [2.0, 5.0, 5.0 + 1e-9, 0.0]])
    choice = choose(scores, tie=1e-6)
    assert choice.row == 0  # the first penalty of those that tie
    assert choice.best.tolist() == [2, 1]  # the largest alpha of those that tie
    assert choice.one_se is None
    strict = choose(scores, tie=0.0)
    assert strict.row == 1
    assert strict.best.tolist() == [3, 2]
    spread = choose(scores, tie=1e-6, errors=np.full((2, 4), 1.0))
    assert spread.one_se.tolist() == [1, 1]


def test_the_best_of_the_chosen_penalty_is_within_a_tie_of_the_best_of_all():
    scores = np.array([[0.0, 3.0, 4.0], [0.0, 0.0, 4.5]])
    choice = choose(scores, tie=1.0)
    assert (choice.row, choice.best.tolist()) == (0, [2, 2])
