"""Hypothesis strategies for calls of the public API, mostly right and sometimes not."""

from __future__ import annotations

import time

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from . import api

_SMALL = st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 1e-3, 1e3])
_NUMBERS = _SMALL | st.floats(-100, 100, allow_subnormal=False)
_ODD = st.sampled_from([float("nan"), float("inf"), 1e300, 1e-300, -1e155])


def rarely(odd, usual, one_in=12):
    """Return mostly values of ``usual``, sometimes one of ``odd``."""
    return st.integers(0, one_in - 1).flatmap(lambda k: odd if k == 0 else usual)


@st.composite
def _rows(draw):
    n, d = draw(st.integers(0, 12)), draw(st.integers(0, 6))
    numbers = rarely(_ODD, _NUMBERS, 400)
    rows = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n))
    if d > 1 and draw(st.booleans()):
        rows = [[row[0], *row[:-1]] for row in rows]  # a repeated column
    return rows


_KINDS = st.sampled_from(["dense", "dense", "csc", "csr", "coo", "list", "strided", "read-only"])
_DTYPES = rarely(st.sampled_from(["int64", "bool", "object", "float16"]), st.just("float64"), 8)
_PENALTY_NAMES = st.sampled_from(["l1", "mcp", "scad", "logsum", "capped_l1", "lq"])
_SHAPES = st.sampled_from([0.01, 0.5, 1.5, 3.0, 50.0, -1.0, 0.0, float("nan"), 1e9, "x", None])
_OBJECTS = st.one_of(
    st.just(["L1", {}]),
    st.builds(lambda g: ["MCP", {"gamma": g}], _SHAPES),
    st.builds(lambda g: ["SCAD", {"gamma": g}], _SHAPES),
    st.builds(lambda t: ["LogSum", {"theta": t}], _SHAPES),
    st.builds(lambda t: ["CappedL1", {"theta": t}], _SHAPES),
    st.builds(lambda q, e: ["Lq", {"q": q, "eps": e}], _SHAPES, _SHAPES),
)
_PENALTIES = rarely(st.sampled_from(["", "ridge", 3, None]), _PENALTY_NAMES | _OBJECTS)
_SEVERAL = _PENALTIES | st.builds(
    lambda several: {"several": several}, st.lists(_PENALTIES, min_size=0, max_size=2)
)
_WRONG = st.sampled_from([None, -1, 0, "x", float("nan"), float("inf"), [], True, 1e-320, 10**400])


