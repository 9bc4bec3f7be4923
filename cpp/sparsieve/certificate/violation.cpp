#include "sparsieve/certificate/violation.hpp"

#include <cmath>

namespace sparsieve {

double worst_zero(const Inputs& inputs, const Levels& levels, const State& state) {
  double worst = 0.0;
  for (Index s = 0; s < state.size(); ++s) {
    if (state.point.place[s] >= 0) continue;
    worst = larger(worst, excess(inputs, levels, state, s));
  }
  return worst;
}

double dependent_violation(const Design& design, const std::vector<Index>& dependent,
                           const Weighted& residual, double error) {
  std::vector<double> c(dependent.size());
  design.correlate(residual, dependent.data(), static_cast<Index>(c.size()), c.data());
  const double norm = std::sqrt(residual.norm2);
  double worst = 0.0;
  for (std::size_t k = 0; k < c.size(); ++k) {
    const Index j = dependent[k];
    worst = larger(worst, std::abs(c[k]) + (design.rounding(j) * norm + design.norm(j) * error));
  }
  return worst;
}

void SupportGradient::compute(const Inputs& inputs, const Levels& levels, const State& state) {
  const Point& at = state.point;
  const Index k = static_cast<Index>(at.support.size());
  penalty.resize(k);
  g.resize(k);
  for (Index p = 0; p < k; ++p) {
    penalty.t[p] = std::abs(at.w[at.support[p]]);
    penalty.strength[p] = levels.strength(state.column(at.support[p]));
  }
  penalty.evaluate(levels.penalty());
  for (Index p = 0; p < k; ++p) {
    g[p] = state.c[at.support[p]] - penalty.slope[p] * at.sign[at.support[p]];
  }
  held.clear();
  for (Index p = 0; p < k && inputs.box.capped(); ++p) {
    const Bounds bounds = inputs.box.of(state.column(at.support[p]));
    const double w = at.w[at.support[p]];
    if ((w == bounds.upper && g[p] >= 0.0) || (w == bounds.lower && g[p] <= 0.0)) {
      g[p] = 0.0;
      held.push_back(p);
    }
  }
}

double SupportGradient::worst() const {
  double worst = 0.0;
  for (double x : g) worst = larger(worst, std::abs(x));
  return worst;
}

double objective(const Inputs& inputs, const Levels& levels, const State& state,
                 SupportGradient& gradient) {
  gradient.compute(inputs, levels, state);
  double total = 0.5 * state.point.fit;
  for (double v : gradient.penalty.value) total += v;
  return total + ridge_value(inputs, state);
}

}  // namespace sparsieve
