"""Every tolerance used in the tests, each with the reason for its size.

A test that needs a number asks here, so that no tolerance is loosened quietly to make a test pass.
"""

import numpy as np

EPS64 = float(np.finfo(np.float64).eps)
EPS32 = float(np.finfo(np.float32).eps)

# A handful of double-precision operations on well-scaled numbers: a few units in the last place.
FEW_OPS = 16 * EPS64

# The same sum of some hundreds of terms added up in another order (NumPy's pairwise sums against a
# plain loop): bounded by n_terms * EPS64 relative to the sum of absolute values.
REORDERED_SUM = 1000 * EPS64

# Adaptive quadrature of a piecewise smooth slope is asked for 1e-12; a decade for its own estimate.
QUADRATURE = 1e-11

# MCP with gamma = 1e11 differs from L1 by t / (gamma alpha) relative to alpha, at most 1e-6 for the
# tests' t <= 100 and alpha >= 1e-3; SCAD, capped-l1 and log-sum with a huge shape differ by less.
HUGE_SHAPE = 2e-6

# The violation users are promised (docs/certificates.md: converged means kkt <= tol).
DEFAULT_KKT = 1e-6

# Difference quotients with h = 1e-6 of objectives of order one: rounding 1e-16/h = 1e-10, and
# one-sided truncation h/2 times a second derivative of at most 1/(theta^2) = 100 for log-sum with
# theta = 0.1.
FINITE_DIFFERENCE = 1e-4

# A minimum found on a grid of step 1e-5 is off by half a step, its gradient by that times the
# curvature (the test multiplies by it; log-sum's own curvature is at most 100 * alpha).
GRID_MINIMUM = 1e-3

# Two solves of one problem to tol = 1e-10: each coefficient is within tol * slope(0) / (smallest
# curvature on the support) of the solution; the tests' designs have curvatures above 0.1 and
# slopes of at most 10 (relative to coefficients of order 1): 1e-8 each way is safe.
TWO_SOLVES = 2e-8
# The same for tol = 1e-8, and for errors of predictions, which follow the coefficients.
TWO_FOLDS = 2e-6

# Data rounded to float32 move every entry by up to EPS32 / 2 relative; the solution of the tests'
# well-conditioned problems moves by a condition number (below 100) times that.
FLOAT32_DATA = 100 * EPS32

# scikit-learn's lasso_path is run to a duality gap of 1e-13 ||y||^2, which bounds the difference of
# objectives; relative to the objective (which falls to 1e-3 ||y||^2 / n along the path): 1e-9.
SCIKIT_LEARN = 1e-9

# The same grid of alphas computed by two libraries: one dot product of some hundreds of terms each.
SAME_ALPHA = 1e-10

# Mean squared errors of folds (and coefficients, relative to the largest) against scikit-learn's
# LassoCV: both sides solve to about 1e-6, and d >> n designs amplify that; the promise is 1e-4.
LASSO_CV = 1e-4

# At a gap of 1e-15 of the objective at zero, |c_j| = lambda_j holds on the support up to rounding
# of a dot product relative to lambda_j >= 0.03 max |X'y|: 1e-13 or so. On a generic problem every
# other |c_j| / lambda_j stays well away from 1, by more than sqrt(2 gap) can blur.
EQUICORRELATED = 1e-9
GENERIC = 1e-5

# A smallest eigenvalue of some dozens of rows and columns is known to about 1e-15 of the largest
# entry; the core calls a pivot below 1e-13 of its diagonal zero. Between the two is no verdict.
SINGULAR = 1e-11

# Coefficients of order one by two solvers on a well-conditioned problem (80 rows, 30 columns):
# skglm stops at an absolute violation of 1e-8, scikit-learn at a gap of 1e-10 ||y||^2, whose square
# root, about 1e-5, bounds the distance.
SKGLM = 2e-5

# ||r||^2 as a difference of products with 5,000 rows, each off by some 600 units in the last place,
# of vectors up to ten times as long as r: 100 * 600 * EPS64, and as much again for reserve.
FIT_BY_PRODUCTS = 3e-11

# Objectives of one stationary point, reached twice to the default tol: they differ by about tol
# times slope(0) times the length of the coefficients, which the penalty's part of the objective
# bounds up to a factor of ten. Other stationary points are apart by 1e-3 and more.
ONE_BASIN = 1e-5

# How often one alpha by itself ends where a path from the lasso ends there: what is promised. The
# lasso is solved to 3e-3 of its level, and a few points lie on the edge of two basins.
AGREEMENT = 0.99

# Of several starts the first one wins a tie, and objectives within 1e-12 of the lowest, relative,
# are one: the same point reached twice. What is kept may be above another by as much, and rounding.
TIE = 1.001e-12

# What the judge may find where a certificate says DEFAULT_KKT: it sums in another order.
JUDGED_KKT = DEFAULT_KKT * (1 + 1e-3)

# One coordinate of an objective minimised by brute force: a bounded search down to 1e-12 (in truth
# the root of EPS64) in every valley of a fine grid, relative to the objective (1 to 10). Descent by
# such steps stops when a sweep lowers it by no more than a tenth of this.
BRUTE_FORCE = 1e-12

# Exact descent stops when no step of a sweep gains 1e-20 of the half variance of y: steps of 1e-10
# relative, and where sweeps converge slowly, some thousand times that is left to gain.
EXACT_DESCENT = 1e-14
# What the judge of strength may find where a solve says that no move lowers the objective by more
# than tol times itself: the solve knows what a move brings up to a tenth of that, and both round.
# The second number is for objectives near zero, over the half mean square of y.
JUDGED_MOVE = DEFAULT_KKT * (1 + 1e-1 + 1e-3)
MOVE_ROUNDING = 1e-10

# alpha_max of a strength is found by bisection to the last digits, its formula by a few sums.
BISECTED = 1e-9

# The same sample weights in other units: the smallest lose up to 1e-14 of themselves below the
# range of normal numbers, and a solve to tol = 1e-6 may end elsewhere within ten times that.
ANY_WEIGHTS = 1e-5

# A formula of a loss against its twin, which cancels and does not mind: relative to the largest of
# its terms, some tens of units in the last place.
TWIN_FORMULA = 100 * EPS64

# The slow solvers for losses stop at violations of 1e-12; a gap is that times coefficients of order
# one, plus rounding of sums of order one.
TWIN_GAP = 1e-10

# Coefficients of losses beyond squares solved to tol = 1e-9 twice: within tol * slope(0) over the
# smallest curvature on the support each, with curvatures above 0.01 (a mean curvature of logistic
# rows, times the least eigenvalue of the tests' designs) and slopes of at most 0.3: 3e-8 each way,
# and the intercept follows. Outside solvers stop at tolerances of their own, for which the tests
# multiply by 10 or 100.
FITTED_GLM = 1e-7

# Objectives at such coefficients: quadratic in the distance, 1e-14; and the same sum in other
# orders. The twin stops at a violation of 1e-12.
TWO_OBJECTIVES = 1e-11

# A direction that separates moves no row to the wrong side but for the rounding of its sum, of some
# hundred terms in another order, relative to the sum of their sizes.
SEPARATING_SUM = 1e-13
