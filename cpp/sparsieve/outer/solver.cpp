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
  const std::vector<double>& weights = fit_.target.levels.weights();
  const double share = (1.0 - terms_.l1_ratio) * alpha;
  for (Index s = 0; s < state.size(); ++s) {
    state.c[s] -= ridge.pull(state.column(s), state.point.w[s]);
  }
  if (weights.empty()) {
    ridge.weight = terms_.ridge + share;
  } else {
    ridge.own.resize(weights.size());
    for (std::size_t j = 0; j < weights.size(); ++j) {
      ridge.own[j] = std::isinf(weights[j]) ? 0.0 : share * weights[j];
    }
  }
  for (Index s = 0; s < state.size(); ++s) {
    state.c[s] += ridge.pull(state.column(s), state.point.w[s]);
  }
  fit_.model().list_support(fit_.inputs, state);
}

// A bound that was divided by a factor need not come back as it was: who is at it is given the user's own.
void Solver::solution(std::vector<Index>& columns, std::vector<double>& coef) const {
  fit_.state.solution(columns, coef);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Index j = columns[k];
    const Bounds bounds = fit_.inputs.box.of(j);
    if (coef[k] == bounds.lower) {
      coef[k] = terms_.lower[j];
    } else if (coef[k] == bounds.upper) {
      coef[k] = terms_.upper[j];
    } else {
      coef[k] *= design_->factor(j);
      if (!terms_.lower.empty()) coef[k] = std::max(coef[k], terms_.lower[j]);
      if (!terms_.upper.empty()) coef[k] = std::min(coef[k], terms_.upper[j]);
    }
  }
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

double Solver::account(Counters& counters) {
  const Account now{design_->column_bytes_read(), design_->shadow_bytes_read()};
  const Account before = std::exchange(accounted_, now);
  counters.x_bytes += now.x - before.x;
  counters.shadow_bytes += now.shadow - before.shadow;
  return design_->passes(now.x + now.shadow) - design_->passes(before.x + before.shadow);
}

}  // namespace sparsieve
