"""Sample weights of any size mean the same: only their ratios count."""

import math

import numpy as np
import pytest
from problems import toy
from tolerances import ANY_WEIGHTS, REORDERED_SUM

import sparsieve as sv
from sparsieve.data.sample_weights import in_range, normalised

X, y, _ = toy(n_samples=40, n_features=12, n_active=3, noise=0.5, seed=3)
# At most one: weights whose sum is larger than the rows count repetitions for criteria.
WEIGHTS = np.random.default_rng(0).uniform(0.2, 1.0, 40)
WEIGHTS[0] = 1.0
SIZES = (1e308, 1e-308, 1.5e300, 3e-200)


def regressor(weight):
    model = sv.SparseRegressor("mcp", 0.1, relax=True).fit(X, y, weight)
    return np.r_[model.coef_, model.intercept_, model.objective_]


def path(weight):
    return sv.sparse_path(X, y, "mcp", alphas=10, sample_weight=weight)


def numbers(path):
    ends = [np.r_[point.alpha, point.objective, point.intercept, point.r2] for point in path.points]
    return np.r_[np.concatenate(ends), np.concatenate([path.coef_at(a) for a in path.alphas])]


def cross_validation(weight, **options):
    model = sv.SparseRegressorCV(["l1", "mcp"], alphas=10, eps=0.05, **options).fit(X, y, weight)
    scores = [model.cv_results_[name] for name in ("mean_test_score", "se_test_score")]
    return np.r_[model.coef_, model.intercept_, model.best_index_, np.ravel(scores)]


def repeated_rows(weight):
    folds = [(np.r_[0:30, 0:30], np.arange(30, 40)), (np.r_[10:40, 10:20], np.arange(10))]
    return cross_validation(weight, cv=folds, relax=True)


def criterion(weight):
    model = sv.SparseRegressorIC(["l1", "mcp"], alphas=10, relax=True).fit(X, y, weight)
    return np.r_[model.coef_, model.intercept_, np.ravel(model.criterion_), model.noise_variance_]


def surface(weight):
    family = sv.sparse_surface(X, y, "mcp", alphas=6, sample_weight=weight)
    return np.concatenate([numbers(one) for one in family])


def explained(weight):
    explanation = path(weight).explain(2)
    return np.r_[explanation.correlation, explanation.threshold, explanation.bound[1:]]


def minima(weight):
    found = sv.local_minima(X, y, "mcp", alpha=0.1, sample_weight=weight, random_state=0)
    return np.sort(found.objective)


def stability(weight):
    return sv.stability_selection(
        X, y, "l1", n_pairs=4, random_state=0, sample_weight=weight
    ).frequencies


def report(weight):
    model = sv.SparseRegressorCV("mcp", alphas=8, eps=0.05).fit(X, y, weight)
    assert model.to_html().lower().startswith("<!doctype html")
    return np.r_[model.alpha_, model.path_.r2]


def judged(weight):
    coef, shared = np.linspace(-1.0, 1.0, 12), {"penalty": "mcp", "alpha": 0.1}
    strength = {**shared, "sample_weight": weight}
    return np.r_[
        sv.objective(X, y, coef, **strength),
        sv.kkt_violation(X, y, coef, **strength),
    ]


def scored(weight):
    model = sv.SparseRegressor("mcp", 0.1).fit(X, y)
    return np.r_[model.score(X, y, weight)]


CALLS = {
    "fit": regressor,
    "path": lambda weight: numbers(path(weight)),
    "relax": lambda weight: numbers(path(weight).relax()),
    "alpha_max": lambda weight: np.r_[sv.alpha_max(X, y, "mcp", sample_weight=weight)],
    "cv": cross_validation,
    "cv, scoring": lambda weight: cross_validation(weight, scoring="r2"),
    "cv, repeated rows": repeated_rows,
    "ic": criterion,
    "surface": surface,
    "explain": explained,
    "local_minima": minima,
    "stability": stability,
    "report": report,
    "judge": judged,
    "score": scored,
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("call", CALLS)
def test_only_ratios_count(call, size):
    wanted = CALLS[call](WEIGHTS)
    np.testing.assert_allclose(
        CALLS[call](WEIGHTS * size), wanted, rtol=ANY_WEIGHTS, atol=ANY_WEIGHTS
    )


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (np.inf, "Input sample_weight contains infinity at entry 3"),
        (np.nan, r"sample_weight\[3\] = nan"),
        (-1.0, r"sample_weight\[3\] = -1"),
    ],
)
def test_what_is_no_weight_is_refused_in_the_same_words(call, wrong, words):
    weight = WEIGHTS.copy()
    weight[3] = wrong
    with pytest.raises(ValueError, match=f"^{words}"):
        CALLS[call](weight)


@pytest.mark.parametrize("size", [1.0, *SIZES, 5e-324])
def test_normalised(size):
    weight = normalised(WEIGHTS * size, 40)
    assert math.fsum(weight) == pytest.approx(1.0, rel=REORDERED_SUM)
    if size > 1e-300:
        np.testing.assert_allclose(weight, WEIGHTS / WEIGHTS.sum(), rtol=REORDERED_SUM)
    np.testing.assert_array_equal(normalised(None, 4), np.full(4, 0.25))


def test_in_range_loses_no_bit():
    weight = WEIGHTS * 1.7e308
    scaled = in_range(weight)
    assert 0.5 <= scaled.max() < 1.0
    np.testing.assert_array_equal(scaled / scaled[0], weight / weight[0])


def test_weights_that_count_repetitions_are_repeated_rows_and_larger_ones_are_not():
    counts = np.random.default_rng(1).integers(1, 4, 40)
    options = {"alphas": 10, "noise_variance": 0.3}
    weighted = sv.SparseRegressorIC("l1", **options).fit(X, y, counts)
    rows = np.repeat(np.arange(40), counts)
    repeated = sv.SparseRegressorIC("l1", **options).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.criterion_, repeated.criterion_, rtol=ANY_WEIGHTS)
    huge = sv.SparseRegressorIC("l1", **options).fit(X, y, np.full(40, 1e17))
    plain = sv.SparseRegressorIC("l1", **options).fit(X, y)
    np.testing.assert_allclose(huge.criterion_, plain.criterion_, rtol=ANY_WEIGHTS)
