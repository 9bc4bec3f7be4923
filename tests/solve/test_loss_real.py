"""Losses on real data: every point of a default path is certified, or has provably no solution."""

import numpy as np
import pytest
from real_data import load
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from tolerances import JUDGED_KKT, SEPARATING_SUM

import sparsieve as sv

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("error")]

CLASSES = ("colon", "leukemia", "prostate_singh", "arcene", "newsgroup", "w8a")
COUNTS = ("physician_poisson", "bike_poisson", "newsgroup_counts")


class Geman:
    """A user's own penalty."""

    def value(self, abs_w, alpha):
        return alpha * abs_w / (abs_w + 0.5)

    def slope(self, abs_w, alpha):
        return alpha * 0.5 / (abs_w + 0.5) ** 2


def problem(name, loss):
    """Return standardised columns and the response that the loss is for."""
    X, y = load(name, True)
    if name == "newsgroup_counts":  # the most frequent word from the others
        counts, _ = load(name, False)
        word = int(np.argmax(np.asarray(counts.sum(axis=0)).ravel()))
        others = np.delete(np.arange(X.shape[1]), word)
        return sparse.csc_matrix(X[:, others]), counts[:, [word]].toarray().ravel()
    if loss == "logistic":
        return X, (y > 0).astype(float)
    if isinstance(loss, sv.Huber):
        y = y.copy()
        y[::10] += 20.0 * y.std()
    return X, y


def check_separated(X, y, loss, penalty, path):
    """Check that the alpha after an automatic grid has no solution: its direction proves it."""
    if len(path) > 1:
        step, further = path.alphas[-1] / path.alphas[-2], 1
    else:  # one step later it may be: the search for the first alpha has solved others before
        last = 1e-3 * sv.alpha_max(X, y, penalty, loss=loss)
        step, further = (last / path.alphas[0]) ** (1 / 99), 2
    alphas = [*path.alphas, *(path.alphas[-1] * step ** np.arange(1, further + 1))]
    with pytest.warns(ConvergenceWarning, match="separated"):
        longer = sv.sparse_path(X, y, penalty, loss=loss, alphas=alphas)
    way = next(point.direction for point in longer.points if point.status == "SEPARATED")
    terms = np.abs(X[:, way.columns]) @ np.abs(way.values) + abs(way.intercept)
    margins = X[:, way.columns] @ way.values + way.intercept
    if loss == "logistic":  # no row goes to the wrong side
        margins = np.where(y > 0, -margins, margins)
    else:  # rows with counts stay where they are
        assert np.all(np.abs(margins[y > 0]) <= SEPARATING_SUM * terms[y > 0])
    assert np.all(margins <= SEPARATING_SUM * terms)
    assert np.any(margins < -SEPARATING_SUM * terms)


def check(name, loss, penalty):
    X, y = problem(name, loss)
    path = sv.sparse_path(X, y, penalty, loss=loss)
    assert len(path) > 1 or path.ended == "separated"
    for k, point in enumerate(path.points):
        assert path.converged[k]
        kkt = sv.kkt_violation(
            X, y, path.coef_at(point.alpha), point.intercept, penalty=penalty, alpha=point.alpha,
            loss=loss, fit_intercept=True,
        )  # fmt: skip
        assert kkt <= JUDGED_KKT
        assert point.dual_gap >= 0.0
    if path.ended == "separated":
        check_separated(X, y, loss, penalty, path)


every_penalty = pytest.mark.parametrize(
    "penalty",
    ["l1", "mcp", "scad", "logsum", Geman()],
    ids=["l1", "mcp", "scad", "logsum", "own"],
)


@every_penalty
@pytest.mark.parametrize("name", CLASSES)
def test_every_point_of_real_classes_is_certified(name, penalty):
    check(name, "logistic", penalty)


@every_penalty
@pytest.mark.parametrize("loss", ["poisson", sv.NegativeBinomial(theta=2.0)], ids=["poisson", "nb"])
@pytest.mark.parametrize("name", COUNTS)
def test_every_point_of_real_counts_is_certified(name, loss, penalty):
    check(name, loss, penalty)


@every_penalty
def test_every_point_with_outliers_is_certified(penalty):
    check("riboflavin", sv.Huber(delta=0.5), penalty)
