"""Certified sparse regression with non-convex penalties."""

from . import datasets, reference
from .certificate import Certificate
from .estimators import SparseRegressor
from .objective import kkt_violation, objective
from .path import Path, alpha_max, sparse_path
from .penalties import L1, MCP, SCAD, CappedL1, LogSum, Lq
from .pwl import PWLResult, proximal_weighted_lasso

__all__ = [
    "L1",
    "MCP",
    "SCAD",
    "CappedL1",
    "Certificate",
    "LogSum",
    "Lq",
    "PWLResult",
    "Path",
    "SparseRegressor",
    "alpha_max",
    "datasets",
    "kkt_violation",
    "objective",
    "proximal_weighted_lasso",
    "reference",
    "sparse_path",
]
