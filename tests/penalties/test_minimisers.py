"""The best value of one coefficient: brute force on grids, a user's own class, thresholds."""

import numpy as np
import pytest

import sparsieve as sv
from sparsieve.penalties import jump_threshold_of, largest_concavity, minimiser_of, resolve_penalty
from sparsieve.solve.solvers import core_penalty

PENALTIES = [
    sv.L1(),
    sv.LogSum(0.1),
    sv.LogSum(2.0),
    sv.MCP(3.0),
    sv.MCP(0.5),
    sv.SCAD(3.7),
    sv.CappedL1(0.3),
    sv.Lq(),
    sv.Lq(0.9, 0.5),
]
CURVATURES = [0.05, 1.0 / 3.0, 1.0, 20.0]


class Log:
    """Log-sum, with theta = 0.1, as a user would write it."""

    def value(self, abs_w, alpha):
        return alpha * np.log1p(abs_w / 0.1)

    def slope(self, abs_w, alpha):
        return alpha / (0.1 + abs_w)


class Dented:
    """L1 whose slope rises where the check at first use does not look."""

    def value(self, abs_w, alpha):
        return alpha * (abs_w + 0.25 * np.clip(abs_w - 1.2, 0.0, 0.2))

    def slope(self, abs_w, alpha):
        return alpha * (1.0 + 0.25 * ((abs_w >= 1.2) & (abs_w < 1.4)))


class Doubled(sv.MCP):
    """A built-in with formulas of its own: twice as strong."""

    def value(self, abs_w, alpha):
        return 2.0 * super().value(abs_w, alpha)

    def slope(self, abs_w, alpha):
        return 2.0 * super().slope(abs_w, alpha)


def objective(penalty, w, z, h, alpha):
    return 0.5 * h * w**2 - z * w + penalty.value(np.abs(w), alpha)


@pytest.mark.parametrize("penalty", [*PENALTIES, Log(), Doubled()], ids=repr)
@pytest.mark.parametrize("h", CURVATURES)
def test_no_point_of_a_grid_is_better(penalty, h):
    alpha = 0.7
    limit = float(jump_threshold_of(penalty, h, alpha))
    z = limit * np.array([-5.0, -1.01, -0.5, 0.0, 0.3, 0.99, 1.01, 1.3, 2.0, 20.0])
    w = minimiser_of(penalty, z, h, alpha)
    assert np.all(w * z >= 0.0)
    assert np.array_equal(w != 0.0, np.abs(z) > limit)
    for at, found in zip(z, w, strict=True):
        grid = np.linspace(-1.0, 1.0, 20001) * max(abs(at) / h, 1.0)
        best = objective(penalty, grid, at, h, alpha).min()
        # The search proves its minima to 1e-12 of z^2 / (2 h).
        assert objective(penalty, found, at, h, alpha) <= best + 1e-12 * at * at / h


@pytest.mark.parametrize("penalty", [*PENALTIES, Log()], ids=repr)
@pytest.mark.parametrize("h", CURVATURES)
def test_the_threshold_is_the_infimum(penalty, h):
    alpha = 0.7
    slope = float(penalty.slope(np.zeros(1), np.full(1, alpha))[0])
    t = np.geomspace(1e-9, 2.0 * slope / h, 200001)
    grid = min(slope, float(np.min(0.5 * h * t + penalty.value(t, alpha) / t)))
    limit = float(jump_threshold_of(penalty, h, alpha))
    # Neighbours on the grid are 1.0001 apart, and the infimum is stationary: 1e-8 of a difference.
    assert grid * (1.0 - 1e-7) <= limit <= grid * (1.0 + 1e-13)


def test_a_users_penalty_agrees_with_the_built_in():
    rng = np.random.default_rng(3)
    z, h = 5.0 * rng.standard_normal(300), 10.0 ** rng.uniform(-1.5, 1.5, 300)
    alpha = 10.0 ** rng.uniform(-2.0, 0.5, 300)
    theirs = minimiser_of(Log(), z, h, alpha)
    np.testing.assert_allclose(theirs, sv.LogSum(0.1).minimiser(z, h, alpha), rtol=1e-9, atol=0.0)
    limits = jump_threshold_of(Log(), h, alpha)
    ours = sv.LogSum(0.1).jump_threshold(h, alpha)
    np.testing.assert_allclose(limits, ours, rtol=1.1e-9, atol=0.0)
    assert np.all(limits <= ours * (1.0 + 1e-15))


def test_values_are_those_of_the_minimisers():
    rng = np.random.default_rng(4)
    z, h, alpha = np.abs(rng.standard_normal((3, 50)))
    for penalty in [*PENALTIES, Log()]:
        t, value = core_penalty(penalty).minimise(z, h, alpha)
        np.testing.assert_allclose(
            value, objective(penalty, t, z, h, alpha), atol=1e-13, rtol=1e-12
        )
        assert np.all(value <= 0.0)


