// Sample weights, and whether columns and response are centred by their weighted means. Both are decided
// before any column is read.
#pragma once

#include <vector>

#include "sparsieve/simd/simd.hpp"

namespace sparsieve {

// What is centred lies far from zero if its centred square is below this share of its raw one: the mean is a
// thousand times the spread, and a product in double precision has three digits less than the data. Any
// share would be safe: it decides who is moved, and bounds of rounding know the norms before centring.
constexpr double kFarSquare = 1e-6;

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
  // The entry that is nearest to the mean, of those with positive weight. Taken from all entries, it leaves
  // exactly zero in rows that carry nearly all of the weight, and only zeros of what is constant.
  double nearest_entry(const std::vector<double>& x, double mean) const;
  // Take one of its own entries from a response that lies far from zero, where it is centred afterwards, and
  // return it; else 0. `lost` becomes what rounding takes from the differences, empty if nothing.
  double move_response(std::vector<double>& y, std::vector<double>& lost) const;
  // Centre the response in place and return the weighted mean that was removed (0 without centring).
  double centre_response(std::vector<double>& y) const;

 private:
  Index n() const { return static_cast<Index>(omega_.size()); }
  std::vector<double> omega_;
  double total_;
  bool all_equal_, centred_;
};

}  // namespace sparsieve
