"""Sums in pairs of doubles, about 32 digits: Knuth's and Dekker's exact operations in NumPy."""

from __future__ import annotations

import numpy as np

from .types import Floats

__all__ = ["ExtendedSum", "split_product"]

# 2^27 + 1 cuts a double into two halves of 26 bits, whose products are exact.
_SPLITTER = 134217729.0


def _halves(x: Floats) -> tuple[Floats, Floats]:
    high = _SPLITTER * x
    high = high - (high - x)
    return high, x - high


def split_product(a: Floats, b: float | Floats) -> tuple[Floats, Floats]:
    """Return a b as a rounded product and what the rounding lost.

    Beyond 1e300 the halves overflow; what was lost then counts as zero.
    """
    product = np.asarray(a * b)
    with np.errstate(over="ignore", invalid="ignore"):
        a_high, a_low = _halves(np.asarray(a))
        b_high, b_low = _halves(np.asarray(b))
        lost = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return product, np.where(np.isfinite(lost), lost, 0.0)


class ExtendedSum:
    """A vector of sums whose rounding errors are kept beside it."""

    def __init__(self, start: Floats) -> None:
        self._sum = np.array(start, dtype=np.float64)
        self._lost = np.zeros_like(self._sum)

    def add(self, x: float | Floats) -> None:
        """Add numbers, exactly but for what leaves the second double."""
        total = self._sum + x
        added = total - self._sum
        self._lost += (self._sum - (total - added)) + (x - added)
        self._sum = total

    def include(self, other: ExtendedSum) -> None:
        """Add the sums of another, with what its rounding lost."""
        self.add(other._sum)
        self._lost += other._lost

    def add_product(self, a: Floats, b: float | Floats) -> None:
        """Add the products of two vectors, or of a vector and a number."""
        product, lost = split_product(a, b)
        self.add(product)
        self._lost += lost

    def value(self) -> Floats:
        """Return the sums, rounded once."""
        total: Floats = self._sum + np.where(np.isfinite(self._lost), self._lost, 0.0)
        return total
