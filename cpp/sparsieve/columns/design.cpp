#include "sparsieve/columns/design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sparsieve/columns/compensated_sum.hpp"
#include "sparsieve/simd/simd.hpp"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
constexpr double kEps = std::numeric_limits<double>::epsilon();
// Columns with fewer rows are read almost as fast as a shadow of them: a matter of speed alone.
constexpr Index kFewRows = 96;

// In eight lanes by blocks of rows, as products of columns: see product_roundings.
double sum_of(const std::vector<double>& x) {
  constexpr std::size_t kLanes = 8, kRows = 1024;
  double total = 0.0;
  for (std::size_t row = 0; row < x.size(); row += kRows) {
    const std::size_t end = std::min(x.size(), row + kRows);
    double lanes[kLanes] = {};
    std::size_t i = row;
    for (; i + kLanes <= end; i += kLanes) {
      for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += x[i + k];
    }
    for (std::size_t k = 0; i < end; ++i, ++k) lanes[k] += x[i];
    total += std::accumulate(lanes, lanes + kLanes, 0.0);
  }
  return total;
}

// Whether columns are expanded to compute the Gram matrix of fresh ones: see gram_of_expanded, which
// divides by the weights.
bool expands(const Storage& storage, const std::vector<double>& omega) {
  return !storage.sparse() && std::all_of(omega.begin(), omega.end(),
                                          [](double o) { return o == 0.0 || o > kTinySquare; });
}
}  // namespace

Design::Design(std::shared_ptr<const Storage> storage, SampleWeights weights, int threads,
               ShadowUse shadow_use, const Weighted* r, std::vector<double>* correlations,
               Scaling scaling, StandIn stands_for)
    : storage_(std::move(storage)),
      weights_(std::move(weights)),
      scaling_(scaling),
      threads_(std::max(1, threads)),
      shadow_use_(shadow_use == ShadowUse::kAtFirst && n() < kFewRows ? ShadowUse::kLazy
                                                                      : shadow_use),
      gram_expands_(expands(*storage_, omega())),
      stands_for_(std::move(stands_for)),
      moments_(measured(r, correlations)) {}

// Called by the constructor when everything else is set. Columns far from zero are moved, and measured again.
Moments Design::measured(const Weighted* r, std::vector<double>* correlations) {
  Moments out = measure_stored(r, correlations);
  if (out.far.empty() || !out.too_large.empty()) return out;
  shifted_ = std::make_shared<Shifted>(storage_, out.far, weights_, out.means);
  storage_ = shifted_;
  shadow_ = nullptr;
  return measure_stored(r, correlations);
}

Moments Design::measure_stored(const Weighted* r, std::vector<double>* correlations) {
  std::unique_ptr<Shadow> shadow;
  if (shadow_use_ == ShadowUse::kAtFirst && shadow_helps()) shadow = storage_->new_shadow();
  Bytes read = 0;
  Moments out =
      measure(*storage_, weights_, scaling_, threads_,
              WhileMeasuring{shadow.get(), r, correlations, &stands_for_.deviations}, read);
  reads_.columns += read;
  if (shadow) {
    storage_->keep_shadow(std::move(shadow));
    this->shadow();
  }
  return out;
}

Bytes Design::correlate(const Weighted& r, const Index* cols, Index count, double* out) const {
  std::atomic<Bytes> read{0};
  parallel_for(count, threads_, columns_per_thread(), [&](Index first, Index last) {
    read += storage_->dots(r.v.data(), cols + first, last - first, out + first);
    centre_and_scale(r, cols, first, last, out);
  });
  reads_.columns += read;
  return read;
}

void Design::correlate_many(const std::vector<Weighted>& r, const std::vector<double*>& out) const {
  constexpr Index kColumns = 256;  // that are in cache together
  const Index count = static_cast<Index>(r.size());
  std::vector<const double*> v;
  for (const Weighted& each : r) v.push_back(each.v.data());
  std::vector<Index> all(d());
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<double> block(static_cast<std::size_t>(count) * kColumns);
  for (Index first = 0; first < d(); first += kColumns) {
    const Index some = std::min(kColumns, d() - first);
    reads_.columns +=
        storage_->dots_many(v.data(), count, all.data() + first, some, block.data(), kColumns);
    for (Index a = 0; a < count; ++a) {
      double* products = block.data() + a * kColumns;
      centre_and_scale(r[a], all.data() + first, 0, some, products);
      std::copy(products, products + some, out[a] + first);
    }
  }
}

// factor (x - mean 1)'v = factor (x'v - mean sum(v))
void Design::centre_and_scale(const Weighted& r, const Index* cols, Index first, Index last,
                              double* products) const {
  const std::vector<double>& factors = moments_.factors;
  for (Index k = first; k < last && centred(); ++k) products[k] -= mean(cols[k]) * r.sum;
  for (Index k = first; k < last && !factors.empty(); ++k) products[k] *= factors[cols[k]];
}

