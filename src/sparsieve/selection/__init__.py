"""Choosing alpha and shape: cross-validation, information criteria, surfaces, stability."""

from .criteria import SparseRegressorIC, information_criterion
from .cv import SparseRegressorCV
from .minima import LocalMinima, local_minima
from .shapes import shape_grid
from .stability import Stability, stability_bounds, stability_selection
from .surface import Surface, sparse_surface

__all__ = [
    "LocalMinima",
    "SparseRegressorCV",
    "SparseRegressorIC",
    "Stability",
    "Surface",
    "information_criterion",
    "local_minima",
    "shape_grid",
    "sparse_surface",
    "stability_bounds",
    "stability_selection",
]
