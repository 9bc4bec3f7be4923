#include "sparsieve/certificate/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsieve/model/model.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEps = std::numeric_limits<double>::epsilon();
// Pivots of the maintained factor are off by the roundings of many updates, each some eps: millions of them
// stay below this, relative.
constexpr double kSafePivot = 1e-6;
// Without a Gram matrix at hand, convexity is examined for supports up to this size, and not claimed beyond.
constexpr Index kProvable = 256;
// How far from w a local minimum is looked for: this share of a coefficient, and so many times the step that
// would remove the violation of its coordinate by itself.
constexpr double kAside = 1e-6;
constexpr double kSteps = 8.0;
// How often the way there is halved to find a kink, to less than any coefficient that matters, and the share
// of a fall on one half that says that there may be one. Ways shorter than kNarrow of a coefficient are a few
// units of rounding.
constexpr int kHalvings = 60;
constexpr double kMostOfIt = 0.75;
// How far curvatures may be apart, relative, on a short way without a kink.
constexpr double kAlike = 1e-3;
constexpr double kNarrow = 1e-14;
}  // namespace

double kkt(const Inputs& inputs, const Levels& levels, const State& state,
           const Violations& found) {
  return kkt(inputs, levels, state, found, std::sqrt(state.point.fit));
}

double kkt(const Inputs& inputs, const Levels& levels, const State& state, const Violations& found,
           double residual_norm) {
  const double unit = levels.slope0();
  // Zeros that are further below their thresholds than correlations are off violate nothing for certain.
  bool certain = state.point.support.empty() && found.inside == 0.0;
  for (Index s = 0; certain && s < state.size(); ++s) {
    certain = excess(inputs, levels, state, s) <= -state.known_error;
  }
  const double inside = certain ? 0.0 : found.inside + state.known_error;
  const double largest = larger(inside / unit, found.outside / unit);
  const double ignored = inputs.design->ignored_norm() * residual_norm;
  return largest + ignored / unit;
}

DualPoint best_dual(double linear, double slack, double quadratic, double lowest, double highest) {
  DualPoint point;
  // The maximiser of a concave quadratic with |kappa| slack taken off: a soft threshold.
  if (quadratic > 0.0) point.scale = prox({slack, slack, lowest, highest, 0.0}, linear, quadratic);
  const double scale = point.scale, net = scale >= 0.0 ? linear - slack : linear + slack;
  point.value = scale * net - 0.5 * scale * scale * quadratic;
  return point;
}

// The prox term vanishes at w. Unpenalised coordinates need c_j = 0: what is left of it (rounding, once
// the Newton step has solved their block) is charged to the dual, for coefficients up to twice those of w.
// With errors e of each c_j, f of the fit and d of the residual, (|c_j| + e) / lambda_j bounds the constraints,
// and primal and dual are off by at most
//   (1/2 + kappa + kappa^2/2) f + kappa (||r|| d + e ||w||_1),  and k + 16 roundings of their terms.
double surrogate_gap(const Inputs& inputs, const Levels& levels, const State& state,
                     const SupportGradient& gradient, double ratio) {
  const Point& at = state.point;
  const double error = state.known_error;
  double largest = std::max(ratio, 0.0), l1 = 0.0, slack = 0.0, held_back = 0.0;
  // The ridge is a loss of rows of its own, whose residuals are -sqrt(ridge_j) w_j.
  const double fit = at.fit + 2.0 * ridge_value(inputs, state);
  double linear = fit, length = 0.0, size = fit;
  for (Index s = 0; s < state.size(); ++s) {
    const double lambda =
        at.place[s] >= 0 ? gradient.penalty.slope[at.place[s]] : levels.threshold(state.column(s));
    const Bounds bounds = inputs.box.of(state.column(s));
    const double cap = state.c[s] > 0.0 ? bounds.upper : -bounds.lower;
    // Only at its bound: elsewhere a wide one would make much of a rounding error.
    if (std::abs(at.w[s]) == cap && at.w[s] != 0.0) {
      held_back += cap * std::max(std::abs(state.c[s]) + error - lambda, 0.0);
    } else if (lambda > 0.0) {
      largest = std::max(largest, (reach(bounds, state.c[s]) + error) / lambda);
    } else {
      slack += 2.0 * (std::abs(state.c[s]) + error) * std::abs(at.w[s]);
    }
    l1 += lambda * std::abs(at.w[s]);
    length += std::abs(at.w[s]);
    linear += state.c[s] * at.w[s];  // z'Omega r = r'Omega r + w'c
    size += std::abs(state.c[s] * at.w[s]);
  }
  // A bounded coordinate may push beyond its slope: kappa times its push costs the dual at most kappa times
  // cap (|c_j| - lambda_j), as long as kappa <= 1.
  double limit = largest > 0.0 ? 1.0 / largest : kInf;
  if (held_back > 0.0) limit = std::min(limit, 1.0);
  const double primal = 0.5 * fit + l1;
  const DualPoint dual = best_dual(linear, slack + held_back, fit, 0.0, limit);
  const double kappa = dual.scale, roundings = static_cast<double>(state.size()) + 16.0;
  const double off = (0.5 + kappa + 0.5 * kappa * kappa) * at.fit_error +
                     kappa * (std::sqrt(at.fit) * at.residual.error + error * length);
  return primal - dual.value + off + kEps * roundings * (1.0 + kappa * kappa) * (size + l1);
}