// What stored columns are multiplied by for these coefficients.
std::vector<double> Design::as_stored(const Index* cols, const double* coef, Index count) const {
  std::vector<double> out(coef, coef + count);
  for (Index k = 0; k < count; ++k) out[k] *= factor(cols[k]);
  return out;
}

bool Design::shadow_helps() const {
  // A smaller X stays in cache, and reading it costs next to nothing.
  constexpr Bytes kSmall = Bytes{1} << 18;
  return shadow_use_ != ShadowUse::kNever && storage_->bytes() > kSmall && n() >= 32;
}

bool Design::shadow_pays(Bytes bytes) const {
  if (!shadow_helps()) return false;
  const Bytes cost = (n() < kFewRows ? 2 : 1) * storage_->bytes();
  return shadow_use_ == ShadowUse::kAtFirst || bytes >= cost;
}

const Shadow* Design::shadow() const {
  if (shadow_ == nullptr) {
    Bytes read = 0;
    shadow_ = storage_->shadow(threads_, read);
    reads_.columns += read;
  }
  return shadow_;
}

void Design::correlate_in_shadow(const Weighted& r, const Quantised& q, const Index* cols,
                                 Index count, double* out) const {
  const Shadow& shadow = *shadow_;
  shadow.products(q, cols, count, out);
  centre_and_scale(r, cols, 0, count, out);
  reads_.shadow += shadow.column_bytes() * static_cast<Bytes>(count);
}

void Design::correlate_in_fine_shadow(const Weighted& r, const Quantised& q, const Index* cols,
                                      Index count, double* out) const {
  const Shadow& shadow = *shadow_;
  parallel_for(count, threads_, 2 * columns_per_thread(), [&](Index first, Index last) {
    shadow.fine_products(q, cols + first, last - first, out + first);
    centre_and_scale(r, cols, first, last, out);
  });
  reads_.shadow += 2 * shadow.column_bytes() * static_cast<Bytes>(count);
}

double Design::subtract_in_shadow(const Index* cols, const double* coef, Index count,
                                  std::vector<double>& r) const {
  const Shadow& shadow = *shadow_;
  std::vector<double> negative = as_stored(cols, coef, count);
  double shift = 0.0, error = 0.0, length2 = 0.0, unsure = 0.0;
  // Each entry is a sum of `count` terms, twice, with fewer than four roundings for each.
  const double roundings = 8.0 * (static_cast<double>(count) + 4.0);
  for (Index k = 0; k < count; ++k) {
    shift += negative[k] * mean(cols[k]);
    error += std::abs(negative[k]) * shadow.error_bound(cols[k], roundings);
    unsure += uncertainty() * std::abs(coef[k]) * raw_norm(cols[k]);
    negative[k] = -negative[k];
  }
  for (const double x : r) length2 += x * x;
  shadow.accumulate(cols, negative.data(), count, r.data());
  reads_.shadow += (shadow.has_fine() ? 2 : 1) * shadow.column_bytes() * static_cast<Bytes>(count);
  for (Index i = 0; i < n(); ++i) r[i] += shift;
  error += roundings * kEps * std::sqrt(length2);
  const double heaviest = *std::max_element(omega().begin(), omega().end());
  return shadow_margin(n()) * std::sqrt(heaviest) * error + unsure;
}

void Design::subtract(const Index* cols, const double* coef, Index count,
                      std::vector<double>& r) const {
  if (count == 0) return;
  std::vector<double> negative = as_stored(cols, coef, count);
  double shift = 0.0;
  for (Index k = 0; k < count; ++k) {
    if (centred()) shift += negative[k] * mean(cols[k]);
    negative[k] = -negative[k];
  }
  reads_.columns += storage_->accumulate(cols, negative.data(), count, r.data(), threads_);
  if (centred()) {
    for (Index i = 0; i < n(); ++i) r[i] += shift;
  }
}

void Design::subtract_weighted(Index j, double coef, Weighted& r) const {
  const double stored = factor(j) * coef;
  reads_.columns += storage_->accumulate_weighted(j, -stored, omega().data(), r.v.data());
  r.sum -= stored * mean(j) * total();
}

void Design::entries(Index j, std::vector<std::int32_t>& rows, std::vector<double>& values) const {
  std::vector<double> x;
  expand(j, x);
  rows.clear();
  values.clear();
  for (Index i = 0; i < n(); ++i) {
    if (x[i] == 0.0) continue;
    rows.push_back(static_cast<std::int32_t>(i));
    values.push_back(factor(j) * x[i]);
  }
}

