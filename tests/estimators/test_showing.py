"""What fitted objects say of themselves: in a console, in a notebook, as data frames."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.linear_model import LassoCV
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sparsieve as sv


@pytest.fixture(scope="module")
def frame():
    X, y, _ = sv.datasets.make_toy(60, 12, 3, noise=0.5, random_state=0)
    return pd.DataFrame(X, columns=[f"gene <{j}>" for j in range(12)]), y


@pytest.fixture(scope="module")
def model(frame):
    return sv.SparseRegressorCV("mcp", alphas=12, cv=3).fit(*frame)


def test_the_summary_of_a_fit(model):
    summary = model.summary()
    assert repr(summary) == str(summary)
    assert str(model.certificate_) in summary
    selected = np.flatnonzero(model.coef_)
    assert all(f"gene <{j}>" in summary for j in selected)
    page = model._repr_html_()
    assert page == summary.page
    assert "gene &lt;" in page
    assert "<th" in page
    assert model._repr_mimebundle_()["text/html"] == page
    assert len(model.summary(rows=1).splitlines()) == 5


def test_an_estimator_that_is_not_fitted_shows_its_parameters():
    page = sv.SparseRegressor("mcp")._repr_html_()
    assert "SparseRegressor" in page
    assert "penalty" in page


@pytest.mark.parametrize("of", ["certificate", "explanation", "path", "stability", "minima"])
def test_objects_have_one_line_and_a_page(frame, of):
    X, y = frame
    path = sv.sparse_path(X, y, "mcp", alphas=5)
    made = {
        "certificate": lambda: sv.SparseRegressor("l1", 0.5).fit(X, y).certificate_,
        "explanation": lambda: path.explain(0),
        "path": lambda: path,
        "stability": lambda: sv.stability_selection(X, y, q=3, n_pairs=3, random_state=0),
        "minima": lambda: sv.local_minima(X, y, "mcp", alpha=0.5),
    }[of]()
    assert repr(made).startswith("<")
    assert "\n" not in repr(made)
    assert "<" in made._repr_html_()


def test_a_report_is_printed_in_one_line(model, tmp_path):
    page = model.to_html()
    assert len(page) > 50_000
    assert len(repr(page)) < 200
    assert page.lower().startswith("<!doctype html")


def test_frames_of_a_fit(model):
    frame = model.to_frame()
    chosen = [str(name) for name in frame.index]
    assert set(chosen) == set(model.feature_names_in_[model.coef_ != 0.0])
    places = [list(model.feature_names_in_).index(name) for name in chosen]
    np.testing.assert_array_equal(frame["coefficient"], model.coef_[places])
    for j, entered, share in zip(places, frame["enters"], frame["selected"], strict=True):
        selected = [np.any(point.columns == j) for point in model.path_.points]
        assert model.path_.alphas[np.argmax(selected)] == entered
        assert np.mean(selected) == share


def test_frames_of_a_path(frame):
    X, y = frame
    path = sv.sparse_path(X.to_numpy(), y, "mcp", alphas=8)
    table = path.to_frame()
    coefs = np.asarray(path.coefs)
    assert set(table.index) == set(np.flatnonzero(np.any(coefs != 0.0, axis=1)))
    assert table["enters"].is_monotonic_decreasing
    wide = path.to_frame("coefficients")
    np.testing.assert_array_equal(wide.to_numpy(), coefs[wide.columns].T)
    np.testing.assert_array_equal(path.to_frame("points")["support_size"], path.support_size)
    with pytest.raises(ValueError, match="of='rows' is not known; use one of 'features'"):
        path.to_frame("rows")


def test_frames_need_pandas(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame needs pandas: pip install pandas"):
        model.to_frame()


def test_frames_of_stability(frame):
    X, y = frame
    stability = sv.stability_selection(X, y, q=3, n_pairs=3, random_state=0)
    table = stability.to_frame()
    assert table["frequency"].is_monotonic_decreasing
    assert table["selected"].sum() == stability.selected.size


def test_a_path_predicts(frame):
    X, y = frame
    path = sv.sparse_path(X, y, "mcp", alphas=6)
    every = path.predict(X)
    expected = X.to_numpy() @ np.asarray(path.coefs) + path.intercepts
    # Sums of twelve products, added in another order.
    np.testing.assert_allclose(every, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(path.predict(X, alpha=path.alphas[2]), every[:, 2])
    with pytest.raises(ValueError, match="X has 11 features and the path 12; pass the columns"):
        path.predict(X.iloc[:, 1:])
    with pytest.raises(ValueError, match="column 0 of X is called 'gene <11>' and was 'gene <0>'"):
        path.predict(X[X.columns[::-1]])


def test_groups_reach_the_splitter_as_with_lasso_cv(frame):
    X, y = frame
    groups = np.repeat(np.arange(12), 5)
    scaled = StandardScaler().fit_transform(X)
    with config_context(enable_metadata_routing=True):
        ours = sv.SparseRegressorCV("l1", alphas=10, cv=GroupKFold(3))
        for estimator in (LassoCV(cv=GroupKFold(3)), ours):
            alone = type(estimator)(**estimator.get_params()).fit(scaled, y, groups=groups)
            pipeline = make_pipeline(StandardScaler(), estimator).fit(X, y, groups=groups)
            assert pipeline[-1].alpha_ == alone.alpha_
