"""Penalties: formulas against each other, limits, parameters, a user's own class, alpha_max."""

import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.base import clone
from tolerances import FEW_OPS, HUGE_SHAPE, QUADRATURE

import sparsieve as sv
from sparsieve.penalties import resolve_penalty
from sparsieve.penalties.alphas import alpha_max_for, alpha_without_jumps

BUILT_IN = [sv.L1(), sv.LogSum(), sv.MCP(), sv.SCAD(), sv.CappedL1(), sv.Lq()]
NAMES = ["l1", "logsum", "mcp", "scad", "capped_l1", "lq"]
ids = [type(p).__name__ for p in BUILT_IN]

positive = st.floats(1e-3, 1e3)
sizes = st.floats(0.0, 1e4, allow_subnormal=False)


@st.composite
def any_penalty(draw):
    return draw(
        st.one_of(
            st.just(sv.L1()),
            positive.map(sv.LogSum),
            positive.map(sv.MCP),
            st.floats(2.01, 1e3).map(sv.SCAD),
            positive.map(sv.CappedL1),
            st.builds(sv.Lq, st.floats(0.05, 1.0), st.floats(1e-6, 1.0)),
        )
    )


@given(any_penalty(), positive, sizes, st.floats(1e-6, 1e2))
def test_slope_is_the_derivative_of_value(penalty, alpha, t, step):
    """The chord of a concave function lies between the slopes at its ends, however short it is."""
    a, b = t, t + step * max(t, 1e-3)
    step = b - a
    low, high = penalty.slope([b, a], alpha)
    value_a, value_b = penalty.value([a, b], alpha)
    slack = FEW_OPS * (value_a + value_b + high * step)
    assert low * step - slack <= value_b - value_a <= high * step + slack


@given(any_penalty(), positive, st.lists(sizes, min_size=2, max_size=20))
def test_slope_is_finite_non_negative_and_non_increasing(penalty, alpha, points):
    slope = penalty.slope(np.sort([0.0, *points]), alpha)
    assert np.all(np.isfinite(slope))
    assert np.all(slope >= 0)
    assert np.all(np.diff(slope) <= FEW_OPS * slope[:-1])


@given(any_penalty(), positive, sizes, sizes)
def test_tangent_majorises(penalty, alpha, t, t0):
    """r(t) <= r(t0) + r'(t0) (t - t0): the inequality that makes reweighting a descent method."""
    value, value0 = penalty.value([t, t0], alpha)
    tangent = float(penalty.slope([t0], alpha)[0]) * (t - t0)
    assert value <= value0 + tangent + FEW_OPS * (value + value0 + abs(tangent))


@given(any_penalty(), st.lists(st.tuples(sizes, positive), min_size=1, max_size=8))
def test_array_alpha_equals_one_alpha_at_a_time(penalty, pairs):
    t, alpha = np.array(pairs).T
    for method in (penalty.value, penalty.slope):
        together = method(t, alpha)
        assert together.shape == t.shape
        one_by_one = [float(method(t[k], alpha[k])) for k in range(t.size)]
        np.testing.assert_allclose(together, one_by_one, rtol=FEW_OPS, atol=0.0)


@given(any_penalty(), positive, st.floats(1e-3, 1e2))
def test_value_is_the_integral_of_slope(penalty, alpha, t):
    """Ties the absolute level of value to slope; breakpoints are handed to the quadrature."""
    gamma = getattr(penalty, "gamma", 1.0)
    candidates = [
        alpha,
        gamma * alpha,
        getattr(penalty, "theta", 1.0),
        getattr(penalty, "eps", 1.0),
    ]
    breaks = sorted({float(b) for b in candidates if 0 < b < t})
    integral = sum(
        quad(lambda s: float(penalty.slope(s, alpha)), lo, hi, epsabs=0, epsrel=1e-12, limit=400)[0]
        for lo, hi in zip([0.0, *breaks], [*breaks, t], strict=True)
        if float(penalty.slope(lo, alpha)) > 0
    )
    assert float(penalty.value(t, alpha)) == pytest.approx(integral, rel=QUADRATURE)


