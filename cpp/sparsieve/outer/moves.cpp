#include "sparsieve/outer/moves.hpp"

#include <algorithm>
#include <cmath>

#include "sparsieve/model/model.hpp"
#include "sparsieve/outer/neighbours.hpp"
#include "sparsieve/penalty/branch_and_bound.hpp"

namespace sparsieve {
namespace {

// The part of F that depends on a coefficient w: h/2 w^2 - z w + r(|w|).
double along(const Fit& fit, Index column, double z, double w) {
  if (w == 0.0) return 0.0;
  const Levels& levels = fit.target.levels;
  const double h = fit.inputs.design->norm2(column) + fit.inputs.ridge.of(column);
  const double t = std::abs(w), strength = levels.strength(column);
  double value = 0.0, slope, curvature;
  if (strength > 0.0) levels.penalty().evaluate(&t, &strength, 1, &value, &slope, &curvature);
  return (0.5 * h * w - z) * w + value;
}

// Where the best value lies beyond a bound: the best one up to there. F need not fall all the way to the
// bound, so that all of it is searched.
void cap(const Fit& fit, const std::vector<Index>& columns, const std::vector<double>& z,
         const std::vector<double>& h, BestValues& best) {
  std::vector<Coordinate> some;
  std::vector<std::size_t> which;
  for (std::size_t p = 0; p < columns.size(); ++p) {
    const Bounds bounds = fit.inputs.box.of(columns[p]);
    const double most = z[p] > 0.0 ? bounds.upper : -bounds.lower;
    const double strength = fit.target.levels.strength(columns[p]);
    if (!(best.w[p] > most)) continue;
    if (strength > 0.0) {
      some.push_back({std::abs(z[p]), h[p], strength, most});
      which.push_back(p);
    } else {
      best.w[p] = most;
      best.gain[p] = (0.5 * h[p] * most - std::abs(z[p])) * most;
    }
  }
  const std::vector<Best> found = search_minima(curve_of(fit.target.levels.penalty()), some);
  for (std::size_t i = 0; i < which.size(); ++i) {
    best.w[which[i]] = found[i].t;
    best.gain[which[i]] = found[i].value;
  }
}

}  // namespace

BestValues best_values(const Fit& fit, const std::vector<Index>& columns,
                       const std::vector<double>& z) {
  const Index k = static_cast<Index>(columns.size());
  const Design& design = *fit.inputs.design;
  std::vector<double> size(k), h(k), strength(k);
  BestValues best{std::vector<double>(k), std::vector<double>(k)};
  for (Index p = 0; p < k; ++p) {
    size[p] = std::max(reach(fit.inputs.box.of(columns[p]), z[p]), 0.0);
    h[p] = design.norm2(columns[p]) + fit.inputs.ridge.of(columns[p]);
    strength[p] = fit.target.levels.strength(columns[p]);
  }
  fit.target.levels.penalty().minimise(size.data(), h.data(), strength.data(), k, best.w.data(),
                                       best.gain.data());
  if (fit.inputs.box.capped()) cap(fit, columns, z, h, best);
  for (Index p = 0; p < k; ++p) {
    best.w[p] = std::copysign(best.w[p], z[p]);
    best.gain[p] = -best.gain[p];
  }
  return best;
}

double Moves::pull(Index slot) const {
  const Index j = fit_.state.column(slot);
  const double h = fit_.inputs.design->norm2(j) + fit_.inputs.ridge.of(j);
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
    if (w_[s] == 0.0 && reach(fit_.inputs.box.of(j), c_[s]) <= jump[j]) continue;
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
  c_[slot] -= fit_.inputs.ridge.of(fit_.state.column(slot)) * delta;
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
  const double h = fit.inputs.design->norm2(j) + fit.inputs.ridge.of(j);
  return -along(fit, j, state.c[slot] + h * w, w);
}

}  // namespace sparsieve
