#include "sparsieve/pwl/pwl.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsieve/inner/column_descent.hpp"
#include "sparsieve/model/model.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEps = std::numeric_limits<double>::epsilon();
// These decide what is tried and when a solve ends; its gap is computed afterwards in any case.
constexpr Index kScreenEvery = 5;   // epochs between two gaps, as in [RGS19]
constexpr Index kMaxNewton = 4000;  // largest support for Newton steps
// Newton steps go on until violations on the support are rounding errors of correlations, or nearly.
constexpr double kExactly = 1e-15;
// Gaps that fail to shrink by a tenth before the solve ends: only rounding errors are left then.
constexpr int kPatience = 50;

Inputs inputs_of(const PwlProblem& problem) {
  const Design& design = *problem.design;
  const Response response(design.weights(), problem.z);
  return {&design, std::make_shared<SquaredLoss>(design, response),
          {},      {problem.prox_weight, {}, problem.centre},
          0.0,     {}};
}

const Penalty* l1_penalty() {
  static const ShapedPenalty<L1Shape> l1{L1Shape{}};
  return &l1;
}
}  // namespace

PwlSolver::PwlSolver(const PwlProblem& problem)
    : inputs_(inputs_of(problem)),
      levels_(l1_penalty(), problem.l1, problem.design->d()),
      screened_(problem.design->d(), 0),
      unpenalised_(*problem.design, problem.prox_weight) {
  levels_.set(1.0, {});
  std::vector<Index> columns;
  for (Index j = 0; j < problem.design->d(); ++j) {
    if (std::isinf(lambda(j))) {
      screened_[j] = 1;  // excluded: zero, and its prox term is a constant
      constant_ += prox_term(j);
    } else if (curvature(j) > 0.0) {
      columns.push_back(j);
      if (lambda(j) == 0.0) unpenalised_.add(j);
    } else if (lambda(j) > 0.0) {
      screened_[j] = 1;  // a zero column without prox term only costs lambda |w|
    }
  }
  excluded_ = constant_;
  leave_gram(state_);
  start_at_zero(inputs_, state_);
  model_of(state_).grow(inputs_, state_, columns);
}

// Support and residual from w, free of drift; correlations are computed where a dual point needs them.
void PwlSolver::refresh() {
  state_.anchored = false;
  model_of(state_).list_support(inputs_, state_);
  model_of(state_).residual(inputs_, state_);
}

void PwlSolver::descend(Index epochs, Progress& progress) {
  ColumnDescent(inputs_, levels_, state_).epochs(static_cast<int>(epochs), 0.0, progress);
  refresh();
}

// Newton steps on the Gram matrix of the support and the unpenalised columns; taken if P falls.
void PwlSolver::solve_support() {
  std::vector<Index> columns = unpenalised_.columns();
  for (Index s : state_.point.support) {
    if (lambda(state_.column(s)) > 0.0) columns.push_back(state_.column(s));
  }
  if (columns.empty() || static_cast<Index>(columns.size()) > kMaxNewton) return;
  State support;
  start_at_zero(inputs_, support);
  model_of(support).grow(inputs_, support, columns);
  if (support.size() < static_cast<Index>(columns.size())) return;  // stopped
  const SlotIndex index(state_.set);
  std::vector<double> w(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    w[k] = state_.point.w[index.slot(columns[k])];
  }
  place_at(inputs_, support, w);
  if (inputs_.stopped()) return;
  double largest = 0.0;
  for (double x : support.pull) largest = std::max(largest, std::abs(x));
  Progress limits;
  limits.max_iter = 2 * support.size() + 8;
  GramNewton(inputs_, levels_, support, arrays_).minimise(kExactly * largest, limits);
  const double before = primal();
  const std::vector<double> old = state_.point.w;
  for (Index s = 0; s < support.size(); ++s) {
    state_.point.w[index.slot(support.column(s))] = support.point.w[s];
  }
  refresh();
  if (primal() <= before) return;
  state_.point.w = old;
  refresh();
}

