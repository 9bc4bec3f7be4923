"""The worker's clocks and limits: what every published figure rests on."""

import signal
import time

import numpy as np
import pytest
from benchmarks.adapters import Solution
from benchmarks.worker import Worker, _limited


def work(loops):
    total = 0
    for i in range(loops):
        total += i * i
    return total


def forever():
    while True:
        work(1000)


def test_a_limit_leaves_the_cpu_clock_alone():
    """A process uses at least the CPU its own thread does; short runs are where a clock fails.

    The process's clock is read first, as the worker does: reading the thread's renews both.
    """
    for _ in range(50):
        thread, process = time.thread_time(), time.process_time()
        with _limited(100.0):
            work(20_000)
        used = time.process_time() - process
        own = time.thread_time() - thread
        # Read one after the other, so they differ by the cost of a few calls: well below a tenth.
        assert used >= 0.9 * own


def test_a_limit_ends_what_takes_longer():
    with pytest.raises(TimeoutError, match="CPU s"), _limited(0.05):
        forever()


def test_a_limit_does_not_outlive_its_block():
    with _limited(0.0):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    start = time.process_time()
    while time.process_time() - start < 0.5:
        work(1000)


class Partial:
    """A peer that takes an interruption for the end and hands over what it has."""

    def __init__(self, endless):
        self.endless = endless

    def solve(self, kind, shape, alphas, tol):
        try:
            if self.endless:
                forever()
        except TimeoutError:
            pass
        return Solution(np.zeros((3, len(alphas) - 1)))


@pytest.mark.parametrize(
    ("endless", "error"),
    [(True, "TimeoutError: no answer within 0.05 CPU s"), (False, "after 1 of 2 alphas")],
)
def test_a_path_with_alphas_missing_is_a_failure_of_the_peer(tmp_path, endless, error):
    worker = Worker("sparsieve")
    worker.adapter = Partial(endless)
    message = {"do": "solve", "kind": "l1", "shape": None, "tol": 1e-3, "limit": 0.05}
    answer = worker.answer({**message, "alphas": [1.0, 0.5], "out": str(tmp_path)})
    assert not answer["ok"]
    assert error in answer["error"]
