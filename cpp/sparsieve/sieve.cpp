#include "sparsieve/sieve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sparsieve {

Sieve::Sieve(const Design& design)
    : design_(design), ring_(kRing), bound_(design.d()), reference_(design.d(), 0) {}

Sieve::Travel Sieve::travel(const std::vector<double>& r, double norm2,
                            const Reference& from) const {
  if (from.norm2 <= 0.0) return {0.0, std::sqrt(norm2)};
  const auto& omega = design_.omega();
  const Index n = design_.n();
  const double a = weighted_dot(omega.data(), r.data(), from.r.data(), n) / from.norm2;
  double distance2 = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double p = r[i] - a * from.r[i];
    distance2 += omega[i] * p * p;
  }
  return {std::abs(a), std::sqrt(distance2)};
}

void Sieve::adopt(const std::vector<double>& r, double norm2) {
  ring_[newest_].r = r;
  ring_[newest_].norm2 = norm2;
}

void Sieve::read_all(const std::vector<double>& r, const Weighted& weighted,
                     std::vector<double>& correlations) {
  const Index d = design_.d();
  look_.resize(d);
  std::iota(look_.begin(), look_.end(), Index{0});
  correlations.resize(d);
  design_.correlate(weighted, look_.data(), d, correlations.data());
  newest_ = 0;
  adopt(r, weighted.norm2);
  const double norm = std::sqrt(weighted.norm2);
  for (Index j = 0; j < d; ++j) {
    bound_[j] = std::abs(correlations[j]) + design_.rounding(j) * norm;
    reference_[j] = 0;
  }
}

std::vector<Violator> Sieve::above(const std::vector<double>& r, const Weighted& weighted,
                                   const std::vector<double>& threshold, double slack,
                                   bool positive, const std::vector<Index>& skip_slot,
                                   double& ratio) {
  const Index d = design_.d();
  Travel reach[kRing];
  for (Index k = 0; k < kRing; ++k) {
    reach[k] = ring_[k].r.empty() ? Travel{0.0, 0.0} : travel(r, weighted.norm2, ring_[k]);
  }
  const double norm = std::sqrt(weighted.norm2);
  ratio = 0.0;
  by_bound_ = 0;
  worst_kept_ = 0.0;
  look_.clear();
  for (Index j = 0; j < d; ++j) {
    if (skip_slot[j] >= 0) continue;
    const Travel& t = reach[reference_[j]];
    const double bound =
        t.shrink * bound_[j] + design_.norm(j) * t.distance + design_.rounding(j) * norm;
    // Columns that are constant or excluded (infinite threshold) never enter.
    if (bound <= threshold[j] || design_.norm2(j) == 0.0) {
      ++by_bound_;
      if (threshold[j] > 0.0 && design_.norm2(j) > 0.0) {
        ratio = std::max(ratio, bound / threshold[j]);
      }
    } else {
      look_.push_back(j);
    }
  }
  by_reading_ = static_cast<Index>(look_.size());
  std::vector<Violator> found;
  if (look_.empty()) return found;

  seen_.resize(look_.size());
  design_.correlate(weighted, look_.data(), by_reading_, seen_.data());
  // The oldest slot of the ring gives way; columns that still lean on it keep a bound at r instead.
  newest_ = (newest_ + 1) % kRing;
  const Travel& leaving = reach[newest_];
  for (Index j = 0; j < d; ++j) {
    if (reference_[j] == newest_) {
      bound_[j] = leaving.shrink * bound_[j] + design_.norm(j) * leaving.distance +
                  design_.rounding(j) * norm;
    }
  }
  adopt(r, weighted.norm2);
  for (Index k = 0; k < by_reading_; ++k) {
    const Index j = look_[k];
    bound_[j] = std::abs(seen_[k]) + design_.rounding(j) * norm;
    reference_[j] = static_cast<signed char>(newest_);
    const double reached = positive ? seen_[k] : std::abs(seen_[k]);
    if (reached > threshold[j] + slack) {
      found.push_back({j, seen_[k]});
    } else {
      worst_kept_ = std::max(worst_kept_, reached - threshold[j]);
      if (threshold[j] > 0.0) ratio = std::max(ratio, reached / threshold[j]);
    }
  }
  return found;
}

}  // namespace sparsieve