@given(positive, st.floats(2.01, 50.0), sizes)
def test_scad_is_table_1_of_the_paper(alpha, gamma, t):
    if t <= alpha:
        expected = alpha * t
    elif t <= gamma * alpha:
        expected = (2 * gamma * alpha * t - t**2 - alpha**2) / (2 * (gamma - 1))
    else:
        expected = alpha**2 * (gamma + 1) / 2
    # The printed middle piece cancels: its terms are up to gamma times larger than their sum.
    assert float(sv.SCAD(gamma).value(t, alpha)) == pytest.approx(expected, rel=FEW_OPS * gamma)


@given(positive, st.lists(st.floats(0.0, 100.0), min_size=1, max_size=10))
@pytest.mark.parametrize(
    "limit",
    [sv.MCP(1e11), sv.SCAD(1e11), sv.CappedL1(1e8), sv.Lq(q=1.0)],
    ids=["MCP", "SCAD", "CappedL1", "Lq"],
)
def test_limits_are_l1(limit, alpha, points):
    for method in ("value", "slope"):
        np.testing.assert_allclose(
            getattr(limit, method)(points, alpha),
            getattr(sv.L1(), method)(points, alpha),
            rtol=HUGE_SHAPE,
        )


@given(positive, st.floats(0.0, 1.0))
def test_log_sum_with_large_theta_is_scaled_l1(alpha, t):
    theta = 1e8
    assert float(sv.LogSum(theta).value(t, alpha * theta)) == pytest.approx(
        alpha * t, rel=HUGE_SHAPE
    )


@pytest.mark.parametrize("penalty", BUILT_IN, ids=ids)
def test_zero_and_infinite_alpha(penalty):
    """alpha * weight is 0 for an unpenalised and inf for an excluded feature."""
    t = np.array([0.0, 1.0, 5.0])
    np.testing.assert_array_equal(penalty.slope(t, 0.0), 0.0)
    np.testing.assert_array_equal(penalty.value(t, 0.0), 0.0)
    assert penalty.slope(0.0, np.inf) == np.inf
    assert np.all(penalty.value([0.0], 1.0) == 0.0)


def test_capped_l1_takes_the_right_derivative_at_its_kink():
    np.testing.assert_array_equal(
        sv.CappedL1(theta=1.0).slope([np.nextafter(1.0, 0.0), 1.0], 0.3), [0.3, 0.0]
    )


@pytest.mark.parametrize(("name", "penalty"), list(zip(NAMES, BUILT_IN, strict=True)), ids=NAMES)
def test_names_mean_the_defaults(name, penalty):
    for spelling in (name, name.upper()):
        resolved = resolve_penalty(spelling)
        assert type(resolved) is type(penalty)
        assert resolved.get_params() == penalty.get_params()


@pytest.mark.parametrize("penalty", BUILT_IN, ids=ids)
def test_clones_pickles_and_takes_parameters(penalty):
    for copy in (clone(penalty), pickle.loads(pickle.dumps(penalty))):
        assert copy is not penalty
        assert copy.get_params() == penalty.get_params()
    for parameter in penalty.get_params():
        assert clone(penalty).set_params(**{parameter: 0.9}).get_params()[parameter] == 0.9
    assert resolve_penalty(penalty) is penalty


def test_core_spec_tells_kind_and_parameters():
    specs = [p.core_spec() for p in BUILT_IN]
    assert specs == [
        ("l1", 0.0, 0.0),
        ("logsum", 0.1, 0.0),
        ("mcp", 3.0, 0.0),
        ("scad", 3.7, 0.0),
        ("capped_l1", 1.0, 0.0),
        ("lq", 0.5, 0.01),
    ]


def test_subclass_with_its_own_formulas_has_no_core_spec():
    class Halved(sv.MCP):
        def value(self, abs_w, alpha):
            return 0.5 * super().value(abs_w, alpha)

        def slope(self, abs_w, alpha):
            return 0.5 * super().slope(abs_w, alpha)

    class Renamed(sv.MCP):
        pass

    assert not hasattr(Halved(), "core_spec")
    assert Renamed().core_spec() == ("mcp", 3.0, 0.0)
    assert resolve_penalty(Halved()).slope(np.zeros(1), 1.0) == 0.5
    with pytest.raises(ValueError, match="Halved: gamma"):
        resolve_penalty(Halved(gamma=-1.0))


