// Moves of single coefficients, to wherever F is lowest.
//
// Along coordinate j, with h = ||x_j||^2 and z = c_j + h w_j, F is  h/2 t^2 - z t + r(|t|)  up to a constant.
// Its minimum is  -gain_j(z) <= 0  (penalty::minimise), so that F falls by
//   [h/2 w_j^2 - z w_j + r(|w_j|)] + gain_j(z)             when w_j jumps to its best value,
//   gain_j(c_j + w_i x_i'Omega x_j) - gain lost without i  when w_i becomes zero and j takes its place.
#pragma once

#include <vector>

#include "sparsieve/outer/fit.hpp"

namespace sparsieve {

// For some features: where F is lowest along their coordinates, and how far below zero that is.
struct BestValues {
  std::vector<double> w, gain;
};

// z_k belongs to feature columns[k].
BestValues best_values(const Fit& fit, const std::vector<Index>& columns,
                       const std::vector<double>& z);

// The working set's coefficients and correlations while single coefficients move. The state of the fit stays
// what it is until the moves are adopted.
class Moves {
 public:
  explicit Moves(const Fit& fit) : fit_(fit), w_(fit.state.point.w), c_(fit.state.c) {}
  // By how much F falls for each slot when it goes to its best value; `jump`: Levels::jump_thresholds.
  std::vector<double> falls(const std::vector<double>& jump) const;
  // Let a slot go to its best value if F falls by more than `least`; whether it did.
  bool jump(Index slot, double least);
  // Let `out` become zero and `in`, which is zero, go to its best value, under the same condition.
  bool swap(Index out, Index in, double least);
  const std::vector<double>& w() const { return w_; }

 private:
  double pull(Index slot) const;
  double value(Index slot) const;
  void set(Index slot, double w);
  const Fit& fit_;
  std::vector<double> w_, c_;
};

// What F costs more, the rest unchanged, when the slot becomes zero.
double cost_of_leaving(const Fit& fit, Index slot);

}  // namespace sparsieve
