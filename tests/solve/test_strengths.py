"""How strong minima are: what ``minimum=`` promises, what certificates say of it, bad input."""

import itertools
import re
import warnings

import numpy as np
import pytest
from forged_files import forge
from fuzz.strengths import complaints_of
from penalties_under_test import PENALTIES, Geman
from problems import ar_design, response, toy
from scipy import sparse
from tolerances import (
    BISECTED,
    DEFAULT_KKT,
    FLOAT32_DATA,
    JUDGED_KKT,
    JUDGED_MOVE,
    MOVE_ROUNDING,
    TIE,
)

import sparsieve as sv
from sparsieve.files.checkpoint import CheckpointError
from sparsieve.solve.problem import MINIMA

every_penalty = pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES.keys())
stronger = pytest.mark.parametrize("minimum", MINIMA[1:])


@pytest.fixture(scope="module")
def alike():
    """Return columns of unequal sizes that are much like their neighbours."""
    X = ar_design(40, 80, 0.9, seed=3) * np.random.default_rng(4).uniform(0.2, 1.5, 80)
    return np.asfortranarray(X), response(X, n_active=5, noise=0.3, seed=5) + 1.0


def assert_as_strong_as_it_says(X, y, path, **options):
    """Let the judges look at every point of a path."""
    size = 0.5 * np.mean(y * y)
    for point in path.points:
        coef = path.coef_at(point.alpha)
        args = (X, y, coef, point.intercept)
        given = {"penalty": path.penalty, "alpha": point.alpha, **options}
        assert point.converged
        plain = {k: v for k, v in given.items() if k != "fit_intercept"}
        assert sv.kkt_violation(*args, **plain) <= JUDGED_KKT
        allowed = JUDGED_MOVE * point.objective + MOVE_ROUNDING * size
        if point.minimum != "stationary":
            assert sv.coordinatewise_violation(*args, **given) <= allowed
        if point.minimum == "swap":
            assert sv.swap_violation(*args, **given) <= allowed


# ------------------------------------------------------------------------------- what is found


@every_penalty
@stronger
def test_the_judge_agrees_with_what_points_are_called(alike, penalty, minimum):
    X, y = alike
    path = sv.sparse_path(X, y, penalty, alphas=8, eps=0.05, minimum=minimum)
    assert set(path.minimum) == {minimum}
    assert_as_strong_as_it_says(X, y, path)


@pytest.mark.parametrize("penalty", [sv.MCP(0.5), sv.LogSum(0.1), sv.SCAD(), Geman()])
def test_so_does_it_with_weights_signs_and_without_an_intercept(alike, penalty):
    X, y = alike
    weights = np.random.default_rng(0).uniform(0.5, 2.0, X.shape[1])
    weights[[3, 8]] = 0.0, np.inf
    options = {
        "weights": weights,
        "positive": True,
        "sample_weight": np.linspace(0.2, 2.0, len(y)),
        "fit_intercept": False,
    }
    path = sv.sparse_path(X, y, penalty, alphas=6, eps=0.1, minimum="swap", **options)
    assert set(path.minimum) == {"swap"}
    assert_as_strong_as_it_says(X, y, path, **options)


def test_a_swap_improves_where_walking_down_ends(hard):
    X, y = hard
    plain = sv.sparse_path(X, y, "mcp", alphas=15, eps=0.05, start="previous")
    alphas = plain.alphas
    # From each point of that path itself: moves only ever lower the objective.
    better, swaps = 0, 0
    for alpha, point in zip(alphas, plain.points, strict=True):
        coef = plain.coef_at(alpha)
        given = sv.sparse_path(X, y, "mcp", alphas=[alpha], start=coef, minimum="swap")
        assert given.objective[0] <= point.objective * (1 + TIE)
        better += given.objective[0] < point.objective * (1 - 1e-3)
        left = sv.swap_violation(X, y, coef, point.intercept, penalty="mcp", alpha=alpha)
        swaps += left > 1e-3 * point.objective
    assert better >= 3
    assert swaps >= 2


