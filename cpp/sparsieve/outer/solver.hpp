// Majorisation-minimisation along alphas.
//
//   minimise over w   F(w) = 1/2 (z - Xw)' Omega (z - Xw) + sum_j r(|w_j|; alpha pi_j)
//
// The surrogate at w replaces r by its tangent: a weighted lasso with l1 weights slope_j(|w_j|).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sparsieve/outer/fit.hpp"

namespace sparsieve {

struct MmProblem {
  const Design* design;
  std::vector<double> z;  // response (centred as the columns are)
  // x_j' Omega z of every column, if all are penalised and the pass that measured them gave it; else empty.
  std::vector<double> correlations;
  double response_size = 0.0;  // norm of the response before centring
  std::vector<double> pi;      // per-feature weights; empty = all 1; infinity = excluded
  const Penalty* penalty;
  bool positive = false;
};

class MmSolver {
 public:
  explicit MmSolver(MmProblem problem, std::function<bool()> poll = {});

  // Correlations of every feature once the unpenalised ones are fitted: alpha_max follows from them.
  const std::vector<double>& null_correlations() const { return null_correlations_; }
  // ||z|| times the largest column norm: no correlation can be larger.
  double correlation_limit() const;
  SolveResult solve(double alpha, const SolveOptions& options, bool record = false);
  // Replace the current point by the lasso with levels fraction * slope_j(0), so that the next solve
  // for this alpha starts there (lasso_start.cpp).
  void start_from_lasso(double alpha, double fraction, const SolveOptions& options);
  // Start from a given w (columns of X); replaces the current point.
  void warm_start(const std::vector<Index>& columns, const std::vector<double>& coef);
  // Replace the penalty; the point, the working set and every bound stay.
  void set_penalty(const Penalty* penalty) { fit_.target.levels.set_penalty(penalty); }

  // The non-zero coefficients, by increasing column.
  void solution(std::vector<Index>& columns, std::vector<double>& coef) const {
    fit_.state.solution(columns, coef);
  }
  double null_deviance() const { return fit_.inputs.loss->null_deviance(); }
  double deviance() const { return fit_.state.point.fit; }  // of the current point
  double coefficient_shift() const;                         // sum_j mean_j w_j

 private:
  // The lasso that solves start from, put aside while the penalty's own solve goes on from its point.
  struct Lasso {
    Target target;
    std::vector<Index> columns;  // per slot of the working set as it was
    bool gram;
    Point point;
    History history;
  };
  // ---- setting up (setup.cpp)
  void fit_unpenalised();
  std::vector<Index> independent(const std::vector<Index>& columns) const;
  // ---- where a solve starts (lasso_start.cpp)
  void move_to(const std::vector<Index>& columns, const std::vector<double>& coef);
  void resume(const Lasso& lasso);
  void prune_start(const SolveOptions& options);

  Fit fit_;
  std::vector<double> null_correlations_;
  std::optional<Lasso> lasso_;
  bool at_start_ = false;  // the point and the working set are those of a start
};

}  // namespace sparsieve
