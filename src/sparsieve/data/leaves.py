r"""Sums of rows that are never in memory together: leaves, merged by one and the same tree.

For rows :math:`z_i = (x_i, y_i)` with weights :math:`\omega_i` a summary has

.. math:: W = \sum_i \omega_i, \qquad m = \frac1W \sum_i \omega_i z_i, \qquad
    S = \sum_i \omega_i (z_i - m)(z_i - m)^\top

and two summaries merge by the formula of Chan, Golub and LeVeque (1979),

.. math:: S = S_a + S_b + \frac{W_a W_b}{W_a + W_b} \delta \delta^\top, \qquad \delta = m_b - m_a

in which nothing cancels, unlike in :math:`\sum \omega z z^\top - W m m^\top`. Means are pairs of
doubles: a column whose mean is 1e8 times its standard deviation loses no digit.

**The error.** With the unit round-off u, :math:`|\hat S_{jl} - S_{jl}| \le \rho\, u \sqrt{S_{jj}
S_{ll}}`, and :math:`\mu` bounds the error of a mean in the same way, relative to
:math:`\sqrt{S_{jj} / W}`. A leaf sums blocks of 128 rows, each in any order: :math:`\rho \approx
128 + 32` roundings, as all terms of a sum are at most :math:`\sqrt{S_{jj} S_{ll}}` together. A
merge adds a few roundings, and :math:`2 \mu f` with :math:`f^2 = \max_j W_a W_b \delta_j^2 / (W
S_{jj})`, the share of the variance that lies between the two: the tree of a stream whose rows do
not drift adds some 3 per level.

**The tree.** Leaves are :data:`LEAF` rows, counted from the first row of a stream, and merge like
the digits of a binary counter: what is computed depends on the rows and their order, not on how
they were cut into batches, chunks or workers.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .types import Floats

__all__ = ["LEAF", "Rows", "Stream", "Summary", "merged", "scratch", "summarise"]

#: Rows of a leaf.
LEAF = 4096
# Rows whose products are added up by one matrix product.
_BLOCK = 128
# A column is centred again while its mean is further off than this share of its variance.
_NEAR = 1e-4
# Products of blocks of so many columns are kept apart before they are added up.
_NARROW = 128
_CENTRINGS = 4
# Sums of squares outside this range have lost digits, or all of them.
_SMALLEST, _LARGEST = 1e-290, 1e290


class Rows(NamedTuple):
    """Some rows of [X y], with their weights."""

    values: Floats
    weight: Floats

    def part(self, first: int, last: int) -> Rows:
        """Return some of the rows."""
        return Rows(self.values[first:last], self.weight[first:last])

    @classmethod
    def joined(cls, parts: tuple[Rows, ...]) -> Rows:
        """Put rows one below the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def copy(self) -> Rows:
        """Return rows that nobody else can change."""
        return Rows(self.values.copy(), self.weight.copy())


@dataclass(frozen=True, eq=False)
class Summary:
    """What is known of some rows; never changed.

    Attributes
    ----------
    n : int
        Rows, and how many of them have a positive weight.
    n_positive : int
    weight, heaviest : float
        The sum of their weights, and the largest.
    mean, mean_low : ndarray
        The mean as a sum of two doubles.
    products : ndarray of shape (n_columns, n_columns)
        S: weighted products about the mean.
    roundings, mean_roundings : float
        The rho and mu of the module.
    weighted : bool
        Whether any weight is not 1.
    """

    n: int
    n_positive: int
    weight: float
    heaviest: float
    mean: Floats
    mean_low: Floats
    products: Floats
    roundings: float
    mean_roundings: float
    weighted: bool


_scratch = threading.local()


def scratch(name: str, n: int, width: int) -> Floats:
    """Return an array of this thread that the next call may overwrite; new memory is slow."""
    found: Floats | None = getattr(_scratch, name, None)
    if found is None or found.shape != (n, width):
        found = np.empty((n, width))
        setattr(_scratch, name, found)
    return found


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    total = a + b
    added = total - a
    return total, (a - (total - added)) + (b - added)


