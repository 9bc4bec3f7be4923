"""Where no finite coefficients are best: proven, said, and never predicted with."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import sparsieve as sv

separated = pytest.warns(ConvergenceWarning, match="have no solution \\(separated\\)")


def wide(seed=0):
    """Return classes that some features separate."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(20, 50)), (rng.random(20) > 0.5).astype(float)


def tall(seed=0):
    """Return classes that no few features separate."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 60))
    return X, (X[:, 0] - X[:, 1] + rng.logistic(size=90) > 0.0).astype(float)


def fell(point, X, y, loss, penalty):
    """Tell whether the loss falls for ever along the direction of a point, and no penalty rises."""
    d = np.zeros(X.shape[1])
    d[point.direction.columns] = point.direction.values
    shift = point.direction.intercept
    near, far = (
        sv.objective(X, y, t * d, t * shift, penalty=penalty, alpha=point.alpha, loss=loss)
        for t in (1.0, 2.0)
    )
    margins = X @ d + shift
    never_rises = margins * (2.0 * y - 1.0) >= 0.0 if loss == "logistic" else margins <= 0.0
    return bool(np.all(never_rises) and np.any(margins) and far <= near)


def test_an_automatic_grid_ends_before_the_first_point_without_solution():
    X, y = wide()
    path = sv.sparse_path(X, y, "mcp", loss="logistic")  # a warning would be an error
    assert path.ended == "separated"
    assert path.converged.all()
    assert len(path) < 100
    assert "ended by separated" in path.summary()
    for point in path.points:
        kkt = sv.kkt_violation(
            X, y, path.coef_at(point.alpha), point.intercept, penalty="mcp", alpha=point.alpha,
            loss="logistic", fit_intercept=True,
        )  # fmt: skip
        assert kkt <= 1e-6
    surface = sv.sparse_surface(X, y, ["mcp", "l1"], loss="logistic", alphas=30, eps=0.05)
    assert surface[0].ended == "separated"
    assert surface[1].ended == "complete"
    assert "D2" in surface.summary()


@pytest.mark.parametrize("start", ["lasso", "previous", "best"])
def test_given_alphas_stay_with_nan(start):
    X, y = wide()
    alphas = np.geomspace(0.3, 1e-3, 6)
    with separated:
        path = sv.sparse_path(X, y, "mcp", loss="logistic", alphas=alphas, start=start)
    assert np.allclose(path.alphas, alphas)
    gone = np.array([status == "SEPARATED" for status in path.status])
    assert gone.any()
    assert not path.converged[gone].any()
    assert np.isnan(path.intercepts[gone]).all()
    assert np.isfinite(path.intercepts[~gone]).all()
    for k in np.flatnonzero(gone):
        point = path.points[k]
        assert np.isnan(path.coef_at(point.alpha)[point.direction.columns]).all()
        assert np.isnan([point.objective, point.dual_gap, point.r2]).all()
        assert np.all(np.diff(point.columns) > 0)
        assert fell(point, X, y, "logistic", "mcp")
    assert np.array_equal(path.relax().converged, path.converged)
    assert "separated" in path.summary()


def test_an_estimator_says_so_and_does_not_predict(tmp_path):
    X, y = wide()
    model = sv.SparseClassifier("mcp", alpha=1e-3)
    with separated:
        model.fit(X, y)
    certificate = model.certificate_
    assert certificate.reason == "separated"
    assert not certificate.converged
    assert certificate.direction is not None
    assert str(certificate).startswith("NO SOLUTION at alpha=0.001 (separated)")
    with pytest.raises(ValueError, match="has no coefficients: at its alpha no finite ones"):
        model.predict(X)
    model.save(tmp_path / "m.json")
    loaded = sv.load_model(tmp_path / "m.json")
    assert loaded.certificate_ == certificate
    with pytest.raises(ValueError, match="has no coefficients"):
        loaded.predict_proba(X)
    # Each remedy that the messages name.
    for other in (
        sv.SparseClassifier("mcp", alpha=1e-3, ridge=1e-3),
        sv.SparseClassifier("mcp", alpha=1e-3, bounds=(-5.0, 5.0)),
        sv.SparseClassifier("mcp", alpha=0.3),
        sv.SparseClassifier("logsum", alpha=1e-3),
        sv.SparseClassifier("l1", alpha=1e-3),
    ):
        assert other.fit(X, y).certificate_.converged


@pytest.mark.parametrize(("loss", "y"), [("logistic", 1.0), ("logistic", 0.0), ("poisson", 0.0)])
def test_a_single_class_or_no_counts(loss, y):
    X = wide()[0]
    y = np.full(20, y)
    with pytest.warns(ConvergenceWarning, match="the best intercept is infinite, as for a single"):
        path = sv.sparse_path(X, y, "l1", loss=loss, alphas=[0.1, 0.2])
    assert path.status == ["SEPARATED"] * 2
    direction = path.points[0].direction
    assert direction.columns.size == 0
    assert direction.intercept * (y[0] - 0.5) > 0.0
    with pytest.warns(ConvergenceWarning, match="the best intercept is infinite"):
        assert sv.sparse_path(X, y, "l1", loss=loss).ended == "separated"
    with pytest.raises(ValueError, match="y: no finite intercept and unpenalised coefficients"):
        sv.alpha_max(X, y, "l1", loss=loss)
    with pytest.raises(ValueError, match="y is constant"):
        sv.SparseRegressorCV("l1", loss=loss).fit(X, y)
    with pytest.raises(ValueError, match="y: half of the rows, as they are drawn, have a single"):
        sv.stability_selection(X, y, "l1", loss=loss, n_pairs=2, random_state=0)
    with pytest.raises(ValueError, match=r"alpha=0.1 has no finite solution from any start"):
        sv.local_minima(X, y, "l1", alpha=0.1, loss=loss, starts="zero")
    with pytest.raises(ValueError, match="alphas: none of them has a finite solution"), separated:
        sv.SparseRegressorIC("l1", loss=loss, alphas=[0.1, 0.2]).fit(X, y)


def test_an_unpenalised_feature_that_separates():
    X, y = wide()
    X[:, 0] = y + 0.1 * np.random.default_rng(1).random(20)
    free = np.ones(50)
    free[0] = 0.0
    with separated:
        path = sv.sparse_path(X, y, "l1", loss="logistic", weights=free, alphas=[0.1])
    assert path.points[0].columns.tolist() == [0]
    with pytest.raises(ValueError, match="unpenalised columns that separate classes"):
        sv.alpha_max(X, y, "l1", loss="logistic", weights=free)


def test_cross_validation_never_chooses_where_a_fold_has_no_solution():
    X, y = tall()
    model = sv.SparseClassifierCV("mcp", cv=3).fit(X, y)
    lost = np.isinf(model.mse_path_).any(axis=1)
    assert lost.any()
    assert not lost[model.best_index_]
    assert np.isneginf(model.cv_results_["mean_test_score"][lost]).all()
    assert model.certificate_.converged
    scored = sv.SparseClassifierCV("mcp", cv=3, scoring="accuracy").fit(X, y)
    assert not lost[scored.best_index_]
    with pytest.raises(ValueError, match="cv: at every alpha some fold has no finite solution"):
        sv.SparseClassifierCV("mcp", cv=3, alphas=[1e-3, 1e-4]).fit(X, y)


def test_relax_of_separable_supports():
    X, y = wide()
    model = sv.SparseClassifier("l1", alpha=0.05, relax=True)
    with pytest.raises(ValueError, match="relax=True: without the penalty no finite coefficients"):
        model.fit(X, y)
    path = sv.sparse_path(X, y, "l1", loss="logistic", alphas=10, eps=0.05)
    relaxed = path.relax()
    assert np.isnan(relaxed.intercepts[-1])
    assert np.isfinite(relaxed.intercepts[0])
    assert np.array_equal(relaxed.kkt, path.kkt)
    # A cross-validation of refits chooses one that exists.
    X, y = tall()
    chosen = sv.SparseClassifierCV("l1", alphas=20, eps=0.05, cv=3, relax=True).fit(X, y)
    assert np.isfinite(chosen.coef_).all()


def test_a_surface_goes_on_from_its_checkpoint_to_the_same_points(tmp_path):
    X, y = wide()
    asked = dict(loss="logistic", alphas=np.geomspace(0.3, 1e-3, 4), checkpoint=tmp_path / "c")
    with separated:
        one = sv.sparse_surface(X, y, ["mcp", "l1"], **asked)
    with separated:
        two = sv.sparse_surface(X, y, ["mcp", "l1"], **asked)
    for a, b in zip(one[0].points, two[0].points, strict=True):
        assert a.status == b.status
        assert np.array_equal(a.values, b.values, equal_nan=True)
        if a.direction is not None:
            assert np.array_equal(a.direction.values, b.direction.values)
            assert a.direction.intercept == b.direction.intercept
    with pytest.raises(ValueError, match="belongs to another run"):
        sv.sparse_surface(X, y, ["mcp", "l1"], **{**asked, "offset": 1.0})
