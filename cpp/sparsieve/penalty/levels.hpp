// The penalty of every feature at one alpha: its strength alpha pi_j, and the slope at zero, the
// threshold that a correlation must pass for the feature to enter.
#pragma once

#include <vector>

#include "sparsieve/penalty/penalty.hpp"

namespace sparsieve {

// The curvatures h_j of F along the features, rounded down by up to 1 %, in groups of features that have the
// same one and the same weight: these share the threshold of a jump at every alpha.
class CurvatureGroups {
 public:
  CurvatureGroups(const std::vector<double>& h, const std::vector<double>& weights);

 private:
  friend class Levels;
  std::vector<double> h_, weight_;  // per group
  std::vector<Index> group_;        // per feature; -1 = it never jumps
};

class Levels {
 public:
  // weights: pi_j; empty = all 1, 0 = unpenalised, infinity = excluded.
  Levels(const Penalty* penalty, std::vector<double> weights, Index d);

  // The levels of another alpha. Features of `dependent` never enter.
  void set(double alpha, const std::vector<Index>& dependent);
  // The levels of the lasso with weights fraction * slope_j(0) of the penalty whose levels these are.
  Levels lasso(double fraction) const;
  void set_penalty(const Penalty* penalty) { penalty_ = penalty; }

  const Penalty& penalty() const { return *penalty_; }
  const std::vector<double>& weights() const { return weights_; }
  double alpha() const { return alpha_; }
  double slope0() const { return slope0_; }  // slope(0) at weight 1: the unit of violations
  double strength(Index j) const { return strength_[j]; }
  double threshold(Index j) const { return threshold_[j]; }
  const std::vector<double>& thresholds() const { return threshold_; }
  // The correlations from which on zero is no longer the minimiser of F along a coordinate of this curvature;
  // at most the thresholds.
  std::vector<double> jump_thresholds(const CurvatureGroups& curvatures) const;
  // For the fit of the unpenalised features, before there is an alpha.
  void set_unpenalised(const std::vector<Index>& features, double unit);

 private:
  const Penalty* penalty_;
  std::vector<double> weights_;
  double alpha_ = 0.0, slope0_ = 0.0;
  std::vector<double> strength_, threshold_;
};

}  // namespace sparsieve
