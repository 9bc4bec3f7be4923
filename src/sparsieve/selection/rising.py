"""When the errors of left-out rows have risen for so long that no smaller alpha can be chosen.

A fold looks at its own errors, so that what it does depends on nothing else. The choice is by the
mean over folds, so :func:`is_settled` asks that in the end: where it may depend on what a fold left
out, the folds go on.
"""

from __future__ import annotations

import math

import numpy as np

from ..data.types import Floats

__all__ = ["has_risen", "is_settled"]

# The best error lies this factor of alpha behind, ...
_FAR = 3.0
# ... over the last such factor of alpha all errors are above it ...
_LONG = 2.0
# ... by this part of it, or by more where few rows judge: a mean of n squares is off by its part of
# about sqrt(2/n), and the best of many such means by more.
_LEAST, _NOISE = 0.1, 4.0
# The best error of a handful of rows may be next to nothing by chance; these never end a fold.
_FEWEST = 10
# The best mean error lies at least this factor of alpha above the first that a fold left out.
_CLEAR = 2.0


def has_risen(errors: Floats, alphas: Floats, n_rows: int) -> bool:
    """Tell whether the errors of one fold, on so many rows, have risen for long."""
    best, now = int(np.argmin(errors)), alphas[errors.size - 1]
    if n_rows < _FEWEST or alphas[best] < _FAR * now:
        return False
    rise = max(_LEAST, _NOISE / math.sqrt(n_rows))
    late = errors[alphas[: errors.size] <= _LONG * now]
    return bool(np.min(late) >= (1.0 + rise) * errors[best])


def is_settled(errors: Floats, alphas: Floats) -> bool:
    """Tell whether the best mean is settled, with NaN where a fold (a column) ended.

    There its last error stands for those that would have followed.
    """
    done = np.sum(~np.isnan(errors), axis=0)
    first = int(done.min())
    if first == alphas.size:
        return True
    last = np.minimum(np.arange(alphas.size)[:, np.newaxis], done - 1)
    mean = np.take_along_axis(errors, last, axis=0).mean(axis=1)
    best = int(np.argmin(mean))
    return best < first and bool(alphas[best] >= _CLEAR * alphas[first])
