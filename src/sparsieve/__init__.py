"""Certified sparse regression with non-convex penalties."""

from . import datasets, reference
from .penalties import L1, MCP, SCAD, CappedL1, LogSum, Lq

__all__ = ["L1", "MCP", "SCAD", "CappedL1", "LogSum", "Lq", "datasets", "reference"]
