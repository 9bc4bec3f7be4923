// Paths of losses whose curvature changes:
//
//   minimise over (w, b)   sum_i omega_i f(o_i + b + x_i'w; y_i)
//                            + sum_j [ r(|w_j|; alpha l pi_j) + (alpha (1 - l) pi_j + ridge)/2 w_j^2 ]
//
// within bounds, with offsets o. The solver of squares, solver.hpp, has the same interface.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sparsieve/columns/lazy_design.hpp"
#include "sparsieve/outer/newton_fit.hpp"
#include "sparsieve/outer/path_solver.hpp"
#include "sparsieve/outer/solver.hpp"

namespace sparsieve {

class NewtonSolver final : public PathSolver {
 public:
  // Throws std::invalid_argument when a length is wrong, and where the loss overflows at w = 0.
  NewtonSolver(SolverParts parts, std::shared_ptr<const RowLoss> loss, std::vector<double> offset,
               std::function<bool()> poll = {});

  const std::vector<double>& null_correlations() const override { return null_correlations_; }
  double correlation_limit() const override;
  SolveResult solve(double alpha, const SolveOptions& options, bool record = false) override;
  void start_from_lasso(double alpha, double fraction, const SolveOptions& options) override;
  void warm_start(const std::vector<Index>& columns, const std::vector<double>& coef,
                  const std::function<bool()>& poll = {}) override;
  void set_penalty(std::shared_ptr<const Penalty> penalty) override;

  void solution(std::vector<Index>& columns, std::vector<double>& coef) const override;
  double intercept() const override;
  double null_deviance() const override { return null_deviance_; }
  double deviance() const override;
  const Design& design() const override { return *design_; }

 private:
  // The lasso that solves start from, put aside while the penalty's own solve goes on from its point.
  struct Lasso {
    Target target;
    std::vector<Index> columns;
    std::vector<double> coef;
    double intercept;
    History history;
  };
  struct Measured;
  NewtonSolver(SolverParts& parts, Measured measured, std::function<bool()> poll);
  void fit_unpenalised();
  void set_alpha(double alpha);
  void prefetch(Target& target, double previous);
  void move_to(const std::vector<Index>& columns, const std::vector<double>& coef);
  SolveResult without_minimiser() const;
  void certify(const SolveOptions& options, SolveResult& result);

  std::shared_ptr<const Design> design_;
  std::shared_ptr<const Penalty> penalty_;
  Terms terms_;
  std::vector<double> null_correlations_;
  double null_norm_ = 0.0, null_deviance_ = 0.0;
  NewtonFit fit_;
  std::optional<Separation> nothing_fits_;  // the unpenalised parts alone have no minimiser
  std::optional<Lasso> lasso_;
  bool at_start_ = false;
  Counters start_cost_;
};

}  // namespace sparsieve