def test_a_subclass_with_its_own_formulas_is_searched():
    z = np.array([1.0, 1.5, 3.0, -30.0])
    # Twice MCP with h = 1 is MCP with h = 1/2, for half of z, twice.
    expected = sv.MCP(3.0).minimiser(z / 2.0, 0.5, 0.7)
    np.testing.assert_allclose(Doubled().minimiser(z, 1.0, 0.7), expected, rtol=1e-9)
    assert float(Doubled().jump_threshold(1.0, 0.7)) == pytest.approx(
        2.0 * float(sv.MCP(3.0).jump_threshold(0.5, 0.7)), rel=2e-9
    )
    assert not hasattr(Doubled(), "concavity")


def test_a_penalty_that_is_not_concave_is_refused():
    penalty = Dented()
    with pytest.raises(ValueError, match=r"not concave.*minimum='stationary'"):
        core_penalty(penalty).minimise(np.array([3.0]), np.ones(1), np.ones(1))
    with pytest.raises(ValueError, match=r"not concave.*minimum='stationary'"):
        core_penalty(penalty).jump_thresholds(np.ones(1), np.ones(1))


def test_shapes_broadcast_and_zero_alpha_is_least_squares():
    w = sv.MCP().minimiser([[1.0], [-4.0]], [1.0, 2.0, 4.0], 0.0)
    np.testing.assert_array_equal(w, [[1.0, 0.5, 0.25], [-4.0, -2.0, -1.0]])
    assert sv.MCP().minimiser(2.0, 1.0, 0.1).shape == ()
    assert sv.LogSum().jump_threshold(np.ones((2, 1)), np.zeros(3)).tolist() == [[0.0] * 3] * 2
    assert np.signbit(sv.L1().minimiser(-0.1, 1.0, 1.0)) == 0


@pytest.mark.parametrize(
    ("z", "h", "alpha", "name"),
    [(np.nan, 1.0, 1.0, "z"), (1.0, 0.0, 1.0, "curvature"), (1.0, 1.0, -1.0, "alpha")],
)
def test_arguments_that_make_no_sense(z, h, alpha, name):
    with pytest.raises(ValueError, match=name):
        sv.MCP().minimiser(z, h, alpha)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_concavity_is_the_steepest_fall_of_the_slope(penalty):
    alpha = np.array([0.2, 1.5])
    concavity = penalty.concavity(alpha)
    assert concavity.shape == (2,)
    assert largest_concavity(penalty, 0.2) == concavity[0]
    t = np.r_[0.0, np.geomspace(1e-5, 1e3, 2001)]
    for k in range(2):
        fall = np.max(-np.diff(penalty.slope(t, alpha[k])) / np.diff(t))
        if isinstance(penalty, sv.CappedL1):
            assert np.isinf(concavity[k])
        else:
            # The first step is 1e-3 of eps = 0.01; the slope is rounded over steps of 1e-7.
            assert fall - 1e-8 <= concavity[k] <= 1.005 * fall + 1e-8


def test_coordinates_are_convex_from_the_concavity_on():
    """There the threshold is the slope at zero; below, it is smaller."""
    for penalty in PENALTIES:
        bend = float(penalty.concavity(0.7))
        if not 0.0 < bend < np.inf:
            continue
        slope = float(penalty.slope(0.0, 0.7))
        assert float(penalty.jump_threshold(1.01 * bend, 0.7)) == slope
        if not isinstance(penalty, sv.SCAD):  # linear up to alpha: 1 / (gamma + 1) counts there
            assert float(penalty.jump_threshold(0.9 * bend, 0.7)) < slope


def test_names_are_penalties_too():
    assert minimiser_of("mcp", 4.0, 1.0, 1.0) == resolve_penalty("mcp").minimiser(4.0, 1.0, 1.0)


class _Formula:
    """A concave penalty in a form that loses digits near zero."""

    def __init__(self, value, slope):
        self._value, self._slope = value, slope

    def value(self, abs_w, alpha):
        return alpha * self._value(abs_w)

    def slope(self, abs_w, alpha):
        return alpha * self._slope(abs_w)


@pytest.mark.parametrize(
    "penalty",
    [
        _Formula(lambda t: np.log(1 + t / 0.1), lambda t: 1 / (0.1 + t)),
        _Formula(lambda t: np.log(0.1 + t) - np.log(0.1), lambda t: 1 / (0.1 + t)),
        _Formula(lambda t: 1 - np.exp(-t), lambda t: np.exp(-t)),
        _Formula(lambda t: 1 - 1 / (1 + t), lambda t: (1 + t) ** -2.0),
        _Formula(lambda t: np.sqrt(t + 0.01) - 0.1, lambda t: 0.5 / np.sqrt(t + 0.01)),
    ],
    ids=["log(1 + t)", "log(c + t) - log(c)", "1 - exp(-t)", "1 - 1/(1 + t)", "sqrt(t + c) - c"],
)
def test_rounding_near_zero_is_no_lack_of_concavity(penalty):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((50, 20))
        y = X[:, :3].sum(axis=1) + 0.3 * rng.standard_normal(50)
        path = sv.sparse_path(X, y, penalty, alphas=10)
        assert set(path.minimum) == {"coordinatewise"}
