#include "sparsieve/columns/storage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "sparsieve/columns/compensated_sum.hpp"
#include "sparsieve/simd/descend.inl"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
// A column for descend_by: product(j) = x_j'v, update(j, a): v += a Omega x_j.
template <class Dot, class Add>
struct Stored {
  const Dot& product;
  const Add& update;
  Index j, entries;
  Index size() const { return entries; }
  double dot() const { return product(j); }
  void add(double a) const { update(j, a); }
};
template <class Dot, class Add>
Stored(const Dot&, const Add&, Index, Index) -> Stored<Dot, Add>;

// Sum by blocks: one sum over a million equal entries would gather a million rounding errors of one sign.
template <class Body>
void in_blocks(Index first, Index last, const Body& body) {
  constexpr Index kBlock = 256;
  for (; first < last; first += kBlock) body(first, std::min(last, first + kBlock));
}
}  // namespace

Index Storage::columns_per_thread() const {
  const Bytes column = bytes() / static_cast<Bytes>(std::max<Index>(1, d())) + 1;
  return static_cast<Index>((Bytes{1} << 21) / column) + 1;
}

const Shadow* Storage::shadow(int threads, Bytes& read) const {
  if (sparse()) return nullptr;
  std::lock_guard<std::mutex> guard(shadow_lock_);
  if (!shadow_) {
    auto fresh = std::make_unique<Shadow>(n(), d());
    parallel_for(d(), threads, 65536 / n() + 1, [&](Index first, Index last) {
      for (Index j = first; j < last; ++j) fill(*fresh, j);
    });
    shadow_ = std::move(fresh);
    read += bytes();
  }
  return shadow_.get();
}

std::unique_ptr<Shadow> Storage::new_shadow() const {
  if (sparse()) return nullptr;
  std::lock_guard<std::mutex> guard(shadow_lock_);
  return shadow_ ? nullptr : std::make_unique<Shadow>(n(), d());
}

// Two callers may have built one each. The first one stays, since others may be reading it.
void Storage::keep_shadow(std::unique_ptr<Shadow> shadow) const {
  std::lock_guard<std::mutex> guard(shadow_lock_);
  if (!shadow_) shadow_ = std::move(shadow);
}

Bytes Storage::varies(Index j, const double* omega, bool& out) const {
  const double one = 1.0;
  std::vector<double> x(n());
  const Bytes read = accumulate(&j, &one, 1, x.data(), 1);
  Index i = 0;
  while (i < n() && !(omega[i] > 0.0)) ++i;
  const Index first = i;
  while (i < n() && !(omega[i] > 0.0 && x[i] != x[first])) ++i;
  out = i < n();
  return read;
}

// ---------------------------------------------------------------------------------- dense

namespace {
// Columns of so many rows do not stay in a cache from one pass to the next; blocks of them do.
constexpr Index kLong = Index{1} << 15, kBlock = Index{1} << 12;
}  // namespace

template <class T>
Bytes Dense<T>::dots(const double* v, const Index* cols, Index count, double* out) const {
  const auto& k = kernels<T>();
  Index i = 0;
  for (; i + 4 <= count; i += 4) {
    const T* x[4] = {column(cols[i]), column(cols[i + 1]), column(cols[i + 2]),
                     column(cols[i + 3])};
    k.dot4(x, v, n(), out + i);
  }
  // The last columns go through the same kernel: a column's sum must not depend on its neighbours.
  for (; i < count; ++i) {
    const T* x[4] = {column(cols[i]), column(cols[i]), column(cols[i]), column(cols[i])};
    double sums[4];
    k.dot4(x, v, n(), sums);
    out[i] = sums[0];
  }
  return column_bytes() * Bytes(count);
}

