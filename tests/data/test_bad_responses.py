"""Bad input to losses: each with the argument and the remedy."""

import numpy as np
import pytest

import sparsieve as sv

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
LABELS = (X[:, 0] > 0).astype(float)
COUNTS = RNG.poisson(2.0, 30).astype(float)


def fit(y, loss, offset=None, **options):
    return sv.sparse_path(X, y, "l1", loss=loss, offset=offset, alphas=3, **options)


@pytest.mark.parametrize("loss", ["poisson", "negative_binomial"])
def test_negative_counts(loss):
    with pytest.raises(ValueError, match=rf"y\[0\] = -1 is negative, but loss='{loss}' takes cou"):
        fit(np.where(np.arange(30) == 0, -1.0, COUNTS), loss)
    assert fit(COUNTS + 0.5, loss).converged.all()  # fractions are allowed


def test_three_labels_for_a_loss_of_two():
    with pytest.raises(ValueError, match=r"y\[2\] = 2, but loss='logistic' takes numbers from 0"):
        fit(np.arange(30) % 3, "logistic")
    with pytest.raises(ValueError, match=r"use SparseClassifier for labels of any kind"):
        fit(np.where(LABELS > 0, 1.0, -1.0), "logistic")


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (np.where(LABELS > 0, 1.0, np.nan), "nan"),
        (np.array([None, *["a", "b"] * 14, "a"], dtype=object), "None"),
        (np.array([float("nan"), *["a", "b"] * 14, "a"], dtype=object), "nan"),
    ],
)
def test_labels_with_nan(labels, shown):
    with pytest.raises(
        ValueError, match=rf"Input y contains NaN: the label of row \d+ is .*{shown}"
    ):
        sv.SparseClassifier().fit(X, labels)


def test_labels_of_several_kinds():
    mixed = np.array([1, *["a", "b"] * 14, "a"], dtype=object)
    with pytest.raises(ValueError, match=r"Unknown label type.* y: pass labels of one kind, for"):
        sv.SparseClassifier().fit(X, mixed)
    with pytest.raises(ValueError, match="y has 29 entries, X has 30 rows"):
        sv.SparseClassifier().fit(X, LABELS[1:])
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        sv.SparseClassifier().fit(X, None)
    with pytest.raises(ValueError, match=r"Unknown label type.*for numbers use SparseRegressor"):
        sv.SparseClassifier().fit(X, X[:, 0])


def test_offsets():
    with pytest.raises(ValueError, match="offset has 29 entries, X has 30 rows"):
        fit(COUNTS, "poisson", np.zeros(29))
    for wrong, word in ((np.inf, "infinity"), (-np.inf, "infinity"), (np.nan, "NaN")):
        bad = np.zeros(30)
        bad[7] = wrong
        with pytest.raises(ValueError, match=rf"Input offset contains {word} at entry 7; replace"):
            fit(COUNTS, "poisson", bad)
    with pytest.raises(ValueError, match=r"offset must be 1-D, got shape \(30, 1\)"):
        fit(COUNTS, "poisson", np.zeros((30, 1)))
    with pytest.raises(ValueError, match="offset"):
        fit(COUNTS, "poisson", ["a"] * 30)
    with pytest.raises(ValueError, match="offset has 3 entries"):
        sv.SparseRegressor("l1", loss="poisson").fit(X, COUNTS).predict(X, np.zeros(3))
    judged = dict(penalty="l1", alpha=0.1, loss="poisson", offset=np.zeros(29))
    with pytest.raises(ValueError, match="offset has 29 entries"):
        sv.objective(X, COUNTS, np.zeros(4), **judged)


def test_overflow_of_exp():
    with pytest.raises(ValueError, match=r"offset\[3\] = 800, and exp of it leaves the range"):
        fit(COUNTS, "poisson", np.where(np.arange(30) == 3, 800.0, 0.0), fit_intercept=False)
    # With an intercept only differences count.
    path = fit(COUNTS, "poisson", 800.0 + 0.1 * X[:, 1])
    assert path.converged.all()
    model = sv.SparseRegressor("l1", 0.01, loss="poisson").fit(X, COUNTS)
    far = 1e6 * np.sign(model.coef_)[None, :]
    with pytest.warns(UserWarning, match=r"X: row 0 has the linear predictor .* its mean is inf"):
        assert model.predict(far) == np.inf
    judged = dict(penalty="l1", alpha=0.1, loss="poisson")
    assert sv.objective(X, COUNTS, np.full(4, 1e4), **judged) == np.inf
    assert sv.kkt_violation(X, COUNTS, np.full(4, 1e4), **judged) == np.inf


@pytest.mark.parametrize("wrong", [0.0, -2.0, np.nan])
def test_parameters_that_are_not_positive(wrong):
    with pytest.raises(ValueError, match="NegativeBinomial: theta must be a finite number > 0"):
        fit(COUNTS, sv.NegativeBinomial(theta=wrong))
    with pytest.raises(ValueError, match="Huber: delta must be a finite number > 0"):
        fit(COUNTS, sv.Huber(delta=wrong))


def test_losses_that_are_none():
    with pytest.raises(ValueError, match="loss='cox' is not known"):
        fit(COUNTS, "cox")
    with pytest.raises(TypeError, match="loss of type NoneType is not a loss"):
        fit(COUNTS, None)
    with pytest.raises(ValueError, match=r"loss='hubber' is not known .did you mean 'huber'"):
        sv.SparseRegressor(loss="hubber").fit(X, COUNTS)
    with pytest.raises(ValueError, match=r"loss=Poisson\(\) is not for classes; use loss='logist"):
        sv.SparseClassifier(loss="poisson").fit(X, LABELS)


def test_a_strength_that_is_not_known():
    top = sv.alpha_max(X, LABELS, "l1", loss="logistic", minimum="swap")  # convex: all the same
    assert top == sv.alpha_max(X, LABELS, "l1", loss="logistic")
    with pytest.raises(ValueError, match="minimum='swap' is known with loss='squared' only"):
        sv.alpha_max(X, LABELS, "mcp", loss="logistic", minimum="swap")
