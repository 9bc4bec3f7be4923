"""Losses: formulas against twins and each other, limits, parameters, names, a user's own class."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from tolerances import FEW_OPS, TWIN_FORMULA

import sparsieve as sv
from sparsieve.losses import null_shift, resolve_loss
from sparsieve.losses.own import OwnLoss
from sparsieve.reference import loss_twin

BUILT_IN = [
    sv.Squared(),
    sv.Logistic(),
    sv.Poisson(),
    sv.NegativeBinomial(theta=0.7),
    sv.NegativeBinomial(theta=30.0),
    sv.Huber(delta=0.8),
]
ids = [repr(loss) for loss in BUILT_IN]
every = pytest.mark.parametrize("loss", BUILT_IN, ids=ids)


def responses(loss, rng, size):
    """Draw what a loss is for."""
    if loss.labels:
        return rng.integers(0, 2, size).astype(float)
    return rng.poisson(3.0, size).astype(float) if loss.log_link else 3.0 * rng.normal(size=size)


def drawn(loss, seed=0, size=500):
    rng = np.random.default_rng(seed)
    return rng.uniform(-8.0, 8.0, size), responses(loss, rng, size)


@every
def test_formulas_are_those_of_the_twins(loss):
    eta, y = drawn(loss)
    twin = loss_twin(loss.name, **loss.get_params())
    slack = TWIN_FORMULA * (1.0 + np.abs(y * eta) + np.exp(np.maximum(eta, 0.0)))
    assert np.all(np.abs(loss.value(eta, y) - twin.value(eta, y)) <= slack)
    assert np.all(np.abs(loss.gradient(eta, y) + twin.residual(eta, y)) <= slack)
    assert np.all(np.abs(loss.curvature(eta, y) - twin.curvature(eta, y)) <= slack)
    t = -loss.gradient(eta, y)
    assert np.all(np.abs(loss.conjugate(t, y) - twin.dual(t, y)) <= slack * (1.0 + np.abs(eta)))


@every
@pytest.mark.parametrize("part", [1.0, 0.9, 0.5, 0.1, 0.0])
def test_conjugate_is_a_bound_that_the_gradient_reaches(loss, part):
    """Fenchel: f*(-t) >= -t eta - f(eta) for every eta, with equality where t = -f'(eta)."""
    eta, y = drawn(loss, seed=1)
    t = -part * loss.gradient(eta, y)
    bound = -t * eta - loss.value(eta, y)
    slack = TWIN_FORMULA * (1.0 + np.abs(y * eta) + np.exp(np.maximum(eta, 0.0)))
    found = loss.conjugate(t, y)
    assert np.all(np.isfinite(found)) or part == 0.0
    assert np.all(found >= bound - slack)
    if part == 1.0:
        assert np.all(found <= bound + slack)


@every
def test_saturated_is_the_smallest_value(loss):
    eta, y = drawn(loss, seed=2)
    least = loss.saturated(y)
    slack = FEW_OPS * (1.0 + np.abs(least) + np.abs(y * eta))
    assert np.all(loss.value(eta, y) >= least - slack)
    inside = y > 0.0 if loss.log_link else np.zeros(y.size, bool) if loss.labels else y == y
    best = loss.value(loss.link(y[inside]), y[inside])
    assert np.all(best <= (least + slack)[inside])
    assert np.all(loss.deviance(eta, y) >= 0.0)
    assert np.allclose(loss.deviance(eta, y), 2.0 * (loss.value(eta, y) - least), rtol=1e-9)


@every
def test_curvature_is_within_its_bounds(loss):
    eta, y = drawn(loss, seed=3)
    bend = loss.curvature(eta, y)
    assert np.all(bend <= loss.lipschitz(y) * (1.0 + FEW_OPS))
    assert np.all(bend >= loss.least_curvature)


@every
@given(st.floats(-600.0, 600.0), st.integers(0, 1), st.floats(1e-6, 10.0))
def test_gradient_is_the_derivative_of_value(loss, eta, label, step):
    y = np.full(2, float(label))
    ends = np.array([eta, eta + step])
    step = ends[1] - ends[0]
    value, slope = loss.value(ends, y), loss.gradient(ends, y)
    slack = FEW_OPS * (np.sum(np.abs(value)) + (1.0 + np.abs(slope).max()) * np.abs(ends).max())
    assert slope[0] * step - slack <= value[1] - value[0] <= slope[1] * step + slack