// Blocks of rows stay in the first-level cache, so that X comes from memory once for all vectors.
template <class T>
Bytes Dense<T>::dots_many(const double* const* v, Index nv, const Index* cols, Index count,
                          double* out, Index stride) const {
  constexpr Index kRows = 1024;
  const auto& k = kernels<T>();
  for (Index a = 0; a < nv; ++a) std::fill(out + a * stride, out + a * stride + count, 0.0);
  for (Index row = 0; row < n(); row += kRows) {
    const Index rows = std::min(kRows, n() - row);
    for (Index b = 0; b < count; b += 4) {
      const Index nb = std::min<Index>(4, count - b);
      const T* x[4];
      for (Index q = 0; q < 4; ++q) x[q] = column(cols[b + std::min(q, nb - 1)]) + row;
      for (Index a = 0; a < nv; a += 4) {
        const Index na = std::min<Index>(4, nv - a);
        const double* u[4];
        double block[16];
        for (Index q = 0; q < 4; ++q) u[q] = v[a + std::min(q, na - 1)] + row;
        k.tile(u, x, rows, block);
        for (Index p = 0; p < na; ++p) {
          for (Index q = 0; q < nb; ++q) out[(a + p) * stride + b + q] += block[4 * p + q];
        }
      }
    }
  }
  return column_bytes() * Bytes(count);
}

// Threads share the rows in pieces of whole cache lines of y. No sum depends on where a piece begins.
template <class T>
Bytes Dense<T>::accumulate(const Index* cols, const double* coef, Index count, double* y,
                           int threads) const {
  constexpr Index kLine = 64;
  const Index lines = (n() + kLine - 1) / kLine;
  parallel_for(lines, threads, kGrain / (kLine * count + 1) + 1, [&](Index first, Index last) {
    const auto& k = kernels<T>();
    const Index row = first * kLine, rows = std::min(n(), last * kLine) - row;
    Index i = 0;
    for (; i + 4 <= count; i += 4) {
      const T* x[4] = {column(cols[i]) + row, column(cols[i + 1]) + row, column(cols[i + 2]) + row,
                       column(cols[i + 3]) + row};
      k.axpy4(coef + i, x, y + row, rows);
    }
    for (; i < count; ++i) k.axpy(coef[i], column(cols[i]) + row, y + row, rows);
  });
  return column_bytes() * Bytes(count);
}

template <class T>
Bytes Dense<T>::accumulate_weighted(Index j, double coef, const double* omega, double* y) const {
  const T* x = column(j);
  for (Index i = 0; i < n(); ++i) y[i] += coef * (omega[i] * static_cast<double>(x[i]));
  return column_bytes();
}

template <class T>
Bytes Dense<T>::rows(const Index* cols, Index count, Index first, Index last, double* out,
                     Index stride) const {
  for (Index k = 0; k < count; ++k) {
    std::copy(column(cols[k]) + first, column(cols[k]) + last, out + k * stride);
  }
  return sizeof(T) * Bytes(count * (last - first));
}

template <class T>
Bytes Dense<T>::descend(Epoch& epoch, EpochInputs& inputs) const {
  const auto dot = [&](Index j) { return kernels<T>().dot(column(j), inputs.v, n()); };
  const auto add = [&](Index j, double a) {
    if (inputs.omega == nullptr) {
      kernels<T>().axpy(a * inputs.weight, column(j), inputs.v, n());
    } else {
      accumulate_weighted(j, a, inputs.omega, inputs.v);
    }
  };
  descend_by(epoch, inputs, [&](Index j) { return Stored{dot, add, j, n()}; });
  return sizeof(T) * Bytes(epoch.read);
}

template <class T>
ColumnMoments Dense<T>::moments(Index j, const ColumnPass& pass) const {
  const T* x = column(j);
  const double guess = pass.centre ? kernels<T>().dot(x, pass.omega, n()) / pass.total : 0.0;
  double sums[3];
  kernels<T>().moments(x, pass.omega, guess, n(), sums);
  // The rounding error of the mean: the weighted mean of x - guess, which is small.
  const double slip = pass.centre ? sums[0] / pass.total : 0.0;
  return {guess + slip, std::max(sums[1] - slip * sums[0], 0.0), sums[2], 0.0};
}

