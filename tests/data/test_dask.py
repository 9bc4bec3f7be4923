"""Dask's chunks of rows: the bits of one stream, on threads and on clusters that lose workers."""

from __future__ import annotations

import time

import numpy as np
import pytest

import sparsieve as sv

da = pytest.importorskip("dask.array")


def rows(n: int = 10_000, d: int = 6):
    g = np.random.default_rng(0)
    X = g.standard_normal((n, d)) + 5.0
    return X, X[:, 0] - X[:, 1] + g.standard_normal(n)


def same(a: sv.Statistics, b: sv.Statistics) -> bool:
    return a.n_samples == b.n_samples and np.array_equal(a.covariance, b.covariance)


@pytest.mark.parametrize("chunk", [999, 4096, 10_000, (1, 5000, 4999)])
def test_any_chunks_give_the_bits_of_one_stream(chunk):
    X, y = rows()
    weight = np.arange(10_000) % 3.0
    whole = sv.Statistics().partial_fit(X, y, weight)
    sizes = chunk if isinstance(chunk, tuple) else (chunk,)
    lazy = da.from_array(X, chunks=((*sizes,) if len(sizes) > 1 else chunk, -1))
    assert same(sv.Statistics.of(lazy, da.from_array(y, chunks=777), weight), whole)
    assert same(sv.Statistics.of(lazy, y[:, None], da.from_array(weight)), whole)
    path = sv.sparse_path(lazy, y, "mcp", alphas=8, eps=0.05, sample_weight=weight)
    other = sv.sparse_path(whole, penalty="mcp", alphas=8, eps=0.05)
    assert np.array_equal(path.kkt, other.kkt)


def test_it_stands_as_x_everywhere():
    X, y = rows(2000)
    lazy, response = da.from_array(X, chunks=(300, -1)), da.from_array(y, chunks=300)
    whole = sv.Statistics().partial_fit(X, y)
    one = sv.SparseRegressor("l1", 0.1).fit(lazy, response)
    assert np.array_equal(one.coef_, sv.SparseRegressor("l1", 0.1).fit(whole).coef_)
    assert sv.alpha_max(lazy, response) == sv.alpha_max(whole)
    criterion = sv.SparseRegressorIC("l1", alphas=8).fit(lazy, response)
    assert criterion.alpha_ == sv.SparseRegressorIC("l1", alphas=8).fit(whole).alpha_
    folds = sv.SparseRegressorCV("l1", alphas=8, cv=4).fit(lazy, response)
    other = sv.SparseRegressorCV("l1", alphas=8, cv=4).fit(X, y)
    assert folds.mse_path_ == pytest.approx(other.mse_path_, rel=1e-6)
    assert folds.coef_ == pytest.approx(other.coef_, abs=1e-6)


def test_frames():
    pandas = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    X, y = rows(2000)
    frame = pandas.DataFrame(X, columns=list("abcdef")).assign(y=y, w=1.0)
    lazy = dd.from_pandas(frame, npartitions=7)
    whole = sv.Statistics().partial_fit(frame, "y", "w")
    by_name = sv.Statistics.of(lazy, "y", "w")
    assert by_name.covariance == pytest.approx(whole.covariance, rel=1e-12)
    assert list(by_name.feature_names) == list("abcdef")
    series = sv.Statistics.of(lazy[list("abcdef")], lazy["y"])
    assert same(series, by_name)
    model = sv.SparseRegressorCV("l1", alphas=8, cv=3).fit(lazy.drop(columns="w"), "y")
    assert list(model.feature_names_in_) == list("abcdef")
    with pytest.raises(ValueError, match=r"cv=9 needs as many partitions, and X has 7"):
        sv.SparseRegressorCV("l1", cv=9).fit(lazy, "y")
    with pytest.raises(ValueError, match="y is missing; pass the name of its column"):
        sv.Statistics.of(lazy)
    with pytest.raises(ValueError, match="y does not have the 7 partitions of X"):
        sv.Statistics.of(lazy, y)
    with pytest.raises(ValueError, match="y='z' is no column of X; its columns are a, b"):
        sv.Statistics.of(lazy, "z")
    path = sv.sparse_path(lazy.drop(columns="w"), "y", "l1", alphas=5)
    assert path.certify(lazy.drop(columns="w"), "y").converged.all()
    with pytest.raises(ValueError, match="in another order"):
        path.certify(lazy[list("bacdef")], lazy["y"])
    text = dd.from_pandas(frame.assign(a="x"), npartitions=2)
    with pytest.raises(ValueError, match=r"chunk \d of the rows: .*'a'"):
        sv.Statistics.of(text, "y")


