#include "sparsieve/outer/moves.hpp"

#include <algorithm>
#include <cmath>

#include "sparsieve/model/model.hpp"
#include "sparsieve/outer/neighbours.hpp"

namespace sparsieve {
namespace {

// The part of F that depends on a coefficient w: h/2 w^2 - z w + r(|w|).
double along(const Fit& fit, Index column, double z, double w) {
  if (w == 0.0) return 0.0;
  const Levels& levels = fit.target.levels;
  const double h = fit.inputs.design->norm2(column) + fit.inputs.ridge.weight;
  const double t = std::abs(w), strength = levels.strength(column);
  double value = 0.0, slope, curvature;
  if (strength > 0.0) levels.penalty().evaluate(&t, &strength, 1, &value, &slope, &curvature);
  return (0.5 * h * w - z) * w + value;
}

}  // namespace

BestValues best_values(const Fit& fit, const std::vector<Index>& columns,
                       const std::vector<double>& z) {
  const Index k = static_cast<Index>(columns.size());
  const Design& design = *fit.inputs.design;
  std::vector<double> size(k), h(k), strength(k);
  BestValues best{std::vector<double>(k), std::vector<double>(k)};
  for (Index p = 0; p < k; ++p) {
    size[p] = std::max(reach(fit.inputs.bounds, z[p]), 0.0);
    h[p] = design.norm2(columns[p]) + fit.inputs.ridge.weight;
    strength[p] = fit.target.levels.strength(columns[p]);
  }
  fit.target.levels.penalty().minimise(size.data(), h.data(), strength.data(), k, best.w.data(),
                                       best.gain.data());
  for (Index p = 0; p < k; ++p) {
    best.w[p] = std::copysign(best.w[p], z[p]);
    best.gain[p] = -best.gain[p];
  }
  return best;
}

double Moves::pull(Index slot) const {
  const double h = fit_.inputs.design->norm2(fit_.state.column(slot)) + fit_.inputs.ridge.weight;
  return c_[slot] + h * w_[slot];
}

double Moves::value(Index slot) const {
  return along(fit_, fit_.state.column(slot), pull(slot), w_[slot]);
}

std::vector<double> Moves::falls(const std::vector<double>& jump) const {
  const State& state = fit_.state;
  std::vector<Index> slots, columns;
  std::vector<double> z, fall(state.size(), 0.0);
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    if (fit_.is_barred(j)) continue;
    if (w_[s] == 0.0 && reach(fit_.inputs.bounds, c_[s]) <= jump[j]) continue;
    slots.push_back(s);
    columns.push_back(j);
    z.push_back(pull(s));
  }
  const auto gain = best_values(fit_, columns, z).gain;
  for (std::size_t k = 0; k < slots.size(); ++k) fall[slots[k]] = value(slots[k]) + gain[k];
  return fall;
}

bool Moves::jump(Index slot, double least) {
  const BestValues best = best_values(fit_, {fit_.state.column(slot)}, {pull(slot)});
  if (!(value(slot) + best.gain[0] > least)) return false;
  set(slot, best.w[0]);
  return true;
}

bool Moves::swap(Index out, Index in, double least) {
  const double before = value(out), w = w_[out];
  if (w == 0.0 || w_[in] != 0.0) return false;
  set(out, 0.0);
  if (jump(in, least - before)) return true;
  set(out, w);
  return false;
}

// Without a Gram matrix the products with the column are read from X.
void Moves::set(Index slot, double w) {
  const State& state = fit_.state;
  const double delta = w - w_[slot];
  w_[slot] = w;
  c_[slot] -= fit_.inputs.ridge.weight * delta;
  if (state.set.has_gram()) return axpy(-delta, state.set.gram(slot), c_.data(), state.size());
  Weighted column;
  std::vector<double> products(state.size());
  weigh_column(*fit_.inputs.design, state.column(slot), column);
  fit_.inputs.design->correlate(column, state.set.columns().data(), state.size(), products.data());
  axpy(-delta, products.data(), c_.data(), state.size());
}

double cost_of_leaving(const Fit& fit, Index slot) {
  const State& state = fit.state;
  const Index j = state.column(slot);
  const double w = state.point.w[slot];
  const double h = fit.inputs.design->norm2(j) + fit.inputs.ridge.weight;
  return -along(fit, j, state.c[slot] + h * w, w);
}

}  // namespace sparsieve
