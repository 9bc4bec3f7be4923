#include "sparsieve/state/state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sparsieve {
namespace {
// Features that join the factor at once; Ctrl-C is not looked for meanwhile.
constexpr std::size_t kJoinBatch = 32;
}  // namespace

void Point::extend(Index m) {
  w.resize(m, 0.0);
  w_read.resize(m, 0.0);
  sign.resize(m, 0);
  place.resize(m, -1);
}

void State::solution(std::vector<Index>& columns, std::vector<double>& coef) const {
  columns.clear();
  coef.clear();
  for (Index s : by_column) {
    if (point.w[s] == 0.0) continue;
    columns.push_back(set.column(s));
    coef.push_back(point.w[s]);
  }
  if (!by_column.empty()) return;
  std::vector<Index> slots;
  for (Index s = 0; s < set.size(); ++s) {
    if (point.w[s] != 0.0) slots.push_back(s);
  }
  std::sort(slots.begin(), slots.end(),
            [&](Index a, Index b) { return set.column(a) < set.column(b); });
  for (Index s : slots) {
    columns.push_back(set.column(s));
    coef.push_back(point.w[s]);
  }
}

Box::Box(std::vector<double> lower, std::vector<double> upper)
    : lower_(std::move(lower)), upper_(std::move(upper)) {
  const std::size_t d = std::max(lower_.size(), upper_.size());
  std::vector<signed char> sides(d, 0);
  bool one_sided = false;
  for (std::size_t j = 0; j < d; ++j) {
    const Bounds bounds = of(static_cast<Index>(j));
    if (!(bounds.lower < 0.0)) sides[j] = 1;
    if (!(bounds.upper > 0.0)) sides[j] = -1;
    one_sided = one_sided || sides[j] != 0;
    capped_ = capped_ || (bounds.lower < 0.0 && !std::isinf(bounds.lower)) ||
              (bounds.upper > 0.0 && !std::isinf(bounds.upper));
  }
  if (one_sided) sides_ = std::move(sides);
}

std::vector<double> loss_correlations(const Inputs& inputs, const State& state) {
  std::vector<double> out(state.c);
  if (inputs.ridge.none()) return out;
  for (Index s = 0; s < state.size(); ++s) {
    out[s] -= inputs.ridge.pull(state.column(s), state.point.w[s]);
  }
  return out;
}

double ridge_value(const Inputs& inputs, const State& state) {
  if (inputs.ridge.none()) return 0.0;
  double total = 0.0;
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    const double away = state.point.w[s] - inputs.ridge.centre_of(j);
    total += 0.5 * inputs.ridge.of(j) * away * away;
  }
  return total;
}

void join(const Inputs& inputs, State& state, const std::vector<Index>& slots) {
  Point& at = state.point;
  for (std::size_t first = 0; first < slots.size() && !inputs.stopped(); first += kJoinBatch) {
    const Index count = static_cast<Index>(std::min(kJoinBatch, slots.size() - first));
    const Index width = static_cast<Index>(at.support.size()) + count;
    std::vector<double> rows(count * width, 0.0);
    for (Index b = 0; b < count; ++b) {
      const Index slot = slots[first + b], place = width - count + b;
      const double* gram = state.set.gram(slot);
      at.place[slot] = place;
      at.support.push_back(slot);
      for (Index q = 0; q <= place; ++q) rows[b * width + q] = gram[at.support[q]];
      rows[b * width + place] += inputs.damping(state.column(slot));
    }
    at.exact = at.factor.append(std::move(rows), count, inputs.design->threads()) && at.exact;
  }
}

void leave(const Inputs& inputs, State& state, Index position) {
  Point& at = state.point;
  const Index slot = at.support[position];
  at.factor.remove(position, inputs.design->threads());
  at.support.erase(at.support.begin() + position);
  at.place[slot] = -1;
  at.sign[slot] = 0;
  at.w[slot] = 0.0;
  for (std::size_t p = position; p < at.support.size(); ++p) at.place[at.support[p]] = p;
}

}  // namespace sparsieve
