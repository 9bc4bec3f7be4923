"""A user's penalty that passes the first check and misbehaves later: the error names it."""

import numpy as np
import pytest
from problems import toy

import sparsieve as sv


class Turncoat:
    """Arctan until a call too many; then whatever it is told to answer."""

    def __init__(self, method, answer, calls=60):
        self.method, self.answer, self.left = method, answer, calls

    def _now(self, method, honest):
        self.left -= 1
        return self.answer(honest) if self.left < 0 and method == self.method else honest

    def value(self, abs_w, alpha):
        return self._now("value", alpha * np.arctan(abs_w))

    def slope(self, abs_w, alpha):
        return self._now("slope", alpha / (1.0 + abs_w * abs_w))


def explode(honest):
    raise OSError("the disk of the penalty")


@pytest.mark.parametrize(
    ("method", "answer", "error", "words"),
    [
        ("slope", lambda a: -a, ValueError, r"penalty Turncoat: slope\(.*\) is -.*>= 0"),
        (
            "slope",
            lambda a: a * np.nan,
            ValueError,
            r"penalty Turncoat: slope\(.* is nan",
        ),
        (
            "value",
            lambda a: a + np.inf,
            ValueError,
            r"penalty Turncoat: value\(.* is inf",
        ),
        ("slope", lambda a: a[:-1], ValueError, r"penalty Turncoat: slope returned shape"),
        (
            "value",
            lambda a: np.append(a, 1.0),
            ValueError,
            r"penalty Turncoat: value returned shape",
        ),
        ("value", lambda a: "x", ValueError, r"must return an array of numbers"),
        ("slope", explode, OSError, "the disk of the penalty"),
    ],
)
def test_a_penalty_that_misbehaves_in_the_middle_is_named(method, answer, error, words):
    X, y, _ = toy(40, 60, 5, noise=0.5, seed=0)
    with pytest.raises(error, match=words):
        sv.sparse_path(X, y, Turncoat(method, answer), alphas=20, eps=1e-2)
    honest = sv.sparse_path(X, y, Turncoat(method, answer, calls=10**9), alphas=5)
    assert honest.converged.all()  # nothing of the failure is left behind
