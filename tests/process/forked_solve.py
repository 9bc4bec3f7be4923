"""A penalty that forks in the middle of a solve, once helpers are at work; the child gives up.

The child has no helpers: it must neither wait for them nor try to wake them.
"""

import os
import sys
from pathlib import Path

import sparsieve as sv

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the problems are
from penalties_under_test import Arctan
from problems import toy


class GaveUpError(Exception):
    """What the child ends its solve with."""


class Forking(Arctan):
    """Forks when this process has more threads than it began with."""

    began_with = None
    child = None

    def slope(self, abs_w, alpha):
        if self.began_with is not None and self.child is None and threads() > self.began_with:
            self.child = os.fork()
            if self.child == 0:
                raise GaveUpError
        return super().slope(abs_w, alpha)


def threads():
    """Return how many threads this process has."""
    return len(os.listdir("/proc/self/task"))


def main():
    """Solve; say how the child ended and whether the parent did well."""
    X, y, _ = toy(n_samples=40, n_features=70_000, n_active=5, noise=1.0, seed=0)
    penalty = Forking()
    penalty.began_with = threads()
    try:
        path = sv.sparse_path(X, y, penalty, alphas=6, eps=0.1, n_jobs=3)
    except GaveUpError:
        os._exit(7)
    _, status = os.waitpid(penalty.child, 0)
    print(f"child ended with {os.waitstatus_to_exitcode(status)}")
    print(f"parent has {'converged' if path.converged.all() else 'not converged'}")


if __name__ == "__main__":
    main()
