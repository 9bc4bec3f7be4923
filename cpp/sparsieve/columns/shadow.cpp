#include "sparsieve/columns/shadow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparsieve {
namespace {
constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr Index kAlign = 64;  // columns start on a cache line and are padded with zeros
// A matter of speed alone: from this number of rows on, fine bits pay: the relative error of the first bits, about 0.01, is then
// more than 0.6 times the typical cosine of unrelated columns, n^(-1/2).
constexpr Index kManyRows = 4096;
constexpr Index kBlock = 1024;  // rows of a column that fill_fine keeps on the stack

// What a sum of n squares may lose because they are too small for doubles.
double underflow(Index n) {
  return static_cast<double>(n) * std::numeric_limits<double>::denorm_min();
}
}  // namespace

Quantised quantise(const std::vector<double>& v) {
  const Index n = static_cast<Index>(v.size());
  const Index padded = (n + kAlign - 1) / kAlign * kAlign;
  Quantised out;
  out.q.assign(padded, 0);
  double largest = 0.0, norm2 = 0.0;
  for (double x : v) {
    largest = std::max(largest, std::abs(x));
    norm2 += x * x;
    out.sum += x;
  }
  // Sums of n terms, one after the other: n roundings, of at most sum |v| <= sqrt(n) ||v||.
  const double terms = static_cast<double>(n);
  out.norm = std::sqrt(norm2) * (1.0 + (terms + 4.0) * kEps);
  out.per_offset = kEps * (8.0 * std::abs(out.sum) + (terms + 2.0) * std::sqrt(terms) * out.norm);
  // For a v that cannot be scaled, whose q stays 0: a product is at most ||x|| ||v||.
  out.per_size = (1.0 + 8.0 * kEps) * out.norm;
  if (!(largest > 0.0) || !std::isfinite(1.0 / largest)) return out;
  out.unit = largest / 32767.0;
  double slip2 = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double q = std::nearbyint(v[i] / out.unit);
    out.q[i] = static_cast<std::int16_t>(std::clamp(q, -32767.0, 32767.0));
    const double miss = v[i] - out.unit * out.q[i];
    slip2 += miss * miss;
  }
  out.per_size = std::sqrt(slip2) * shadow_margin(n) + 9.0 * kEps * out.norm;
  return out;
}

Shadow::Shadow(Index n, Index d)
    : n_(n),
      stride_((n + kAlign - 1) / kAlign * kAlign),
      data_(make_pages<std::int8_t>(static_cast<std::size_t>(stride_) * d)),
      offset_(d),
      scale_(d),
      error_(d),
      size_(d) {
  if (n < kManyRows) return;
  fine_ = make_pages<std::int8_t>(static_cast<std::size_t>(stride_) * d);
  fine_scale_.resize(d);
  fine_error_.resize(d);
  fine_size_.resize(d);
}

template <class T>
void Shadow::fill(Index j, const T* x) {
  const auto& k = kernels<T>();
  double low, high, lost2 = 0.0, size2 = 0.0;
  k.min_max(x, n_, &low, &high);
  const double middle = 0.5 * low + 0.5 * high, half = 0.5 * high - 0.5 * low;
  // Slightly fewer than 127 steps to each side: a relative rounding of 1e-15 cannot lead to 128.
  const double scale = half / 126.9999;
  std::int8_t* q = data_.get() + j * stride_;
  if (scale > 0.0 && std::isfinite(1.0 / scale)) {
    k.round_to_bytes(x, n_, middle, scale, q, &lost2, &size2);
    std::fill(q + n_, q + stride_, std::int8_t{0});
    scale_[j] = scale;
  } else {
    std::fill(q, q + stride_, std::int8_t{0});
    lost2 = half * half * static_cast<double>(n_);
  }
  lost2 += underflow(n_);
  offset_[j] = middle;
  // The subtraction of the middle rounds each entry by at most eps times the largest entry.
  const double largest = std::max(std::abs(low), std::abs(high));
  const double rounding = 2.0 * kEps * largest * std::sqrt(static_cast<double>(n_));
  error_[j] = std::sqrt(lost2) * shadow_margin(n_) + rounding;
  size_[j] = scale_[j] * std::sqrt(size2) * shadow_margin(n_);
  if (has_fine()) fill_fine(j, x, largest);
}

