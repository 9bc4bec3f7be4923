"""Tolerances of the tests of the reference, each with the reason for its size."""

import numpy as np

# A handful of double-precision operations on well-scaled numbers: a few units in the last place.
FEW_OPS = 16 * float(np.finfo(np.float64).eps)

# Sixty Newton steps of the Lq minimiser in floats and in arrays: powers of the two libraries may
# differ in the last place, and near a double root that is amplified to its square root.
TWO_LIBRARIES = 1e-7

# Spacing of the brute-force grid of the one-dimensional minimisers. Between two grid points the
# cost moves by less than |slope| * step, and slopes there stay below 10.
GRID_STEP = 1e-3
GRID_COST = 10 * GRID_STEP

# A duality gap that counts as exact: coordinate descent on a dozen columns of moderate norm gets
# there long before the rounding of P - D (about 1e-14 times P <= 1e3) sets in.
EXACT_GAP = 1e-10

# Objective along MM: two consecutive values are sums of the same few hundred terms.
MONOTONE = 1e-12

# The judge adds up the same products X'r in another order: a few hundred terms of size 1e3.
JUDGE = 1e-10

# The lasso reached to a violation v ends within v * ||w - w*||_1 of the optimal value, here below
# 1e-8 * 10 against objectives of more than 10.
SAME_CONVEX_OBJECTIVE = 1e-8

# Dense and sparse columns add up in another order; at a violation of 1e-8 the points differ by at
# most that over the smallest curvature on the support (above 1e-2).
SAME_POINT = 1e-6
