"""One adapter per peer, by name."""

from __future__ import annotations

from importlib import import_module

from benchmarks.adapters.base import Adapter, Solution

_MODULES = {
    "sparsieve": "ours",
    "sparsieve-previous": "ours",
    "scikit-learn": "scikit_learn",
    "scikit-learn-gram": "scikit_learn",
    "celer": "celer_peer",
    "skglm": "skglm_peer",
    "adelie": "adelie_peer",
    "pycasso": "pycasso_peer",
    "skein-glm": "skein_peer",
    "glmnet": "r_peers",
    "glmnet-covariance": "r_peers",
    "glmnet-naive": "r_peers",
    "ncvreg": "r_peers",
}
# The same peer asked for a way that its default may not take: for the map of shapes.
WAYS = ("scikit-learn-gram", "glmnet-covariance", "glmnet-naive")
EVERY = tuple(_MODULES)
NAMES = tuple(name for name in EVERY if name not in WAYS)
# The library with its default start and walking down: no peer of itself.
OURS, PREVIOUS = "sparsieve", "sparsieve-previous"
OWN = frozenset({OURS, PREVIOUS})
# Peers that pose another problem: no part of the comparison of solvers, but of the study of starts.
OTHERS = {"abess": "abess_peer"}


def adapter(name: str) -> Adapter:
    """Return the adapter called `name`; its peer is imported only when it is first used."""
    module = import_module(f"benchmarks.adapters.{(_MODULES | OTHERS)[name]}")
    made: Adapter = module.ADAPTERS[name]()
    return made


__all__ = [
    "EVERY",
    "NAMES",
    "OTHERS",
    "OURS",
    "OWN",
    "PREVIOUS",
    "WAYS",
    "Adapter",
    "Solution",
    "adapter",
]