// The same once more for what the first eight bits lost.
template <class T>
void Shadow::fill_fine(Index j, const T* x, double largest) {
  const std::int8_t* q = data_.get() + j * stride_;
  std::int8_t* finer = fine_.get() + j * stride_;
  std::fill(finer, finer + stride_, std::int8_t{0});
  const double middle = offset_[j], scale = scale_[j], fine = 0.5001 * scale / 126.9999;
  fine_error_[j] = error_[j];
  if (!(fine > 0.0 && std::isfinite(1.0 / fine))) return;
  double lost[kBlock], lost2 = 0.0, size2 = 0.0;
  for (Index first = 0; first < n_; first += kBlock) {
    const Index count = std::min(kBlock, n_ - first);
    for (Index i = 0; i < count; ++i) {
      lost[i] =
          (static_cast<double>(x[first + i]) - middle) - scale * static_cast<double>(q[first + i]);
    }
    kernels<double>().round_to_bytes(lost, count, 0.0, fine, finer + first, &lost2, &size2);
  }
  lost2 += underflow(n_);
  fine_scale_[j] = fine;
  // Two subtractions and a product, each rounded by at most eps times twice the largest entry.
  const double rounding = 8.0 * kEps * largest * std::sqrt(static_cast<double>(n_));
  fine_error_[j] = std::sqrt(lost2) * shadow_margin(n_) + rounding;
  fine_size_[j] = fine * std::sqrt(size2) * shadow_margin(n_);
}

template void Shadow::fill(Index, const double*);
template void Shadow::fill(Index, const float*);

void Shadow::add_products(const Bits& data, const std::vector<double>& scale, const Quantised& v,
                          const Index* cols, Index count, double* out) const {
  const auto& k = shadow_kernels();
  for (Index i = 0; i < count; i += 4) {
    const Index group = std::min<Index>(4, count - i);
    const std::int8_t* q[4];
    std::int64_t product[4];
    for (Index a = 0; a < 4; ++a) q[a] = data.get() + cols[i + std::min(a, group - 1)] * stride_;
    k.dot4(q, v.q.data(), stride_, product);
    for (Index a = 0; a < group; ++a) {
      out[i + a] += scale[cols[i + a]] * v.unit * static_cast<double>(product[a]);
    }
  }
}

void Shadow::products(const Quantised& v, const Index* cols, Index count, double* out) const {
  for (Index i = 0; i < count; ++i) out[i] = offset_[cols[i]] * v.sum;
  add_products(data_, scale_, v, cols, count, out);
}

void Shadow::fine_products(const Quantised& v, const Index* cols, Index count, double* out) const {
  products(v, cols, count, out);
  add_products(fine_, fine_scale_, v, cols, count, out);
}

void Shadow::add_columns(const Bits& data, const std::vector<double>& scale, const Index* cols,
                         const double* coef, Index count, double* y) const {
  for (Index i = 0; i < count; i += 4) {
    const std::int8_t* q[4];
    double a[4];
    for (Index k = 0; k < 4; ++k) {
      const Index j = cols[std::min(i + k, count - 1)];
      q[k] = data.get() + j * stride_;
      a[k] = i + k < count ? coef[i + k] * scale[j] : 0.0;
    }
    shadow_kernels().axpy4(a, q, y, n_);
  }
}

void Shadow::accumulate(const Index* cols, const double* coef, Index count, double* y) const {
  double shift = 0.0;
  for (Index k = 0; k < count; ++k) shift += coef[k] * offset_[cols[k]];
  add_columns(data_, scale_, cols, coef, count, y);
  if (has_fine()) add_columns(fine_, fine_scale_, cols, coef, count, y);
  for (Index i = 0; i < n_; ++i) y[i] += shift;
}

double Shadow::error_bound(Index j, double roundings) const {
  const double entry = std::abs(offset_[j]) + 128.0 * scale_[j];
  const double error = has_fine() ? fine_error_[j] : error_[j];
  return error + roundings * kEps * (entry * std::sqrt(static_cast<double>(n_)) + error_[j]);
}

}  // namespace sparsieve
