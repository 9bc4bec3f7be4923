"""Certified sparse regression with non-convex penalties."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import converters, datasets, plots, reference, report
    from .data.statistics import Statistics
    from .estimators.classifier import SparseClassifier
    from .estimators.regressor import SparseRegressor
    from .estimators.table_model import TableModel
    from .files.loading import load_model
    from .files.model_file import ModelFileError
    from .inspect.certificate import Certificate
    from .inspect.judge import kkt_violation, objective
    from .inspect.strength_judge import coordinatewise_violation, swap_violation
    from .losses import Huber, Logistic, NegativeBinomial, Poisson, Squared
    from .paths.path import Path
    from .paths.sparse_path import alpha_max, sparse_path
    from .penalties import L1, MCP, SCAD, CappedL1, LogSum, Lq
    from .selection import (
        Codes,
        LocalMinima,
        SparseClassifierCV,
        SparseClassifierIC,
        SparseRegressorCV,
        SparseRegressorIC,
        Stability,
        Surface,
        fit_table,
        information_criterion,
        local_minima,
        shape_grid,
        sparse_codes,
        sparse_surface,
        stability_bounds,
        stability_selection,
    )
    from .solve.pwl import PWLResult, proximal_weighted_lasso

__all__ = [
    "L1",
    "MCP",
    "SCAD",
    "CappedL1",
    "Certificate",
    "Codes",
    "Huber",
    "LocalMinima",
    "LogSum",
    "Logistic",
    "Lq",
    "ModelFileError",
    "NegativeBinomial",
    "PWLResult",
    "Path",
    "Poisson",
    "SparseClassifier",
    "SparseClassifierCV",
    "SparseClassifierIC",
    "SparseRegressor",
    "SparseRegressorCV",
    "SparseRegressorIC",
    "Squared",
    "Stability",
    "Statistics",
    "Surface",
    "TableModel",
    "alpha_max",
    "converters",
    "coordinatewise_violation",
    "datasets",
    "fit_table",
    "information_criterion",
    "kkt_violation",
    "load_model",
    "local_minima",
    "objective",
    "plots",
    "proximal_weighted_lasso",
    "reference",
    "report",
    "shape_grid",
    "sparse_codes",
    "sparse_path",
    "sparse_surface",
    "stability_bounds",
    "stability_selection",
    "swap_violation",
]

#: The version of the installed package, kept equal to pyproject.toml by a test.
__version__ = "0.1.0"

# Where the public names live. They are imported when first used, so that what needs few of them,
# such as showing a page of help, does not wait for all the libraries behind the others.
_MODULES = ("converters", "datasets", "plots", "reference", "report")
_HOMES = {
    "data.statistics": ("Statistics",),
    "inspect.certificate": ("Certificate",),
    "estimators.classifier": ("SparseClassifier",),
    "estimators.regressor": ("SparseRegressor",),
    "inspect.judge": ("kkt_violation", "objective"),
    "files.loading": ("load_model",),
    "files.model_file": ("ModelFileError",),
    "selection": (
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
    ),
    "paths.path": ("Path",),
    "paths.sparse_path": ("alpha_max", "sparse_path"),
    "losses": ("Huber", "Logistic", "NegativeBinomial", "Poisson", "Squared"),
    "penalties": ("L1", "MCP", "SCAD", "CappedL1", "LogSum", "Lq"),
    "solve.pwl": ("PWLResult", "proximal_weighted_lasso"),
    "inspect.strength_judge": ("coordinatewise_violation", "swap_violation"),
    "estimators.table_model": ("TableModel",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # or a type checker would believe that every name exists

    def __getattr__(name: str) -> Any:
        """Import a public name at its first use."""
        if name in _HOME_OF:
            value = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
        elif name in _MODULES:
            value = import_module(f".{name}", __name__)
        else:
            raise AttributeError(
                f"module 'sparsieve' has no attribute {name!r}; dir(sparsieve) lists what it has."
            )
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__version__"]
