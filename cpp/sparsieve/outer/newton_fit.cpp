#include "sparsieve/outer/newton_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sparsieve/model/forms.hpp"

namespace sparsieve {
namespace {
constexpr double kEps = std::numeric_limits<double>::epsilon();
// A factor is made anew where more than one in so many coefficients of the support has come or gone.
constexpr Index kFewChanges = 8;
}  // namespace

std::vector<double> NewtonFit::model_weights() const {
  std::vector<double> out(at.curvature);
  double largest = 0.0;
  for (const double h : out) largest = std::max(largest, h);
  const double least = largest > 0.0 ? rows.loss().floor() * largest : 1.0;
  const std::vector<double>& omega = rows.weights().omega();
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = omega[i] > 0.0 ? scale * omega[i] * std::max(out[i], least) : 0.0;
  }
  return out;
}

void NewtonFit::take_in(const std::vector<Index>& fresh) {
  if (set.weights().empty()) set.start(model_weights());
  set.take_in(base.state, fresh);
}

void NewtonFit::list_support() {
  const auto poll = std::exchange(base.inputs.poll, nullptr);
  model_of(base.state).list_support(base.inputs, base.state);
  base.inputs.poll = poll;
}

void NewtonFit::update_support() {
  State& state = base.state;
  Point& at = state.point;
  std::vector<Index> gone, fresh;
  for (Index s = 0; s < state.size(); ++s) {
    const bool listed = at.place[s] >= 0, there = at.w[s] != 0.0;
    if (listed && !there) gone.push_back(s);
    if (there && !listed) fresh.push_back(s);
  }
  const std::size_t few = at.support.size() / kFewChanges + 1;
  if (!at.exact || gone.size() + fresh.size() > few) return list_support();
  const auto poll = std::exchange(base.inputs.poll, nullptr);
  for (const Index s : gone) leave(base.inputs, state, at.place[s]);
  for (Index s = 0; s < state.size(); ++s) at.sign[s] = (at.w[s] > 0.0) - (at.w[s] < 0.0);
  if (!fresh.empty()) join(base.inputs, state, fresh);
  base.inputs.poll = poll;
}

void NewtonFit::correlate() {
  State& state = base.state;
  set.correlate(at.weighted, state.c);
  state.point.fit = 2.0 * at.value;
  const double sum = at.weighted.sum;
  for (Index s = 0; s < state.size(); ++s) {
    state.c[s] -= set.cross()[s] * (sum / set.total());
  }
  add_ridge(base.inputs, state);
}

// Each entry of the predictor is a sum of k + 2 terms with at most two roundings for each, of columns as they
// are stored.
void NewtonFit::settle() {
  State& state = base.state;
  const Design& design = *base.inputs.design;
  at.eta.resize(rows.n());
  double reach2 = 0.0;
  for (Index i = 0; i < rows.n(); ++i) {
    at.eta[i] = rows.offset(i) + at.intercept;
    const double size = std::abs(rows.offset(i)) + std::abs(at.intercept);
    if (rows.weighs(i)) reach2 += rows.weights().omega()[i] * size * size;
  }
  set.predict(state.point.w, at.eta);
  rows.evaluate(at);
  double drift;
  if (design.centred()) rows.fit_intercept(at, drift);
  set.correlate(at.weighted, state.c);
  add_ridge(base.inputs, state);
  state.point.fit = 2.0 * at.value;
  double reach = std::sqrt(reach2), largest = 0.0;
  for (Index s : state.point.support) {
    reach += design.raw_norm(state.column(s)) * std::abs(state.point.w[s]);
  }
  eta_error = kEps * (static_cast<double>(state.point.support.size()) + 8.0) * reach;
  residual_error = rows.residual_error(at, eta_error);
  const double norm = std::sqrt(at.weighted.norm2);
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    largest = std::max(largest, design.rounding(j) * norm + design.norm(j) * residual_error);
  }
  state.known_error = largest + ridge_noise(base.inputs, state);
}

double NewtonFit::objective(const Levels& levels) {
  base.state.point.fit = 2.0 * at.sum;
  const double value = sparsieve::objective(base.inputs, levels, base.state, base.gradient);
  base.state.point.fit = 2.0 * at.value;
  return value;
}

void NewtonFit::place(const std::vector<double>& w) {
  State& state = base.state;
  for (Index s = 0; s < state.size(); ++s) {
    const Bounds bounds = base.inputs.box.of(state.column(s));
    const double wanted = s < static_cast<Index>(w.size()) ? w[s] : 0.0;
    state.point.w[s] = std::clamp(wanted, bounds.lower, bounds.upper);
  }
  list_support();
  settle();
}

}  // namespace sparsieve
