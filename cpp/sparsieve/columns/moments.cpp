#include "sparsieve/columns/moments.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
constexpr double kEps = std::numeric_limits<double>::epsilon();
// Columns that a storage measures per call; their moments are on the stack.
constexpr Index kBatch = 32;

enum class Range : signed char { kNormal, kConstant, kFar, kTooSmall, kTooLarge };

Range range_of(const ColumnMoments& m, bool nonzero) {
  if (!nonzero && m.raw == m.raw) return Range::kNormal;
  return m.raw < 1.0 ? Range::kTooSmall : Range::kTooLarge;
}

void list_unusual(const std::vector<Range>& range, Moments& out) {
  for (std::size_t j = 0; j < range.size(); ++j) {
    const Index column = static_cast<Index>(j);
    if (range[j] == Range::kFar) out.far.push_back(column);
    if (range[j] == Range::kConstant && !out.factors.empty()) out.constant.push_back(column);
    if (range[j] != Range::kTooSmall && range[j] != Range::kTooLarge) continue;
    (range[j] == Range::kTooSmall ? out.too_small : out.too_large).push_back(column);
    out.norms2[j] = out.norms[j] = 0.0;
  }
}
// Column j in units of its standard deviation; as it is where that is out of range.
void scale(double factor, Index j, Moments& out, const WhileMeasuring& also) {
  if (!std::isfinite(factor)) return;
  out.factors[j] = factor;
  for (auto* each : {&out.norms, &out.roundings}) (*each)[j] *= factor;
  out.norms2[j] = out.norms[j] * out.norms[j];
  if (!out.sizes.empty()) out.sizes[j] *= factor;
  if (also.r != nullptr) (*also.correlations)[j] *= factor;
}
}  // namespace

Moments measure(const Storage& storage, const SampleWeights& weights, Scaling scaling, int threads,
                const WhileMeasuring& also, Bytes& read) {
  const Index d = storage.d();
  const double* omega = weights.omega().data();
  const bool centred = weights.centred(), standardised = scaling == Scaling::kStandardised;
  Moments out;
  for (auto* each : {&out.means, &out.norms2, &out.norms, &out.roundings}) each->resize(d);
  if (storage.sparse()) out.sizes.resize(d);
  if (standardised) out.factors.resize(d, 1.0);
  if (also.r != nullptr) also.correlations->resize(d);
  // x'v in eight lanes has at most n/8 + 10 roundings of eps/2 in a row, and so has the sum of v that the
  // mean is multiplied with; both are at most ||x|| ||r|| before centring: (n/8 + 10) eps and a few more.
  const double unit = 2.0 * kEps * (static_cast<double>(storage.n()) / 8.0 + 8.0);
  std::vector<Range> range(d, Range::kNormal);
  const auto measure_batch = [&](Index first, Index last) {
    ColumnMoments moments[kBatch];
    ColumnPass pass{omega, weights.total(), centred || standardised, also.shadow};
    if (also.r != nullptr) {
      pass.v = also.r->v.data();
      pass.products = also.correlations->data() + first;
    }
    Bytes bytes = storage.measure(first, last, pass, moments);
    for (Index j = first; j < last; ++j) {
      const ColumnMoments& m = moments[j - first];
      bool varies = true;
      if (pass.centre &&
          m.centred <= kFarSquare * m.raw) {  // what is left of a constant column is rounding
        bytes += storage.varies(j, omega, varies);
        range[j] = !varies ? Range::kConstant : centred ? Range::kFar : Range::kNormal;
      }
      out.means[j] = centred ? m.mean : 0.0;
      out.norms2[j] = !centred ? m.raw : varies ? m.centred : 0.0;
      out.norms[j] = std::sqrt(out.norms2[j]);
      out.roundings[j] = unit * std::sqrt(m.raw);
      if (!out.sizes.empty()) out.sizes[j] = m.size * (1.0 + 8.0 * unit);
      if (!(m.raw >= kTinySquare && m.raw <= kHugeSquare)) {
        bool nonzero;
        bytes += storage.has_nonzero(j, omega, nonzero);
        range[j] = range_of(m, nonzero);
      }
      if (also.r != nullptr) (*also.correlations)[j] -= out.means[j] * also.r->sum;
      if (!standardised || !varies) continue;
      const bool known = also.deviations != nullptr && !also.deviations->empty();
      const double factor =
          known ? 1.0 / (*also.deviations)[j] : std::sqrt(weights.total() / m.centred);
      scale(factor, j, out, also);
    }
    return bytes;
  };
  std::atomic<Bytes> bytes{0};
  parallel_for(d, threads, storage.columns_per_thread(), [&](Index first, Index last) {
    for (; first < last; first += kBatch) {
      bytes += measure_batch(first, std::min(last, first + kBatch));
    }
  });
  read += bytes;
  list_unusual(range, out);
  return out;
}

}  // namespace sparsieve
