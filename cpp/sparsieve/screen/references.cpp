#include "sparsieve/screen/references.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparsieve {
namespace {
using Coefficients = std::array<double, kReferences>;

// Projects a residual on more and more references, by modified Gram-Schmidt in the inner product of Omega.
class Projection {
 public:
  Projection(const std::vector<double>& omega, const std::vector<double>& r)
      : omega_(omega), rest_(r) {}
  // The coefficients of the projection on the references added so far.
  const Coefficients& coefficients() const { return g_; }

  void add(Index k, const Reference& reference) {
    std::vector<double> q = reference.r;
    Coefficients mix{};
    mix[k] = 1.0;
    for (std::size_t b = 0; b < basis_.size(); ++b) {
      const double h = product(basis_[b], q);
      axpy(-h, basis_[b].data(), q.data(), n());
      for (Index i = 0; i < kReferences; ++i) mix[i] -= h * mixes_[b][i];
    }
    const double norm2 = product(q, q);
    // A reference that (nearly) depends on the others adds nothing but huge coefficients. These would be
    // safe too: they multiply radii, each at least the rounding of its own reference.
    if (!(norm2 > 1e-12 * reference.norm2)) return;
    const double inverse = 1.0 / std::sqrt(norm2);
    for (double& x : q) x *= inverse;
    for (double& x : mix) x *= inverse;
    const double h = product(q, rest_);
    axpy(-h, q.data(), rest_.data(), n());
    for (Index i = 0; i < kReferences; ++i) g_[i] += h * mix[i];
    basis_.push_back(std::move(q));
    mixes_.push_back(mix);
  }

 private:
  Index n() const { return static_cast<Index>(omega_.size()); }
  double product(const std::vector<double>& a, const std::vector<double>& b) const {
    return weighted_dot(omega_.data(), a.data(), b.data(), n());
  }
  const std::vector<double>& omega_;
  std::vector<double> rest_;                // of the residual, orthogonal to the basis
  std::vector<std::vector<double>> basis_;  // orthonormal
  std::vector<Coefficients> mixes_;         // basis vector b = sum_k mixes_[b][k] r_k
  Coefficients g_{};
};

// A bound of |x_j' Omega rest| per unit of sum_i |x_ij|: the largest entry of Omega rest. Few entries of
// x_j see little of a long vector. Centring x_j adds at most max omega / sum omega times the sum of Omega
// rest. An error e of the rest moves an entry of Omega rest by at most sqrt(max omega) ||e||, and the sum by
// sqrt(sum omega) ||e||.
double largest_entry(const Design& design, const std::vector<double>& rest, double error) {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  double largest = 0.0, sum = 0.0, size = 0.0, heaviest = 0.0;
  for (Index i = 0; i < design.n(); ++i) {
    const double omega = design.omega()[i], v = omega * rest[i];
    largest = std::max(largest, std::abs(v));
    heaviest = std::max(heaviest, omega);
    sum += v;
    size += std::abs(v);
  }
  largest += std::sqrt(heaviest) * error;
  if (!design.centred()) return largest;
  const double rounding =
      kEps * static_cast<double>(design.n()) * size + std::sqrt(design.total()) * error;
  return largest + heaviest / design.total() * (std::abs(sum) + rounding);
}
}  // namespace

Reference& References::add() {
  newest_ = (newest_ + 1) % kReferences;
  count_ = std::min(count_ + 1, kReferences);
  return ring_[newest_];
}

// The intervals hold for any coefficients, so that rounding errors in them do no harm: what is left over is
// computed from the coefficients themselves.
Combinations combine(const References& references, const Design& design,
                     const std::vector<double>& r, const Weighted& weighted, double error,
                     std::vector<double>& first_rest) {
  const Index n = design.n();
  const double* omega = design.omega().data();
  Projection projection(design.omega(), r);
  std::vector<double> rest;
  Combinations out;
  out.count = references.count();
  out.norm = std::sqrt(weighted.norm2);
  for (Index k = 0; k < references.count(); ++k) {
    projection.add(k, references[k]);
    const Coefficients& g = projection.coefficients();
    std::copy(g.begin(), g.end(), out.g[k]);
    rest = r;
    for (Index i = 0; i <= k; ++i) axpy(-g[i], references[i].r.data(), rest.data(), n);
    out.rest_norm[k] = std::sqrt(weighted_dot(omega, rest.data(), rest.data(), n)) + error;
    if (!design.moments().sizes.empty()) {
      out.rest_largest[k] = largest_entry(design, rest, error);
    }
    if (k == 0) first_rest = rest;
  }
  return out;
}

}  // namespace sparsieve
