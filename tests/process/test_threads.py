"""Threads and processes: the same bits whoever computes, and no more threads than allowed."""

import json
import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_backend, parallel_config
from problems import toy
from threadpoolctl import threadpool_limits

import sparsieve as sv
from sparsieve.data.scalars import count_jobs

HERE = Path(__file__).parent


def run(fits):
    command = [sys.executable, "-W", "ignore", str(HERE / "threaded_fits.py"), str(fits)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("fits", [200, pytest.param(1000, marks=pytest.mark.slow)])
def test_fits_from_eight_threads_give_the_same_bits(fits):
    assert set(run(fits).values()) == {0}


@pytest.fixture(scope="module")
def problem():
    # Large enough that passes over X are really split.
    return toy(n_samples=300, n_features=3000, n_active=8, noise=1.0, seed=0)[:2]


def bits(path):
    coefs = b"".join(path.coef_at(alpha).tobytes() for alpha in path.alphas)
    return coefs + path.kkt.tobytes() + path.dual_gap.tobytes()


def test_every_number_of_threads_gives_the_same_bits(problem):
    paths = [
        bits(sv.sparse_path(*problem, "mcp", alphas=8, n_jobs=n_jobs))
        for n_jobs in (None, 1, 2, 3, 7, -1)
    ]
    assert len(set(paths)) == 1


@pytest.mark.parametrize("penalty", [pytest.param("l1", marks=pytest.mark.slow), "scad"])
def test_supports_whose_solves_are_shared_have_the_same_bits_too(penalty):
    # From 512 features on threads share the solves with the factor of their Gram matrix.
    X, y, _ = toy(n_samples=900, n_features=1600, n_active=600, noise=1.0, seed=1)
    paths = [
        sv.sparse_path(X, y, penalty, alphas=6, eps=2e-3, n_jobs=n_jobs) for n_jobs in (1, 2, 3)
    ]
    supports = np.diff(paths[0].coefs.indptr)
    assert supports.max() > 700
    assert len({bits(path) for path in paths}) == 1
    assert np.all(paths[0].converged)


def test_bounds_that_are_shared_have_the_same_bits_too():
    # From 65,536 columns on threads share what is said about each. Columns of one direction,
    # each with the weight of its length, have ratios that differ by rounding only.
    X, y, _ = toy(n_samples=40, n_features=35_000, n_active=5, noise=1.0, seed=2)
    lengths = np.random.default_rng(3).uniform(0.5, 3.0, 35_000)
    X = np.asfortranarray(np.hstack([X, X * lengths]))
    weights = np.concatenate([np.ones(35_000), lengths])
    found = {
        bits(sv.sparse_path(X, y, "mcp", alphas=6, eps=0.1, weights=weights, n_jobs=n_jobs))
        for n_jobs in (1, 2, 3, 3, 2)
    }
    assert len(found) == 1


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts the threads of a process")
def test_a_child_that_is_forked_inside_a_solve_ends():
    command = [sys.executable, "-W", "ignore", str(HERE / "forked_solve.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "child ended with 7\nparent has converged\n", done.stderr


def test_every_number_of_jobs_gives_the_same_choice(problem):
    found = set()
    for n_jobs in (None, 1, 2, 5):
        model = sv.SparseRegressorCV("mcp", alphas=6, cv=3, n_jobs=n_jobs).fit(*problem)
        found.add(model.coef_.tobytes() + model.mse_path_.tobytes())
        stable = sv.stability_selection(
            *problem, n_pairs=2, alphas=6, random_state=0, n_jobs=n_jobs
        )
        found.add(stable.frequencies.tobytes())
        surface = sv.sparse_surface(*problem, "mcp", alphas=4, n_jobs=n_jobs)
        found.add(np.ascontiguousarray(surface.grid("objective")).tobytes())
    assert len(found) == 3


def test_none_takes_what_joblib_s_context_says():
    assert count_jobs(None) == 1
    with parallel_backend("threading", n_jobs=3):
        assert count_jobs(None) == 3
    with parallel_config(backend="threading", n_jobs=2):
        assert count_jobs(None) == 2
        assert count_jobs(1) == 1
    with parallel_config(n_jobs=2):
        assert count_jobs(None) == 2


def test_a_worker_of_a_pool_of_processes_may_have_threads():
    # joblib counts for its processes, which such a worker may not start, and warns.
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(count_jobs, (2,)) == 2


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads in /proc")
@pytest.mark.parametrize("limit", [1, 2])
def test_limits_of_thread_pools_are_respected(problem, limit):
    """No thread beside the ones asked for runs while a limit is in force."""
    most, stop = [0], threading.Event()

    def watch():
        while not stop.wait(0.001):
            most[0] = max(most[0], len(os.listdir("/proc/self/task")))

    watcher = threading.Thread(target=watch)
    with threadpool_limits(limits=limit):
        sv.sparse_path(*problem, "mcp", alphas=3, n_jobs=limit)
        watcher.start()
        before = len(os.listdir("/proc/self/task"))
        try:
            sv.sparse_path(*problem, "mcp", alphas=30, eps=1e-2, n_jobs=limit)
            sv.SparseRegressorCV(alphas=5, cv=3).fit(*problem)
        finally:
            stop.set()
            watcher.join()
    assert most[0] - before <= limit - 1