def summarise(rows: Rows) -> Summary:
    """Return the summary of rows that are in memory, at most some thousands.

    Raises FloatingPointError where squares leave the range of doubles, or an entry is not finite.
    """
    values, weight = rows
    n, width = values.shape
    positive = weight > 0.0
    weighted = bool(np.any(weight != 1.0))
    total = math.fsum(weight) if weighted else float(n)
    if not positive.any():
        nothing = np.zeros(width)
        return Summary(n, 0, 0.0, 0.0, nothing, nothing, np.zeros((width, width)), 0, 0, weighted)
    with np.errstate(over="ignore", invalid="ignore"):
        # Near the mean, unless that is a hundred million times the deviation: then it is mended.
        pivot = (weight @ values) / total
    off = np.zeros(width)
    away = scratch("away", n, width + 1)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for _ in range(_CENTRINGS):
            pivot = pivot + off
            np.subtract(values, pivot, out=away[:, :width])
            away[:, width] = 1.0
            if weighted:
                away[~positive] = 0.0
            sums = _products(away, weight if weighted else None)
            off = sums[width, :width] / total
            moved = total * off**2
            left = np.diagonal(sums)[:width] - moved
            if not np.any(moved > _NEAR * left):
                break
        products = sums[:width, :width] - total * np.outer(off, off)
        variances = np.maximum(np.diagonal(products), 0.0)
        far = np.where(moved > 0.0, moved / np.where(variances > 0.0, variances, moved), 0.0)
    share = float(np.max(far, initial=0.0))
    _check_range(variances, away[:, :width])
    np.fill_diagonal(products, variances)
    products = (products + products.T) / 2.0
    roundings = min(n, _BLOCK) + math.ceil(n / _BLOCK) + 4.0
    mean, low = _two_sum(pivot, off)
    return Summary(
        n,
        int(np.count_nonzero(positive)),
        total,
        float(np.max(weight)),
        mean,
        low,
        products,
        roundings * (1.0 + share) + 2.0 * roundings * math.sqrt(share) + 8.0,
        roundings * math.sqrt(1.0 + share),
        weighted,
    )


def _products(away: Floats, weight: Floats | None) -> Floats:
    """Return the weighted sum of products, by blocks of rows."""
    n, width = away.shape
    if weight is None and n == LEAF and width <= _NARROW:  # the same sums in one call
        blocks = away.reshape(-1, _BLOCK, width)
        return np.asarray(np.matmul(blocks.transpose(0, 2, 1), blocks).sum(axis=0))
    sums = np.zeros((width, width))
    for first in range(0, n, _BLOCK):
        block = away[first : first + _BLOCK]
        left = block if weight is None else block * weight[first : first + _BLOCK, np.newaxis]
        sums += left.T @ block
    return sums


def _check_range(variances: Floats, away: Floats) -> None:
    small = variances < _SMALLEST
    if small.any():
        lost = np.any(away[:, small] != 0.0, axis=0)
        if np.any(lost):
            raise FloatingPointError("small")
    if not np.all(variances <= _LARGEST):
        raise FloatingPointError("large")


def merged(a: Summary, b: Summary) -> Summary:
    """Return the summary of the rows of both, a's before b's."""
    if b.weight == 0.0 or a.weight == 0.0:
        kept, other = (a, b) if b.weight == 0.0 else (b, a)
        n, weighted = a.n + b.n, a.weighted or b.weighted or other.n > 0
        return replace(kept, n=n, weighted=weighted)
    weight = a.weight + b.weight
    delta = (b.mean - a.mean) + (b.mean_low - a.mean_low)
    # Exact where the means are near each other, as they are when their digits matter.
    moved = a.weight * (b.weight / weight)
    between = moved * delta**2
    products = a.products + b.products
    shift = np.multiply.outer(delta, delta, out=scratch("shift", delta.size, delta.size))
    shift *= moved
    products += shift
    variances = np.diagonal(products)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = float(np.max(np.where(variances > 0.0, between / variances, 0.0), initial=0.0))
    large, small = (a, b) if a.weight >= b.weight else (b, a)
    step = (delta if large is a else -delta) * (small.weight / weight)
    mean, low = _two_sum(large.mean, step)
    mean, low = _two_sum(mean, low + large.mean_low)
    mean_roundings = max(a.mean_roundings, b.mean_roundings)
    weighted = a.weighted or b.weighted
    # Sums of weights that are no counts are off by a few roundings themselves.
    unsure = 60.0 if weighted else 0.0
    growth = 3.0 + 2.0 * mean_roundings * math.sqrt(share) + (8.0 + unsure) * share
    return Summary(
        a.n + b.n,
        a.n_positive + b.n_positive,
        weight,
        max(a.heaviest, b.heaviest),
        mean,
        low,
        products,
        max(a.roundings, b.roundings) + growth,
        mean_roundings + 4.0 + unsure,
        weighted,
    )


