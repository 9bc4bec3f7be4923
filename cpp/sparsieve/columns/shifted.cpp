#include "sparsieve/columns/shifted.hpp"

#include <algorithm>
#include <cmath>

#include "sparsieve/columns/compensated_sum.hpp"
#include "sparsieve/simd/descend.inl"

namespace sparsieve {

Shifted::Shifted(std::shared_ptr<const Storage> base, std::vector<Index> columns,
                 const SampleWeights& weights, const std::vector<double>& means)
    : Storage(base->n(), base->d()),
      base_(std::move(base)),
      place_(d(), -1),
      values_(columns.size() * static_cast<std::size_t>(n())),
      own_(values_.data(), n(), static_cast<Index>(columns.size()), n()) {
  const double one = 1.0;
  std::vector<double> x(n());
  for (const Index j : columns) {
    std::fill(x.begin(), x.end(), 0.0);
    base_->accumulate(&j, &one, 1, x.data(), 1);
    const double shift = weights.nearest_entry(x, means[j]);
    place_[j] = static_cast<Index>(shifts_.size());
    double* out = values_.data() + place_[j] * n();
    std::vector<double> lost(n());
    if (!take_from(shift, x.data(), n(), out, lost.data())) lost.clear();
    lost_.push_back(std::move(lost));
    shifts_.push_back(shift);
  }
}

// Few columns are moved: the base computes all, and what it made of the moved ones is replaced.
Bytes Shifted::dots(const double* v, const Index* cols, Index count, double* out) const {
  const Bytes read = base_->dots(v, cols, count, out);
  for (Index k = 0; k < count; ++k) {
    if (moved(cols[k])) own_.dots(v, &place_[cols[k]], 1, out + k);
  }
  return read;
}

Bytes Shifted::dots_many(const double* const* v, Index nv, const Index* cols, Index count,
                         double* out, Index stride) const {
  const Bytes read = base_->dots_many(v, nv, cols, count, out, stride);
  for (Index k = 0; k < count; ++k) {
    if (moved(cols[k])) own_.dots_many(v, nv, &place_[cols[k]], 1, out + k, stride);
  }
  return read;
}

Bytes Shifted::accumulate(const Index* cols, const double* coef, Index count, double* y,
                          int threads) const {
  std::vector<Index> others, mine;
  std::vector<double> coef_of_others, coef_of_mine;
  for (Index k = 0; k < count; ++k) {
    const bool own = moved(cols[k]);
    (own ? mine : others).push_back(own ? place_[cols[k]] : cols[k]);
    (own ? coef_of_mine : coef_of_others).push_back(coef[k]);
  }
  const auto size = [](const auto& list) { return static_cast<Index>(list.size()); };
  return base_->accumulate(others.data(), coef_of_others.data(), size(others), y, threads) +
         own_.accumulate(mine.data(), coef_of_mine.data(), size(mine), y, threads);
}

Bytes Shifted::rows(const Index* cols, Index count, Index first, Index last, double* out,
                    Index stride) const {
  const Bytes read = base_->rows(cols, count, first, last, out, stride);
  for (Index k = 0; k < count; ++k) {
    if (moved(cols[k])) own_.rows(&place_[cols[k]], 1, first, last, out + k * stride, stride);
  }
  return read;
}

Bytes Shifted::accumulate_weighted(Index j, double coef, const double* omega, double* y) const {
  return moved(j) ? own_.accumulate_weighted(place_[j], coef, omega, y)
                  : base_->accumulate_weighted(j, coef, omega, y);
}

namespace {
// A column for descend_by.
struct Visited {
  const Storage& storage;
  const EpochInputs& inputs;
  Index j;
  Index size() const { return storage.n(); }
  double dot() const {
    double product;
    storage.dots(inputs.v, &j, 1, &product);
    return product;
  }
  void add(double a) const {
    const double all = a * inputs.weight;
    if (inputs.omega == nullptr) {
      storage.accumulate(&j, &all, 1, inputs.v, 1);
    } else {
      storage.accumulate_weighted(j, a, inputs.omega, inputs.v);
    }
  }
};
}  // namespace

Bytes Shifted::descend(Epoch& epoch, EpochInputs& inputs) const {
  descend_by(epoch, inputs, [&](Index j) { return Visited{*this, inputs, j}; });
  return sizeof(double) * Bytes(epoch.read);
}

Bytes Shifted::measure(Index first, Index last, const ColumnPass& pass, ColumnMoments* out) const {
  const Bytes read = base_->measure(first, last, pass, out);
  for (Index j = first; j < last; ++j) {
    if (!moved(j)) continue;
    ColumnPass mine = pass;
    mine.shadow = nullptr;
    if (pass.v != nullptr) mine.products = pass.products + (j - first);
    own_.measure(place_[j], place_[j] + 1, mine, out + (j - first));
    if (pass.shadow != nullptr) fill(*pass.shadow, j);
    if (!sparse()) continue;
    const double* x = values_.data() + place_[j] * n();
    for (Index i = 0; i < n(); ++i) out[j - first].size += std::abs(x[i]);
  }
  return read;
}

Bytes Shifted::has_nonzero(Index j, const double* omega, bool& out) const {
  return moved(j) ? own_.has_nonzero(place_[j], omega, out) : base_->has_nonzero(j, omega, out);
}

void Shifted::fill(Shadow& shadow, Index j) const {
  if (moved(j)) {
    shadow.fill(j, values_.data() + place_[j] * n());
  } else {
    base_->fill(shadow, j);
  }
}

}  // namespace sparsieve
