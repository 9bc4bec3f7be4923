#include "sparsieve/model/curved_set.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "sparsieve/model/model.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
}  // namespace

CurvedSet::CurvedSet(const Design& design) : design_(&design), columns_(copied_columns(design)) {}

void CurvedSet::correlate(const Weighted& v, std::vector<double>& c) const {
  c.resize(columns_->size());
  if (!c.empty()) columns_->correlate(v.v, v.sum, c.data());
}

void CurvedSet::start(std::vector<double> weights) {
  weights_ = std::move(weights);
  total_ = design_->centred() ? std::accumulate(weights_.begin(), weights_.end(), 0.0) : kInf;
}

void CurvedSet::take_in(State& state, const std::vector<Index>& fresh) {
  const Index old = state.size();
  if (fresh.empty()) return;
  for (const Index j : fresh) columns_->append(j);
  state.set.append(*design_, fresh);
  const Index m = state.size();
  state.point.extend(m);
  state.c.resize(m, 0.0);
  state.pull.resize(m, 0.0);
  cross_.resize(m, 0.0);
  fill(state, old);
}

// Rows of the Gram matrix from `first` on.
void CurvedSet::fill(State& state, Index first) {
  const Index m = state.size(), batch = std::min(columns_->batch(), m - first);
  std::vector<double> block(static_cast<std::size_t>(batch) * m), cross(batch);
  for (Index s = first; s < m; s += batch) {
    const Index count = std::min(batch, m - s), width = s + count;
    columns_->products(weights_, total_, design_->centred(), s, count, width, block.data(),
                       cross.data());
    for (Index k = 0; k < count; ++k) {
      cross_[s + k] = cross[k];
      state.set.replace(s + k, block.data() + k * width);
    }
  }
}

void CurvedSet::renew(const Inputs& inputs, State& state, std::vector<double> weights) {
  start(std::move(weights));
  if (state.size() > 0) fill(state, 0);
  model_of(state).list_support(inputs, state);
}

void CurvedSet::keep(State& state, const std::vector<Index>& slots) {
  for (std::size_t a = 0; a < slots.size(); ++a) cross_[a] = cross_[slots[a]];
  cross_.resize(slots.size());
  columns_->keep(slots);
  keep_slots(state, slots);
}

void CurvedSet::gram_under(const std::vector<double>& weights, const std::vector<Index>& slots,
                           std::vector<double>& out, Index ld, std::vector<double>& cross) const {
  const Index k = static_cast<Index>(slots.size()), m = columns_->size();
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> row(m);
  cross.resize(k);
  for (Index p = 0; p < k; ++p) {
    columns_->products(weights, total, design_->centred(), slots[p], 1, m, row.data(), &cross[p]);
    for (Index q = 0; q <= p; ++q) out[p * ld + q] = row[slots[q]];
  }
}

}  // namespace sparsieve
