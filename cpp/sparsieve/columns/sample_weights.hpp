// Sample weights, and whether columns and response are centred by their weighted means. Both are decided
// before any column is read.
#pragma once

#include <vector>

#include "sparsieve/simd/simd.hpp"

namespace sparsieve {

// A residual r as the columns see it: v = Omega r, with the sum that centring needs and the norm.
struct Weighted {
  std::vector<double> v;
  double sum = 0.0;    // sum_i v_i
  double norm2 = 0.0;  // r' Omega r
};

// Omega = diag(omega), omega >= 0. Immutable.
class SampleWeights {
 public:
  SampleWeights(std::vector<double> omega, bool centre);

  const std::vector<double>& omega() const { return omega_; }
  double total() const { return total_; }  // sum_i omega_i
  bool all_equal() const { return all_equal_; }
  bool centred() const { return centred_; }

  void weigh(const std::vector<double>& r, Weighted& out) const;
  // Centre the response in place and return the weighted mean that was removed (0 without centring).
  double centre_response(std::vector<double>& y) const;

 private:
  Index n() const { return static_cast<Index>(omega_.size()); }
  std::vector<double> omega_;
  double total_;
  bool all_equal_, centred_;
};

}  // namespace sparsieve
