#include "sparsieve/outer/newton_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "sparsieve/certificate/row_certificate.hpp"
#include "sparsieve/columns/compensated_sum.hpp"
#include "sparsieve/outer/entry.hpp"
#include "sparsieve/outer/newton_descent.hpp"
#include "sparsieve/outer/separation.hpp"
#include "sparsieve/outer/setup.hpp"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
}  // namespace

SolveResult NewtonSolver::solve(double alpha, const SolveOptions& options, bool record) {
  ThreadPool pool;
  SolveResult result;
  const PollScope scope(fit_.base.inputs, options.poll);
  if (nothing_fits_) return without_minimiser();
  // 1. the levels of this alpha
  const double previous = fit_.base.target.levels.slope0();
  set_alpha(alpha);
  const bool from_start = std::exchange(at_start_, false);
  // 2. start: fetch who is likely to enter
  if (!from_start) prefetch(fit_.base.target, previous);
  // 3. descend to a stationary point
  NewtonDescent(fit_, fit_.base.target, options, from_start, record).run(result);
  result.counters.add_work(std::exchange(start_cost_, {}));
  // 4. certify what else is known about it
  certify(options, result);
  return result;
}

// Where not even the unpenalised parts have a minimiser nothing is solved.
SolveResult NewtonSolver::without_minimiser() const {
  SolveResult result;
  result.status = Status::kSeparated;
  result.separation = *nothing_fits_;
  result.kkt = result.gap = result.objective = std::numeric_limits<double>::quiet_NaN();
  result.deviance = deviance();
  return result;
}

void NewtonSolver::certify(const SolveOptions& options, SolveResult& result) {
  Fit& base = fit_.base;
  const Levels& levels = base.target.levels;
  const CurvedPoint point{fit_.rows, fit_.set, fit_.at, fit_.eta_error, fit_.residual_error};
  result.objective = fit_.objective(levels);
  result.deviance = deviance();
  result.gap = surrogate_gap(base.inputs, levels, base.state, base.gradient, result.ratio, point);
  result.convex = options.test_convexity && !base.inputs.stopped() &&
                  strictly_convex(base.inputs, levels.penalty(), base.state, base.gradient,
                                  result.kkt * levels.slope0(), point);
  if (result.status == Status::kInterrupted) return;
  if (auto found = find_separation(fit_)) {
    result.status = Status::kSeparated;
    result.separation = std::move(*found);
  }
}

void NewtonSolver::set_alpha(double alpha) {
  fit_.base.target.levels.set(terms_.l1_ratio * alpha, fit_.base.barred.dependent);
  if (terms_.l1_ratio == 1.0) return;
  set_ridge(terms_, alpha, fit_.base.target.levels.weights(), fit_.base.inputs.ridge);
  fit_.list_support();
  fit_.correlate();
}

// As prefetch in entry.cpp: fetched together, features save rounds.
void NewtonSolver::prefetch(Target& target, double previous) {
  const double ratio = previous / target.levels.slope0();
  const double share = ratio > 1.0 ? std::max(kNear, 2.0 - ratio) : kInf;
  const Index most = 8 + fit_.base.history.entered;
  const Trimmed trimmed = trimmed_slots(fit_.base, target.levels, share, most);
  if (trimmed.any) fit_.set.keep(fit_.state(), trimmed.slots);
  if (!(ratio > 1.0)) return;
  fit_.take_in(target.screen.likely(target.levels.thresholds(), share, fit_.base.sides(),
                                    fit_.state().set.columns(), most - trimmed.near));
}

// ----------------------------------------------------------------------- where a solve starts

void NewtonSolver::start_from_lasso(double alpha, double fraction, const SolveOptions& options) {
  ThreadPool pool;
  if (nothing_fits_) return;
  const PollScope scope(fit_.base.inputs, options.poll);
  double previous = 0.0;
  if (lasso_) {
    fit_.base.history = lasso_->history;
    fit_.at.intercept = lasso_->intercept;
    move_to(lasso_->columns, lasso_->coef);
    previous = lasso_->target.levels.slope0();
  }
  set_alpha(alpha);
  Levels levels = fit_.base.target.levels.lasso(fraction);
  if (lasso_) {
    lasso_->target.levels = std::move(levels);
    prefetch(lasso_->target, previous);
  } else {
    lasso_.emplace(Lasso{{std::move(levels), fit_.base.target.screen}, {}, {}, 0.0, {}});
  }
  SolveResult result;
  NewtonDescent(fit_, lasso_->target, options, /*from_start=*/false, /*record=*/false).run(result);
  fit_.state().solution(lasso_->columns, lasso_->coef);
  lasso_->intercept = fit_.at.intercept;
  lasso_->history = fit_.base.history;
  start_cost_ = result.counters;
  at_start_ = true;
}

void NewtonSolver::warm_start(const std::vector<Index>& columns, const std::vector<double>& coef,
                              const std::function<bool()>& poll) {
  const Index d = design_->d();
  const auto outside = [d](Index j) { return j < 0 || j >= d; };
  if (columns.size() != coef.size() || std::any_of(columns.begin(), columns.end(), outside)) {
    throw std::invalid_argument("a start needs one coefficient for each of some columns of X");
  }
  ThreadPool pool;
  const PollScope scope(fit_.base.inputs, poll);
  lasso_.reset();
  at_start_ = false;
  std::vector<double> w(coef);
  for (std::size_t k = 0; k < w.size(); ++k) w[k] /= design_->factor(columns[k]);
  move_to(columns, w);
}

// Replace the point; columns that can never enter are passed over.
void NewtonSolver::move_to(const std::vector<Index>& columns, const std::vector<double>& coef) {
  State& state = fit_.state();
  const SlotIndex before(state.set);
  std::vector<Index> fresh;
  for (Index j : columns) {
    if (!before.contains(j) && !fit_.base.is_barred(j)) fresh.push_back(j);
  }
  fit_.take_in(fresh);
  const SlotIndex now(state.set);
  std::vector<double> w(state.size(), 0.0);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (now.contains(columns[k])) w[now.slot(columns[k])] = coef[k];
  }
  fit_.place(w);
}

void NewtonSolver::set_penalty(std::shared_ptr<const Penalty> penalty) {
  fit_.base.target.levels.set_penalty(penalty.get());
  penalty_ = std::move(penalty);
}

// ----------------------------------------------------------------------------- what is known

void NewtonSolver::solution(std::vector<Index>& columns, std::vector<double>& coef) const {
  fit_.state().solution(columns, coef);
  to_user_units(*design_, fit_.inputs().box, terms_, columns, coef);
}

double NewtonSolver::deviance() const { return 2.0 * fit_.at.value; }

double NewtonSolver::correlation_limit() const {
  double largest = 0.0;
  for (Index j = 0; j < design_->d(); ++j) largest = std::max(largest, design_->norm(j));
  return largest * null_norm_;
}

double NewtonSolver::intercept() const {
  const State& state = fit_.state();
  CompensatedSum sum;  // large means may cancel
  sum.add(fit_.at.intercept);
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    const double coef = state.point.w[s] * design_->factor(j);
    sum.add_product(-coef, design_->shift(j));
    sum.add_product(-coef, design_->mean(j));
  }
  return sum.value();
}

}  // namespace sparsieve