double room_around(double t, double violation, double curvature) {
  return kAside * t + kSteps * violation / curvature;
}

// At a kink the slope falls at once, which the difference of the slopes on both sides shows.
std::vector<double> least_curvature(const Penalty& penalty, const Surrogate& at,
                                    const std::vector<double>& away) {
  const Index k = at.size();
  Surrogate before = at, after = at;
  for (Index p = 0; p < k; ++p) {
    before.t[p] = at.t[p] - std::min(away[p], 0.5 * at.t[p]);
    after.t[p] = at.t[p] + away[p];
  }
  before.evaluate(penalty);
  after.evaluate(penalty);
  std::vector<double> least = at.curvature;
  std::vector<char> steep(k);
  for (Index p = 0; p < k; ++p) {
    // On a smooth piece the curvatures at both ends are the mean one; where a kink is in between, a
    // difference quotient sees it from one end at the most.
    const double mean = (after.slope[p] - before.slope[p]) / (after.t[p] - before.t[p]);
    const auto alike = [&](double end) { return std::abs(end - mean) <= kAlike * std::abs(mean); };
    steep[p] = !(alike(before.curvature[p]) && alike(after.curvature[p]));
  }
  // A kink hides in the mean of a way: halve it, always on to where the slope falls more. Without a kink it
  // falls by about as much on both halves, and a short way need not be halved again.
  for (int halving = 0; halving < kHalvings; ++halving) {
    bool all_done = true;
    Surrogate middle = before;
    for (Index p = 0; p < k; ++p) {
      const double length = after.t[p] - before.t[p], fall = before.slope[p] - after.slope[p];
      least[p] = std::min({least[p], before.curvature[p], after.curvature[p], -fall / length});
      const bool wide = length > 4.0 * kAside * at.t[p];
      steep[p] = wide || (steep[p] && fall > 0.0 && length > kNarrow * at.t[p]);
      all_done = all_done && !steep[p];
      middle.t[p] = before.t[p] + 0.5 * length;
    }
    if (all_done) break;
    middle.evaluate(penalty);
    for (Index p = 0; p < k; ++p) {
      if (!steep[p]) continue;
      const double fall = before.slope[p] - after.slope[p];
      const double before_middle = before.slope[p] - middle.slope[p];
      const bool first = before_middle > fall - before_middle;
      steep[p] = std::max(before_middle, fall - before_middle) > kMostOfIt * fall;
      Surrogate& side = first ? after : before;
      side.t[p] = middle.t[p];
      side.slope[p] = middle.slope[p];
      side.curvature[p] = middle.curvature[p];
    }
  }
  return least;
}

// Its factor is off by k + 1 roundings more than the matrix, so that k times as much bounds the eigenvalues of
// all errors together. Errors of earlier pivots come amplified by one over the smallest, so that one has to be
// above the root of that bound.
Doubt doubt_of(Index k, double noise) {
  const double size = static_cast<double>(k), doubt = size * (noise + (size + 4.0) * kEps);
  return {doubt, std::max(kSafePivot, 2.0 * std::sqrt(doubt))};
}

bool strictly_convex(const Inputs& inputs, const Penalty& penalty, const State& state,
                     const SupportGradient& gradient, double violation) {
  const Point& at = state.point;
  const Index k = static_cast<Index>(at.support.size()), ld = (k + 3) / 4 * 4;
  const bool by_gram = state.set.has_gram();
  if (k == 0) return true;
  if (!by_gram && k > kProvable) return false;
  std::vector<double> diagonal(k), away(k);
  const Design& design = *inputs.design;
  for (Index p = 0; p < k; ++p) {
    const Index j = state.column(at.support[p]);
    diagonal[p] = design.norm2(j) + inputs.ridge.of(j);
    away[p] = room_around(gradient.penalty.t[p], violation, diagonal[p]);
  }
  const std::vector<double> curvature = least_curvature(penalty, gradient.penalty, away);
  double flattest = 1.0;
  for (Index p = 0; p < k; ++p) {
    const Index j = state.column(at.support[p]);
    if (!(diagonal[p] + curvature[p] > 0.0)) return false;
    flattest = std::max(flattest, design.raw_norm(j) / design.norm(j));
  }
  // Products are sums of what the columns are before centring, and pivots differences of products.
  const double noise = 2.0 * kEps * product_roundings(design.n()) * flattest +
                       design.uncertainty() * flattest * flattest;
  // With curvature the maintained factor is not the Hessian's.
  const bool straight =
      std::all_of(curvature.begin(), curvature.end(), [](double h) { return h == 0.0; });
  const bool same = by_gram && inputs.prox_weight == 0.0 && straight;
  const Doubt doubt = doubt_of(k, noise);
  if (same && at.factor.smallest_pivot(diagonal) > doubt.pivot) return true;
  // Now no pivot is a proof, but a factor of what is left of the Hessian is.
  std::vector<double> hessian(static_cast<std::size_t>(ld) * ld);
  if (!model_of(state).gram(inputs, state, at.support, hessian.data(), ld)) return false;
  for (Index p = 0; p < k; ++p) {
    const double ridge = inputs.ridge.of(state.column(at.support[p]));
    hessian[p * ld + p] += curvature[p] + ridge - doubt.eigenvalue * diagonal[p];
  }
  return factorise(hessian.data(), k, ld, std::vector<double>(k, 0.0), inputs.poll);
}

}  // namespace sparsieve