// What is left of the unpenalised columns in the residual (its ridge rows included).
std::vector<double> PwlSolver::unpenalised_part() const {
  const SlotIndex index(state_.set);
  std::vector<double> tail;
  for (Index j : unpenalised_.columns()) {
    tail.push_back(std::sqrt(mu()) * (centre(j) - state_.point.w[index.slot(j)]));
  }
  return unpenalised_.coordinates(state_.point.residual.weighted, tail);
}

// Bring c_j to zero for every unpenalised j: the dual point needs it, see `sphere`. A column that
// depends on the others follows them. Twice, because the first solve leaves its own rounding error.
void PwlSolver::solve_unpenalised() {
  const auto& columns = unpenalised_.columns();
  if (columns.empty()) return;
  const SlotIndex index(state_.set);
  for (int pass = 0; pass < 2; ++pass) {
    const auto step = unpenalised_.solve(unpenalised_part());
    for (std::size_t k = 0; k < step.size(); ++k) {
      state_.point.w[index.slot(columns[k])] += step[k];
    }
    refresh();
  }
}

double PwlSolver::primal() {
  return objective(inputs_, levels_, state_, arrays_.gradient) + constant_;
}

// A bound of the rounding error of P and D, and of what the residual's own error does to them.
double PwlSolver::primal_noise() const {
  const Design& design = *inputs_.design;
  double reach = std::sqrt(inputs_.loss->null_deviance()), sums = 0.0;
  for (Index s = 0; s < state_.size(); ++s) {
    const Index j = state_.column(s);
    const double size = std::abs(state_.point.w[s]), u = size + std::abs(centre(j));
    reach += size * design.norm(j);
    sums += lambda(j) * size + mu() * u * u;
  }
  const double n = static_cast<double>(design.n() + design.d());
  const double norm2 = state_.point.fit, norm = std::sqrt(norm2);
  return kEps * ((n / 8.0 + 16.0) * (norm2 + reach * norm) + 16.0 * (sums + constant_));
}

PwlSolver::Coordinates PwlSolver::active() const {
  return {state_.set.columns(), state_.point.w, state_.c};
}

PwlSolver::Coordinates PwlSolver::everybody() const {
  Coordinates all;
  for (Index j = 0; j < inputs_.design->d(); ++j) {
    if (!std::isinf(lambda(j)) && curvature(j) > 0.0) all.columns.push_back(j);
  }
  all.c.resize(all.columns.size());
  inputs_.design->correlate(state_.point.residual.weighted, all.columns.data(),
                            static_cast<Index>(all.columns.size()), all.c.data());
  const SlotIndex index(state_.set);
  for (std::size_t k = 0; k < all.columns.size(); ++k) {
    const Index j = all.columns[k];
    all.w.push_back(index.contains(j) ? state_.point.w[index.slot(j)] : 0.0);
    all.c[k] += inputs_.ridge.pull(j, all.w[k]);
  }
  return all;
}

// s = kappa Omega r, v = kappa mu (w - w'), kappa the maximiser of the dual on the feasible interval.
// For lambda_j = 0 the constraint is an equality. With mu > 0 it is met exactly by v_j = x_j's. With
// mu = 0 the exact step leaves e = Q'Omega r of the order of rounding, Q an orthonormal basis of those
// columns; kappa Omega (r - Q e) is feasible, its value is at least D(s) - kappa ||e|| ||z||, and no
// c_j moves by more than kappa ||x_j|| ||e||: both are allowed for.
PwlSolver::Sphere PwlSolver::sphere(const Coordinates& coordinates, double constant) {
  const Design& design = *inputs_.design;
  const Weighted& weighted = state_.point.residual.weighted;
  const auto& z = inputs_.loss->origin();
  const double norm = std::sqrt(weighted.norm2);
  double limit = kInf, linear = 0.0, quadratic = weighted.norm2, slack = 0.0;
  Sphere out;
  for (Index i = 0; i < design.n(); ++i) linear += weighted.v[i] * z[i];
  if (mu() == 0.0 && !unpenalised_.columns().empty()) {
    const auto e = unpenalised_part();
    out.shift =
        std::sqrt(dot(e.data(), e.data(), static_cast<Index>(e.size()))) + 16.0 * kEps * norm;
    slack = out.shift * std::sqrt(inputs_.loss->null_deviance());
  }
  for (std::size_t k = 0; k < coordinates.columns.size(); ++k) {
    const Index j = coordinates.columns[k];
    const double w = coordinates.w[k], c = coordinates.c[k];
    double v = -inputs_.ridge.pull(j, w);
    const double noise = design.rounding(j) * norm + design.norm(j) * out.shift;
    if (lambda(j) > 0.0) {
      const double reached = std::abs(c) + noise;
      if (reached > 0.0) limit = std::min(limit, lambda(j) / reached);
    } else if (mu() > 0.0) {
      v += c;  // = x_j' Omega r
      slack += noise * (std::abs(w) + std::abs(centre(j)));
    }
    if (mu() > 0.0) {
      linear -= v * centre(j);
      quadratic += v * v / mu();
    }
  }
  out.point = best_dual(linear, slack, quadratic, -limit, limit);
  out.gap = primal() - (out.point.value + constant);
  out.radius = std::sqrt(2.0 * (std::max(out.gap, 0.0) + primal_noise()));
  return out;
}

