#include "sparsieve/penalty/two_method.hpp"

#include <stdexcept>
#include <vector>

namespace sparsieve {

namespace {

double difference_step(double t) { return 1e-6 * std::max(t, 1e-3); }

void check_finite(const double* numbers, Index k) {
  if (!std::all_of(numbers, numbers + k, [](double x) { return std::isfinite(x); })) {
    throw std::invalid_argument("a penalty returned a number that is not finite");
  }
}

}  // namespace

void TwoMethodPenalty::evaluate(const double* t, const double* alpha, Index k, double* value,
                                double* slope, double* curvature) const {
  if (k == 0) return;
  value_at(t, alpha, k, value);
  check_finite(value, k);
  slope_at(t, alpha, k, slope);
  check_finite(slope, k);
  std::vector<double> ahead(t, t + k);
  for (double& x : ahead) x += difference_step(x);
  slope_at(ahead.data(), alpha, k, curvature);
  check_finite(curvature, k);
  for (Index i = 0; i < k; ++i) {
    curvature[i] = std::min((curvature[i] - slope[i]) / difference_step(t[i]), 0.0);
  }
}

}  // namespace sparsieve
