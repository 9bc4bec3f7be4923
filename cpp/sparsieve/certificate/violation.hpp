// How far a point is from stationary on its working set, [RGS19] eq. (fermat):
//
//   violation_j = max(0, |c_j| - slope_j(0))       if w_j = 0
//               | c_j - slope_j(|w_j|) sign(w_j) |  otherwise
//
// with the bounds of the coordinate's rule.
#pragma once

#include "sparsieve/penalty/levels.hpp"
#include "sparsieve/penalty/surrogate.hpp"
#include "sparsieve/state/state.hpp"

namespace sparsieve {

// The rule of a coordinate that is zero.
inline Rule rule_at_zero(const Inputs& inputs, const Levels& levels, Index j) {
  return l1_rule(levels.threshold(j), inputs.box.of(j));
}

// Whether nothing holds coordinate j at zero and nothing bounds it.
inline bool is_free(const Inputs& inputs, const Levels& levels, Index j) {
  return levels.strength(j) == 0.0 && inputs.box.of(j).none();
}

inline double excess(const Inputs& inputs, const Levels& levels, const State& state, Index slot) {
  return excess(rule_at_zero(inputs, levels, state.column(slot)), state.c[slot]);
}

// The largest violation among the zeros of the working set.
double worst_zero(const Inputs& inputs, const Levels& levels, const State& state);

// The largest correlation of unpenalised features that were left out as dependent, errors included: these must
// not correlate either. `error`: how far the residual is from exact, in the norm of Omega.
double dependent_violation(const Design& design, const std::vector<Index>& dependent,
                           const Weighted& residual, double error);

// The surrogate on the support, per position there, and its gradient g = c - slope sign, which is 0 for a
// coefficient that it pushes against its bound.
struct SupportGradient {
  Surrogate penalty;
  std::vector<double> g;
  std::vector<Index> held;  // positions of these coefficients

  void compute(const Inputs& inputs, const Levels& levels, const State& state);
  double worst() const;  // the largest violation on the support
};

// Loss, penalty and ridge of the working set at w; leaves the gradient on the support behind.
double objective(const Inputs& inputs, const Levels& levels, const State& state,
                 SupportGradient& gradient);

}  // namespace sparsieve
