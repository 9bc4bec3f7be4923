"""Penalties: built in, and your own."""

from .base import Penalty
from .builtin import L1, MCP, SCAD, CappedL1, LogSum, Lq
from .resolve import is_convex, jump_threshold_of, largest_concavity, minimiser_of, resolve_penalty

__all__ = [
    "L1",
    "MCP",
    "SCAD",
    "CappedL1",
    "LogSum",
    "Lq",
    "Penalty",
    "is_convex",
    "jump_threshold_of",
    "largest_concavity",
    "minimiser_of",
    "resolve_penalty",
]
