"""Penalties, names and comparisons that the tests of starts share."""

import numpy as np
import pytest
from penalties_under_test import Geman
from scipy import sparse
from tolerances import TWO_SOLVES

import sparsieve as sv

NAMES = ("lasso", "previous", "best")
CONCAVE = [sv.LogSum(0.1), sv.MCP(), sv.SCAD(), sv.CappedL1(), sv.Lq(), Geman()]
every_concave = pytest.mark.parametrize(
    "penalty", CONCAVE, ids=[type(penalty).__name__ for penalty in CONCAVE]
)
TIGHT = 1e-10  # tol where two solves are compared: see TWO_SOLVES


class Halved:
    """A user's own convex penalty: half the lasso."""

    def value(self, abs_w, alpha):
        return 0.5 * alpha * np.asarray(abs_w)

    def slope(self, abs_w, alpha):
        return 0.5 * alpha * np.ones_like(np.asarray(abs_w, dtype=float))


def dense(path):
    return path.coefs.toarray() if sparse.issparse(path.coefs) else path.coefs


def bits(path):
    return [getattr(path, name) for name in ("alphas", "objective", "kkt", "intercepts")] + [
        dense(path)
    ]


def assert_same_bits(path, other):
    for one, two in zip(bits(path), bits(other), strict=True):
        np.testing.assert_array_equal(one, two)


def assert_close(path, other, tolerance=TWO_SOLVES):
    expected = dense(path)
    assert np.count_nonzero(expected) > 0
    atol = tolerance * np.abs(expected).max()
    np.testing.assert_allclose(dense(other), expected, rtol=0, atol=atol)


def slope_at_zero(penalty, alpha):
    return float(np.asarray(penalty.slope(np.zeros(1), np.full(1, alpha)))[0])
