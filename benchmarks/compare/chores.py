"""Work beside paths, done by a worker with the library of its own environment.

The worker of either side runs this file of this tree; options that its library does not know yet
are left out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from benchmarks import small
from benchmarks.adapters import Adapter
from benchmarks.adapters.ours import known_options, penalty_of
from benchmarks.judge import Penalty

CROSS_VALIDATION = "cross-validation"
BOOTSTRAPS = 1000
_FOLDS, _ALPHAS, _EPS = 10, 100, 1e-2  # those of benchmarks.selection.cost


@functools.cache
def small_works() -> dict[str, small.Work]:
    """Return the kinds of small work by name."""
    return {work.name: work for work in small.works(1, BOOTSTRAPS)}


def chore(message: dict[str, Any], peer: Adapter, X: Any, y: Any) -> Callable[[], Any]:
    """Return what a message names, ready to be timed."""
    penalty = Penalty(message["kind"], message["shape"])
    options = getattr(peer, "options", {})
    if message["name"] == CROSS_VALIDATION:
        return _cross_validation(penalty, options, message["threads"], X, y)
    return small.ours(small_works()[message["name"]], penalty, options)


def _cross_validation(
    penalty: Penalty, options: dict[str, Any], threads: int, X: Any, y: Any
) -> Callable[[], Any]:
    from sparsieve import SparseRegressorCV

    asked = {"alphas": _ALPHAS, "eps": _EPS, "cv": _FOLDS, "n_jobs": threads}
    more = known_options(SparseRegressorCV, options)
    model = SparseRegressorCV(penalty_of(penalty.kind, penalty.shape), **asked, **more)
    return lambda: model.fit(X, y)
