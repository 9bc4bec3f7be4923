#include "sparsieve/penalty/two_method.hpp"

#include <stdexcept>
#include <vector>

#include "sparsieve/penalty/branch_and_bound.hpp"

namespace sparsieve {

namespace {

// Curvatures of a user's formulas are differences over a step in which eight of their digits are left. They
// steer; where convexity is claimed, slopes around the point are compared (certificate.cpp).
double difference_step(double t) { return 1e-6 * std::max(t, 1e-3); }

void check_finite(const double* numbers, Index k) {
  if (!std::all_of(numbers, numbers + k, [](double x) { return std::isfinite(x); })) {
    throw std::invalid_argument("a penalty returned a number that is not finite");
  }
}

}  // namespace

void TwoMethodPenalty::tangents(const double* t, const double* alpha, Index k, double* value,
                                double* slope) const {
  value_at(t, alpha, k, value);
  check_finite(value, k);
  slope_at(t, alpha, k, slope);
  check_finite(slope, k);
}

void TwoMethodPenalty::evaluate(const double* t, const double* alpha, Index k, double* value,
                                double* slope, double* curvature) const {
  if (k == 0) return;
  tangents(t, alpha, k, value, slope);
  std::vector<double> ahead(t, t + k);
  for (double& x : ahead) x += difference_step(x);
  slope_at(ahead.data(), alpha, k, curvature);
  check_finite(curvature, k);
  for (Index i = 0; i < k; ++i) {
    curvature[i] = std::min((curvature[i] - slope[i]) / difference_step(t[i]), 0.0);
  }
}

void TwoMethodPenalty::minimise(const double* z, const double* h, const double* alpha, Index k,
                                double* t, double* value) const {
  std::vector<Coordinate> some;
  std::vector<Index> which;
  for (Index i = 0; i < k; ++i) {
    const Best free = unpenalised(z[i], h[i]);
    t[i] = free.t;
    value[i] = free.value;
    if (alpha[i] == 0.0 || z[i] == 0.0) continue;
    some.push_back({z[i], h[i], alpha[i]});
    which.push_back(i);
  }
  const std::vector<Best> best = search_minima([this](auto... of) { tangents(of...); }, some);
  for (std::size_t i = 0; i < which.size(); ++i) {
    t[which[i]] = best[i].t;
    value[which[i]] = best[i].value;
  }
}

void TwoMethodPenalty::jump_thresholds(const double* h, const double* alpha, Index k,
                                       double* out) const {
  std::vector<Coordinate> some;
  std::vector<Index> which;
  for (Index i = 0; i < k; ++i) {
    out[i] = 0.0;
    if (alpha[i] == 0.0) continue;
    some.push_back({0.0, h[i], alpha[i]});
    which.push_back(i);
  }
  const std::vector<double> found =
      search_thresholds([this](auto... of) { tangents(of...); }, some);
  for (std::size_t i = 0; i < which.size(); ++i) out[which[i]] = found[i];
}

}  // namespace sparsieve
