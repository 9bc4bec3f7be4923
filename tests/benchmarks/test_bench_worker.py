"""The worker's clocks and limits: what every published figure rests on."""

import time

import pytest
from benchmarks.worker import _limited


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
    start = time.process_time()
    while time.process_time() - start < 0.5:
        work(1000)
