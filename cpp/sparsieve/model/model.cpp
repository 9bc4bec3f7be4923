#include "sparsieve/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sparsieve/model/forms.hpp"

namespace sparsieve {
namespace {
constexpr double kEps = std::numeric_limits<double>::epsilon();

// Without a Gram matrix residuals are computed so often that their columns are kept in order.
void order_columns(State& state) {
  state.by_column.resize(state.set.has_gram() ? 0 : state.size());
  std::iota(state.by_column.begin(), state.by_column.end(), Index{0});
  std::sort(state.by_column.begin(), state.by_column.end(),
            [&](Index a, Index b) { return state.column(a) < state.column(b); });
}
}  // namespace

const Model& model_of(const State& state) {
  static const GramModel gram;
  static const ColumnModel columns;
  return state.set.has_gram() ? static_cast<const Model&>(gram) : columns;
}

void start_at_zero(const Inputs& inputs, State& state) { compute_residual(inputs, state); }

void place_at(const Inputs& inputs, State& state, const std::vector<double>& w) {
  Point& at = state.point;
  std::fill(at.w.begin(), at.w.end(), 0.0);
  for (std::size_t s = 0; s < w.size(); ++s) {
    const Bounds bounds = inputs.box.of(state.column(static_cast<Index>(s)));
    at.w[s] = std::clamp(w[s], bounds.lower, bounds.upper);
  }
  state.anchored = false;
  model_of(state).list_support(inputs, state);
  model_of(state).anchor(inputs, state);
}

void leave_gram(State& state) {
  state.set.drop_gram();
  state.point.factor = Factor();
  order_columns(state);
  list_columns(state);
}

bool return_to_gram(const Inputs& inputs, State& state) {
  state.anchored = false;
  if (!state.set.regain_gram(*inputs.design, inputs.poll)) return false;
  order_columns(state);
  state.pull.resize(state.size());
  model_of(state).list_support(inputs, state);
  model_of(state).anchor(inputs, state);
  return true;
}

void keep_slots(State& state, const std::vector<Index>& slots) {
  Point& at = state.point;
  std::vector<Index> fresh_slot(state.size(), -1);
  for (std::size_t a = 0; a < slots.size(); ++a) fresh_slot[slots[a]] = static_cast<Index>(a);
  state.set.keep(slots);
  const auto gather = [&](auto& array) {
    for (std::size_t a = 0; a < slots.size(); ++a) array[a] = array[slots[a]];
    array.resize(slots.size());
  };
  gather(at.w);
  gather(state.c);
  if (state.set.has_gram()) gather(state.pull);
  gather(at.w_read);
  gather(at.sign);
  gather(at.place);
  for (Index& s : at.support) s = fresh_slot[s];
  order_columns(state);
}

void take_in(const Inputs& inputs, State& state, const std::vector<Index>& columns,
             std::vector<double>& seen) {
  seen.resize(columns.size());
  state.set.grow(*inputs.design, columns, inputs.poll, &state.point.residual.r, seen.data());
  state.point.extend(state.size());
  order_columns(state);
}

void list_columns(State& state) {
  Point& at = state.point;
  at.support.clear();
  std::fill(at.place.begin(), at.place.end(), Index{-1});
  for (Index s : state.by_column) {
    at.sign[s] = at.w[s] > 0.0 ? 1 : (at.w[s] < 0.0 ? -1 : 0);
    if (at.w[s] == 0.0) continue;
    at.place[s] = static_cast<Index>(at.support.size());
    at.support.push_back(s);
  }
}

void add_ridge(const Inputs& inputs, State& state) {
  if (inputs.ridge.none()) return;
  for (Index s = 0; s < state.size(); ++s) {
    state.c[s] += inputs.ridge.pull(state.column(s), state.point.w[s]);
  }
}

// The sum r'Omega r in eight lanes, where r is off by e:
//   | ||r + e||^2 - ||r||^2 | <= (2 ||r|| + ||e||) ||e||,  and n/8 + 16 roundings of the sum.
void read_fit(Point& at) {
  const Residual& from = at.residual;
  const double rows = static_cast<double>(from.r.size()), norm2 = from.weighted.norm2;
  at.fit = norm2;
  at.fit_error = (2.0 * std::sqrt(norm2) + from.error) * from.error;
  at.fit_error += kEps * (rows / 8.0 + 16.0) * norm2 + at.unsure;
}

namespace {
// Where the columns stand for others (Design::uncertainty), products of these differ by u of both norms: with
// reach = ||y|| + sum_j ||x_j|| |w_j|, correlations by ||x_j|| u reach, as if the residual were off by u reach, and
// the fit by u reach^2.
void add_uncertainty(double uncertainty, double reach, Point& at) {
  at.residual.error += uncertainty * reach;
  at.unsure = uncertainty * reach * reach;
  read_fit(at);
}

double reach_of(const Inputs& inputs, const std::vector<Index>& columns,
                const std::vector<double>& coef) {
  double reach = inputs.loss->response_size();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    reach += inputs.design->raw_norm(columns[k]) * std::abs(coef[k]);
  }
  return reach;
}
}  // namespace