void Design::descend(Epoch& epoch, Weighted& r) const {
  EpochInputs inputs{moments_.norms2.data(),
                     centred() ? moments_.means.data() : nullptr,
                     moments_.factors.empty() ? nullptr : moments_.factors.data(),
                     weights_.all_equal() ? nullptr : omega().data(),
                     omega().empty() ? 0.0 : omega()[0],
                     total(),
                     r.v.data(),
                     r.sum};
  reads_.columns += storage_->descend(epoch, inputs);
  r.sum = inputs.sum;
}

// Fresh columns are copied to a buffer, centred and weighted there: a large mean then cannot cancel digits.
void Design::gram(const Index* cols, Index m, Index nf, double* out, const std::vector<double>* r,
                  double* correlations) const {
  const Index old = gram_expands_ ? m - nf : m;  // columns that are read as they are stored
  const Index* fresh = cols + (m - nf);
  std::vector<std::vector<double>> buffer(nf, std::vector<double>(n()));
  std::vector<const double*> v(nf);
  std::vector<double> sum(nf, 0.0);  // of v: not exactly 0, because of rounding
  const double one = 1.0;
  for (Index a = 0; a < nf; ++a) {
    auto& u = buffer[a];
    reads_.columns += storage_->accumulate(fresh + a, &one, 1, u.data(), 1);
    const double mu = mean(fresh[a]), scale = factor(fresh[a]);
    for (Index i = 0; i < n(); ++i) u[i] = omega()[i] * (u[i] - mu);
    for (Index i = 0; i < n() && scale != 1.0; ++i) u[i] *= scale;
    if (centred()) sum[a] = sum_of(u);
    if (r != nullptr) correlations[a] = dot(u.data(), r->data(), n());
    v[a] = u.data();
  }
  parallel_for(old, threads_, columns_per_thread() / nf + 1, [&](Index first, Index last) {
    reads_.columns += storage_->dots_many(v.data(), nf, cols + first, last - first, out + first, m);
  });
  if (gram_expands_) gram_of_expanded(v, out + old, m);
  for (Index a = 0; a < nf; ++a) {
    for (Index b = 0; b < old && centred(); ++b) out[a * m + b] -= sum[a] * mean(cols[b]);
    for (Index b = 0; b < old && !moments_.factors.empty(); ++b) out[a * m + b] *= factor(cols[b]);
  }
}

// The Gram matrix of fresh columns from v = Omega x, which the buffer holds: x = v / omega. Rows without
// weight do not count.
void Design::gram_of_expanded(const std::vector<const double*>& v, double* out,
                              Index stride) const {
  constexpr Index kGroup = 8;
  const Index nf = static_cast<Index>(v.size()), groups = (nf + kGroup - 1) / kGroup;
  const Index own[kGroup] = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<double> inverse(n());
  for (Index i = 0; i < n(); ++i) inverse[i] = omega()[i] > 0.0 ? 1.0 / omega()[i] : 0.0;
  const Index per_thread = columns_per_thread() / nf / kGroup + 1;
  std::vector<double> expanded(kGroup * n() * threads_used(groups, threads_, per_thread));
  const auto some = [&](Index first, Index last, Index thread) {
    double* x = expanded.data() + kGroup * n() * thread;
    const Dense<double> group(x, n(), kGroup, n());
    for (Index b = first * kGroup; b < std::min(nf, last * kGroup); b += kGroup) {
      const Index count = std::min(kGroup, nf - b);
      for (Index q = 0; q < count; ++q) {
        for (Index i = 0; i < n(); ++i) x[q * n() + i] = v[b + q][i] * inverse[i];
      }
      group.dots_many(v.data(), b + count, own, count, out + b, stride);
    }
  };
  parallel_for(groups, threads_, per_thread, some);
}

// A leaf: some rows of all columns, centred, weighted and scaled.
namespace {
constexpr Index kLeastRows = 256;

// A fourth of the rows at the most: product_roundings counts on it.
Index leaf_rows(Index n) { return std::min(kLeafRows, n / 4 / kSide * kSide); }
}  // namespace

bool Design::whole_gram_pays(Index m) const {
  return !storage_->sparse() && m >= kSide && n() >= kLeastRows;
}

bool Design::whole_gram(const Index* cols, Index m, double* out, const std::vector<double>* r,
                        double* correlations, const std::function<bool()>& stop) const {
  const Leaves leaves{n(), leaf_rows(n()), m};
  std::vector<double> sums;
  const auto pack = [&](Index leaf, double* packed) { pack_leaf(cols, leaves, leaf, r, packed); };
  if (!sum_leaves(leaves, threads_, pack, stop, sums)) return false;
  const Tiles tiles(leaves.width());
  for (Index a = 0; a < m; ++a) {
    for (Index b = a; b < m; ++b) out[a * m + b] = sums[tiles.place(a, b)];
    if (r != nullptr) correlations[a] = sums[tiles.place(a, m)];
  }
  return true;
}

