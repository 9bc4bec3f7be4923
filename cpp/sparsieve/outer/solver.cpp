#include "sparsieve/outer/solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sparsieve/certificate/certificate.hpp"
#include "sparsieve/columns/compensated_sum.hpp"
#include "sparsieve/model/model.hpp"
#include "sparsieve/outer/descent.hpp"
#include "sparsieve/outer/entry.hpp"
#include "sparsieve/outer/search.hpp"
#include "sparsieve/outer/setup.hpp"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve {

bool Fit::is_barred(Index j) const {
  const auto& weights = target.levels.weights();
  return inputs.design->norm2(j) == 0.0 || (!weights.empty() && std::isinf(weights[j])) ||
         std::binary_search(barred.dependent.begin(), barred.dependent.end(), j);
}

const Model& Fit::model() const { return model_of(state); }

SolveResult Solver::solve(double alpha, const SolveOptions& options, bool record) {
  ThreadPool pool;
  SolveResult result;
  const PollScope scope(fit_.inputs, options.poll);
  // 1. the levels of this alpha
  const double previous = fit_.target.levels.slope0();
  set_alpha(alpha);
  const bool from_start = std::exchange(at_start_, false);
  fit_.choice.next_alpha(from_start);
  // 2. start: from a lasso drop what the penalty drops, else fetch who is likely to enter
  if (from_start) {
    prune_start(options);
  } else {
    prefetch(fit_, fit_.target, previous);
  }
  // 3. descend to a stationary point
  Descent(fit_, fit_.target, options, from_start, record).run(result);
  // 4. go on to a stronger minimum
  if (options.minimum != Minimum::kStationary) {
    if (!curvatures_) {
      curvatures_.emplace(design_->moments().norms2, fit_.target.levels.weights());
    }
    Search(fit_, *curvatures_, neighbours_, options).run(result);
  }
  result.counters.add_work(std::exchange(start_cost_, {}));
  // 5. certify what else is known about it
  result.objective = objective(fit_.inputs, fit_.target.levels, fit_.state, fit_.gradient);
  result.deviance = fit_.state.point.fit;
  result.gap =
      surrogate_gap(fit_.inputs, fit_.target.levels, fit_.state, fit_.gradient, result.ratio);
  result.convex = options.test_convexity && !fit_.inputs.stopped() &&
                  strictly_convex(fit_.inputs, *penalty_, fit_.state, fit_.gradient,
                                  result.kkt * fit_.target.levels.slope0());
  return result;
}

// Penalty and ridge of this alpha. The ridge is a part of the factor and of the correlations.
void Solver::set_alpha(double alpha) {
  fit_.target.levels.set(terms_.l1_ratio * alpha, fit_.barred.dependent);
  if (terms_.l1_ratio == 1.0) return;
  State& state = fit_.state;
  Ridge& ridge = fit_.inputs.ridge;
  const double before = ridge_noise(fit_.inputs, state);
  for (Index s = 0; s < state.size(); ++s) {
    state.c[s] -= ridge.pull(state.column(s), state.point.w[s]);
  }
  set_ridge(terms_, alpha, fit_.target.levels.weights(), ridge);
  for (Index s = 0; s < state.size(); ++s) {
    state.c[s] += ridge.pull(state.column(s), state.point.w[s]);
  }
  state.known_error += before + ridge_noise(fit_.inputs, state);
  fit_.model().list_support(fit_.inputs, state);
}

void Solver::solution(std::vector<Index>& columns, std::vector<double>& coef) const {
  fit_.state.solution(columns, coef);
  to_user_units(*design_, fit_.inputs.box, terms_, columns, coef);
}

double Solver::correlation_limit() const {
  double largest = 0.0;
  for (Index j = 0; j < fit_.inputs.design->d(); ++j) {
    largest = std::max(largest, fit_.inputs.design->norm(j));
  }
  return largest * std::sqrt(null_deviance());
}

double Solver::intercept() const {
  const State& state = fit_.state;
  CompensatedSum sum;  // large means may cancel
  sum.add(response_shift_);
  sum.add(response_mean_);
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    const double coef = state.point.w[s] * design_->factor(j);
    sum.add_product(-coef, design_->shift(j));
    sum.add_product(-coef, design_->mean(j));
  }
  return sum.value();
}

void Solver::set_penalty(std::shared_ptr<const Penalty> penalty) {
  fit_.target.levels.set_penalty(penalty.get());
  penalty_ = std::move(penalty);
}

}  // namespace sparsieve