// Each entry of r is a sum of k + 1 terms with at most two roundings for each, and so is the mean of Xw that
// is added to it: ||r - exact|| <= (k + 4) eps (||y|| + sum_j ||x_j|| |w_j|), columns as they are stored.
void compute_residual(const Inputs& inputs, State& state) {
  Point& at = state.point;
  const Design& design = *inputs.design;
  std::vector<Index> columns;
  std::vector<double> coef;
  state.solution(columns, coef);
  at.residual.r = inputs.loss->origin();
  design.subtract(columns.data(), coef.data(), static_cast<Index>(columns.size()), at.residual.r);
  inputs.loss->residual(at.residual);
  const double reach = reach_of(inputs, columns, coef);
  at.residual.error = kEps * (static_cast<double>(columns.size()) + 4.0) * reach;
  add_uncertainty(design.uncertainty(), reach, at);
}

void settle_exactly(const Inputs& inputs, State& state) {
  Point& at = state.point;
  const Design& design = *inputs.design;
  std::vector<Index> columns;
  std::vector<double> coef;
  state.solution(columns, coef);
  at.residual.r.resize(design.n());
  design.exact_residual(inputs.loss->exact_origin(), inputs.loss->origin_lost(), columns.data(),
                        coef.data(), static_cast<Index>(columns.size()), at.residual.r);
  inputs.loss->residual(at.residual);
  at.residual.error =
      2.0 * kEps * std::sqrt(at.residual.weighted.norm2);  // one rounding of each entry
  const double reach = reach_of(inputs, columns, coef);
  const double unsure = design.uncertainty() * reach;
  add_uncertainty(design.uncertainty(), reach, at);
  at.w_read = at.w;
  at.stale = false;
  std::vector<double> errors(state.size());
  design.exact_correlations(at.residual.weighted, state.set.columns().data(), state.size(),
                            state.c.data(), errors.data());
  add_ridge(inputs, state);
  state.known_error = 0.0;
  for (Index s = 0; s < state.size(); ++s) {
    const double off = errors[s] + design.norm(state.column(s)) * unsure;
    state.known_error = std::max(state.known_error, off);
  }
  state.known_error += ridge_noise(inputs, state);
  state.anchored = !state.set.has_gram();
  if (state.anchored) return;
  state.pull = state.c;
  add_hessian_product(inputs, state, 1.0, at.w, state.pull);
  state.pull_error = gram_noise(inputs, state, at.w) + state.known_error;
}

double product_roundings(Index n) {
  const double rows = static_cast<double>(n);
  return std::min(rows, 1024.0) / 8.0 + rows / 1024.0 + 12.0;
}

double ridge_noise(const Inputs& inputs, const State& state) {
  if (inputs.ridge.none()) return 0.0;
  double largest = 0.0;
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    const double reach = std::abs(state.point.w[s]) + std::abs(inputs.ridge.centre_of(j));
    largest = std::max(largest, inputs.ridge.of(j) * reach);
  }
  return 4.0 * kEps * largest;
}

double rounding_noise(const Inputs& inputs, const State& state) {
  const Design& design = *inputs.design;
  double reach = inputs.loss->response_size(), largest = 0.0;
  for (Index s = 0; s < state.size(); ++s) {
    const double raw = design.raw_norm(state.column(s));
    reach += raw * std::abs(state.point.w[s]);
    largest = std::max(largest, raw);
  }
  return 4.0 * kEps * reach * largest + ridge_noise(inputs, state);
}

double reading_noise(const Inputs& inputs, const State& state) {
  const Design& design = *inputs.design;
  const Residual& at = state.point.residual;
  const double norm = std::sqrt(at.weighted.norm2);
  double largest = 0.0;
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    largest = std::max(largest, design.rounding(j) * norm + design.norm(j) * at.error);
  }
  return rounding_noise(inputs, state) + largest;
}

}  // namespace sparsieve
