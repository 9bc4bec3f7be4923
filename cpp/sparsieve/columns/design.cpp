#include "sparsieve/columns/design.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
constexpr double kEps = std::numeric_limits<double>::epsilon();
// Columns with fewer rows are read almost as fast as a shadow of them.
constexpr Index kShort = 96;
}  // namespace

Design::Design(std::shared_ptr<const Storage> storage, std::vector<double> omega, bool centre,
               int threads, ShadowUse shadow_use)
    : storage_(std::move(storage)),
      omega_(std::move(omega)),
      centred_(centre),
      threads_(std::max(1, threads)),
      shadow_use_(shadow_use == ShadowUse::kAtFirst && n() < kShort ? ShadowUse::kLazy
                                                                    : shadow_use) {
  expands_ = !storage_->sparse();
  LongSum total;
  for (double o : omega_) {
    total.add(o);
    expands_ = expands_ && (o == 0.0 || o > kTinySquare);
  }
  total_ = total.value();
  even_ = std::adjacent_find(omega_.begin(), omega_.end(), std::not_equal_to<>()) == omega_.end();
}

void Design::measure(const Weighted* r, std::vector<double>* correlations) {
  const Index d = storage_->d();
  means_.assign(d, 0.0);
  norms2_.resize(d);
  norms_.resize(d);
  rounding_.resize(d);
  sizes_.resize(storage_->sparse() ? d : 0);
  too_small_.clear();
  too_large_.clear();
  if (r != nullptr) correlations->resize(d);
  // A sum of n products in eight lanes has at most n/8 + 3 roundings in a row; the factor 2 covers
  // the products with Omega and the centring.
  const double unit = 2.0 * kEps * (static_cast<double>(n()) / 8.0 + 8.0);
  std::vector<signed char> odd(d, 0);  // -1 too small, 1 too large
  std::unique_ptr<Shadow> shadow;
  if (shadow_use_ == ShadowUse::kAtFirst && shadow_helps()) shadow = storage_->start_shadow();
  parallel_for(d, threads_, grain(), [&](Index first, Index last) {
    Bytes read = 0;
    for (Index j = first; j < last; ++j) {
      Moments m;
      read += storage_->moments(j, omega_.data(), total_, centred_, m);
      // Below the noise of the subtraction x - mean the column is constant.
      const bool constant = centred_ && m.centred <= 64.0 * kEps * kEps * m.raw;
      means_[j] = m.mean;
      norms2_[j] = constant ? 0.0 : m.centred;
      norms_[j] = std::sqrt(norms2_[j]);
      rounding_[j] = unit * std::sqrt(m.raw);
      if (!sizes_.empty()) sizes_[j] = m.size * (1.0 + 8.0 * unit);
      if (!(m.raw >= kTinySquare && m.raw <= kHugeSquare)) {
        bool any;
        read += storage_->any(j, omega_.data(), any);
        if (any || m.raw != m.raw) odd[j] = m.raw < 1.0 ? -1 : 1;
      }
      // What follows finds the column in cache.
      if (shadow) storage_->shade(j, *shadow);
      if (r == nullptr) continue;
      double c;
      storage_->dots(r->v.data(), &j, 1, &c);
      (*correlations)[j] = c - m.mean * r->sum;
    }
    read_ += read;
  });
  if (shadow) {
    storage_->hand_in(std::move(shadow));
    this->shadow();
  }
  for (Index j = 0; j < d; ++j) {
    if (odd[j] == 0) continue;
    (odd[j] < 0 ? too_small_ : too_large_).push_back(j);
    norms2_[j] = norms_[j] = 0.0;
  }
}

// Columns per thread below which sharing them costs more than it saves.
Index Design::grain() const {
  const Bytes column = storage_->bytes() / static_cast<Bytes>(std::max<Index>(1, d())) + 1;
  return static_cast<Index>((Bytes{1} << 21) / column) + 1;
}