def test_stronger_minima_are_not_above_weaker_ones_from_the_same_start(hard):
    X, y = hard
    alphas = sv.alpha_max(X, y, "mcp") * np.geomspace(0.8, 0.05, 10)
    paths = [sv.sparse_path(X, y, "mcp", alphas=alphas, minimum=minimum) for minimum in MINIMA]
    for weaker, better in itertools.pairwise(paths):
        assert np.all(better.objective <= weaker.objective * (1 + TIE))


# ---------------------------------------------------------------------- storages and threads


def test_dense_and_sparse_data_lead_to_the_same_points(alike):
    X, y = alike
    rng = np.random.default_rng(1)
    X = np.where(rng.random(X.shape) < 0.4, X, 0.0)
    options = {"alphas": 8, "eps": 0.1, "minimum": "swap", "tol": 1e-9}
    one = sv.sparse_path(np.asfortranarray(X), y, "mcp", **options)
    two = sv.sparse_path(sparse.csc_array(X), y, "mcp", **options)
    # Sums in another order may decide a tie of two swaps, but no point of either is improvable.
    for path in (one, two):
        assert set(path.minimum) == {"swap"}
    # The same basins: objectives of one point to tol 1e-9 agree to the size of a tie and more.
    np.testing.assert_allclose(one.objective, two.objective, rtol=1e-9)


def test_float32_data_are_solved_as_they_are(alike):
    X, y = alike
    small = np.asfortranarray(X, dtype=np.float32)
    path = sv.sparse_path(small, y, "mcp", alphas=8, eps=0.1, minimum="swap")
    assert_as_strong_as_it_says(small, y, path)
    same = sv.sparse_path(small.astype(np.float64), y, "mcp", alphas=8, eps=0.1, minimum="swap")
    np.testing.assert_allclose(path.objective, same.objective, rtol=FLOAT32_DATA)


def test_the_number_of_threads_changes_no_bit(hard):
    X, y, _ = toy(n_samples=120, n_features=1500, n_active=12, noise=1.0, seed=2)
    for A, b in (hard, (X, y)):
        paths = [
            sv.sparse_path(A, b, "mcp", alphas=20, eps=0.1, minimum="swap", n_jobs=jobs)
            for jobs in (1, 2)
        ]
        for name in ("objective", "kkt", "intercepts", "minimum"):
            one, two = (getattr(path, name) for path in paths)
            np.testing.assert_array_equal(one, two)
        for one, two in zip(paths[0].points, paths[1].points, strict=True):
            np.testing.assert_array_equal(one.values, two.values)


# -------------------------------------------------------------------------------- alpha_max


def correlations(X, y):
    centred = X - X.mean(axis=0)
    return np.abs(centred.T @ (y - y.mean())) / len(y), np.mean(centred**2, axis=0)


@pytest.mark.parametrize("gamma", [0.3, 1.0, 3.0])
@stronger
def test_alpha_max_of_mcp_is_its_formula(alike, gamma, minimum):
    X, y = alike
    c, h = correlations(X, y)
    expected = np.max(c / np.minimum(1.0, np.sqrt(gamma * h)))
    found = sv.alpha_max(X, y, sv.MCP(gamma), minimum=minimum)
    np.testing.assert_allclose(found, expected, rtol=BISECTED)


@pytest.mark.parametrize("theta", [0.05, 0.5, 5.0])
@stronger
def test_alpha_max_of_capped_l1_is_its_formula(alike, theta, minimum):
    X, y = alike
    c, h = correlations(X, y)
    expected = np.max(np.maximum(c, c * c / (2.0 * theta * h)))
    found = sv.alpha_max(X, y, sv.CappedL1(theta), minimum=minimum)
    np.testing.assert_allclose(found, expected, rtol=BISECTED)


