"""How much of X is read on the benchmark's own toy, whose raw columns make the hardest paths."""

import numpy as np
import pytest
from benchmarks.problems import PROBLEMS

import sparsieve as sv

PENALTIES = [sv.L1(), sv.LogSum(0.1), sv.MCP(3.0), sv.SCAD(3.7)]


@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda penalty: type(penalty).__name__)
@pytest.mark.parametrize("variant", ["standardised", "raw"])
def test_the_toy_is_read_less_than_it_may_be(variant, penalty):
    problem = PROBLEMS["toy_500x5000"]
    X, y = problem.data(variant)
    grid = {"alphas": problem.n_alphas, "eps": problem.eps}
    path = sv.sparse_path(X, y, penalty, fit_intercept=False, start="previous", **grid)
    assert np.all(path.converged)
    assert path.passes.mean() <= 0.35


@pytest.mark.parametrize("penalty", PENALTIES[1:], ids=lambda penalty: type(penalty).__name__)
@pytest.mark.parametrize("variant", ["standardised", "raw"])
def test_the_lasso_before_each_point_is_read_for_too(variant, penalty):
    """Two solves at each alpha, the second one from afar: about a pass over X."""
    problem = PROBLEMS["toy_500x5000"]
    X, y = problem.data(variant)
    grid = {"alphas": problem.n_alphas, "eps": problem.eps}
    path = sv.sparse_path(X, y, penalty, fit_intercept=False, start="lasso", **grid)
    assert np.all(path.converged)
    assert path.passes.mean() <= 1.5
