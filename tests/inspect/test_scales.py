"""Warnings of columns that no single shape of a penalty can suit, and of constant ones."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import sparsieve as sv


def mixed(*, ratio=1e4):
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.standard_normal((60, 4)), columns=list("abcd"))
    X["b"] *= ratio
    return X, rng.standard_normal(60)


MAKERS = {
    "path": lambda X, y, **o: sv.sparse_path(X, y, o.pop("penalty", "mcp"), alphas=3, **o),
    "one": lambda X, y, **o: sv.SparseRegressor(o.pop("penalty", "mcp"), 0.1, **o).fit(X, y),
    "cv": lambda X, y, **o: sv.SparseRegressorCV(o.pop("penalty", "mcp"), alphas=3, **o).fit(X, y),
    "ic": lambda X, y, **o: sv.SparseRegressorIC(o.pop("penalty", "mcp"), alphas=3, **o).fit(X, y),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_very_different_scales_are_named_with_a_remedy(make):
    X, y = mixed()
    with pytest.warns(UserWarning, match=r"differ by a factor of .*'b'.*standardize=True") as seen:
        make(X, y)
    assert len(seen) == 1
    assert seen[0].filename == __file__  # the line of the user


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize(
    "options", [{"standardize": True}, {"standardize": False}, {"penalty": "l1"}], ids=str
)
def test_nothing_is_said_to_who_decided_or_has_a_convex_penalty(make, options):
    X, y = mixed()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(X, y, **options)


def test_columns_without_a_penalty_and_moderate_scales_are_no_reason():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        X, y = mixed(ratio=50.0)
        sv.sparse_path(X, y, alphas=3)
        X, y = mixed()
        sv.sparse_path(X, y, alphas=3, weights={"b": 0})
        sv.sparse_path(X, y, alphas=3, weights={"b": np.inf})


@pytest.mark.parametrize("stored", [np.asfortranarray, sparse.csc_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_constant_column_is_named_and_keeps_its_unit(stored, fit_intercept):
    X, y = mixed(ratio=1.0)
    values = X.to_numpy()
    values[:, 2] = 3.0
    with pytest.warns(UserWarning, match=r"1 column\(s\), first 2, are constant"):
        path = sv.sparse_path(
            stored(values), y, alphas=5, standardize=True, fit_intercept=fit_intercept
        )
    spread = values.std(axis=0)
    by_hand = values / np.where(spread > 0.0, spread, 1.0)
    same = sv.sparse_path(
        np.asfortranarray(by_hand),
        y,
        alphas=path.alphas,
        standardize=False,
        fit_intercept=fit_intercept,
    )
    np.testing.assert_allclose(path.objective, same.objective, rtol=1e-10)
