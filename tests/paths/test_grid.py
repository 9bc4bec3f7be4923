"""The alphas of a path: how many there may be."""

import numpy as np
import pytest

import sparsieve as sv

# What the fuzzers found; each crashed, hung or spoke in riddles once.


@pytest.mark.parametrize("alphas", [10**7, 10**400])
def test_more_alphas_than_memory_holds_are_refused(alphas):
    with pytest.raises(ValueError, match="more than the 1000000 a path may have"):
        sv.sparse_path(np.eye(3), np.arange(3.0), alphas=alphas)


@pytest.mark.parametrize(("n", "d", "end"), [(30, 29, 1e-3), (30, 30, 1e-2), (20, 60, 1e-2)])
def test_a_path_ends_where_rows_and_features_suggest_it(n, d, end):
    X, y, _ = sv.datasets.make_toy(n, d, 3, noise=0.5, random_state=0)
    path = sv.sparse_path(X, y, "l1", alphas=7)
    assert len(path) == 7
    # A handful of roundings in powers and products.
    assert path.alphas[-1] == pytest.approx(end * sv.alpha_max(X, y, "l1"), rel=1e-12)


def test_a_given_end_is_taken_as_it_is():
    X, y, _ = sv.datasets.make_toy(20, 60, 3, noise=0.5, random_state=0)
    path = sv.sparse_path(X, y, "l1", alphas=7, eps=1e-3)
    largest = sv.alpha_max(X, y, "l1")
    expected = largest * np.geomspace(1.0, 1e-3, 7)
    expected[0] = largest
    np.testing.assert_array_equal(path.alphas, expected)
    given = [largest, 1e-5 * largest]
    np.testing.assert_array_equal(sv.sparse_path(X, y, "l1", alphas=given).alphas, given)


def test_rows_without_weight_and_features_left_out_do_not_count():
    X, y, _ = sv.datasets.make_toy(30, 20, 3, noise=0.5, random_state=0)
    rows = np.r_[np.ones(15), np.zeros(15)]
    features = np.r_[np.ones(10), np.full(10, np.inf)]
    few = sv.sparse_path(X, y, "l1", alphas=5, sample_weight=rows)
    # The ratio of the first and the last alpha of a grid, whose first one is alpha_max.
    assert few.alphas[-1] / few.alphas[0] == pytest.approx(1e-2, rel=1e-12)
    both = sv.sparse_path(X, y, "l1", alphas=5, sample_weight=rows, weights=features)
    assert both.alphas[-1] / both.alphas[0] == pytest.approx(1e-3, rel=1e-12)