def _options(draw, name, d):
    """Draw options: each is left out, right, or now and then wrong."""
    vector = st.lists(
        rarely(st.sampled_from([-1.0, float("nan")]), st.sampled_from([0.0, 1.0, 2.0])),
        min_size=d,
        max_size=d,
    )
    known = {
        "fit_intercept": st.booleans(),
        "positive": st.booleans(),
        "weights": vector,
        "tol": st.sampled_from([1e-3, 1e-6, 1e-10]),
        "max_iter": st.sampled_from([1, 5, 300]),
        "n_jobs": st.sampled_from([None, 1, 2, -1, 0, -5]),
        "start": st.sampled_from(["lasso", "previous", "best", "upwards", "given", [0.0]])
        | st.lists(rarely(_ODD, _NUMBERS), min_size=d, max_size=d),
    }
    if name in ("sparse_path", "SparseRegressorCV", "SparseRegressorIC", "sparse_surface"):
        known["alphas"] = st.sampled_from([1, 3, [0.5, 0.1], [0.1, 0.1, 2.0], 1e-3, [], [-1.0]])
        known["eps"] = st.sampled_from([0.5, 1e-2])
    if name == "sparse_path":
        known["max_support"] = st.sampled_from([1, 2, 100])
        known["max_deviance"] = st.sampled_from([0.1, 0.99])
    special = {
        "SparseRegressor": {"alpha": st.sampled_from([1e-6, 0.1, 1.0, 1e6])},
        "SparseRegressorCV": {
            "cv": st.sampled_from([2, 3, 50]),
            "rule": st.sampled_from(["min", "1se", "?"]),
            "relax": st.booleans(),
        },
        "SparseRegressorIC": {"criterion": st.sampled_from(["aic", "bic", "ebic", "cp", "?"])},
        "stability_selection": {
            "n_pairs": st.sampled_from([1, 2]),
            "alphas": st.just(4),
            "q": st.sampled_from([1, 3, 1000]),
            "random_state": st.just(0),
        },
        "local_minima": {"alpha": st.sampled_from([0.1, 1.0]), "random_state": st.just(0)},
        "objective": {"alpha": st.sampled_from([0.1, 1.0, -1.0])},
        "kkt_violation": {"alpha": st.sampled_from([0.1, 1.0, -1.0])},
        "coordinatewise_violation": {"alpha": st.sampled_from([0.1, 1.0, -1.0])},
        "swap_violation": {"alpha": st.sampled_from([0.1, 1.0, -1.0])},
    }.get(name, {})
    allowed = {
        "alpha_max": ("fit_intercept", "positive", "weights"),
        "objective": ("weights",),
        "kkt_violation": ("weights", "positive"),
        "coordinatewise_violation": ("weights", "positive", "fit_intercept"),
        "swap_violation": ("weights", "positive", "fit_intercept"),
        "proximal_weighted_lasso": ("tol",),
        "local_minima": ("fit_intercept", "positive", "weights", "tol", "max_iter"),
    }.get(name)
    if allowed is not None:
        known = {key: value for key, value in known.items() if key in allowed}
    options = {k: draw(rarely(_WRONG, v)) for k, v in known.items() if draw(st.booleans())}
    options |= {k: draw(rarely(_WRONG, v)) for k, v in special.items()}
    if name == "proximal_weighted_lasso":
        options["l1_weights"] = draw(vector)
    return options


@st.composite
def calls(draw):
    """Draw a call of one public function."""
    name = draw(
        st.sampled_from(
            [
                *("sparse_path", "sparse_path", *api.ESTIMATORS, "alpha_max", "objective"),
                *("sparse_surface", "stability_selection", "local_minima", "kkt_violation"),
                *("proximal_weighted_lasso", "coordinatewise_violation", "swap_violation"),
            ]
        )
    )
    rows = draw(_rows())
    n, d = len(rows), len(rows[0]) if rows else 0
    count = draw(rarely(st.sampled_from([0, 1, n + 1]), st.just(n), 30))
    numbers = rarely(_ODD, _NUMBERS, 200)
    call = {
        "function": name,
        "X": (draw(_KINDS), draw(_DTYPES), draw(st.sampled_from("FC")), rows),
        "y": draw(st.lists(numbers, min_size=count, max_size=count)),
        "sample_weight": None,
        "options": _options(draw, name, d),
    }
    if draw(st.integers(0, 4)) == 0:
        weight = rarely(st.sampled_from([-1.0, 0.0]), st.sampled_from([0.5, 1.0, 3.0]))
        call["sample_weight"] = draw(st.lists(weight, min_size=n, max_size=n))
    if name != "proximal_weighted_lasso":
        several = name in ("SparseRegressorCV", "SparseRegressorIC", "sparse_surface")
        call["penalty"] = draw(_SEVERAL if several else _PENALTIES)
    call["coef"] = draw(st.lists(numbers, min_size=d, max_size=d))
    return call


def search(first, examples, stop):
    """Run calls until ``stop``; return (number of calls, [(call, complaints)]), one per round.

    Hypothesis shrinks what it finds and ends a round there, so rounds of other seeds follow.
    """
    done, failures, number, last = 0, [], first, []
    while done < examples and time.monotonic() < stop:

        @seed(number)
        @settings(
            max_examples=min(500, examples - done),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink],
            report_multiple_bugs=False,
        )
        @given(calls())
        def run(call):
            nonlocal done
            done += 1
            if time.monotonic() > stop + 5:
                return
            complaints = api.complaints_of(call)
            if complaints:
                last[:] = [(call, complaints)]
                raise AssertionError(complaints[0])

        try:
            run()
        except (AssertionError, Flaky):  # flaky: the time ran out while it shrank an example
            failures += last
        number += 1
    return done, failures