// A long column would come from memory for each of its sums: they are taken together, block by block of rows. The
// first block guesses the mean. Where that was further from it than the column spreads, it is done again.
template <class T>
ColumnMoments Dense<T>::moments_by_blocks(Index j, const ColumnPass& pass, double* product) const {
  const T* x = column(j);
  const auto& k = kernels<T>();
  double guess = 0.0;
  if (pass.centre) {
    const double weight = std::accumulate(pass.omega, pass.omega + kBlock, 0.0);
    guess = weight > 0.0 ? k.dot(x, pass.omega, kBlock) / weight : 0.0;
  }
  for (bool again = false;; again = true) {
    double sums[3] = {};
    if (product != nullptr) *product = 0.0;
    for (Index row = 0; row < n(); row += kBlock) {
      const Index rows = std::min(kBlock, n() - row);
      double block[3];
      k.moments(x + row, pass.omega + row, guess, rows, block);
      for (int q = 0; q < 3; ++q) sums[q] += block[q];
      if (product != nullptr) *product += k.dot(x + row, pass.v + row, rows);
    }
    const double slip = pass.centre ? sums[0] / pass.total : 0.0;
    const double centred = std::max(sums[1] - slip * sums[0], 0.0);
    if (again || !(slip * sums[0] > centred)) return {guess + slip, centred, sums[2], 0.0};
    guess += slip;
  }
}

template <class T>
Bytes Dense<T>::measure(Index first, Index last, const ColumnPass& pass, ColumnMoments* out) const {
  for (Index j = first; j < last; ++j) {
    double* product = pass.v == nullptr ? nullptr : pass.products + (j - first);
    if (n() >= kLong) {
      out[j - first] = moments_by_blocks(j, pass, product);
    } else {
      out[j - first] = moments(j, pass);
      if (product != nullptr) dots(pass.v, &j, 1, product);
    }
    if (pass.shadow != nullptr) fill(*pass.shadow, j);
  }
  return column_bytes() * Bytes(last - first);
}

template <class T>
Bytes Dense<T>::has_nonzero(Index j, const double* omega, bool& out) const {
  const T* x = column(j);
  Index i = 0;
  while (i < n() && !(x[i] != T{0} && omega[i] > 0.0)) ++i;
  out = i < n();
  return column_bytes();
}

// ------------------------------------------------------------------------------------ CSC

template <class T, class I>
double Csc<T, I>::dot(Index j, const double* v) const {
  const I first = starts_[j];
  return sparse_kernels<T, I>().dot(data_ + first, rows_ + first, starts_[j + 1] - first, v);
}

template <class T, class I>
void Csc<T, I>::axpy(Index j, double a, double* y) const {
  const I first = starts_[j];
  sparse_kernels<T, I>().axpy(a, data_ + first, rows_ + first, starts_[j + 1] - first, y);
}

template <class T, class I>
Bytes Csc<T, I>::dots(const double* v, const Index* cols, Index count, double* out) const {
  sparse_kernels<T, I>().dots(data_, rows_, starts_, cols, count, v, out);
  Bytes read = 0;
  for (Index k = 0; k < count; ++k) read += entry_bytes(cols[k], cols[k] + 1);
  return read;
}

template <class T, class I>
Bytes Csc<T, I>::dots_many(const double* const* v, Index nv, const Index* cols, Index count,
                           double* out, Index stride) const {
  Bytes read = 0;
  for (Index k = 0; k < count; ++k) {
    for (Index a = 0; a < nv; ++a) out[a * stride + k] = dot(cols[k], v[a]);
    read += entry_bytes(cols[k], cols[k] + 1);
  }
  return read;
}

template <class T, class I>
Bytes Csc<T, I>::accumulate(const Index* cols, const double* coef, Index count, double* y,
                            int /*threads*/) const {
  Bytes read = 0;
  for (Index k = 0; k < count; ++k) {
    axpy(cols[k], coef[k], y);
    read += entry_bytes(cols[k], cols[k] + 1);
  }
  return read;
}

