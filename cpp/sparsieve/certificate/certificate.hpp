// What is proven about a point, made here and nowhere else.
#pragma once

#include "sparsieve/certificate/violation.hpp"

namespace sparsieve {

// The largest violations met, in the units of correlations.
struct Violations {
  double inside = 0.0;   // on the working set
  double outside = 0.0;  // of any other feature, or a bound of it, rounding included
};

// kkt = max_j violation_j / slope(0) over every feature, or a bound of it: errors of the correlations and
// columns too small to compute with included.
double kkt(const Inputs& inputs, const Levels& levels, const State& state, const Violations& found);
// The same for a residual of this norm, which the state does not know.
double kkt(const Inputs& inputs, const Levels& levels, const State& state, const Violations& found,
           double residual_norm);

// The best dual point along a residual: s = kappa v with kappa in [lowest, highest], and its value
//   kappa linear - |kappa| slack - kappa^2 quadratic / 2,
// where `slack` is charged for constraints that the residual meets only up to rounding.
struct DualPoint {
  double scale = 0.0;  // kappa
  double value = 0.0;
};
DualPoint best_dual(double linear, double slack, double quadratic, double lowest, double highest);

// Duality gap of the surrogate at w; `ratio` bounds |c_j| / threshold_j outside the working set.
double surrogate_gap(const Inputs& inputs, const Levels& levels, const State& state,
                     const SupportGradient& gradient, double ratio);

// The most concave that the penalty is within `away` of each coordinate of the support, kinks included.
std::vector<double> least_curvature(const Penalty& penalty, const Surrogate& at,
                                    const std::vector<double>& away);
// How far from a coefficient of size t a local minimum may lie, given the violation and the curvature of its
// coordinate.
double room_around(double t, double violation, double curvature);

// What rounding leaves open about a Hessian on a support of k columns whose entries (p, q) are off by `noise`,
// in units of ||x_p|| ||x_q||.
struct Doubt {
  double eigenvalue;  // times ||x_p||^2 it bounds what the errors take from any eigenvalue
  double pivot;       // smallest pivots above this, relative, prove the matrix positive definite
};
Doubt doubt_of(Index k, double noise);

// Whether F is strictly convex on the support around w: the point is then a strict local minimum there.
// `violation`: how far correlations are from their slopes at the most, so that the exact minimum may lie
// a little away, and no kink or bend of the penalty may lie in between.
bool strictly_convex(const Inputs& inputs, const Penalty& penalty, const State& state,
                     const SupportGradient& gradient, double violation);

}  // namespace sparsieve
