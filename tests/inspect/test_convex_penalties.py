"""One answer to "is the penalty convex?" in certificates and bounds."""

import numpy as np
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


def test_the_bound_of_a_lasso_with_unpenalised_features_says_for_whom_it_holds(tmp_path):
    X, y, _ = toy(n_samples=50, n_features=80, n_active=5, noise=0.5, seed=4)
    weights = np.ones(80)
    weights[3] = 0.0
    model = sv.SparseRegressor("l1", alpha=0.3, weights=weights).fit(X, y)
    certificate = model.certificate_
    assert certificate.scope == "unpenalised up to twice"
    assert "global minimum among unpenalised coefficients up to twice as large" in str(certificate)
    model.save(tmp_path / "model.json")
    assert sv.load_model(tmp_path / "model.json").certificate_ == certificate
    # A concave penalty's bound is by strong convexity, in which violations of all features count.
    ridged = sv.SparseRegressor("mcp", alpha=0.3, weights=weights, ridge=1.0).fit(X, y)
    assert ridged.certificate_.lower_bound is not None
    assert ridged.certificate_.scope == "unconditional"
