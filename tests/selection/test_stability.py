"""Stability selection: the bound, what it selects, halves, backends, and every error."""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from problems import toy
from tolerances import FEW_OPS

import sparsieve as sv
from sparsieve.selection.stability import _draw_halves


def test_bounds_by_hand():
    worst, unimodal = sv.stability_bounds(10.0, 0.75, 1000, 50)
    assert worst == pytest.approx(100 / 1000 / 0.5, rel=FEW_OPS)
    assert unimodal == pytest.approx(0.1 / (2 * (0.5 - 0.01)), rel=FEW_OPS)
    _, strict = sv.stability_bounds(10.0, 0.9, 1000, 50)
    assert strict == pytest.approx(0.1 * 4 * (0.1 + 0.01) / (1 + 0.02), rel=FEW_OPS)


def test_bounds_fall_with_the_threshold_and_say_when_they_do_not_hold():
    thresholds = np.linspace(0.55, 1.0, 20)
    bounds = np.array([sv.stability_bounds(10.0, t, 1000, 50) for t in thresholds])
    assert np.all(np.diff(bounds, axis=0) < 0)
    assert np.all(bounds[:, 1] < bounds[:, 0])
    assert sv.stability_bounds(700.0, 0.9, 1000, 50)[1] == np.inf  # q / d > 1 / sqrt(3)
    assert sv.stability_bounds(10.0, 0.501, 1000, 1)[1] == np.inf


def test_bound_holds_on_pure_noise():
    # No feature is true, so every selected one is false; the bound allows 1 on average.
    rng = np.random.default_rng(0)
    found = []
    for seed in range(10):
        X, y = rng.standard_normal((60, 40)), rng.standard_normal(60)
        result = sv.stability_selection(X, y, "l1", n_pairs=10, random_state=seed)
        found.append(result.selected.size)
    assert np.mean(found) <= result.error_bound <= 1.0


@pytest.mark.parametrize("penalty", ["l1", "mcp", "logsum"])
def test_selects_strong_features(penalty):
    X, y, w = toy(n_samples=120, n_features=100, n_active=4, noise=0.5, seed=1)
    result = sv.stability_selection(X, y, penalty, n_pairs=15, random_state=0)
    assert set(result.selected) == set(np.flatnonzero(w))
    assert np.all(np.diff(result.frequencies[result.selected]) <= 0)
    assert result.mean_size <= result.q
    assert result.error_bound <= 1.0


def test_halves_are_disjoint_and_repeatable():
    halves = _draw_halves(np.random.default_rng(3), 21, 5)
    assert len(halves) == 10
    for first, second in zip(halves[::2], halves[1::2], strict=True):
        assert len(first) == len(second) == 10
        assert not set(first) & set(second)
    again = _draw_halves(np.random.default_rng(3), 21, 5)
    np.testing.assert_array_equal(halves, again)


def test_a_half_selects_the_first_features_of_its_path():
    X, y, _ = toy(n_samples=40, n_features=30, n_active=5, noise=1.0, seed=0)
    result = sv.stability_selection(X, y, "l1", q=4, n_pairs=1, alphas=50, random_state=7)
    counts = np.zeros(30)
    for rows in _draw_halves(np.random.default_rng(7), 40, 1):
        path = sv.sparse_path(X[rows], y[rows], "l1", alphas=50, eps=1e-2, tol=1e-4)
        union, last = set(), set()
        for point in path.points:
            union |= set(point.columns.tolist())
            if len(union) > 4:
                break
            last = set(union)
        counts[sorted(last)] += 1
    np.testing.assert_array_equal(result.frequencies, counts / 2)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_n_jobs_does_not_change_the_result(backend):
    X, y, _ = toy(n_samples=50, n_features=30, n_active=3, noise=1.0, seed=2)
    serial = sv.stability_selection(X, y, n_pairs=5, random_state=0)
    with parallel_config(backend=backend, n_jobs=2):
        parallel = sv.stability_selection(X, y, n_pairs=5, random_state=0)
    np.testing.assert_array_equal(serial.frequencies, parallel.frequencies)


def test_summary_has_names():
    X, y, w = toy(n_samples=80, n_features=30, n_active=2, noise=0.3, seed=2)
    frame = pd.DataFrame(X, columns=[f"gene_{j}" for j in range(30)])
    result = sv.stability_selection(frame, y, n_pairs=5, random_state=0)
    assert str(result) == result.summary()
    assert repr(result).startswith("<Stability: ")
    text = result.summary(rows=3)
    assert "expected false ones: at most" in text
    strongest = f"gene_{np.flatnonzero(w)[0]}"
    assert strongest in text
    assert len(text.splitlines()) <= 5
    with pytest.raises(ValueError, match="rows must be"):
        result.summary(rows=0)
    everything = sv.stability_selection(frame, y, q=30, n_pairs=5, random_state=0)
    assert everything.unimodal_bound == np.inf
    assert "inf" not in everything.summary()


def test_sample_weights_and_progress(capsys):
    X, y, _ = toy(n_samples=50, n_features=20, n_active=2, noise=0.3, seed=2)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 50)
    plain = sv.stability_selection(
        X, y, n_pairs=3, random_state=0, sample_weight=weight, progress=True
    )
    assert "halves: 100%" in capsys.readouterr().err
    scaled = sv.stability_selection(X, y, n_pairs=3, random_state=0, sample_weight=3.0 * weight)
    np.testing.assert_array_equal(plain.frequencies, scaled.frequencies)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threshold": 0.5}, "threshold must be"),
        ({"threshold": 1.2}, "threshold must be"),
        ({"max_false": 0.0}, "max_false must be"),
        ({"max_false": 1e-6}, "allows no feature per half"),
        ({"q": 0}, "q must be an integer >= 1"),
        ({"n_pairs": 0}, "n_pairs must be an integer >= 1"),
        ({"alphas": 0}, "alphas must be an integer >= 1"),
        ({"eps": 2.0}, "eps must be"),
        ({"checkpoint": "file"}, "checkpoint needs random_state to be an integer"),
    ],
)
def test_errors_name_the_cause_and_the_remedy(options, words):
    X, y, _ = toy(seed=0)
    with pytest.raises(ValueError, match=words):
        sv.stability_selection(X, y, **options)


def test_too_few_rows():
    with pytest.raises(ValueError, match="minimum of 4"):
        sv.stability_selection(np.eye(3), np.arange(3.0))


def test_too_many_pairs_are_refused_at_once():
    X, y, _ = sv.datasets.make_toy(20, 5, 2, noise=0.5, random_state=0)
    with pytest.raises(ValueError, match="n_pairs must be at most 100000"):
        sv.stability_selection(X, y, n_pairs=10**300)
