"""The benchmark's problems: seeded, prepared as their variant says, stored and read back alike."""

import numpy as np
import pytest
from benchmarks import problems
from benchmarks.problems import PROBLEMS, ProblemUnavailable, fetch, prepare_columns, store
from scipy import sparse
from tolerances import REORDERED_SUM

SMALL = PROBLEMS["toy_50x100"]
SPARSE = PROBLEMS["sparse_2000x20000"]
REQUIRED = {
    "toy_50x100",
    "toy_500x5000",
    "wide_500x50000",
    "correlated_1000x10000",
    "tall_20000x2000",
    "big_2000x100000",
    "sparse_20000x100000",
    "leukemia",
    "rat_eye",
    "newsgroup",
    "news20_comp",
    "climate_sst",
}


def norms(X):
    return np.sqrt(np.asarray(X.multiply(X).sum(axis=0) if sparse.issparse(X) else (X**2).sum(0)))


def test_every_required_problem_is_there():
    assert set(PROBLEMS) >= REQUIRED


@pytest.mark.parametrize("problem", [SMALL, SPARSE], ids=lambda p: p.name)
@pytest.mark.parametrize("variant", ["standardised", "unit"])
def test_scaled_columns_have_one_norm(problem, variant):
    X, y = problem.data(variant)
    found = norms(X).ravel()
    empty = found == 0  # a random sparse design may have a column without entries
    assert empty.sum() <= 2
    expected = np.sqrt(X.shape[0]) if variant == "standardised" else 1.0
    np.testing.assert_allclose(found[~empty], expected, rtol=REORDERED_SUM)
    assert abs(y.mean()) <= REORDERED_SUM * np.abs(y).max()


def test_dense_columns_are_centred_and_keep_their_scale_when_raw():
    raw, y = SMALL.data("raw")
    scaled, y_scaled = SMALL.data("standardised")
    assert raw.flags.f_contiguous
    assert np.abs(raw.mean(axis=0)).max() <= REORDERED_SUM * np.abs(raw).max()
    np.testing.assert_allclose(raw / norms(raw) * np.sqrt(50), scaled, rtol=REORDERED_SUM)
    np.testing.assert_array_equal(y, y_scaled)


def test_raw_sparse_columns_are_left_alone():
    X, _ = SPARSE.make()
    raw, _ = SPARSE.data("raw")
    np.testing.assert_array_equal(X.data, raw.data)


def test_constant_columns_become_zero_not_noise():
    X = np.asfortranarray(np.random.default_rng(0).standard_normal((20, 3)))
    X[:, 1] = 0.1
    X[:, 2] = 0.0
    prepare_columns(X, "standardised")
    assert not X[:, 1:].any()
    empty = prepare_columns(sparse.csc_matrix((20, 3)), "standardised")
    assert np.isfinite(empty.data).all()


def test_the_same_seed_gives_the_same_problem_and_another_another():
    first, again = SMALL.make(), SMALL.make()
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_array_equal(first[1], again[1])
    assert np.abs(problems.toy(50, 100, 5, 2.0, 99)[0] - first[0]).max() > 1


def test_neighbours_of_the_autoregressive_design_correlate_at_rho():
    X, _ = problems.autoregressive(4000, 40, 5, 0.95, 10.0, 0)
    assert X.flags.f_contiguous
    correlations = np.corrcoef(X.T)
    # 39 sample correlations of 4,000 rows: standard error (1 - 0.95^2)/sqrt(4000) = 0.0015 each.
    assert np.diag(correlations, 1).mean() == pytest.approx(0.95, abs=0.005)
    assert np.diag(correlations, 5).mean() == pytest.approx(0.95**5, abs=0.05)


def test_sparse_design_has_the_density_it_says():
    X, _ = SPARSE.make()
    assert X.nnz / np.prod(X.shape) == pytest.approx(5e-3, rel=1e-3)
    assert X.has_sorted_indices


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("problem", [SMALL, SPARSE], ids=lambda p: p.name)
def test_stored_problems_are_read_back_alike_and_made_once(tmp_path, problem, mapped, monkeypatch):
    folder = store(problem, "raw", tmp_path)
    X, y = fetch(folder, mapped=mapped)
    expected, y_expected = problem.data("raw")
    assert abs(X - expected).max() == 0
    np.testing.assert_array_equal(y, y_expected)
    if not sparse.issparse(X):
        assert X.flags.f_contiguous

    def fail(*_):
        raise AssertionError("made twice")

    monkeypatch.setattr(problems.Problem, "data", fail)
    assert store(problem, "raw", tmp_path) == folder


def test_real_data_are_asked_for_by_environment_variable(monkeypatch):
    monkeypatch.delenv("SPARSIEVE_DATA", raising=False)
    with pytest.raises(ProblemUnavailable, match="SPARSIEVE_DATA"):
        PROBLEMS["leukemia"].make()


def test_unknown_variants_are_refused():
    with pytest.raises(ValueError, match="unknown variant"):
        prepare_columns(np.zeros((2, 2), order="F"), "whitened")
