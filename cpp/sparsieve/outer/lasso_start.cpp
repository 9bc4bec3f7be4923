// Where a solve starts: given coefficients, or the lasso at a fraction of slope(0), followed beside the
// path.
//
//   minimise over w   1/2 (z - Xw)' Omega (z - Xw) + sum_j f r'(0; alpha pi_j) |w_j|
//
// Working set, Gram matrix and shadow are those of the path; its screen is the lasso's own, because bounds
// at the residuals of the one say little about those of the other. The lasso's point is put aside while
// the penalty's own solve goes on from it, and taken up again at the next alpha without reading X.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sparsieve/model/model.hpp"
#include "sparsieve/outer/descent.hpp"
#include "sparsieve/outer/entry.hpp"
#include "sparsieve/outer/solver.hpp"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve {

void Solver::start_from_lasso(double alpha, double fraction, const SolveOptions& options) {
  ThreadPool pool;
  const PollScope scope(fit_.inputs, options.poll);
  std::vector<char> held;  // slots that the lasso may not trim: the penalty wants them
  const bool first = !lasso_;
  if (!first) {
    held = near_slots(fit_, fit_.target.levels, kNear);
    resume(*lasso_);
  }
  set_alpha(alpha);
  Levels levels = fit_.target.levels.lasso(fraction);
  if (first) {
    lasso_.emplace(Lasso{{std::move(levels), fit_.target.screen}, {}, false, {}, {}});
  } else {
    const double previous = std::exchange(lasso_->target.levels, std::move(levels)).slope0();
    prefetch(fit_, lasso_->target, previous, held);
  }
  SolveResult result;
  Descent(fit_, lasso_->target, options, /*from_start=*/false, /*record=*/false).run(result);
  lasso_->columns = fit_.state.set.columns();
  lasso_->gram = fit_.state.set.has_gram();
  lasso_->point = fit_.state.point;
  lasso_->history = fit_.history;
  start_cost_ = result.counters;
  at_start_ = true;
}

// Since the point was saved the working set may have grown. Where it was trimmed, or had its Gram matrix
// dropped, the factor no longer belongs to it: factor and residual are computed again.
void Solver::resume(const Lasso& saved) {
  State& state = fit_.state;
  fit_.history = saved.history;
  const auto& columns = state.set.columns();
  const bool same = state.set.has_gram() && saved.gram && saved.columns.size() <= columns.size() &&
                    std::equal(saved.columns.begin(), saved.columns.end(), columns.begin());
  if (!same) {
    std::vector<Index> support;
    std::vector<double> coef;
    for (std::size_t s = 0; s < saved.point.w.size(); ++s) {
      if (saved.point.w[s] == 0.0) continue;
      support.push_back(saved.columns[s]);
      coef.push_back(saved.point.w[s]);
    }
    move_to(support, coef);
    return;
  }
  state.point = saved.point;
  state.point.extend(state.size());
  correlate_by_gram(fit_.inputs, state);
}

void Solver::prune_start(const SolveOptions& options) {
  const double allowed = allowed_error(options.tol, fit_.target.levels);
  Progress progress;
  progress.max_iter = options.max_iter;
  fit_.choice.prune(fit_.inputs, fit_.target.levels, fit_.state, allowed, progress);
  start_cost_.epochs += progress.epochs;
  // Over columns, features that have left cost as much as those that stay, so they go.
  if (!fit_.state.set.has_gram()) trim(fit_, fit_.target.levels, kNear, fit_.state.size());
}

void Solver::warm_start(const std::vector<Index>& columns, const std::vector<double>& coef,
                        const std::function<bool()>& poll) {
  const Index d = design_->d();
  const auto outside = [d](Index j) { return j < 0 || j >= d; };
  if (columns.size() != coef.size() || std::any_of(columns.begin(), columns.end(), outside)) {
    throw std::invalid_argument("a start needs one coefficient for each of some columns of X");
  }
  ThreadPool pool;
  const PollScope scope(fit_.inputs, poll);
  lasso_.reset();
  at_start_ = false;
  std::vector<double> w(coef);
  for (std::size_t k = 0; k < w.size(); ++k) w[k] /= design_->factor(columns[k]);
  move_to(columns, w);
}

// Replace the point; columns that can never enter are passed over.
void Solver::move_to(const std::vector<Index>& columns, const std::vector<double>& coef) {
  State& state = fit_.state;
  const SlotIndex before(state.set);
  std::vector<Index> fresh;
  for (Index j : columns) {
    if (!before.contains(j) && !fit_.is_barred(j)) fresh.push_back(j);
  }
  if (!fresh.empty()) fit_.model().grow(fit_.inputs, state, fresh);
  const SlotIndex now(state.set);
  std::vector<double> w(state.size(), 0.0);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (now.contains(columns[k])) w[now.slot(columns[k])] = coef[k];
  }
  place_at(fit_.inputs, state, w);
}

}  // namespace sparsieve
