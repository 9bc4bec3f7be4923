"""Choosing alpha and shape: cross-validation, information criteria, surfaces, stability."""

from .criteria import SparseRegressorIC, information_criterion
from .cv import SparseRegressorCV
from .shapes import shape_grid
from .surface import Surface, sparse_surface

__all__ = [
    "SparseRegressorCV",
    "SparseRegressorIC",
    "Surface",
    "information_criterion",
    "shape_grid",
    "sparse_surface",
]
