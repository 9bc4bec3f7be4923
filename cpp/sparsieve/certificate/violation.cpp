#include "sparsieve/certificate/violation.hpp"

#include <cmath>

namespace sparsieve {

double worst_zero(const Inputs& inputs, const Levels& levels, const State& state) {
  const Bounds bounds = inputs.bounds;
  double worst = 0.0;
  for (Index s = 0; s < state.size(); ++s) {
    if (state.point.place[s] >= 0) continue;
    worst = larger(worst, excess(l1_rule(levels.threshold(state.column(s)), bounds), state.c[s]));
  }
  return worst;
}

void SupportGradient::compute(const Levels& levels, const State& state) {
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
}

double SupportGradient::worst() const {
  double worst = 0.0;
  for (double x : g) worst = larger(worst, std::abs(x));
  return worst;
}

double objective(const Inputs& inputs, const Levels& levels, const State& state,
                 SupportGradient& gradient) {
  gradient.compute(levels, state);
  double total = 0.5 * state.point.fit;
  for (double v : gradient.penalty.value) total += v;
  return total + ridge_value(inputs, state);
}

}  // namespace sparsieve
