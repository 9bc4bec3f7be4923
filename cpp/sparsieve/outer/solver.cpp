#include "sparsieve/outer/solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sparsieve/certificate/certificate.hpp"
#include "sparsieve/model/model.hpp"
#include "sparsieve/outer/descent.hpp"
#include "sparsieve/outer/entry.hpp"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve {

bool Fit::is_barred(Index j) const {
  const auto& weights = target.levels.weights();
  return inputs.design->norm2(j) == 0.0 || (!weights.empty() && std::isinf(weights[j])) ||
         std::binary_search(barred.dependent.begin(), barred.dependent.end(), j);
}

const Model& Fit::model() const { return model_of(state); }

SolveResult MmSolver::solve(double alpha, const SolveOptions& options, bool record) {
  ThreadPool pool;
  const Design& design = *fit_.inputs.design;
  const Bytes before = design.bytes_read();
  SolveResult result;
  fit_.inputs.poll = options.poll;
  // 1. the levels of this alpha
  const double previous = fit_.target.levels.slope0();
  fit_.target.levels.set(alpha, fit_.barred.dependent);
  fit_.choice.next_alpha();
  // 2. start: from a lasso drop what the penalty drops, else fetch who is likely to enter
  const bool from_start = std::exchange(at_start_, false);
  if (from_start) {
    prune_start(options);
  } else {
    prefetch(fit_, fit_.target, previous);
  }
  // 3. descend to a stationary point
  Descent descent(fit_, fit_.target, options, from_start, record);
  descent.run(result);
  // 4. certify what else is known about it
  result.by_bound = descent.answer().by_bound;
  result.by_shadow = descent.answer().by_shadow;
  result.by_reading = descent.answer().by_reading;
  result.objective = objective(fit_.inputs, fit_.target.levels, fit_.state, fit_.gradient);
  result.deviance = fit_.state.point.fit;
  result.gap = surrogate_gap(fit_.inputs, fit_.target.levels, fit_.state, fit_.gradient,
                             descent.answer().ratio);
  result.convex = options.test_convexity && !fit_.inputs.stopped() &&
                  strictly_convex(fit_.inputs, fit_.state, fit_.gradient);
  fit_.inputs.poll = nullptr;
  const double size = static_cast<double>(std::max<Bytes>(1, design.bytes()));
  result.passes = static_cast<double>(design.bytes_read() - before) / size;
  return result;
}

double MmSolver::correlation_limit() const {
  double largest = 0.0;
  for (Index j = 0; j < fit_.inputs.design->d(); ++j) {
    largest = std::max(largest, fit_.inputs.design->norm(j));
  }
  return largest * std::sqrt(null_deviance());
}

double MmSolver::coefficient_shift() const {
  const State& state = fit_.state;
  double shift = 0.0;
  for (Index s = 0; s < state.size(); ++s) {
    shift += fit_.inputs.design->mean(state.column(s)) * state.point.w[s];
  }
  return shift;
}

}  // namespace sparsieve
