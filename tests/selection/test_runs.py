"""Units that share threads: settings, warnings and errors are those of the calling thread."""

import errno
import gc
import threading
import warnings
import weakref

import joblib
import numpy as np
import pytest
import sklearn

import sparsieve as sv


@pytest.fixture
def problem():
    X, y, _ = sv.datasets.make_toy(30, 5, 2, noise=0.5, random_state=0)
    return X, y


def cross_validate(scoring, problem, **options):
    options = {"alphas": 1, "cv": 2, "n_jobs": 2, **options}
    return sv.SparseRegressorCV(scoring=scoring, **options).fit(*problem)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_warnings_of_a_score_reach_the_user(problem, n_jobs):
    def score(estimator, X, y):
        warnings.warn("few rows to judge by", UserWarning, stacklevel=1)
        return 0.0

    before = list(warnings.filters)
    with pytest.warns(UserWarning, match="few rows to judge by"):
        cross_validate(score, problem, n_jobs=n_jobs)
    # The filters belong to all threads: two that change and restore them would leave a mess.
    assert warnings.filters == before


def test_every_thread_has_the_settings_of_the_calling_one(problem):
    seen = {}
    both = threading.Barrier(2, timeout=60)

    def score(estimator, X, y):
        both.wait()  # one fold in each thread
        settings = sklearn.get_config()["assume_finite"], np.geterr()["over"]
        seen[threading.get_ident()] = *settings, joblib.effective_n_jobs(2)
        return 0.0

    with sklearn.config_context(assume_finite=True), np.errstate(over="raise"):
        cross_validate(score, problem)
    assert list(seen.values()) == [(True, "raise", 1)] * 2


def test_every_process_has_the_settings_of_the_calling_one(problem):
    def score(estimator, X, y):
        return float(sklearn.get_config()["assume_finite"])

    with sklearn.config_context(assume_finite=True), joblib.parallel_config("loky"):
        model = cross_validate(score, problem)
    assert model.cv_results_["mean_test_score"] == [1.0]


def test_no_more_processes_than_folds(problem):
    with joblib.parallel_config("loky"):
        sv.SparseRegressorCV(alphas=1, cv=2, n_jobs=20).fit(*problem)
    assert joblib.externals.loky.get_reusable_executor(reuse=True)._max_workers == 2


def test_a_score_that_finds_something_busy_is_no_lack_of_memory(problem):
    def score(estimator, X, y):
        raise BlockingIOError(errno.EAGAIN, "the file is locked")

    with pytest.raises(BlockingIOError, match="the file is locked"):
        cross_validate(score, problem)


def test_an_error_in_another_thread_keeps_nothing_alive(problem):
    here = threading.get_ident()
    both = threading.Barrier(2, timeout=60)

    class Score:
        def __call__(self, estimator, X, y):
            both.wait()
            if threading.get_ident() != here:
                raise OverflowError
            return 0.0

    score = Score()
    kept = weakref.ref(score)
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(OverflowError) as caught:
            cross_validate(score, problem)
        del score, caught
        assert kept() is None
    finally:
        gc.enable()


def test_after_ctrl_c_no_other_thread_goes_on_scoring(problem):
    here = threading.get_ident()
    both = threading.Barrier(2, timeout=60)
    over, again = threading.Event(), threading.Event()

    def score(estimator, X, y):
        if over.is_set():
            again.set()
            return 0.0
        both.wait()
        if threading.get_ident() == here:
            raise KeyboardInterrupt
        over.wait(timeout=60)
        return 0.0

    with pytest.raises(KeyboardInterrupt):
        cross_validate(score, problem, alphas=20)
    over.set()
    assert not again.wait(timeout=0.5)