double Design::centre_response(std::vector<double>& y) const {
  if (!centred_) return 0.0;
  double mean = 0.0;
  for (int pass = 0; pass < 2; ++pass) {  // the second pass removes the rounding of the first
    double shift = 0.0;
    for (Index i = 0; i < n(); ++i) shift += omega_[i] * y[i];
    shift /= total_;
    for (Index i = 0; i < n(); ++i) y[i] -= shift;
    mean += shift;
  }
  // What is left of a constant response is the rounding of the subtraction: call it zero.
  double largest = 0.0;
  for (Index i = 0; i < n(); ++i) {
    if (omega_[i] > 0.0) largest = std::max(largest, std::abs(y[i]));
  }
  if (largest <= 8.0 * kEps * std::abs(mean)) std::fill(y.begin(), y.end(), 0.0);
  return mean;
}

// In eight lanes, as `measure` counts the roundings of a sum.
void Design::weigh(const std::vector<double>& r, Weighted& out) const {
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

void Design::correlate(const Weighted& r, const Index* cols, Index count, double* out) const {
  parallel_for(count, threads_, grain(), [&](Index first, Index last) {
    read_ += storage_->dots(r.v.data(), cols + first, last - first, out + first);
    centre(r, cols, first, last, out);
  });
}

// What centring the columns takes away from their products with r.
void Design::centre(const Weighted& r, const Index* cols, Index first, Index last,
                    double* products) const {
  if (!centred_) return;
  for (Index k = first; k < last; ++k) products[k] -= means_[cols[k]] * r.sum;
}

bool Design::shadow_helps() const {
  // Below this size X sits in cache and a look costs next to nothing.
  constexpr Bytes kSmall = Bytes{1} << 18;
  return shadow_use_ != ShadowUse::kNever && storage_->bytes() > kSmall && n() >= 32;
}

bool Design::shadow_pays(Bytes bytes) const {
  if (!shadow_helps()) return false;
  const Bytes cost = (n() < kShort ? 2 : 1) * storage_->bytes();
  return shadow_use_ == ShadowUse::kAtFirst || bytes >= cost;
}

const Shadow* Design::shadow() const {
  if (shadow_ == nullptr) {
    Bytes read = 0;
    shadow_ = storage_->shadow(threads_, read);
    read_ += read;
  }
  return shadow_;
}

void Design::look(const Weighted& r, const Quantised& q, const Index* cols, Index count,
                  double* out) const {
  const Shadow& shadow = *shadow_;
  shadow.look(q, cols, count, out);
  centre(r, cols, 0, count, out);
  read_ += shadow.column_bytes() * static_cast<Bytes>(count);
}

void Design::look_finely(const Weighted& r, const Quantised& q, const Index* cols, Index count,
                         double* out) const {
  const Shadow& shadow = *shadow_;
  parallel_for(count, threads_, 2 * grain(), [&](Index first, Index last) {
    shadow.look_finely(q, cols + first, last - first, out + first);
    centre(r, cols, first, last, out);
  });
  read_ += 2 * shadow.column_bytes() * static_cast<Bytes>(count);
}

double Design::subtract_in_shadow(const Index* cols, const double* coef, Index count,
                                  std::vector<double>& r) const {
  const Shadow& shadow = *shadow_;
  std::vector<double> negative(coef, coef + count);
  double shift = 0.0, error = 0.0, length2 = 0.0;
  // Each entry is a sum of that many terms twice, fewer roundings than four for each.
  const double roundings = 8.0 * (static_cast<double>(count) + 4.0);
  for (Index k = 0; k < count; ++k) {
    negative[k] = -coef[k];
    shift += coef[k] * mean(cols[k]);
    error += std::abs(coef[k]) * shadow.known_to(cols[k], roundings);
  }
  for (const double x : r) length2 += x * x;
  shadow.accumulate(cols, negative.data(), count, r.data());
  read_ += (shadow.has_fine() ? 2 : 1) * shadow.column_bytes() * static_cast<Bytes>(count);
  for (Index i = 0; i < n(); ++i) r[i] += shift;
  error += roundings * kEps * std::sqrt(length2);
  const double heaviest = *std::max_element(omega_.begin(), omega_.end());
  return (1.0 + 1e-9) * std::sqrt(heaviest) * error;
}

void Design::subtract(const Index* cols, const double* coef, Index count,
                      std::vector<double>& r) const {
  if (count == 0) return;
  std::vector<double> negative(coef, coef + count);
  double shift = 0.0;
  for (Index k = 0; k < count; ++k) {
    negative[k] = -coef[k];
    if (centred_) shift += coef[k] * means_[cols[k]];
  }
  read_ += storage_->accumulate(cols, negative.data(), count, r.data(), threads_);
  if (centred_) {
    for (Index i = 0; i < n(); ++i) r[i] += shift;
  }
}

void Design::subtract_weighted(Index j, double coef, Weighted& r) const {
  read_ += storage_->accumulate_weighted(j, -coef, omega_.data(), r.v.data());
  r.sum -= coef * mean(j) * total_;
}

void Design::descend(Epoch& epoch, Weighted& r) const {
  Terrain terrain{norms2_.data(),
                  centred_ ? means_.data() : nullptr,
                  even_ ? nullptr : omega_.data(),
                  omega_.empty() ? 0.0 : omega_[0],
                  total_,
                  r.v.data(),
                  r.sum};
  read_ += storage_->descend(epoch, terrain);
  r.sum = terrain.sum;
}

// The fresh columns are centred and weighted explicitly, so that large means cannot cancel.
void Design::gram(const Index* cols, Index m, Index nf, double* out, const std::vector<double>* r,
                  double* correlations) const {
  const Index old = expands_ ? m - nf : m;  // columns that are read as they are stored
  const Index* fresh = cols + (m - nf);
  std::vector<std::vector<double>> buffer(nf, std::vector<double>(n()));
  std::vector<const double*> v(nf);
  std::vector<double> slip(nf, 0.0);
  const double one = 1.0;
  for (Index a = 0; a < nf; ++a) {
    auto& u = buffer[a];
    read_ += storage_->accumulate(fresh + a, &one, 1, u.data(), 1);
    const double mu = mean(fresh[a]);
    for (Index i = 0; i < n(); ++i) u[i] = omega_[i] * (u[i] - mu);
    if (centred_) slip[a] = std::accumulate(u.begin(), u.end(), 0.0);
    if (r != nullptr) correlations[a] = dot(u.data(), r->data(), n());
    v[a] = u.data();
  }
  parallel_for(old, threads_, grain() / nf + 1, [&](Index first, Index last) {
    read_ += storage_->dots_many(v.data(), nf, cols + first, last - first, out + first, m);
  });
  if (expands_) gram_of_fresh(v, out + old, m);
  if (!centred_) return;
  for (Index a = 0; a < nf; ++a) {
    for (Index b = 0; b < old; ++b) out[a * m + b] -= slip[a] * means_[cols[b]];
  }
}

// Of v = Omega x, which are at hand: x = v / omega, and what omega hides does not count.
void Design::gram_of_fresh(const std::vector<const double*>& v, double* out, Index stride) const {
  constexpr Index kGroup = 8;
  const Index nf = static_cast<Index>(v.size()), groups = (nf + kGroup - 1) / kGroup;
  const Index own[kGroup] = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<double> inverse(n());
  for (Index i = 0; i < n(); ++i) inverse[i] = omega_[i] > 0.0 ? 1.0 / omega_[i] : 0.0;
  const Index grain_here = grain() / nf / kGroup + 1;
  std::vector<double> expanded(kGroup * n() * threads_used(groups, threads_, grain_here));
  const auto some = [&](Index first, Index last, Index piece) {
    double* x = expanded.data() + kGroup * n() * piece;
    const Dense<double> group(x, n(), kGroup, n());
    for (Index b = first * kGroup; b < std::min(nf, last * kGroup); b += kGroup) {
      const Index count = std::min(kGroup, nf - b);
      for (Index q = 0; q < count; ++q) {
        for (Index i = 0; i < n(); ++i) x[q * n() + i] = v[b + q][i] * inverse[i];
      }
      group.dots_many(v.data(), b + count, own, count, out + b, stride);
    }
  };
  parallel_for(groups, threads_, grain_here, some);
}

}  // namespace sparsieve
