"""Choosing alpha and shape: cross-validation, information criteria, surfaces, stability."""

from .classifiers import SparseClassifierCV, SparseClassifierIC
from .codes import Codes, sparse_codes
from .criteria import SparseRegressorIC, information_criterion
from .cv import SparseRegressorCV
from .minima import LocalMinima, local_minima
from .shapes import shape_grid
from .stability import Stability, stability_bounds, stability_selection
from .surface import Surface, sparse_surface
from .table_fit import fit_table

__all__ = [
    "Codes",
    "LocalMinima",
    "SparseClassifierCV",
    "SparseClassifierIC",
    "SparseRegressorCV",
    "SparseRegressorIC",
    "Stability",
    "Surface",
    "fit_table",
    "information_criterion",
    "local_minima",
    "shape_grid",
    "sparse_codes",
    "sparse_surface",
    "stability_bounds",
    "stability_selection",
]
