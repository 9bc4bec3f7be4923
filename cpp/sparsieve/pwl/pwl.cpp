#include "sparsieve/pwl/pwl.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr Index kScreenEvery = 5;   // epochs between two gaps, as in [RGS19]
constexpr Index kMaxNewton = 4000;  // largest support for an exact step
}  // namespace

PwlSolver::PwlSolver(const PwlProblem& problem)
    : problem_(problem), unpenalised_(*problem.design, problem.prox_weight) {
  const Index d = problem.design->d();
  screened_.assign(d, 0);
  w_.assign(d, 0.0);
  c_.assign(d, 0.0);
  for (Index j = 0; j < d; ++j) {
    if (std::isinf(problem.l1[j])) {
      screened_[j] = 1;  // excluded: zero, and its prox term is a constant
      constant_ += 0.5 * problem.prox_weight * centre(j) * centre(j);
    } else if (curvature(j) > 0.0) {
      active_.push_back(j);
    } else if (!unpenalised(j)) {
      screened_[j] = 1;  // a zero column without prox term only costs lambda |w|
    }
  }
  excluded_ = constant_;
  for (Index j : active_) {
    if (unpenalised(j)) unpenalised_.add(j);
  }
}

// w_j <- soft(c_j + curvature_j w_j, lambda_j) / curvature_j; weighted_.v = Omega r is kept current.
void PwlSolver::epoch() {
  const Design& design = *problem_.design;
  const double mu = problem_.prox_weight;
  for (Index j : active_) {
    double c;
    design.correlate(weighted_, &j, 1, &c);
    c -= mu * (w_[j] - centre(j));
    const double steep = curvature(j), pull = c + steep * w_[j], lambda = problem_.l1[j];
    double fresh = 0.0;
    if (pull > lambda) fresh = (pull - lambda) / steep;
    if (pull < -lambda) fresh = (pull + lambda) / steep;
    const double delta = fresh - w_[j];
    if (delta == 0.0) continue;
    design.subtract_weighted(j, delta, weighted_);
    w_[j] = fresh;
  }
}

// Recompute the residual from w: no drift survives a check.
void PwlSolver::refresh() {
  std::vector<Index> columns;
  std::vector<double> coef;
  for (Index j : active_) {
    if (w_[j] != 0.0) {
      columns.push_back(j);
      coef.push_back(w_[j]);
    }
  }
  r_ = problem_.z;
  problem_.design->subtract(columns.data(), coef.data(), static_cast<Index>(columns.size()), r_);
  problem_.design->weigh(r_, weighted_);
}

void PwlSolver::fetch_correlations(const std::vector<Index>& columns) {
  std::vector<double> c(columns.size());
  problem_.design->correlate(weighted_, columns.data(), static_cast<Index>(columns.size()),
                             c.data());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Index j = columns[k];
    c_[j] = c[k] - problem_.prox_weight * (w_[j] - centre(j));
  }
}

