// Reference residuals: a few residuals r_k at which an interval is known for every column's correlation,
//     x_j' Omega r_k  in  centre_jk +- radius_jk,
// and how another residual is written as a combination of them.
#pragma once

#include <array>
#include <vector>

#include "sparsieve/columns/design.hpp"

namespace sparsieve {

struct Reference {
  std::vector<double> r;
  double norm2 = 0.0;                  // r' Omega r
  std::vector<double> centre, radius;  // per column
};

// The newest kReferences references. A value: it can be copied and assigned.
class References {
 public:
  Index count() const { return count_; }
  // age 0 is the newest, count() - 1 the oldest.
  const Reference& operator[](Index age) const {
    return ring_[(newest_ + kReferences - age) % kReferences];
  }
  void clear() { count_ = 0; }
  // The reference that becomes the newest, in place of the oldest one if there is no room. It still holds
  // what was there before: the caller sets all of it.
  Reference& add();

 private:
  std::array<Reference, kReferences> ring_;
  Index newest_ = 0, count_ = 0;
};

// Write a residual r as combinations of the newest reference alone, of the two newest, and so on. Intervals
// made of them hold for every residual that is at most `error` away from r in the norm of Omega.
// `first_rest` becomes what the first combination leaves over.
Combinations combine(const References& references, const Design& design,
                     const std::vector<double>& r, const Weighted& weighted, double error,
                     std::vector<double>& first_rest);

}  // namespace sparsieve
