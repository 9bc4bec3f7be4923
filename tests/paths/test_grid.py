"""The alphas of a path: how many there may be."""

import numpy as np
import pytest

import sparsieve as sv

# What the fuzzers found; each crashed, hung or spoke in riddles once.


@pytest.mark.parametrize("alphas", [10**7, 10**400])
def test_more_alphas_than_memory_holds_are_refused(alphas):
    with pytest.raises(ValueError, match="more than the 1000000 a path may have"):
        sv.sparse_path(np.eye(3), np.arange(3.0), alphas=alphas)