@every
def test_nothing_overflows_that_need_not(loss):
    eta = np.array([-1e4, -800.0, -710.0, 0.0, 700.0, 1e4])
    y = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [loss.value(eta, y), loss.gradient(eta, y), loss.curvature(eta, y), loss.mean(eta)]
        deviance = loss.deviance(eta, y)
    last = 5 if isinstance(loss, sv.Poisson) else 6
    assert all(np.all(np.isfinite(a[:last])) for a in found[:3])
    assert not np.any(np.isnan([*found, deviance]))


def test_labels_far_away_keep_their_digits():
    far = sv.Logistic().value([40.0, 700.0], [1.0, 1.0])
    assert far == pytest.approx([np.exp(-40.0), np.exp(-700.0)], rel=1e-12)
    slope = sv.Logistic().gradient([40.0], [1.0])
    assert slope == pytest.approx([-np.exp(-40.0)], rel=1e-12)


def test_negative_binomial_is_a_weighted_logistic_loss():
    rng = np.random.default_rng(4)
    theta, eta, y = 2.5, rng.normal(size=200), rng.poisson(2.0, 200).astype(float)
    c = y + theta
    reduced = c * sv.Logistic().value(eta - np.log(theta), y / c) + theta * np.log(theta)
    # Both are sums of a handful of numbers of order c.
    assert np.all(np.abs(sv.NegativeBinomial(theta).value(eta, y) - reduced) <= FEW_OPS * 10 * c)


@every
def test_parameters_clones_and_pickles(loss):
    same = [clone(loss), pickle.loads(pickle.dumps(loss)), type(loss)(**loss.get_params())]
    assert all(repr(other) == repr(loss) for other in same)


def test_names_stand_for_losses():
    for name, kind in (
        ("squared", sv.Squared),
        ("logistic", sv.Logistic),
        ("Log-Loss", sv.Logistic),
        ("poisson", sv.Poisson),
        ("Negative Binomial", sv.NegativeBinomial),
        ("huber", sv.Huber),
    ):
        assert type(resolve_loss(name)) is kind
    with pytest.raises(ValueError, match=r"loss='poison' is not known \(did you mean 'poisson'"):
        resolve_loss("poison")
    with pytest.raises(ValueError, match="use one of 'squared'"):
        resolve_loss("")
    with pytest.raises(TypeError, match=r"loss is the class Huber; pass an instance: Huber\(\)"):
        resolve_loss(sv.Huber)
    with pytest.raises(TypeError, match="loss of type int is not a loss"):
        resolve_loss(3)
    with pytest.raises(ValueError, match="there is no twin of loss='cox'"):
        loss_twin("cox")


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.inf, np.nan, "1", True])
def test_parameters_out_of_range(wrong):
    with pytest.raises(ValueError, match="Huber: delta must be a"):
        resolve_loss(sv.Huber(delta=wrong))
    with pytest.raises(ValueError, match="NegativeBinomial: theta must be a"):
        resolve_loss(sv.NegativeBinomial(theta=wrong))


def test_responses_that_a_loss_is_not_for():
    with pytest.raises(ValueError, match=r"y\[1\] = 2, but loss='logistic' takes numbers from 0"):
        sv.Logistic().check_y(np.array([0.0, 2.0]))
    with pytest.raises(ValueError, match=r"y\[0\] = -1 is negative, but loss='poisson'"):
        sv.Poisson().check_y(np.array([-1.0, 2.0]))
    with pytest.raises(ValueError, match="loss='negative_binomial' takes counts"):
        sv.NegativeBinomial().check_y(np.array([3.0, -0.5]))
    sv.Poisson().check_y(np.array([0.5, 2.25]))  # fractions are allowed


@every
def test_null_shift_is_the_best_constant(loss):
    rng = np.random.default_rng(5)
    y, offset = responses(loss, rng, 60), rng.normal(size=60)
    omega = rng.dirichlet(np.ones(60))
    best = null_shift(loss, y, omega, offset)
    # The slope there is as small as the rounding of its terms and of the constant.
    size = float(omega @ (np.abs(y) + np.abs(loss.mean(offset + best))))
    bend = float(omega @ loss.curvature(offset + best, y)) * abs(best)
    assert abs(omega @ loss.gradient(offset + best, y)) <= FEW_OPS * (size + bend)
    if loss.name != "huber":
        alone = null_shift(loss, y, omega)
        assert loss.mean(alone) == pytest.approx(omega @ y, rel=1e-12)


