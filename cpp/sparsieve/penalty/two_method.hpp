// A penalty of which only value and slope are known, as a user writes one.
#pragma once

#include "sparsieve/penalty/penalty.hpp"

namespace sparsieve {

// The curvature is a forward difference of the slope: it only steers acceleration. Throws
// std::invalid_argument when value or slope is not finite.
class TwoMethodPenalty : public Penalty {
 public:
  void evaluate(const double* t, const double* alpha, Index k, double* value, double* slope,
                double* curvature) const override;
  // Both search, branch_and_bound.hpp, and throw std::invalid_argument when r is not concave.
  void minimise(const double* z, const double* h, const double* alpha, Index k, double* t,
                double* value) const override;
  void jump_thresholds(const double* h, const double* alpha, Index k, double* out) const override;

 private:
  void tangents(const double* t, const double* alpha, Index k, double* value, double* slope) const;
  // For k coordinates, as in evaluate.
  virtual void value_at(const double* t, const double* alpha, Index k, double* out) const = 0;
  virtual void slope_at(const double* t, const double* alpha, Index k, double* out) const = 0;
};

}  // namespace sparsieve
