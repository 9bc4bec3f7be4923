"""Names of the types that all rooms use."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats"]

Floats: TypeAlias = NDArray[np.float64]
