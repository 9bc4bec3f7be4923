"""Certified sparse regression with non-convex penalties."""

from . import datasets, reference, report
from .certificate import Certificate
from .estimators import SparseRegressor
from .model_content import load_model
from .model_file import ModelFileError
from .model_selection import (
    SparseRegressorCV,
    SparseRegressorIC,
    Surface,
    information_criterion,
    shape_grid,
    sparse_surface,
)
from .objective import kkt_violation, objective
from .path import Path, alpha_max, sparse_path
from .penalties import L1, MCP, SCAD, CappedL1, LogSum, Lq
from .pwl import PWLResult, proximal_weighted_lasso
from .table_model import TableModel

__all__ = [
    "L1",
    "MCP",
    "SCAD",
    "CappedL1",
    "Certificate",
    "LogSum",
    "Lq",
    "ModelFileError",
    "PWLResult",
    "Path",
    "SparseRegressor",
    "SparseRegressorCV",
    "SparseRegressorIC",
    "Surface",
    "TableModel",
    "alpha_max",
    "datasets",
    "information_criterion",
    "kkt_violation",
    "load_model",
    "objective",
    "proximal_weighted_lasso",
    "reference",
    "report",
    "shape_grid",
    "sparse_path",
    "sparse_surface",
]