// Discard j when |kappa| |c_j| + radius sqrt(curvature_j) < lambda_j, rounding margin included.
void PwlSolver::screen(const Sphere& sphere) {
  const Design& design = *inputs_.design;
  const double norm = std::sqrt(state_.point.residual.weighted.norm2);
  const double scale = std::abs(sphere.point.scale);
  std::vector<Index> survivors;
  bool moved = false;
  for (Index s = 0; s < state_.size(); ++s) {
    const Index j = state_.column(s);
    const double c = std::abs(state_.c[s]);
    const double noise = design.rounding(j) * norm + design.norm(j) * sphere.shift + 4.0 * kEps * c;
    const double score =
        scale * (c + noise) + sphere.radius * std::sqrt(curvature(j)) * (1.0 + 8.0 * kEps);
    if (!(score < lambda(j))) {
      survivors.push_back(s);
      continue;
    }
    screened_[j] = 1;
    constant_ += prox_term(j);
    moved = moved || state_.point.w[s] != 0.0;
    state_.point.w[s] = 0.0;
  }
  if (static_cast<Index>(survivors.size()) == state_.size()) return;
  model_of(state_).list_support(inputs_, state_);
  keep_slots(state_, survivors);
  if (moved) refresh();
}

PwlResult PwlSolver::solve(const PwlOptions& options) {
  PwlResult result;
  inputs_.poll = options.poll;
  refresh();
  const double goal = options.tol * std::max(primal(), std::numeric_limits<double>::min());
  double best = kInf;
  int patience = kPatience;
  Progress progress;
  progress.max_iter = options.max_epochs;
  while (true) {
    // 1. a few epochs, then Newton steps on the support they found
    descend(std::min(kScreenEvery, options.max_epochs - progress.epochs), progress);
    solve_support();
    solve_unpenalised();
    // 2. dual point and gap
    model_of(state_).anchor(inputs_, state_);
    const Sphere found = sphere(active(), constant_);
    // 3. screen
    if (options.screen) screen(found);
    // 4. stop when the gap is small, or when rounding or the caller forbids more
    patience = found.gap < 0.9 * best ? kPatience : patience - 1;
    best = std::min(best, found.gap);
    result.converged = found.gap <= std::max(goal, primal_noise());
    if (result.converged || patience == 0 || progress.epochs >= options.max_epochs) break;
    if (inputs_.stopped()) break;
  }
  // The reported dual point is feasible for every feature, screened ones included.
  const Coordinates all = everybody();
  result.primal = primal();
  result.gap = sphere(all, excluded_).gap;
  result.dual = result.primal - result.gap;
  result.epochs = progress.epochs;
  result.screened = screened_;
  result.w.assign(inputs_.design->d(), 0.0);
  for (Index s = 0; s < state_.size(); ++s) result.w[state_.column(s)] = state_.point.w[s];
  result.r = state_.point.residual.r;
  return result;
}

}  // namespace sparsieve