template <class T, class I>
Bytes Csc<T, I>::accumulate_weighted(Index j, double coef, const double* omega, double* y) const {
  for (I p = starts_[j]; p < starts_[j + 1]; ++p) {
    y[rows_[p]] += coef * (omega[rows_[p]] * static_cast<double>(data_[p]));
  }
  return entry_bytes(j, j + 1);
}

template <class T, class I>
Bytes Csc<T, I>::rows(const Index* cols, Index count, Index first, Index last, double* out,
                      Index stride) const {
  Bytes read = 0;
  for (Index k = 0; k < count; ++k) {
    std::fill(out + k * stride, out + k * stride + (last - first), 0.0);
    const I *begin = rows_ + starts_[cols[k]], *end = rows_ + starts_[cols[k] + 1];
    for (const I* row = std::lower_bound(begin, end, static_cast<I>(first));
         row < end && *row < last; ++row) {
      out[k * stride + (*row - first)] = static_cast<double>(data_[row - rows_]);
      read += sizeof(T) + sizeof(I);
    }
  }
  return read;
}

template <class T, class I>
Bytes Csc<T, I>::descend(Epoch& epoch, EpochInputs& inputs) const {
  if (inputs.omega == nullptr) {
    sparse_kernels<T, I>().descend(data_, rows_, starts_, epoch, inputs);
  } else {
    const auto product = [&](Index j) { return dot(j, inputs.v); };
    const auto add = [&](Index j, double a) { accumulate_weighted(j, a, inputs.omega, inputs.v); };
    descend_by(epoch, inputs, [&](Index j) {
      return Stored{product, add, j, static_cast<Index>(starts_[j + 1] - starts_[j])};
    });
  }
  return (sizeof(T) + sizeof(I)) * Bytes(epoch.read);
}

// The rows that are not stored are zeros: they contribute mean^2 times their weight.
template <class T, class I>
ColumnMoments Csc<T, I>::moments(Index j, const ColumnPass& pass) const {
  const double* omega = pass.omega;
  double centred = 0.0, raw = 0.0, size = 0.0;
  CompensatedSum sum, weights;
  for (I p = starts_[j]; p < starts_[j + 1]; ++p) {
    sum.add(omega[rows_[p]] * static_cast<double>(data_[p]));
    weights.add(omega[rows_[p]]);
  }
  const double mean = pass.centre ? sum.value() / pass.total : 0.0, weight = weights.value();
  in_blocks(starts_[j], starts_[j + 1], [&](Index first, Index last) {
    double c = 0.0, r = 0.0, absolute = 0.0;
    for (Index p = first; p < last; ++p) {
      const double xi = static_cast<double>(data_[p]), u = xi - mean;
      c += omega[rows_[p]] * u * u;
      r += omega[rows_[p]] * xi * xi;
      absolute += std::abs(xi);
    }
    centred += c;
    raw += r;
    size += absolute;
  });
  const double rest = pass.total - weight > 0.0 ? pass.total - weight : 0.0;
  return {mean, centred + mean * mean * rest, raw, size};
}

template <class T, class I>
Bytes Csc<T, I>::measure(Index first, Index last, const ColumnPass& pass,
                         ColumnMoments* out) const {
  for (Index j = first; j < last; ++j) {
    out[j - first] = moments(j, pass);
    if (pass.v != nullptr) dots(pass.v, &j, 1, pass.products + (j - first));
  }
  return entry_bytes(first, last);
}

template <class T, class I>
Bytes Csc<T, I>::has_nonzero(Index j, const double* omega, bool& out) const {
  I p = starts_[j];
  while (p < starts_[j + 1] && !(data_[p] != T{0} && omega[rows_[p]] > 0.0)) ++p;
  out = p < starts_[j + 1];
  return entry_bytes(j, j + 1);
}

template class Dense<double>;
template class Dense<float>;
template class Csc<double, std::int32_t>;
template class Csc<double, std::int64_t>;
template class Csc<float, std::int32_t>;
template class Csc<float, std::int64_t>;

}  // namespace sparsieve
