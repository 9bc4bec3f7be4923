// The loop of an epoch, for any way to read columns. Not a header of inline functions: each file that
// includes it compiles its own copy, for its own instruction set.
#include <cmath>
#include <limits>

#include "sparsieve/columns/epoch.hpp"

namespace sparsieve {
namespace {

// A Newton step is taken if a concave penalty takes away less than this share of a coordinate's curvature,
// else a step of the surrogate; both end in stationary points.
constexpr double kMostConcave = 0.7;

// The new value of coordinate s, given its correlation c and the curvature `steep` of its surrogate.
inline double destination(const Epoch& e, Index s, double c, double steep) {
  const double old = e.w[s], lambda = e.slope[s], pull = c + steep * old;
  const Bounds bounds = e.bounds == nullptr ? Bounds{} : e.bounds[s];
  if (e.newton_steps && old != 0.0 && e.curvature[s] > -kMostConcave * steep) {
    const double newton = old + (c - std::copysign(lambda, old)) / (steep + e.curvature[s]);
    if (newton * old > 0.0 && newton >= bounds.lower && newton <= bounds.upper) return newton;
  }
  return prox(l1_rule(lambda, bounds), pull, steep);
}

// `visit(j)` is column j: `size()` entries, `dot()` = x_j'v and `add(a)`: v += a Omega x_j, in this order.
template <class Visitor>
void descend_by(Epoch& epoch, EpochInputs& inputs, const Visitor& visit) {
  // Copies, which no store into w or v can change: they stay in registers.
  const Epoch e = epoch;
  EpochInputs t = inputs;
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  double worst = 0.0, change = 0.0;
  Index read = 0;
  for (Index s = 0; s < e.count; ++s) {
    const Index j = e.columns[s];
    auto column = visit(j);
    const double mean = t.means == nullptr ? 0.0 : t.means[j];
    const double ridge = e.ridge == nullptr ? 0.0 : e.ridge[s];
    const double steep = t.norms2[j] + (ridge + e.prox_weight), old = e.w[s];
    const double factor = t.factors == nullptr ? 1.0 : t.factors[j];
    double c = factor * (column.dot() - mean * t.sum);
    if (e.ridge != nullptr) c += ridge * (e.centre[s] - old);
    read += column.size();
    const double fresh = destination(e, s, c, steep), delta = fresh - old;
    if (std::abs(delta) <= kEps * std::abs(old)) continue;
    const double violation = (steep + (e.newton_steps ? e.curvature[s] : 0.0)) * std::abs(delta);
    if (violation > worst || violation != violation) worst = violation;
    change += delta * (0.5 * (t.norms2[j] + ridge) * delta - c);
    column.add(-factor * delta);
    read += column.size();
    t.sum -= factor * delta * mean * t.total;
    e.w[s] = fresh;
  }
  epoch.worst = worst;
  epoch.change = change;
  epoch.read = read;
  inputs.sum = t.sum;
}

}  // namespace
}  // namespace sparsieve
