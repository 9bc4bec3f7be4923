#include "sparsieve/certificate/row_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsieve/model/model.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEps = std::numeric_limits<double>::epsilon();
// A Gram matrix of its own is made for supports up to this size.
constexpr Index kProvable = 1000;
}  // namespace

// The dual point is s = kappa v, with kappa <= 1 such that kappa |c_j| <= lambda_j. With
// l_i = f(eta_i) + f*(-kappa r_i) + kappa r_i eta_i >= 0 (Rows::dual_loss) and v'1 = 0 for an intercept,
//   P(w) - D(s) = sum_i omega_i l_i + sum_j [ lambda_j |w_j| - kappa w_j x_j'v ],
// no term of which is negative: nothing cancels. The ridge is a squared loss of rows of its own, whose
// residuals are -sqrt(ridge_j) w_j: c_j counts them, and l = (1 - kappa)^2 ridge_j w_j^2 / 2.
// What is left of c_j of unpenalised coordinates and of v'1 is charged for coefficients up to twice those
// of w. An error d of the predictor moves P(w) + kappa v'eta by (1 - kappa) ||r|| ||d|| + h ||d||^2.
double surrogate_gap(const Inputs& inputs, const Levels& levels, const State& state,
                     const SupportGradient& gradient, double ratio, const CurvedPoint& point) {
  const Point& at = state.point;
  const double error = state.known_error;
  const auto lambda_of = [&](Index s) {
    return at.place[s] >= 0 ? gradient.penalty.slope[at.place[s]]
                            : levels.threshold(state.column(s));
  };
  const auto at_bound = [&](Index s) {
    const Bounds bounds = inputs.box.of(state.column(s));
    return at.w[s] != 0.0 && std::abs(at.w[s]) == (state.c[s] > 0.0 ? bounds.upper : -bounds.lower);
  };
  double largest = std::max(ratio, 1.0);
  for (Index s = 0; s < state.size(); ++s) {
    const double lambda = lambda_of(s);
    if (!(lambda > 0.0) || at_bound(s)) continue;
    const double push = reach(inputs.box.of(state.column(s)), state.c[s]);
    largest = std::max(largest, (push + error) / lambda);
  }
  const double kappa = 1.0 / largest, rest = 1.0 - kappa;
  double size = 0.0, gap = point.rows.dual_loss(point.at, kappa);
  gap += rest * rest * ridge_value(inputs, state);
  for (Index s = 0; s < state.size(); ++s) {
    const double w = at.w[s], lambda = lambda_of(s), length = std::abs(w);
    if (w == 0.0) continue;
    const double pull = kappa * (std::abs(state.c[s]) + error);
    if (at_bound(s)) {
      gap += std::max(lambda - kappa * std::abs(state.c[s]), 0.0) * length + kappa * error * length;
    } else if (lambda > 0.0) {
      gap += lambda * length - kappa * state.c[s] * w + kappa * error * length;
    } else {
      gap += 2.0 * pull * length;
    }
    size += (lambda + pull) * length;
  }
  if (inputs.design->centred()) {
    double sum = 0.0, noise = 0.0;
    for (const double v : point.at.weighted.v) {
      sum += v;
      noise += std::abs(v);
    }
    const double off = std::abs(sum) + kEps * static_cast<double>(point.rows.n()) * noise;
    gap += 2.0 * kappa * off * std::abs(point.at.intercept);
  }
  double steepest = 0.0;
  for (const double h : point.at.curvature) steepest = std::max(steepest, h);
  const double norm = std::sqrt(point.at.weighted.norm2), roundings = 16.0;
  gap += rest * norm * point.eta_error + steepest * point.eta_error * point.eta_error;
  return gap * (1.0 + 1e-12) + kEps * roundings * size;
}

bool strictly_convex(const Inputs& inputs, const Penalty& penalty, const State& state,
                     const SupportGradient& gradient, double violation, const CurvedPoint& point) {
  const Point& at = state.point;
  const Index k = static_cast<Index>(at.support.size()), ld = (k + 3) / 4 * 4;
  if (k == 0) return true;
  const Design& design = *inputs.design;
  // Weights that no point near this one falls below, and their least share of the model's.
  std::vector<double> weights(point.rows.n());
  point.rows.loss().least_curvature(point.at.eta.data(), point.rows.y().data(), point.rows.n(),
                                    weights.data());
  double share = kInf;
  for (Index i = 0; i < point.rows.n(); ++i) {
    weights[i] = point.rows.weighs(i) ? weights[i] * design.omega()[i] : 0.0;
    if (point.rows.weighs(i)) share = std::min(share, weights[i] / point.set.weights()[i]);
  }
  std::vector<double> diagonal(k), away(k);
  double flattest = 1.0;
  for (Index p = 0; p < k; ++p) {
    const Index s = at.support[p], j = state.column(s);
    diagonal[p] = state.set.gram(s)[s] + inputs.ridge.of(j);
    away[p] = room_around(gradient.penalty.t[p], violation,
                          share * state.set.gram(s)[s] + inputs.ridge.of(j));
    flattest = std::max(flattest, design.raw_norm(j) / design.norm(j));
  }
  if (!std::all_of(away.begin(), away.end(), [](double x) { return std::isfinite(x); })) {
    return false;
  }
  const std::vector<double> curvature = least_curvature(penalty, gradient.penalty, away);
  const bool straight =
      std::all_of(curvature.begin(), curvature.end(), [](double h) { return h == 0.0; });
  // Products are off by roundings of the columns' norms before the intercept was eliminated.
  const double noise = 2.0 * kEps * product_roundings(design.n()) * flattest * flattest;
  const Doubt doubt = doubt_of(k, noise);
  const auto lost = [&](Index slot, double total) {
    return point.set.cross()[slot] * point.set.cross()[slot] / total;
  };
  const bool plain = straight && share > 0.0 && inputs.prox_weight == 0.0;
  if (plain) {
    std::vector<double> before(diagonal);
    for (Index p = 0; p < k; ++p) before[p] += lost(at.support[p], point.set.total());
    if (at.factor.smallest_pivot(before) > doubt.pivot) return true;
  }
  if (k > kProvable) return false;
  // The Hessian itself, or less than it.
  std::vector<double> hessian(static_cast<std::size_t>(ld) * ld), cross;
  point.set.gram_under(weights, at.support, hessian, ld, cross);
  double total = 0.0;
  for (const double w : weights) total += w;
  for (Index p = 0; p < k; ++p) {
    const double eliminated = design.centred() ? cross[p] * cross[p] / total : 0.0;
    const double ridge = inputs.ridge.of(state.column(at.support[p]));
    const double doubted = doubt.eigenvalue * (hessian[p * ld + p] + eliminated + ridge);
    hessian[p * ld + p] += curvature[p] + ridge - doubted;
  }
  return factorise(hessian.data(), k, ld, std::vector<double>(k, 0.0), inputs.poll);
}

}  // namespace sparsieve
