#include <algorithm>
#include <limits>

#include "sparsieve/model/forms.hpp"

namespace sparsieve {

void ColumnModel::grow(const Inputs& inputs, State& state,
                       const std::vector<Index>& columns) const {
  const Index old = state.size();
  std::vector<double> seen;
  take_in(inputs, state, columns, seen);
  const Index fresh = state.size() - old;
  inputs.design->correlate(state.point.residual.weighted, columns.data(), fresh, seen.data());
  state.c.insert(state.c.end(), seen.begin(), seen.begin() + fresh);
  for (Index s = old; s < state.size(); ++s) {
    state.c[s] += inputs.ridge.pull(state.column(s), 0.0);
  }
}

void ColumnModel::list_support(const Inputs&, State& state) const { list_columns(state); }

// The weighted residual moves along with w and gathers rounding errors, so that it is always computed
// afresh.
void ColumnModel::residual(const Inputs& inputs, State& state) const {
  Point& at = state.point;
  at.stale = false;
  compute_residual(inputs, state);
  at.w_read.assign(at.w.size(), std::numeric_limits<double>::quiet_NaN());
}

void ColumnModel::anchor(const Inputs& inputs, State& state) const {
  if (!state.anchored) residual(inputs, state);
  state.known_error = reading_noise(inputs, state);
  if (state.anchored) return;
  inputs.design->correlate(state.point.residual.weighted, state.set.columns().data(), state.size(),
                           state.c.data());
  add_ridge(inputs, state);
  state.anchored = true;
}

void ColumnModel::settle(const Inputs& inputs, State& state, double) const {
  anchor(inputs, state);
}

// Rows come from the stored entries, one column after the other, as long as that cancels nothing; where a
// column varies little around a large mean it has to be centred first.
bool ColumnModel::gram(const Inputs& inputs, const State& state, const std::vector<Index>& slots,
                       double* out, Index ld) const {
  const Design& design = *inputs.design;
  const Index k = static_cast<Index>(slots.size());
  std::vector<Index> columns;
  for (Index s : slots) columns.push_back(state.column(s));
  const bool flat = std::any_of(columns.begin(), columns.end(),
                                [&](Index j) { return design.raw_norm(j) > 2.0 * design.norm(j); });
  if (flat) {
    WorkingSet own;
    own.grow(design, columns, inputs.poll);
    if (own.size() < k) return false;
    for (Index p = 0; p < k; ++p) std::copy(own.gram(p), own.gram(p) + p + 1, out + p * ld);
    return true;
  }
  Weighted column;
  column.v.assign(design.n(), 0.0);
  for (Index p = 0; p < k && !inputs.stopped(); ++p) {
    design.subtract_weighted(columns[p], -1.0, column);
    // The diagonal too: a norm that was summed in another way makes multiples look independent.
    design.correlate(column, columns.data(), p + 1, out + p * ld);
    design.subtract_weighted(columns[p], 1.0, column);  // zero again, exactly
    column.sum = 0.0;
  }
  return !inputs.stopped();
}

}  // namespace sparsieve
