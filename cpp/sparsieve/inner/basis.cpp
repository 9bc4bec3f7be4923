#include "sparsieve/inner/basis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparsieve {
namespace {
// A column whose remainder is this small, relative to itself, is rounding noise: times how much the
// remainders before it were blown up when they were scaled to length one. A column that is left out wrongly
// is still a part of kkt.
constexpr double kDependent = 64.0 * std::numeric_limits<double>::epsilon();
}  // namespace

double Basis::inner(const Direction& q, const std::vector<double>& u,
                    const std::vector<double>& tail) const {
  double s = dot(q.weighted.data(), u.data(), design_.n());
  for (std::size_t k = 0; k < q.tail.size(); ++k) s += q.tail[k] * tail[k];
  return s;
}

void Basis::add(Index j) {
  const double one = -1.0;
  Direction fresh;
  fresh.plain.assign(design_.n(), 0.0);
  design_.subtract(&j, &one, 1, fresh.plain);
  fresh.tail.assign(columns_.size() + 1, 0.0);
  fresh.tail.back() = std::sqrt(ridge_);
  std::vector<double> r(columns_.size() + 1, 0.0);
  for (int pass = 0; pass < 2; ++pass) {  // twice is enough
    for (std::size_t k = 0; k < q_.size(); ++k) {
      const double h = inner(q_[k], fresh.plain, fresh.tail);
      r[k] += h;
      axpy(-h, q_[k].plain.data(), fresh.plain.data(), design_.n());
      for (std::size_t t = 0; t < q_[k].tail.size(); ++t) fresh.tail[t] -= h * q_[k].tail[t];
    }
  }
  double norm2 =
      weighted_dot(design_.omega().data(), fresh.plain.data(), fresh.plain.data(), design_.n());
  for (double t : fresh.tail) norm2 += t * t;
  const double norm = std::sqrt(norm2);
  const double whole = std::sqrt(design_.norm2(j) + ridge_);
  if (!(norm > kDependent * amplification_ * whole)) return;
  amplification_ = std::max(amplification_, whole / norm);
  r.back() = norm;
  fresh.weighted.resize(design_.n());
  for (Index i = 0; i < design_.n(); ++i) {
    fresh.plain[i] /= norm;
    fresh.weighted[i] = design_.omega()[i] * fresh.plain[i];
  }
  for (double& t : fresh.tail) t /= norm;
  columns_.push_back(j);
  q_.push_back(std::move(fresh));
  r_.push_back(std::move(r));
}

std::vector<double> Basis::coordinates(const Weighted& r, const std::vector<double>& tail) const {
  std::vector<double> out(q_.size());
  for (std::size_t k = 0; k < q_.size(); ++k) {
    out[k] = dot(q_[k].plain.data(), r.v.data(), design_.n());
    if (ridge_ > 0.0) {
      for (std::size_t t = 0; t < q_[k].tail.size(); ++t) out[k] += q_[k].tail[t] * tail[t];
    }
  }
  return out;
}

std::vector<double> Basis::solve(std::vector<double> q) const {
  for (std::size_t k = q.size(); k-- > 0;) {
    q[k] /= r_[k][k];
    for (std::size_t i = 0; i < k; ++i) q[i] -= r_[k][i] * q[k];
  }
  return q;
}

}  // namespace sparsieve
