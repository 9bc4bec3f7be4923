"""Sums by leaves: against extended precision, and the same bits however rows are cut."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sparsieve.data.leaves import LEAF, Rows, Stream, merged, summarise
from sparsieve.data.stand_in import StandIn

LONG = np.longdouble
U = np.finfo(np.float64).eps / 2


def hostile(seed: int, n: int = 3 * LEAF + 700, d: int = 6) -> Rows:
    g = np.random.default_rng(seed)
    values = g.standard_normal((n, d))
    values[:, 1] += 1e8
    values[:, 2] = values[:, 0] + 1e-9 * values[:, 2]
    values[:, 3] += np.linspace(0, 1e3, n)
    values[:, 4] = 7.25
    weight = np.ones(n) if seed % 2 else g.integers(0, 3, n) * 0.3
    return Rows(values, weight)


def exact(rows: Rows):
    """Return mean and products in extended precision; two centrings leave nothing to cancel."""
    values, weight = rows.values.astype(LONG), rows.weight.astype(LONG)
    mean = weight @ values / weight.sum()
    away = values - mean
    slip = weight @ away / weight.sum()
    away = away - slip
    away[:, 4] = 0  # a mean of equal numbers is off by a rounding
    return mean + slip, (away * weight[:, None]).T @ away


@pytest.mark.parametrize("seed", range(6))
def test_errors_are_within_their_bounds(seed):
    rows = hostile(seed)
    found = Stream.of(rows).total()
    mean, products = exact(rows)
    sizes = np.sqrt(np.diagonal(products))
    allowed = found.roundings * U * np.outer(sizes, sizes)
    assert np.all(np.abs(found.products - products) <= allowed)
    off = np.abs((found.mean.astype(LONG) - mean) + found.mean_low)
    # The judge's own mean is off by some 1e-19 of itself.
    allowed = found.mean_roundings * U * sizes / np.sqrt(found.weight) + 1e-17 * np.abs(mean)
    assert np.all(off <= allowed)
    assert found.products[4, 4] == 0.0
    assert found.mean[4] == 7.25
    assert found.n == len(rows.values)


@pytest.mark.parametrize("seed", range(4))
def test_any_cutting_gives_the_same_bits(seed):
    g = np.random.default_rng(seed)
    rows = hostile(seed)
    n = len(rows.values)
    whole = Stream.of(rows).total()
    for _ in range(5):
        cuts = np.unique(np.r_[0, n, LEAF, 2 * LEAF + 1, g.integers(0, n + 1, 7)]).tolist()
        parts = [Stream.of(rows.part(a, b), a) for a, b in itertools.pairwise(cuts)]
        while len(parts) > 1:  # neighbours merge in any order
            k = int(g.integers(len(parts) - 1))
            parts[k : k + 2] = [parts[k].joined(parts[k + 1])]
        total = parts[0].total()
        assert np.array_equal(total.products, whole.products)
        assert np.array_equal(total.mean, whole.mean)
        assert np.array_equal(total.mean_low, whole.mean_low)


def test_few_rows_and_rows_without_weight():
    rows = hostile(1)
    one = summarise(rows.part(0, 1))
    assert not one.products.any()
    nothing = summarise(Rows(rows.values[:5], np.zeros(5)))
    assert nothing.weight == 0.0
    both = merged(nothing, merged(one, nothing))
    assert both.n == 11
    assert np.array_equal(both.mean, one.mean)
    assert Stream().total() is None


@pytest.mark.parametrize(("factor", "which"), [(1e200, "large"), (1e-200, "small")])
def test_squares_out_of_range(factor, which):
    rows = hostile(1)
    with pytest.raises(FloatingPointError, match=which):
        summarise(Rows(rows.values[:9] * factor, rows.weight[:9]))


@pytest.mark.parametrize("seed", range(6))
def test_rows_that_stand_in_have_the_products(seed):
    rows = hostile(seed)
    summary = Stream.of(rows).total()
    stand_in = StandIn.of(summary)
    n = len(stand_in.rows)
    assert n == 6 + 1
    mean, products = exact(rows)
    covariance = products / rows.weight.astype(LONG).sum()
    sizes = np.sqrt(np.diagonal(covariance))
    z = stand_in.rows.astype(LONG)
    off = np.abs(z.T @ z / n - covariance)
    assert np.all(off <= stand_in.uncertainty * np.outer(sizes, sizes))
    # Rounding of sums of seven entries.
    assert np.all(np.abs(z.sum(axis=0)) <= 100 * U * np.sqrt(n) * sizes)
    X, y, uncertainty = stand_in.data(fit_intercept=False)
    raw = covariance + np.outer(mean, mean)
    sizes = np.sqrt(np.diagonal(raw))
    z = np.column_stack([X, y]).astype(LONG)
    assert np.all(np.abs(z.T @ z / n - raw) <= uncertainty * np.outer(sizes, sizes))
