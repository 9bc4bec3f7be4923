"""Choosing alpha and shape: cross-validation, information criteria, surfaces, stability."""

from .cv import SparseRegressorCV
from .shapes import shape_grid

__all__ = ["SparseRegressorCV", "shape_grid"]
