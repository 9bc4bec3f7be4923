#include "sparsieve/columns/sample_weights.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "sparsieve/columns/compensated_sum.hpp"

namespace sparsieve {
namespace {
bool same(const std::vector<double>& omega) {
  return std::adjacent_find(omega.begin(), omega.end(), std::not_equal_to<>()) == omega.end();
}

// Terms of n rows, in eight lanes that do not wait for one another.
template <class Term>
double sum_in_lanes(Index n, const Term& term) {
  constexpr Index kLanes = 8;
  double lanes[kLanes] = {};
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (Index k = 0; k < kLanes; ++k) lanes[k] += term(i + k);
  }
  for (Index k = 0; i < n; ++i, ++k) lanes[k] += term(i);
  return std::accumulate(lanes, lanes + kLanes, 0.0);
}

// As if rounded once; a product of equal weights is.
double total_of(const std::vector<double>& omega) {
  if (!omega.empty() && same(omega)) return static_cast<double>(omega.size()) * omega[0];
  CompensatedSum total;
  for (const double o : omega) total.add(o);
  return total.value();
}
}  // namespace

SampleWeights::SampleWeights(std::vector<double> omega, bool centre)
    : omega_(std::move(omega)),
      total_(total_of(omega_)),
      all_equal_(same(omega_)),
      centred_(centre) {}

// In eight lanes: the bound of a correlation's rounding error (Moments::roundings) counts on it.
void SampleWeights::weigh(const std::vector<double>& r, Weighted& out) const {
  constexpr Index kLanes = 8;
  out.v.resize(n());
  double sum[kLanes] = {}, norm2[kLanes] = {};
  const auto add = [&](Index i, Index lane) {
    const double v = omega_[i] * r[i];
    out.v[i] = v;
    sum[lane] += v;
    norm2[lane] += v * r[i];
  };
  Index i = 0;
  for (; i + kLanes <= n(); i += kLanes) {
    for (Index k = 0; k < kLanes; ++k) add(i + k, k);
  }
  for (Index k = 0; i < n(); ++i, ++k) add(i, k);
  out.sum = std::accumulate(sum, sum + kLanes, 0.0);
  out.norm2 = std::accumulate(norm2, norm2 + kLanes, 0.0);
}

double SampleWeights::nearest_entry(const std::vector<double>& x, double mean) const {
  double found = 0.0, distance = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < n(); ++i) {
    if (!(omega_[i] > 0.0 && std::abs(x[i] - mean) < distance)) continue;
    distance = std::abs(x[i] - mean);
    found = x[i];
  }
  return found;
}

double SampleWeights::move_response(std::vector<double>& y, std::vector<double>& lost) const {
  lost.clear();
  if (!centred_) return 0.0;
  const double mean = sum_in_lanes(n(), [&](Index i) { return omega_[i] / total_ * y[i]; });
  const double raw = sum_in_lanes(n(), [&](Index i) { return omega_[i] * y[i] * y[i]; });
  const double centred =
      sum_in_lanes(n(), [&](Index i) { return omega_[i] * (y[i] - mean) * (y[i] - mean); });
  if (!std::isfinite(raw) || !(centred <= kFarSquare * raw)) return 0.0;
  const double shift = nearest_entry(y, mean);
  lost.resize(n());
  if (!take_from(shift, y.data(), n(), y.data(), lost.data())) lost.clear();
  return shift;
}

double SampleWeights::centre_response(std::vector<double>& y) const {
  if (!centred_) return 0.0;
  double mean = 0.0;
  for (int pass = 0; pass < 2; ++pass) {  // the second pass removes the rounding error of the first
    const double shift = sum_in_lanes(n(), [&](Index i) { return omega_[i] * y[i]; }) / total_;
    for (Index i = 0; i < n(); ++i) y[i] -= shift;
    mean += shift;
  }
  return mean;
}

}  // namespace sparsieve
