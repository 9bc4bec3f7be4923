"""One answer to "is the penalty convex?" in certificates and bounds."""

import pytest
from penalties_under_test import OwnLasso
from problems import toy

import sparsieve as sv
from sparsieve.inspect.convexity import global_lower_bounds
from sparsieve.report.tracks import track_of


class Renamed(sv.L1):
    pass


@pytest.mark.parametrize("penalty", [OwnLasso(), Renamed()], ids=["own", "renamed"])
def test_a_lasso_by_another_name_is_certified_like_the_lasso(penalty):
    X, y, _ = toy(n_samples=50, n_features=80, n_active=5, noise=0.5, seed=4)
    ours = sv.SparseRegressor("l1", alpha=0.3).fit(X, y).certificate_
    other = sv.SparseRegressor(penalty, alpha=0.3).fit(X, y).certificate_
    assert other.convex_problem
    assert "convex problem" in str(other)
    # Both bounds are below the one global minimum, and no further than their own gaps.
    assert ours.lower_bound <= other.objective
    assert other.lower_bound <= ours.objective
    assert other.lower_bound == other.objective - max(other.dual_gap, 0.0)
    assert other.scope == "unconditional"


def test_every_point_of_an_own_lasso_has_a_bound():
    X, y, _ = toy(n_samples=50, n_features=80, n_active=5, noise=0.5, seed=4)
    path = sv.sparse_path(X, y, OwnLasso(), alphas=5, eps=0.1)
    assert None not in global_lower_bounds(path.problem, path.points, path.penalty)
    # Reports show how far above its bound a point is.
    assert all(above >= 0.0 for above in track_of(path).columns["above"])