@pytest.mark.parametrize(
    "penalty", [sv.MCP(0.5), sv.MCP(), sv.SCAD(), sv.CappedL1(0.1), sv.LogSum(0.1), sv.Lq(), "user"]
)
@stronger
def test_zero_stays_at_alpha_max_and_is_left_below(alike, penalty, minimum):
    X, y = alike
    penalty = Geman() if penalty == "user" else penalty
    largest = sv.alpha_max(X, y, penalty, minimum=minimum)
    assert largest >= sv.alpha_max(X, y, penalty)
    zeros = np.zeros(X.shape[1])
    sizes = {}
    for share in (1.0, 0.999):
        model = sv.SparseRegressor(penalty, share * largest, start=zeros, minimum=minimum, tol=1e-8)
        sizes[share] = np.count_nonzero(model.fit(X, y).coef_)
        assert model.certificate_.minimum == minimum
    assert sizes[1.0] == 0
    assert sizes[0.999] > 0


@every_penalty
@pytest.mark.parametrize("start", ["lasso", "previous", "best"])
def test_a_grid_begins_with_an_empty_point(alike, penalty, start):
    X, y = alike
    path = sv.sparse_path(X, y, penalty, alphas=6, eps=0.1, start=start, minimum="swap")
    assert path.support_size[0] == 0
    assert path.alphas[0] >= sv.alpha_max(X, y, penalty)


# ------------------------------------------------------------------------------ certificates


def test_paths_and_certificates_say_how_strong_a_point_is(alike):
    X, y = alike
    alpha = 0.2 * sv.alpha_max(X, y, "mcp")
    words = {
        "stationary": "strict local minimum on its support; duality gap",
        "coordinatewise": "no change of a single coefficient lowers the objective by more than tol",
        "swap": "no change of a single coefficient and no exchange of two features lowers",
    }
    for minimum in MINIMA:
        certificate = sv.SparseRegressor("mcp", alpha, minimum=minimum).fit(X, y).certificate_
        assert certificate.minimum == minimum
        assert (certificate.lower_bound, certificate.scope) == (None, None)
        assert words[minimum] in str(certificate)
        assert "global" not in str(certificate)
        path = sv.sparse_path(X, y, "mcp", alphas=[alpha], minimum=minimum)
        assert list(path.minimum) == [minimum]
        assert f" {minimum} " in path.summary()


@pytest.mark.parametrize("minimum", MINIMA)
def test_the_lasso_has_every_strength_and_a_bound(alike, minimum):
    X, y = alike
    plain = sv.sparse_path(X, y, "l1", alphas=6, eps=0.1)
    path = sv.sparse_path(X, y, "l1", alphas=6, eps=0.1, minimum=minimum)
    assert set(path.minimum) == {minimum}
    np.testing.assert_array_equal(path.objective, plain.objective)
    model = sv.SparseRegressor("l1", 0.1, minimum=minimum).fit(X, y)
    certificate = model.certificate_
    assert certificate.scope == "unconditional"
    assert certificate.lower_bound == certificate.objective - max(certificate.dual_gap, 0.0)
    assert "above the global minimum" in str(certificate)


def convex_problems():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((40, 5)) * rng.uniform(0.8, 1.5, 5)
        y = X @ np.where(rng.random(5) < 0.5, 1.0, 0.0) + 0.5 * rng.standard_normal(40)
        penalty = [sv.MCP(8.0), sv.SCAD(9.0), sv.LogSum(2.0), sv.Lq(0.5, 1.0)][seed % 4]
        yield rng, X, y, penalty, float(rng.uniform(0.05, 0.3)), seed % 3 == 1


def test_claims_of_global_minima_are_never_refuted():
    for rng, X, y, penalty, alpha, positive in convex_problems():
        options = {"positive": positive, "minimum": "swap"}
        model = sv.SparseRegressor(penalty, alpha, **options).fit(X, y)
        certificate = model.certificate_
        assert certificate.scope == "unconditional"
        assert "the global minimum: the whole problem is convex here" in str(certificate)
        assert certificate.lower_bound <= certificate.objective
        assert (
            certificate.objective - certificate.lower_bound <= DEFAULT_KKT * certificate.objective
        )
        for _ in range(30):
            start = 3.0 * rng.standard_normal(5) * (rng.random(5) < 0.7)
            other = sv.SparseRegressor(penalty, alpha, start=start, **options).fit(X, y)
            assert other.objective_ >= certificate.lower_bound


