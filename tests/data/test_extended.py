"""Sums in pairs of doubles, against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sparsieve.data.extended import ExtendedSum, split_product

# Of 53 bits each, with what a sum of a few terms may lose of the second.
TWICE_DOUBLE = Fraction(1, 2**98)


def exact(numbers):
    return [Fraction(float(x)) for x in numbers]


def test_a_product_and_what_it_lost_are_the_product():
    g = np.random.default_rng(0)
    a = g.standard_normal(500) * 10.0 ** g.uniform(-100, 100, 500)
    b = g.standard_normal(500) * 10.0 ** g.uniform(-100, 100, 500)
    product, lost = split_product(a, b)
    for x, y, high, low in zip(*map(exact, (a, b, product, lost)), strict=True):
        assert x * y == high + low


def test_beyond_the_range_of_the_halves_a_product_is_rounded():
    product, lost = split_product(np.array([1e305]), 2.0)
    assert product[0] == 2e305
    assert lost[0] == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_sums_that_cancel_keep_their_digits(seed):
    g = np.random.default_rng(seed)
    n, terms = 30, 12
    X = g.standard_normal((n, terms)) + 10.0 ** g.uniform(0, 14, terms)
    w = g.standard_normal(terms)
    start = g.standard_normal(n)
    total = ExtendedSum(start)
    truth = exact(start)
    for k in range(terms):
        total.add_product(X[:, k], -w[k])
        truth = [t - x * Fraction(float(w[k])) for t, x in zip(truth, exact(X[:, k]), strict=True)]
    largest = Fraction(float(np.max(np.abs(X) @ np.abs(w))))
    # What is large cancels: the sum of all terms is subtracted again.
    plain = X @ w - start
    total.add(plain)
    truth = [t + x for t, x in zip(truth, exact(plain), strict=True)]
    for seen, right in zip(exact(total.value()), truth, strict=True):
        assert abs(seen - right) <= abs(right) * Fraction(1, 2**52) + largest * TWICE_DOUBLE