def test_the_second_pass_runs_where_the_chunks_are():
    X, y = rows(9000)
    weight = np.arange(9000) % 3.0
    lazy = da.from_array(X, chunks=(1700, -1))
    path = sv.sparse_path(lazy, y, "mcp", alphas=8, eps=0.05, sample_weight=weight)
    there, here = path.certify(lazy, y, weight), path.certify(X, y, weight)
    # The same sums in extended precision, cut differently: only blocks of 128 rows differ.
    assert there.kkt == pytest.approx(here.kkt, abs=1e-12)
    assert np.array_equal(path.certify(lazy, y, weight).kkt, there.kkt)
    for point in there.points:
        coef = np.zeros(6)
        coef[point.columns] = point.values
        violation = sv.kkt_violation(
            X, y, coef, point.intercept, penalty="mcp", alpha=point.alpha, sample_weight=weight,
            fit_intercept=True,
        )  # fmt: skip
        assert violation <= point.kkt + 1e-12
    with pytest.raises(ValueError, match="X has 8999 rows in all"):
        path.certify(lazy[1:], y[1:], weight[1:])
    broken = X.copy()
    broken[5000, 2] = np.nan
    with pytest.raises(ValueError, match=r"chunk 2 of the rows: .*NaN at row 1600, column 2"):
        path.certify(da.from_array(broken, chunks=(1700, -1)), y, weight)


def test_what_sums_cannot_do_is_refused_before_rows_are_added():
    X, y = rows(200)

    def never(block):
        raise AssertionError("rows were read")

    lazy = da.from_array(X, chunks=(50, -1)).map_blocks(never, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(ValueError, match="enough for squares only"):
        sv.sparse_path(lazy, y, loss="huber")
    with pytest.raises(ValueError, match="enough for squares only"):
        sv.SparseRegressor(loss="huber").fit(lazy, y)
    with pytest.raises(ValueError, match="enough for squares only"):
        sv.SparseRegressorCV(loss="huber").fit(lazy, y)
    with pytest.raises(ValueError, match="offset needs rows"):
        sv.sparse_path(lazy, y, offset=y)
    with pytest.raises(TypeError, match="rows cannot be read from a Dask Delayed"):
        sv.Statistics.of(lazy.to_delayed()[0, 0], y)


def test_bad_input():
    X, y = rows(100)
    lazy = da.from_array(X, chunks=(30, 2))
    with pytest.raises(ValueError, match=r"3 chunks of columns.*X\.rechunk\(\{1: -1\}\)"):
        sv.sparse_path(lazy, y)
    lazy = lazy.rechunk({1: -1})
    with pytest.raises(ValueError, match="y is missing: a Dask array has no named columns"):
        sv.sparse_path(lazy)
    with pytest.raises(ValueError, match=r"y has shape \(99,\), X has 100 rows"):
        sv.sparse_path(lazy, y[1:])
    with pytest.raises(ValueError, match="X must have 2 dimensions"):
        sv.Statistics.of(lazy[:, 0], y)
    with pytest.raises(ValueError, match=r"compute_chunk_sizes"):
        sv.Statistics.of(lazy[lazy[:, 0] > 5.0], y)
    broken = X.copy()
    broken[45, 3] = np.nan
    with pytest.raises(ValueError, match=r"chunk 1 of the rows: .*NaN at row 15, column 3"):
        sv.Statistics.of(da.from_array(broken, chunks=(30, -1)), y)
    with pytest.raises(ValueError, match="needs rows in memory; pass a number of folds"):
        sv.SparseRegressorCV("l1", cv=[(range(50), range(50, 100))]).fit(lazy, y)
    with pytest.raises(ValueError, match="cv=200 needs as many rows, and X has 100"):
        sv.SparseRegressorCV("l1", cv=200).fit(lazy, y)
    with pytest.raises(TypeError, match="needs the rows of X"):
        sv.sparse_codes(lazy, np.column_stack([y, y]), "l1", alpha=0.1)


def test_workers_without_the_package(monkeypatch):
    from sparsieve.data import dask_chunks

    def compute(tasks, client):
        raise ModuleNotFoundError("No module named 'sparsieve'")

    monkeypatch.setattr(dask_chunks, "_compute", compute)
    X, y = rows(50)
    with pytest.raises(RuntimeError, match="cluster do not have sparsieve"):
        sv.Statistics.of(da.from_array(X), y)

    def other(tasks, client):
        raise ModuleNotFoundError("No module named 'elsewhere'")

    monkeypatch.setattr(dask_chunks, "_compute", other)
    with pytest.raises(ModuleNotFoundError, match="elsewhere"):
        sv.Statistics.of(da.from_array(X), y)


def test_a_scheduler_without_the_package(monkeypatch):
    from sparsieve.data import dask_chunks

    def compute(tasks, client):
        # What a scheduler says that cannot read a graph.
        missing = ModuleNotFoundError("No module named 'sparsieve'")
        raise RuntimeError("Error during deserialization of the task graph.") from missing

    monkeypatch.setattr(dask_chunks, "_compute", compute)
    X, y = rows(50)
    with pytest.raises(RuntimeError, match="cluster do not have sparsieve"):
        sv.Statistics.of(da.from_array(X), y)

    def other(tasks, client):
        raise RuntimeError("something else")

    monkeypatch.setattr(dask_chunks, "_compute", other)
    with pytest.raises(RuntimeError, match="something else"):
        sv.Statistics.of(da.from_array(X), y)


# Put first on the path of another Python, this keeps sparsieve from being found.
WITHOUT = """
import sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "sparsieve":
            raise ModuleNotFoundError("No module named 'sparsieve'", name="sparsieve")
sys.meta_path.insert(0, Nothing())
"""


@pytest.mark.slow
def test_a_real_cluster_without_the_package(tmp_path):
    import os
    import subprocess
    import sys

    distributed = pytest.importorskip("distributed")
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    place, environment = tmp_path / "place.json", {**os.environ, "PYTHONPATH": str(tmp_path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "dask", *words, "--scheduler-file", str(place)],
            env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for words in (
            ["scheduler", "--port", "0", "--dashboard-address", ":0"],
            ["worker", "--nthreads", "1", "--no-dashboard"],
        )
    ]  # fmt: skip
    try:
        with distributed.Client(scheduler_file=str(place), timeout=120) as client:
            client.wait_for_workers(1, timeout=120)
            X, y = rows(3000)
            with pytest.raises(RuntimeError, match="cluster do not have sparsieve"):
                sv.Statistics.of(da.from_array(X, chunks=(500, -1)), y)
    finally:
        for process in started:
            process.kill()
            process.wait()


def cluster(workers: int, **options):
    distributed = pytest.importorskip("distributed")
    made = distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=":0", **options
    )
    return made, distributed.Client(made)