def test_no_global_claims_without_a_reason():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 30)), rng.standard_normal(20)
    for columns, penalty in [(30, sv.MCP(100.0)), (20, sv.MCP(100.0)), (5, sv.MCP(0.5))]:
        model = sv.SparseRegressor(penalty, 0.1).fit(X[:, :columns], y)
        assert model.certificate_.lower_bound is None
        assert "global" not in str(model.certificate_)
    own = sv.SparseRegressor(Geman(), 1e-3).fit(X[:, :3], y)
    assert own.certificate_.lower_bound is None  # nothing is known of a user's formulas


@pytest.mark.parametrize("alpha", [1e-4, 1e-2, 0.5])
def test_capped_l1_is_never_called_convex(alpha):
    # A small alpha has a small kink, and two minima all the same: a steepest slope found on a grid
    # does not show it.
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    y = X @ np.array([1.0, 1.0, 0.0]) + 0.1 * rng.standard_normal(40)
    model = sv.SparseRegressor(sv.CappedL1(1.0), alpha).fit(X, y)
    assert model.certificate_.lower_bound is None


@pytest.mark.parametrize("penalty", ["l1", "mcp", Geman()], ids=["L1", "MCP", "own"])
def test_with_every_feature_excluded_there_is_a_certificate(penalty):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 3)), rng.standard_normal(20)
    model = sv.SparseRegressor(penalty, 0.1, weights=np.full(3, np.inf), minimum="swap").fit(X, y)
    assert model.certificate_.minimum == "swap"
    assert not model.coef_.any()


# ------------------------------------------------------------------------------ early ends


