// The rule of one coordinate: what its penalty costs next to zero and where it may go.
//
// A solver asks three things of a coordinate w, given the correlation c = -dF/dw of everything but its
// rule:
//   prox       the minimiser over [lower, upper] of
//                (steep + ridge)/2 w^2 - pull w + up max(w, 0) + down max(-w, 0)
//   excess     by how much c pushes w = 0 away from zero, more than the slopes hold it back
//   violation  by how much F falls per unit of the better of the two ways w can move
#pragma once

#include <cmath>
#include <limits>

// For functions that kernels of several instruction sets use: none may be compiled once for all of them.
#define SPARSIEVE_INLINE [[gnu::always_inline]] inline

namespace sparsieve {

// Where a coefficient may be. `positive` is a lower bound of zero.
struct Bounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool none() const { return std::isinf(lower) && std::isinf(upper); }
};

// How far a correlation c pushes a coefficient of zero, in the ways it may go.
inline double reach(const Bounds& bounds, double c) {
  const double right = bounds.upper > 0.0 ? c : -std::numeric_limits<double>::infinity();
  return bounds.lower < 0.0 && !(right > -c) ? -c : right;
}

struct Rule {
  double down, up;  // slopes of the penalty left and right of zero, both >= 0
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double ridge = 0.0;
};

// The rule of a weighted lasso: the same slope on both sides.
SPARSIEVE_INLINE Rule l1_rule(double slope, const Bounds& bounds) {
  return {slope, slope, bounds.lower, bounds.upper, 0.0};
}

SPARSIEVE_INLINE double prox(const Rule& rule, double pull, double steep) {
  const double curvature = steep + rule.ridge;
  double w = 0.0;
  if (pull > rule.up) {
    w = (pull - rule.up) / curvature;
  } else if (pull < -rule.down) {
    w = (pull + rule.down) / curvature;
  }
  // The function is convex, so that its minimiser over an interval is the nearest point of it.
  if (w < rule.lower) return rule.lower;
  return w > rule.upper ? rule.upper : w;
}

// Negative where the slopes hold zero in place, and where zero may not be left at all.
inline double excess(const Rule& rule, double c) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const double right = rule.upper > 0.0 ? c - rule.up : kNever;
  const double left = rule.lower < 0.0 ? -c - rule.down : kNever;
  return left > right || left != left ? left : right;
}

// The larger of two violations; lets no NaN pass for a small number.
inline double larger(double worst, double x) { return x > worst || x != x ? x : worst; }

inline double violation(const Rule& rule, double w, double c) {
  const double smooth = rule.ridge * w - c;
  const double right = smooth + (w >= 0.0 ? rule.up : -rule.down);  // derivatives of F at w
  const double left = smooth + (w > 0.0 ? rule.up : -rule.down);
  const double rise = w < rule.upper ? -right : 0.0, fall = w > rule.lower ? left : 0.0;
  return larger(larger(0.0, rise), fall);
}

}  // namespace sparsieve
