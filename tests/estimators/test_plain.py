"""Fitted models as scikit-learn's own, for tools that know nothing of this library."""

import importlib

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import sparsieve as sv


@pytest.fixture(scope="module")
def frame():
    X, y, _ = sv.datasets.make_toy(60, 12, 3, noise=0.5, random_state=0)
    return pd.DataFrame(X, columns=[f"g{j}" for j in range(12)]), y


@pytest.mark.parametrize(
    "estimator",
    [
        sv.SparseRegressor("mcp", 0.3),
        sv.SparseRegressor("l1", 0.3, fit_intercept=False, positive=True),
        sv.SparseRegressorCV("mcp", alphas=5, cv=3),
        sv.SparseRegressorIC("mcp", alphas=5),
    ],
)
def test_the_same_predictions(frame, estimator):
    X, y = frame
    model = estimator.fit(X, y)
    twin = model.to_sklearn()
    assert type(twin) is LinearRegression
    # Two ways to add up twelve products.
    np.testing.assert_allclose(twin.predict(X), model.predict(X), rtol=1e-12, atol=1e-12)
    assert list(twin.feature_names_in_) == list(X.columns)
    twin.coef_[:] = 0.0
    assert np.any(model.coef_)  # a copy


class LogCosh:
    """A loss of the user's own."""

    def value(self, eta, y):
        return np.log(np.cosh(eta - y))

    def gradient(self, eta, y):
        return np.tanh(eta - y)

    def curvature(self, eta, y):
        return 1.0 / np.cosh(eta - y) ** 2


def test_a_loss_of_ones_own_is_refused(frame):
    X, y = frame
    model = sv.SparseRegressor("l1", 0.3, loss=LogCosh()).fit(X, y / np.abs(y).max())
    with pytest.raises(ValueError, match="no model that predicts as one fitted with the loss"):
        model.to_sklearn()


def table_model():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"area": rng.uniform(40, 200, 50), "city": ["Paris", "Lyon"] * 25})
    rows["price"] = 2 * rows["area"] + 30 * (rows["city"] == "Lyon")
    model = sv.fit_table(rows, "price", sv.SparseRegressor("l1", 0.1), one_hot=True)
    return model, rows


def test_a_table_model_becomes_a_pipeline_of_scikit_learn_alone():
    model, rows = table_model()
    pipeline = model.to_sklearn()
    np.testing.assert_allclose(pipeline.predict(rows), model.predict(rows), rtol=1e-12)

    steps = [pipeline, *(step for _, step in pipeline.steps)]
    assert {type(step).__module__.partition(".")[0] for step in steps} == {"sklearn"}


def test_onnx(frame):
    skl2onnx = pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    X, y = frame
    model = sv.SparseRegressor("mcp", 0.3).fit(X.to_numpy(), y)
    rows = X.to_numpy().astype(np.float32)
    onnx = skl2onnx.to_onnx(model.to_sklearn(), rows[:1])
    session = runtime.InferenceSession(onnx.SerializeToString())
    found = session.run(None, {session.get_inputs()[0].name: rows})[0].ravel()
    # Single precision: twelve products of size one.
    np.testing.assert_allclose(found, model.predict(rows), rtol=1e-4, atol=1e-4)


def test_skops(frame, tmp_path):
    skops = pytest.importorskip("skops.io")
    model = sv.SparseRegressor("mcp", 0.3).fit(*frame)
    skops.dump(model.to_sklearn(), tmp_path / "m.skops")
    assert skops.get_untrusted_types(file=tmp_path / "m.skops") == []
    again = skops.load(tmp_path / "m.skops", trusted=[])
    np.testing.assert_array_equal(again.coef_, model.coef_)


@pytest.mark.filterwarnings("ignore")  # what MLflow says about its own type hints and versions
def test_mlflow(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # before the import, which makes a data base where it is
    pytest.importorskip("mlflow")
    flavour = importlib.import_module("mlflow.sklearn")
    model = sv.SparseRegressor("mcp", 0.3).fit(*frame)
    flavour.save_model(model.to_sklearn(), tmp_path / "m")
    again = flavour.load_model(str(tmp_path / "m"))
    np.testing.assert_allclose(again.predict(frame[0]), model.predict(frame[0]), rtol=1e-12)
