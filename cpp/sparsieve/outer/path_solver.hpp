// What a path needs of a solver, whatever the loss: a point that goes from alpha to alpha.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sparsieve/outer/fit.hpp"

namespace sparsieve {

class PathSolver {
 public:
  virtual ~PathSolver() = default;

  // Correlations of every feature once the unpenalised ones are fitted: alpha_max follows from them.
  virtual const std::vector<double>& null_correlations() const = 0;
  // No correlation there can be larger.
  virtual double correlation_limit() const = 0;
  virtual SolveResult solve(double alpha, const SolveOptions& options, bool record = false) = 0;
  // Replace the current point by the lasso with levels fraction * slope_j(0), so that the next solve
  // for this alpha starts there.
  virtual void start_from_lasso(double alpha, double fraction, const SolveOptions& options) = 0;
  // Start from a given w (columns of X); replaces the current point.
  virtual void warm_start(const std::vector<Index>& columns, const std::vector<double>& coef,
                          const std::function<bool()>& poll = {}) = 0;
  // Replace the penalty; the point, the working set and every bound stay.
  virtual void set_penalty(std::shared_ptr<const Penalty> penalty) = 0;

  // The non-zero coefficients, by increasing column, and the intercept, in the user's units.
  virtual void solution(std::vector<Index>& columns, std::vector<double>& coef) const = 0;
  virtual double intercept() const = 0;
  virtual double null_deviance() const = 0;
  virtual double deviance() const = 0;  // of the current point

  virtual const Design& design() const = 0;
  // What was read up to where it was last accounted for. Setting it back leaves what was read since to the
  // next account.
  struct Account {
    Bytes x = 0, shadow = 0;
  };
  Account accounted() const { return accounted_; }
  void set_accounted(Account account) { accounted_ = account; }
  // Passes over X since the last account; bytes are added to `counters`.
  double account(Counters& counters) {
    const Account now{design().column_bytes_read(), design().shadow_bytes_read()};
    const Account before = std::exchange(accounted_, now);
    counters.x_bytes += now.x - before.x;
    counters.shadow_bytes += now.shadow - before.shadow;
    return design().passes(now.x + now.shadow) - design().passes(before.x + before.shadow);
  }

 private:
  Account accounted_;
};

}  // namespace sparsieve