def made_of(seed: int, n: int, d: int):
    """Return chunks that are made where they are needed, slowly enough to meet a death."""

    def make(block_info=None):
        first = block_info[None]["array-location"][0][0]
        time.sleep(0.05)
        return np.random.default_rng([seed, first]).standard_normal((n, d))

    chunks = ((n,) * 40, (d,))
    return da.map_blocks(make, chunks=chunks, dtype=float, meta=np.empty((0, 0)))


def test_a_client_in_this_process():
    made, client = cluster(1, processes=False)
    with made, client:
        X, y = rows(5000)
        lazy = da.from_array(X, chunks=(700, -1))
        whole = sv.Statistics().partial_fit(X, y)
        assert same(sv.Statistics.of(lazy, y), whole)
        assert same(sv.Statistics.of(lazy, y, client=client), whole)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 4])
def test_processes_and_deaths_change_nothing(workers):
    made, client = cluster(workers, processes=True)
    with made, client:
        X = made_of(0, 3000, 5)
        y = X[:, 0]
        expected = sv.Statistics.of(X, y)  # not twice in this process, where nothing dies
        tasks_seen = set()
        deaths = 0
        from threading import Thread

        def kill():
            nonlocal deaths
            for _ in range(5):
                time.sleep(0.6)
                tasks_seen.update(str(key) for keys in client.processing().values() for key in keys)
                victims = list(made.workers.values())
                victims[deaths % len(victims)].process.process._process.kill()
                deaths += 1

        killer = Thread(target=kill)
        killer.start()
        found = [sv.Statistics.of(X, y) for _ in range(3)]
        killer.join()
        assert deaths == 5
        assert all(same(each, expected) for each in found)
        assert any(key.startswith("sparsieve-") for key in tasks_seen)


@pytest.mark.slow
def test_joblib_ships_the_rows_once(monkeypatch):
    from joblib import parallel_backend

    from sparsieve.solve.problem import Problem

    made, client = cluster(2, processes=True)
    shipped = []
    state = Problem.__getstate__
    monkeypatch.setattr(Problem, "__getstate__", lambda self: shipped.append(1) or state(self))
    with made, client:
        X, y = rows(20_000, 20)
        alone = sv.SparseRegressorCV("mcp", alphas=10, cv=8).fit(X, y)
        shipped.clear()
        with parallel_backend("dask"):
            model = sv.SparseRegressorCV("mcp", alphas=10, cv=8, n_jobs=2).fit(X, y)
        assert np.array_equal(model.mse_path_, alone.mse_path_)
        assert len(shipped) <= 2


@pytest.mark.slow
def test_joblib_sends_the_bytes_of_the_rows_once(monkeypatch):
    from joblib import parallel_backend

    tcp = pytest.importorskip("distributed.comm.tcp")
    X, y = rows(40_000, 20)
    works = {
        "folds": lambda **how: sv.SparseRegressorCV("mcp", alphas=5, cv=10, **how).fit(X, y),
        "surface": lambda **how: sv.sparse_surface(
            X, y, [sv.MCP(2.0 + k) for k in range(10)], alphas=5, **how
        ),
        "stability": lambda **how: sv.stability_selection(
            X, y, "mcp", alphas=5, n_pairs=10, random_state=0, **how
        ),
    }
    sent = [0]
    write = tcp.TCP.write

    async def counted(self, *args, **kwargs):
        count = await write(self, *args, **kwargs)
        sent[0] += count
        return count

    made, client = cluster(2, processes=True)
    with made, client, monkeypatch.context() as patch:
        patch.setattr(tcp.TCP, "write", counted)
        for name, work in works.items():
            sent[0] = 0
            with parallel_backend("dask"):
                work(n_jobs=2)
            # This process is client and scheduler: rows pass it on their way to one worker or to
            # both, against ten times or more if each task had its own.
            assert X.nbytes / 2 < sent[0] < 4 * X.nbytes, (name, sent[0] / X.nbytes)
