"""Certified sparse regression with non-convex penalties."""

from . import datasets, reference
from .objective import kkt_violation, objective
from .penalties import L1, MCP, SCAD, CappedL1, LogSum, Lq

__all__ = [
    "L1",
    "MCP",
    "SCAD",
    "CappedL1",
    "LogSum",
    "Lq",
    "datasets",
    "kkt_violation",
    "objective",
    "reference",
]
