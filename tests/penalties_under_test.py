"""The penalties that every promise of the engine is checked for, a user's own among them."""

import numpy as np

import sparsieve as sv


class Geman:
    """A user's own penalty, two methods and nothing else: alpha t / (1 + t)."""

    def value(self, abs_w, alpha):
        return alpha * abs_w / (1 + abs_w)

    def slope(self, abs_w, alpha):
        return alpha / (1 + abs_w) ** 2


class Arctan:
    """Another one; it calls back into Python, and so takes the GIL in the middle of a solve."""

    def value(self, abs_w, alpha):
        return alpha * np.arctan(abs_w)

    def slope(self, abs_w, alpha):
        return alpha / (1.0 + abs_w * abs_w)


PENALTIES = {
    "l1": sv.L1(),
    "logsum-0.01": sv.LogSum(0.01),
    "logsum-0.1": sv.LogSum(0.1),
    "logsum-1": sv.LogSum(1.0),
    "mcp": sv.MCP(3.0),
    "scad": sv.SCAD(3.7),
    "capped_l1": sv.CappedL1(),
    "lq": sv.Lq(),
    "users": Geman(),
}


class OwnLasso:
    """A user's own convex penalty."""

    def value(self, abs_w, alpha):
        return alpha * abs_w

    def slope(self, abs_w, alpha):
        return alpha * np.ones_like(abs_w)
