"""Choosing alpha and shape: cross-validation, information criteria, surfaces, stability."""

from .criteria import SparseRegressorIC, information_criterion
from .cv import SparseRegressorCV
from .shapes import shape_grid

__all__ = ["SparseRegressorCV", "SparseRegressorIC", "information_criterion", "shape_grid"]
