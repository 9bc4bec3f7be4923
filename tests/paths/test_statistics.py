"""Statistics stand wherever X and y do, and what is proven holds for the rows."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from tests.fuzz.statistics import judged

import sparsieve as sv


def rows(seed: int = 0, n: int = 6000, d: int = 12):
    g = np.random.default_rng(seed)
    X = g.standard_normal((n, d)) + g.uniform(-50, 50, d)
    w = np.where(np.arange(d) < 4, 1.0, 0.0)
    return X, X @ w + g.standard_normal(n) + 3.0, g.integers(0, 3, n).astype(float)


def summed(X, y, weight=None, cuts=()):
    ends = [0, *cuts, len(y)]
    found = sv.Statistics()
    for a, b in itertools.pairwise(ends):
        found.partial_fit(X[a:b], y[a:b], None if weight is None else weight[a:b])
    return found


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"standardize": True},
        {"fit_intercept": False},
        {"fit_intercept": False, "standardize": True},
        {"l1_ratio": 0.5, "ridge": 0.1},
        {"bounds": (-0.2, 0.5)},
        {"weights": np.r_[0.0, np.inf, np.ones(10)]},
        {"start": "best", "minimum": "swap"},
    ],
    ids=lambda options: " ".join(options) or "plain",
)
@pytest.mark.parametrize("penalty", ["l1", "mcp"])
def test_a_path_of_sums_is_that_of_the_rows(options, penalty):
    X, y, weight = rows()
    path = sv.sparse_path(
        summed(X, y, weight, (5, 4096)), penalty=penalty, alphas=12, eps=0.02, **options
    )
    other = sv.sparse_path(X, y, penalty, sample_weight=weight, alphas=path.alphas, **options)
    assert path.converged.all()
    # Two certified solves of one problem.
    assert path.objective == pytest.approx(other.objective, rel=1e-6)
    judge = {name: value for name, value in options.items() if name not in ("start", "minimum")}
    for point in path.points:
        coef = np.zeros(12)
        coef[point.columns] = point.values
        violation = sv.kkt_violation(
            X, y, coef, point.intercept, penalty=path.penalty, alpha=point.alpha,
            sample_weight=weight, **{"fit_intercept": True, **judge},
        )  # fmt: skip
        assert violation <= point.kkt + 1e-12
    first = sv.alpha_max(summed(X, y, weight), penalty=penalty)
    assert first == pytest.approx(sv.alpha_max(X, y, penalty, sample_weight=weight), rel=1e-10)


def test_any_chunks_give_the_same_bits_and_sums_the_same_certificates():
    X, y, _ = rows(n=9000)
    one = sv.sparse_path(summed(X, y), penalty="mcp", alphas=10, eps=0.02)
    for cuts in ((1,), (3, 4095, 4097), (4096, 8192)):
        other = sv.sparse_path(summed(X, y, cuts=cuts), penalty="mcp", alphas=10, eps=0.02)
        assert all(
            np.array_equal(a.values, b.values)
            for a, b in zip(one.points, other.points, strict=True)
        )
        assert np.array_equal(one.kkt, other.kkt)
    parts = [summed(X[k::3], y[k::3]) for k in range(3)]
    for order in itertools.permutations(parts):
        merged = sv.sparse_path(sum(order), penalty="mcp", alphas=one.alphas)
        assert merged.converged.all()
        assert merged.objective == pytest.approx(one.objective, rel=1e-6)
    assert sum(parts).n_samples == 9000


def test_pickles_copies_and_what_is_known():
    X, y, weight = rows(n=300)
    found = summed(X, y, weight)
    assert repr(found) == "Statistics(300 rows, 12 features)"
    assert found.x_mean == pytest.approx(np.average(X, axis=0, weights=weight))
    assert found.y_mean == pytest.approx(np.average(y, weights=weight))
    assert found.weight_sum == weight.sum()
    expected = np.cov(np.column_stack([X, y]).T, aweights=weight, ddof=0)
    assert found.covariance == pytest.approx(expected)
    again = pickle.loads(pickle.dumps(found))
    again.partial_fit(X, y)
    assert (found.n_samples, again.n_samples) == (300, 600)
    both = found + again
    assert (found.n_samples, both.n_samples, both.feature_names) == (300, 900, None)
    assert sv.Statistics().n_features == 0
    assert sv.Statistics().merge(found).n_samples == 300
    assert found.merge(sv.Statistics()).n_samples == 300
    assert sv.Statistics().weight_sum == 0.0


def test_estimators_and_criteria():
    X, y, weight = rows()
    found = summed(X, y, weight)
    one = sv.SparseRegressor("mcp", alpha=0.1).fit(found)
    other = sv.SparseRegressor("mcp", alpha=0.1).fit(X, y, sample_weight=weight)
    assert one.coef_ == pytest.approx(other.coef_, abs=1e-6)
    assert one.predict(X[:3]) == pytest.approx(other.predict(X[:3]))
    assert one.n_features_in_ == 12
    assert one.certificate_.converged
    for criterion in ("ebic", "aic"):
        a = sv.SparseRegressorIC("mcp", criterion=criterion, alphas=20, relax=True).fit(found)
        b = sv.SparseRegressorIC("mcp", criterion=criterion, alphas=20, relax=True)
        b.fit(X, y, sample_weight=weight)
        assert a.alpha_ == pytest.approx(b.alpha_)
        assert a.criterion_ == pytest.approx(b.criterion_, rel=1e-9)
        assert a.coef_ == pytest.approx(b.coef_)
        assert a.intercept_ == pytest.approx(b.intercept_)
    path = sv.sparse_path(found, penalty="mcp", alphas=10)
    relaxed = sv.sparse_path(X, y, "mcp", alphas=path.alphas, sample_weight=weight).relax()
    assert path.relax().r2 == pytest.approx(relaxed.r2, abs=1e-9)
    assert path.relax().intercepts == pytest.approx(relaxed.intercepts)
    assert "feature 2" in str(path.explain(2))
    assert "alpha" in path.summary()


def test_a_list_of_statistics_is_a_list_of_folds():
    X, y, _ = rows(n=5000)
    folds = [(np.flatnonzero(np.arange(5000) % 4 != k), np.arange(k, 5000, 4)) for k in range(4)]
    parts = [summed(X[test], y[test]) for _, test in folds]
    for options in ({}, {"relax": True}, {"l1_ratio": [0.5, 1.0], "rule": "1se"}):
        one = sv.SparseRegressorCV(["l1", "mcp"], alphas=12, eps=0.01, **options).fit(parts)
        other = sv.SparseRegressorCV(["l1", "mcp"], alphas=12, eps=0.01, cv=folds, **options)
        other.fit(X, y)
        assert one.mse_path_ == pytest.approx(other.mse_path_, rel=1e-5)
        assert one.alpha_ == pytest.approx(other.alpha_, rel=1e-9)
        assert one.coef_ == pytest.approx(other.coef_, abs=1e-5)


def test_many_kinds_of_batches(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y, weight = rows(n=500, d=4)
    names = list("abcd")
    frame = pandas.DataFrame(X, columns=names).assign(y=y, w=weight)
    whole = summed(X, y, weight)

    def same(other):
        assert np.array_equal(other.covariance, whole.covariance)

    same(sv.Statistics().partial_fit(frame, "y", "w"))
    same(sv.Statistics.of(frame[names], frame["y"], frame["w"]))
    same(sv.Statistics.of(X.tolist(), y, weight))
    same(sv.Statistics().partial_fit(sparse.csr_array(X), y, weight))
    same(sv.Statistics.of([(X[:9], y[:9], weight[:9]), (X[9:], y[9:], weight[9:])].__iter__()))
    same(sv.Statistics.of((part for part in (frame[:7], frame[7:])), "y", "w"))
    single = summed(X.astype(np.float32).astype(np.float64), y, weight)
    assert np.array_equal(
        sv.Statistics().partial_fit(X.astype(np.float32), y, weight).covariance, single.covariance
    )
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.dataset
    import pyarrow.parquet

    table = arrow.Table.from_pandas(frame)
    same(sv.Statistics.of(table, "y", "w"))
    same(sv.Statistics.of(table.to_reader(max_chunksize=70), "y", "w"))
    for k in range(2):
        arrow.parquet.write_table(table[250 * k : 250 * (k + 1)], tmp_path / f"{k}.parquet")
    found = sv.Statistics.of(pyarrow.dataset.dataset(tmp_path), "y", "w")
    same(found)
    assert list(found.feature_names) == names
    model = sv.SparseRegressor("l1", 0.1, weights={"a": 0.0}).fit(found)
    assert list(model.feature_names_in_) == names
    model.set_params(weights=None).fit(summed(X, y))
    assert not hasattr(model, "feature_names_in_")
    polars = pytest.importorskip("polars")
    same(sv.Statistics().partial_fit(polars.DataFrame(frame), "y", "w"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y, w: (np.where(X[7, 2] == X, np.nan, X), y, w), r"2: .*NaN at row 7, column 2"),
        (lambda X, y, w: (X, np.where(y == y[3], np.inf, y), w), r"2: .*y .* infinity at entry 3"),
        (lambda X, y, w: (X[:, 1:], y, w), r"batch 2: X has 3 columns, those before had 4"),
        (lambda X, y, w: (X, y[1:], w), r"batch 2: y has 49 entries"),
        (lambda X, y, w: (X, None, w), r"batch 2: .*y is None"),
        (lambda X, y, w: (X, "y", w), r"batch 2: y='y' names a column, but X has no names"),
        (lambda X, y, w: (X, y, w[1:]), r"batch 2: sample_weight has 49 entries"),
        (lambda X, y, w: (X, y, -w - 1), r"batch 2: sample_weight\[0\] = "),
        (lambda X, y, w: (X, y, w * 1e300), r"batch 2: sample_weight: the weights leave the range"),
        (lambda X, y, w: (X * 1e200, y, w), r"batch 2: .*so large that their squares"),
        (lambda X, y, w: (np.full(X.shape, "a"), y, w), r"batch 2: X holds text"),
        (lambda X, y, w: (X[0], y, w), r"batch 2: X must have 2 dimensions"),
    ],
)  # fmt: skip
def test_a_bad_batch_leaves_the_statistics_as_they_were(change, message):
    X, y, weight = rows(n=50, d=4)
    found = summed(X, y, weight + 1)
    before = found.covariance
    with pytest.raises((ValueError, TypeError), match=message):
        found.partial_fit(*change(X, y, weight + 1))
    assert np.array_equal(found.covariance, before)
    assert found.partial_fit(X, y, weight).n_samples == 100


def test_frames_that_do_not_fit():
    pandas = pytest.importorskip("pandas")
    X, y, _ = rows(n=50, d=3)
    frame = pandas.DataFrame(X, columns=list("abc"))
    found = sv.Statistics().partial_fit(frame, y)
    with pytest.raises(ValueError, match=r"column 1 of X is 'c', and was 'b' before"):
        found.partial_fit(frame[["a", "c", "b"]], y)
    with pytest.raises(ValueError, match="the columns of X have no names, unlike those before"):
        found.partial_fit(X, y)
    with pytest.raises(ValueError, match=r"batch 2: .*'b' \(for instance 'x'\)"):
        found.partial_fit(frame.assign(b="x"), y)
    with pytest.raises(ValueError, match=r"y='z' is no column of X; its columns are a, b, c"):
        found.partial_fit(frame, "z")
    with pytest.raises(ValueError, match=r"row 0, column 2 \('c'\)"):
        found.partial_fit(frame.assign(c=np.nan), y)
    arrow = pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="'b'"):
        found.partial_fit(arrow.Table.from_pandas(frame.assign(b="x")), y)
    dates = frame.assign(b=pandas.Timestamp("2026-01-01"))
    with pytest.raises((ValueError, TypeError), match="'b'"):
        found.partial_fit(arrow.Table.from_pandas(dates), y)
    assert found.n_samples == 50


def test_too_few_rows_and_misuse():
    X, y, _ = rows(n=50, d=3)
    with pytest.raises(ValueError, match="the statistics have 0 sample"):
        sv.sparse_path(sv.Statistics(), penalty="l1")
    with pytest.raises(ValueError, match="the statistics have 1 sample"):
        sv.sparse_path(summed(X[:1], y[:1]), penalty="l1")
    with pytest.raises(ValueError, match="every weight is zero"):
        sv.sparse_path(summed(X, y, np.zeros(50)), penalty="l1")
    found = summed(X, y)
    with pytest.raises(ValueError, match="y is part of the Statistics"):
        sv.sparse_path(found, y)
    with pytest.raises(ValueError, match="sample_weight is part of the Statistics"):
        sv.SparseRegressor("l1").fit(found, sample_weight=np.ones(50))
    with pytest.raises(ValueError, match="offset needs rows, which Statistics do not have"):
        sv.sparse_path(found, offset=np.ones(50))
    with pytest.raises(ValueError, match="enough for squares only"):
        sv.sparse_path(found, loss="logistic")
    with pytest.raises(TypeError, match="merge takes Statistics"):
        found.merge(X)
    with pytest.raises(TypeError, match="unsupported operand"):
        found + 1
    with pytest.raises(TypeError, match="rows cannot be read from a int"):
        sv.Statistics.of(3)
    with pytest.raises(ValueError, match="y is an array, but X comes in batches"):
        sv.Statistics.of(iter([X]), y)
    for needs_rows in (sv.sparse_surface, sv.stability_selection, sv.local_minima):
        options = {"alpha": 0.1} if needs_rows is sv.local_minima else {}
        with pytest.raises(TypeError, match="needs the rows of X"):
            needs_rows(found, y, **options)
    with pytest.raises(ValueError, match="a single Statistics cannot be cut into folds"):
        sv.SparseRegressorCV("l1").fit(found)
    with pytest.raises(ValueError, match="X is a list of 1 folds"):
        sv.SparseRegressorCV("l1").fit([found])
    with pytest.raises(ValueError, match="cv is part of the Statistics"):
        sv.SparseRegressorCV("l1", cv=3).fit([found, found])
    with pytest.raises(ValueError, match="enough for squares only"):
        sv.SparseRegressorCV("l1", loss="poisson").fit([found, found])
    with pytest.raises(ValueError, match="scoring needs rows"):
        sv.SparseRegressorCV("l1", scoring="r2").fit([found, found])


def test_where_rows_are_needed_it_is_said():
    X, y, _ = rows(n=50, d=3)
    found = summed(X, y)
    model = sv.SparseRegressor("l1", 0.1).fit(found)
    for call in (
        lambda: model.predict(found),
        lambda: model.score(found, y),
        lambda: sv.kkt_violation(found, y, np.zeros(3), 0.0, penalty="l1", alpha=0.1),
        lambda: sv.SparseClassifier().fit(found, y > 0),
        lambda: np.asarray(found),
    ):
        with pytest.raises(TypeError, match="rows"):
            call()


def test_sources_that_are_no_rows():
    X, y, _ = rows(n=50, d=3)
    with pytest.raises(TypeError, match=r"pass pyarrow\.dataset\.dataset\('folder'\)"):
        sv.Statistics.of("folder", "y")
    with pytest.raises(ValueError, match="a batch is a tuple of 4"):
        sv.Statistics.of(iter([(X, y, None, 1.0)]))
    columns = {f"x{j}": list(X[:, j]) for j in range(3)} | {"y": list(y)}
    for made in (sv.Statistics.of(columns, "y"), sv.Statistics().partial_fit(columns, "y")):
        assert np.array_equal(made.covariance, summed(X, y).covariance)
        assert list(made.feature_names) == ["x0", "x1", "x2"]


def test_folds_that_cannot_be_used_are_named():
    X, y, _ = rows(n=60, d=3)
    whole, one = summed(X, y), summed(X[:1], y[:1])
    assert one.x_mean == pytest.approx(X[0])
    assert not one.covariance.any()
    scored = sv.SparseRegressorCV("l1", alphas=5).fit([whole, whole, one])
    alone = [(np.r_[:120], [120]), (np.r_[60:121], np.r_[:60]), (np.r_[:60, 120], np.r_[60:120])]
    rows_ = sv.SparseRegressorCV("l1", alphas=5, cv=[alone[1], alone[2], alone[0]])
    rows_.fit(np.vstack([X, X, X[:1]]), np.r_[y, y, y[:1]])
    assert scored.mse_path_ == pytest.approx(rows_.mse_path_, rel=1e-5)
    with pytest.raises(ValueError, match="fold 1 cannot be scored: the statistics have 0 sample"):
        sv.SparseRegressorCV("l1").fit([whole, sv.Statistics()])
    with pytest.raises(ValueError, match=r"fold 1 cannot be scored: .*every weight is zero"):
        sv.SparseRegressorCV("l1").fit([whole, summed(X, y, np.zeros(60))])
    with pytest.raises(ValueError, match=r"all folds but 0 cannot be fitted: .*1 sample"):
        sv.SparseRegressorCV("l1").fit([whole, one])
    with pytest.raises(ValueError, match="fold 1: X has 2 columns, those before had 3"):
        sv.SparseRegressorCV("l1").fit([whole, summed(X[:, 1:], y)])


def test_more_columns_than_rows():
    X, y, _ = rows(n=20, d=60)
    path = sv.sparse_path(summed(X, y), penalty="l1", alphas=10, eps=0.05)
    other = sv.sparse_path(X, y, "l1", alphas=path.alphas)
    assert path.converged.all()
    assert path.objective == pytest.approx(other.objective, rel=1e-6)


def test_the_second_pass_proves_what_sums_cannot():
    g = np.random.default_rng(0)
    X = g.standard_normal((3000, 1)) + 1e-5 * g.standard_normal((3000, 6))
    y = X @ np.r_[1.0, -1.0, np.zeros(4)] + 1e-10 * g.standard_normal(3000)
    found = summed(X, y)
    with pytest.warns(ConvergenceWarning, match=r"path\.certify"):
        path = sv.sparse_path(found, penalty="l1", alphas=12, eps=1e-4, tol=1e-10)
    assert set(path.status) == {"CONVERGED", "UNCERTAIN"}
    again = path.certify(X, y, tol=1e-10)
    hard = ~path.converged
    # What is left is how far sums and rows disagree, not what might be wrong with the sums.
    assert np.all(again.kkt[hard] < path.kkt[hard])
    assert again.kkt[hard][-1] < 0.1 * path.kkt[hard][-1]
    for point in again.points:
        coef = np.zeros(6)
        coef[point.columns] = point.values
        violation = sv.kkt_violation(
            X, y, coef, point.intercept, penalty="l1", alpha=point.alpha, fit_intercept=True
        )
        assert violation <= point.kkt
    with pytest.raises(ValueError, match="X has 2999 rows in all"):
        path.certify(X[1:], y[1:])
    with pytest.raises(ValueError, match="X has 5 columns, the path 6"):
        path.certify(X[:, 1:], y)
    with pytest.raises(ValueError, match="certify is for paths of Statistics"):
        sv.sparse_path(X, y, "l1", alphas=3).certify(X, y)
    with pytest.raises(ValueError, match="kept or loaded without its statistics"):
        pickle.loads(pickle.dumps(path)).certify(X, y)


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_hostile_streams(first):
    found = [judged(seed) for seed in range(first, first + 10)]
    assert sum(wrong for *_, wrong, _ in found) == 0, [words for *_, words in found if words]
