"""Kill long runs at random moments and see that they resume to the same bits.

Run as a program (it forks, which a process with threads should not do):
``python killed_runs.py KILLS`` prints one JSON line with what happened.
"""

import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import sparsieve as sv

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the problems are
from problems import toy

X, Y, _ = toy(n_samples=120, n_features=400, n_active=8, noise=1.0, seed=0)


def cross_validation(checkpoint):
    model = sv.SparseRegressorCV(["l1", "mcp"], alphas=40, cv=6, checkpoint=checkpoint).fit(X, Y)
    return model.mse_path_, model.coef_


def surface(checkpoint):
    result = sv.sparse_surface(X, Y, "mcp", alphas=60, checkpoint=checkpoint)
    return result.grid("objective"), np.concatenate([p.coef_at(p.alphas[-1]) for p in result])


def stability(checkpoint):
    result = sv.stability_selection(X, Y, n_pairs=10, random_state=0, checkpoint=checkpoint)
    return (result.frequencies,)


def killed_once(run, file, delay):
    """Run in a child, kill it after the delay; return whether it was killed before its end."""
    child = os.fork()
    if child == 0:
        try:
            run(file)
            os._exit(0)
        except BaseException:
            os._exit(1)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    if os.WEXITSTATUS(status) != 0:
        raise RuntimeError("a resumed run failed")
    return False


def main(wanted):
    rng = np.random.default_rng(0)
    kills = {run.__name__: 0 for run in (cross_validation, surface, stability)}
    different = resumed = 0
    for run in (cross_validation, surface, stability):
        start = time.perf_counter()
        expected = run(None)
        duration = time.perf_counter() - start
        while kills[run.__name__] < wanted / 3:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "run.checkpoint"
                while killed_once(run, file, rng.uniform(0.0, 1.5 * duration)):
                    kills[run.__name__] += 1
                    resumed += file.exists()
                duration *= 0.8  # it ended first; a slow first run must not make all others wait
                found = run(file)
                leftovers = [name for name in os.listdir(folder) if name != file.name]
                if len(leftovers) > kills[run.__name__]:
                    raise RuntimeError("more temporary files than kills")
            different += not all(np.array_equal(a, b) for a, b in zip(expected, found, strict=True))
    print(json.dumps({"kills": kills, "resumed": resumed, "different": different}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
