// Directions of GramNewton on the support.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsieve/inner/conjugate_gradients.hpp"
#include "sparsieve/inner/gram_newton.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
// As in conjugate_gradients.hpp: a step is taken only if F falls.
// A rough solve, with this reduction of the residual, is enough while the violation is more than kFar times
// its target. There are at most so many solves with the factor.
constexpr double kRoughForcing = 0.1;
constexpr double kFar = 1e4;
constexpr int kMaxCg = 25;
}  // namespace

// H = M + diag r'' with M = G_SS + (ridge + mu) I, preconditioned with M. M p and M x follow by recurrence.
struct GramNewton::NewtonSystem {
  const GramNewton& solver;
  const std::vector<double>& curvature;
  std::vector<double> mp, mx;
  Index solves = 0;

  bool multiply(const std::vector<double>& p, std::vector<double>& hp, double& php) {
    double pmp = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      hp[i] = mp[i] + curvature[i] * p[i];
      php += p[i] * hp[i];
      pmp += p[i] * mp[i];
    }
    return php > kConcave * pmp;
  }
  void precondition(const std::vector<double>& rho, std::vector<double>& z) {
    solver.solve_free(rho, z);
    ++solves;
  }
  void moved(double a) {
    for (std::size_t i = 0; i < mx.size(); ++i) mx[i] += a * mp[i];
  }
  void turned(const std::vector<double>& rho, double beta) {
    for (std::size_t i = 0; i < mp.size(); ++i) mp[i] = rho[i] + beta * mp[i];
  }
};

// Coefficients that are held at their bounds do not move. With E their unit vectors, the others solve
//   M_FF x = g_F   <=>   x = M^-1 g - W (E'W)^-1 E' M^-1 g,   W = M^-1 E.
void GramNewton::prepare_held(Progress& progress) {
  const auto& held = arrays_.gradient.held;
  arrays_.apart = !held.empty() && !at_.exact;
  if (held.empty()) return;
  const std::size_t k = at_.support.size();
  if (arrays_.apart) return factorise_free();
  arrays_.held_columns.assign(held.size(), std::vector<double>(k));
  arrays_.held_part = Factor();
  std::vector<double> unit(k, 0.0), row(held.size());
  for (std::size_t a = 0; a < held.size(); ++a) {
    unit[held[a]] = 1.0;
    at_.factor.solve(unit.data(), arrays_.held_columns[a].data(), inputs_.design->threads());
    unit[held[a]] = 0.0;
    ++progress.solves;
    for (std::size_t b = 0; b <= a; ++b) row[b] = arrays_.held_columns[a][held[b]];
    arrays_.held_part.append(row.data(), row[a]);
  }
}

// More features may be at their bounds than there are samples: the matrix of all of them is singular, that
// of the others is not.
void GramNewton::factorise_free() {
  const auto& held = arrays_.gradient.held;
  arrays_.free.clear();
  arrays_.free_part = Factor();
  std::vector<double> row;
  for (Index p = 0; p < static_cast<Index>(at_.support.size()); ++p) {
    if (std::find(held.begin(), held.end(), p) != held.end()) continue;
    const double* gram = state_.set.gram(at_.support[p]);
    arrays_.free.push_back(p);
    row.clear();
    for (Index q : arrays_.free) row.push_back(gram[at_.support[q]]);
    row.back() += inputs_.damping(state_.column(at_.support[p]));
    arrays_.free_part.append(row.data(), row.back());
  }
}

void GramNewton::solve_free(const std::vector<double>& g, std::vector<double>& out) const {
  if (arrays_.apart) {
    std::vector<double> part;
    for (Index p : arrays_.free) part.push_back(g[p]);
    if (!part.empty()) arrays_.free_part.solve(part.data(), part.data());
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t a = 0; a < part.size(); ++a) out[arrays_.free[a]] = part[a];
    return;
  }
  at_.factor.solve(g.data(), out.data(), inputs_.design->threads());
  const auto& held = arrays_.gradient.held;
  if (held.empty()) return;
  std::vector<double> back(held.size());
  for (std::size_t a = 0; a < held.size(); ++a) back[a] = out[held[a]];
  arrays_.held_part.solve(back.data(), back.data());
  for (std::size_t a = 0; a < held.size(); ++a) {
    axpy(-back[a], arrays_.held_columns[a].data(), out.data(), static_cast<Index>(out.size()));
  }
  for (Index p : held) out[p] = 0.0;
}

// The minimiser of the surrogate on the support: M delta = g with M = G_SS + (ridge + mu) I.
void GramNewton::mm_direction(Direction& out, Progress& progress) {
  const Index k = static_cast<Index>(at_.support.size());
  out.resize(k);
  solve_free(arrays_.gradient.g, out.delta);
  ++progress.solves;
  take_off_prox(arrays_.gradient.g, out);
  if (!at_.exact || !arrays_.gradient.held.empty()) multiply(out);
}

// hessian_delta = M delta - mu delta: the proximal term is no part of F.
void GramNewton::take_off_prox(const std::vector<double>& m_delta, Direction& dir) const {
  dir.hessian_delta = m_delta;
  if (inputs_.prox_weight == 0.0) return;
  axpy(-inputs_.prox_weight, dir.delta.data(), dir.hessian_delta.data(),
       static_cast<Index>(m_delta.size()));
}

