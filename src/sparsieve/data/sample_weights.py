"""Sample weights of any size: only their ratios count.

Whoever sums or multiplies weights takes them from here, so that all of the library works with the
same ones, from the smallest double to the largest.
"""

from __future__ import annotations

import math

import numpy as np

from .types import Floats

__all__ = ["in_range", "normalised"]


def in_range(sample_weight: Floats) -> Floats:
    """Return checked weights divided by the power of two that brings the largest into [1/2, 1).

    Sums and products of these do not overflow, and no bit of a weight is lost (but of weights that
    are too small beside the largest to count).
    """
    _, exponent = np.frexp(np.max(sample_weight))
    return np.asarray(np.ldexp(sample_weight, -exponent))


def normalised(sample_weight: Floats | None, n_samples: int) -> Floats:
    r"""Return :math:`\Omega_i = \omega_i / \sum_k \omega_k` of checked weights; None means 1."""
    if sample_weight is None:
        return np.full(n_samples, 1.0 / n_samples)
    scaled = in_range(sample_weight)
    return np.asarray(scaled / math.fsum(scaled))