// The columns sqrt(omega) factor (x - mean) and the residual.
void Design::pack_leaf(const Index* cols, const Leaves& leaves, Index leaf,
                       const std::vector<double>* r, double* packed) const {
  const Index first = leaves.first(leaf), last = leaves.last(leaf), count = last - first;
  double root[kLeafRows], stored[kSide * kLeafRows];
  for (Index i = 0; i < count; ++i) root[i] = std::sqrt(omega()[first + i]);
  for (Index k = 0; k < leaves.columns; k += kSide) {
    const Index some = std::min(kSide, leaves.columns - k);
    reads_.columns += storage_->rows(cols + k, some, first, last, stored, kLeafRows);
    for (Index q = 0; q < some; ++q) {
      const double mu = mean(cols[k + q]), scale = factor(cols[k + q]);
      const double* x = stored + q * kLeafRows;
      double* to = packed_column(packed, k + q, leaves.rows);
      for (Index i = 0; i < count; ++i) to[kSide * i] = root[i] * (scale * (x[i] - mu));
    }
  }
  if (r == nullptr) return;
  double* to = packed_column(packed, leaves.columns, leaves.rows);
  for (Index i = 0; i < count; ++i) to[kSide * i] = root[i] * (*r)[first + i];
}

// The column as it is stored, in full.
void Design::expand(Index j, std::vector<double>& x) const {
  const double one = 1.0;
  x.assign(n(), 0.0);
  reads_.columns += storage_->accumulate(&j, &one, 1, x.data(), 1);
}

void Design::exact_residual(const std::vector<double>& y, const std::vector<double>& lost,
                            const Index* cols, const double* coef, Index count,
                            std::vector<double>& r) const {
  std::vector<CompensatedSum> sums(n());
  std::vector<double> x;
  for (Index i = 0; i < n(); ++i) sums[i].add(y[i]);
  for (std::size_t i = 0; i < lost.size(); ++i) sums[i].add(lost[i]);
  for (Index k = 0; k < count; ++k) {
    expand(cols[k], x);
    const double stored = factor(cols[k]) * coef[k];  // rounded, as it is handed out
    for (Index i = 0; i < n(); ++i) sums[i].add_product(-stored, x[i]);
    const double* low = this->lost(cols[k]);
    for (Index i = 0; low != nullptr && i < n(); ++i) sums[i].add_product(-stored, low[i]);
  }
  CompensatedSum all;
  for (Index i = 0; centred() && i < n(); ++i) {
    all.add_product(omega()[i], sums[i].sum);
    all.add_product(omega()[i], sums[i].lost);
  }
  const double mean = all.value() / total();
  // What the division rounds away comes with the second pass.
  CompensatedSum rest;
  for (Index i = 0; centred() && i < n(); ++i) {
    sums[i].add(-mean);
    rest.add_product(omega()[i], sums[i].sum);
    rest.add_product(omega()[i], sums[i].lost);
  }
  const double slip = rest.value() / total();
  for (Index i = 0; i < n(); ++i) {
    sums[i].add(-slip);
    r[i] = sums[i].value();
  }
}

// With r, v = Omega r and, twice, Omega rounded by eps/2 each, the mean off by eps of itself, sums by n eps^2:
//   |error| <= 2 eps (sum_i |x_i - mean| |v_i| + |mean| |sum(v)|) + n eps^2 sum_i (|x_i| + |mean|) |v_i|.
// Few rows may have all the weight that matters: norms of x and r would say far less.
void Design::exact_correlations(const Weighted& r, const Index* cols, Index count, double* out,
                                double* errors) const {
  std::vector<double> x;
  CompensatedSum total;
  for (const double v : r.v) total.add(v);
  for (Index k = 0; k < count; ++k) {
    const double mu = mean(cols[k]);
    CompensatedSum sum;
    double centred_size = std::abs(mu) * std::abs(total.value()), size = 0.0;
    expand(cols[k], x);
    for (Index i = 0; i < n(); ++i) {
      sum.add_product(x[i], r.v[i]);
      centred_size += std::abs(x[i] - mu) * std::abs(r.v[i]);
      size += (std::abs(x[i]) + std::abs(mu)) * std::abs(r.v[i]);
    }
    const double* low = lost(cols[k]);
    for (Index i = 0; low != nullptr && i < n(); ++i) sum.add_product(low[i], r.v[i]);
    if (centred()) sum.add_product(-mu, total.value());
    const double scale = factor(cols[k]), error = static_cast<double>(n() + 4) * kEps * size;
    out[k] = scale * sum.value();
    errors[k] = 2.0 * kEps * (scale * (centred_size + error) + std::abs(out[k]));
  }
}

bool Design::usable() const {
  return std::any_of(moments_.norms2.begin(), moments_.norms2.end(),
                     [](double norm2) { return norm2 > 0.0; });
}

}  // namespace sparsieve
