#include "sparsieve/outer/separation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sparsieve/columns/compensated_sum.hpp"

namespace sparsieve {
namespace {
constexpr double kEps = std::numeric_limits<double>::epsilon();
// Nothing is looked for before some row's predictor is so far out.
constexpr double kFar = 8.0;

// Slots of coefficients along which the penalty is flat from here on, and no bound is met: those that move the
// predictor most first.
std::vector<Index> open_slots(const NewtonFit& fit) {
  const Fit& base = fit.base;
  const State& state = base.state;
  const Point& at = state.point;
  const Ridge& ridge = base.inputs.ridge;
  SupportGradient gradient;
  gradient.compute(base.inputs, base.target.levels, state);
  std::vector<Index> open;
  for (std::size_t p = 0; p < at.support.size(); ++p) {
    const Index s = at.support[p], j = state.column(s);
    const Bounds bounds = base.inputs.box.of(j);
    const bool flat = gradient.penalty.slope[p] == 0.0 && gradient.penalty.curvature[p] == 0.0;
    const bool unbounded = std::isinf(at.w[s] > 0.0 ? bounds.upper : bounds.lower);
    if (flat && unbounded && ridge.of(j) == 0.0) open.push_back(s);
  }
  const auto moves = [&](Index s) {
    return std::abs(at.w[s]) * base.inputs.design->norm(state.column(s));
  };
  std::sort(open.begin(), open.end(), [&](Index a, Index b) { return moves(a) > moves(b); });
  return open;
}

bool far_out(const NewtonFit& fit) {
  for (Index i = 0; i < fit.rows.n(); ++i) {
    const double moved = std::abs(fit.at.eta[i] - fit.rows.offset(i));
    if (fit.rows.weighs(i) && moved > kFar) return true;
  }
  return false;
}
}  // namespace

std::optional<Separation> find_separation(const NewtonFit& fit) {
  if (!far_out(fit)) return std::nullopt;
  const State& state = fit.base.state;
  const Design& design = *fit.base.inputs.design;
  const std::vector<Index> open = open_slots(fit);
  // The predictor of the first few of them, from entries as they are stored: zeros stay zeros.
  std::vector<double> d(fit.rows.n(), 0.0), size(fit.rows.n(), 0.0), error(fit.rows.n(), 0.0);
  std::vector<std::int32_t> rows;
  std::vector<double> values;
  CompensatedSum shift;
  for (std::size_t k = 0; k < open.size(); ++k) {
    const Index j = state.column(open[k]);
    const double w = state.point.w[open[k]];
    design.entries(j, rows, values);
    for (std::size_t p = 0; p < rows.size(); ++p) {
      d[rows[p]] += w * values[p];
      size[rows[p]] += std::abs(w * values[p]);
    }
    shift.add_product(-w * design.factor(j), design.shift(j));
    const std::size_t count = k + 1;
    if ((count & k) != 0 && count < open.size()) continue;  // 1, 2, 4, ... and all of them
    for (std::size_t i = 0; i < d.size(); ++i) {
      error[i] = kEps * (static_cast<double>(count) + 8.0) * size[i];
    }
    const auto intercept = fit.rows.separating_intercept(d, error, design.centred());
    if (!intercept) continue;
    std::vector<std::pair<Index, double>> found;
    for (std::size_t q = 0; q < count; ++q) {
      const Index column = state.column(open[q]);
      found.emplace_back(column, state.point.w[open[q]] * design.factor(column));
    }
    std::sort(found.begin(), found.end());
    Separation out;
    for (const auto& [column, coef] : found) {
      out.columns.push_back(column);
      out.coef.push_back(coef);
    }
    shift.add(*intercept);
    out.intercept = shift.value();
    return out;
  }
  return std::nullopt;
}

}  // namespace sparsieve