// The exact minimiser on the current support and signs (unpenalised coordinates included, whose
// correlation it brings to zero), stopping at each sign change to let that coordinate go.
void PwlSolver::support_step() {
  const double mu = problem_.prox_weight;
  std::vector<Index> support =
      unpenalised_.columns();  // first, so that none of them is found dependent
  for (Index j : active_) {
    if (w_[j] != 0.0 && !unpenalised(j)) support.push_back(j);
  }
  if (support.empty() || static_cast<Index>(support.size()) > kMaxNewton) return;
  WorkingSet ws;
  ws.grow(*problem_.design, support, poll_);
  if (stopped()) return;
  Factor factor;
  std::vector<Index> kept;  // slots whose column is independent of those before it
  std::vector<double> row, g, delta;
  for (Index s = 0; s < ws.size(); ++s) {
    row.clear();
    for (Index q : kept) row.push_back(ws.gram(s)[q]);
    if (stopped()) return;
    if (factor.append(row.data(), ws.gram(s)[s] + mu)) {
      kept.push_back(s);
    } else {
      factor.remove(factor.size() - 1);
    }
  }
  release_dependent(ws, factor, kept);
  refresh();
  fetch_correlations(support);
  for (std::size_t guard = 0; guard <= support.size() && !kept.empty() && !stopped(); ++guard) {
    g.clear();
    for (Index s : kept) {
      const Index j = ws.column(s);
      const double sign = unpenalised(j) ? 0.0 : (w_[j] > 0.0 ? 1.0 : -1.0);
      g.push_back(c_[j] - problem_.l1[j] * sign);
    }
    delta.resize(g.size());
    factor.solve(g.data(), delta.data());
    double t = 1.0;
    Index leaver = -1;
    for (std::size_t p = 0; p < kept.size(); ++p) {
      const Index j = ws.column(kept[p]);
      if (unpenalised(j) || delta[p] * w_[j] >= 0.0) continue;
      const double crossing = -w_[j] / delta[p];
      if (crossing < t) {
        t = crossing;
        leaver = static_cast<Index>(p);
      }
    }
    for (std::size_t p = 0; p < kept.size(); ++p) {
      const Index slot = kept[p], j = ws.column(slot);
      const double move = static_cast<Index>(p) == leaver ? -w_[j] : t * delta[p];
      w_[j] += move;
      if (static_cast<Index>(p) == leaver) w_[j] = 0.0;
      c_[j] -= mu * move;
      for (Index s : kept) c_[ws.column(s)] -= ws.gram(slot)[s] * move;
    }
    if (leaver < 0) return;
    factor.remove(leaver);
    kept.erase(kept.begin() + leaver);
  }
}

// A column of the support that depends on the kept ones, x_s = X_kept a, can be exchanged for them
// without changing the fit: w_s + t, w_kept - a t. The l1 cost is linear in t until a coefficient
// reaches zero, so go there; if it is a kept one, column s takes its place.
void PwlSolver::release_dependent(const WorkingSet& ws, Factor& factor, std::vector<Index>& kept) {
  std::vector<double> a;
  for (Index s = 0; s < ws.size() && !stopped(); ++s) {
    const Index j = ws.column(s);
    if (std::find(kept.begin(), kept.end(), s) != kept.end() || w_[j] == 0.0) continue;
    a.clear();
    for (Index q : kept) a.push_back(ws.gram(s)[q]);
    factor.solve(a.data(), a.data());
    double slope = problem_.l1[j] * (w_[j] > 0.0 ? 1.0 : -1.0);
    for (std::size_t p = 0; p < kept.size(); ++p) {
      const Index i = ws.column(kept[p]);
      if (!unpenalised(i)) slope -= problem_.l1[i] * (w_[i] > 0.0 ? a[p] : -a[p]);
    }
    const double toward = w_[j] > 0.0 ? -1.0 : 1.0;  // the way to w_s = 0, also taken in a tie
    const double way = slope == 0.0 ? toward : (slope > 0.0 ? -1.0 : 1.0);
    double length = way == toward ? std::abs(w_[j]) : kInf;
    Index leaver = -1;
    for (std::size_t p = 0; p < kept.size(); ++p) {
      const Index i = ws.column(kept[p]);
      const double crossing = w_[i] / (a[p] * way);
      if (!unpenalised(i) && crossing > 0.0 && crossing < length) {
        length = crossing;
        leaver = static_cast<Index>(p);
      }
    }
    if (std::isinf(length)) continue;
    for (std::size_t p = 0; p < kept.size(); ++p) w_[ws.column(kept[p])] -= a[p] * way * length;
    w_[j] = leaver < 0 ? 0.0 : w_[j] + way * length;
    if (leaver < 0) continue;
    w_[ws.column(kept[leaver])] = 0.0;
    factor.remove(leaver);
    kept.erase(kept.begin() + leaver);
    a.clear();
    for (Index q : kept) a.push_back(ws.gram(s)[q]);
    if (factor.append(a.data(), ws.gram(s)[s] + problem_.prox_weight)) {
      kept.push_back(s);
    } else {
      factor.remove(factor.size() - 1);
    }
  }
}