@pytest.mark.parametrize(
    ("bad", "argument"),
    [(sv.MCP(gamma=g), "MCP: gamma") for g in (0, -1.0, np.nan, np.inf, "3", None, True, 1j)]
    + [(sv.SCAD(gamma=g), "SCAD: gamma") for g in (2, 1.5, np.nan)]
    + [(sv.LogSum(theta=t), "LogSum: theta") for t in (0.0, -1, np.nan)]
    + [(sv.CappedL1(theta=t), "CappedL1: theta") for t in (0.0, -1, np.inf)]
    + [(sv.Lq(q=q), "Lq: q") for q in (0.0, 1.1, np.nan, -0.5)]
    + [(sv.Lq(eps=e), "Lq: eps") for e in (0.0, -1e-3, np.nan)],
)
def test_impossible_parameters_are_refused_with_name_and_remedy(bad, argument):
    with pytest.raises(ValueError, match=rf"{argument} must be .*; use e\.g\."):
        resolve_penalty(bad)


def test_numpy_numbers_are_numbers():
    for gamma in (np.float32(3.0), np.int64(3), 3):
        assert resolve_penalty(sv.MCP(gamma)).core_spec() == ("mcp", 3.0, 0.0)


class Geman:
    """A user's own penalty: alpha t / (t + theta)."""

    def __init__(self, theta=1.0):
        self.theta = theta

    def value(self, abs_w, alpha):
        return alpha * abs_w / (abs_w + self.theta)

    def slope(self, abs_w, alpha):
        return alpha * self.theta / (abs_w + self.theta) ** 2


def variant(**methods):
    return type("Variant", (Geman,), methods)()


def test_user_penalty_is_accepted_as_it_is():
    mine = Geman()
    assert resolve_penalty(mine) is mine


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (3, TypeError, "needs the methods value"),
        (None, TypeError, "needs the methods value"),
        (object(), TypeError, "needs the methods value"),
        (sv.MCP, TypeError, r"pass an instance: MCP\(\)"),
        ("ridge", ValueError, "use one of 'l1', 'logsum'"),
        (variant(slope=lambda s, t, a: -a / (1 + t)), ValueError, "negative"),
        (variant(slope=lambda s, t, a: a * t), ValueError, "increases"),
        (variant(slope=lambda s, t, a: a / np.sqrt(t)), ValueError, "must be finite"),
        (variant(slope=lambda s, t, a: a * np.where(t == 0, np.nan, 0)), ValueError, "finite"),
        (variant(slope=lambda s, t, a: a * np.where(t < 9, 1, np.nan)), ValueError, "not finite"),
        (variant(slope=lambda s, t, a: 1.01 * Geman().slope(t, a)), ValueError, "derivative"),
        (variant(value=lambda s, t, a: a * np.log(t)), ValueError, "value.0.* not finite"),
        (variant(slope=lambda s, t, a: a), TypeError, "one number per entry"),
        (variant(slope=lambda s, t, a: a if t < 1 else 0.0), TypeError, "np.where instead of if"),
        (variant(slope=lambda s, t, a: np.max(a) / (1 + t) ** 2), ValueError, "one alpha per coef"),
        (variant(value=lambda s, t, a: float(a) * t / (1 + t)), TypeError, "alpha an array"),
    ],
)
def test_unusable_penalties_are_refused_with_a_remedy(bad, error, message):
    with pytest.raises(error, match=message):
        resolve_penalty(bad)


correlations = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=6)