def test_null_shift_where_no_constant_is_best():
    omega = np.full(4, 0.25)
    assert null_shift(sv.Logistic(), np.zeros(4), omega) == -np.inf
    assert null_shift(sv.Logistic(), np.ones(4), omega) == np.inf
    assert null_shift(sv.Poisson(), np.zeros(4), omega) == -np.inf
    # A row of weight zero says nothing.
    assert null_shift(sv.Logistic(), np.array([1.0, 1.0, 0.0]), np.array([0.5, 0.5, 0.0])) == np.inf


class LogCosh:
    """A user's loss."""

    def value(self, eta, y):
        r = np.abs(y - eta)
        return r + np.log1p(np.exp(-2.0 * r)) - np.log(2.0)

    def gradient(self, eta, y):
        return np.tanh(eta - y)

    def curvature(self, eta, y):
        return np.cosh(np.clip(eta - y, -300, 300)) ** -2.0

    def minimum(self, y):
        return np.zeros_like(y)


def broken(**methods):
    """Make a class with some methods of LogCosh replaced."""
    return type("Broken", (LogCosh,), methods)()


Y = np.array([-3.0, 0.0, 0.5, 4.0])


def test_own_loss_is_used_as_it_is():
    own = resolve_loss(LogCosh())
    own.check_y(Y)
    assert own.has_minimum
    assert np.array_equal(own.value(0.0, Y), LogCosh().value(np.zeros(4), Y))
    assert np.array_equal(own.mean(Y), Y)
    assert np.all(np.isinf(own.lipschitz(Y)))
    assert np.array_equal(own.for_core().minimum(Y), np.zeros(4))
    assert resolve_loss(own) is own
    symmetric = np.array([-2.0, 0.0, 1.0, 3.0])  # about 1/2
    assert null_shift(own, symmetric, np.full(4, 0.25)) == pytest.approx(0.5)


def test_a_subclass_of_a_built_in_has_its_own_formulas():
    class Heavy(sv.Logistic):
        def value(self, eta, y):
            return 2.0 * super().value(eta, y)

        def gradient(self, eta, y):
            return 2.0 * super().gradient(eta, y)

        def curvature(self, eta, y):
            return 2.0 * super().curvature(eta, y)

    heavy = resolve_loss(Heavy())
    assert isinstance(heavy, OwnLoss)
    heavy.check_y(np.array([0.0, 1.0]))
    assert heavy.value(0.0, 1.0) == 2.0 * sv.Logistic().value(0.0, 1.0)


@pytest.mark.parametrize(
    ("loss", "error", "message"),
    [
        (broken(gradient=lambda self, eta, y: eta), ValueError, "gradient is not the derivative"),
        (broken(curvature=lambda self, eta, y: eta**2), ValueError, "curvature is not the deriv"),
        (broken(curvature=lambda self, eta, y: -1.0 + 0 * eta), ValueError, "is negative"),
        (broken(value=lambda self, eta, y: np.inf + 0 * eta), ValueError, "value.* is inf"),
        (broken(value=lambda self, eta, y: 1.0), TypeError, r"returned shape \(\)"),
        (broken(value=lambda self, eta, y: 1.0 if eta > 0 else 0.0), TypeError, "value failed"),
        (broken(minimum=lambda self, y: 1.0 + 0 * y), ValueError, r"minimum\(-3\) is 1, but"),
    ],
)
def test_own_loss_with_wrong_formulas(loss, error, message):
    with pytest.raises(error, match=f"loss Broken: .*{message}|loss Broken: {message}"):
        resolve_loss(loss).check_y(Y)


def test_own_loss_that_is_no_number_in_the_middle_of_a_fit():
    far = broken(value=lambda self, eta, y: np.where(np.abs(eta) > 60.0, np.nan, eta**2 + 0 * y))
    with pytest.raises(ValueError, match=r"loss Broken: value\(100, 0\) is nan; return a number"):
        resolve_loss(far).value([100.0], [0.0])


def test_own_loss_without_methods():
    class Value:
        def value(self, eta, y):
            return eta

    with pytest.raises(TypeError, match="loss of type Value is not a loss: it needs the methods"):
        resolve_loss(Value())
