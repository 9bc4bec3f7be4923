"""Work for ThreadSanitizer: fits from several threads on shared data, each with threads of its own.

Judged by the sanitizer, which ends the program with exit code 66 when it saw a race, and by the
bits of the results.
"""

import sys
import threading
from pathlib import Path

import sparsieve as sv

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the problems are
from penalties_under_test import Arctan
from problems import sparse_design, toy

# Wide enough that the core splits every kind of pass among its threads.
X, Y, _ = toy(n_samples=150, n_features=8000, n_active=8, noise=1.0, seed=0)
SPARSE = sparse_design(150, 8000, density=0.1, seed=1)


def fit(k):
    """Return the bits of one path; storage, penalty and number of threads vary."""
    data, penalty = (X, SPARSE)[k % 2], ("mcp", "l1", Arctan())[k % 3]
    path = sv.sparse_path(data, Y, penalty, alphas=3, eps=0.5, n_jobs=1 + k % 3)
    return b"".join(path.coef_at(alpha).tobytes() for alpha in path.alphas)


def main():
    expected = [fit(k) for k in range(6)]
    wrong = []

    def work(first):
        for k in range(first, first + 3):
            if fit(k % 6) != expected[k % 6]:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(first,)) for first in range(0, 6, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # So many columns that threads share what is said about each of them.
    broad = toy(n_samples=40, n_features=70_000, n_active=5, noise=1.0, seed=2)[:2]
    sv.sparse_path(*broad, "mcp", alphas=3, eps=0.5, n_jobs=3)
    # Supports of more than 512 features, whose solves are shared too.
    many = toy(n_samples=900, n_features=1600, n_active=600, noise=1.0, seed=1)[:2]
    sv.sparse_path(*many, "scad", alphas=6, eps=2e-3, n_jobs=3)
    narrow = X[:, :800]
    sv.SparseRegressorCV(alphas=4, cv=3, n_jobs=3).fit(narrow, Y)
    sv.stability_selection(narrow, Y, n_pairs=2, alphas=4, random_state=0, n_jobs=3)
    print(f"{len(threads) * 3} paths from {len(threads)} threads, {len(wrong)} different")
    raise SystemExit(len(wrong) > 0)


if __name__ == "__main__":
    main()
