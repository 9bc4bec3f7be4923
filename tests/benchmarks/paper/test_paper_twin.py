"""The compiled twin of the reference takes the same steps: same points, same counted work."""

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks.paper import twin

import sparsieve as sv
from sparsieve import reference

MM = ["mm", "mm_genuine", "mm_screen"]
SETTINGS = [
    *[(name, {"rule": rule}) for name in MM for rule in ("corrected", "printed", "published")],
    *[(name, {"gap_every": 5}) for name in MM],
    ("mm_screen", {"rule": "published", "max_epochs": 100, "zero_below": 1e-4}),
    ("mm_screen", {"refresh_every": 3, "alpha": 10.0}),
    ("mm_screen", {"refresh_every": 3, "alpha": 10.0, "rule": "printed"}),
    ("ncvxcd", {}),
    ("ncvxcd", {"check_every": 1, "zero_below": 1e-4}),
    ("gist", {}),
    ("gist", {"monotone": True, "step": "unit", "zero_below": 1e-4}),
]
# The two add up products in another order; a point found by the same steps differs by rounding,
# which a few hundred contractions or expansions carry along.
SAME_STEPS = 1e-9


@pytest.fixture(scope="module", autouse=True)
def compiled():
    try:
        twin.library()
    except twin.TwinError as reason:
        pytest.skip(str(reason))


def problems():
    X, y, _ = sv.datasets.make_toy(30, 60, 5, 0.5, 0)
    yield X, y
    X, y, _ = sv.datasets.make_toy(20, 40, 5, 0.01, 1)
    X[:, 3] = 0.0
    yield sp.csc_matrix(np.where(np.abs(X) > 1.0, X, 0.0)), y


@pytest.mark.parametrize(("method", "settings"), SETTINGS, ids=str)
def test_the_twin_takes_the_steps_of_the_reference(method, settings):
    for X, y in problems():
        for theta in (0.1, 1.0):
            w, start = None, None
            design = twin.TwinDesign(X)
            for fraction in (0.5, 0.2, 0.1):
                lam = fraction * theta * float(np.max(np.abs(X.T @ y)))
                ours = getattr(reference, method)(
                    X, y, sv.LogSum(theta), lam, w0=w, tol=1e-5, **settings
                )
                its, screened = twin.solve(
                    method, design, y, theta, lam, w0=start, tol=1e-5, **settings
                )
                w, start = ours.w, its.w
                scale = max(1.0, float(np.max(np.abs(w))))
                np.testing.assert_allclose(its.w, w, atol=SAME_STEPS * scale)
                assert its.n_outer == ours.n_outer
                assert its.converged == ours.converged
                assert its.objective == pytest.approx(ours.objective, rel=SAME_STEPS)
                for count in ("visits", "updates", "correlations", "products"):
                    assert getattr(its.work, count) == pytest.approx(getattr(ours.work, count))
                rows = ours.history
                inside = sum(row.screened_inside for row in rows)
                before = sum(row.screened_before for row in rows)
                assert screened["gap_inside"] == inside
                assert screened["gap_before"] + screened["propagation"] == before


def test_what_is_out_of_time_says_so():
    X, y, _ = sv.datasets.make_toy(30, 60, 5, 0.5, 0)
    for method in twin.METHODS:
        with pytest.raises(twin.OutOfTimeError, match="processor time"):
            twin.solve(method, twin.TwinDesign(X), y, 0.1, 1.0, tol=0.0, seconds=-1.0)


def test_a_wrong_setting_is_refused():
    with pytest.raises(TypeError, match="gap_evry"):
        twin.solve("mm", twin.TwinDesign(np.eye(3)), np.ones(3), 0.1, 1.0, gap_evry=2)


def test_without_a_compiler_the_reason_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(twin, "BUILD", tmp_path)
    monkeypatch.setattr(twin.shutil, "which", lambda name: None)
    with pytest.raises(twin.TwinError, match=r"needs g\+\+"):
        twin.library.__wrapped__()
