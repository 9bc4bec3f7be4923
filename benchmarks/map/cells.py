"""The cells of the map: shapes, layouts of X, and who may be asked for them.

A cell is one design with one penalty and one kind of work. Designs are those of
``benchmarks.problems``: AR(0.5) columns with up to 20 active features, or random sparse ones; 100
alphas down to a thousandth of the largest (a hundredth where there are more features than samples).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.judge import PENALTIES
from benchmarks.problems import Design, Problem, autoregressive, prepare_columns, random_sparse

ROWS = (50, 200, 1_000, 5_000, 20_000, 100_000, 1_000_000)
COLUMNS = (10, 50, 200, 1_000, 5_000, 20_000, 100_000)
MOST_ENTRIES = 10**8
QUICK_ROWS = (50, 1_000, 20_000)
QUICK_COLUMNS = (10, 200, 5_000)
QUICK_ENTRIES = 10**6
FOLDS = 10

DENSE = "F"
ORDERS = ("C", "float32")
CROSS_VALIDATION = "cv"
LAYOUTS = (DENSE, *ORDERS, "sparse", CROSS_VALIDATION)
# Shapes whose dense cells are also run in other layouts and cross-validated.
NAMED = (
    (200, 1_000),
    (200, 20_000),
    (1_000, 50),
    (1_000, 1_000),
    (1_000, 5_000),
    (5_000, 200),
    (20_000, 50),
    (20_000, 200),
    (100_000, 20),
    (100_000, 50),
)
SPARSE = (
    (1_000, 100_000, 1e-3),
    (1_000, 20_000, 1e-2),
    (5_000, 20_000, 1e-4),
    (5_000, 20_000, 1e-3),
    (5_000, 5_000, 1e-2),
    (20_000, 20_000, 1e-4),
    (20_000, 20_000, 1e-3),
    (20_000, 1_000, 1e-2),
    (20_000, 200, 1e-1),
    (100_000, 1_000, 1e-2),
)

# Peers of the convex and of the other penalties, at most so many numbers in a table of products.
CONVEX = (
    "scikit-learn",
    "scikit-learn-gram",
    "glmnet-covariance",
    "glmnet-naive",
    "adelie",
    "skglm",
    "celer",
)
CONCAVE = ("skglm", "skein-glm")
_MOST_PRODUCTS = 5_000**2


@dataclass(frozen=True)
class Shape:
    """One design of the map."""

    n: int
    d: int
    layout: str = DENSE
    density: float | None = None

    @property
    def name(self) -> str:
        """What stands in result files."""
        more = f" {self.density:g}" if self.density else ""
        return f"{self.n}x{self.d}" + ("" if self.layout == DENSE else f" {self.layout}{more}")

    @property
    def entries(self) -> int:
        """How many numbers are stored."""
        return round(self.n * self.d * (self.density or 1.0))

    @property
    def eps(self) -> float:
        """The last alpha over the first."""
        return 1e-3 if self.n >= self.d else 1e-2

    def problem(self) -> Problem:
        """Return the design as a problem of the benchmark."""
        return Problem(self.name.replace(" ", "_"), self._make, 100, self.eps, "map")

    def _make(self) -> tuple[Design, np.ndarray]:
        active = min(20, max(1, self.d // 4))
        if self.density:
            return random_sparse(self.n, self.d, self.density, active, 10.0, 12)
        X, y = autoregressive(self.n, self.d, active, 0.5, 10.0, 11)
        if self.layout == "C":
            return np.ascontiguousarray(prepare_columns(X, "standardised")), y
        if self.layout == "float32":
            return prepare_columns(X, "standardised").astype(np.float32, order="F"), y
        return X, y

    def refuses(self, peer: str) -> str | None:
        """Return why a peer is not asked for this shape, or None."""
        products = self.d**2
        if peer == "scikit-learn-gram" and (self.n > self.d or self.layout == "sparse"):
            return "what scikit-learn does by default, or cannot do"
        if peer in ("scikit-learn-gram", "glmnet-covariance") and products > _MOST_PRODUCTS:
            return "a table of all products is too large"
        if peer.startswith(("glmnet", "skein")) and self.layout in ORDERS:
            return "takes no such X"
        if self.layout == CROSS_VALIDATION and peer in ("adelie", "skglm", "scikit-learn-gram"):
            return "no cross-validation"
        return None


def peers_of(kind: str) -> tuple[str, ...]:
    """Return the peers of a penalty."""
    return CONVEX if kind == "l1" else CONCAVE


def shapes(layouts: list[str], most: int, quick: bool) -> Iterator[Shape]:
    """Yield the shapes of some layouts, small ones first."""
    found = []
    if DENSE in layouts:
        rows, columns = (QUICK_ROWS, QUICK_COLUMNS) if quick else (ROWS, COLUMNS)
        found += [Shape(n, d) for n in rows for d in columns]
    named = NAMED[2:3] if quick else NAMED
    for layout in (*ORDERS, CROSS_VALIDATION):
        if layout in layouts:
            found += [Shape(n, d, layout) for n, d in named]
    if "sparse" in layouts:
        found += [Shape(n, d, "sparse", q) for n, d, q in (SPARSE[3:4] if quick else SPARSE)]
    most = min(most, QUICK_ENTRIES if quick else MOST_ENTRIES)
    yield from sorted((s for s in found if s.entries <= most), key=lambda s: s.entries)


def penalties_of(shape: Shape, asked: list[str]) -> list[str]:
    """Return the penalties of a shape: all on dense ones, L1 and MCP in other layouts."""
    known = PENALTIES if shape.layout == DENSE else ("l1", "mcp")
    return [kind for kind in asked if kind in known]