// What is left of the unpenalised columns in the residual (its ridge rows included).
std::vector<double> PwlSolver::unpenalised_part() const {
  std::vector<double> tail;
  for (Index j : unpenalised_.columns()) {
    tail.push_back(std::sqrt(problem_.prox_weight) * (centre(j) - w_[j]));
  }
  return unpenalised_.coordinates(weighted_, tail);
}

// Bring c_j to zero for every unpenalised j: the dual point needs it, see dual_point. A column that
// depends on the others follows them. Twice, because the first solve leaves its own rounding error.
void PwlSolver::unpenalised_step() {
  if (unpenalised_.columns().empty()) return;
  for (int pass = 0; pass < 2; ++pass) {
    const auto step = unpenalised_.solve(unpenalised_part());
    for (std::size_t k = 0; k < step.size(); ++k) w_[unpenalised_.columns()[k]] += step[k];
    refresh();
  }
}

double PwlSolver::primal() const {
  double total = 0.5 * weighted_.norm2 + constant_;
  for (Index j : active_) {
    const double u = w_[j] - centre(j);
    total += problem_.l1[j] * std::abs(w_[j]) + 0.5 * problem_.prox_weight * u * u;
  }
  return total;
}

// A bound of the rounding error of P and D, and of what the residual's own error does to them.
double PwlSolver::primal_noise() const {
  const Design& design = *problem_.design;
  double size = 0.0, sums = 0.0;
  for (Index i = 0; i < design.n(); ++i) {
    size += design.omega()[i] * problem_.z[i] * problem_.z[i];
  }
  double reach = std::sqrt(size);
  for (Index j : active_) {
    const double u = std::abs(w_[j]) + std::abs(centre(j));
    reach += std::abs(w_[j]) * design.norm(j);
    sums += problem_.l1[j] * std::abs(w_[j]) + problem_.prox_weight * u * u;
  }
  const double n = static_cast<double>(design.n() + design.d());
  const double r = std::sqrt(weighted_.norm2);
  return kEps * ((n / 8.0 + 16.0) * (weighted_.norm2 + reach * r) + 16.0 * (sums + constant_));
}

// s = kappa Omega r, v = kappa mu (w - w'), kappa the maximiser of the dual on the feasible interval.
// For lambda_j = 0 the constraint is an equality. With mu > 0 it is met exactly by v_j = x_j's. With
// mu = 0 the exact step leaves e = Q'Omega r of the order of rounding, Q an orthonormal basis of those
// columns; kappa Omega (r - Q e) is feasible, its value is at least D(s) - kappa ||e|| ||z||, and no
// c_j moves by more than kappa ||x_j|| ||e||: both are allowed for.
PwlSolver::DualPoint PwlSolver::dual_point(const std::vector<Index>& columns,
                                           double constant) const {
  const double mu = problem_.prox_weight, norm = std::sqrt(weighted_.norm2);
  double limit = kInf, linear = 0.0, quadratic = weighted_.norm2, slack = 0.0, shift = 0.0;
  for (Index i = 0; i < problem_.design->n(); ++i) linear += weighted_.v[i] * problem_.z[i];
  if (mu == 0.0 && !unpenalised_.columns().empty()) {
    const auto e = unpenalised_part();
    const double z2 = weighted_dot(problem_.design->omega().data(), problem_.z.data(),
                                   problem_.z.data(), problem_.design->n());
    shift = std::sqrt(dot(e.data(), e.data(), static_cast<Index>(e.size()))) + 16.0 * kEps * norm;
    slack = shift * std::sqrt(z2);
  }
  for (Index j : columns) {
    double v = mu * (w_[j] - centre(j));
    const double noise = problem_.design->rounding(j) * norm + problem_.design->norm(j) * shift;
    const double c = std::abs(c_[j]) + noise, lambda = problem_.l1[j];
    if (lambda > 0.0) {
      if (c > 0.0) limit = std::min(limit, lambda / c);
    } else if (mu > 0.0) {
      v += c_[j];  // = x_j' Omega r
      slack += noise * (std::abs(w_[j]) + std::abs(centre(j)));
    }
    if (mu > 0.0) {
      linear -= v * centre(j);
      quadratic += v * v / mu;
    }
  }
  DualPoint point;
  if (quadratic > 0.0) point.scale = std::clamp((linear - slack) / quadratic, -limit, limit);
  const double scale = point.scale;
  point.value =
      scale * linear - std::abs(scale) * slack - 0.5 * scale * scale * quadratic + constant;
  point.gap = primal() - point.value;
  point.shift = shift;
  point.radius = std::sqrt(2.0 * (std::max(point.gap, 0.0) + primal_noise()));
  return point;
}

