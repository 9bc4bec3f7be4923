"""Units, ridge and bounds: what cannot be is refused at every entry, by name and with a remedy."""

import numpy as np
import pandas as pd
import pytest
from problems import toy

import sparsieve as sv
from sparsieve.data.terms import PLAIN, check_terms

X, Y, _ = toy(24, 6, 2, 0.1)
FRAME = pd.DataFrame(X, columns=list("abcdef"))


def estimator(cls, **more):
    """Return the fit of an estimator as a function of data and options."""
    return lambda X, y, **options: cls("mcp", **more, **options).fit(X, y)


ENTRIES = {
    "path": lambda X, y, **options: sv.sparse_path(X, y, "mcp", alphas=3, **options),
    "alpha_max": sv.alpha_max,
    "fit": estimator(sv.SparseRegressor, alpha=0.1),
    "cv": estimator(sv.SparseRegressorCV, alphas=3, cv=2),
    "ic": estimator(sv.SparseRegressorIC, alphas=3),
    "surface": lambda X, y, **options: sv.sparse_surface(
        X, y, "mcp", shapes=[3.0], alphas=3, **options
    ),
    "stability": lambda X, y, **options: sv.stability_selection(
        X, y, "mcp", n_pairs=2, alphas=3, random_state=0, **options
    ),
    "minima": lambda X, y, **options: sv.local_minima(X, y, "mcp", alpha=0.1, **options),
}
every_entry = pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)

RATIO = r"l1_ratio must be .*use 1 for no ridge"
RIDGE = r"ridge must be .*use 0 for no ridge"
PAIR = r"bounds must be a pair \(lower, upper\), got .*; use e.g. bounds=\(0, None\)"
BAD = [
    *(({"l1_ratio": bad}, RATIO) for bad in (0.0, -0.5, 1.5, np.nan, np.inf, "half", None, True)),
    *(({"ridge": bad}, RIDGE) for bad in (-1.0, np.nan, np.inf, "no", None)),
    ({"standardize": "yes"}, "standardize must be True or False.*use True, False, or None"),
    *(({"bounds": bad}, PAIR) for bad in (1.0, (1.0,), (0, 1, 2), np.zeros((3, 6)))),
    ({"bounds": (2.0, 1.0)}, "the lower bound of column 0 is 2, which excludes zero; .*use 0 as"),
    ({"bounds": (0.5, None)}, "the lower bound of column 0 is 0.5, which excludes zero"),
    ({"bounds": (None, -0.5)}, "the upper bound of column 0 is -0.5, which excludes zero"),
    ({"bounds": (None, [1, 1, -1, 1, 1, 1])}, "the upper bound of column 2 is -1, which excludes"),
    ({"bounds": (np.nan, None)}, "the lower bound is nan; use None or -inf for no bound"),
    ({"bounds": (None, [1, 1, np.nan, 1, 1, 1])}, "the upper bound is nan; use None or inf"),
    ({"bounds": (np.full(5, -1.0), None)}, r"has shape \(5,\) but X has 6 columns; pass a number"),
    ({"bounds": (None, np.ones((6, 1)))}, r"has shape \(6, 1\) but X has 6 columns"),
    ({"bounds": (None, "ten")}, "the upper bound must be a number.*use e.g. bounds=\\(0, None\\)"),
    ({"bounds": ({"a": 0}, None)}, "bounds was given by column names, but X has none; pass a data"),
    ({"weights": {"a": 0}}, "weights was given by column names, but X has none; pass a data frame"),
]


@every_entry
@pytest.mark.parametrize(("options", "message"), BAD)
def test_what_cannot_be_is_refused_with_a_remedy(entry, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        entry(X, Y, **options)


@every_entry
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": {"age": 0.0}}, "weights: 'age' is no column of X; its columns are a, b, c"),
        ({"bounds": (None, {"age": 1.0})}, "bounds: 'age' is no column of X; its columns are a, b"),
        ({"bounds": ({"b": 1.0}, None)}, r"lower bound of column 1 \('b'\) is 1, which excludes"),
        ({"weights": {"b": -1.0}}, r"weights\[1\] = -1"),
    ],
)
def test_names_that_are_no_columns(entry, options, message):
    with pytest.raises(ValueError, match=message):
        entry(FRAME, Y, **options)


def test_weights_and_bounds_by_name_are_those_by_position():
    options = {"alpha": 0.1, "standardize": True}
    named = sv.SparseRegressor(
        weights={"b": 0, "e": np.inf}, bounds=({"a": -0.1}, {"a": 0.2, "f": 0.0}), **options
    )
    upper = np.array([0.2, np.inf, np.inf, np.inf, np.inf, 0.0])
    placed = sv.SparseRegressor(
        weights=[1, 0, 1, 1, np.inf, 1], bounds=([-0.1, *[-np.inf] * 5], upper), **options
    )
    np.testing.assert_array_equal(named.fit(FRAME, Y).coef_, placed.fit(FRAME, Y).coef_)


def test_bounds_that_are_infinite_are_none():
    terms = check_terms(6, bounds=(-np.inf, np.full(6, np.inf)), standardize=False)
    assert not terms.bounded
    assert terms.identity == PLAIN.identity


def test_positive_and_bounds_mean_both():
    terms = check_terms(3, positive=True, bounds=([-1.0, 0.0, -2.0], 5.0))
    assert terms.lower.tolist() == [0.0, 0.0, 0.0]
    assert terms.upper.tolist() == [5.0, 5.0, 5.0]
    assert check_terms(3, bounds=(0, None)).positive
    assert not terms.positive