@given(any_penalty(), correlations, st.data())
def test_zero_is_stationary_at_alpha_max_and_not_below(penalty, c, data):
    weight = st.sampled_from([0.0, 0.3, 1.0, 7.0, np.inf])
    weights = np.array(data.draw(st.lists(weight, min_size=len(c), max_size=len(c))))
    c = np.array(c)
    alpha = alpha_max_for(penalty, c, weights)
    counts = (weights > 0) & np.isfinite(weights)
    zero = np.zeros(np.count_nonzero(counts))
    assert np.all(penalty.slope(zero, alpha * weights[counts]) >= np.abs(c[counts]))
    assume(alpha > 1e-200)
    below = alpha * (1 - FEW_OPS)
    assert not np.all(penalty.slope(zero, below * weights[counts]) >= np.abs(c[counts]))


def test_alpha_max_of_a_penalty_not_linear_in_alpha():
    class Root(Geman):
        def value(self, abs_w, alpha):
            return super().value(abs_w, np.sqrt(alpha))

        def slope(self, abs_w, alpha):
            return super().slope(abs_w, np.sqrt(alpha))

    alpha = alpha_max_for(resolve_penalty(Root()), [0.1, -3.0, 2.0])
    assert np.sqrt(alpha) >= 3.0
    assert np.sqrt(np.nextafter(alpha, 0.0)) < 3.0


def test_alpha_max_of_nothing_is_zero():
    assert alpha_max_for(sv.MCP(), [0.0, 0.0]) == 0.0
    assert alpha_max_for(sv.MCP(), [1.0, 2.0], [0.0, np.inf]) == 0.0


def test_alpha_max_of_a_bounded_slope_is_refused():
    class Bounded(Geman):
        def slope(self, abs_w, alpha):
            return super().slope(abs_w, np.minimum(alpha, 1.0))

    with pytest.raises(ValueError, match="grow with alpha"):
        alpha_max_for(Bounded(), [2.0])


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("lasso", sv.L1),
        ("L1", sv.L1),
        ("Log-Sum", sv.LogSum),
        ("log sum", sv.LogSum),
        ("log_sum", sv.LogSum),
        ("MCP", sv.MCP),
        (" scad ", sv.SCAD),
        ("capped-l1", sv.CappedL1),
        ("CappedL1", sv.CappedL1),
        ("bridge", sv.Lq),
    ],
)
def test_names_people_use(said, kind):
    assert type(resolve_penalty(said)) is kind


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="is not known") as error:
        resolve_penalty("ridge")
    for name in [*NAMES, "lasso"]:
        assert repr(name) in str(error.value)


# Defects that were found by trying to break the library.


@pytest.fixture
def small():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 8))
    return X, 2 * X[:, 0] + X[:, 1] + 0.1 * rng.standard_normal(20)


class Listed:
    """A penalty that answers with a list."""

    def value(self, abs_w, alpha):
        return alpha * np.asarray(abs_w)

    def slope(self, abs_w, alpha):
        return list(np.ravel(alpha + 0 * np.asarray(abs_w)))


def test_a_penalty_may_answer_with_a_list(small):
    X, y = small
    ours = sv.sparse_path(X, y, Listed(), alphas=5)
    lasso = sv.sparse_path(X, y, "l1", alphas=5)
    np.testing.assert_allclose(ours.objective, lasso.objective, rtol=1e-12)


def test_a_penalty_that_costs_something_at_zero_is_refused():
    class Offset:
        def value(self, abs_w, alpha):
            return alpha * np.log(abs_w + 0.01)

        def slope(self, abs_w, alpha):
            return alpha / (abs_w + 0.01)

    with pytest.raises(ValueError, match=r"penalty Offset: value\(0, alpha=.*subtract value\(0"):
        resolve_penalty(Offset())


def test_a_penalty_that_never_holds_a_coefficient_at_zero_ends_in_words():
    """Its value is bounded over all alphas, so a large enough coefficient always pays."""

    def thresholds(curvatures, strengths):
        return np.sqrt(2.0 * curvatures * np.minimum(strengths, 1.0))

    with pytest.raises(ValueError, match="at every alpha some coefficient of zero has a better"):
        alpha_without_jumps(
            lambda alpha, of: thresholds(np.ones(of.size), np.full(of.size, alpha)),
            1.0,
            np.full(2, 100.0),
        )