class _Node(NamedTuple):
    """The summary of 2^level leaves, from leaf place * 2^level on."""

    level: int
    place: int
    summary: Summary


def _pushed(nodes: list[_Node], fresh: tuple[_Node, ...]) -> list[_Node]:
    """Add nodes after others; two halves of a larger one merge."""
    for node in fresh:
        nodes.append(node)
        while len(nodes) > 1:
            a, b = nodes[-2:]
            if not (a.level == b.level and a.place % 2 == 0 and b.place == a.place + 1):
                break
            nodes[-2:] = [_Node(a.level + 1, a.place // 2, merged(a.summary, b.summary))]
    return nodes


@dataclass(frozen=True, eq=False)
class Stream:
    """A stretch of a stream, from row ``start`` to before row ``end``; never changed.

    ``head`` are the rows before the first leaf that begins in it, ``tail`` those of the last leaf,
    which is not complete.
    """

    start: int = 0
    end: int = 0
    head: tuple[Rows, ...] = ()
    nodes: tuple[_Node, ...] = ()
    tail: tuple[Rows, ...] = ()

    @classmethod
    def of(cls, rows: Rows, start: int = 0) -> Stream:
        """Make one of rows that are in memory; the rows of ends that are kept are copied."""
        end, nodes = start + len(rows.values), list[_Node]()
        first = -(-start // LEAF) * LEAF  # where the first leaf begins
        if end < first:
            return cls(start, end, head=(rows.copy(),))
        for leaf in range(first // LEAF, end // LEAF):
            at = leaf * LEAF - start
            nodes = _pushed(nodes, (_Node(0, leaf, summarise(rows.part(at, at + LEAF))),))
        last = max(first, end // LEAF * LEAF) - start
        head = rows.part(0, first - start).copy()
        tail = rows.part(last, end - start).copy()
        return cls(
            start,
            end,
            (head,) if len(head.values) else (),
            tuple(nodes),
            (tail,) if len(tail.values) else (),
        )

    def joined(self, other: Stream) -> Stream:
        """Return this stretch and the one that follows it; together they are as if never apart."""
        first = -(-self.start // LEAF) * LEAF
        if self.end < first:  # all of it is head
            head = self.head + other.head
            return Stream(self.start, other.end, head, other.nodes, other.tail)
        middle = self.tail + other.head
        boundary = -(-other.start // LEAF) * LEAF
        if other.end < boundary:
            return Stream(self.start, other.end, self.head, self.nodes, middle)
        fresh = other.nodes
        if middle:
            leaf = _Node(0, boundary // LEAF - 1, summarise(Rows.joined(middle)))
            fresh = (leaf, *fresh)
        nodes = tuple(_pushed(list(self.nodes), fresh))
        return Stream(self.start, other.end, self.head, nodes, other.tail)

    def total(self) -> Summary | None:
        """Return the summary of all rows, None if there are none."""
        parts = [summarise(Rows.joined(self.head))] if self.head else []
        parts += [node.summary for node in self.nodes]
        parts += [summarise(Rows.joined(self.tail))] if self.tail else []
        if not parts:
            return None
        found = parts.pop()
        while parts:
            found = merged(parts.pop(), found)
        return found