// hessian_delta = (G_SS + ridge I) delta, entry by entry: needed when the factor is not that of G_SS + ridge I.
void GramNewton::multiply(Direction& dir) const {
  const auto& support = at_.support;
  for (std::size_t p = 0; p < support.size(); ++p) {
    const double* gram = state_.set.gram(support[p]);
    double s = 0.0;
    for (std::size_t q = 0; q < support.size(); ++q) s += gram[support[q]] * dir.delta[q];
    dir.hessian_delta[p] = s + inputs_.ridge.of(state_.column(support[p])) * dir.delta[p];
  }
}

// Both directions, without the coefficients that they would push beyond a bound. At least one that the
// gradient moves is left: along M^-1 g and along Newton's direction it is not the other way for all.
void GramNewton::find_directions(Progress& progress) {
  do {
    prepare_held(progress);
    newton_direction(progress);
  } while (inputs_.box.capped() && hold_outward());
}

bool GramNewton::hold_outward() {
  std::vector<Index>& held = arrays_.gradient.held;
  const std::size_t before = held.size();
  for (std::size_t p = 0; p < at_.support.size(); ++p) {
    const double w = at_.w[at_.support[p]];
    const Bounds bounds = inputs_.box.of(state_.column(at_.support[p]));
    const double most = std::max(arrays_.newton.delta[p], arrays_.mm.delta[p]);
    const double least = std::min(arrays_.newton.delta[p], arrays_.mm.delta[p]);
    if (!((w == bounds.upper && most > 0.0) || (w == bounds.lower && least < 0.0))) continue;
    held.push_back(static_cast<Index>(p));
    arrays_.gradient.g[p] = 0.0;
  }
  return held.size() > before;
}

// Newton's direction for F itself, (M + diag r'') delta = g. The first iterate of conjugate gradients
// lies along the MM direction; where F is not convex along that, it is taken as it is.
void GramNewton::newton_direction(Progress& progress) {
  const Index k = static_cast<Index>(at_.support.size());
  mm_direction(arrays_.mm, progress);
  arrays_.newton = arrays_.mm;
  concave_ = false;
  if (!arrays_.gradient.penalty.bends()) return;
  const auto& g = arrays_.gradient.g;
  NewtonSystem system{*this, arrays_.gradient.penalty.curvature, g, std::vector<double>(k, 0.0)};
  std::fill(arrays_.newton.delta.begin(), arrays_.newton.delta.end(), 0.0);
  const double active = arrays_.gradient.worst();
  const double goal =
      std::max((active > kFar * target_ ? kRoughForcing : kForcing) * active, kEnough * target_);
  concave_ =
      conjugate_gradients(system, g, arrays_.mm.delta, goal, kMaxCg, arrays_.newton.delta) == 0;
  progress.solves += system.solves;
  if (concave_) {
    arrays_.newton.delta = arrays_.mm.delta;
    system.mx = g;
  }
  take_off_prox(system.mx, arrays_.newton);
  if (!at_.exact || !arrays_.gradient.held.empty()) multiply(arrays_.newton);
}

bool GramNewton::wrong_entrants(const Direction& dir) const {
  for (std::size_t p = 0; p < at_.support.size(); ++p) {
    const Index s = at_.support[p];
    if (at_.w[s] == 0.0 && !is_free(s) && !(dir.delta[p] * at_.sign[s] > 0.0)) return true;
  }
  return false;
}

Index GramNewton::drop_wrong_entrants(const Direction& dir) {
  Index dropped = 0;
  for (Index p = static_cast<Index>(at_.support.size()) - 1; p >= 0; --p) {
    const Index s = at_.support[p];
    if (at_.w[s] == 0.0 && !is_free(s) && !(dir.delta[p] * at_.sign[s] > 0.0)) {
      leave(inputs_, state_, p);
      ++dropped;
    }
  }
  return dropped;
}

GramNewton::Crossing GramNewton::first_crossing(const Direction& dir) const {
  Crossing first{kInf};
  const bool capped = inputs_.box.capped();
  for (std::size_t p = 0; p < at_.support.size(); ++p) {
    const Index s = at_.support[p];
    const double delta = dir.delta[p];
    if (is_free(s)) continue;
    if (delta * at_.sign[s] < 0.0) {
      const double t = -at_.w[s] / delta;
      if (t < first.t) first = {t, static_cast<Index>(p), true};
    } else if (capped && delta != 0.0) {
      const Bounds bounds = inputs_.box.of(state_.column(s));
      const double t = ((delta > 0.0 ? bounds.upper : bounds.lower) - at_.w[s]) / delta;
      if (t < first.t) first = {t, static_cast<Index>(p), false};
    }
  }
  return first;
}

// F(w + t delta) - F(w), free of cancellation in the quadratic part; infinite where the direction is
// not finite (a singular factor), which no penalty is asked about.
double GramNewton::change_along(const Direction& dir, double t) {
  const Index k = static_cast<Index>(at_.support.size());
  double linear = 0.0, quadratic = 0.0, penalty = 0.0, reach = 0.0;
  arrays_.trial.resize(k);
  for (Index p = 0; p < k; ++p) {
    linear += state_.c[at_.support[p]] * dir.delta[p];
    quadratic += dir.delta[p] * dir.hessian_delta[p];
    arrays_.trial.t[p] = std::abs(at_.w[at_.support[p]] + t * dir.delta[p]);
    reach += arrays_.trial.t[p];
  }
  if (!std::isfinite(reach)) return kInf;
  arrays_.trial.strength = arrays_.gradient.penalty.strength;
  arrays_.trial.evaluate(levels_.penalty());
  for (Index p = 0; p < k; ++p)
    penalty += arrays_.trial.value[p] - arrays_.gradient.penalty.value[p];
  return -t * linear + 0.5 * t * t * quadratic + penalty;
}

}  // namespace sparsieve
