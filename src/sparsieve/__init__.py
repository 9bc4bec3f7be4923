"""Certified sparse regression with non-convex penalties."""

from . import converters, datasets, reference, report
from .certificate import Certificate
from .estimators import SparseRegressor
from .model_content import load_model
from .model_file import ModelFileError
from .model_selection import (
    LocalMinima,
    SparseRegressorCV,
    SparseRegressorIC,
    Stability,
    Surface,
    information_criterion,
    local_minima,
    shape_grid,
    sparse_surface,
    stability_bounds,
    stability_selection,
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
    "LocalMinima",
    "LogSum",
    "Lq",
    "ModelFileError",
    "PWLResult",
    "Path",
    "SparseRegressor",
    "SparseRegressorCV",
    "SparseRegressorIC",
    "Stability",
    "Surface",
    "TableModel",
    "alpha_max",
    "converters",
    "datasets",
    "information_criterion",
    "kkt_violation",
    "load_model",
    "local_minima",
    "objective",
    "proximal_weighted_lasso",
    "reference",
    "report",
    "shape_grid",
    "sparse_path",
    "sparse_surface",
    "stability_bounds",
    "stability_selection",
]

#: The version of the installed package, kept equal to pyproject.toml by a test.
__version__ = "0.1.0"