// Discard j when kappa |c_j| + radius sqrt(curvature_j) < lambda_j, rounding margin included.
void PwlSolver::screen(const DualPoint& point) {
  const double norm = std::sqrt(weighted_.norm2), scale = std::abs(point.scale);
  std::vector<Index> survivors;
  bool discarded = false;
  for (Index j : active_) {
    const double noise = problem_.design->rounding(j) * norm +
                         problem_.design->norm(j) * point.shift + 4.0 * kEps * std::abs(c_[j]);
    const double score = scale * (std::abs(c_[j]) + noise) +
                         point.radius * std::sqrt(curvature(j)) * (1.0 + 8.0 * kEps);
    if (score < problem_.l1[j]) {
      screened_[j] = 1;
      discarded = discarded || w_[j] != 0.0;
      constant_ += 0.5 * problem_.prox_weight * centre(j) * centre(j);
      w_[j] = 0.0;
    } else {
      survivors.push_back(j);
    }
  }
  active_.swap(survivors);
  if (discarded) refresh();
}

PwlResult PwlSolver::solve(const PwlOptions& options) {
  PwlResult result;
  poll_ = options.poll;
  refresh();
  const double goal = options.tol * std::max(primal(), std::numeric_limits<double>::min());
  double best = kInf;
  int patience = 50;
  while (true) {
    // 1. a few epochs, then the exact step on the support they found
    for (Index e = 0; e < kScreenEvery && result.epochs < options.max_epochs && !stopped();
         ++e, ++result.epochs) {
      epoch();
    }
    refresh();
    support_step();
    refresh();
    unpenalised_step();
    // 2. dual point and gap
    fetch_correlations(active_);
    const DualPoint point = dual_point(active_, constant_);
    // 3. screen
    if (options.screen) screen(point);
    // 4. stop when the gap is small, or when rounding or the caller forbids more
    patience = point.gap < 0.9 * best ? 50 : patience - 1;
    best = std::min(best, point.gap);
    result.converged = point.gap <= std::max(goal, primal_noise());
    if (result.converged || patience == 0 || result.epochs >= options.max_epochs) break;
    if (stopped()) break;
  }
  // The reported dual point is feasible for every feature, screened ones included.
  std::vector<Index> all;
  for (Index j = 0; j < problem_.design->d(); ++j) {
    if (!std::isinf(problem_.l1[j]) && curvature(j) > 0.0) all.push_back(j);
  }
  fetch_correlations(all);
  result.screened = screened_;
  result.primal = primal();
  DualPoint point = dual_point(all, excluded_);
  result.w = w_;
  result.r = r_;
  result.dual = result.primal - point.gap;
  result.gap = point.gap;
  return result;
}

}  // namespace sparsieve
