"""How fast rows are summed, and in how much memory: ``make bench-streams``.

Rows are made once and fed again and again, so that their making is not measured. ``--dask`` sums
chunks that workers make for themselves, on one, two and four processes. ``--simulate 1e10`` prints
what so many rows would cost: the rate of this machine and core, measured on ``--rows``, times the
rows; nothing of that size is run.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

import sparsieve as sv

BATCH = 100_000


def stream(rows: int, columns: int) -> None:
    """Sum a stream, fit a path from it, and print rate and memory."""
    g = np.random.default_rng(0)
    X = g.standard_normal((BATCH, columns))
    y = X[:, 0] - X[:, 1] + g.standard_normal(BATCH)
    statistics = sv.Statistics()
    begin = time.perf_counter()
    cpu = time.process_time()
    for _ in range(rows // BATCH):
        statistics.partial_fit(X, y)
    wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
    begin = time.perf_counter()
    path = sv.sparse_path(statistics, penalty="mcp")
    solved = time.perf_counter() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{rows:g} x {columns}: {rows / wall:.3g} rows/s ({rows / cpu:.3g} per CPU second), "
        f"path of {len(path)} alphas in {solved:.2f} s, {path.converged.sum()} certified, "
        f"kkt at most {path.kkt.max():.1e}, memory of the process at most {memory:.0f} MB"
    )


def simulate(rows: float, columns: int, measured: int) -> None:
    """Print what a table would cost whose rows nobody has."""
    g = np.random.default_rng(0)
    X = g.standard_normal((BATCH, columns))
    statistics, y = sv.Statistics(), X[:, 0] + g.standard_normal(BATCH)
    cpu = time.process_time()
    for _ in range(max(1, measured // BATCH)):
        statistics.partial_fit(X, y)
    rate = statistics.n_samples / (time.process_time() - cpu)
    cpu = time.process_time()
    sv.sparse_path(statistics, penalty="mcp")
    path = time.process_time() - cpu
    hours, merges = rows / rate / 3600, np.log2(max(rows / 4096, 1))
    size = 8 * rows * (columns + 1)
    print(
        f"{rows:g} x {columns}, from {rate:.3g} rows per CPU second measured on "
        f"{statistics.n_samples:g} rows: {hours:.2g} core hours for the sums, "
        f"{path:.2f} s for the path\n"
        f"data {size / 1e12:.3g} TB, read once: {size / 1e9 / 3600:.2g} hours at 1 GB/s\n"
        f"statistics {8 * (columns + 1) ** 2 / 1e3:.3g} kB for a worker, "
        f"{merges:.0f} levels of merges, error of a product some "
        f"{(168 + 3 * merges) * 2**-53:.1g} of the standard deviations"
    )
    for cores in (16, 64, 256):
        print(f"  {cores} cores: {60 * hours / cores:.2g} minutes, and the reading")


def make(block_info=None):
    """Make a chunk where it is needed: the columns and, last, the response."""
    (first, last), (_, width) = block_info[None]["array-location"]
    Z = np.random.default_rng(first).standard_normal((last - first, width))
    Z[:, -1] += Z[:, 0] - Z[:, 1]
    return Z


def cluster(rows: int, columns: int, workers: int) -> tuple[float, float, float]:
    """Return the seconds that so many processes take, and processor seconds of theirs and ours."""
    import dask.array as da
    from distributed import Client, LocalCluster

    chunk = 500_000
    chunks = ((chunk,) * (rows // chunk), (columns + 1,))
    options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as made, Client(made) as client:
        Z = da.map_blocks(make, chunks=chunks, dtype=float, meta=np.empty((0, 0)))
        sv.Statistics.of(Z[:chunk, :-1], Z[:chunk, -1])  # workers import what they need
        spent = -sum(client.run(time.process_time).values())
        begin, own = time.perf_counter(), time.process_time()
        sv.Statistics.of(Z[:, :-1], Z[:, -1])
        clock, own = time.perf_counter() - begin, time.process_time() - own
        return clock, spent + sum(client.run(time.process_time).values()), own


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--simulate", type=float, default=None, help="rows that nobody has")
    args = parser.parse_args()
    rows = int(args.rows)
    if args.simulate is not None:
        return simulate(args.simulate, args.columns, rows)
    if not args.dask:
        return stream(rows, args.columns)
    one = None
    for workers in (1, 2, 4):
        clock, theirs, ours = cluster(rows, args.columns, workers)
        one = one or (clock, theirs + ours)
        # By processor time: as if nobody else used the machine, with a core for each worker.
        alone = one[1] / (theirs / workers + ours)
        print(
            f"{rows:g} x {args.columns}, {workers} worker(s): {clock:.1f} s, {rows / clock:.3g} "
            f"rows/s, {one[0] / clock:.2f} times one worker; processor seconds {theirs:.1f} of "
            f"workers, {ours:.2f} of client and scheduler: {alone:.2f} times one worker",
            flush=True,
        )
    return None


if __name__ == "__main__":
    main()