@pytest.mark.parametrize("penalty", [sv.MCP(), Geman()], ids=["MCP", "own"])
def test_a_short_time_leaves_points_that_are_what_they_say(hard, penalty):
    X, y = hard
    alphas = sv.alpha_max(X, y, penalty) * np.array([0.3, 0.1])
    for max_time in (1e-9, *np.geomspace(1e-4, 1e-1, 25)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = sv.sparse_path(X, y, penalty, alphas=alphas, minimum="swap", max_time=max_time)
        assert len(path) >= 1
        for point in path.points:
            if not point.converged:
                assert point.minimum == "stationary"
                continue
            coef = path.coef_at(point.alpha)
            args = {"penalty": penalty, "alpha": point.alpha}
            assert sv.kkt_violation(X, y, coef, point.intercept, **args) <= JUDGED_KKT


# ---------------------------------------------------------------------------------- bad input


CALLS = {
    "sparse_path": lambda X, y, m: sv.sparse_path(X, y, alphas=3, minimum=m),
    "SparseRegressor": lambda X, y, m: sv.SparseRegressor(alpha=0.1, minimum=m).fit(X, y),
    "SparseRegressorCV": lambda X, y, m: sv.SparseRegressorCV(alphas=3, minimum=m).fit(X, y),
    "SparseRegressorIC": lambda X, y, m: sv.SparseRegressorIC(alphas=3, minimum=m).fit(X, y),
    "sparse_surface": lambda X, y, m: sv.sparse_surface(X, y, alphas=3, minimum=m),
    "stability": lambda X, y, m: sv.stability_selection(X, y, n_pairs=2, alphas=5, minimum=m),
    "alpha_max": lambda X, y, m: sv.alpha_max(X, y, minimum=m),
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())


@every_call
@pytest.mark.parametrize("minimum", ["global", "", None, 2, ["swap"], np.array(["swap", "swap"])])
def test_an_unknown_minimum_is_refused_by_name(alike, call, minimum):
    with pytest.raises(ValueError, match=r"minimum=.* is not known; use one of 'stationary'"):
        call(*alike, minimum)


@every_call
@pytest.mark.parametrize("minimum", MINIMA)
def test_every_call_knows_every_minimum(call, minimum):
    X, y, _ = toy(n_samples=40, n_features=15, n_active=3, noise=0.3, seed=1)
    call(X, y, minimum)


class Bent:
    """A user's penalty that is concave but for one strength, which no check meets before."""

    def value(self, abs_w, alpha):
        convex = np.isclose(alpha, 0.0123)
        return alpha * np.where(convex, np.sinh(np.minimum(abs_w, 9.0)), abs_w / (1.0 + abs_w))

    def slope(self, abs_w, alpha):
        convex = np.isclose(alpha, 0.0123)
        return alpha * np.where(convex, np.cosh(np.minimum(abs_w, 9.0)), 1 / (1 + abs_w) ** 2)


class Square:
    """No penalty of ours: convex."""

    def value(self, abs_w, alpha):
        return alpha * (abs_w + abs_w**2)

    def slope(self, abs_w, alpha):
        return alpha * (1.0 + 2.0 * abs_w)


@stronger
def test_a_penalty_that_is_not_concave_is_refused_in_words(minimum):
    X, y, _ = toy(n_samples=40, n_features=15, n_active=3, noise=0.3, seed=1)
    with pytest.raises(ValueError, match=r"value must be concave"):
        sv.sparse_path(X, y, Square(), alphas=3, minimum=minimum)
    message = re.escape("not concave between t=") + ".*" + re.escape("use minimum='stationary'")
    with pytest.raises(ValueError, match=message):
        sv.sparse_path(X, y, Bent(), alphas=[0.0123], minimum=minimum, start=np.ones(15))


# ------------------------------------------------------------------------------------ files


def test_a_checkpoint_of_another_strength_is_refused_by_name(alike, tmp_path):
    X, y = alike
    file = tmp_path / "run.checkpoint"

    def run(minimum):
        return sv.SparseRegressorCV(alphas=4, eps=0.1, cv=3, minimum=minimum, checkpoint=file).fit(
            X, y
        )

    first = run("swap")
    with pytest.raises(CheckpointError, match="minimum='swap', this run has minimum='stationary'"):
        run("stationary")
    again = run("swap")  # from the file
    np.testing.assert_array_equal(again.coef_, first.coef_)


def test_model_files_keep_the_strength(alike, tmp_path):
    X, y = alike
    model = sv.SparseRegressorIC("mcp", alphas=6, eps=0.1, minimum="swap").fit(X, y)
    model.save(tmp_path / "m.json")
    loaded = sv.load_model(tmp_path / "m.json")
    assert loaded.minimum == "swap"
    assert loaded.certificate_ == model.certificate_
    assert list(loaded.path_.minimum) == list(model.path_.minimum)


def test_old_model_files_are_of_stationary_points(alike, tmp_path):
    X, y = alike
    model = sv.SparseRegressorIC("mcp", alphas=6, eps=0.1, minimum="swap").fit(X, y)
    model.save(tmp_path / "m.json")
    body = (tmp_path / "m.json").read_text(encoding="utf-8").splitlines()[1]
    old = re.sub(r',"(minimum|lower_bound|scope)":("[a-z]+"|null|[-+.e\d]+)', "", body)
    assert "minimum" not in old.replace("strict_minimum", "").replace("local minimum", "")
    loaded = sv.load_model(forge(tmp_path / "old.json", old.encode()))
    assert loaded.minimum == "stationary"
    assert loaded.certificate_.minimum == "stationary"
    assert (loaded.certificate_.lower_bound, loaded.certificate_.scope) == (None, None)
    assert set(loaded.path_.minimum) == {"stationary"}
    np.testing.assert_array_equal(loaded.coef_, model.coef_)


def test_no_swap_is_ruled_out_that_was_not_tried():
    # Two unpenalised columns are multiples of each other, and the one that is left out may take the
    # place of a penalised feature: found by the fuzzer.
    g = np.random.default_rng(3)
    X = g.standard_normal((16, 12))
    X[:, 5] = -2.0 * X[:, 4]
    y = X[:, :4] @ [1.0, -1.0, 0.5, 0.2] + X[:, 4] + 0.3 * g.standard_normal(16)
    weights = np.ones(12)
    weights[[4, 5]] = 0.0
    path = sv.sparse_path(
        X, y, sv.CappedL1(0.05), alphas=12, eps=0.01, weights=weights, minimum="swap"
    )
    assert np.all(path.converged)
    assert set(path.minimum) == {"coordinatewise"}
    assert complaints_of(9416449) == []
